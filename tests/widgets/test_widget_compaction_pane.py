"""The compaction pane: what came of it, what it lost, the summary it made, and its messages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.widgets.values import COMPACTION, ROWS, SAID
from tests.widgets.widget_host import hosting, lines, shown
from widgets.lists.evidence_list import EvidenceView
from widgets.lists.fact_list import FactPlace
from widgets.panes.choices import PlaceChosen
from widgets.panes.compaction_pane import CompactionPane


async def test_a_compaction_shows_both_boundaries_and_every_message() -> None:
    pane = CompactionPane()
    async with hosting(pane, size=(100, 40), set_up=lambda: pane.set_view(COMPACTION, ROWS)):
        text = shown(pane)
        for part in (
            "compaction 2 of 3  Σ a summary took the middle's place",
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


@pytest.mark.parametrize("size", [(80, 9), (42, 14)])
async def test_a_low_compaction_pane_still_shows_both_boundaries(size: tuple[int, int]) -> None:
    pane = CompactionPane()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(COMPACTION, ROWS)) as host:
        text = "\n".join(lines(pane.body))
        assert "━ recorded" in text
        assert "╌ planned" in text
        pane.body.focus()
        await host.press("m")
        assert pane.view_name == "messages"
        assert pane.messages.has_focus
        assert "gone 3" in shown(pane)
        assert not pane.body.display
        await host.press("M")
        assert pane.body.has_focus
        await host.pilot.resize_terminal(80, 30)
        await host.settle()
        assert pane.body.display
        assert pane.messages.display
        assert "m" not in host.screen.active_bindings, "all of it is on screen"


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


async def test_what_was_lost_stands_before_the_summary_and_is_one_key_away() -> None:
    pane = CompactionPane()
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(COMPACTION, ROWS)) as host:
        told = shown(pane)
        order = [
            "compaction 2 of 3",
            "343 → 130",
            "━ recorded",
            "✗ Retry 1",
            "agent #7",
            "and 31 more",
            "▸ Goal",
            "gone 3",
        ]
        places = [told.index(part) for part in order]
        assert places == sorted(places)
        assert "Pass the tests" not in told
        pane.body.focus()
        await host.press("J", "enter", "J", "J", "enter")
        assert [message.place for message in host.of(PlaceChosen)] == [SAID], "the third has no place"
        await host.press("J", "enter")
        assert "▾ Goal  1 item · ~12" in shown(pane)
        assert "Pass the tests" in shown(pane)
        await host.press("enter", "K", "K")
        assert "▸ Goal" in shown(pane)
        row = next(y for y, line in enumerate(lines(pane.body)) if "Retry 2" in line)
        await host.click(pane.body, 12, row)
        assert len(host.of(PlaceChosen)) == 2


@pytest.mark.parametrize("note", ["no fact that was found was lost", "still being looked for"])
async def test_a_compaction_without_lost_facts_says_why(note: str) -> None:
    pane = CompactionPane()
    view = replace(COMPACTION, lost=(), lost_note=note, summary=None)
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(view, ROWS)):
        assert f"lost      {note}" in shown(pane)
        pane.set_view(replace(view, lost_note=""), ROWS)
        assert "lost" not in shown(pane)


async def test_the_same_compaction_told_with_more_keeps_the_cursor() -> None:
    pane = CompactionPane()
    bare = replace(COMPACTION, lost=(), lost_note="still being looked for", summary=None)
    async with hosting(pane, size=(70, 38), set_up=lambda: pane.set_view(bare, ROWS, cursor=3)) as host:
        assert pane.messages.cursor == 3
        pane.messages.move_cursor(7)
        pane.set_view(COMPACTION, ROWS, cursor=3)
        assert pane.messages.cursor == 7
        pane.set_view(replace(COMPACTION, index=3), ROWS, cursor=2)
        await host.settle()
        assert pane.messages.cursor == 2


async def test_why_it_fired_and_what_was_read_again_are_told() -> None:
    opened = FactPlace(3, 61, "src/cart.py")
    again = EvidenceView(
        "src/cart.py", False, 2, "assistant", "the summary names it", FactPlace(2, 12, ""), opened
    )
    view = replace(
        COMPACTION, why="~66,480 tokens at #46 reached 64,000", pruned=9, again=(again,) * 7, lost=()
    )
    pane = CompactionPane()
    async with hosting(pane, size=(90, 40), set_up=lambda: pane.set_view(view, ROWS)) as host:
        told = shown(pane)
        assert "why       ~66,480 tokens at #46 reached 64,000" in told
        assert "(✂ 9)" in told
        assert "again   ↻ src/cart.py (the summary names it)" in told
        assert "#12 → #61" in told
        assert "and 2 more" in told
        pane.body.focus()
        await host.press("J", "enter")
        assert [message.place for message in host.of(PlaceChosen)] == [opened]
