"""Plans: properties of every list, and typical cases of releases."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.plans import plan_files
from inspector.core.messages import Message, messages_from
from inspector.core.rough import list_tokens, message_chars, message_images
from inspector.engines.base import Plan, Settings
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.releases import RELEASES
from inspector.engines.hermes.token_index import SumsColumn
from inspector.engines.registry import names
from tests.engines.lists import assistant, call, conversations, result, user
from tests.examples import also

PROFILES = tuple(RELEASES)
SMALL = Settings(context_length=4_000)


def engine_of(profile: str) -> HermesEngine:
    return HermesEngine(RELEASES[profile])


def plan_of(
    profile: str, messages: tuple[Message, ...], given_settings: Settings = SMALL, compactions: int = 0
) -> Plan:
    found = engine_of(profile)
    return found.plan(found.measure(messages), given_settings, compactions)


@st.composite
def knobs(draw: st.DrawFn) -> Settings:
    return Settings(
        threshold=draw(st.floats(0.05, 0.95)),
        target_ratio=draw(st.floats(0, 1)),
        protect_first_n=draw(st.integers(0, 6)),
        protect_last_n=draw(st.integers(1, 30)),
        context_length=draw(st.sampled_from([2_000, 8_000, 64_000, 200_000])),
    )


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=40),
    st.integers(0, 900),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_the_walk_by_bisection_equals_the_plain_walk(
    numbers: list[tuple[int, int]], ceiling: int, low: int, pruned_to: int
) -> None:
    kept, short = [k for k, _ in numbers], [s for _, s in numbers]
    low, pruned_to = min(low, len(numbers)), min(pruned_to, len(numbers))
    column = SumsColumn(kept, short)
    now = [short[i] if i < max(pruned_to, low) else kept[i] for i in range(len(numbers))]
    over = [i for i in range(low, len(numbers)) if sum(now[i:]) > ceiling]
    assert column.overrun(ceiling, low, pruned_to) == (over[-1] if over else -1)


@given(conversations(), knobs(), st.sampled_from(PROFILES), st.integers(0, 2))
def test_regions_partition_the_list_and_planning_is_deterministic(
    messages: tuple[Message, ...], given_settings: Settings, profile: str, compactions: int
) -> None:
    plan = plan_of(profile, messages, given_settings, compactions)
    head, tail = plan.regions()
    assert 0 <= head <= tail <= len(messages)
    assert [plan.region(i) for i in range(len(messages))] == (
        ["head"] * head + ["middle"] * (tail - head) + ["tail"] * (len(messages) - tail)
    )
    assert plan == plan_of(profile, messages, given_settings, compactions)
    if messages and messages[0].role == "system":
        assert plan.region(0) == "head"


@given(conversations(), knobs(), st.sampled_from(PROFILES))
def test_the_plan_names_exactly_the_messages_that_pruning_changes(
    messages: tuple[Message, ...], given_settings: Settings, profile: str
) -> None:
    found = engine_of(profile)
    plan = plan_of(profile, messages, given_settings)
    pruned = found.prune(messages, plan)
    assert [i for i, m in enumerate(messages) if pruned[i] != m.wire] == list(plan.pruned)


@given(conversations(), knobs(), st.sampled_from(PROFILES))
def test_token_sums_are_those_of_the_pruned_list(
    messages: tuple[Message, ...], given_settings: Settings, profile: str
) -> None:
    found = engine_of(profile)
    plan = plan_of(profile, messages, given_settings)
    if not plan.compacts:
        return
    pruned = found.prune(messages, plan)
    head, tail = plan.regions()
    for tokens, part in (
        (plan.head_tokens, pruned[:head]),
        (plan.middle_tokens, pruned[head:tail]),
        (plan.tail_tokens, pruned[tail:]),
    ):
        assert tokens == list_tokens(sum(map(message_chars, part)), sum(map(message_images, part)))


@given(conversations(), knobs(), st.sampled_from(PROFILES))
def test_tool_groups_of_the_assembled_list_are_whole(
    messages: tuple[Message, ...], given_settings: Settings, profile: str
) -> None:
    found = engine_of(profile)
    output = found.assemble(messages, plan_of(profile, messages, given_settings), "what happened")
    calls = [c["id"] for out in output for c in out.wire.get("tool_calls", ())]
    answers = [out.wire["tool_call_id"] for out in output if out.role == "tool"]
    assert set(calls) == set(answers)


@given(conversations(), knobs(), st.sampled_from(PROFILES), st.integers(0, 2))
def test_the_summary_never_repeats_a_neighbours_role(
    messages: tuple[Message, ...], given_settings: Settings, profile: str, compactions: int
) -> None:
    plan = plan_of(profile, messages, given_settings, compactions)
    if not plan.compacts:
        return
    before = messages[plan.head_end - 1].role if plan.head_end else ""
    after = messages[plan.tail_start].role if plan.tail_start < len(messages) else ""
    assert plan.merged or plan.role not in (before, after)
    assert plan.merged == (plan.role == "")


@given(conversations(least=4), st.sampled_from(["documented", "hermes-0.13"]), st.integers(1, 7))
def test_a_larger_ratio_never_shortens_the_tail(
    messages: tuple[Message, ...], profile: str, tenths: int
) -> None:
    less = plan_of(profile, messages, SMALL.with_(target_ratio=tenths / 10))
    more = plan_of(profile, messages, SMALL.with_(target_ratio=tenths / 10 + 0.1))
    # If everything fits into the tail, a release still cuts out a middle.
    forced = any(step.rule == "middle" for step in (*less.steps, *more.steps))
    if less.compacts and more.compacts and not forced:
        assert more.tail_start <= less.tail_start


def talk(count: int, size: int = 400) -> tuple[Message, ...]:
    wires: list[dict[str, Any]] = []
    for index in range(count):
        wires += [user(f"question {index}"), assistant("answer " * size)]
    return messages_from(wires)


def test_the_head_decays_in_0_19_only() -> None:
    messages = talk(40)
    assert plan_of("hermes-0.13", messages, compactions=1).head_end == 3
    assert plan_of("hermes-0.19", messages, compactions=0).head_end == 3
    assert plan_of("hermes-0.19", messages, compactions=1).head_end == 0


def test_documented_head_counts_the_system_prompt() -> None:
    messages = (Message({"role": "system", "content": "be good"}), *talk(40))
    assert plan_of("documented", messages).head_end == 3
    assert plan_of("hermes-0.13", messages).head_end == 4


def test_a_call_in_the_head_keeps_its_results() -> None:
    wires = [
        user(),
        assistant(None, call("a"), call("b")),
        result("a"),
        result("b"),
        *(m.wire for m in talk(40)),
    ]
    assert plan_of("documented", messages_from(wires), SMALL.with_(protect_first_n=2)).head_end == 4


@pytest.mark.parametrize("profile", ["hermes-0.13", "hermes-0.19"])
def test_the_last_user_message_stays_in_the_tail(profile: str) -> None:
    work = [m for i in range(60) for m in (assistant(None, call(f"c{i}")), result(f"c{i}", "out " * 4000))]
    wires = [user("hello"), assistant(), user("first"), assistant(), user("THE REQUEST"), *work]
    plan = plan_of(profile, messages_from(wires), Settings(context_length=64_000))
    assert plan.tail_start <= 4


def test_documented_rules_summarize_the_last_request_away() -> None:
    work = [m for i in range(60) for m in (assistant(None, call(f"c{i}")), result(f"c{i}", "out " * 400))]
    wires = [user("hello"), assistant(), user("first"), assistant(), user("THE REQUEST"), *work]
    assert plan_of("documented", messages_from(wires)).region(4) == "middle"


@pytest.mark.parametrize("profile", PROFILES)
def test_a_short_list_is_not_compacted_with_a_reason(profile: str) -> None:
    plan = plan_of(profile, talk(3))
    assert not plan.compacts
    assert "too few" in plan.reason
    assert plan.pruned == ()
    assert plan.region(0) == "head"


def test_a_failure_of_a_release_is_in_the_plan() -> None:
    wires = [m.wire for m in talk(30)]
    wires[8] = {"role": "user", "content": [{"type": "text", "text": None}]}
    plan = plan_of("hermes-0.19", messages_from(wires), Settings(context_length=4_000))
    assert plan.raises == "TypeError at message 8"
    assert not plan.compacts
    assert plan_of("hermes-0.13", messages_from(wires)).compacts


@pytest.mark.parametrize("profile", names())
@pytest.mark.parametrize("depth", also(100_000, 600))
def test_arguments_that_are_nested_too_deeply_are_unreadable_arguments(
    tmp_path: Path, profile: str, depth: int
) -> None:
    deep = "[" * depth + "]" * depth
    arguments = (deep, f'{{"command": {deep}}}', f'{{"path": {deep}, "content": "{"x" * 600}"}}')
    calls = [(f"c{n}", arguments[n % 3]) for n in range(30)]
    work = [
        m
        for name, text in calls
        for m in (user(), assistant(None, call(name, arguments=text)), result(name, name * 2_000))
    ]
    (tmp_path / "list.json").write_text(json.dumps([*work, user(), assistant()]))
    (planned,) = plan_files(
        [tmp_path / "list.json"], {"profile": profile, "context_length": 20_000}, None, compactions=0
    )
    assert planned.plan.compacts or planned.plan.raises


def test_prefix_sums_follow_the_messages() -> None:
    messages = talk(5)
    token_index = engine_of("hermes-0.13").measure(messages)
    tokens = [token_index.tokens(i) for i in range(len(messages))]
    assert list(accumulate(tokens, initial=0)) == list(token_index.original.kept)
    assert token_index.total() == list_tokens(sum(message_chars(m.wire) for m in messages))
