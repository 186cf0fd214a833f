"""What-ifs as text: small costs keep their digits, and a peak above the window is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.answers.replaying import replay
from inspector.export.comparison import figure_rows
from inspector.export.whatif import print_replay, print_sweep, replay_document
from inspector.replay.metrics import METRICS, Scores
from inspector.replay.sweep import Axis, sweep
from inspector.stores.detect import open_store
from widgets.panes.token_graph import GraphState

AGENTS = Path(__file__).resolve().parents[2] / "fixtures" / "agents"
GEMINI = AGENTS / "gemini"
CLAUDE_CODE = AGENTS / "claude-code" / "-home-dev" / "3f1c7a52-8e0d-4b66-9a41-0c5d2e7b9f10.jsonl"


@pytest.mark.parametrize(("window", "note"), [(10_000_000, ""), (50_000, " (the window has 50,000)")])
def test_a_peak_above_the_window_is_named(window: int, note: str, capsys: pytest.CaptureFixture[str]) -> None:
    answers = Answers(open_store(GEMINI), {"context_length": window}, None)
    (row,) = answers.store.conversations()
    document = replay_document(replay(answers, row.id))
    document["whatif"]["cost"]["amount"] = 0.0042
    print_replay(document)
    shown = capsys.readouterr().out
    assert f"peak ~{document['whatif']['peak_tokens']:,}{note} · mean" in shown
    assert "cost with summaries, what-if: 0.004 US dollars" in shown
    recorded = document["recorded"]
    assert f"recorded: peak ~{recorded['peak_tokens']:,} · mean ~{recorded['mean_tokens']:,} · input" in shown
    document["reproduces"]["changed"] = ("Runs use the settings that were in force from step 1 to 9.",)
    print_replay(document)
    assert "(the window has" not in capsys.readouterr().out


def test_a_compaction_that_no_run_has_is_marked_in_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = CLAUDE_CODE.read_text().splitlines(keepends=True)
    boundary = next(at for at, line in enumerate(whole) if '"subtype": "compact_boundary"' in line)
    (path := tmp_path / CLAUDE_CODE.name).write_text("".join(whole[boundary:]))
    answers = Answers(open_store(path), {}, None)
    answer = replay(answers, answers.store.conversations()[0].id)
    print_replay(replay_document(answer))
    marked = [line for line in capsys.readouterr().out.splitlines() if line.endswith("unknown, left out")]
    assert len(marked) == answer.reproduces.unseen == 1
    assert GraphState.of(answer.recording, answer.run).left_out == (answer.recording.events[0].step,)


def test_small_costs_of_cells_and_runs_have_three_places(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [metric for metric in METRICS if not metric.facts]
    costs = [0.0042, 0.0071]
    scores = [
        Scores(tuple(cost if metric.name == "cost" else 1.0 for metric in wanted), 1, 0, run=number)
        for number, cost in enumerate(costs)
    ]
    swept = sweep(Axis("threshold", (0.5,)), Axis("target_ratio", (0.2, 0.3)), [[scores]])
    print_sweep(swept)
    shown = capsys.readouterr().out
    assert "cost, USD   rows threshold, columns target_ratio, best (0.004) marked *" in shown
    assert "0.007" in shown
    assert figure_rows([{"cost": costs[0]}.get]) == [["cost, USD", "0.004"]]
