"""The prompt by which a model judges a compaction. It is a file of the package, with a version."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from inspector.models.consent import key_of
from inspector.models.summarizers.base import Summarizer

#: Changes whenever the prompt or the reading of answers does.
PROMPT_VERSION = 1
_PLACES = re.compile(r"\{(number|of|piece|after)\}")


@cache
def _template() -> str:
    return Path(__file__).with_name("judge_prompt.md").read_text(encoding="utf-8")


def judge_prompt(piece: str, after: str, number: int, of: int) -> str:
    """The prompt for piece `number` (from 1) of `of`."""
    values = {"piece": piece, "after": after, "number": str(number), "of": str(of)}
    # One pass: the texts may have braces of their own.
    return _PLACES.sub(lambda match: values[match[1]], _template())


def answer_key(prompt: str, summarizer: Summarizer) -> str:
    """The key under which an answer is kept: the prompt with its version, and who was asked."""
    told = "\0".join((str(PROMPT_VERSION), *key_of(summarizer), prompt))
    return hashlib.blake2b(told.encode("utf-8", errors="surrogatepass"), digest_size=16).hexdigest()
