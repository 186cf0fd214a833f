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
    refused,
    responded,
    unchanged,
)
from inspector.engines.registry import engine
from inspector.engines.sizes import Refusal


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


@pytest.mark.parametrize(
    ("profile", "refusal", "gives_up"),
    [
        ("hermes-0.13", "fits", False),
        ("hermes-0.18", "fits", True),
        ("hermes-0.18", "too few", False),
        ("hermes-0.19", "too few", True),
        ("hermes-0.19", "fails", False),
        ("hermes-current", "fits", False),
    ],
)
def test_a_compaction_without_effect_counts_if_the_release_counts_it(
    profile: str, refusal: Refusal, gives_up: bool
) -> None:
    guard = refused(refused(guard_of(profile), refusal), refusal)
    assert bool(guard.blocked()) is gives_up


@pytest.mark.parametrize(("profile", "gives_up"), [("hermes-0.13", True), ("hermes-0.19", False)])
def test_an_unchanged_list_counts_if_savings_are_judged(profile: str, gives_up: bool) -> None:
    guard = guard_of(profile)
    for _ in range(2):
        guard = responded(unchanged(guard, 160_000, 160_000), 160_000, 150_000)
    assert bool(guard.blocked()) is gives_up


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


def test_0_19_gives_up_after_two_fallback_texts_and_a_summary_resets_the_count() -> None:
    guard = guard_of("hermes-0.19")
    for _ in range(2):
        guard = responded(compacted(guard, 160_000, 20_000, fallback=True), 20_000, 150_000)
    assert "had no summary" in guard.blocked()
    assert compacted(guard, 160_000, 20_000).blocked() == ""


@given(st.lists(st.tuples(st.integers(1, 200_000), st.integers(0, 200_000), st.booleans()), max_size=20))
def test_the_documented_engine_never_gives_up(steps: list[tuple[int, int, bool]]) -> None:
    guard: Guard = guard_of("documented")
    for before, after, fallback in steps:
        guard = responded(compacted(guard, before, after, fallback), after, 100_000)
    assert guard.blocked() == ""
    assert guard.compactions == len(steps)


def test_a_smaller_summary_model_lowers_the_threshold_but_not_the_tail() -> None:
    lowered = engine("hermes-0.19").budgets(Settings(summary_context=128_000))
    assert lowered.threshold_tokens == 128_000
    assert lowered.tail_token_budget == 30_000
    assert [s.rule for s in lowered.steps["threshold_tokens"] if s.bound] == ["raise", "summary model"]
    assert engine("documented").budgets(Settings(summary_context=64_000)).threshold_tokens == 100_000
