"""Why a compaction fired: the threshold in force, the message that crossed it, or another explanation.

Hermes compacts when a prompt reaches the threshold, when the gateway finds a chat over its own limit before a turn, or
when the user asks for it. Its store does not record the reason, so it is inferred from the list. After the results of
an answer the agent compares the provider's count for the prompt of that answer with the threshold. The prompt of the
last call may have reached the threshold; the prompt of the previous call must have been below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from inspector.agents import row_of
from inspector.core.conversations import ASSISTANT, TOOL, USER, Compaction, Events, Request
from inspector.core.shares import plural
from inspector.core.text import safe_title
from inspector.engines.base import Budgets, Settings, TokenIndex
from inspector.engines.registry import words_of
from inspector.quality.secrets import without_secrets

#: threshold: the list had just reached it. hygiene: the gateway's limit, before a turn. manual: the user asked for it.
#: other-settings: the record contradicts today's settings. reported: by the agent. unknown: not recorded.
WhyRule = Literal["threshold", "hygiene", "manual", "other-settings", "reported", "unknown"]
Trigger = Literal["auto", "manual", "hygiene"]

#: Thresholds as shares of the window, tried if today's threshold does not explain the record.
_SHARES = tuple(step / 100 for step in range(10, 100, 5))
#: A reported size is doubted if the rough size of the list is more than this many times as large.
_SMALL_PART = 4
_UNEXPLAINED = "these settings do not explain it"
#: Sources of sessions without a gateway. A gateway checks its own limit before each turn.
_AT_A_TERMINAL = frozenset({"", "cli", "tui", "acp", "api"})


class Why(Struct, frozen=True):
    """Why a compaction fired. `text` is a sentence without a full stop.

    `threshold_tokens` is the limit, None if unknown. `crossed` is the index of the message that made the list reach
    it. `tokens` is the size of the list then (rough, with the system prompt). `fits` are the thresholds, as shares of
    the window, that would have fired at that moment. `in_turn`: the agent compacted between a result and its next step.
    """

    rule: WhyRule
    text: str
    threshold_tokens: int | None = None
    crossed: int | None = None
    tokens: int | None = None
    fits: tuple[float, ...] = ()
    in_turn: bool = False

    @property
    def trigger(self) -> Trigger | None:
        """The trigger, if the list proves it; else None."""
        triggers: dict[WhyRule, Trigger] = {"threshold": "auto", "hygiene": "hygiene", "manual": "manual"}
        return triggers.get(self.rule, "auto" if self.in_turn else None)


class ListBefore(Struct, frozen=True):
    """The list that was compacted: its token index, and the roles of its messages.

    `source` is where the conversation came from (cli, telegram, ...). `began` is the number of messages that the
    previous compaction left. `last_size` is the reported size of the last request and its answer, in tokens; None if
    unknown. `answered`: the next message after the compaction is an answer.
    """

    token_index: TokenIndex
    roles: bytes
    source: str
    began: int = 0
    agent: str = ""
    last_size: int | None = None
    answered: bool = False

    @property
    def is_in_turn(self) -> bool:
        """Whether the agent was between a result and its next step. Then the user cannot have asked to compact."""
        return self.answered and self.roles[-1:] == bytes([TOOL])


class LimitEvidence(Struct, frozen=True):
    """Evidence of the limits at the time of a compaction.

    `adds`: the agent adds the last results and earlier reasoning to the size that it reports. `usual`: the threshold of
    the profile in tokens, if the one in force only follows from recorded compactions, or if they contradict it.
    `is_least`: the window may be larger than that of the settings. `is_alone`: the compactions show no threshold, for
    example because there is only one. If not `is_window_recorded`, the window is today's window of the model, or
    assumed. `passed` is an earlier request of the list that reached the threshold without a compaction.
    """

    adds: bool = False
    usual: int | None = None
    is_least: bool = False
    is_alone: bool = False
    is_window_recorded: bool = True
    passed: Request | None = None


def why_fired(
    recorded: Compaction,
    listed: ListBefore,
    settings: Settings,
    budgets: Budgets,
    threshold_at: Callable[[float], int],
    limits: LimitEvidence,
) -> Why:
    """Return why a recorded compaction fired, judged by today's settings and their `budgets`.

    `threshold_at` returns the threshold in tokens for a share of the window.
    """
    if recorded.broken:
        text = "no compaction: the next message has no link to the list, so the agent began a new list"
        return Why("reported", text, tokens=recorded.tokens_before)
    if recorded.events is not None:
        return _by_events(recorded, recorded.events, words_of(settings.profile))
    is_reported = recorded.trigger is not None or recorded.tokens_before_reported is not None
    if is_reported or not row_of(listed.agent).estimates:
        why = _as_reported(recorded, listed, settings, budgets.threshold_tokens, limits)
        if not is_size_doubted(recorded, listed.last_size):
            return why
        doubt = f"The agent reports {recorded.tokens_before_reported:,}"
        doubt += (
            ", which cannot be the list"
            if _is_too_small(recorded)
            else ", so requests may be missing in the file"
        )
        return replace(why, text=f"{why.text}. {doubt}")
    return _by_rough_sizes(recorded, listed, settings, budgets, threshold_at)


def _by_events(recorded: Compaction, events: Events, rules: str) -> Why:
    """Return the cause of a compaction of an agent that counts events."""
    count, limit = events
    rule: WhyRule = "reported"
    if not limit:
        text = f"{count:,} events: {rules} counts events, not tokens, and its limit is not recorded"
    elif count > limit:
        rule = "threshold"
        text = f"{count:,} events exceeded the recorded limit of {limit:,}: {rules} counts events, not tokens"
    else:
        text = f"the reason is unknown: {count:,} events are within the recorded limit of {limit:,}"
    return Why(rule, text, tokens=recorded.tokens_before)


def _by_rough_sizes(
    recorded: Compaction,
    listed: ListBefore,
    settings: Settings,
    budgets: Budgets,
    threshold_at: Callable[[float], int],
) -> Why:
    """Return the message that made the list reach a limit, or the settings that would explain the compaction."""
    total, threshold = recorded.tokens_before, budgets.threshold_tokens
    rules = words_of(settings.profile)
    stop = min(recorded.before, len(listed.roles))

    def tokens_until(stop_at: int) -> int:
        """Return rough tokens of the prompt with the first `stop_at` messages.

        They are counted back from the total, because the index leaves out the system prompt.
        """
        until = listed.token_index.rough_until
        return total - until(stop) + until(stop_at)

    last = listed.roles.rfind(ASSISTANT, listed.began, stop)
    previous = listed.roles.rfind(ASSISTANT, listed.began, max(last, listed.began))
    before = tokens_until(previous) if previous >= 0 else 0
    share = f"{threshold / settings.context_length:.0%} of {settings.context_length:,}"
    if before < threshold <= total:
        crossed = _crossing(tokens_until, threshold, stop)
        at = tokens_until(crossed + 1)
        return Why(
            "threshold",
            f"~{at:,} tokens at #{crossed:,} reached the threshold of {threshold:,}: {share}, {rules}",
            threshold, crossed, at,
        )  # fmt: skip
    limit = budgets.hygiene_tokens
    chat = listed.source not in _AT_A_TERMINAL
    if chat and limit <= total and stop and listed.roles[stop - 1] == USER and limit > threshold:
        return Why(
            "hygiene",
            f"~{total:,} tokens exceeded the gateway's {limit:,} before a turn",
            limit, stop - 1, total,
        )  # fmt: skip
    fits = tuple(value for value in _SHARES if before < threshold_at(value) <= total)
    fit = f" ({_shares(fits)} fits)" if fits else ""
    if total < threshold:
        text = (
            f"~{total:,} tokens are below today's threshold of {threshold:,} ({share}): the threshold was lower "
            f"then{fit}, the user compacted, or the provider counted more tokens"
        )
        return Why("other-settings", text, threshold, None, total, fits)
    crossed = _crossing(tokens_until, threshold, stop)
    calls = sum(1 for role in listed.roles[crossed + 1 : stop] if role == ASSISTANT)
    text = (
        f"the list passed today's threshold of {threshold:,} ({share}) at #{crossed:,}, {plural(calls, 'call')} before "
        f"it compacted: the threshold was higher then{fit}, or the provider counted fewer tokens"
    )
    return Why("other-settings", text, threshold, crossed, total, fits)


def is_size_doubted(recorded: Compaction, last: int | None) -> bool:
    """Return whether a reported size (tokens) does not fit the record: it is too large or too small.

    It is too large if it is more than twice the last request with its answer. Real sizes are at most 1.2 times as
    large. A request that did not fit may be of any size, because of new results. It is too small if the list alone is
    much larger.
    """
    reported = recorded.tokens_before_reported
    is_large = last is not None and not recorded.overflow and (reported or 0) > 2 * last > 0
    return is_large or _is_too_small(recorded)


def _is_too_small(recorded: Compaction) -> bool:
    """Return whether the agent reports only a small part of the rough size of the list."""
    reported = recorded.tokens_before_reported
    return reported is not None and recorded.tokens_before > _SMALL_PART * reported


def _as_reported(
    recorded: Compaction, listed: ListBefore, settings: Settings, threshold: int, limits: LimitEvidence
) -> Why:
    """Return the trigger and the size that the agent reports; else the size of its last request with the answer."""
    reported, size = _reported_size(recorded, listed.last_size)
    tokens = recorded.tokens_before if reported is None else reported
    reached = reported is not None and reported >= threshold and limits.usual is None and not limits.is_least
    if recorded.trigger == "manual":
        return Why("manual", f"manual /compact at {size}", tokens=tokens)
    if recorded.overflow:
        text = f"the request before the compaction did not fit into the window (overflow), at {size}"
        return Why("reported", text, tokens=tokens)
    if recorded.failed_request:
        error = safe_title(without_secrets(recorded.failed_request))
        text = f"the request before the compaction failed (“{error}”), at {size}"
        text += f", which reach the threshold of {threshold:,}" if reached else ""
        return Why("reported", text, tokens=tokens)
    in_turn = listed.is_in_turn and not recorded.trigger
    unrecorded = "auto (inferred: in the middle of a turn)" if in_turn else "trigger not recorded"
    by = f"{recorded.trigger} (reported)" if recorded.trigger else unrecorded
    if reached and limits.passed is not None:
        passed = f"request {limits.passed.index:,} already had {limits.passed.tokens:,} tokens"
        rules = f"with them {words_of(settings.profile)} fires at {threshold:,}, and {passed}"
        return Why("reported", f"{by}, at {size}; {_UNEXPLAINED}: {rules}", tokens=tokens, in_turn=in_turn)
    if reached:
        share = f"{threshold / settings.context_length:.0%} of {settings.context_length:,}"
        text = f"{size} reached the threshold of {threshold:,}: {share}, {words_of(settings.profile)}; {by}"
        rule: WhyRule = "threshold" if recorded.trigger else "reported"
        return Why(rule, text, threshold, None, tokens, in_turn=in_turn)
    may_be_by_hand = not (recorded.trigger or in_turn)
    if recorded.tokens_before_reported is not None and is_size_doubted(recorded, listed.last_size):
        reported = None
    is_exact = reported is not None and reported == recorded.tokens_before_reported
    rules = _rules_words(reported, is_exact, settings, threshold, limits, may_be_by_hand)
    return Why("reported", f"{by}, at {size}; {rules}", tokens=tokens, in_turn=in_turn)


def _rules_words(
    reported: int | None,
    is_exact: bool,
    settings: Settings,
    threshold: int,
    limits: LimitEvidence,
    may_be_by_hand: bool,
) -> str:
    """Return at which size the agent fires, or what else explains a compaction at a smaller reported size.

    `is_exact`: the size is that of the compaction, not of the last request before it.
    """
    window, usual = settings.context_length, limits.usual
    limit = threshold if usual is None else usual
    is_smaller = reported is not None and reported < limit
    by_hand = " (the user may have compacted)" if may_be_by_hand else ""
    rules = f"{words_of(settings.profile)} "
    if limits.adds:
        rules += "adds the last results and earlier reasoning to this size, and "
    shown = ""
    if usual is not None:
        shown = "no threshold is recorded; "
        shown += "" if limits.is_alone else f"the compactions show {threshold:,}; "
    if is_smaller and not (limits.is_window_recorded or limits.is_least):
        fires = f"in a window of {window:,}, which is not recorded, {rules}fires at {limit:,}"
        return f"{shown}the reason is unknown{by_hand}: {fires}"
    rules = shown + rules
    if usual is not None:
        least = "at least " if limits.is_least else ""
        return f"{rules}usually fires at {usual:,} ({usual / window:.0%} of {least}{window:,})"
    if limits.is_least:
        return f"{rules}fires at {threshold:,} or more, because the window is at least {window:,}"
    if is_smaller and is_exact and not limits.adds:
        return f"{_UNEXPLAINED}{by_hand}: with them {rules}fires at {threshold:,}"
    return f"{rules}fires at {threshold:,} under today's settings"


def _reported_size(recorded: Compaction, last_size: int | None) -> tuple[int | None, str]:
    """Return the reported size of the list before, or of the last request with its answer; and it in words."""
    reported = recorded.tokens_before_reported
    if _is_too_small(recorded):
        return None, f"~{recorded.tokens_before:,} tokens"
    if last_size is not None and is_size_doubted(recorded, last_size):
        return last_size, f"{last_size:,} tokens (last recorded request and its answer)"
    if reported is not None:
        return reported, f"{reported:,} tokens (reported)"
    if last_size is not None:
        return last_size, f"{last_size:,} tokens (last request and its answer)"
    return None, f"~{recorded.tokens_before:,} tokens" if recorded.before else "an unknown size"


def _crossing(tokens_until: Callable[[int], int], threshold: int, stop: int) -> int:
    """Return the index of the message that makes the prompt reach the threshold."""
    low, high = 0, max(0, stop - 1)
    while low < high:
        middle = (low + high) // 2
        if tokens_until(middle + 1) >= threshold:
            high = middle
        else:
            low = middle + 1
    return low


def _shares(fits: Sequence[float]) -> str:
    return " or ".join(f"{share:g}" for share in fits[-2:])
