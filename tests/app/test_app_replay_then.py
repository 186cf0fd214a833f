"""A moment of a replay: findings, facts and lineage up to that moment, and everything afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.app.conversation.player import Player
from inspector.app.conversation.resources import RECORDING
from inspector.app.conversation.screen import ConversationScreen
from inspector.app.conversation.token_counts import ExactSums
from inspector.quality.facts.fact import Life
from inspector.replay.moments import Moment
from tests.app.running import (
    CHECKOUT,
    Test,
    compacted,
    conversation,
    cursor,
    derived,
    latest,
    plan,
    press,
    row,
    running,
    screen_text,
    title,
    told,
    value_of,
    view_of,
    write,
)
from widgets.bars.gauge import Gauge
from widgets.bars.timeline import Timeline
from widgets.lists.fact_list import source_of
from widgets.panes.findings_pane import FindingsPane
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.losses_pane import LossesPane
from widgets.panes.summary_lineage import SummaryLineage
from widgets.panes.what_if_pane import WhatIfPane

ORDERS = "Nightly orders import loses rows"
SEARCH = "Search cluster to OpenSearch 2.19.1"


def moment(screen: ConversationScreen) -> Moment:
    assert screen.state.moment is not None
    return screen.state.moment


async def before_compaction(pilot: Test, index: int) -> None:
    """Go to the moment before a compaction."""
    await press(pilot, "colon", *str(latest(pilot, RECORDING).events[index - 1].step), "enter")
    assert moment(conversation(pilot)).generation == index


async def test_findings_come_with_their_compaction(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "7", "escape")
        pane = screen.query_one(FindingsPane)
        whole, words_at_end = pane.list.row_count, derived(pilot).findings.words
        assert words_at_end in title(pilot)
        await press(pilot, "left")
        await before_compaction(pilot, 2)
        assert "error" not in title(pilot)
        assert "finding" not in screen_text(pilot).split("\n")[3]
        there = pane.list.row_count
        assert 0 < there < whole
        assert "up to this step" in screen_text(pilot)
        assert all(finding.compaction in (None, 1) for finding in derived(pilot).findings.findings)
        # before, pruned, summarized, kept: not yet; after: now.
        await press(pilot, "right", "right", "right")
        assert pane.list.row_count == there
        await press(pilot, "right")
        assert moment(screen).phase == "after"
        assert pane.list.row_count > there
        assert "1 error" in title(pilot)
        await press(pilot, "escape")
        assert (pane.list.row_count, derived(pilot).findings.words) == (whole, words_at_end)
        assert words_at_end in title(pilot)


@pytest.mark.slow
async def test_a_row_is_marked_once_its_finding_is_there(in_place: Path) -> None:
    async with running(in_place, SEARCH) as pilot:
        screen = conversation(pilot)
        found = next(f for f in derived(pilot).findings.findings if f.generation == f.compaction and f.index)
        assert found.index is not None
        assert found.compaction is not None
        await press(pilot, "left")
        await before_compaction(pilot, found.compaction)
        assert "finding" not in row(pilot, found.index).flags
        await press(pilot, "escape")
        assert screen.state.generation == found.generation
        assert "finding" in row(pilot, found.index).flags


@pytest.mark.slow
async def test_the_last_step_has_all_findings(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        whole = derived(pilot).findings
        await press(pilot, "colon", *"999", "enter")
        assert screen.state.moment is not None
        assert derived(pilot).findings == whole


@pytest.mark.slow
async def test_lineage_and_facts_of_the_compactions_so_far(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "left")
        await before_compaction(pilot, 2)
        await press(pilot, "0", "escape")
        assert "compaction 1 of 1" in view_of(pilot, SummaryLineage).head.text
        await press(pilot, "4", "escape")
        facts = view_of(pilot, LossesFacts)
        assert "compaction 1 of 1" in facts.head.text
        assert facts.scope == "1"
        assert facts.facts.entries
        assert all(isinstance(f, Life) and len(f.fates) == 1 for f in facts.facts.entries)
        await press(pilot, *["right"] * 4)
        assert moment(screen).phase == "after"
        # The latest compaction is chosen; for the compaction before it, later events are known.
        assert screen.state.compaction == 2
        assert "compaction 2 of 2" in facts.head.text
        view = value_of(pilot, LossesPane)
        (first,) = [scope for scope in view.scopes or () if scope.name == "1"]
        assert any(isinstance(fact, Life) and len(fact.fates) == 2 for fact in first.facts)
        await press(pilot, "escape", "0", "escape")
        assert "of 3" in view_of(pilot, SummaryLineage).head.text


@pytest.mark.slow
async def test_before_the_first_compaction_nothing_is_shown(in_place: Path) -> None:
    async with running(in_place, ORDERS, size=(160, 48)) as pilot:
        await press(pilot, "left")
        for keys, words in (
            (("0",), "No compaction has a summary to follow."),
            (("2",), "No compaction is recorded so far."),
            (("3", "m", "m", "m"), "There is no earlier summary to compare with."),
        ):
            await press(pilot, "colon", *"130", "enter", *keys, "escape")
            assert words not in screen_text(pilot)
            await press(pilot, "colon", "5", "enter")
            assert words in screen_text(pilot)


async def test_facts_at_risk_are_of_the_list_at_the_moment(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "4", "escape", "left")
        await before_compaction(pilot, 2)
        pane = view_of(pilot, LossesFacts)
        for _ in range(10):
            if pane.scope != "risk":
                pane.next_scope()
                await press(pilot)
        assert pane.scope == "risk"
        at = moment(screen)
        head, tail = plan(pilot).regions()
        found = pane.facts.entries
        assert found
        scope = next(scope for scope in pane.view.offered if scope.name == "risk")
        assert scope.generation == at.generation
        assert all(head <= fact.saying.index < tail for fact in found)
        # From a fact to its message: the cursor goes there, and the replay stays.
        place = source_of(found[0], scope.generation)
        pane.post_message(place)
        await press(pilot)
        assert screen.state.moment == at
        assert cursor(pilot) == place.index


@pytest.mark.slow
async def test_later_compactions_are_marks_on_the_timeline(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        await press(pilot, "left")
        line = screen_text(pilot).split("\n")[3]
        assert "◇" in line
        await press(pilot, "colon", "5", "enter")
        line = screen_text(pilot).split("\n")[3]
        assert "◇" not in line
        assert line.count("○") == 3
        await before_compaction(pilot, 2)
        assert not any(
            line.strip().startswith("‖") and "◇" in line for line in screen_text(pilot).split("\n")
        )
        assert conversation(pilot).query_one(Timeline).current == 2


@pytest.mark.slow
async def test_playing_from_the_whole_list_shows_the_step(
    in_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Player, "advance", lambda player: None)
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        await press(pilot, "7", "escape")
        whole = screen.query_one(FindingsPane).list.row_count
        await press(pilot, "space")
        assert screen.state.playing
        assert moment(screen).number == 1
        assert screen.query_one(FindingsPane).list.row_count < whole
        await press(pilot, "escape")
        assert screen.state.moment is None
        assert not screen.state.playing


async def test_the_gauge_shows_the_size_that_the_agent_compared(in_place: Path) -> None:
    async with running(in_place, ORDERS) as pilot:
        screen = conversation(pilot)
        gauge = screen.query_one(Gauge)
        assert gauge.state.kind == "exact"
        await press(pilot, "left")
        assert (gauge.state.kind, gauge.state.tokens) == ("fitted", derived(pilot).tokens)
        assert "the sums of 51 requests" in gauge.state.detail
        await before_compaction(pilot, 2)
        sizes = [gauge.state.tokens]
        for phase in ("pruned", "summarized", "kept", "after"):
            await press(pilot, "right")
            assert (moment(screen).phase, gauge.state.kind) == (phase, "fitted")
            sizes.append(gauge.state.tokens)
        # Pruning makes the list smaller, and the summary comes last.
        before, pruned, summarized, *_ = [size for size in sizes if size is not None]
        assert len(sizes) == 5
        assert before > pruned > summarized


async def test_the_what_if_pane_measures_the_distance_by_the_size_on_the_gauge(rotating: Path) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        screen = conversation(pilot)
        await press(pilot, "6", "escape", "colon", "5", "7", "enter")
        gauge, pane = screen.query_one(Gauge).state, screen.query_one(WhatIfPane)
        assert gauge.tokens is not None
        # The rough size of this list is below the threshold.
        assert plan(pilot).tokens_before < gauge.threshold <= gauge.tokens
        assert "The list is over the threshold" in pane.body.text
        await press(pilot, "colon", "4", "0", "enter")
        gauge = screen.query_one(Gauge).state
        assert gauge.tokens is not None
        left = gauge.threshold - gauge.tokens
        assert f"~{left:,} tokens are left before a compaction." in pane.body.text


@given(
    st.dictionaries(st.integers(-1, 30), st.integers(0, 99), max_size=32),
    st.lists(st.integers(0, 31), max_size=8),
    st.booleans(),
)
def test_sums_at_a_moment(counts: dict[int, int], lengths: list[int], prompt: bool) -> None:
    known: dict[int, int] = {}
    sums = ExactSums(known)
    for length in lengths:
        needed = [*([-1] if prompt else []), *range(length)]
        there = all(index in known for index in needed)
        assert sums.until(length, prompt) == (sum(known[index] for index in needed) if there else None)
        known.update(counts)


async def test_a_search_finds_messages_up_to_the_moment(tmp_path: Path) -> None:
    async with running(compacted(tmp_path / "state.db"), "Made") as pilot:
        screen = conversation(pilot)
        await press(pilot, "colon", "1", "0", "enter", "slash")
        await write(pilot, "question")
        await press(pilot, "enter")
        assert moment(screen).length == 10
        assert any("3 messages with 'question'" in text for text in told(pilot))
        # One step later, the search covers that list.
        await press(pilot, *["right"] * 3, "N")
        assert any("4 messages with 'question'" in text for text in told(pilot))
        assert screen.state.moment is not None
