"""The threshold inferred from records if no setting is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from inspector.answers import findings as answers_findings
from inspector.answers.answers import Answers
from inspector.answers.findings import read_findings
from inspector.answers.overview import read_overview
from inspector.commands.cli import commands
from inspector.core.conversations import Compaction, Request
from inspector.engines.registry import engine
from inspector.replay.recorded_threshold import last_beyond, recorded_threshold
from inspector.stores.detect import open_store
from tests.conftest import ROOT
from tests.counting import calls_of
from tests.recipes import recipe


def request(index: int, generation: int, context: int) -> Request:
    return Request(index, generation, str(index), "m", 0.0, context, 0, 0, None, 100)


def compaction(index: int, trigger: str | None, reported: int) -> Compaction:
    return Compaction(
        index,
        "s",
        10,
        1,
        0,
        10,
        0,
        1,
        0,
        "",
        False,
        False,
        0,
        0,
        0.0,
        trigger=trigger,
        tokens_before_reported=reported,
    )


def test_the_usual_threshold_stays_where_it_explains_the_records() -> None:
    requests = [request(1, 1, 100_000), request(2, 1, 166_000), request(3, 2, 50_000)]
    assert recorded_threshold(167_000, requests, [compaction(1, "auto", 168_000)]) is None
    assert recorded_threshold(167_000, requests, []) is None


def test_a_users_own_limit_shows_in_compactions_below_the_usual_threshold() -> None:
    requests = [request(1, 1, 90_000), request(2, 1, 99_000), request(3, 2, 50_000), request(4, 2, 99_500)]
    made = [compaction(1, "auto", 100_500), compaction(2, None, 100_100)]
    assert recorded_threshold(244_800, requests, made) == 100_100


def test_the_settings_of_the_newest_list_count() -> None:
    grown = [request(number, 1, 150_000 + 1_000 * number) for number in range(1, 60)]
    later = [request(60, 2, 90_000), request(61, 2, 160_000), request(62, 3, 50_000), request(63, 3, 160_500)]
    live = [request(64, 4, 50_000), request(65, 4, 60_000)]
    made = [compaction(1, "auto", 213_000), compaction(2, "auto", 166_900), compaction(3, "auto", 166_600)]
    assert recorded_threshold(967_000, grown + later + live, made) == 166_600
    beyond = [request(66, 4, 400_000), request(67, 4, 410_000)]
    assert recorded_threshold(967_000, grown + later + live + beyond, made) is None


def test_compactions_by_hand_show_no_threshold() -> None:
    assert recorded_threshold(167_000, [request(1, 1, 50_000)], [compaction(1, "manual", 50_100)]) is None


def test_one_compaction_against_many_requests_that_went_on_shows_none() -> None:
    requests = [request(number, 1, 60_000 + 1_000 * number) for number in range(1, 80)]
    assert recorded_threshold(167_000, requests, [compaction(1, None, 62_000)]) is None


def test_a_threshold_above_the_size_of_a_compaction_is_none() -> None:
    requests = [request(1, 1, 155_000), request(2, 1, 156_000), request(3, 2, 148_000)]
    requests += [
        request(4, 3, 150_000),
        request(5, 3, 157_000),
        request(6, 4, 150_000),
        request(7, 4, 151_000),
    ]
    made = [compaction(1, None, 156_100), compaction(2, None, 148_900), compaction(3, None, 157_100)]
    assert recorded_threshold(184_800, requests, made) is None
    assert (
        recorded_threshold(184_800, requests, [made[0], replace(made[1], trigger="manual"), made[2]])
        == 156_100
    )


def written(folder: Path, compactions: int = 1, model: str = "") -> Path:
    """Write a session of Codex that compacted far below the usual threshold. `model` is the model afterwards."""
    rollout = recipe("other_lines").CodexRollout("019f7a10-5d00-7cc3-8e10-4d8b0f9ac002")
    rollout.says("user", "Never change the draft.")
    for number in range(compactions):
        for step in range(5):
            rollout.calls(f"c{number}{step}", "exec_command", "x" * 40_000, cmd="cat plan.rs")
            rollout.counts(20_000 * (step + 1), 20_000 * step)
        rollout.compact([rollout.message("user", "Never change the draft.")])
    rollout.says("user", "Go on.")
    if model:
        rollout.calls("more", "exec_command", "x" * 400, cmd="cat draft.rs")
        rollout.counts(15_000, 0)
        rollout.line("turn_context", turn_id="turn-2", cwd="/home/dev", model=model, effort="medium")
        rollout.says("assistant", "I go on.")
        rollout.counts(20_000, 0)
    path = folder / "rollout-2026-07-14-a.jsonl"
    path.write_text(rollout.text())
    return path


def test_a_threshold_from_the_record_alone_is_named_as_that(tmp_path: Path) -> None:
    path = written(tmp_path)

    def asked(*words: str) -> Any:
        return json.loads(CliRunner().invoke(commands, [*words, str(path), "--json"]).stdout)

    shown = "shown by one recorded compaction (100,200 tokens; 244,800 is usual)"
    (compaction,) = asked("compactions")
    # The size of a single compaction is no evidence that a threshold of this size started it.
    assert compaction["why"]["text"] == (
        "trigger not recorded, at 100,200 tokens (reported); no threshold is recorded; codex adds the last results "
        "and earlier reasoning to this size, and usually fires at 244,800 (95% of 258,400)"
    )
    assert compaction["why"]["threshold_tokens"] is None
    last = asked("show", "--no-exact")["explained"]["threshold_tokens"][-1]
    assert (last["rule"], last["value"], last["why"]) == ("inferred", 100_200, shown)
    assert asked("replay")["reproduces"]["inferred"] == [
        f"The threshold in force is {shown}, so this agreement does not prove it."
    ]
    assert asked("recommend")["confidence"].endswith(
        "settings in force are inferred from the same compactions"
    )


def test_a_model_with_the_same_limits_has_the_threshold_of_the_record(tmp_path: Path) -> None:
    answers = Answers(open_store(written(tmp_path, model="gpt-5.6-luna")), {}, None)
    (row,) = answers.store.conversations()
    assert row.model == "gpt-5.6-luna"
    _, resolved = answers.opened(row.id)
    assert "(100,200 tokens; 244,800 is usual)" in resolved.sources["threshold"]


def test_a_sweep_of_windows_has_the_threshold_of_a_replay_with_that_window(tmp_path: Path) -> None:
    """The record shows the threshold in tokens, so a run with another window keeps it."""
    path = str(written(tmp_path))
    swept = CliRunner().invoke(
        commands,
        ["sweep", path, "--context-length", "90000,200000,400000", "--protect-last-n", "5,10", "--json"],
    )
    told = (
        "The threshold is 100,200 tokens for each larger context_length, and the usual one for smaller ones: "
    )
    assert f"{told}shown by one recorded compaction (100,200 tokens" in swept.stderr
    lines = json.loads(swept.stdout)["metrics"]["input_tokens"]
    by_window = zip(*lines, strict=True) if len(lines) == 2 else lines
    for window, line in zip((90_000, 200_000, 400_000), by_window, strict=True):
        words = ["replay", path, "--context-length", str(window), "--json"]
        assert json.loads(CliRunner().invoke(commands, words).stdout)["whatif"]["input_tokens"] == line[0]
    words = ["sweep", path, "--context-length", "200000,400000", "--threshold", "0.5,0.7"]
    assert "for each larger context_length" not in CliRunner().invoke(commands, words).stderr


def test_the_cause_names_a_threshold_that_two_compactions_show(tmp_path: Path) -> None:
    path = written(tmp_path, compactions=2)
    entries = json.loads(CliRunner().invoke(commands, ["compactions", str(path), "--json"]).stdout)
    named = ["the compactions show 100,200; " in entry["why"]["text"] for entry in entries]
    assert named == [True, True]


def test_the_list_and_the_commands_find_under_the_same_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    answers = Answers(open_store(written(tmp_path)), {}, None)
    (row,) = answers.store.conversations()
    worked_out = calls_of(monkeypatch, answers_findings, "find")
    read_overview(answers.store, row, {}, None)
    read_findings(*answers.opened(row.id))
    assert len(worked_out) == 1
    answers.store.close()


def test_reasoning_that_codex_adds_explains_smaller_sizes() -> None:
    requests = [
        request(1, 1, 200_000),
        replace(request(2, 1, 213_000), reasoning=26_000),
        request(3, 2, 50_000),
    ]
    made = [compaction(1, None, 213_100)]
    assert recorded_threshold(244_800, requests, made) == 213_100
    assert recorded_threshold(244_800, requests, made, reasoning=1.22) is None


def test_a_turn_that_ends_a_step_above_the_usual_threshold_shows_no_other() -> None:
    sizes = (165_000, 184_000, 185_000)
    requests = [*(request(at, 1, size) for at, size in enumerate(sizes, 1)), request(4, 2, 50_000)]
    made = [compaction(1, None, 186_000)]
    assert recorded_threshold(183_616, requests, made) == 186_000
    assert recorded_threshold(183_616, requests, made, turns_end=True) is None


def test_a_request_within_a_turn_contradicts_no_threshold_at_its_end() -> None:
    requests = [
        replace(request(1, 1, 12_400), ends_turn=True),
        replace(request(2, 1, 250_000), ends_turn=False),
        replace(request(3, 1, 251_000), ends_turn=True),
        replace(request(4, 2, 10_000), ends_turn=True),
    ]
    made = [compaction(1, None, 12_900)]
    assert recorded_threshold(180_000, requests, made, turns_end=True) == 12_900
    ended = [replace(one, ends_turn=True) for one in requests]
    assert recorded_threshold(180_000, ended, made, turns_end=True) is None
    assert last_beyond(180_000, requests, turns_end=True) is None
    assert last_beyond(180_000, ended, turns_end=True) == 1


def test_lists_that_overflow_below_the_usual_threshold_show_a_smaller_window() -> None:
    sizes = (90_000, 95_000, 99_000)
    requests = [request(at, number, size) for number in (1, 2) for at, size in enumerate(sizes, 3 * number)]
    made = [replace(compaction(number, None, 100_100), overflow=True) for number in (1, 2)]
    assert recorded_threshold(180_000, requests, made, turns_end=True) == 100_100
    assert recorded_threshold(180_000, requests, made[:1], turns_end=True) is None


def test_a_reported_size_next_to_a_rough_size_is_explained(tmp_path: Path) -> None:
    shown = " ".join(CliRunner().invoke(commands, ["compactions", str(written(tmp_path))]).stdout.split())
    assert "reported by the agent: 100,200 tokens before" in shown
    assert "tokens after (~ marks estimates without system prompt and tools) why:" in shown


def test_an_overflow_says_nothing_about_the_threshold() -> None:
    requests = [request(1, 1, 90_000), request(2, 1, 99_000), request(3, 2, 50_000), request(4, 2, 80_000)]
    made = [compaction(1, "auto", 100_500), compaction(2, "auto", 100_100)]
    assert recorded_threshold(244_800, requests, made) == 100_100
    overflown = [replace(one, overflow=True) for one in made]
    assert recorded_threshold(244_800, requests, overflown) is None


def test_lists_that_only_overflow_show_the_size_that_is_too_large() -> None:
    sizes = (90_000, 95_000, 99_000)
    requests = [request(at, number, size) for number in (1, 2) for at, size in enumerate(sizes, 3 * number)]
    made = [replace(compaction(number, None, 100_100), overflow=True) for number in (1, 2)]
    assert recorded_threshold(80_000, requests, made) == 100_100
    assert recorded_threshold(80_000, requests, made, turns_end=True) == 100_100
    assert recorded_threshold(80_000, requests, made[:1], turns_end=True) is None


def test_the_newest_list_beyond_a_threshold_ends_the_time_of_a_higher_one() -> None:
    requests = [request(1, 1, 90_000), request(2, 1, 99_000), request(3, 2, 50_000), request(4, 2, 70_000)]
    assert last_beyond(80_000, requests) == 1
    assert last_beyond(95_000, requests) is None


@pytest.mark.parametrize(("profile", "threshold"), [("claude-code", 225_400), ("pi", 242_016)])
def test_the_compactions_of_one_agent_do_not_show_the_threshold_of_another(
    profile: str, threshold: int
) -> None:
    answers = Answers(open_store(ROOT / "fixtures" / "agents" / "codex"), {"profile": profile}, None)
    (row,) = answers.store.conversations()
    _, resolved = answers.opened(row.id)
    assert resolved.sources["threshold"].startswith("observed")
    assert engine(profile).budgets(resolved.settings).threshold_tokens == threshold
