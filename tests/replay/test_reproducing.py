"""Agreement of a run under the settings in force with the recorded compactions, and settings that are recommended."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.recommending import Goal, recommend
from inspector.answers.recordings import read_recording
from inspector.answers.replaying import replay, reproduced
from inspector.answers.sweeping import sweep_store
from inspector.core.errors import UsageProblem
from inspector.engines.registry import engine
from inspector.export.whatif import recommendation_document
from inspector.replay.reproducing import Reproduction, left_out_words, reproduction, total_reproduction
from inspector.replay.run import run_course
from inspector.replay.sweep import parse_axis
from inspector.replay.whatif import Range
from inspector.stores.detect import open_store
from tests.conftest import ROOT
from tests.recipes import recipe

lines, others = recipe("claude_lines"), recipe("more_lines")
ORDERS = "Nightly orders import loses rows"


@pytest.fixture
def bundled() -> Answers:
    return Answers(open_store(ROOT / "fixtures" / "hermes-0.19-in-place.db"), {}, None)


def test_a_recording_by_the_settings_in_force_is_reproduced(bundled: Answers) -> None:
    inspection, _ = bundled.opened(ORDERS)
    found = reproduced(inspection)
    assert (found.recorded, found.same, found.near, found.more, found.why_not) == (3, 3, 3, 0, ())
    assert found.trusted
    assert found.agreement == "3 of 3 recorded compactions at the same step"


def test_other_settings_do_not_reproduce_it_and_the_reason_is_named(bundled: Answers) -> None:
    inspection, resolved = bundled.opened(ORDERS)
    recording = read_recording(inspection, resolved.settings.profile)
    large = run_course(recording.course, resolved.settings.with_(context_length=400_000), recording.model)
    found = reproduction(recording.course, recording.events, large, models=2)
    assert not found.trusted
    assert (found.recorded, found.near) == (3, 0)
    assert any("below the threshold of 300,000 tokens" in reason for reason in found.why_not)
    assert any("2 models" in reason for reason in found.why_not)


def test_a_compaction_that_came_late_is_a_reason(bundled: Answers) -> None:
    inspection, resolved = bundled.opened(ORDERS)
    recording = read_recording(inspection, resolved.settings.profile)
    run = run_course(recording.course, resolved.settings, recording.model)
    first = run.events[0]
    late = first._replace(step=first.step + 12)
    found = reproduction(recording.course, [late], replace(run, events=(first,)))
    (why,) = found.why_not
    assert why.startswith(
        "1 compaction came 4 requests later than in the run, whose list had reached the threshold of 54,400 tokens"
    )


def test_compactions_without_a_recorded_one_near_them_are_called_unrecorded(bundled: Answers) -> None:
    inspection, resolved = bundled.opened(ORDERS)
    recording = read_recording(inspection, resolved.settings.profile)
    run = run_course(recording.course, resolved.settings, recording.model)
    first, second, _ = run.events
    found = reproduction(recording.course, [first], replace(run, events=(first, second)))
    same = "1 of 1 recorded compaction at the same step; the run has 1 other compaction"
    assert found.agreement == same
    for near, exact in ((2, "1"), (2, "none")):
        fit = replace(found, recorded=3, near=near, same=1 if exact == "1" else 0, more=0)
        assert fit.agreement == f"2 of 3 recorded compactions within 3 requests ({exact} at the same step)"
    # The run has as many compactions as the recording, so it has not "1 more".
    late = first._replace(step=first.step + 12)
    found = reproduction(recording.course, [late], replace(run, events=(first,)))
    far = "0 of 1 recorded compaction within 3 requests; the run has 1 other compaction"
    assert found.agreement == far


def test_a_replay_has_the_range_of_other_summaries(bundled: Answers) -> None:
    answer = replay(bundled, ORDERS)
    low, high = answer.range.compactions
    assert low <= answer.run.metrics.compactions <= high
    least, most = answer.range.input_tokens
    assert least <= answer.run.metrics.input_tokens <= most
    assert least < most


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        (Range((1, 1), (10, 20)), Range((1, 1), (20, 30)), True),
        (Range((1, 1), (10, 20)), Range((1, 1), (21, 30)), False),
        # If costs are known, they decide.
        (Range((1, 1), (10, 20), (1.0, 2.0)), Range((1, 1), (10, 20), (2.5, 3.0)), False),
    ],
)
def test_settings_whose_ranges_meet_are_alike(first: Range, second: Range, alike: bool) -> None:
    assert first.overlaps(second) is second.overlaps(first) is alike


def long_session(folder: Path, step: int, ends: int) -> Answers:
    """Write a session of Claude Code that compacts at 167,000 tokens, with questions of `step` tokens."""
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.cached = 30_000
    for number in range(ends):
        made.user(f"Question {number}: " + "x" * (4 * step))
        made.answer(lines.text("So it is."), written=step)
    return Answers(open_store(made.write(folder / "a.jsonl")), {}, None)


def test_nothing_is_recommended_where_nothing_was_recorded_to_compare_with(tmp_path: Path) -> None:
    answers = long_session(tmp_path, 3_000, 30)
    found = recommend(answers, [])
    assert not found.changes
    document = recommendation_document(found)
    assert document["write"] is None
    assert document["confidence"] == "unknown: no automatic compaction is recorded"


def test_a_cost_without_the_conversations_that_have_no_price_is_unknown(tmp_path: Path) -> None:
    for number, model in enumerate(("claude-opus-4-5", "a-model-without-a-price")):
        made = lines.Session(f"5e55a000-0000-4000-8000-00000000000{number}", model=model)
        for question in range(10):
            made.user(f"Question {question}: " + "x" * 12_000)
            made.answer(lines.text("So it is."), written=3_000)
        made.write(tmp_path / f"{made.session}.jsonl")
    answers = Answers(open_store(tmp_path), {}, None)
    both, one = recommend(answers, []), recommend(answers, ["5e55a000-0000-4000-8000-000000000000"])
    assert not isnan(one.in_force["cost"])
    assert [isnan(figures["cost"]) for figures in (both.recorded, both.in_force)] == [True, True]


def test_no_cell_of_several_conversations_is_the_best_if_few_are_reproduced() -> None:
    answers = Answers(open_store(ROOT / "fixtures" / "agents" / "cline"), {}, None)
    axes = parse_axis("threshold", "0.1,0.3"), parse_axis("target_ratio", "0.2")
    every = sweep_store(answers, [], *axes)
    assert every.reproduces is not None
    assert (every.reproduces.recorded, every.reproduces.near) == (2, 1)
    assert every.best("compactions") is None
    assert any("No cell is called the best" in note for note in answers.notes())
    (trusted,) = (
        row.id
        for row in answers.store.conversations()
        if (one := sweep_store(answers, [row.id], *axes).reproduces) is not None and one.trusted
    )
    assert sweep_store(answers, [trusted], *axes).best("compactions") is not None
    answers.store.close()


def test_a_conversation_that_is_named_twice_counts_once(bundled: Answers) -> None:
    once, twice = (recommend(bundled, names) for names in ([ORDERS], [ORDERS, ORDERS]))
    assert twice == once
    axes = parse_axis("threshold", "0.5"), parse_axis("target_ratio", "0.2")
    assert sweep_store(bundled, [ORDERS, ORDERS], *axes).complete


def test_a_recommendation_is_written_for_the_release(bundled: Answers) -> None:
    found = recommend(bundled, [ORDERS], "few-compactions")
    document = recommendation_document(found)
    assert document["reproduces"]["near"] == 3
    if found.changes:
        assert found.recommended["compactions"] < found.in_force["compactions"]
        assert document["write"]["file"] == "config.yaml"
        assert "# was" in document["write"]["text"]
    else:
        assert document["write"] is None
    assert document["why"]


def test_a_setting_overridden_by_a_rule_is_not_changed(bundled: Answers) -> None:
    """Every threshold makes the same runs here, because the minimum of 75% applies."""
    found = recommend(bundled, ["Search cluster to OpenSearch 2.19.1"], "facts")
    assert found.changes
    assert found.settings.threshold == found.force.threshold
    assert found.settings.target_ratio != found.force.target_ratio


@pytest.mark.parametrize("goal", ["cost", "facts", "few-compactions"])
@pytest.mark.parametrize("name", ["hermes-0.13-rotating.db", "agents/qwen", "agents/kimi", "agents/codex"])
def test_recommended_settings_serve_the_goal_by_their_own_figures(name: str, goal: Goal) -> None:
    answers = Answers(open_store(ROOT / "fixtures" / name), {}, None)
    for row in answers.store.conversations():
        found = recommend(answers, [row.id], goal)
        against = recommendation_document(found)["against"]
        if engine(found.force.profile).budgets(found.force).why_unused("target_ratio"):
            assert not any("target_ratio" in sentence for sentence in found.why)
        if not found.changes:
            assert against["recommended"] == against["in_force"]
            continue
        figures, now = found.recommended, found.in_force
        if goal == "cost":
            price = "input_tokens" if isnan(now["cost"]) else "cost"
            assert figures[price] < now[price]
            assert all(figures[risk] <= now[risk] for risk in ("facts_at_risk", "constraints_at_risk"))
            assert isnan(now["cost"]) == any("The cost is unknown" in sentence for sentence in found.why)
        else:
            figure = "facts_at_risk" if goal == "facts" else "compactions"
            assert figures[figure] < now[figure]
            low, high = against["in_force"]["range"][figure][0], against["recommended"]["range"][figure][1]
            assert high < low
    answers.store.close()


def test_fewer_facts_at_risk_must_not_depend_on_the_size_of_summaries(bundled: Answers) -> None:
    found = recommend(bundled, [ORDERS], "facts")
    assert not found.changes
    assert any("both settings may put as many facts at risk" in sentence for sentence in found.why)


def test_conversations_of_several_agents_are_not_mixed(tmp_path: Path) -> None:
    from inspector.stores.several import SeveralStores

    session = long_session(tmp_path, 100, 2)
    both = SeveralStores([open_store(ROOT / "fixtures" / "hermes-0.19-in-place.db"), session.store], tmp_path)
    with pytest.raises(UsageProblem, match="several agents"):
        recommend(Answers(both, {}, None), [])


def test_a_compaction_far_below_the_threshold_counts_as_manual() -> None:
    """pi does not record why it compacted."""
    answers = Answers(open_store(ROOT / "fixtures" / "agents" / "pi" / "tides-v3.jsonl"), {}, None)
    found = replay(answers, "5fd1e58c")
    threshold = found.run.budgets.threshold_tokens
    low = [event for event in found.recording.events if event.tokens_before < threshold / 2]
    assert low
    assert {event.fires for event in low} == {"manual"}
    assert [event.step for event in found.run.events if event.fires == "manual"] == [
        event.step for event in low
    ]


def test_a_compaction_without_the_list_before_it_is_skipped_and_noted(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-00000000c4a9", version="2.1.40")
    made.compact("It goes on.", before=168_000)
    for number in range(4):
        made.user(f"Read berth {number}.")
        made.answer(lines.text("Read."), written=900)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (row,) = store.conversations()
    answers = Answers(store, {}, None)
    inspection, resolved = answers.opened(row.id)
    (event,) = read_recording(inspection, resolved.settings.profile).events
    assert (event.before, event.fires, event.tokens_before) == (0, "agent", 168_000)
    found = reproduced(inspection)
    assert (found.recorded, found.more) == (0, 0)
    assert found.why_not == (
        "1 compaction is left out: the list before is not recorded, and runs have no such summary.",
    )


def test_sizes_before_compactions_are_used_if_no_request_has_one(tmp_path: Path) -> None:
    """Early releases of Copilot report no sizes of requests. The compaction reached the threshold of 80,000 tokens, and
    the recorded messages have a tenth of them."""
    made = others.CopilotSession("5e55a000-0000-4000-8000-000000000009")
    for number in range(8):
        made.user(f"Read berth {number}.")
        made.answer("The berth is free. " * 200)
    made.compact("## Goal\nRead the berths", 80_100, 9_000)
    made.user("Moor it.")
    made.answer("Moored.")
    made.events = [event for event in made.events if event["type"] != "session.usage_record"]
    answers = Answers(open_store(made.write(tmp_path)), {}, None)
    (row,) = answers.store.conversations()
    found = replay(answers, row.id)
    assert found.recording.events[0].tokens_before == 80_100
    assert not any("below the threshold" in reason for reason in found.reproduces.why_not)
    assert "the sizes that the agent reports before 1 compaction" in found.recording.course.scale.sentence()


@pytest.mark.parametrize("again", [True, False])
def test_instructions_that_follow_a_manual_compaction_again_count_once(tmp_path: Path, again: bool) -> None:
    """Early releases of Codex leave them out of the list after it, and send them with the next turn."""
    rollout = recipe("other_lines").CodexRollout("019f7a10-5d00-7cc3-8e10-4d8b0f9ac003")
    instructions, request = "Mind the tides. " * 2_000, "Read the berths."
    rollout.says("developer", instructions)
    rollout.says("user", request)
    for step in range(4):
        rollout.calls(f"c{step}", "exec_command", "x" * 40_000, cmd="cat berths.txt")
        rollout.counts(20_000 + 10_000 * step, 0)
    rollout.event("task_complete")
    rollout.event("task_started", model_context_window=258_400)
    context = [] if again else [rollout.message("developer", instructions)]
    rollout.compact([*context, rollout.message("user", request)])
    rollout.event("task_complete")
    rollout.event("task_started", model_context_window=258_400)
    if again:
        rollout.says("developer", instructions)
    rollout.says("user", "Go on.")
    rollout.says("assistant", "Done.")
    rollout.counts(16_000, 0)
    path = tmp_path / "rollout-2026-07-14-a.jsonl"
    path.write_text(rollout.text())
    answers = Answers(open_store(path), {}, None)
    (row,) = answers.store.conversations()
    found = replay(answers, row.id)
    (recorded,), (made,) = found.recording.events, found.run.events
    assert (recorded.fires, made.fires) == ("manual", "manual")
    assert made.tokens_after == pytest.approx(recorded.tokens_after, abs=100)
    assert found.run.metrics.input_tokens == pytest.approx(found.recorded.input_tokens, abs=200)


def test_compactions_left_out_of_several_conversations_are_added_up() -> None:
    words = left_out_words(1), left_out_words(2)
    parts = [
        Reproduction(1, 1, 1, 0, (words[0], "Sizes are rough."), unseen=1),
        Reproduction(2, 2, 2, 0, (words[1], "Sizes are rough."), unseen=2),
        Reproduction(1, 0, 0, 0, ("Other settings.",)),
    ]
    total = total_reproduction(parts)
    assert total.why_not == (left_out_words(3), "Sizes are rough.", "Other settings.")
    assert (total.recorded, total.unseen) == (4, 3)
