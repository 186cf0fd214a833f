"""Colours of widgets that draw their own lines: worked out when they are drawn with, anew when styles change."""

from __future__ import annotations

from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.geometry import Size
from textual.strip import Strip
from textual.widgets import Static

from widgets.base.inked import Inked


class Line(Inked, can_focus=True):
    """A line in the colour of one of its classes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--used", "line--other"}
    DEFAULT_CSS = """
    Line { width: 10; height: 1; }
    Line > .line--used { color: red; }
    Line:focus > .line--used { color: lime; }
    Line.warm > .line--used { color: orange; }
    Line > .line--other { color: blue; }
    """

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One."""
        return 1

    def render_line(self, y: int) -> Strip:
        """The colour it is drawn in, as a word."""
        colour = self.ink("line--used").color
        return Strip.blank(10, self.ink("line--used")) if colour is not None else Strip.blank(10)


class Page(App[None]):
    """A line, and something else that can have the focus."""

    def compose(self) -> ComposeResult:
        """Both."""
        yield Line()
        yield Static()


def colour(line: Line, name: str = "line--used") -> str:
    found = line.ink(name).color
    assert found is not None
    return Color.from_rich_color(found).hex


async def test_a_colour_follows_focus_classes_and_theme() -> None:
    app = Page()
    async with app.run_test() as pilot:
        line = app.query_one(Line)
        app.set_focus(None)
        await pilot.pause()
        assert colour(line) == "#FF0000"
        line.focus()
        await pilot.pause()
        assert colour(line) == "#00FF00"
        app.set_focus(None)
        await pilot.pause()
        assert colour(line) == "#FF0000"
        line.add_class("warm")
        await pilot.pause()
        assert colour(line) == "#FFA500"
        app.theme = "textual-light"
        await pilot.pause()
        assert colour(line, "line--other") == "#0000FF"


async def test_only_what_is_drawn_with_is_styled(monkeypatch: pytest.MonkeyPatch) -> None:
    styled: list[frozenset[str]] = []
    apply = Stylesheet.apply

    def noted(self: Stylesheet, node: Line, **how: object) -> None:
        styled.append(frozenset(node.classes))
        apply(self, node, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Stylesheet, "apply", noted)
    app = Page()
    async with app.run_test() as pilot:
        await pilot.pause()
        assert frozenset({"line--other"}) not in styled
        assert frozenset({"line--used"}) in styled
        styled.clear()
        assert colour(app.query_one(Line), "line--other") == "#0000FF"
        assert colour(app.query_one(Line), "line--other") == "#0000FF"
        assert styled == [frozenset({"line--other"})]


async def test_a_class_that_the_widget_does_not_have() -> None:
    app = Page()
    async with app.run_test():
        with pytest.raises(KeyError, match="line--none"):
            app.query_one(Line).ink("line--none")
