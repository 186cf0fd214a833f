"""Causes of a compaction, read from the list before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.core.conversations import Compaction, Request, role_code
from inspector.engines.base import Budgets, Settings
from inspector.quality.firing import LimitEvidence, ListBefore, Why, why_fired

WINDOW = 200_000


class Index:
    """A token index of messages with given sizes."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.sums = [0, *accumulate(sizes)]

    def __len__(self) -> int:
        return len(self.sizes)

    def tokens(self, index: int) -> int:
        return self.sizes[index]

    def pruned_tokens(self, index: int) -> int:
        return self.sizes[index]

    def total(self) -> int:
        return self.sums[-1]

    def rough_until(self, stop: int) -> int:
        return self.sums[stop]


def listed(messages: Sequence[tuple[str, int]], source: str = "cli", began: int = 0) -> ListBefore:
    roles = bytes(role_code(role) for role, _ in messages)
    return ListBefore(Index([size for _, size in messages]), roles, source, began, "hermes")


def why(before: ListBefore, share: float, tokens: int | None = None, hygiene: float = 0.85) -> Why:
    length = len(before.roles)
    total = before.token_index.total() if tokens is None else tokens
    return cause_of(before, compacted(length, total), share, hygiene)


def compacted(length: int, total: int) -> Compaction:
    return Compaction(1, "s", length, 5, 1, length - 1, 1, 2, 1, "x", False, False, total, 10, 0.0)


def cause_of(before: ListBefore, done: Compaction, share: float, hygiene: float = 0.85) -> Why:
    settings = Settings(profile="hermes-0.19", context_length=WINDOW, threshold=share)
    budgets = Budgets(int(share * WINDOW), 0, 0, int(hygiene * WINDOW), {})
    return why_fired(done, before, settings, budgets, lambda value: int(value * WINDOW), LimitEvidence())


TALK = [("user", 20_000), ("assistant", 10_000), ("tool", 50_000), ("assistant", 10_000), ("tool", 20_000)]


def test_the_message_that_crossed_the_threshold_is_named() -> None:
    cause = why(listed(TALK), 0.5)
    assert (cause.rule, cause.threshold_tokens, cause.crossed, cause.tokens) == (
        "threshold",
        100_000,
        4,
        110_000,
    )
    assert cause.trigger == "auto"
    assert cause.text == "~110,000 tokens at #4 reached the threshold of 100,000: 50% of 200,000, hermes-0.19"


def test_too_small_a_list_has_other_settings_or_was_compacted_by_hand() -> None:
    cause = why(listed([("user", 100_000), ("assistant", 45_000), ("tool", 5_181)]), 0.85)
    assert (cause.rule, cause.trigger, cause.crossed) == ("other-settings", None, None)
    assert cause.fits[-1] == 0.75
    assert cause.text.startswith(
        "~150,181 tokens are below today's threshold of 170,000 (85% of 200,000): the threshold was lower then"
    )
    assert "0.75 fits" in cause.text
    assert "the user compacted" in cause.text


def test_a_list_that_went_on_growing_had_another_threshold() -> None:
    grown = [*TALK, ("assistant", 5_000), ("tool", 20_000), ("assistant", 5_000), ("tool", 12_000)]
    cause = why(listed(grown), 0.5)
    assert cause.rule == "other-settings"
    assert cause.crossed == 4
    assert "at #4, 2 calls before it compacted" in cause.text
    assert cause.fits == (0.6, 0.65, 0.7, 0.75)


def test_a_gateway_checks_before_a_turn() -> None:
    chat = [("user", 150_000), ("assistant", 5_000), ("user", 10_000), ("assistant", 1_000), ("user", 10_000)]
    assert why(listed(chat, "telegram"), 0.5).rule == "hygiene"
    assert why(listed(chat, "cli"), 0.5).rule == "other-settings"


def test_the_list_left_by_the_compaction_before_had_no_request() -> None:
    began = [("user", 60_000), ("assistant", 50_000), ("user", 30_000)]
    assert why(listed(began, began=3), 0.5).rule == "threshold"


def test_messages_outside_the_index_are_before_the_end() -> None:
    cause = why(listed(TALK), 0.5, tokens=112_000)
    assert cause.tokens == 112_000


@pytest.mark.parametrize(
    ("trigger", "rule"), [(None, "reported"), ("auto", "threshold"), ("manual", "manual")]
)
def test_a_recorded_trigger_of_another_agent_counts_for_any_size(trigger: str | None, rule: str) -> None:
    before = replace(listed(TALK), agent="pi")
    done = replace(compacted(5, 110_000), trigger=trigger, tokens_before_reported=110_000)
    cause = cause_of(before, done, 0.5)
    assert (cause.rule, cause.trigger) == (rule, trigger)
    assert ("trigger not recorded" in cause.text) == (trigger is None)
    assert ("auto (reported)" in cause.text) == (trigger == "auto")


@pytest.mark.parametrize(
    ("messages", "answered", "trigger"), [(TALK, True, "auto"), (TALK, False, None), (TALK[:4], True, None)]
)
def test_a_compaction_in_the_middle_of_a_turn_was_automatic(
    messages: list[tuple[str, int]], answered: bool, trigger: str | None
) -> None:
    before = replace(listed(messages), agent="codex", answered=answered)
    done = replace(compacted(len(messages), 90_000), tokens_before_reported=90_000)
    cause = cause_of(before, done, 0.5)
    assert cause.trigger == trigger
    assert cause.text.startswith(
        "auto (inferred: in the middle of a turn)" if trigger else "trigger not recorded"
    )


def test_a_window_that_may_be_larger_has_no_threshold_that_a_list_reached() -> None:
    done = replace(compacted(5, 110_000), tokens_before_reported=110_000)
    settings = Settings(profile="hermes-0.19", context_length=WINDOW, threshold=0.5)
    budgets = Budgets(WINDOW // 2, 0, 0, WINDOW, {})
    before = replace(listed(TALK), agent="pi")
    cause = why_fired(
        done, before, settings, budgets, lambda share: int(share * WINDOW), LimitEvidence(is_least=True)
    )
    assert (cause.rule, cause.threshold_tokens) == ("reported", None)
    assert cause.text.endswith(f"fires at {WINDOW // 2:,} or more, because the window is at least {WINDOW:,}")


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_compaction_below_the_usual_threshold_contradicts_todays_window(is_recorded: bool) -> None:
    done = replace(compacted(5, 110_000), tokens_before_reported=110_000)
    settings = Settings(profile="pi", context_length=1_000_000, threshold=0.11)
    budgets = Budgets(110_000, 0, 0, 1_000_000, {})
    before = replace(listed(TALK), agent="pi")
    limits = LimitEvidence(usual=980_000, is_window_recorded=is_recorded)
    cause = why_fired(done, before, settings, budgets, int, limits).text
    assert ("usually fires at 980,000 (98% of 1,000,000)" in cause) is is_recorded
    unknown = (
        "the reason is unknown (the user may have compacted): in a window of 1,000,000, which is not recorded"
    )
    assert cause.endswith(f"{unknown}, pi fires at 980,000") is not is_recorded
    budgets = replace(budgets, threshold_tokens=980_000)
    alone = why_fired(done, before, settings, budgets, int, replace(limits, usual=None)).text
    explained = (
        "these settings do not explain it (the user may have compacted): with them pi fires at 980,000"
    )
    assert alone.endswith(explained) is is_recorded
    assert alone.endswith(f"{unknown}, pi fires at 980,000") is not is_recorded


@pytest.mark.parametrize(
    ("passed", "share", "rule", "words"),
    [
        (None, 0.5, "threshold", "reached the threshold of 100,000"),
        (
            109_780,
            0.5,
            "reported",
            "these settings do not explain it: with them pi fires at 100,000, and request 25",
        ),
        (None, 0.6, "reported", "these settings do not explain it: with them pi fires at 120,000"),
    ],
)
def test_settings_that_the_record_contradicts_explain_nothing(
    passed: int | None, share: float, rule: str, words: str
) -> None:
    settings = Settings(profile="pi", context_length=WINDOW, threshold=share)
    budgets = Budgets(int(share * WINDOW), 0, 0, WINDOW, {})
    done = replace(compacted(5, 110_000), tokens_before_reported=110_000, trigger="auto")
    request = None if passed is None else Request(25, 1, "m", "model", 1.0, passed, 0, 0, None, 0)
    limits = LimitEvidence(passed=request)
    cause = why_fired(done, replace(listed(TALK), agent="pi"), settings, budgets, int, limits)
    assert (cause.rule, words in cause.text) == (rule, True)


@pytest.mark.parametrize(("size", "reaches"), [(110_000, True), (90_000, False)])
def test_a_failed_request_may_have_reached_the_threshold_too(size: int, reaches: bool) -> None:
    before = replace(listed(TALK), agent="openclaw")
    done = replace(compacted(5, size), failed_request="Connection error.", tokens_before_reported=size)
    cause = cause_of(before, done, 0.5)
    assert (cause.rule, cause.trigger, cause.tokens) == ("reported", None, size)
    more = ", which reach the threshold of 100,000" if reaches else ""
    assert cause.text == (
        f"the request before the compaction failed (“Connection error.”), at {size:,} tokens (reported){more}"
    )


def test_values_that_another_agent_does_not_record_are_not_inferred() -> None:
    assert cause_of(replace(listed(TALK), agent="opencode"), compacted(5, 110_000), 0.5).rule == "reported"


def test_without_a_recorded_size_the_last_request_gives_it() -> None:
    before = replace(listed(TALK), agent="opencode", last_size=140_077)
    cause = cause_of(before, replace(compacted(5, 90_000), trigger="auto"), 0.5)
    assert (cause.rule, cause.tokens) == ("threshold", 140_077)
    assert "(last request and its answer)" in cause.text


@pytest.mark.parametrize("overflow", [True, False])
def test_only_a_request_that_did_not_fit_may_be_much_larger_than_the_last_one(overflow: bool) -> None:
    before = replace(listed(TALK), agent="openclaw", last_size=100_000)
    done = replace(compacted(5, 90_000), overflow=overflow, tokens_before_reported=250_000)
    cause = cause_of(before, done, 0.5)
    assert cause.tokens == (250_000 if overflow else 100_000)
    assert ("may be missing in the file" in cause.text) is not overflow


@pytest.mark.parametrize(("reported", "tokens"), [(900, 90_000), (30_000, 30_000)])
def test_a_reported_size_that_cannot_be_the_list_is_not_used(reported: int, tokens: int) -> None:
    done = replace(compacted(5, 90_000), overflow=True, tokens_before_reported=reported)
    cause = cause_of(replace(listed(TALK), agent="openclaw"), done, 0.5)
    assert cause.tokens == tokens
    assert ("which cannot be the list" in cause.text) is (reported < tokens)


def test_a_missing_list_has_an_unknown_size() -> None:
    cause = cause_of(replace(listed([]), agent="message-log"), compacted(0, 0), 0.5)
    assert "trigger not recorded, at an unknown size" in cause.text


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.integers(0, 60_000)), min_size=1),
    st.sampled_from([0.3, 0.5, 0.75, 0.85]),
)
def test_a_named_threshold_was_reached_just_then(messages: list[tuple[str, int]], share: float) -> None:
    before = listed(messages)
    cause = why(before, share)
    total, threshold = before.token_index.total(), int(share * WINDOW)
    if cause.rule == "threshold":
        assert cause.crossed is not None
        assert before.token_index.rough_until(cause.crossed) < threshold
        assert before.token_index.rough_until(cause.crossed + 1) >= threshold
    if total < threshold:
        assert cause.rule == "other-settings"
    assert all(int(value * WINDOW) <= total for value in cause.fits)


@pytest.mark.parametrize("length", [0, 1])
def test_a_tiny_list_was_compacted_with_other_settings(length: int) -> None:
    assert why(listed([("user", 10)] * length), 0.5).rule == "other-settings"
