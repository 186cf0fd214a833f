"""Facts in the order in which panes show them."""

from __future__ import annotations

from pathlib import Path

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.measures import measure
from inspector.app.conversation.fact_scopes import gravest_first, survival, worst_first
from inspector.quality.facts.fact import KINDS
from inspector.quality.losses import KINDS_LOST
from inspector.stores.detect import open_store
from tests.conftest import ROOT

FIXTURES = ROOT / "fixtures"


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


def test_the_shares_of_the_pane_are_those_of_the_measures() -> None:
    for path in (FIXTURES / "agents" / "codex", FIXTURES / "hermes-0.13-rotating.db"):
        store = open_store(path)
        for row in store.conversations():
            inspection = Inspection.open(store, row.id)
            facts = read_facts(inspection).facts
            shown = survival(facts, inspection.compactions())
            measured = measure(Answers(store, {}, None), row.id).measures
            for kind in KINDS:
                shares = [share if share and share.of else None for share in shown.shares.get(kind, ())]
                curve = [one.share for one in measured.curve(f"survival-{kind}")]
                assert shares == [share if share and share.of else None for share in curve]
        store.close()


def test_a_lost_constraint_stands_above_a_lost_link() -> None:
    store = open_store(FIXTURES / "hermes-0.13-rotating.db")
    lives = read_facts(Inspection.open(store, "Move checkout to orders-v2")).facts.of(2)
    store.close()
    gone = [life for life in worst_first(lives) if life.fate.gone]
    kinds = [life.fact.kind for life in gone]
    assert {"constraint", "link"} <= set(kinds)
    assert kinds == sorted(kinds, key=(*KINDS_LOST, "link").index)
    assert [life for life in worst_first(lives[::-1]) if life.fate.alive] == [
        life for life in lives[::-1] if life.fate.alive
    ]
