"""The panes: each shows its value, tells in messages what the user wants, and takes hostile text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from textual.widget import Widget

from tests.widgets.widget_host import CONTROLS, HOSTILE, hosting, lines
from widgets.bars.mode_bar import ModeBar
from widgets.base.headline import Headline
from widgets.lists.message_list import ListSource, MessageList, MessageRow
from widgets.panes.cache_pane import BreakpointView, CachePane, CacheView
from widgets.panes.compaction_pane import BoundsView, CompactionPane, CompactionView
from widgets.panes.diff_pane import DiffItem, DiffPane, DiffSection, DiffView, word_spans
from widgets.panes.facts_pane import FactsPane
from widgets.panes.findings_pane import FindingsPane
from widgets.panes.lineage_pane import LineagePane
from widgets.panes.measures_pane import MeasuresPane
from widgets.panes.message_pane import CallView, MessagePane, MessageView
from widgets.panes.replay_pane import ReplayPane, ReplayView, RunView
from widgets.panes.summary_pane import SummaryItem, SummaryPane, SummarySection, SummaryView
from widgets.panes.text_view import TextView
from widgets.panes.token_graph import GraphState


def shown(pane: Widget) -> str:
    """Every line of every part of a pane, top to bottom."""
    parts = [
        widget
        for widget in pane.query("*")
        if isinstance(widget, Headline | ModeBar | TextView | MessageList)
    ]
    return "\n".join(line.rstrip() for part in parts if part.display for line in lines(part))


MESSAGE = MessageView(
    "217",
    "assistant",
    "I ran the tests.",
    "middle",
    1_234,
    "rough",
    24,
    2,
    1.7e9,
    (
        CallView("terminal", '{"command": "pytest -q"}', "call_1", "2 failed", True, "218"),
        CallView("read", "not json", "call_2"),
    ),
    "thinking hard",
    '{"role": "assistant"}',
    "[cleared]",
    (("finish", "tool_calls"),),
    ("It is huge.",),
)


async def test_a_message_shows_its_facts_and_text() -> None:
    pane = MessagePane()
    async with hosting(pane, set_up=lambda: pane.set_view(MESSAGE)):
        text = shown(pane)
        for part in (
            "217 assistant  ┊middle  ~1,234 tokens  ✂ → 24  ⚑2",
            "finish tool_calls",
            "! It is huge.",
        ):
            assert part in text
        assert "● text  ○ calls 2  ○ reasoning  ○ ✂ pruned  ○ raw" in text
        assert "I ran the tests." in text


async def test_a_message_has_modes() -> None:
    pane = MessagePane()
    async with hosting(pane, set_up=lambda: pane.set_view(MESSAGE)) as host:
        pane.body.focus()
        seen = []
        for _ in range(4):
            await host.press("m")
            seen.append((pane.mode, shown(pane)))
        assert [mode for mode, _ in seen] == ["calls", "reasoning", "pruned", "raw"]
        calls, reasoning, pruned, raw = (text for _, text in seen)
        assert '"command": "pytest -q"' in calls
        assert "✗ result 218\n    2 failed" in calls
        assert "! no result in this list" in calls
        assert "thinking hard" in reasoning
        assert "[cleared]" in pruned
        assert '{\n  "role": "assistant"\n}' in raw
        await host.press("M", "M")
        assert pane.mode == "reasoning"


async def test_the_mode_stays_from_message_to_message_where_it_can() -> None:
    pane = MessagePane()
    async with hosting(pane, set_up=lambda: pane.set_view(MESSAGE)):
        pane.set_mode("raw")
        pane.set_view(replace(MESSAGE, label="218", raw='{"n": 2}'))
        assert pane.mode == "raw"
        assert '"n": 2' in shown(pane)
        pane.set_view(MessageView("1", "user", "hello"))
        assert pane.mode == "text"
        pane.set_view(replace(MESSAGE, text=""))
        assert pane.mode == "calls"
        pane.set_view(None)
        assert "No message is chosen." in shown(pane)


SECTIONS = (
    SummarySection("Goal", (SummaryItem("Pass the tests", "-"),), 12, 2),
    SummarySection("Progress", (), None, 2),
    SummarySection(
        "Done", (SummaryItem("fixed a", "1."), SummaryItem("sub", "-", 1), SummaryItem("x\ny")), 30, 3
    ),
    SummarySection("Blocked", (), 1, 3),
)
SUMMARY = SummaryView("summary", "compaction 2 of 3", SECTIONS, 3_200, 10_000, "A note.")


async def test_a_summary_shows_sections_counts_and_budget() -> None:
    pane = SummaryPane()
    async with hosting(pane, set_up=lambda: pane.set_view(SUMMARY)):
        text = shown(pane)
        for part in (
            "compaction 2 of 3  4 sections, 4 items",
            "~3,200 tokens  ▓▓▓▓▓▓▓░░░░░░░░░░░░░  32% of the budget of 10,000",
            "▾ Goal  1 item · ~12\n  • Pass the tests",
            "▾ Done  3 items · ~30\n    1. fixed a\n      • sub\n    x\n    y",
            "▾ Blocked  empty · ~1",
        ):
            assert part in text
        assert "Progress  empty" not in text


async def test_a_fallback_is_loud_and_an_overlong_summary_is_told() -> None:
    pane = SummaryPane()
    async with hosting(pane, set_up=lambda: pane.set_view(replace(SUMMARY, kind="fallback", budget=2_000))):
        assert shown(pane).startswith("✗ No summary was made")
        assert "160% of the budget" in shown(pane)
        pane.set_view(replace(SUMMARY, kind="merged"))
        assert "merged into the first tail message" in shown(pane)
        pane.set_view(SummaryView(text="free text\nof two lines"))
        assert "free text\nof two lines" in shown(pane)


async def test_sections_fold_by_key_and_click_and_stay_folded() -> None:
    pane = SummaryPane()
    async with hosting(pane, set_up=lambda: pane.set_view(SUMMARY)) as host:
        pane.body.focus()
        await host.press("J", "enter")
        assert "▸ Goal" in shown(pane)
        assert "Pass the tests" not in shown(pane)
        await host.press("J", "J", "enter")
        assert pane.folded == {"Goal", "Done"}
        pane.set_view(SUMMARY)
        assert "▸ Goal" in shown(pane)
        row = next(y for y, line in enumerate(lines(pane.body)) if "Goal" in line)
        await host.click(pane.body, 4, row)
        assert pane.folded == {"Done"}
        await host.press("z")
        assert pane.folded == {"Goal", "Progress", "Done", "Blocked"}
        await host.press("z")
        assert pane.folded == frozenset()


async def test_without_a_section_nothing_is_to_be_folded() -> None:
    pane = SummaryPane()
    async with hosting(pane, set_up=lambda: pane.set_view(SummaryView(note="None yet."))) as host:
        pane.body.focus()
        await host.settle()
        assert not {"enter", "z", "J"} & set(host.screen.active_bindings)
        pane.set_view(SUMMARY)
        assert {"enter", "z", "J"} <= set(host.screen.active_bindings)


@pytest.mark.parametrize("kind", [LineagePane, MeasuresPane, CompactionPane, FactsPane, FindingsPane])
async def test_an_empty_pane_offers_no_keys(kind: type[Widget]) -> None:
    pane = kind()
    async with hosting(pane) as host:
        inner = next(widget for widget in pane.query("*") if widget.focusable)
        inner.focus()
        await host.settle()
        offered = {
            found.binding.action
            for found in host.screen.active_bindings.values()
            if found.binding.show and found.node in (pane, inner)
        }
        assert offered <= {"column(-1)", "column(1)"}, "arrows would replay elsewhere"


RUN = RunView("recorded", 12, 98_100, 41_000, 3_200_000, 0.45, 0.1, 3.0, 80, 12, 2)


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (100, "12 compactions, peak 98.1k, input 3.2M, 45% summarized, 12 of 80 facts at risk"),
        (80, "12 comp., peak 98.1k, input 3.2M, 45% summarized, 12 facts at risk"),
        (68, "12 compactions, peak 98.1k, input 3.2M, 45% summarized"),
        (60, "12 comp., peak 98.1k, input 3.2M, 45% summarized"),
    ],
)
async def test_a_low_replay_pane_tells_of_facts_where_there_is_room(width: int, told: str) -> None:
    pane = ReplayPane()
    view = ReplayView(GraphState(), (RUN, replace(RUN, name="what-if", facts=None)))
    async with hosting(pane, size=(width, 14), set_up=lambda: pane.set_view(view)) as host:
        first, second = shown(pane).splitlines()[:2]
        assert first.strip() == f"recorded  {told}"
        assert "risk" not in second
        await host.pilot.resize_terminal(60, 14)
        await host.settle()
        assert "risk" not in shown(pane)


DIFF = DiffView(
    "compaction 1",
    "compaction 2",
    (
        DiffSection("Goal", (DiffItem("kept", "Pass the tests"),)),
        DiffSection(
            "In Progress", (DiffItem("removed", "old"), DiffItem("reworded", "ship by Friday", "ship soon"))
        ),
        DiffSection("Done", (DiffItem("moved", "fix a", "fix a", "In Progress", "Done"),), "added"),
    ),
    "same\nold line",
    "same\nnew line",
)


async def test_a_diff_has_signs_and_counts() -> None:
    pane = DiffPane()
    async with hosting(pane, set_up=lambda: pane.set_view(DIFF)):
        text = shown(pane)
        for part in (
            "compaction 1 → compaction 2",
            "− 1 removed   ~ 1 reworded   → 1 moved   = 1 kept",
            "Goal  = 1\n  = Pass the tests",
            "  − old\n  ~ ship by Friday\n    was ship soon",
            "Done  + section added  → 1\n  → fix a\n    In Progress → Done",
        ):
            assert part in text


async def test_a_diff_shows_changes_only_or_the_texts_side_by_side() -> None:
    pane = DiffPane()
    async with hosting(pane, size=(80, 24), set_up=lambda: pane.set_view(DIFF)) as host:
        pane.body.focus()
        await host.press("m")
        assert "Pass the tests" not in shown(pane)
        assert "ship by Friday" in shown(pane)
        await host.press("m")
        assert pane.mode == "sides"
        row = next(line for line in shown(pane).split("\n") if "new line" in line)
        assert row.startswith((" − old line", "− old line"))
        await host.pilot.resize_terminal(50, 20)
        await host.settle()
        await host.settle()
        assert all(len(line) <= 50 for line in lines(pane.body))
        assert "new line" in shown(pane)
        pane.set_view(None)
        assert "no earlier summary" in shown(pane)


async def test_section_keys_go_through_a_diff() -> None:
    pane = DiffPane()
    async with hosting(pane, set_up=lambda: pane.set_view(DIFF)) as host:
        pane.body.focus()
        active = []
        for key in "JJJJK":
            await host.press(key)
            active.append(pane.body.active)
        assert active == [0, 3, 8, 8, 3]


def test_words_that_changed() -> None:
    old, new = word_spans("ship it soon, please", "ship it by Friday, please")
    assert [("ship it soon, please"[span.start : span.end], span.style) for span in old] == [
        ("soon", "removed-word")
    ]
    assert ["ship it by Friday, please"[span.start : span.end] for span in new] == ["by Friday"]
    assert word_spans("a " * 2_000, "b " * 2_000) == ((), ())


CACHE = CacheView(
    (
        BreakpointView(1, -1, "sys", "system", "the system prompt", "You are", 2_100),
        BreakpointView(
            2, 340, "340", "tool", "the message itself", "2 failed", 60_000, False, "no marker on tools"
        ),
        BreakpointView(3, 342, "342", "user", "the whole text", "Great", 78_412),
    ),
    80_000,
    facts=("The next call reads 77,000 tokens.",),
)


async def test_the_cache_pane_tells_where_breakpoints_are_and_which_are_wasted() -> None:
    pane = CachePane()
    async with hosting(pane, set_up=lambda: pane.set_view(CACHE)):
        text = shown(pane)
        for part in (
            "3 of 4 breakpoints  request of ~80,000 tokens  ✗ 1 wasted",
            "layout  ● native  ○ envelope",
            "● 5 minutes  ○ 1 hour",
            "cached up to the last breakpoint: 98%",
            "⚑1 sys system  on the system prompt  ~2.1k up to here (3%)",
            "✗ wasted: no marker on tools",
            "· The next call reads 77,000 tokens.",
        ):
            assert part in text
        bar = next(line for line in text.split("\n") if "▓" in line)
        assert "░" in bar


@pytest.mark.parametrize("size", [(80, 9), (42, 12)])
async def test_a_low_cache_pane_still_lists_breakpoints(size: tuple[int, int]) -> None:
    pane = CachePane()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(CACHE)):
        assert any("⚑1 sys system" in line for line in lines(pane.body))
        assert pane.body.size.height >= 3


async def test_the_cache_pane_posts_what_is_wanted() -> None:
    pane = CachePane()
    async with hosting(pane, set_up=lambda: pane.set_view(CACHE)) as host:
        pane.body.focus()
        await host.press("L", "T", "J", "J", "enter")
        assert [message.layout for message in host.of(CachePane.LayoutChosen)] == ["envelope"]
        assert [message.ttl for message in host.of(CachePane.TtlChosen)] == ["1h"]
        row = next(y for y, line in enumerate(lines(pane.body)) if "⚑3" in line)
        await host.click(pane.body, 5, row)
        chosen = [(message.number, message.message) for message in host.of(CachePane.BreakpointChosen)]
        assert chosen == [(2, 340), (3, 342)]
        pane.set_view(CacheView())
        assert "no cache breakpoint" in shown(pane)
        pane.set_view(None)
        assert "No request" in shown(pane)


COMPACTION = CompactionView(
    2,
    3,
    343,
    130,
    100_400,
    32_100,
    "summary",
    (
        BoundsView("recorded", "recorded", 3, 217, 3_100, 32_100),
        BoundsView("planned", "planned by hermes-0.13", 3, 214, None, 33_000, "tail budget 20,000"),
    ),
    214,
    61_000,
    128,
    1,
    1.7e9,
    "session_1",
    ("Saved little before.",),
)
ROWS = ListSource(
    [MessageRow(str(i), "user", f"kept {i}", flags=frozenset({"copied"})) for i in range(3)]
    + [MessageRow(str(i), "tool", f"gone {i}", flags=frozenset({"struck"})) for i in range(3, 10)]
    + [MessageRow("Σ", "user", "summary", flags=frozenset({"summary"}))]
    + [MessageRow(str(i), "user", f"kept {i}", flags=frozenset({"copied"})) for i in range(10, 12)]
)


async def test_a_compaction_shows_both_boundaries_and_every_message() -> None:
    pane = CompactionPane()
    async with hosting(pane, size=(100, 40), set_up=lambda: pane.set_view(COMPACTION, ROWS)):
        text = shown(pane)
        for part in (
            "Compaction 2 of 3  Σ a summary took the middle's place",
            "343 → 130",
            "− 214 went (~61.0k)  = 128 stayed  Σ 1 in their place",
            "saved 68.3k, 68%",
            "tail budget 20,000",
            "! Saved little before.",
        ):
            assert part in text
        recorded = next(line for line in text.split("\n") if line.startswith("━ recorded"))
        planned = next(line for line in text.split("\n") if line.startswith("╌ planned by hermes-0.13"))
        assert recorded.split()[2:] == ["3", "217", "~3.1k", "~32.1k"]
        assert planned.split()[4:] == ["3", "≠", "214", "–", "~33.0k"]
        assert next(line for line in text.split("\n") if "gone 3" in line).count("−") == 1


@pytest.mark.parametrize("size", [(80, 8), (42, 14)])
async def test_a_low_compaction_pane_still_shows_both_boundaries(size: tuple[int, int]) -> None:
    pane = CompactionPane()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(COMPACTION, ROWS)):
        headline = "\n".join(lines(pane.query_one(Headline)))
        assert "━ recorded" in headline
        assert "╌ planned" in headline
        assert pane.messages.size.height >= 2


async def test_a_compaction_that_saved_little_or_failed_is_told() -> None:
    pane = CompactionPane()
    async with hosting(
        pane, size=(100, 40), set_up=lambda: pane.set_view(replace(COMPACTION, tokens_after=95_000))
    ):
        assert "! saved 5.4k, 5%" in shown(pane)
        pane.set_view(replace(COMPACTION, outcome="fallback", tokens_after=110_000))
        assert "✗ no summary was made" in shown(pane)
        assert "grew by 9.6k, 10%" in shown(pane)
        pane.set_view(None)
        assert "no compaction yet" in shown(pane)


async def test_groups_of_a_compaction_are_one_key_away() -> None:
    pane = CompactionPane()
    async with hosting(pane, size=(100, 40), set_up=lambda: pane.set_view(COMPACTION, ROWS)) as host:
        pane.messages.focus()
        places = []
        for key in ("J", "J", "J", "K", "K"):
            await host.press(key)
            places.append(pane.messages.cursor)
        assert places == [3, 10, 11, 10, 3]
        await host.press("comma", "full_stop")
        assert [message.by for message in host.of(CompactionPane.StepWanted)] == [-1, 1]


def hostile(value: Any) -> Any:
    """The value with every string in it made hostile, as JSON would carry it."""
    if isinstance(value, str):
        return HOSTILE
    if isinstance(value, tuple):
        return tuple(hostile(item) for item in value)
    return value


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_hostile_text_reaches_no_screen(size: tuple[int, int]) -> None:
    call = CallView(HOSTILE, json.dumps({HOSTILE: HOSTILE}), HOSTILE, HOSTILE, False, HOSTILE)
    message = MessageView(
        HOSTILE, HOSTILE, HOSTILE, calls=(call,), raw=HOSTILE, facts=((HOSTILE, HOSTILE),), notes=(HOSTILE,)
    )
    section = SummarySection(HOSTILE, (SummaryItem(HOSTILE, HOSTILE),))
    item = DiffItem("moved", HOSTILE, HOSTILE + "x", HOSTILE, HOSTILE)
    point = BreakpointView(1, 1, HOSTILE, HOSTILE, HOSTILE, HOSTILE, 5, False, HOSTILE)
    bounds = BoundsView("planned", HOSTILE, 1, 2, note=HOSTILE)
    panes: list[tuple[Any, Any]] = [
        (MessagePane(), message),
        (SummaryPane(), SummaryView("summary", HOSTILE, (section,), note=HOSTILE)),
        (DiffPane(), DiffView(HOSTILE, HOSTILE, (DiffSection(HOSTILE, (item,)),), HOSTILE, HOSTILE, HOSTILE)),
        (CachePane(), CacheView((point,), 10, facts=(HOSTILE,), note=HOSTILE)),
        (CompactionPane(), replace(COMPACTION, bounds=(bounds,), session=HOSTILE, notes=(HOSTILE,))),
    ]
    for pane, value in panes:
        async with hosting(
            pane, size=size, set_up=lambda pane=pane, value=value: pane.set_view(value)
        ) as host:
            for mode in ("", "calls", "raw", "sides"):
                if mode and hasattr(pane, "set_mode"):
                    pane.set_mode(mode)
                    await host.settle()
                assert not set(shown(pane)) & (CONTROLS - {"\n"})


async def test_a_megabyte_of_json_is_shown_without_waiting() -> None:
    pane = MessagePane()
    text = json.dumps({"key": "v" * 3_000_000})
    async with hosting(pane, set_up=lambda: pane.set_view(MessageView("1", "tool", text, raw=text))):
        pane.set_mode("raw")
        assert '"key"' in shown(pane)
