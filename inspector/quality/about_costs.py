"""Rules about what the prompt cache and compactions cost. Money is in US dollars."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from inspector.caching.costs import Bill
from inspector.core.shares import dollars, plural
from inspector.quality import limits
from inspector.quality.evidence import CompactionEvidence, ConversationEvidence
from inspector.quality.finding import Violation


def never_paid_off(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions that the next one followed before the break-even, but not as soon as `caches_thrown_away`."""
    for one, following, bill in _unpaid(evidence, discarded=False):
        needed = bill.requests_to_pay_off
        after = "never" if needed is None else f"after {plural(needed, 'request')}"
        yield Violation(
            f"Compaction {one.index} cost {_about(one)}{dollars(bill.cost.amount)} US dollars and pays off {after}. "
            f"Only {bill.later:,} followed the first one before the next compaction.",
            one.index,
            one.index + 1,
            one.recorded.summary_at,
            (following.index + 1, 0),
        )


def idling_costs_most(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield the pauses longer than the time to live, if they cost more than all compactions and that can be changed."""
    idle, bills = (
        evidence.costs.idle,
        [compaction.bill for compaction in evidence.compactions if compaction.bill is not None],
    )
    if idle is None or idle.more is None or not bills:
        return
    compactions = sum(bill.cost.amount for bill in bills)
    cost = idle.cost
    if (
        cost is None
        or idle.more <= compactions
        or idle.cheaper < max(limits.NOTICED_DOLLARS, limits.MISSED_SHARE * cost.amount)
    ):
        return
    pauses = "A pause" if idle.misses == 1 else f"{idle.misses:,} pauses"
    sentences = [
        f"{pauses} longer than the time to live of the cache cost {dollars(idle.more)} US dollars, all compactions "
        f"cost {dollars(compactions)}.",
        *idle.words[1:],
    ]
    yield Violation(" ".join(sentences), since=evidence.live.end)


def breakpoints_never_hit(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield a cache that requests write and never read."""
    cache = evidence.costs.cache
    if cache is None or cache.writing < limits.WRITING_REQUESTS or cache.read:
        return
    yield Violation(
        f"{cache.writing:,} requests wrote {cache.written:,} tokens into the cache, and no request read any back.",
        since=evidence.live.end,
    )


def prompt_changes(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield prompts that nearly always differ near their start."""
    cache = evidence.costs.cache
    if cache is None or cache.changed < max(limits.CHANGED_REQUESTS, limits.CHANGED_SHARE * cache.warm):
        return
    yield Violation(
        f"{cache.changed:,} of {cache.warm:,} requests sent {cache.again:,} tokens again although the cache was still "
        f"valid: at most the first {cache.same:,} tokens of their prompts were the same.",
        since=evidence.live.end,
    )


def caches_thrown_away(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Yield compactions whose new cache was read by fewer than CLOSE_REQUESTS requests."""
    for one, following, bill in _unpaid(evidence, discarded=True):
        requests = "request" if bill.later == 1 else "requests"
        yield Violation(
            f"Compaction {one.index} cost {_about(one)}{dollars(bill.cost.amount)} US dollars, of which "
            f"{dollars(bill.cost.write)} to write a new list into the cache. Only {bill.later:,} {requests} read it "
            f"before compaction {following.index} discarded it.",
            following.index,
            one.index + 1,
            one.recorded.summary_at,
            (following.index + 1, 0),
        )


def _unpaid(
    evidence: ConversationEvidence, discarded: bool
) -> Iterator[tuple[CompactionEvidence, CompactionEvidence, Bill]]:
    """Yield compactions that did not pay off, with the next one and the bill.

    `discarded`: those whose new cache was read by fewer than limits.CLOSE_REQUESTS requests; else the others.
    """
    for one, following in pairwise(evidence.compactions):
        bill = one.bill
        if bill is None or bill.paid_off or bill.loss < limits.NOTICED_DOLLARS or one.doubted:
            continue
        if discarded == (bool(bill.cost.write) and bill.later < limits.CLOSE_REQUESTS):
            yield one, following, bill


def _about(one: CompactionEvidence) -> str:
    """Return "about " if the figures of the bill are modelled."""
    return "about " if one.modelled else ""
