"""The what-if pane: knobs, runs and numbers, each filled by its own input, and their layout."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.engines.base import Settings
from tests.widgets.values import GRAPH, RUN, RUNS, TUNE, WHAT_IF
from tests.widgets.widget_host import hosting, lines, shown
from widgets.base.text_lines import TextLine
from widgets.intents import GoToStep, UseSettings
from widgets.panes.run_lines import NamedRun, ReplayView, run_lines, run_table
from widgets.panes.what_if_pane import WhatIfPane


def filled() -> WhatIfPane:
    """Return a pane with settings and runs."""
    pane = WhatIfPane()
    pane.set_settings(TUNE)
    pane.set_run(RUNS)
    pane.set_step(30)
    return pane


async def test_numbers_are_explained_below_what_they_lead_to() -> None:
    pane = filled()
    async with hosting(pane, size=(80, 70)):
        text = "\n".join(line.rstrip() for line in lines(pane.body))
        assert text.strip().startswith("The next one: 343 → 130 messages.")
        assert "threshold  100,000" in text
        assert "    100,000  50% of a context of 200,000" in text
        assert "    100,000  rule: never below 64,000" in text
        assert "tail budget  20,000" in text
        assert "hygiene  170,000" in text
        assert "peak request ~98.1k" in " ".join(text.split())
        assert "mean request ~41.0k" in " ".join(text.split())
        assert "These settings compact elsewhere." in text


async def test_a_pane_without_runs_says_once_that_it_reads() -> None:
    pane = WhatIfPane()
    pane.set_settings(TUNE)
    async with hosting(pane, size=(80, 70)):
        assert shown(pane).count("Reading the conversation …") == 1


async def test_a_turn_is_posted_and_the_settings_that_come_have_the_last_word() -> None:
    pane = filled()
    async with hosting(pane, size=(80, 30)) as host:
        pane.knobs.focus()
        await host.press("right")
        assert [message.tuning[0].threshold for message in host.messages_of(UseSettings)] == [0.51]
        pane.set_settings(TUNE)
        assert pane.knobs.value("threshold") == 0.5


async def test_where_the_pane_is_high_knobs_curve_and_numbers_stand_below_each_other() -> None:
    pane = filled()
    async with hosting(pane, size=(70, 38)) as host:
        assert pane.knobs.region.bottom <= pane.graph.region.y
        assert pane.graph.region.bottom <= pane.body.region.y
        assert pane.graph.size.height >= 8
        assert pane.body.size.height >= 8
        assert "recorded  12 compactions" in pane.figures.text
        pane.knobs.focus()
        assert "m" not in host.screen.active_bindings
        await host.pilot.resize_terminal(130, 38)
        await host.settle()
        assert pane.graph.region.x >= 60
        assert pane.body.region.x >= 60


async def test_where_the_pane_is_low_m_turns_between_curve_and_numbers() -> None:
    pane = filled()
    async with hosting(pane, size=(78, 10)) as host:
        pane.knobs.focus()
        await host.settle()
        assert pane.view_name == "curve"
        assert pane.graph.region.x > 30
        assert pane.graph.region.bottom <= 10
        assert not pane.body.display
        await host.press("m")
        assert pane.view_name == "numbers"
        assert pane.knobs.has_focus
        assert pane.body.size.height >= 8
        assert "The next one" in shown(pane)
        pane.body.focus()
        await host.press("M")
        assert pane.graph.has_focus, "the focus stays in the pane"
        pane.show("numbers")
        await host.settle()
        assert pane.body.has_focus


async def test_figures_that_change_while_they_are_hidden_fit_their_room_when_shown() -> None:
    pane = filled()
    async with hosting(pane, size=(82, 10)) as host:
        before = lines(pane.figures)
        await host.press("m")
        pane.set_run(None)
        await host.settle()
        pane.set_run(RUNS)
        await host.press("m")
        assert lines(pane.figures) == before


@pytest.mark.parametrize("size", [(42, 12), (60, 16)])
async def test_where_it_is_narrow_too_both_stand_below_each_other(size: tuple[int, int]) -> None:
    pane = filled()
    async with hosting(pane, size=size) as host:
        assert pane.graph.region.y >= 5
        assert pane.graph.region.bottom <= size[1]
        assert pane.graph.size.width >= size[0] - 2
        assert pane.graph.size.height >= 3
        pane.knobs.focus()
        for knob in range(8):
            await host.press("down")
            assert pane.knobs.region.y + knob + 1 < pane.graph.region.y - 2, "the knob is on screen"


async def test_tab_goes_from_the_knobs_to_the_curve_and_j_and_k_work_from_both() -> None:
    pane = filled()
    async with hosting(pane, size=(70, 38)) as host:
        pane.knobs.focus()
        await host.press("J", "tab")
        assert pane.graph.has_focus
        await host.press("K", "H", "end")
        assert [message.step for message in host.messages_of(GoToStep)] == [40, 5, 100]
        assert not host.messages_of(UseSettings)


async def test_a_step_moves_the_cursor_and_a_run_that_comes_later_begins_there() -> None:
    pane = WhatIfPane()
    async with hosting(pane, size=(70, 38)) as host:
        pane.set_step(7)
        assert pane.graph.steps == 0
        pane.set_run(RUNS)
        assert pane.graph.state == replace(GRAPH, step=7)
        pane.set_step(8)
        await host.settle()
        assert pane.graph.state.step == 8


async def test_the_pane_shows_settings_before_a_run() -> None:
    pane = WhatIfPane()
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_settings(TUNE)) as host:
        assert "Reading the conversation" in pane.figures.text
        assert "The next one" in shown(pane)
        pane.set_run(RUNS)
        await host.settle()
        assert pane.graph.display
        assert pane.run == RUNS
        pane.set_settings(replace(TUNE, settings=Settings(threshold=0.7), outcome=("Nothing goes.",)))
        assert "Nothing goes." in shown(pane)


def priced(run: NamedRun, cost: float) -> NamedRun:
    return replace(run, metrics=replace(run.metrics, cost=cost))


def told(found: list[TextLine]) -> list[str]:
    return [line.text for line in found]


def test_where_room_is_short_the_cost_stands_for_the_input() -> None:
    runs = (priced(RUN, 17.684), priced(WHAT_IF, 1234.5))

    def first(width: int) -> str:
        return told(run_lines(ReplayView(GRAPH, runs), width))[0].removeprefix("█▲ recorded  ")

    assert first(130).startswith(
        "12 compactions, peak request ~98.1k, input ~3.2M, 17.68 US dollars, 45% summarized, 12"
    )
    assert first(89) == "12 compactions, peak ~98.1k, 17.68 USD, 45% summarized, 12 facts at risk"
    assert first(61) == "12 compactions, peak request ~98.1k, 17.68 USD"
    assert first(57) == "12 compactions, peak ~98.1k, 17.68 USD"
    assert first(49) == "12 compactions, peak request ~98.1k"
    assert first(43) == "12 compactions, peak ~98.1k"
    assert first(30) == "12 compactions, peak request ~98.1k", "it needs two rows in any case"


def test_costs_stand_beside_each_other_with_what_they_would_be_otherwise() -> None:
    kept = replace(priced(RUN, 10.0), alternative_costs=(("for 1 hour", 12.0), ("envelope layout", 11.0)))
    lines = told(
        run_table(ReplayView(GRAPH, (kept, replace(WHAT_IF, alternative_costs=(("for 1 hour", 9.0),)))))
    )
    rows = {line[:20].strip(): line[20:].split() for line in lines}
    assert rows["cost, US dollars"] == ["10.00", "–"]
    assert rows["for 1 hour"] == ["12.00", "9.00"]
    assert rows["envelope layout"] == ["11.00", "–"]
    unread = told(run_table(ReplayView(GRAPH, (RUN,), priced=False)))
    assert any(line.startswith("cost") and line.endswith("being read") for line in unread)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (109, "12 compactions, peak request ~98.1k, input ~3.2M, 45% summarized, 12 of 80 facts at risk"),
        (89, "12 compactions, peak ~98.1k, input ~3.2M, 45% summarized, 12 facts at risk"),
        (77, "12 compactions, peak request ~98.1k, input ~3.2M, 45% summarized"),
        (71, "12 compactions, peak ~98.1k, input ~3.2M, 45% summarized"),
        (42, "12 compactions, peak ~98.1k"),
    ],
)
def test_a_run_is_told_on_one_line_with_what_there_is_room_for(width: int, expected: str) -> None:
    first, second = told(run_lines(ReplayView(GRAPH, (RUN, WHAT_IF)), width))
    assert first == f"█▲ recorded  {expected}"
    assert "risk" not in second
    assert len(second) <= width
