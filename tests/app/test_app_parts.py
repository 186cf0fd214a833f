"""State, derived values, jobs and panes: each value is computed once, and only changes are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.dom import DOMNode
from textual.widgets import Static

from inspector.app.app import InspectorApp
from inspector.app.conversation import screen as screen_module
from inspector.app.conversation.panes.base import Context, Pane, Tab
from inspector.app.conversation.panes.registry import PANES
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.help.screen import help_for
from inspector.app.jobs import Jobs
from inspector.engines.hermes import budgets as budgets_module
from tests.app.running import CHECKOUT, conversation, press, running, settled
from widgets.bars.gauge import Gauge
from widgets.bars.region_bar import RegionBar
from widgets.bars.title_bar import TitleBar
from widgets.panes.knob_values import TuneState
from widgets.panes.knobs import Knobs
from widgets.panes.token_graph import TokenGraph
from widgets.panes.what_if_pane import WhatIfPane


async def test_a_turn_of_a_knob_derives_budgets_once_and_fills_each_part_once(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "6")
        assert isinstance(pilot.app.focused, Knobs)
        budgets_module.budgets.cache_clear()
        derived: list[float] = []
        threshold = budgets_module._threshold
        monkeypatch.setattr(
            budgets_module,
            "_threshold",
            lambda policies, settings: derived.append(settings.threshold) or threshold(policies, settings),
        )
        shown: list[TuneState] = []
        set_settings = WhatIfPane.set_settings
        monkeypatch.setattr(
            WhatIfPane, "set_settings", lambda pane, state: shown.append(state) or set_settings(pane, state)
        )
        before = conversation(pilot).derived
        await pilot.press("right")
        assert conversation(pilot).derived is not before
        assert derived == [0.51]
        await settled(pilot)
        # The run of the whole conversation follows later: its curve is another part of the pane.
        assert derived == [0.51]
        assert all(state == shown[0] for state in shown)
        assert shown[0].settings.threshold == 0.51


async def test_equal_values_draw_nothing(rotating: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        for key in "12345678":
            await press(pilot, key)
            drawn: list[str] = []
            for widget in screen.query("*"):
                monkeypatch.setattr(
                    widget, "refresh", lambda *_, w=widget, into=drawn, **__: into.append(repr(w)) or w
                )
            screen.loaded = type(screen.loaded)(screen.loaded.opened, dict(screen.loaded.values))
            await settled(pilot)
            assert drawn == [], key
            monkeypatch.undo()


def double(value: int, watch: Any) -> int:
    """A job."""
    watch.check()
    return 2 * value


def slow(value: int, watch: Any) -> int:
    """A job that runs until it is cancelled."""
    while True:
        watch.check()


async def test_a_job_requested_twice_runs_once_and_an_overtaken_job_posts_nothing(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        jobs, came = conversation(pilot).jobs, []
        assert jobs.run("a", (1,), double, came.append)
        assert not jobs.run("a", (1,), double, came.append)
        await settled(pilot)
        assert not jobs.run("a", (1,), double, came.append)
        assert came == [2]
        assert jobs.run("a", (5,), slow, came.append)
        assert jobs.run("a", (3,), double, came.append)
        await settled(pilot)
        assert came == [2, 6]
        # A waiting job does not start if another overtakes it.
        assert jobs.run("b", (1,), slow, came.append, rest=0.01)
        assert jobs.run("b", (4,), double, came.append)
        await settled(pilot)
        assert came == [2, 6, 8]
        assert jobs.busy() == ()


async def test_code_of_threads_knows_no_widget_and_no_screen(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, tuple[Any, tuple[Any, ...]]] = {}
    run = Jobs.run

    def noted(self: Jobs, name: str, values: Any, function: Any, *args: Any, **kinds: Any) -> bool:
        seen[name] = (function, tuple(values))
        return run(self, name, values, function, *args, **kinds)

    monkeypatch.setattr(Jobs, "run", noted)
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, *"12345678", "0", "equals_sign", "right", "left", "slash", *"orders", "enter", "x")
    assert {
        "opening",
        "compactions",
        "token index",
        "counts",
        "facts",
        "findings",
        "aftermath",
        "lineage",
    } <= set(seen)
    assert {"replay", "what-if", "cache", "search", "tool errors", "pane message"} <= set(seen)
    for name, (function, values) in seen.items():
        assert getattr(function, "__self__", None) is None, name
        assert "<locals>" not in function.__qualname__, name
        assert not any(
            isinstance(value, DOMNode) or callable(getattr(value, "post_message", None)) for value in values
        )


class Echo(Static):
    """A widget that shows a given text."""

    can_focus = True
    text = ""

    def show(self, text: str | None) -> None:
        """Show a text."""
        self.text = text or ""
        self.update(self.text)


def _needs(context: Context) -> tuple[Any, ...]:
    return (context.state.generation, context.state.compaction)


def _compute(generation: int, compaction: int) -> str:
    return f"generation {generation}, compaction {compaction}"


PANE = Pane("Says where one is.", Echo, _needs, _compute, show=Echo.show, threaded=True)


async def test_a_pane_registered_by_a_test_works(rotating: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tabs = (*PANES, Tab("echo", "", __name__))

    class WithEcho(ConversationScreen):
        CSS_PATH = str(Path(screen_module.__file__).with_name("screen.tcss"))
        BINDINGS = screen_module.pane_keys(tabs)

        def __init__(self, *args: Any, **kinds: Any) -> None:
            super().__init__(*args, tabs=tabs, **kinds)

    monkeypatch.setattr(screen_module, "ConversationScreen", WithEcho)
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, str(len(tabs)))
        echo = pilot.app.screen.query_one(Echo)
        assert echo.display
        assert echo.has_focus
        assert echo.text == "generation 5, compaction 4"
        await press(pilot, "left_square_bracket")
        assert echo.text == "generation 4, compaction 3"
        app = pilot.app
        assert isinstance(app, InspectorApp)
        assert help_for(app).about[0] == "Says where one is."
        assert "Says where one is." in [tab.help() for tab in conversation(pilot).panes.tabs.values()]


async def test_bars_get_their_values_once_when_a_conversation_opens(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        assert screen.derived is not None
        assert screen.query_one(Gauge).state == screen.derived.gauge
        assert screen.query_one(RegionBar).planned == screen.derived.planned
        assert CHECKOUT[:20] in screen.query_one(TitleBar).text
        await press(pilot, "6")
        assert screen.query_one(TokenGraph).state.recorded
