"""Keys, mouse, palette and the size of the terminal, in every pane."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.command import Command, CommandList

from inspector.app.conversation.panes.registry import PANES
from inspector.app.help.screen import HelpScreen
from inspector.app.sweep.screen import SweepScreen
from tests.app.running import (
    CHECKOUT,
    conversation,
    cursor,
    messages,
    press,
    running,
    settled,
    until,
)
from widgets.bars.gauge import Gauge
from widgets.bars.pane_tabs import PaneTabs
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.panes.knobs import Knobs
from widgets.panes.what_if_pane import WhatIfPane


async def test_mouse(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        for widget in (Gauge, RegionBar, Timeline):
            assert screen.query_one(widget).tooltip
        assert messages(pilot).tooltip
        await pilot.hover(PaneTabs, offset=(3, 0))
        assert "text" in str(screen.query_one(PaneTabs).tooltip)
        await press(pilot, "home")
        await pilot.click("#messages", offset=(20, 3))
        await settled(pilot)
        assert cursor(pilot) == 3 - 1
        tabs = screen.query_one(PaneTabs)
        await pilot.click(PaneTabs, offset=(tabs.render_line(0).text.index("summary"), 0))
        await settled(pilot)
        assert screen.panes.current == "summary"
        line = screen.query_one(Timeline)
        first = line.render_line(0).text.index("○") + line.gutter.left
        await pilot.click(Timeline, offset=(first, 0))
        await settled(pilot)
        assert screen.state.generation == 1
        assert cursor(pilot) > 0
        bar = screen.query_one(RegionBar)
        await pilot.click(RegionBar, offset=(bar.render_line(0).text.index("head") + bar.gutter.left, 0))
        await settled(pilot)
        assert cursor(pilot) == 0
        await press(pilot, "6")
        await pilot.click(Knobs, offset=(4, 3))
        await settled(pilot)
        assert screen.query_one(Knobs).knob == "protect_last_n"


async def test_the_help_scrolls_like_a_text_and_begins_with_the_keys_of_the_pane(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(80, 24)) as pilot:
        await press(pilot, "4", "question_mark")
        screen = pilot.app.screen
        assert isinstance(screen, HelpScreen)
        here = dict(screen.page.keys)["Keys here"]
        names = [text for _, text in here]
        assert names.index("Only facts of a kind") < names.index("Up") < names.index("Half a page down")
        page = screen.query_one("#page")
        await press(pilot, "G")
        assert page.scroll_offset.y == page.max_scroll_y > 0
        await press(pilot, "g")
        assert page.scroll_offset.y == 0


async def test_resizing_keeps_the_place(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "3", "escape", "home", *["down"] * 17)
        at, pane = cursor(pilot), screen.panes.current
        for size in ((80, 24), (160, 48), (60, 12), (80, 24)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert cursor(pilot) == at
            assert messages(pilot).cursor in messages(pilot).visible_rows
            assert screen.panes.current == pane
            assert screen.has_class("narrow") == (size[0] < 110)


async def test_the_palette_reaches_every_action_of_every_pane(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        titles = {command.title: command for command in pilot.app.get_system_commands(screen)}
        for binding in (*screen.BINDINGS, *pilot.app.BINDINGS):
            assert isinstance(binding, Binding)
            if binding.id != "app.interrupt":
                assert (binding.tooltip or binding.description) in titles, binding
        for pane in ("Message", "Compaction", "Summary", "Losses", "Cache", "What-if", "Findings"):
            assert any(name.startswith(f"{pane}: ") for name in titles), pane
        run = titles["What-if: More"].callback
        await run()  # type: ignore[misc]
        await settled(pilot)
        assert screen.state.settings.threshold == pytest.approx(0.51)
        assert screen.query_one(WhatIfPane).is_attached
        # A key of a view shows that view.
        lineage = next(
            command for title, command in titles.items() if title == "Summary: All items, dropped, reworded …"
        )
        await lineage.callback()  # type: ignore[misc]
        await settled(pilot)
        assert (screen.panes.current, screen.state.view) == ("summary", "lineage")


def test_no_key_means_two_things_at_once() -> None:
    """A key of a pane hides a key of the screen or the app only intentionally."""
    from inspector.app.app import InspectorApp
    from inspector.app.conversation.screen import ConversationScreen
    from widgets.panes.text_view import TextView

    kinds = dict.fromkeys(
        base
        for tab in PANES
        for kind in (tab.pane.widget, *(part for _, part in tab.pane.parts), TextView)
        for base in kind.__mro__
        if base.__module__.startswith(("inspector.", "widgets."))
    )

    def keys(kind: type) -> dict[str, str]:
        return {
            key: binding.id or ""
            for binding in kind.__dict__.get("BINDINGS", ())
            if isinstance(binding, Binding)
            for key in binding.key.split(",")
        }

    outer = keys(ConversationScreen) | keys(InspectorApp)
    # The inner key does the same with the fact under the cursor.
    meant = {"text.next_match", "text.previous_match", "text.copy", "facts.trace"}
    # On the knobs arrows change values, in a summary Space folds; everywhere else they control the replay.
    meant |= {"knobs.less", "knobs.more", "knobs.much_less", "knobs.much_more", "summary.fold"}
    # The first key leaves the input, the next leaves the pane.
    meant |= {"knobs.leave"}
    for kind in kinds:
        hidden = {name for key, name in keys(kind).items() if key in outer}
        assert hidden <= meant, (kind, hidden)
    for kind in (*kinds, ConversationScreen, InspectorApp):
        for binding in kind.__dict__.get("BINDINGS", ()):
            assert isinstance(binding, Binding)
            assert binding.description
            assert "." in (binding.id or "")


async def test_the_palette_begins_with_the_keys_of_the_focused_part(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "6", "ctrl+p")
        await until(pilot, lambda: pilot.app.screen.query_one(CommandList).option_count > 30)
        options = pilot.app.screen.query_one(CommandList).options
        shown = [option.hit for option in options if isinstance(option, Command)]
        texts = [hit.text for hit in shown]
        assert texts[:2] == ["Less", "More"]
        places = [(hit.help or "").removeprefix("key ").partition(" ")[2] for hit in shown]
        groups = [place for place, _ in groupby(places)]
        assert groups[:4] == ["here", "on this screen", "everywhere", "in the message pane"]
        assert places.count("here") == sum(1 for place in places[: texts.index("Back")] if place == "here")
        await press(pilot, *"sweep", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SweepScreen))
