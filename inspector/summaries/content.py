"""Content words of a text, to compare the topics of two texts."""

from __future__ import annotations

import re
from functools import lru_cache

from inspector.core.scan.words import Stemmer

_NUMBERS = re.compile(r"\d+")
_TOOL = re.compile(r"\[tool: [\w, -]+\]")
# Words that occur in nearly every summary.
_EVERYWHERE = frozenset({"user", "tool", "terminal"})


@lru_cache(maxsize=4096)
def content_words(text: str, stemmer: Stemmer) -> frozenset[str]:
    """Return the stems and numbers of a text without its function words."""
    text = _TOOL.sub(" ", text)
    return frozenset(stemmer.words(text)).union(_NUMBERS.findall(text)) - _EVERYWHERE
