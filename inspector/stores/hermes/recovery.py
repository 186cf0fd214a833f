"""Recover the boundaries of a compaction from the lists before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from inspector.core.handoff import Handoff
from inspector.stores.hermes.matching import (
    STEP,
    Print,
    Tail,
    head_of,
    is_copy,
    longest_run,
    may_be_unstored,
    tails,
)
from inspector.stores.hermes.profiles import PLAIN_FALLBACK

#: The profiles whose tail never starts with a tool result.
_MOVES_BEHIND = frozenset({"hermes-0.19", "hermes-0.20", "hermes-current"})
#: Maximum number of summaries that are tried as the new one.
_MAX_SUMMARIES = 64

# Notes on uncertain boundaries.
_NO_SUMMARY = "The list after it has no summary; the boundaries are the places where both lists differ."
_REWRITTEN = "The copies of the tail end early: one of the two lists was changed after the compaction."
_UNSTORED = "The list after it has messages of Hermes that the store lacks in the list before it."
_NO_TAIL = "No copy of the tail was found after the summary."
_REPEATED = "Messages repeat, so the tail may start at another message."
_ORPHANS = (
    "Tool results without a call were left out at the start of the tail, so it may start at any of them, from #{first} "
    "on."
)
_ALIKE = "The summary equals an earlier one; the new one is inferred."
_EMPTY = "The session after the compaction has no messages."


class Recovered(NamedTuple):
    """Boundaries of a compaction; Compaction describes the fields."""

    head_end: int
    tail_start: int
    head_after: int
    tail_after: int
    after: int
    summary_at: int | None
    merged: bool
    exact: bool = True
    note: str = ""


def recover(old: Sequence[Print], new: Sequence[Print]) -> Recovered:
    """Return the boundaries. `new` is the list after the compaction, with later messages."""
    if not new:
        return Recovered(len(old), len(old), 0, 0, 0, None, False, False, _EMPTY)
    summaries = [at for at, item in enumerate(new) if item.handoff is not None][:_MAX_SUMMARIES]
    old_texts = {item.text for item in old if item.handoff is not None}
    # A new summary differs from earlier summaries, so try copies of those last.
    summaries.sort(key=lambda at: new[at].text in old_texts)
    for as_declared, as_counted in ((True, True), (True, False), (False, True), (False, False)):
        for summary in summaries:
            recovered = _fit(old, new, summary, as_declared, as_counted)
            if recovered is not None:
                alike = new[summary].text in old_texts
                return recovered._replace(exact=False, note=recovered.note or _ALIKE) if alike else recovered
    return _inferred(old, new, summaries)


def _fit(
    old: Sequence[Print], new: Sequence[Print], summary: int, as_declared: bool, as_counted: bool
) -> Recovered | None:
    """Return the boundaries if new[summary] has the summary, or None if the lists do not fit around it.

    A merged summary of 0.13 is not always recognised if the message has no other text. `as_declared`: the handoff is
    merged if it says so; else the opposite is tried. `as_counted`: a fallback replaces as many messages as it states.
    """
    handoff = new[summary].handoff
    head = head_of(old, new, summary)
    if handoff is None or (head is None and not (as_declared and handoff.merged)):
        return None
    if head is None:
        # In 0.20 and newer, the summary is in the first user message of the tail if there is no head.
        candidates = tails(old, new, 1, 0, summary, frozenset())
        return _chosen(old, new, 0, summary, 0, candidates) if candidates else None
    merged = handoff.merged is as_declared
    calls = frozenset(call.id for item in new[:summary] for call in item.calls)
    first = summary if merged else summary + 1
    # The middle is never empty, except in a list of another program.
    place = summary if merged else None
    candidates = tails(old, new, head + 1, first, place, calls) or tails(old, new, head, first, place, calls)
    if not candidates:
        return None
    recovered = _chosen(old, new, head, summary, first, candidates)
    expected = _expected(old, head, handoff)
    return None if as_counted and expected not in (None, recovered.tail_start) else recovered


def _chosen(
    old: Sequence[Print], new: Sequence[Print], head: int, summary: int, first: int, candidates: list[Tail]
) -> Recovered:
    """Return the boundaries with the most likely of several tails."""
    handoff = new[summary].handoff
    expected = _expected(old, head, handoff) if handoff else None
    exact, note = True, ""
    tail = candidates[0]
    if len(candidates) > 1:
        certain = _certain(candidates, new, expected)
        tail = certain or candidates[0]
        if certain is None:
            exact, note = False, _REPEATED
    start = tail.start
    results = _results_before(old, head, start)
    # Since 0.19, the start of the tail moves past results. Earlier releases drop them from the new list.
    if results < start and not (handoff and _keeps_results(handoff)):
        start, certain_start = _start_with_results(old, head, results, start, expected)
        if not certain_start:
            exact, note = False, _ORPHANS.format(first=results)
    return Recovered(
        head, start, min(first, summary), first, tail.end, summary, first <= summary, exact, note
    )


def _keeps_results(handoff: Handoff) -> bool:
    """Return whether the release leaves no result out of the tail."""
    return bool(handoff.plugin or (handoff.releases and _MOVES_BEHIND.issuperset(handoff.releases)))


def _certain(candidates: Sequence[Tail], new: Sequence[Print], expected: int | None) -> Tail | None:
    """Return the candidate that further evidence supports, or None."""
    if expected is not None:
        return next((tail for tail in candidates if tail.start == expected), None)
    same = [tail for tail in candidates if tail.same_times]
    if len(same) == 1:
        return same[0]
    end = 1
    while end < len(new) and 0 < new[end].timestamp - new[end - 1].timestamp <= STEP:
        end += 1
    # The same transaction may have added a list of open tasks after the tail.
    for last in (end, end - 1):
        inserted = [tail for tail in candidates if tail.end == last and last > 1]
        if inserted:
            return inserted[0]
    return None


def _expected(old: Sequence[Print], head: int, handoff: Handoff) -> int | None:
    """Return the start of the tail if a fallback text states the number of replaced messages, else None."""
    if handoff.dropped is None:
        return None
    if handoff.body.startswith(PLAIN_FALLBACK):
        return head + handoff.dropped
    # Since 0.16, a fallback does not count the summary at the start of the middle.
    for at in range(len(old) - 1, head - 1, -1):
        if old[at].handoff is not None and at + 1 + handoff.dropped <= len(old):
            return at + 1 + handoff.dropped
    return head + handoff.dropped


def _results_before(old: Sequence[Print], head: int, start: int) -> int:
    """Return the start of the run of tool results that ends before old[start]; `start` if there is none."""
    at = start
    while at > head and old[at - 1].role == "tool":
        at -= 1
    return at


def _start_with_results(
    old: Sequence[Print], head: int, results: int, start: int, expected: int | None
) -> tuple[int, bool]:
    """Return the start of a tail whose first messages may be omitted results, and whether that start is certain.

    A start inside a group of a call and its results moves back to the call, but not into the head. Then the results
    lose their call and are left out of the new list.
    """
    if expected is not None and results <= expected <= start:
        return expected, True
    caller = results - 1
    if caller < head or not _is_group(old, caller):
        return start, False
    if caller > head:
        return start, True
    if _is_group(old, start) or _is_last_user(old, start):
        return start, False
    return head + 1, True


def _is_group(old: Sequence[Print], at: int) -> bool:
    return 0 <= at < len(old) and old[at].role == "assistant" and bool(old[at].calls)


def _is_last_user(old: Sequence[Print], at: int) -> bool:
    return old[at].role == "user" and all(item.role != "user" for item in old[at + 1 :])


def _inferred(old: Sequence[Print], new: Sequence[Print], summaries: Sequence[int]) -> Recovered:
    """Return the best guess if the lists do not fit together."""
    before = {item.text for item in old if item.handoff is not None}
    summary = next((at for at in summaries if new[at].text not in before), None)
    common = 0
    limit = len(new) if summary is None else summary
    while common < min(limit, len(old)) and is_copy(old[common], new[common]):
        common += 1
    if summary is None:
        run = longest_run(old, new, common, common, False)
        start, end = run or (len(old), common)
        return Recovered(common, start, common, common, end, None, False, False, _NO_SUMMARY)
    handoff = new[summary].handoff
    merged = handoff is not None and handoff.merged
    first = summary if merged else summary + 1
    head = min(head_of(old, new, summary) or common, len(old))
    run = longest_run(old, new, head, first, merged)
    copies_at = first
    while run is None and copies_at < len(new) and may_be_unstored(new[copies_at]):
        copies_at += 1
        run = longest_run(old, new, head, copies_at, merged)
    if run is None:
        return Recovered(head, len(old), summary, first, summary + 1, summary, merged, False, _NO_TAIL)
    note = _REWRITTEN if run[1] - copies_at < len(old) - run[0] else _UNSTORED
    return Recovered(head, run[0], summary, copies_at, run[1], summary, merged, False, note)
