"""The guards of the releases, hygiene and pressure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.engines.base import Settings
from inspector.engines.guards import (
    Guard,
    compacted,
    guard_of,
    nothing_done,
    responded,
    summary_failed,
    summary_made,
)
from inspector.engines.hygiene import HARD_LIMITS, Pressure, hygiene, pressure
from inspector.engines.registry import engine


def test_0_13_gives_up_after_two_compactions_that_saved_little() -> None:
    guard = compacted(guard_of("hermes-0.13"), 100_000, 95_000)
    assert guard.blocked() == ""
    guard = compacted(guard, 100_000, 90_001)
    assert "saved under 10%" in guard.blocked()
    assert guard.since == 2


def test_one_good_compaction_clears_the_strikes_of_0_13() -> None:
    guard = compacted(guard_of("hermes-0.13"), 100_000, 99_000)
    guard = compacted(guard, 100_000, 90_000)
    guard = compacted(guard, 100_000, 99_000)
    assert guard.blocked() == ""


def test_0_13_does_not_count_what_changed_nothing() -> None:
    guard = nothing_done(nothing_done(guard_of("hermes-0.13")))
    assert guard.blocked() == ""


def test_0_19_is_judged_by_the_next_real_prompt() -> None:
    guard = guard_of("hermes-0.19")
    for _ in range(2):
        guard = compacted(guard, 160_000, 20_000)
        assert guard.blocked() == ""
        guard = responded(guard, 155_000, 150_000)
    assert "over the threshold" in guard.blocked()
    assert guard.since == 2
    assert responded(guard, 100_000, 150_000).blocked() == ""


def test_0_19_counts_a_reading_once() -> None:
    guard = responded(compacted(guard_of("hermes-0.19"), 160_000, 20_000), 155_000, 150_000)
    assert responded(guard, 156_000, 150_000).ineffective == 1


def test_a_response_without_usage_is_no_verdict() -> None:
    guard = responded(compacted(guard_of("hermes-0.19"), 160_000, 20_000), 0, 150_000)
    assert responded(guard, 155_000, 150_000).ineffective == 0


def test_two_fallback_texts_end_it_in_0_19_and_a_summary_starts_anew() -> None:
    guard = guard_of("hermes-0.19")
    for _ in range(2):
        guard = responded(compacted(guard, 160_000, 20_000, fallback=True), 20_000, 150_000)
    assert "had no summary" in guard.blocked()
    assert compacted(guard, 160_000, 20_000).blocked() == ""


def test_0_19_counts_what_changed_nothing() -> None:
    assert nothing_done(nothing_done(guard_of("hermes-0.19"))).blocked() != ""


@pytest.mark.parametrize(
    ("failures", "pause"),
    [
        (["no provider"], 600),
        (["timeout"], 60),
        (["timeout", "timeout"], 300),
        (["timeout"] * 3, 900),
        (["timeout"] * 9, 900),
        (["broken"], 30),
        (["other"], 60),
    ],
)
def test_a_failed_summary_pauses(failures: list[str], pause: int) -> None:
    guard = guard_of("hermes-0.19")
    for failure in failures:
        guard = summary_failed(guard, failure, now=1_000.0)  # type: ignore[arg-type]
    assert guard.cooldown_until == 1_000 + pause
    assert guard.blocked(now=1_000.0 + pause - 1) != ""
    assert guard.blocked(now=1_000.0 + pause) == ""
    assert summary_made(guard).blocked(now=1_000.0) == ""


def test_pauses_of_0_13_do_not_keep_it_from_compacting() -> None:
    guard = summary_failed(guard_of("hermes-0.13"), "no provider", now=0.0)
    assert guard.cooldown_until == 600
    assert guard.blocked(now=1.0) == ""


@given(st.lists(st.tuples(st.integers(1, 200_000), st.integers(0, 200_000), st.booleans()), max_size=20))
def test_the_documented_engine_never_gives_up(steps: list[tuple[int, int, bool]]) -> None:
    guard: Guard = guard_of("documented")
    for before, after, fallback in steps:
        guard = responded(compacted(guard, before, after, fallback), after, 100_000)
    assert guard.blocked() == ""
    assert guard.compactions == len(steps)


BUDGETS = engine("hermes-0.19").budgets(Settings())


@pytest.mark.parametrize(
    ("messages", "rough", "reported", "limit", "fires"),
    [
        (3, 999_999, 0, 0, False),
        (4, 170_000, 0, 0, True),
        (4, 169_999, 0, 0, False),
        (50, 999_999, 10_000, 0, False),
        (50, 0, 170_000, 0, True),
        (5_000, 10, 0, HARD_LIMITS["hermes-0.19"], True),
        (4_999, 10, 0, HARD_LIMITS["hermes-0.19"], False),
        (400, 10, 0, HARD_LIMITS["hermes-0.13"], True),
    ],
)
def test_hygiene(messages: int, rough: int, reported: int, limit: int, fires: bool) -> None:
    verdict = hygiene(BUDGETS, messages, rough, reported, limit)
    assert verdict.fires is fires
    assert verdict.source == ("reported" if reported else "rough")
    assert verdict.why


def test_hygiene_can_be_switched_off() -> None:
    assert not hygiene(BUDGETS, 50, 999_999, enabled=False).fires


def test_pressure_warns_once_and_is_cleared_below() -> None:
    first = pressure(Pressure(), 42_500, 50_000)
    assert first.text == "Context is 85% to compaction threshold (42,500/50,000 tokens)"
    again = pressure(first, 45_000, 50_000)
    assert again.warned
    assert again.text == ""
    assert not pressure(again, 42_499, 50_000).warned
    assert pressure(pressure(again, 10, 50_000), 43_000, 50_000).text


def test_a_smaller_summary_model_lowers_the_threshold_but_not_the_tail() -> None:
    lowered = engine("hermes-0.19").budgets(Settings(summary_context=128_000))
    assert lowered.threshold_tokens == 128_000
    assert lowered.tail_token_budget == 30_000
    assert [s.rule for s in lowered.steps["threshold_tokens"] if s.bound] == ["raise", "summary model"]
    assert engine("documented").budgets(Settings(summary_context=64_000)).threshold_tokens == 100_000
