"""Colours of widgets that draw their own lines: mixed with the background, again when styles change."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.strip import Strip

from inspector.app.themes import SIXTEEN
from widgets.base.inked import Inked


class Line(Inked):
    """A line on white, or on black."""

    DEFAULT_CSS = """
    Line { width: 10; height: 1; background: white; }
    Line.night { background: black; }
    """

    def render_line(self, y: int) -> Strip:
        """Draw a colour."""
        return Strip.blank(10, self.ink("muted"))


class Page(App[None]):
    """A page with a line."""

    def compose(self) -> ComposeResult:
        """Show the line."""
        yield Line()


def colour(line: Line) -> str:
    found = line.ink("muted").color
    assert found is not None
    return Color.from_rich_color(found).hex


async def test_a_colour_is_mixed_with_the_background_in_force() -> None:
    app = Page()
    async with app.run_test() as pilot:
        line, seen = app.query_one(Line), set()
        for theme in ("textual-dark", "textual-light"):
            app.theme = theme
            for night in (False, True):
                line.set_class(night, "night")
                await pilot.pause()
                seen.add(colour(line))
        assert len(seen) == 4


async def test_sixteen_colours_are_dimmed_where_others_are_blended() -> None:
    app = Page()
    async with app.run_test() as pilot:
        line = app.query_one(Line)
        assert not line.ink("muted").dim
        app.register_theme(SIXTEEN)
        app.theme = SIXTEEN.name
        await pilot.pause()
        assert line.ink("muted").dim
        assert line.ink("cursor").reverse


async def test_only_a_style_with_a_background_has_one() -> None:
    app = Page()
    async with app.run_test():
        line = app.query_one(Line)
        assert line.ink("warning").bgcolor is None
        assert line.ink("warning").bold
        assert line.ink("found").bgcolor is not None
        assert not line.ink("")
        with pytest.raises(KeyError, match="none"):
            line.ink("none")
