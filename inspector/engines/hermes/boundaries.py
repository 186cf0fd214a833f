"""Phase 2 of a plan: the end of the head and the start of the tail, by arithmetic over a token index.

Source: releases 0.13.0 and 0.19.0, `_find_tail_cut_by_tokens` and the functions that it calls.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from inspector.core.conversations import ASSISTANT, SYSTEM, TOOL
from inspector.engines.base import DerivationStep
from inspector.engines.hermes.message_stats import ERASABLE, HANDOFF
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.token_index import HermesTokenIndex

#: Maximum number of messages that protect_last_n keeps if the floor is bounded (release 0.19.0).
_BOUNDED_FLOOR = 8


def head_size(
    token_index: HermesTokenIndex, policies: Policies, protect_first_n: int, compactions: int
) -> int:
    """Return the number of messages in the head, before its end is moved past tool results."""
    system = int(starts_with_system(token_index))
    protected = 0 if policies.head_decays and compactions else protect_first_n
    if policies.counts_system:
        return max(system, protected)
    return system + protected


def past_results(roles: Sequence[int], index: int) -> int:
    """Return the first index from `index` on whose message is not a tool result."""
    while index < len(roles) and roles[index] == TOOL:
        index += 1
    return index


def before_group(roles: Sequence[int], calls: Sequence[int], index: int) -> int:
    """Return the start of the group if `index` is within a call and its results, else `index`."""
    if index <= 0 or index >= len(roles):
        return index
    check = index - 1
    while check >= 0 and roles[check] == TOOL:
        check -= 1
    return check if check >= 0 and roles[check] == ASSISTANT and calls[check] else index


def pair_end(roles: Sequence[int], user: int) -> int:
    """Return the index after a message of the user and the answer to it, with its results."""
    index = user + 1
    return past_results(roles, index + 1) if index < len(roles) and roles[index] == ASSISTANT else index


def prune_boundary(token_index: HermesTokenIndex, protect_last_n: int, budget: int) -> int:
    """Return the end of pruning. Results and arguments before it are pruned. The last `protect_last_n` messages and
    the last `budget` tokens of the list are never pruned."""
    length = len(token_index)
    if budget <= 0:
        return max(0, length - protect_last_n)
    over = token_index.original.overrun(budget, 0, 0)
    return max(0, min(over, length - min(protect_last_n, length)))


def tail_floor(policies: Policies, length: int, head_end: int, protect_last_n: int) -> int:
    """Return the minimum number of messages of the tail."""
    available = max(0, length - head_end - 1)
    if length - head_end <= 1:
        return 0
    if policies.tail_floor == "bounded":
        floor = max(3, min(protect_last_n, _BOUNDED_FLOOR))
        return min(floor, max(3, available - 2), available) if available > 1 else 0
    return min(protect_last_n if policies.tail_floor == "protect_last_n" else 3, available)


def tail_start(
    token_index: HermesTokenIndex,
    policies: Policies,
    head_end: int,
    budget: int,
    protect_last_n: int,
    pruned_to: int,
    steps: list[DerivationStep] | None,
) -> int:
    """Return the start of the tail as the release computes it; at most the length of the list + 1.

    If `steps` is given, each rule that moved the start is appended to it.
    """
    length, roles = len(token_index), token_index.roles
    floor = tail_floor(policies, length, head_end, protect_last_n)
    ceiling = int(budget * policies.soft_ceiling)
    pruned = token_index.tokens_now
    over = pruned.overrun(ceiling, head_end, pruned_to)
    stop = min(over, length - floor)
    cut = stop + 1 if over >= 0 and stop >= head_end else head_end if length > head_end else length
    if steps is not None:
        steps.append(walk_step(cut, ceiling, budget))
    if (
        policies.second_walk
        and cut <= head_end
        and 0 < pruned.between(head_end, length, pruned_to) <= ceiling
    ):
        over = pruned.overrun(budget, head_end, pruned_to)
        stop = min(over, length - floor)
        cut = stop if over >= 0 and stop >= head_end else head_end
        if steps is not None:
            why = f"the whole list fits, so a second walk uses {budget:,} tokens"
            steps.append(DerivationStep("second walk", cut, why, bound=True))
    fallback = length - floor
    cut = _step(steps, "floor", cut, min(cut, fallback), f"at least the last {floor} messages")
    if cut <= head_end:
        cut = _step(steps, "middle", cut, max(fallback, head_end + 1), "something has to be summarized")
    group = before_group(roles, token_index.calls, cut)
    cut = _step(steps, "tool group", cut, group, "a call stays with its results")
    if policies.anchor_user:
        cut = _step(steps, "last user message", cut, *_anchor_user(token_index, policies, cut, head_end))
    if policies.anchor_assistant:
        why = "the last answer that the user saw stays in the tail"
        cut = _step(steps, "last answer", cut, _anchor_assistant(token_index, cut, head_end), why)
    cut = _step(steps, "head", cut, max(cut, head_end + 1), "at least one message is summarized")
    if policies.realigns_forward:
        forward = past_results(roles, cut)
        cut = _step(steps, "forward", cut, forward, "the tail never starts with a tool result")
    return cut


def lowest_walked(
    token_index: HermesTokenIndex, policies: Policies, head_end: int, budget: int, floor: int, pruned_to: int
) -> int:
    """Return the lowest index that the tail walk visits."""
    over = token_index.tokens_now.overrun(int(budget * policies.soft_ceiling), head_end, pruned_to)
    stop = min(over, len(token_index) - floor)
    return stop if over >= 0 and stop >= head_end else head_end


def starts_with_system(token_index: HermesTokenIndex) -> bool:
    """Return whether the list starts with the system prompt."""
    return token_index.roles[:1] == bytes([SYSTEM])


def pruned_indexes(token_index: HermesTokenIndex, pruned_to: int) -> tuple[int, ...]:
    """Return the indexes of all messages whose content or calls change: pruned messages before `pruned_to`, and
    duplicates anywhere in the list."""
    changed = token_index.changed[: bisect_left(token_index.changed, pruned_to)]
    if not token_index.duplicates:
        return tuple(changed)
    return tuple(sorted((*changed, *token_index.duplicates)))


def _step(steps: list[DerivationStep] | None, rule: str, before: int, after: int, why: str) -> int:
    if after != before and steps is not None:
        steps.append(DerivationStep(rule, after, why, bound=True))
    return after


def _anchor_user(
    token_index: HermesTokenIndex, policies: Policies, cut: int, head_end: int
) -> tuple[int, str]:
    why = "the last user message stays in the tail"
    last = token_index.asked.rfind(1, head_end)
    if last < 0 or last >= cut:
        return cut, why
    moved = max(last, head_end + 1)
    if policies.keeps_pairs and moved > last:
        return max(
            pair_end(token_index.roles, last), head_end + 1
        ), "the last user message goes with its answer"
    return moved, why


def _anchor_assistant(token_index: HermesTokenIndex, cut: int, head_end: int) -> int:
    last = token_index.speaking.rfind(1, head_end)
    if last < 0:
        last = token_index.roles.rfind(ASSISTANT, head_end)
    if last < 0 or last >= cut:
        return cut
    return max(before_group(token_index.roles, token_index.calls, last), head_end + 1)


def latest_summary(token_index: HermesTokenIndex, start: int, stop: int, pruned_to: int) -> int:
    """Return the last handoff in [start:stop], or -1. A handoff in a tool result counts if it is not pruned."""
    hands, low = token_index.hands, max(start, pruned_to)
    erasable = hands.rfind(ERASABLE, low, stop)
    while erasable in token_index.duplicate_set:
        erasable = hands.rfind(ERASABLE, low, erasable)
    return max(hands.rfind(HANDOFF, start, stop), erasable)


def walk_step(start: int, ceiling: int, budget: int) -> DerivationStep:
    """Return the step that finds the start of the tail. Both sizes are in tokens."""
    times = f" ({ceiling / budget:.2g} times the budget)" if budget and ceiling != budget else ""
    why = f"walking back from the end until {ceiling:,} tokens are used{times}"
    return DerivationStep("walk", start, why, bound=True)
