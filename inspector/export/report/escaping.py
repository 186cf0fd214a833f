"""Texts in Markdown that say what they say: nothing in them becomes markup, a link, or the end of a block."""

from __future__ import annotations

import re

from inspector.core.text import safe

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~&$@])")
#: Marks that start a block at the start of a line: headings, lists, rules, quotes, definitions.
_OPENS = re.compile(r"^([#+=\-:!%^])")
_ORDERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
#: Texts that some renderers turn into links.
_ADDRESS = re.compile(r"(?i)(\b(?:https?|ftp|mailto|xmpp|javascript|data|file|vbscript))(:)|(\bwww)(\.)")
_TICKS = re.compile(r"`+")


def line(text: str) -> str:
    """Return a text in one line that Markdown shows unchanged, in any place.

    An empty text becomes "(nothing)": a bare list mark would make a heading of the line above.
    """
    one = " ".join(safe(text).split())
    if not one:
        return "(nothing)"
    one = _SPECIAL.sub(r"\\\1", one)
    one = _ADDRESS.sub(lambda found: "\\".join(part for part in found.groups() if part), one)
    one = _OPENS.sub(r"\\\1", one)
    return _ORDERED.sub(r"\1\\\2", one)


def fenced(text: str, language: str = "text") -> str:
    """A text as a fenced block; its fence is longer than any run of backticks in it."""
    body = safe(text)
    fence = "`" * max(3, max((len(run) for run in _TICKS.findall(body)), default=0) + 1)
    return f"{fence}{language}\n{body}\n{fence}"
