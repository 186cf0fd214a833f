"""The line of keys: its keys, clicks on them, and tooltips."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widget import Widget

from tests.widgets.widget_host import lines
from widgets.bars.key_line import KeyLine

_PAIR = Binding.Group("Steps", compact=True)


class Pressing(Widget, can_focus=True):
    """A widget with its own keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("d", "dig", "Dig"), Binding("e", "press(']')", "End")]

    def action_dig(self) -> None:
        """Do nothing."""

    def action_press(self, key: str) -> None:
        """Do nothing; the app has an action of the same name."""


class Pressed(App[None]):
    """An app that records pressed keys."""

    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "press('a')", "Add"),
        Binding("left_square_bracket", "press('[')", "Back", key_display="[", group=_PAIR),
        Binding("right_square_bracket", "press(']')", "On", key_display="]", group=_PAIR),
        Binding("h", "press('h')", "Hidden", show=False),
        Binding("o", "press('o')", "Off", tooltip="Not now"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def compose(self) -> ComposeResult:
        yield Pressing()
        yield KeyLine()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show the key o as disabled."""
        return None if parameters == ("o",) else True

    def action_press(self, key: str) -> None:
        """Record the key."""
        self.done.append(key)


@asynccontextmanager
async def shown(width: int = 80) -> AsyncIterator[tuple[Pilot[None], Pressed, KeyLine]]:
    app = Pressed()
    async with app.run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        await pilot.pause()
        yield pilot, app, app.query_one(KeyLine)


async def test_it_shows_the_keys_in_force_and_the_palette_at_the_right() -> None:
    async with shown() as (pilot, app, widget):
        assert lines(widget) == [" a Add  [ ] Steps  o Off".ljust(67) + "│ ^p palette "]
        app.query_one(Pressing).focus()
        await pilot.pause()
        await pilot.pause()
        assert lines(widget)[0].startswith(" d Dig  e End  a Add  [ ] Steps")


@pytest.mark.parametrize(
    ("width", "keys"),
    [
        (58, " d Dig  e End  a Add  [ ] Steps  o Off"),
        (50, " d Dig  e End  a Add  o Off"),
        (30, " d Dig  o Off"),
        (20, " o Off"),
        (18, ""),
    ],
)
async def test_the_last_key_stays_if_not_all_fit(width: int, keys: str) -> None:
    async with shown(width) as (pilot, app, widget):
        app.query_one(Pressing).focus()
        await pilot.pause()
        await pilot.pause()
        assert lines(widget)[0].partition("│")[0].rstrip() == keys


async def test_a_click_presses_the_key_under_it() -> None:
    async with shown() as (pilot, app, widget):
        line = lines(widget)[0]
        for text in ("Add", "[", "]", "Off"):
            await pilot.click(widget, offset=(line.index(text), 0))
        await pilot.click(widget, offset=(line.index("│") - 4, 0))
        assert app.done == ["a", "[", "]"]


async def test_the_tooltip_tells_what_the_key_under_the_pointer_does() -> None:
    async with shown() as (pilot, _, widget):
        line = lines(widget)[0]
        texts = []
        for text in ("[", "o Off", "│"):
            await pilot.hover(widget, offset=(line.index(text), 0))
            texts.append(widget.tooltip)
        assert texts == ["Back", "Not now", None]


@pytest.mark.parametrize("width", [6, 14, 22, 30])
async def test_where_room_is_short_the_palette_stays_and_no_key_is_cut_in_two(width: int) -> None:
    async with shown(width) as (_, _, widget):
        line = lines(widget)[0]
        assert len(line) == width
        assert ("^p palette" in line) == (width > 12)
        assert line.rpartition("│")[0].strip() in ("", "o Off", "a Add  o Off")


class Leaving(Pressed, inherit_bindings=False):
    BINDINGS: ClassVar[list[BindingType]] = [
        *Pressed.BINDINGS[:3],
        Binding("escape", "press('escape')", "Leave"),
        *Pressed.BINDINGS[4:],
    ]


@pytest.mark.parametrize(
    ("width", "keys"),
    [
        (60, "a Add [ ] Steps esc Leave o Off"),
        (44, "a Add esc Leave o Off"),
        (34, "esc Leave o Off"),
        (24, "o Off"),
    ],
)
async def test_the_key_that_leaves_stays_before_others(width: int, keys: str) -> None:
    async with Leaving().run_test(size=(width, 5)) as pilot:
        await pilot.pause()
        await pilot.pause()
        text = lines(pilot.app.query_one(KeyLine))[0]
        assert " ".join(text.partition("│")[0].split()) == keys
