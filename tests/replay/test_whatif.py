"""What-if runs: properties of every conversation, and agreement with recordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.answers.replaying import replay
from inspector.commands.cli import main
from inspector.core.conversations import ASSISTANT, SYSTEM, TOOL, USER
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine, with_changes
from inspector.engines.replayable import replayable
from inspector.replay.check_points import Check, check_points
from inspector.replay.context_scale import ContextScale
from inspector.replay.course import Course
from inspector.replay.earlier import EarlierSettings
from inspector.replay.recording import Recording
from inspector.replay.run import run_course
from inspector.replay.summary_model import SummaryModel
from inspector.replay.sweep import METRIC_NAMES, Axis, cells, parse_axis, sweep
from inspector.replay.transcript import calls
from inspector.replay.whatif import WhatIf
from inspector.stores.detect import open_store
from tests.engines.lists import assistant, call, conversations, result, user
from tests.examples import fewer

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
#: A window that compacts the generated conversations several times.
SMALL = Settings(context_length=4_000)


def course(messages: tuple[Message, ...], profile: str) -> Course:
    rules = replayable(engine(profile))
    return Course(rules, rules.read(messages), 0)


def run(messages: tuple[Message, ...], profile: str = "documented", **changes: object) -> WhatIf:
    return run_course(course(messages, profile), SMALL.with_(profile=profile, **changes))


@given(conversations(least=6), st.integers(1, 40))
def test_the_whatif_of_a_prefix_is_a_prefix(messages: tuple[Message, ...], cut: int) -> None:
    whole, roles = run(messages), [m.role for m in messages]
    step = min(cut, len(messages))
    # A list that ends before its answer has a request; a list that continues without an answer has none.
    if step < len(messages) and roles[step - 1] in ("user", "tool") and roles[step] != "assistant":
        return
    part = run(messages[:step])
    assert part.tokens == whole.tokens[:step]
    assert part.events == tuple(event for event in whole.events if event.step <= step)


@given(conversations(least=4))
def test_a_run_is_consistent(messages: tuple[Message, ...]) -> None:
    found = run(messages)
    assert len(found.tokens) == len(messages)
    assert [event.step for event in found.events] == sorted({event.step for event in found.events})
    limit = min(found.budgets.threshold_tokens, found.budgets.hygiene_tokens)
    for event in found.events:
        assert event.tokens_before >= limit
        assert event.after < event.before + 1
        assert found.tokens[event.step - 1] == event.tokens_after
        assert 0 <= event.head_end <= event.tail_start <= event.before
    metrics = found.metrics
    assert 0 <= metrics.resummarized_share <= metrics.summarized_share <= 1
    assert metrics.compactions == len(found.events)
    assert metrics.mean_tokens <= metrics.peak_tokens
    assert found == run(messages)


@fewer()
@given(conversations(least=5))
def test_a_sweeps_cell_is_the_single_whatif(messages: tuple[Message, ...]) -> None:
    made = course(messages, "documented")
    rows, columns = Axis("threshold", (0.3, 0.6)), Axis("protect_last_n", (2, 20))
    found = sweep(rows, columns, [cells(made, SummaryModel(), SMALL, rows, columns)])
    for r, threshold in enumerate(rows.values):
        for c, last in enumerate(columns.values):
            single = run_course(made, SMALL.with_(threshold=threshold, protect_last_n=int(last)))
            assert isnan(found.cells["cost"][r][c])
            for name in set(METRIC_NAMES) - {"cost"}:
                assert found.cells[name][r][c] == pytest.approx(getattr(single.metrics, name))


def test_cells_that_never_reach_the_threshold_repeat_a_manual_compaction_under_their_settings() -> None:
    messages = tuple(Message({"role": "user", "content": f"{i} " + "word " * 100}) for i in range(60))
    rules = replayable(engine("documented"))
    made = Course(rules, rules.read(messages), 0, manual=[50])
    rows, columns = Axis("protect_last_n", (2, 40)), Axis("threshold", (0.9,))
    settings = Settings(profile="documented")
    found = sweep(rows, columns, [cells(made, SummaryModel(), settings, rows, columns)])
    for row, last in enumerate(rows.values):
        run = run_course(made, settings.with_(protect_last_n=int(last), threshold=0.9))
        assert [event.fires for event in run.events] == ["manual"]
        assert found.cells["mean_tokens"][row][0] == run.metrics.mean_tokens


def test_cells_use_the_size_that_the_agent_compares_not_only_the_reported_one() -> None:
    messages = tuple(
        Message({"role": ("user", "assistant")[i % 2], "content": f"{i} " + "word " * 300}) for i in range(60)
    )
    rules = replayable(engine("pi"))
    made = Course(rules, rules.read(messages), 0, ahead=[5_000] * 61)
    settings = Settings(profile="pi", context_length=100_000)
    rows, columns = Axis("tail_tokens", (2_000,)), Axis("threshold", (0.9, 0.25))
    found = sweep(rows, columns, [cells(made, SummaryModel(), settings, rows, columns)])
    run = run_course(made, settings.with_(tail_tokens=2_000, threshold=0.25))
    assert run.events
    assert found.cells["compactions"] == ((0, len(run.events)),)


def test_a_sweep_over_windows_keeps_the_reserve_of_the_agent() -> None:
    messages = tuple(
        Message({"role": ("user", "assistant")[i % 2], "content": f"{i} " + "word " * 300}) for i in range(80)
    )
    made = course(messages, "pi")
    lengths = (26_000, 28_000, 32_000)
    start = with_changes(Settings(), profile="pi")
    chosen = [with_changes(start, context_length=length) for length in lengths]
    rows, columns = Axis("tail_tokens", (2_000,)), Axis("context_length", lengths)
    found = sweep(rows, columns, [cells(made, SummaryModel(), start, rows, columns)])
    runs = [run_course(made, settings.with_(tail_tokens=2_000)) for settings in chosen]
    assert [run.budgets.threshold_tokens for run in runs] == [length - 16_384 for length in lengths]
    assert found.cells["compactions"] == (tuple(len(run.events) for run in runs),)


def test_a_compaction_by_hand_replaces_one_that_was_begun() -> None:
    def made(*wires: dict[str, object]) -> tuple[Message, ...]:
        return tuple(map(Message, wires))

    rounds = [made(assistant("", call(f"c{n}")), result(f"c{n}", "x" * 8_000)) for n in range(9)]
    end = made(assistant("done " * 100))
    later = made(user("more"), assistant("answer " * 50), user("and"))
    messages = (
        *made(user("go")),
        *(message for part in rounds[:8] for message in part),
        *end,
        *later,
        *rounds[8],
    )
    settings = with_changes(Settings(), profile="copilot").with_(context_length=20_000)
    rules = replayable(engine("copilot"))
    run = run_course(Course(rules, rules.read(messages), 0, manual=[18]), settings)
    assert [(event.step, event.fires) for event in run.events] == [(18, "manual")]


@pytest.mark.parametrize("second", [30, 20, 5])
def test_settings_that_were_in_force_for_no_message_change_nothing(second: int) -> None:
    messages = tuple(
        Message({"role": ("user", "assistant")[i % 2], "content": f"{i} " + "word " * 300}) for i in range(60)
    )
    rules = replayable(engine("pi"))
    read = rules.read(messages)
    lengths = {"context_length": (40_000, 200_000)}, {"context_length": (30_000, 200_000)}
    first, other = (EarlierSettings(1, 30, changed) for changed in lengths)
    for recorded in ((), range(2, 61)):
        runs = [
            run_course(
                Course(rules, read, 0, recorded_calls=recorded, earlier=earlier), Settings(profile="pi")
            )
            for earlier in ([(30, first)], [(30, first), (second, other)])
        ]
        assert runs[0] == runs[1]


def test_requests_follow_user_messages_and_complete_groups() -> None:
    user, assistant, tool = 0, 1, 2
    assert calls([user, assistant, tool, tool, assistant, user]) == [1, 4, 6]


def test_no_summary_lets_more_fit_than_a_full_one() -> None:
    messages = tuple(Message({"role": "user", "content": f"{i} " + "word " * 400}) for i in range(60))
    made = course(messages, "documented")
    small, large = (
        run_course(made, SMALL.with_(context_length=40_000), SummaryModel(ratio)) for ratio in (0.0, 2.0)
    )
    assert len(small.events) <= len(large.events)
    assert small.events[0].tokens_after < large.events[0].tokens_after


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.3:0.9:0.1", (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
        ("0.5", (0.5,)),
        ("0.2,0.8", (0.2, 0.8)),
        ("0.3:0.35:0.1", (0.3,)),
    ],
)
def test_ranges(text: str, values: tuple[float, ...]) -> None:
    assert parse_axis("threshold", text).values == values


@pytest.mark.parametrize("text", ["a", "1:2", "0.5:0.2:0.1", "0.1:0.9:0", "0.1:0.9:1e-9", "2", "0.1:3:0.5"])
def test_ranges_that_are_none(text: str) -> None:
    from inspector.core.errors import UsageProblem

    with pytest.raises(UsageProblem):
        parse_axis("threshold", text)


def recorded(path: Path, tip: str) -> tuple[Recording, WhatIf]:
    store = open_store(path)
    inspection = Inspection.open(store, tip)
    profile = store.info.profile
    length = {"openai/gpt-4o": 128_000, "deepseek/deepseek-r1": 64_000}.get(
        inspection.conversation.row.model, 200_000
    )
    found = read_recording(inspection, profile)
    return found, run_course(found.course, Settings(profile=profile, context_length=length), found.model)


def places(found: Recording | WhatIf) -> list[tuple[int, int, int]]:
    return [(event.step, event.head_end, event.tail_start) for event in found.events]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["hermes-0.13.0-rotating", "hermes-0.13.0-failures", "hermes-0.19.0-in-place", "hermes-0.19.0-rotating"],
)
def test_under_the_recorded_settings_it_compacts_where_the_recording_did(
    name: str, recordings: Callable[[str], Path]
) -> None:
    path = recordings(name)
    truth = json.loads(Path(f"{path}.truth.json").read_text())
    for tip in (session["tip"] for session in truth["sessions"]):
        found, again = recorded(path, tip)
        assert found.events
        assert places(again) == places(found)


@pytest.mark.parametrize("title", ["Nightly orders import loses rows", "Search cluster to OpenSearch 2.19.1"])
def test_bundled_conversations_compact_where_they_did(title: str) -> None:
    found, again = recorded(FIXTURES / "hermes-0.19-in-place.db", title)
    assert found.events
    assert places(again) == places(found)


def test_the_transcript_has_each_message_once() -> None:
    found, _ = recorded(FIXTURES / "hermes-0.13-rotating.db", "Move checkout to orders-v2")
    rows = [place.message for place in found.transcript.places]
    assert len(rows) == len(set(rows))
    assert list(found.transcript.ends) == sorted(found.transcript.ends)
    assert [event.step for event in found.events] == list(found.transcript.ends)
    assert len(found.tokens) == len(found.transcript)


@pytest.mark.parametrize(("agent", "threshold"), [("gemini", None), ("kimi", 0.1)])
def test_a_list_is_not_smaller_than_the_smallest_request(agent: str, threshold: float | None) -> None:
    answers = Answers(
        open_store(FIXTURES / "agents" / agent), {"threshold": threshold} if threshold else {}, None
    )
    (row,) = answers.store.conversations()
    found = replay(answers, row.id)
    assert found.run.events
    assert min(found.run.tokens) >= min(found.recording.course.scale.least, *found.recording.tokens) > 0


def test_a_run_at_the_recorded_steps_with_other_boundaries_is_noted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["replay", str(FIXTURES / "agents" / "gemini")])
    assert "what-if: compacts at the recorded steps, with other boundaries" in capsys.readouterr().out


def test_a_check_before_inserted_messages_is_not_before_a_recorded_compaction() -> None:
    roles = [USER, ASSISTANT, TOOL, SYSTEM, SYSTEM, SYSTEM, ASSISTANT]
    at_calls = [step for step, check in check_points(roles, [1, 6]) if check is Check.REQUEST]
    assert at_calls == [3]
    points = check_points(roles, [1, 6], compacted_at=[4])
    assert [step for step, check in points if check is Check.REQUEST] == [4]


def test_codex_adds_the_reasoning_before_the_users_last_message() -> None:
    roles = ("user", "assistant", "tool", "assistant", "user", "assistant")
    messages = tuple(
        Message({"role": role, "content": f"{at} " + "word " * 40}) for at, role in enumerate(roles)
    )
    rules = replayable(engine("codex"))
    made = Course(rules, rules.read(messages), 0, reasoning=[0, 1_000, 0, 500, 0, 300])
    factor = rules.loop.reasoning
    # The reasoning of the unfinished turn is part of the reported size.
    added = int(factor * 1_000) + int(factor * 500)
    assert [made.compared(step, 0) for step in (0, 4, 5, 6)] == [0, 0, added, added]
    assert made.compared(6, 10_000, left=10_000) == 10_000
    plain = replayable(engine("opencode"))
    assert Course(plain, plain.read(messages), 0, reasoning=[9] * 6).compared(6, 5) == 5


def test_tools_count_only_once_a_request_with_them_was_answered() -> None:
    roles = ("user", "assistant", "user", "user", "assistant", "user", "assistant", "user")
    messages = tuple(Message({"role": role, "content": f"{at} hello"}) for at, role in enumerate(roles))
    rules = replayable(engine("claude-code-2.1.216"))
    scale = ContextScale(beside=30_000, requests=4, tools=0)
    made = Course(rules, rules.read(messages), 0, scale, recorded_calls=[1, 4, 6, 8], compacted_at=[3])
    settings = Settings(profile="claude-code-2.1.216", context_length=100_000, threshold=0.2)
    assert [event.step for event in run_course(made, settings).events] == [3, 6, 8]


def test_an_encrypted_summary_is_not_counted_twice() -> None:
    answers = Answers(open_store(FIXTURES / "agents" / "codex"), {"threshold": 0.9}, None)
    (row,) = answers.store.conversations()
    found = replay(answers, row.id)
    (recorded,), (made,) = found.recording.events, found.run.events
    assert recorded.summary == 0
    assert made.tokens_after == pytest.approx(recorded.tokens_after, rel=0.02)
