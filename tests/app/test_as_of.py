"""Findings, facts, lineage and measures at a moment: at the end they are complete, and none disappears before."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.summaries import lineage_of
from inspector.app.conversation.as_of import FactsAsOf, FindingsAsOf
from inspector.app.conversation.fact_scopes import scopes
from inspector.quality.catalogue import RULES
from inspector.quality.facts.fact import Fact, Life, Saying
from inspector.quality.facts.risk import RiskIndex
from inspector.quality.finding import Finding
from inspector.quality.losses import losses_of
from inspector.quality.measures import survival
from inspector.stores.detect import open_store
from widgets.lists.fact_list import outcome_of
from widgets.panes.losses_view import FactScope

ORDERS = "Nightly orders import loses rows"

places = st.tuples(st.integers(0, 4), st.integers(0, 50))
findings = st.lists(
    st.builds(
        lambda rule, since, index: Finding(
            rule, RULES[rule].severity, "c", since[0] or None, None, since[0] or None, index, rule, since
        ),
        st.sampled_from(sorted(RULES)),
        places,
        st.none() | st.integers(0, 50),
    ),
    max_size=20,
)


def fact_at(number: int, steps: list[int]) -> Fact:
    sayings = tuple(Saying(step, 1, step, step, "s", "user", (0, 0), None) for step in steps)
    return Fact(f"f{number}", "value", "", "", (), (), "", 1, (0, 0), "user", sayings, 0, 1.0)


@given(findings, places, places)
def test_findings_at_a_moment(found: list[Finding], one: tuple[int, int], other: tuple[int, int]) -> None:
    early, late = sorted((one, other))
    time = FindingsAsOf(found)
    then = time.until(time.count(*early))
    assert then.findings == tuple(f for f in found if f.since <= early)
    later = time.until(time.count(*late))
    assert set(map(id, then.findings)) <= set(map(id, later.findings))
    for number, indexes in (then.marked or {}).items():
        assert indexes <= (later.marked or {})[number]
    last = time.until(time.count(99, 99))
    assert last == time.until(len(time)) == FindingsAsOf(found).until(len(found))
    assert last.findings == tuple(found)


def test_the_last_step_knows_all_facts(in_place: Path) -> None:
    inspection = Inspection.open(open_store(in_place), ORDERS)
    reading = read_facts(inspection)
    time = FactsAsOf(reading, reading.facts.ended())
    count = len(inspection.compactions())

    def bare(shown: tuple[FactScope, ...]) -> list[tuple[str, list[object]]]:
        """Return the lives of each scope."""
        return [(scope.name, list(scope.facts)) for scope in shown]

    whole = scopes(reading, reading.facts.ended())
    assert bare(time.scopes(count, 10**9)) == bare(whole)
    assert bare(time.scopes(1, 40)) != bare(whole[:1])
    # A result of one step is not confused with another step.
    assert bare(time.scopes(count, 10**9)) == bare(whole)
    assert time.scopes(0, 20) == ()


def test_facts_stated_later_are_not_shown(in_place: Path) -> None:
    inspection = Inspection.open(open_store(in_place), ORDERS)
    reading = read_facts(inspection)
    time = FactsAsOf(reading, reading.facts.ended())
    ends = [life for life in reading.facts.lives if life.back is not None or life.contradicted is not None]
    for life in ends:
        steps = [life.back.step] if life.back is not None else []
        steps += [life.contradicted.saying.step] if life.contradicted is not None else []
        lives = [v for scope in time.scopes(life.compaction, min(steps)) for v in scope.facts]
        then = next(v for v in lives if v.fact.key == life.fact.key)
        assert isinstance(then, Life)
        assert then.back is None
        assert then.contradicted is None


@given(
    st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=6), max_size=12),
    st.integers(1, 60),
    st.integers(0, 30),
    st.integers(0, 60),
)
def test_at_risk_in_a_shorter_list(indexes: list[list[int]], length: int, head: int, tail: int) -> None:
    facts = [fact_at(number, steps) for number, steps in enumerate(indexes)]
    whole = RiskIndex.of(facts, {step: step for step in range(61)})
    short = RiskIndex.of(facts, {step: step for step in range(length)})
    head, tail = min(head, length), min(tail, length)
    assert sorted(e.fact.key for e in whole.at_risk(head, tail, length)) == sorted(
        e.fact.key for e in short.at_risk(head, tail)
    )
    assert whole.at_risk(head, min(tail, 61), 61) == whole.at_risk(head, tail)


def test_the_lineage_at_a_moment_has_the_summaries_so_far(in_place: Path, rotating: Path) -> None:
    for path in (in_place, rotating):
        store = open_store(path)
        for entry in store.conversations():
            compactions = Inspection(store, store.open(entry.id)).compactions()
            whole = lineage_of(compactions)
            for count in range(len(compactions) + 1):
                assert whole.until(count) == lineage_of(compactions[:count])


def test_survival_of_fewer_compactions(in_place: Path) -> None:
    inspection = Inspection.open(open_store(in_place), ORDERS)
    table = survival(read_facts(inspection).facts, inspection.compactions())
    assert table.until(len(table.compactions)) == table
    first = table.until(1)
    assert first.compactions == table.compactions[:1]
    assert all(shares == table.shares[kind][:1] for kind, shares in first.shares.items())


def test_every_loss_is_listed_at_the_compaction_that_counts_it(rotating: Path, in_place: Path) -> None:
    checked = 0
    for path in (rotating, in_place):
        store = open_store(path)
        for row in store.conversations():
            reading = read_facts(Inspection(store, store.open(row.id)))
            shown = {scope.name: scope.facts for scope in scopes(reading, reading.facts.ended())}
            for loss in losses_of(reading.facts.lives):
                here = {(view.text, outcome_of(view)) for view in shown[str(loss.compaction)]}
                for life in loss.worst:
                    assert (life.fact.text, life.outcome) in here
                    checked += life.compaction < loss.compaction
    assert checked, "some were kept by an earlier compaction"
