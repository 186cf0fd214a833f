"""Two texts side by side, equal lines in the same row."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import pairwise

from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.base.wrapping import breaks

#: Longer texts are compared line by line, in characters.
MATCH_LIMIT = 3_000


def side_by_side(old: str, new: str, width: int, titles: tuple[str, str] = ("", "")) -> list[TextLine]:
    """The two texts as lines of `width` cells, to be shown without wrapping."""
    half = max(8, (width - 7) // 2)
    left, right = _lines(old), _lines(new)
    rows = []
    if any(titles):
        heads = [fit(one_line(title, 200), half) for title in titles]
        rows.append(line_of(("  " + heads[0], "strong"), (" │   ", "rest"), (heads[1], "strong")))
    for tag, one, other in _pairs(left, right):
        signs = {"equal": "  ", "delete": "− ", "insert": " +", "replace": "−+"}[tag]
        ones, others = _wrapped(one, half), _wrapped(other, half)
        for place in range(max(len(ones), len(others))):
            first = ones[place] if place < len(ones) else ""
            second = others[place] if place < len(others) else ""
            changed = tag != "equal"
            rows.append(
                line_of(
                    (f"{signs[0] if place == 0 else ' '} ", "removed"),
                    (fit(first, half), "removed" if changed else "kept"),
                    (" │ ", "rest"),
                    (f"{signs[1] if place == 0 else ' '} ", "added"),
                    (fit(second, half), "added" if changed else "kept"),
                )
            )
    return rows


def _lines(text: str) -> list[str]:
    return [one_line(line) for line in text.replace("\r\n", "\n").split("\n")]


def _pairs(left: list[str], right: list[str]) -> list[tuple[str, str | None, str | None]]:
    """Yield the rows: equal, delete (left only), insert (right only) or replace (both, different)."""
    if max(len(left), len(right)) > MATCH_LIMIT:
        opcodes = [("replace", 0, len(left), 0, len(right))]
    else:
        opcodes = list(SequenceMatcher(None, left, right, autojunk=False).get_opcodes())
    rows: list[tuple[str, str | None, str | None]] = []
    for tag, low, high, from_, to in opcodes:
        for place in range(max(high - low, to - from_)):
            one = left[low + place] if low + place < high else None
            other = right[from_ + place] if from_ + place < to else None
            if one is not None and other is not None:
                rows.append(("equal" if one == other else "replace" if tag != "equal" else tag, one, other))
            else:
                rows.append(("delete" if other is None else "insert", one, other))
    return rows


def _wrapped(text: str | None, width: int) -> list[str]:
    if text is None:
        return []
    offsets = breaks(text, width)
    if offsets is None:
        return [text]
    edges = [0, *offsets, len(text)]
    return [text[start:stop].rstrip() for start, stop in pairwise(edges)]
