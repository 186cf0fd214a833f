"""Texts in Markdown that say what they say: nothing in them becomes markup, a link, or the end of a block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inspector.core.text import safe

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~&$@])")
#: What starts a block where a line starts: headings, lists, rules, quotes, definitions.
_OPENS = re.compile(r"^([#+=\-:!%^])")
_ORDERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
#: What some renderers turn into links by themselves.
_ADDRESS = re.compile(r"(?i)(\b(?:https?|ftp|mailto|xmpp|javascript|data|file|vbscript))(:)|(\bwww)(\.)")
_TICKS = re.compile(r"`+")


def line(text: str) -> str:
    """A text in one line that Markdown shows as it is, wherever it stands; "(nothing)" for one that shows nothing, as
    a bare list mark would make a heading of the line above it."""
    one = " ".join(safe(text).split())
    if not one:
        return "(nothing)"
    one = _SPECIAL.sub(r"\\\1", one)
    one = _ADDRESS.sub(lambda found: "\\".join(part for part in found.groups() if part), one)
    one = _OPENS.sub(r"\\\1", one)
    return _ORDERED.sub(r"\1\\\2", one)


def code(text: str) -> str:
    """A text in one line as a code span; plain where it is empty."""
    one = " ".join(safe(text).split())
    if not one:
        return ""
    fence = "`" * (_longest(one) + 1)
    pad = " " if one.startswith("`") or one.endswith("`") else ""
    # A pipe ends a table's cell even within a code span; there it is escaped.
    return f"{fence}{pad}{one}{pad}{fence}"


def fenced(text: str, language: str = "text") -> str:
    """A text as a fenced block; its fence is longer than any run of backticks in it."""
    body = safe(text)
    fence = "`" * max(3, _longest(body) + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table of cells that are escaped already; `right` are the columns aligned to the right."""
    rules = ["---:" if at in right else "---" for at in range(len(heads))]
    lines = [heads, rules, *rows]
    return "\n".join(f"| {' | '.join(cell or ' ' for cell in cells)} |" for cells in lines)


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
