"""Engines of other agents, from observation: when they fire, what they keep, and the source of each number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.core.messages import messages_from
from inspector.engines.base import Settings
from inspector.engines.capabilities import assemble, default_threshold
from inspector.engines.observed.engine import ObservedEngine
from inspector.engines.observed.profiles import numbers_of, observed_rules
from inspector.engines.registry import (
    agent_of,
    engine,
    names,
    profile_of,
    profile_status,
    with_changes,
    words_of,
)
from inspector.engines.replayable import replayable
from inspector.engines.sizes import Compacted, MessageSize
from tests.engines.lists import assistant, call, result, user

OBSERVED = [rules.name for rules in observed_rules()]


def settings(name: str, length: int = 200_000) -> Settings:
    return Settings(
        profile=name, context_length=length, threshold=default_threshold(engine(name), length) or 0.5
    )


def conversation(rounds: int, size: int = 4_000) -> list[dict[str, Any]]:
    wires: list[dict[str, Any]] = []
    for number in range(rounds):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        wires += [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "x" * size},
        ]
    return wires


@pytest.mark.parametrize(
    ("name", "length", "threshold"),
    [
        ("claude-code", 200_000, 167_000), ("claude-code", 1_000_000, 967_000),
        ("claude-code-2.1.20", 200_000, 155_000),
        ("pi", 200_000, 183_616),
        ("codex", 258_400, 244_800), ("opencode", 200_000, 168_000),
        ("kimi", 200_000, 150_000), ("kimi", 1_000_000, 850_000), ("qwen", 200_000, 167_000),
        ("qwen", 1_000_000, 850_000), ("gemini", 1_048_576, 524_288), ("dsh", 200_000, 134_464),
        ("dsh", 1_000_000, 800_000),
        ("goose", 200_000, 160_000),
    ],
)  # fmt: skip
def test_thresholds_of_the_engines(name: str, length: int, threshold: int) -> None:
    chosen = settings(name, length)
    assert engine(name).budgets(chosen).threshold_tokens == threshold
    assert engine(name).fires(threshold, chosen) == "agent"
    assert engine(name).fires(threshold - 1, chosen) is None


@pytest.mark.parametrize(
    ("name", "extra", "stays"),
    [
        # Complete rounds of question, call and result; then messages of another round.
        ("kimi", 0, range(27, 30)), ("kimi", 1, range(28, 31)), ("kimi", 2, range(30, 32)), ("kimi", 3, range(30, 33)),
        ("qwen", 0, range(28, 30)), ("qwen", 1, ()), ("qwen", 2, ()), ("qwen", 3, range(31, 33)),
        ("openhands", 0, (0, *range(18, 30))), ("openhands", 2, (0, *range(19, 32))),
        ("gemini", 0, range(21, 30)), ("gemini", 2, range(24, 32)),
        ("goose", 0, (27,)), ("goose", 1, (30,)),
        ("dsh", 0, range(30)),
    ],
)  # fmt: skip
def test_messages_that_stay(name: str, extra: int, stays: Sequence[int]) -> None:
    messages = messages_from(conversation(11)[: 30 + extra])
    chosen = settings(name)
    plan = engine(name).plan(engine(name).measure(messages), chosen)
    kept = {*range(plan.head_end), *plan.kept, *range(plan.tail_start, len(messages))}
    assert sorted(kept) == list(stays)


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("2.0.76", "claude-code-2.1.20"), ("2.1.7", "claude-code-2.1.20"), ("2.1.20", "claude-code-2.1.20"),
        ("2.1.20-beta.3", "claude-code-2.1.20"), ("2.1.21", "claude-code-2.1.216"), ("2.1.216", "claude-code-2.1.216"),
        ("2.1.217", "claude-code"), ("2.1.331", "claude-code"),
        ("2.2", "claude-code"), ("3.0.0", "claude-code"), ("", "claude-code"), ("unknown", "claude-code"),
    ],
)  # fmt: skip
def test_a_release_has_its_observed_rules(version: str, name: str) -> None:
    assert profile_of("claude-code", version) == name
    assert (agent_of(name), profile_status(name)) == ("claude-code", "observed")


def test_rules_of_earlier_releases_are_not_named_like_a_release() -> None:
    assert [words_of(name) for name in ("claude-code-2.1.216", "pi-0.84", "claude-code", "hermes-0.18")] == [
        "claude-code up to 2.1.216",
        "pi up to 0.84.0",
        "claude-code",
        "hermes-0.18",
    ]


def test_early_releases_of_pi_compact_only_at_the_end_of_a_turn() -> None:
    assert (profile_of("pi", "0.84.0"), profile_of("pi", "0.84.4"), profile_of("pi", "")) == (
        "pi-0.84",
        "pi",
        "pi",
    )
    assert (agent_of("pi-0.84"), replayable(engine("pi-0.84")).loop.turns_end) == ("pi", True)
    assert not replayable(engine("pi")).loop.turns_end


def test_the_version_of_one_agent_does_not_affect_another() -> None:
    for name in ("codex", "opencode", "kimi"):
        assert (profile_of(name, "0.1"), agent_of(name)) == (name, name)
    assert agent_of("hermes-0.19") == ""


@pytest.mark.parametrize("name", OBSERVED)
def test_a_chosen_threshold_replaces_the_observed_threshold(name: str) -> None:
    budgets = engine(name).budgets(settings(name).with_(threshold=0.25))
    assert budgets.threshold_tokens == 50_000
    assert [step.rule for step in budgets.steps["threshold_tokens"]] == ["observed", "configured"]


@pytest.mark.parametrize("name", OBSERVED)
def test_every_number_names_its_source(name: str) -> None:
    assert name in names()
    budgets = engine(name).budgets(settings(name))
    assert budgets.observed
    for steps in budgets.steps.values():
        assert all(step.why for step in steps)
    # goose was not observed: its rules are from its code.
    word = "Not seen" if name == "goose" else "Observed"
    assert word in " ".join(step.why for steps in budgets.steps.values() for step in steps)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("claude-code", 1_100), ("claude-code-2.1.216", 0), ("codex", 20_000), ("pi", 21_100), ("opencode", 15_000),
    ],
)  # fmt: skip
def test_tokens_that_the_engines_keep(name: str, kept: int) -> None:
    found = engine(name)
    index = found.measure(messages_from(conversation(80)))
    plan = found.plan(index, settings(name))
    assert plan.compacts
    assert (plan.head_end, plan.regions()) == (0, (0, plan.tail_start))
    assert plan.tail_tokens <= kept
    assert (plan.tail_start == 240) is (name in ("claude-code-2.1.216", "codex"))
    assert plan.tokens_after == plan.tail_tokens + plan.summary_tokens < plan.tokens_before
    # Codex keeps the user's messages, newest first.
    wires = conversation(80)
    users = [at for at in range(240) if wires[at]["role"] == "user"]
    assert sorted(plan.kept) == (users[-len(plan.kept) :] if name == "codex" else [])
    assert {plan.region(at) for at in plan.kept} == ({"tail"} if name == "codex" else set())
    assert len(assemble(found, messages_from(wires), plan, "## Goal")) == plan.length_after


def test_the_last_answer_stays_with_its_results_and_later_messages() -> None:
    found, wires = engine("claude-code"), [*conversation(80), {"role": "user", "content": "Go on."}]
    plan = found.plan(found.measure(messages_from(wires)), settings("claude-code"))
    assert (plan.tail_start, plan.length) == (238, 241)


def test_pi_keeps_the_message_that_exceeds_its_tail_and_no_result_first() -> None:
    wires = [{"role": "user", "content": "x" * 4_000} for _ in range(40)]
    found = engine("pi")
    plan = found.plan(found.measure(messages_from(wires)), settings("pi"))
    assert plan.tail_start == 40 - 20
    # If a result alone exceeds the tail, the last message that is no result stays.
    large = [*conversation(3), *conversation(1, 200_000)]
    plan = found.plan(found.measure(messages_from(large)), settings("pi"))
    assert plan.tail_start == len(large) - 2


@pytest.mark.parametrize("name", OBSERVED)
def test_unused_settings_change_nothing_and_have_a_reason(name: str) -> None:
    found, plain = engine(name), settings(name)
    index = found.measure(messages_from(conversation(80)))
    budgets = found.budgets(plain)
    turned = {"target_ratio": 0.7, "protect_first_n": 9, "protect_last_n": 60, "max_tokens": 9_000,
              "summary_context": 20_000, "threshold_cap": 9_000, "min_tail_user_messages": 5,
              "tail_tokens": 9_000}  # fmt: skip
    rules = next(rules for rules in observed_rules() if rules.name == name)
    heeded = {"max_tokens": rules.reserves_output, "tail_tokens": rules.tail_is_set}
    for setting in [setting for setting, also_used in heeded.items() if also_used]:
        assert not budgets.why_unused(setting)
        del turned[setting]
    for setting, value in turned.items():
        assert budgets.why_unused(setting)
        changed = plain.with_(**{setting: value})
        assert replace(found.plan(index, changed), budgets=budgets) == replace(
            found.plan(index, plain), budgets=budgets
        )
    assert not budgets.why_unused("threshold")
    assert (budgets.summary_limit, budgets.hygiene_tokens) == (None, 0)


@pytest.mark.parametrize("name", OBSERVED)
@given(rounds=st.integers(0, 30), size=st.integers(0, 60_000))
def test_no_result_is_kept_without_its_call(name: str, rounds: int, size: int) -> None:
    wires = conversation(rounds, size)
    found = engine(name)
    plan = found.plan(found.measure(messages_from(wires)), settings(name))
    head, tail = plan.regions()
    assert 0 <= head <= tail <= len(wires)
    if plan.compacts and tail < len(wires):
        assert wires[tail]["role"] != "tool"


@pytest.mark.parametrize("name", OBSERVED)
def test_a_default_threshold_becomes_the_profiles_threshold(name: str) -> None:
    mine = settings(name)
    changed = with_changes(mine, profile="hermes-0.19")
    assert (changed.profile, changed.threshold) == ("hermes-0.19", 0.5)
    assert with_changes(changed, profile=name) == mine
    own = mine.with_(threshold=0.42)
    assert with_changes(own, profile="hermes-0.19") == own.with_(profile="hermes-0.19")


@pytest.mark.parametrize("name", OBSERVED)
def test_a_default_threshold_follows_the_window(name: str) -> None:
    assert with_changes(settings(name), context_length=400_000) == settings(name, 400_000)
    own = settings(name).with_(threshold=0.42)
    assert with_changes(own, context_length=400_000) == own.with_(context_length=400_000)
    both = with_changes(settings(name), context_length=400_000, threshold=0.7)
    assert (both.context_length, both.threshold) == (400_000, 0.7)


@pytest.mark.parametrize("name", OBSERVED)
@pytest.mark.parametrize("length", [1_000, 16_384, 32_000])
def test_a_reserve_as_large_as_the_window_leaves_a_threshold(name: str, length: int) -> None:
    chosen = settings(name, length)
    chosen.check()
    assert with_changes(settings(name), context_length=length) == chosen
    assert engine(name).budgets(chosen).threshold_tokens > 0


@pytest.mark.parametrize(("name", "day"), [("openclaw", 1), ("pi-0.84", 1), ("openclaw", 30), ("pi", 1)])
def test_early_releases_of_pi_never_keep_a_message_twice(name: str, day: int) -> None:
    march = 1_772_323_200.0 + 86_400 * day
    wires = [user(f"Paint pier {number}. " + "x" * 16_000) for number in range(12)]
    messages = [replace(message, timestamp=march + at) for at, message in enumerate(messages_from(wires))]
    chosen = settings(name)
    rules = replayable(engine(name))
    live = rules.read(messages).live(chosen, engine(name).budgets(chosen), 0)
    live.extend(10)
    first = live.compact(lambda count, budget: MessageSize(100, 400, 0))
    assert isinstance(first, Compacted)
    assert len(live) == 6
    live.extend(12)
    second = live.compact(lambda count, budget: MessageSize(100, 400, 0))
    assert isinstance(second, Compacted)
    # The summary and the five messages that the first compaction kept leave the list of an early release.
    is_early = day < 25 and name != "pi"
    assert len(live) == (3 if is_early else 6)
    assert second.removed == (list(range(5, 10)) if is_early else [5, 6])


def test_in_a_run_a_summary_is_no_question_of_the_user() -> None:
    wires = conversation(30)
    messages = messages_from([wire for at, wire in enumerate(wires) if wire["role"] != "user" or at == 0])
    rules, chosen = replayable(engine("goose")), settings("goose")
    live = rules.read(messages).live(chosen, engine("goose").budgets(chosen), 0)
    removed: list[int] = []
    for stop in (20, 40, len(messages)):
        live.extend(stop)
        done = live.compact(lambda budget, messages: MessageSize(500, 2_000, 0))
        assert isinstance(done, Compacted)
        removed += done.removed
    assert removed == list(range(1, len(messages)))


@pytest.mark.parametrize(
    ("length", "tokens"), [(200_000, 15_000), (64_000, 8_000), (36_000, 2_000), (8_000, 2_000)]
)
def test_opencode_keeps_a_quarter_of_a_small_window(length: int, tokens: int) -> None:
    chosen = settings("opencode", length)
    assert engine("opencode").budgets(chosen).tail_token_budget == tokens
    assert engine("opencode").budgets(chosen.with_(tail_tokens=5_000)).tail_token_budget == 5_000


def test_opencode_summarizes_the_whole_list_if_all_of_it_would_stay() -> None:
    short, long = (messages_from(conversation(rounds)) for rounds in (3, 30))
    found, chosen = engine("opencode"), settings("opencode")
    assert found.plan(found.measure(short), chosen).tail_start == len(short)
    assert 0 < found.plan(found.measure(long), chosen).tail_start < len(long)


def test_gemini_keeps_a_share_of_the_list() -> None:
    messages = messages_from(conversation(40))
    found = engine("gemini")
    plan = found.plan(found.measure(messages), settings("gemini"))
    assert 0.2 < plan.tail_tokens / (plan.middle_tokens + plan.tail_tokens) <= 0.31


@pytest.mark.parametrize(
    ("length", "output", "threshold"),
    [
        (200_000, 8_192, 126_272),
        (1_000_000, 256_000, 678_464),
        (1_000_000, 8_192, 800_000),
        (64_000, 8_192, 64_000),
    ],
)
def test_dsh_takes_the_output_and_a_headroom_off_the_window(length: int, output: int, threshold: int) -> None:
    chosen = settings("dsh", length).with_(max_tokens=output)
    budgets = engine("dsh").budgets(chosen)
    assert budgets.threshold_tokens == threshold
    assert engine("dsh").fires(threshold, chosen) == "agent"
    assert engine("dsh").fires(threshold - 1, chosen) is None
    assert budgets.tail_token_budget == int(0.16 * (length - output))
    assert bool(budgets.binding("threshold")) is (threshold != 0.8 * length)


@pytest.mark.parametrize("name", ["pi", "openclaw", "opencode", "cline", "dsh"])
def test_a_tail_of_a_number_of_tokens_can_be_set(name: str) -> None:
    messages = messages_from(conversation(80))
    found = engine(name)
    small, large = (
        found.plan(found.measure(messages), settings(name).with_(tail_tokens=tokens))
        for tokens in (2_000, 30_000)
    )
    assert small.tail_tokens < 4_000 < 29_000 < large.tail_tokens < 32_000


def test_a_tail_counts_results_as_shortened_and_begins_with_their_call() -> None:
    dsh = next(rules for rules in observed_rules() if rules.name == "dsh")
    rules = replace(dsh, tail_tokens=2_000, tail_of_window=0.0)
    rounds = [
        wire
        for number in range(6)
        for wire in (assistant("", call(f"c{number}")), result(f"c{number}", "x" * 20_000))
    ]
    messages = messages_from([user("Go on."), *rounds])
    found = ObservedEngine(rules)
    plan = found.plan(found.measure(messages), settings("dsh"))
    # A shortened result counts 1,298 tokens: the second one exceeds the tail, and stays with its call.
    assert (plan.head_end, plan.tail_start) == (0, 9)


def test_a_tail_that_is_a_share_of_the_list_has_its_size_as_budget() -> None:
    found = engine("gemini")
    measured = found.measure(messages_from(conversation(40)))
    plan = found.plan(measured, settings("gemini"))
    assert plan.budgets.tail_token_budget == round(0.3 * measured.total())
    assert (
        plan.budgets.steps["tail_token_budget"][-1].why == f"0.3 of the list's ~{measured.total():,} tokens"
    )
    assert plan.tail_tokens <= plan.budgets.tail_token_budget


def test_a_profile_of_earlier_releases_is_named_by_the_last_release() -> None:
    earlier = {rules.name: rules.until for rules in observed_rules() if rules.until is not None}
    assert len(earlier) == 3
    for name, until in earlier.items():
        numbers = numbers_of(name)
        assert numbers
        assert until[: len(numbers)] == numbers


def test_codex_keeps_the_instructions_at_the_start_and_no_later_ones() -> None:
    found = engine("codex")
    instructions = {"role": "system", "content": "rules " * 500}
    later = {"role": "system", "content": "a notice"}
    lists = ([instructions, instructions, user(), assistant(), later, assistant()],
             [user(), instructions, assistant(), later, user("more")])  # fmt: skip
    kept = []
    for wires in lists:
        plan = found.plan(found.measure(messages_from(wires)), settings("codex"))
        assert plan.compacts
        kept.append(sorted(plan.kept))
    assert kept == [[0, 1, 2], [0, 1, 4]]
