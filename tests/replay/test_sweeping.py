"""Sweeps over stores: cells equal single runs for any split of the work; a cancelled sweep keeps finished cells."""

from __future__ import annotations

import csv
import io
import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.costing import costing_of
from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.answers.resolving import resolve
from inspector.answers.scheduling import Progress, Scheduling
from inspector.answers.sweeping import SweepRequest, identical_in, run_sweep
from inspector.app.conversation.reading import summary_model
from inspector.app.sweep.grid import heat_state
from inspector.app.sweep.subject import SweepState
from inspector.app.sweep.wording import value_words
from inspector.core.errors import UsageProblem
from inspector.engines.settings import Settings
from inspector.export.whatif import sweep_csv, sweep_document
from inspector.replay.metrics import METRICS, Scores
from inspector.replay.run import half_and_double, run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import METRIC_NAMES, Axis, Sweep, parse_axis, sweep
from tests.examples import also

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ROWS, COLUMNS = parse_axis("threshold", "0.5,0.9"), parse_axis("target_ratio", "0.1:0.5:0.2")


@pytest.fixture
def answers() -> Answers:
    return Answers.of(tuple(sorted(FIXTURES.glob("*.db"))), {}, None)


def scheduled(answers: Answers, **scheduling: Any) -> Answers:
    """Return the answers with another scheduling."""
    return Answers(answers.store, answers.flags, answers.config, Scheduling(**scheduling))


def request_of(answers: Answers, count: int | None = None, **kinds: object) -> SweepRequest:
    names = tuple(row.id for row in answers.store.conversations())[:count]
    return SweepRequest(names, ROWS, COLUMNS, **kinds)  # type: ignore[arg-type]


def test_a_cell_is_the_replay_of_the_same_settings(answers: Answers) -> None:
    for name in request_of(answers).names:
        request = SweepRequest((name,), ROWS, COLUMNS)
        found = run_sweep(request, answers)
        inspection = Inspection.open(answers.store, name)
        resolved = resolve(answers.store, inspection.conversation.row, {}, None)
        settings = resolved.settings
        recording = read_recording(inspection, settings.profile)
        recording = recording.with_costs(costing_of(inspection, resolved, recording).basis)
        for r, threshold in enumerate(ROWS.values):
            for c, ratio in enumerate(COLUMNS.values):
                run = run_course(
                    recording.course, settings.with_(threshold=threshold, target_ratio=ratio), recording.model
                )
                for metric in METRIC_NAMES:
                    assert found.cells[metric][r][c] == pytest.approx(getattr(run.metrics, metric))


def test_in_several_processes_the_same_comes_out(answers: Answers) -> None:
    request = request_of(answers, 4, facts=True)
    seen: list[Progress] = []
    alone = run_sweep(request, answers)
    together = run_sweep(request, scheduled(answers, watch=seen.append, scheduler="local:2"))
    assert together == alone
    assert together.complete
    assert [progress.done for progress in seen] == [0, 1, 2, 3, 4]
    assert seen[0].seconds_left is None
    assert seen[-1].seconds_left == 0
    assert "of 4" in seen[-1].text


@pytest.mark.parametrize("processes", also(1, 2))
def test_a_cancelled_sweep_keeps_finished_cells(answers: Answers, processes: int) -> None:
    seen: list[Progress] = []
    wanted = scheduled(
        answers,
        watch=seen.append,
        wanted=lambda: not seen or seen[-1].done < 2,
        scheduler=f"local:{processes}",
    )
    found = run_sweep(request_of(answers), wanted)
    assert not found.complete
    assert 2 <= found.conversations < 10
    best = found.best("peak_tokens")
    assert best is not None
    assert best.value > 0
    assert sweep_document(found)["complete"] is False


def test_a_sweep_without_finished_cells_reports_nothing(answers: Answers) -> None:
    found = run_sweep(request_of(answers), scheduled(answers, wanted=lambda: False))
    assert found.conversations == 0
    assert isnan(found.cells["peak_tokens"][0][0])
    with pytest.raises(UsageProblem):
        found.best("peak_tokens")
    table = list(csv.reader(io.StringIO(sweep_csv(found))))
    marks = ["gives_up", "compacts_every_call", "identical_to"]
    assert table[0] == ["threshold", "target_ratio", *METRIC_NAMES, *marks]
    assert table[1][2:] == [""] * (len(METRIC_NAMES) + 3)


def test_cells_of_a_conversation_that_was_cancelled_are_empty(answers: Answers) -> None:
    asked = []

    def wanted() -> bool:
        asked.append(1)
        return len(asked) <= 3

    name = answers.store.resolve("Move checkout to orders-v2")
    found = run_sweep(SweepRequest((name,), ROWS, COLUMNS), scheduled(answers, wanted=wanted))
    cells = [cell for line in found.cells["calls"] for cell in line]
    assert any(isnan(cell) for cell in cells)
    assert not all(isnan(cell) for cell in cells)
    text = json.dumps(sweep_document(found), allow_nan=False)
    assert "null" in text


def test_summaries_of_another_size_make_another_sweep(answers: Answers) -> None:
    small, large = (
        run_sweep(request_of(answers, 3, model=SummaryModel(share)), answers) for share in (0.0, 2.0)
    )
    assert small.cells["mean_tokens"] != large.cells["mean_tokens"]


def test_cells_of_the_same_runs_are_identical_to_the_first(answers: Answers) -> None:
    name = answers.store.resolve("Nightly orders import loses rows")
    rows, columns = parse_axis("threshold", "0.3,0.5,0.9"), parse_axis("target_ratio", "0.1,0.2,0.5")
    found = run_sweep(SweepRequest((name,), rows, columns), answers)
    # Below 512,000 tokens the release compacts at 75% at least, and 64,000 tokens are the minimum.
    assert found.identical_to[0] == (None, None, None)
    assert found.identical_to[1] == found.identical_to[2] == ((0, 0), (0, 1), (0, 2))
    document = sweep_document(found)
    assert document["identical_to"][1][2] == {"threshold": 0.3, "target_ratio": 0.5}
    assert any("30%, 50%, 90% are identical" in sentence for sentence in found.unused)
    assert list(csv.reader(io.StringIO(sweep_csv(found))))[6][-1] == "0.3/0.5"


def test_a_range_is_of_summaries_of_half_and_twice_the_size(answers: Answers) -> None:
    name = answers.store.resolve("Nightly orders import loses rows")
    found = run_sweep(SweepRequest((name,), ROWS, COLUMNS), answers)
    inspection = Inspection.open(answers.store, name)
    settings = resolve(answers.store, inspection.conversation.row, {}, None).settings
    recording = read_recording(inspection, settings.profile)
    chosen = settings.with_(threshold=ROWS.values[0], target_ratio=COLUMNS.values[1])
    runs = [
        run_course(recording.course, chosen, recording.model),
        *half_and_double(recording.course, chosen, recording.model),
    ]
    tokens = [run.metrics.input_tokens for run in runs]
    assert found.ranges["input_tokens"][0][1] == (min(tokens), max(tokens))
    assert min(tokens) < max(tokens)


def scored(value: float, *sides: float) -> Scores:
    many = len(METRIC_NAMES)
    return Scores(
        (value,) * many, 1.0, 0.0, half_and_double=tuple((side,) * many for side in sides), run=int(value)
    )


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (scored(12.0, 11.0, 13.0), ((0, 1),)),
        (scored(12.0, 11.5, 13.0), ()),
        (scored(10.0, 10.0, 10.0), ()),
        (scored(30.0, 9.0, 40.0), ((0, 1),)),
    ],
)
def test_cells_whose_ranges_meet_are_alike(other: Scores, alike: tuple[tuple[int, int], ...]) -> None:
    axes = Axis("threshold", (0.5,)), Axis("target_ratio", (0.1, 0.2))
    found = sweep(*axes, [[[scored(10.0, 9.0, 11.0), other]]])
    assert found.alike("input_tokens") == alike
    settings = [{"threshold": 0.5, "target_ratio": 0.2}] if alike else []
    assert sweep_document(found)["best"]["input_tokens"]["alike"] == settings


def test_a_grid_that_is_too_large_or_empty_is_refused(answers: Answers) -> None:
    many = Axis("protect_last_n", tuple(range(1, 200)))
    with pytest.raises(UsageProblem, match="cells"):
        run_sweep(SweepRequest((), many, Axis("protect_first_n", tuple(range(100)))), answers)
    with pytest.raises(UsageProblem, match="no conversation"):
        run_sweep(SweepRequest((), ROWS, COLUMNS), answers)


def test_every_metric_is_of_one_way_to_combine() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)
    assert all(metric.combine in ("sum", "max", "mean") for metric in METRICS)


def test_values_at_the_two_ends_of_a_range_are_not_identical() -> None:
    rows, columns = parse_axis("target_ratio", "0.05,0.08,0.2,0.85,0.9"), parse_axis("threshold", "0.8")
    assert identical_in([Settings(profile="hermes-0.19")], rows, columns) == (
        "target_ratio 5%, 8% are identical: kept between 10% and 80%.",
        "target_ratio 85%, 90% are identical: kept between 10% and 80%.",
    )


def test_identical_values_are_named_as_the_labels_of_the_map_name_them() -> None:
    narrow = Settings(profile="hermes-0.19", context_length=64_000)
    rows, columns = parse_axis("context_length", "16000,32000"), parse_axis("threshold", "0.5,0.7")
    (sentence,) = identical_in([narrow], columns, rows, value_words)
    labels = ", ".join(heat_state(SweepState(columns, rows), None, narrow, narrow).rows)
    assert sentence.startswith(f"threshold {labels} are identical: ")


def test_many_identical_values_are_named_by_the_first_and_the_last() -> None:
    narrow = Settings(profile="hermes-0.19", context_length=64_000)
    rows, columns = parse_axis("threshold", "0.3:0.8:0.1"), parse_axis("target_ratio", "0.2")
    (sentence,) = identical_in([narrow], rows, columns)
    assert sentence.startswith("threshold 30% to 80% are identical: ")


def test_identical_values_name_the_conversations_that_they_are_identical_for() -> None:
    narrow = Settings(profile="hermes-0.19", context_length=64_000)
    wide = narrow.with_(context_length=1_000_000)
    rows, columns = parse_axis("threshold", "0.3,0.5,0.7"), parse_axis("target_ratio", "0.2")
    (alone,) = identical_in([narrow], rows, columns)
    assert alone.startswith("threshold 30%, 50%, 70% are identical: ")
    (among,) = identical_in([narrow, wide, wide], rows, columns)
    assert among.startswith("threshold 30%, 50%, 70% are identical for 1 of 3 conversations: ")


def test_tokens_sent_with_a_summary_stay_if_the_size_of_summaries_is_chosen() -> None:
    found = Answers.of([FIXTURES / "agents" / "kimi"], {}, None)
    (row,) = found.rows()
    inspection, resolved = found.opened(row.id)
    recording = read_recording(inspection, resolved.settings.profile)
    as_recorded = run_course(recording.course, resolved.settings, recording.model).metrics.input_tokens
    (event,) = recording.events
    model = summary_model(recording, event.summary)
    assert abs(recording.model.extras[0].tokens) > 10 * event.summary
    chosen = run_course(recording.course, resolved.settings, model).metrics.input_tokens
    assert chosen == pytest.approx(as_recorded, rel=0.01)
    share = resolved.settings.threshold
    axes = Axis("threshold", (share,)), Axis("target_ratio", (0.2,))
    swept = run_sweep(SweepRequest((row.id,), *axes, model=SummaryModel(tokens=event.summary)), found)
    assert swept.cells["input_tokens"] == ((chosen,),)


@pytest.mark.parametrize(
    ("unpriced", "of", "note"),
    [
        (0, 1, ""),
        (1, 1, "1 of 1 conversation has no known cost."),
        (1, 3, "1 of 3 conversations has no known cost."),
        (2, 3, "2 of 3 conversations have no known cost."),
    ],
)
def test_conversations_without_a_known_cost_are_named(unpriced: int, of: int, note: str) -> None:
    axis = Axis("threshold", (0.5,))
    assert Sweep(axis, axis, {}, of, unpriced=unpriced).cost_note == note
