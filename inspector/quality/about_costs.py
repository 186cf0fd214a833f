"""Rules about what the prompt cache and compactions cost. Money is in US dollars."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from inspector.core.shares import dollars
from inspector.quality.evidence import CompactionEvidence, ConversationEvidence
from inspector.quality.finding import Violation
from inspector.quality.limits import CHANGED_REQUESTS, CHANGED_SHARE, CLOSE_REQUESTS, WRITING_REQUESTS


def never_paid_off(evidence: ConversationEvidence) -> Iterator[Violation]:
    """The next compaction came before what this one cost had come back."""
    for one, following in pairwise(evidence.compactions):
        bill = one.bill
        if bill is None or bill.paid_off:
            continue
        needed = bill.requests_to_pay_off
        after = "never" if needed is None else f"after {needed:,} requests"
        yield Violation(
            f"Compaction {one.index} cost {_about(one)}{dollars(bill.cost.amount)} US dollars and pays off {after}; "
            f"{bill.later:,} followed before compaction {following.index}.",
            one.index,
            one.index + 1,
            one.recorded.summary_at,
            (following.index + 1, 0),
        )


def idling_costs_most(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Pauses longer than the cache lives cost more than all compactions."""
    idle, bills = evidence.idle, [one.bill for one in evidence.compactions if one.bill is not None]
    if idle is None or idle.more is None or not bills:
        return
    compactions = sum(bill.cost.amount for bill in bills)
    if idle.more <= compactions:
        return
    pauses = "A pause" if idle.misses == 1 else f"{idle.misses:,} pauses"
    told = [
        f"{pauses} longer than the cache lives cost {dollars(idle.more)} US dollars, the compactions "
        f"{dollars(compactions)}.",
        *idle.words[1:],
    ]
    yield Violation(" ".join(told), since=evidence.live.end)


def breakpoints_never_hit(evidence: ConversationEvidence) -> Iterator[Violation]:
    """What is written into the cache is paid for and never read."""
    found = evidence.cache
    if found is None or found.writing < WRITING_REQUESTS or found.read:
        return
    yield Violation(
        f"{found.writing:,} requests wrote {found.written:,} tokens into the cache, and none read any of them back.",
        since=evidence.live.end,
    )


def prompt_changes(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Nearly every prompt differs from the one before near its start."""
    found = evidence.cache
    if found is None or found.changed < max(CHANGED_REQUESTS, CHANGED_SHARE * found.warm):
        return
    yield Violation(
        f"{found.changed:,} of {found.warm:,} requests sent {found.again:,} tokens again although the cache still "
        f"lived: their prompts were the same for no more than {found.same:,} tokens.",
        since=evidence.live.end,
    )


def caches_thrown_away(evidence: ConversationEvidence) -> Iterator[Violation]:
    """Compactions so close that what one wrote into the cache was hardly read."""
    for one, following in pairwise(evidence.compactions):
        bill = one.bill
        if bill is None or not bill.cost.write or bill.later >= CLOSE_REQUESTS:
            continue
        requests = "request" if bill.later == 1 else "requests"
        yield Violation(
            f"Compaction {one.index} wrote a new list into the cache for {_about(one)}{dollars(bill.cost.write)} US "
            f"dollars, and {bill.later:,} {requests} read it before compaction {following.index} threw it away.",
            following.index,
            one.index + 1,
            one.recorded.summary_at,
            (following.index + 1, 0),
        )


def _about(one: CompactionEvidence) -> str:
    """That the figures of a bill are modelled."""
    return "about " if one.modelled else ""
