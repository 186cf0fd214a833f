"""The words that say what a text is about, for telling whether another one speaks of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from inspector.core.scan.words import Stemmer

_NUMBERS = re.compile(r"\d+")
_TOOL = re.compile(r"\[tool: [\w, -]+\]")
# Whom every summary speaks of, and what every one speaks with.
_EVERYWHERE = frozenset({"user", "tool", "terminal"})


@lru_cache(maxsize=4096)
def content_words(text: str, stemmer: Stemmer) -> frozenset[str]:
    """The stems and numbers that say what a text is about."""
    text = _TOOL.sub(" ", text)
    return frozenset(stemmer.words(text)).union(_NUMBERS.findall(text)) - _EVERYWHERE
