"""What it means that a wording stands in a text, word for word, and where."""

from __future__ import annotations

import re

from inspector.quality.facts.fact import Span

#: The signs that words and names in code are made of.
INSIDE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
# The words of any script, for finding a wording's place.
_SPELLED = re.compile(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+")
# So many signs may stand between two words of a wording: ends of lines, marks of lists, quotes.
_APART = 24
# Spaces that people leave out or put in: beside commas, before an end, behind one; where a terminal
# ended a line of a script without spaces.
_SPACES = re.compile(
    r" (?=[,;!?])|(?<=[,;!?]) | (?=\.(?: |\Z))|(?<=[^\W\d_]\.) (?=[^\W\d_])|"
    r"(?<=[\u3040-\u9fff]) (?=[\u3040-\u9fff])"
)
# Marks that a text loses or gets where it is quoted.
_MARKS = str.maketrans({**dict.fromkeys("*`\"'“”‘’«»\\", None), "—": "-", "–": "-", "…": "...", "、": "，"})


def unmarked(text: str) -> str:
    """A text in lower case, without quotes, emphasis and code marks, in one line."""
    words = text.translate(_MARKS).lower().split()
    # A quote has a stroke where a line ended.
    return " ".join(word for word in words if word != "/") if "/" in words else " ".join(words)


def plain(text: str) -> str:
    """A text for comparing word for word: unmarked, whatever spaces stand beside its marks."""
    return _SPACES.sub("", unmarked(text))


def stands(wording: str, text: str) -> bool:
    """Whether a plain text has another one, no word of it cut out of a longer one."""
    at = text.find(wording)
    while at >= 0:
        if not (_joins(text[at - 1 : at], wording[0]) or _joins(wording[-1], text[at + len(wording) :][:1])):
            return True
        at = text.find(wording, at + 1)
    return False


def _joins(one: str, other: str) -> bool:
    """Whether two characters beside each other are of one word; scripts without spaces have no such words."""
    return bool(one) and bool(other) and one in INSIDE and other in INSIDE


def place_of(wording: str, text: str) -> Span:
    """Where a wording stands in a text, whatever signs stand between its words."""
    words = _SPELLED.findall(wording.lower())
    low = text.lower()
    start = low.find(words[0]) if words and len(low) == len(text) else -1
    while start >= 0:
        end = start + len(words[0])
        for word in words[1:]:
            at = low.find(word, end, end + len(word) + _APART)
            if at < 0 or _SPELLED.search(low, end, at):
                break
            end = at + len(word)
        else:
            return start, end
        start = low.find(words[0], start + 1)
    return 0, min(len(text), len(wording))
