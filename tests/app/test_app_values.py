"""Values of the conversation screen, tested without a screen: start position, content at a moment, titles."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.answers.inspection import Inspection
from inspector.app.conversation import chrome
from inspector.app.conversation.navigation import chosen_with, end_of, row_after
from inspector.app.conversation.panes import losses, summary
from inspector.app.conversation.reading import Opening, open_conversation
from inspector.app.conversation.state import State, recorded, recorded_then
from inspector.core.conversations import Compaction
from inspector.engines.base import Budgets, Settings
from inspector.engines.registry import engine
from inspector.engines.settings import difference
from inspector.replay.moments import Moment
from inspector.stores.detect import open_store
from widgets.panes.summary_lines import SummaryView

CHECKOUT = "Move checkout to orders-v2"


@pytest.fixture
def opening(rotating: Path) -> Opening:
    """Open the conversation with four compactions."""
    return open_conversation(open_store(rotating), CHECKOUT, None, {}, None)


@pytest.fixture
def compactions(opening: Opening) -> tuple[Compaction, ...]:
    """Return the compactions of the conversation."""
    return opening.opened.inspection.compactions()


def moment(compactions: tuple[Compaction, ...], generation: int, compaction: int = 0) -> Moment:
    """Return a moment of a generation, or within a compaction."""
    phase = "pruned" if compaction else "message"
    return Moment(1, 1, generation, 1, phase, compaction)


def test_the_compaction_that_is_chosen_with_a_list(opening: Opening, rotating: Path) -> None:
    opened = opening.opened
    assert [chosen_with(opened, number) for number in range(1, 6)] == [1, 1, 2, 3, 4]
    alone = open_conversation(open_store(rotating), "Check the load test scripts", None, {}, None).opened
    assert chosen_with(alone, 1) == 0


def test_rows_where_lists_begin_and_end(opening: Opening, compactions: tuple[Compaction, ...]) -> None:
    opened = opening.opened
    assert opened.offset(1) == 1, "the system prompt stands before the list"
    for done in compactions:
        at = row_after(opened, compactions, done.index)
        assert at == (done.summary_at or 0) + opened.offset(done.index + 1)
        assert row_after(opened, None, done.index) == end_of(opened, done.index + 1)
    assert end_of(opened, 5) == len(opened.generations[4])


def test_the_content_at_a_moment(compactions: tuple[Compaction, ...]) -> None:
    assert recorded_then(compactions, None) == compactions
    assert recorded_then(None, None) == ()
    for generation in range(1, 6):
        at = moment(compactions, generation)
        assert [done.index for done in recorded_then(compactions, at)] == list(range(1, generation))
        assert recorded(compactions, generation, at) is None
    within = moment(compactions, 2, 2)
    assert recorded(compactions, 2, within) is compactions[1], "the one that it is within"
    assert recorded(compactions, 3, within) is None


def test_the_timeline_shows_nothing_of_the_future(
    opening: Opening, compactions: tuple[Compaction, ...]
) -> None:
    conversation = opening.opened.inspection.conversation
    whole = chrome.nodes(conversation, compactions, {4: 2})
    assert [node.outcome for node in whole] == ["", "summary", "fallback", "summary", "summary"]
    assert [node.findings for node in whole] == [0, 0, 0, 0, 2]
    then = chrome.nodes(conversation, compactions, {4: 2}, now=2)
    assert then[:2] == whole[:2]
    assert [(node.ahead, node.outcome, node.findings) for node in then[2:]] == [(True, "", 0)] * 3


def test_changed_settings_in_words() -> None:
    force = Settings()
    for changes, words in (
        ({}, ""),
        ({"threshold": 0.6}, "changed: threshold 60%"),
        ({"threshold": 0.6, "target_ratio": 0.21}, "changed: threshold 60%, target_ratio 21%"),
        ({"threshold": 0.6, "target_ratio": 0.21, "protect_last_n": 3}, "3 settings changed"),
    ):
        changed = difference(force.with_(**changes), force)
        assert changed == changes
        assert chrome.changed_text(changed) == words


def test_the_gauge_prefers_exact_counts_and_shows_planned_sizes() -> None:
    settings = Settings(context_length=100_000)
    budgets: Budgets = engine(settings.profile).budgets(settings)
    rough = chrome.gauge_state(budgets, 100_000, 40_000, None)
    assert (rough.kind, rough.tokens, rough.planned) == ("rough", 40_000, None)
    exact = chrome.gauge_state(budgets, 100_000, 40_000, (39_000, "cl100k_base"))
    assert (exact.kind, exact.tokens, exact.planned, exact.detail) == ("exact", 39_000, 40_000, "cl100k_base")


def test_the_title_names_the_list(opening: Opening) -> None:
    state = State(generation=5, settings=opening.opened.resolved.settings)
    texts = [part.text for part in chrome.header_parts(state, opening.opened, "! 1 error")]
    assert texts[:2] == [CHECKOUT, "! 1 error"]
    assert "generation 5 of 5, live" in texts
    assert "42 messages" in texts


def test_a_summary_pane_before_the_first_compaction(
    opening: Opening, compactions: tuple[Compaction, ...]
) -> None:
    view = summary.compute(None, None, True, None, 0, 4, 4_000, "changes")
    assert (view.summary, view.changes, view.lineage) == (SummaryView(None, 0, 4_000), None, None)
    first = summary.compute(compactions[0], None, True, None, 1, 4, 4_000, "changes")
    assert first.summary.compaction is compactions[0]
    assert first.changes is None
    later = summary.compute(compactions[3], compactions[2], True, None, 4, 4, 4_000, "changes")
    assert later.changes is not None
    assert later.changes.titles == ("compaction 3", "compaction 4")


def test_losses_before_facts_are_known() -> None:
    waiting = losses.compute(None, None, 2, 4, None, None, 5)
    assert (waiting.scopes, waiting.chosen) == (None, 2)
    nothing = losses.compute(None, None, 0, 0, None, None, 1)
    assert nothing.scopes == ()
    assert nothing.note == "No compaction is recorded, so no loss is known."


def test_opening_loads_the_end_of_the_live_list(opening: Opening) -> None:
    assert isinstance(opening.opened.inspection, Inspection)
    assert sorted(opening.lines) == list(range(42))
