"""The words that say what a text is about, for telling whether another one speaks of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = re.compile(r"[a-z]+|\d+")
# Chinese has no spaces: every two characters in a row count as a word.
_PAIRS = re.compile(r"(?=([\u3400-\u9fff]{2}))")
_TOOL = re.compile(r"\[tool: [\w, -]+\]")
_ENDINGS = ("ements", "ement", "ing", "ies", "ied", "ed", "es", "s", "e", "y")
_COMMON = (
    "a an and are as at be been by can do for from has have i in into is it its me my now of on or our so still that "
    "the their them then there this to up us user users was we were will with you your tool terminal"
)
_STOP = frozenset(_COMMON.split())


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The words that say what a text is about, in small letters and without their endings."""
    text = _TOOL.sub(" ", text).casefold()
    words = {_stem(word) for word in _WORDS.findall(text) if word not in _STOP and len(word) > 1}
    return frozenset(words.union(_PAIRS.findall(text)))


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
