"""The derived numbers and their explanations."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from inspector.core.errors import UsageProblem
from inspector.core.messages import messages_from
from inspector.engines.base import Settings
from inspector.engines.hermes.budgets import BUDGETED
from inspector.engines.hermes.direct import window as direct
from inspector.engines.hermes.direct.engine import DirectEngine
from inspector.engines.hermes.engine import SizesEngine
from inspector.engines.hermes.planner import Planner
from inspector.engines.registry import engine
from inspector.engines.settings import SETTING_NAMES
from tests.engines.lists import assistant, user


@pytest.mark.parametrize(
    ("profile", "changes", "threshold", "tail", "summary"),
    [
        ("documented", {}, 100_000, 20_000, 10_000),
        ("documented", {"context_length": 32_000}, 16_000, 3_200, 1_600),
        ("documented", {"context_length": 1_000_000}, 500_000, 100_000, 12_000),
        ("hermes-0.13", {}, 100_000, 20_000, 10_000),
        ("hermes-0.13", {"context_length": 100_000}, 64_000, 12_800, 5_000),
        ("hermes-0.19", {}, 150_000, 30_000, 10_000),
        ("hermes-0.19", {"context_length": 64_000}, 54_400, 10_880, 3_200),
        ("hermes-0.19", {"context_length": 1_000_000}, 500_000, 100_000, 10_000),
        ("hermes-0.19", {"max_tokens": 65_536}, 100_848, 20_169, 10_000),
        ("hermes-0.19", {"threshold": 0.9}, 180_000, 36_000, 10_000),
        ("hermes-0.19", {"context_length": 32_000, "max_tokens": 40_000}, 27_200, 5_440, 1_600),
    ],
)
def test_numbers(profile: str, changes: dict[str, float], threshold: int, tail: int, summary: int) -> None:
    numbers = engine(profile).budgets(Settings(profile=profile).with_(**changes))
    assert numbers.threshold_tokens == threshold
    assert numbers.tail_token_budget == tail
    assert numbers.max_summary_tokens == summary


@pytest.mark.parametrize("profile", ["hermes-0.13", "hermes-0.19", "hermes-0.20", "hermes-current"])
def test_plans_read_the_budgets_and_not_the_settings_that_they_follow_from(profile: str) -> None:
    found, settings = engine(profile), Settings(profile=profile, context_length=64_000)
    index = found.measure(messages_from([user("w " * 900), assistant("x " * 700)] * 90))
    numbers, plan = found.budgets(settings), found.plan(index, settings)
    # Reading a setting in BUDGETED raises AttributeError.
    others = {name: getattr(settings, name) for name in SETTING_NAMES if name not in BUDGETED}
    if isinstance(found, SizesEngine):
        cut = Planner(found.policies, index, SimpleNamespace(**others), 0, numbers).cut(None)  # type: ignore[arg-type]
    else:
        assert isinstance(found, DirectEngine)
        cut = direct.window(index.rows, found.policies, SimpleNamespace(**others), numbers, 0)  # type: ignore[arg-type, attr-defined]
    assert (cut.head_end, cut.tail_start) == (plan.head_end, plan.tail_start)


def test_the_rule_that_bound_the_threshold_is_named() -> None:
    steps = engine("hermes-0.19").budgets(Settings()).steps["threshold_tokens"]
    assert [step.rule for step in steps if step.bound] == ["raise"]
    steps = engine("hermes-0.19").budgets(Settings(context_length=64_000)).steps["threshold_tokens"]
    assert [step.rule for step in steps if step.bound] == ["raise", "floor", "cap"]
    assert steps[-1].value == 54_400


@pytest.mark.parametrize(("ratio", "used"), [(0.0, 0.10), (0.05, 0.10), (0.5, 0.5), (0.95, 0.80)])
def test_target_ratio_is_clamped_and_says_so(ratio: float, used: float) -> None:
    numbers = engine("hermes-0.13").budgets(Settings(target_ratio=ratio))
    assert numbers.tail_token_budget == int(100_000 * used)
    rules = [step.rule for step in numbers.steps["tail_token_budget"] if step.bound]
    assert rules == (["clamp"] if used != ratio else [])


def test_settings_out_of_range_are_refused_with_the_range() -> None:
    for threshold in (0, 0.009, 1.5):
        with pytest.raises(UsageProblem, match=r"threshold is .*; it must lie between 0\.01 and 1\.$"):
            Settings().with_(threshold=threshold)


def test_an_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(UsageProblem, match="documented"):
        engine("hermes-9")


@pytest.mark.parametrize(("tokens", "fires"), [(99_999, None), (100_000, "agent"), (170_000, "agent")])
def test_the_agent_fires_at_its_threshold(tokens: int, fires: str | None) -> None:
    assert engine("hermes-0.13").fires(tokens, Settings()) == fires


def test_hygiene_fires_where_the_agent_does_not() -> None:
    assert engine("hermes-0.13").fires(171_000, Settings(threshold=0.95)) == "hygiene"


def lean(**changes: object) -> Settings:
    return Settings(profile="hermes-current").with_(**changes)


def test_the_lean_tail_is_a_share_of_the_window() -> None:
    """These are the default values in the sources."""
    current = engine("hermes-current")
    for window, threshold, tail, ceiling in (
        (200_000, 150_000, 10_000, 15_000),
        (1_000_000, 500_000, 25_000, 37_500),
        (128_000, 96_000, 10_000, 15_000),
        (400_000, 300_000, 10_000, 15_000),
        (2_000_000, 1_000_000, 25_000, 37_500),
    ):
        budgets = current.budgets(lean(context_length=window))
        found = (budgets.threshold_tokens, budgets.tail_token_budget, budgets.tail_ceiling_tokens)
        assert found == (threshold, tail, ceiling)
    assert "target_ratio" in budgets.unused_reasons
    assert not any(map(budgets.why_unused, ("threshold_cap", "tail_mode", "min_tail_user_messages")))
    assert budgets.why_unused("tail_tokens")


def test_a_legacy_tail_is_a_share_of_the_threshold_and_of_the_window_at_most() -> None:
    current = engine("hermes-current")
    legacy = lean(tail_mode="legacy")
    assert current.budgets(legacy).tail_token_budget == 30_000
    assert current.budgets(legacy.with_(target_ratio=0.8)).tail_token_budget == 40_000
    capped = legacy.with_(context_length=1_000_000, threshold_cap=256_000)
    assert current.budgets(capped).tail_token_budget == 51_200
    assert not current.budgets(legacy).unused_reasons


def test_the_floor_is_lower_for_a_small_window() -> None:
    current, before = engine("hermes-current"), engine("hermes-0.20")
    for window, eased in ((65_536, 55_705), (70_000, 59_500)):
        assert current.budgets(lean(context_length=window, threshold=0.5)).threshold_tokens == eased
        assert before.budgets(lean(context_length=window)).threshold_tokens == 64_000


def test_a_cap_lowers_the_threshold_from_0_20_on() -> None:
    settings = Settings(threshold_cap=90_000)
    found = {name: engine(name).budgets(settings).threshold_tokens for name in ("hermes-0.19", "hermes-0.20")}
    assert found == {"hermes-0.19": 150_000, "hermes-0.20": 90_000}
    rules = [step.rule for step in engine("hermes-0.20").budgets(settings).steps["threshold_tokens"]]
    assert "threshold cap" in rules
    # A cap above the window has no effect.
    assert engine("hermes-0.20").budgets(settings.with_(threshold_cap=900_000)).threshold_tokens == 150_000


@pytest.mark.parametrize(
    ("profile", "unused"),
    [
        ("documented", {"max_tokens", "summary_context"}), ("truncation", {"max_tokens", "summary_context"}),
        ("hermes-0.13", {"max_tokens"}), ("hermes-0.17", {"max_tokens"}), ("hermes-0.18.0", set()),
        ("hermes-0.19", set()), ("hermes-0.20", set()), ("hermes-current", {"target_ratio"}),
    ],
)  # fmt: skip
def test_a_setting_without_effect_says_so(profile: str, unused: set[str]) -> None:
    settings = Settings(profile=profile, context_length=200_000)
    budgets = engine(profile).budgets(settings)
    changed = {"max_tokens": 64_000, "summary_context": 70_000, "target_ratio": 0.5}
    for name, value in changed.items():
        other = engine(profile).budgets(settings.with_(**{name: value}))
        same = (other.threshold_tokens, other.tail_token_budget) == (
            budgets.threshold_tokens,
            budgets.tail_token_budget,
        )
        assert bool(budgets.why_unused(name)) is same is (name in unused)
