"""Facts at risk in what-ifs and sweeps: the definition, cells equal single runs, and each fact counts once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isnan
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import facts_without_fates, read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.answers.resolving import resolve
from inspector.answers.scheduling import Scheduling
from inspector.answers.sweeping import SweepRequest, run_sweep
from inspector.commands.cli import commands
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.engines.replayable import replayable
from inspector.export.comparison import comparison_text
from inspector.export.whatif import sweep_csv, sweep_document
from inspector.quality.facts.fact import KINDS, Fact
from inspector.quality.facts.risk import FactSteps, Gone
from inspector.replay.course import Course
from inspector.replay.metrics import BY_NAME, METRICS
from inspector.replay.recording import recorded_metrics
from inspector.replay.run import run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import METRIC_NAMES, Axis, cells, parse_axis, sweep
from inspector.stores.detect import open_store
from tests.counting import lines_run
from tests.engines.lists import conversations
from tests.examples import fewer
from tests.quality.facts.made_facts import fact

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ROWS, COLUMNS = parse_axis("threshold", "0.3,0.9"), parse_axis("target_ratio", "0.1,0.5")
SMALL = Settings(context_length=4_000)
FACT_METRICS = {metric.name for metric in METRICS if metric.facts}
RULE_FACT = fact("Never open more than 40 connections to orders-db.")


def at(*steps: int, kind: str = "value") -> Fact:
    """Return a fact that was stated at these steps."""
    sayings = tuple(replace(RULE_FACT.first, step=step) for step in steps)
    return replace(RULE_FACT, key=f"{kind} {steps}", kind=kind, sayings=sayings)  # type: ignore[arg-type]


def plainly(facts: list[Fact], left: Mapping[int, int]) -> Gone:
    """Count by the plain definition."""
    gone = [fact for fact in facts if all(saying.step in left for saying in fact.sayings)]
    return Gone(len(gone), sum(fact.kind == "constraint" for fact in gone))


MADE = st.lists(
    st.builds(
        lambda steps, kind: at(*steps, kind=kind),
        st.lists(st.integers(0, 30), min_size=1, max_size=4),
        st.sampled_from(KINDS),
    ),
    max_size=20,
)


@given(MADE, st.sets(st.integers(0, 30)), st.integers(0, 30), st.integers(0, 30))
def test_the_count_is_that_of_the_definition(facts: list[Fact], some: set[int], low: int, high: int) -> None:
    index = FactSteps(facts)
    assert len(index) == len(facts)
    for steps in (some, set(range(low, high))):
        left = dict.fromkeys(steps, 0)
        assert index.gone(left) == plainly(facts, left)


def test_a_fact_repeated_in_a_kept_message_is_not_at_risk() -> None:
    left = dict.fromkeys(range(3, 10), 0)
    assert FactSteps([at(4, 8)]).gone(left) == Gone(1, 0)
    assert FactSteps([at(4, 8, 11)]).gone(left) == Gone(0, 0)
    assert FactSteps([at(1, 4, kind="constraint"), at(5, kind="constraint")]).gone(left) == Gone(1, 1)
    assert FactSteps([at(4)]).gone({}) == Gone(0, 0)


def course(messages: tuple[Message, ...], facts: list[Fact] | None) -> Course:
    rules = replayable(engine("documented"))
    made = Course(rules, rules.read(messages), 0)
    return made.with_facts(None if facts is None else FactSteps(facts))


@fewer()
@given(conversations(least=5), MADE)
def test_a_cell_is_the_single_whatif(messages: tuple[Message, ...], facts: list[Fact]) -> None:
    made = course(messages, facts)
    rows, columns = Axis("threshold", (0.3, 0.6)), Axis("protect_last_n", (2, 20))
    found = sweep(rows, columns, [cells(made, SummaryModel(), SMALL, rows, columns)], facts=True)
    for r, threshold in enumerate(rows.values):
        for c, last in enumerate(columns.values):
            single = run_course(made, SMALL.with_(threshold=threshold, protect_last_n=int(last)))
            assert Gone(
                single.metrics.facts_at_risk or 0, single.metrics.constraints_at_risk or 0
            ) == plainly(facts, single.removed_by)
            assert isnan(found.cells["cost"][r][c])
            for name in {*METRIC_NAMES, *FACT_METRICS} - {"cost"}:
                assert found.cells[name][r][c] == pytest.approx(getattr(single.metrics, name))


@fewer()
@given(conversations(least=3), MADE)
def test_nothing_is_at_risk_without_a_compaction(messages: tuple[Message, ...], facts: list[Fact]) -> None:
    run = run_course(course(messages, facts), Settings(context_length=10_000_000))
    assert run.metrics.compactions == 0
    assert run.metrics.facts == len(facts)
    assert run.metrics.facts_at_risk == run.metrics.constraints_at_risk == 0
    assert run.metrics.facts_at_risk_share == 0


def test_without_facts_none_are_counted() -> None:
    made = course((Message({"role": "user", "content": "Hi"}),), None)
    metrics = run_course(made, SMALL).metrics
    assert metrics.facts is metrics.facts_at_risk is metrics.facts_at_risk_share is None
    found = sweep(ROWS, COLUMNS, [cells(made, SummaryModel(), SMALL, ROWS, COLUMNS)])
    assert not FACT_METRICS & set(found.cells)
    known = FactSteps([])
    other = made.with_facts(known)
    assert made.facts is None
    assert other.facts is known
    assert other.with_facts(known) is other


@pytest.fixture(autouse=True)
def no_cache_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def answers() -> Answers:
    return Answers.of(tuple(sorted(FIXTURES.glob("*.db"))), {}, None)


def test_over_several_conversations(answers: Answers) -> None:
    names = tuple(row.id for row in answers.store.conversations())[:4]
    request = SweepRequest(names, ROWS, COLUMNS, facts=True)
    found = run_sweep(request, answers)
    at_risk = constraints = total = 0
    for name in names:
        inspection = Inspection.open(answers.store, name)
        chosen = resolve(answers.store, inspection.conversation.row, {}, None).settings
        recording = read_recording(inspection, chosen.profile)
        facts = list(read_facts(inspection).facts.facts)
        run = run_course(recording.course, chosen.with_(threshold=0.3, target_ratio=0.5), recording.model)
        gone = plainly(facts, run.removed_by)
        at_risk, constraints, total = (
            at_risk + gone.facts, constraints + gone.constraints, total + len(facts),
        )  # fmt: skip
    assert 0 < constraints < at_risk < total
    assert found.cells["facts_at_risk"][0][1] == at_risk
    assert found.cells["constraints_at_risk"][0][1] == constraints
    # All facts of all conversations, for any number of calls.
    assert found.cells["facts_at_risk_share"][0][1] == pytest.approx(at_risk / total)
    document = sweep_document(found)
    assert set(document["metrics"]) == set(document["best"]) == set(BY_NAME)
    assert sweep_csv(found).splitlines()[0].split(",")[2:-3] == list(BY_NAME)


def test_cancelled_while_facts_are_read(answers: Answers) -> None:
    asked: list[int] = []

    def wanted() -> bool:
        asked.append(1)
        return len(asked) < 2

    names = (answers.store.resolve("Move checkout to orders-v2"),)
    found = run_sweep(
        SweepRequest(names, ROWS, COLUMNS, facts=True),
        Answers(answers.store, {}, None, Scheduling(wanted=wanted)),
    )
    assert not found.complete
    assert found.cells["facts_at_risk"][0][0] != found.cells["facts_at_risk"][0][0]


def test_under_the_recorded_settings_as_much_is_at_risk_as_was_recorded() -> None:
    store = open_store(FIXTURES / "hermes-0.19-in-place.db")
    row = next(row for row in store.conversations() if row.title == "Nightly orders import loses rows")
    inspection = Inspection.open(store, row.id)
    chosen = resolve(store, inspection.conversation.row, {}, None).settings
    recording = read_recording(inspection, chosen.profile)
    facts = FactSteps(read_facts(inspection).facts.facts)
    run = run_course(recording.course.with_facts(facts), chosen, recording.model)
    recorded = recorded_metrics(recording, inspection.compactions(), facts)
    assert run.metrics.facts_at_risk == recorded.facts_at_risk
    assert run.metrics.facts_at_risk
    text = comparison_text("x", recording, recorded, [("what-if", run)], recording.model)
    line = next(line for line in text.splitlines() if line.startswith("facts at risk"))
    assert line.split()[-2:] == [str(recorded.facts_at_risk)] * 2
    bare = recorded_metrics(recording, inspection.compactions())
    assert "facts at risk" not in comparison_text("x", recording, bare, [], recording.model)


def ask(*words: str) -> Result:
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 0, done.output
    return done


def test_the_facts_alone_are_those_of_the_whole_reading(answers: Answers) -> None:
    for row in answers.store.conversations():
        inspection = Inspection.open(answers.store, row.id)
        assert facts_without_fates(inspection) == read_facts(inspection).facts.facts


def test_commands_count_facts_where_they_are_asked_to() -> None:
    words = ("--demo", "Move checkout to orders-v2")
    grid = ("--threshold", "0.3,0.9", "--target-ratio", "0.1,0.5")
    plain, found = (
        json.loads(ask("sweep", *words, *grid, "--json", *more).stdout) for more in ((), ("--facts",))
    )
    assert set(found["metrics"]) - set(plain["metrics"]) == FACT_METRICS
    assert {name: found["metrics"][name] for name in METRIC_NAMES} == plain["metrics"]
    assert "facts at risk" in ask("sweep", *words, *grid, "--facts").stdout
    plain, found = (json.loads(ask("replay", *words, "--json", *more).stdout) for more in ((), ("--facts",)))
    assert "facts" not in plain["whatif"]
    assert found["whatif"]["facts"] == found["recorded"]["facts"] > found["whatif"]["facts_at_risk"] > 0
    assert "at risk" in ask("replay", *words, "--facts").stdout


def test_a_count_takes_no_pass_over_the_messages() -> None:
    many = [at(step, step + step % 7) for step in range(20_000)]
    index = FactSteps(many)
    left = dict.fromkeys(range(10, 19_990), 0)
    assert index.gone(left) == plainly(many, left)

    assert lines_run(index.gone, left) < 100
