"""Facts in the order in which panes show them."""

from __future__ import annotations

from pathlib import Path

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.app.conversation.fact_scopes import gravest_first, worst_first
from inspector.quality.losses import KINDS_LOST
from inspector.stores.detect import open_store


def test_what_is_counted_as_lost_comes_first_kind_by_kind_and_each_the_worst_first(
    rotating: Path,
) -> None:
    store = open_store(rotating)
    facts = read_facts(Inspection.open(store, "Move checkout to orders-v2")).facts
    store.close()
    lives = facts.lives[::-1]
    ordered = gravest_first(lives)
    kinds = [life.fact.kind for life in ordered]
    assert len(ordered) == len(lives)
    assert list(dict.fromkeys(kinds)) == [kind for kind in KINDS_LOST if kind in kinds] + ["link"]
    for kind in set(kinds):
        of_kind = [life for life in lives if life.fact.kind == kind]
        assert [life for life in ordered if life.fact.kind == kind] == worst_first(of_kind)
