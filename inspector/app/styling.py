"""Parsing the styles of a screen before it is pushed: otherwise that is half of what its first frame takes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.widget import Widget

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

#: Textual keeps what it parsed of so many sources, by default 64. There are more: without room it would parse all of
#: them anew for every kind of widget that is mounted for the first time.
_SOURCES = 512


def keep_parsed(app: App[Any]) -> None:
    """Give the app's stylesheet room for everything that it parses."""
    cache = getattr(app.stylesheet, "_parse_cache", None)
    if cache is not None:
        cache.maxsize = _SOURCES


async def parse_ahead(app: App[Any], screen: Screen[Any]) -> None:
    """Have the app's stylesheet parse the screen's own styles, and those of every widget imported so far.

    Textual would parse them when a screen is pushed and when the first widget of a class is mounted. Nothing is
    parsed twice.
    """
    sheet = app.stylesheet
    for path in screen.css_path:
        if not sheet.has_source(str(path)):
            sheet.read(path)
    for kind in _kinds(Widget):
        # Default styles belong to a class, but Textual asks an instance for them.
        sources = kind.__new__(kind)._get_default_css()
        if all(sheet.has_source(*place) for place, *_ in sources):
            continue
        for place, styles, tie_breaker, scope in sources:
            sheet.add_source(styles, place, is_default_css=True, tie_breaker=tie_breaker, scope=scope)
        sheet.parse()
        # Keys and frames come between two widgets: the styles of one are parsed in some 2 ms.
        await asyncio.sleep(0)


def _kinds(base: type[Widget]) -> tuple[type[Widget], ...]:
    """Every class imported so far that comes from `base`, each once."""
    found: dict[type[Widget], None] = {}
    waiting = [base]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            if kind not in found:
                found[kind] = None
                waiting.append(kind)
    return tuple(found)
