"""The prompt that asks a model to judge a compaction. It is a file of the package, with a version."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from inspector.models.consent import key_of
from inspector.models.summarizers.base import Summarizer

#: Increase it whenever the prompt or the parser of answers changes.
PROMPT_VERSION = 2
_PLACES = re.compile(r"\{(number|of|piece|after)\}")


@cache
def _template(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def judge_prompt(piece: str, after: str, number: int, of: int, template: str = "judge_prompt.md") -> str:
    """Return the prompt for piece `number` (from 1) of `of`."""
    values = {"piece": piece, "after": after, "number": str(number), "of": str(of)}
    # One pass, because the texts may contain braces.
    return _PLACES.sub(lambda match: values[match[1]], _template(template))


def answer_key(prompt: str, summarizer: Summarizer) -> str:
    """Return the key of a stored answer: a hash of prompt, version and summarizer."""
    parts = "\0".join((str(PROMPT_VERSION), *key_of(summarizer), prompt))
    return hashlib.blake2b(parts.encode("utf-8", errors="surrogatepass"), digest_size=16).hexdigest()
