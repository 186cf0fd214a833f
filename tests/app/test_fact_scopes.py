"""Facts in the order in which panes show them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.answers.fact_reading import read_facts
from inspector.answers.fact_results import work_out
from inspector.answers.inspection import Inspection
from inspector.app.conversation.fact_scopes import counted, worst_first
from inspector.app.conversation.reading import facts_read, find_aftermath
from inspector.quality.losses import KINDS_LOST, counts
from inspector.stores.detect import open_store
from tests.app.running import CHECKOUT, conversation, press, running, screen_text, view_of
from tests.conftest import ROOT
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.losses_facts import LossesFacts

FIXTURES = ROOT / "fixtures"


def test_facts_that_count_as_losses_come_first_kind_by_kind(rotating: Path) -> None:
    store = open_store(rotating)
    facts = read_facts(Inspection.open(store, "Move checkout to orders-v2")).facts
    store.close()
    harmed = [life for life in facts.lives if life.fate.gone or life.outcome == "weakened"]
    ordered = worst_first(facts.lives[::-1])
    assert {id(life) for life in ordered[: len(harmed)]} == {id(life) for life in harmed}
    counted = [
        life.fact.kind in KINDS_LOST and not life.superseded and counts(life)
        for life in ordered[: len(harmed)]
    ]
    assert counted == sorted(counted, reverse=True)
    assert len(set(counted)) == 2
    kinds = [life.fact.kind for life, is_counted in zip(ordered, counted, strict=False) if is_counted]
    assert kinds == sorted(kinds, key=KINDS_LOST.index)


@pytest.mark.parametrize(
    ("database", "title"),
    [("hermes-0.13-rotating.db", CHECKOUT), ("hermes-0.19-in-place.db", "Nightly orders")],
)
def test_the_panes_count_the_losses_that_the_list_of_losses_counts(database: str, title: str) -> None:
    store = open_store(FIXTURES / database)
    inspection = Inspection.open(store, title)
    watch: Any = None
    facts = facts_read(inspection, read_facts(inspection), frozenset(), watch)
    aftermath = find_aftermath(inspection, facts, 0, watch)
    listed = {loss.compaction: loss for loss in work_out(inspection)[0].compactions}
    store.close()
    assert listed
    for number in range(1, len(inspection.compactions()) + 1):
        losses, loss = aftermath.losses.get(number), listed.get(number)
        shown = [] if loss is None else [fact.text for fact in loss.facts if fact.fate != "uncertain"]
        assert [life.text for life in counted(losses)][: len(shown)] == shown
        assert len(counted(losses)) == (0 if loss is None else loss.total + loss.weakened)
        scope = next((scope for scope in aftermath.scopes if scope.name == str(number)), None)
        first = [] if scope is None else [entry.text for entry in scope.facts]
        assert first[: len(counted(losses))] == [life.text for life in counted(losses)]


async def test_the_losses_pane_says_how_many_of_the_first_facts_count_like_the_compaction_pane(
    rotating: Path,
) -> None:
    async with running(rotating, CHECKOUT, size=(160, 48)) as pilot:
        await press(pilot, "2")
        assert "± 2 facts may be lost" in screen_text(pilot)
        await press(pilot, "4")
        assert "5 uncertain" in view_of(pilot, LossesFacts).head.text
        assert "Of the uncertain facts, 2 may count too." in view_of(pilot, LossesFacts).head.text
        await press(pilot, "escape", "left_square_bracket", "left_square_bracket", "2")
        assert "4 count. The other 14 are plain statements, results or" in screen_text(pilot)
        view = conversation(pilot).query_one(CompactionPane).view
        assert view is not None
        assert (view.counted, len(view.lost)) == (4, 6)
        await press(pilot, "4")
        assert "The first 4 count as losses: your rules, decisions and values." in screen_text(pilot)
        await press(pilot, "escape", "left_square_bracket", "2")
        assert "It does not count: results or requests" in screen_text(pilot)
        await press(pilot, "4")
        assert "None counts as a loss" in screen_text(pilot)


def test_facts_that_the_list_still_has_keep_their_order() -> None:
    store = open_store(FIXTURES / "hermes-0.13-rotating.db")
    lives = read_facts(Inspection.open(store, "Move checkout to orders-v2")).facts.of(2)
    store.close()
    assert [life for life in worst_first(lives[::-1]) if life.fate.alive] == [
        life for life in lives[::-1] if life.fate.alive
    ]
