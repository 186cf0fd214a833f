"""The bill of each compaction of a conversation: its cost, and when later requests have saved it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.agents import row_of
from inspector.answers.inspection import Inspection
from inspector.caching.costs import Bill, CompactionUsage, Cost, Rates, bill, request_cost
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR
from inspector.caching.priced import PricedRequest
from inspector.caching.requests import Requests
from inspector.core.conversations import Compaction, Request, Usage
from inspector.core.rough import text_tokens
from inspector.quality.firing import is_size_doubted


def bills_of(inspection: Inspection, requests: Requests) -> Mapping[int, tuple[Bill, Rates]]:
    """Return the bill of each compaction with the rates after it, by index.

    Compactions without known usage or prices are missing.
    """
    bills = {}
    by_list = _by_list(requests)
    for recorded in inspection.compactions():
        before, call, after = _around(recorded, by_list)
        if not before or not after or (rates := after[0].rates) is None or _why_no_call(recorded, call):
            continue
        made = bill(_usage(inspection, recorded, before[-1], after), rates)
        request = None if call is None else call.request
        if request is None and recorded.usage is not None:
            request = _as_request(recorded, recorded.usage)
        if made is not None and request is not None:
            paid = request_cost(request, rates) if call is None else call.cost
            if recorded.paid is not None:
                paid = Cost(recorded.paid[0], 0.0, recorded.paid[1])
            made = None if paid is None else made.paid(paid, _is_warm(request))
        if made is None:
            continue
        same_model = before[-1].request.model == after[0].request.model
        reached = _break_even(made, before[-1].request, after) if same_model else None
        if reached is not None:
            early = reached < (made.requests_to_pay_off or 0)
            made = replace(made, paid_by=after[reached].request.index, early=early)
        bills[recorded.index] = replace(made, same_model=same_model), rates
    return bills


class CompactionCost(Struct, frozen=True):
    """The bill of a compaction and the rates after it. The bill is `is_estimated`, or the usage of the summarizing call
    is recorded. It is None with `why_no_bill` if usage or prices are unknown."""

    bill: Bill | None = None
    rates: Rates | None = None
    is_estimated: bool = False
    why_no_bill: str = ""

    @property
    def words(self) -> str:
        """The cost in words, or the reason why it is unknown."""
        if self.bill is None:
            return f"unknown: {self.why_no_bill}"
        return ("estimated, " if self.is_estimated else "") + self.bill.words


def costs_of(inspection: Inspection, requests: Requests) -> Mapping[int, CompactionCost]:
    """Return the cost of each compaction, by index."""
    bills = bills_of(inspection, requests)
    return {
        recorded.index: CompactionCost(
            *bills[recorded.index], requests.is_estimated and recorded.usage is None
        )
        if recorded.index in bills
        else CompactionCost(why_no_bill=why_no_bill(recorded, requests, inspection.is_branch))
        for recorded in inspection.compactions()
    }


def _break_even(bill: Bill, last: Request, later: Sequence[PricedRequest]) -> int | None:
    """Return the place in `later` of the request at which the savings reached the cost of a compaction, or None.

    `last` is the last request before the compaction. If its cache expired before the first request after the
    compaction, this first request would have written the whole list again without the compaction.
    """
    first = later[0].request
    cached = bool(last.at and (last.cache_read or last.cache_write))
    cold = cached and first.at - last.at > _time_to_live(last)
    saved = bill.saved_cold + bill.cost.write if cold else 0.0
    if saved >= bill.cost.amount:
        return 0
    for place, entry in enumerate(later[1:], start=1):
        missed = entry.judged.cause in ("ttl", "prefix")
        saved += max(bill.saved_a_request, bill.saved_cold if missed else 0.0)
        if saved >= bill.cost.amount:
            return place
    return None


def _time_to_live(request: Request) -> float:
    """Return the time to live of the cache that a request wrote, in seconds."""
    return ONE_HOUR if request.cache_write_1h else FIVE_MINUTES


def _is_warm(request: Request) -> bool:
    """Return whether most of a prompt was read from the cache."""
    return 2 * request.cache_read > request.context


def _as_request(recorded: Compaction, usage: Usage) -> Request:
    """Return the summarizing calls of a compaction as one request."""
    return Request(
        0, recorded.index, "", "", recorded.at, usage.input, usage.cache_read, usage.cache_write, None, usage.output,
        True,
    )  # fmt: skip


def why_no_bill(recorded: Compaction, requests: Requests, is_branch: bool = False) -> str:
    """Return the reason why `bills_of` has no bill of a compaction, as a clause.

    The requests of a branch do not include those of the conversation that it left.
    """
    before, call, after = _around(recorded, _by_list(requests))
    if why := _why_no_call(recorded, call):
        return why
    if not before and is_branch:
        return "the requests before it are counted in the conversation that this branch left"
    if not before:
        return "no request before it is known"
    if not after:
        return "no request followed it"
    needed = (before[-1], *([] if call is None else [call]), *after)
    return next(
        (entry.why_no_cost for entry in needed if entry.why_no_cost), "a price that it needs is unknown"
    )


def _by_list(requests: Requests) -> Mapping[int, Sequence[PricedRequest]]:
    """Return the requests of each list, by generation, without sums of several calls, which have no size of a list."""
    lists: dict[int, list[PricedRequest]] = {}
    for priced in requests.priced:
        if priced.request.unsized and not priced.request.summarizes:
            continue
        lists.setdefault(priced.request.generation, []).append(priced)
    return lists


def _around(
    recorded: Compaction, by_list: Mapping[int, Sequence[PricedRequest]]
) -> tuple[Sequence[PricedRequest], PricedRequest | None, Sequence[PricedRequest]]:
    """Return the requests of the list before a compaction, its summarizing call, and the requests of the list after it.

    The summarizing call is None if it is not listed. It is not among the requests before the compaction.
    """
    calls = by_list.get(recorded.index, ())
    call = next((entry for entry in reversed(calls) if entry.request.summarizes), None)
    return [entry for entry in calls if entry is not call], call, by_list.get(recorded.index + 1, ())


def _why_no_call(recorded: Compaction, call: PricedRequest | None) -> str:
    """Return the reason why the cost of the summarizing call is unknown, as a clause, or "".

    The cost of a failed call is always unknown. The cost of an unreadable summary, or of one that an extension made, is
    unknown unless it was recorded.
    """
    if recorded.fallback:
        return "the summary call failed, and its cost is not recorded"
    if call is not None or recorded.usage is not None:
        return ""
    if recorded.summary is None:
        return "its summary cannot be read" if recorded.encrypted else "it has no summary"
    if recorded.by_hook:
        return "an extension of the agent made the summary, and its calls are not recorded"
    return ""


def _usage(
    inspection: Inspection, recorded: Compaction, last: PricedRequest, after: Sequence[PricedRequest]
) -> CompactionUsage:
    """Return the token counts of a compaction between the `last` request and the requests `after` it."""
    before, first = last.request, after[0].request
    # A summarizing call reads from the cache only if it has the same model and the same prompt as the requests. If the
    # model changed, the new model wrote the summary.
    has_same_prompt = row_of(inspection.conversation.row.agent).warm_summaries
    was_cached = before.cache_read + before.cache_write > 0
    reported, sent = recorded.tokens_before_reported, before.tokens
    return CompactionUsage(
        before=sent if reported is None or is_size_doubted(recorded, sent) else reported,
        after=first.context,
        written=first.cache_write,
        summary=text_tokens(len(recorded.summary or "")),
        warm=has_same_prompt
        and was_cached
        and before.model == first.model
        and (not before.at or not recorded.at or recorded.at - before.at <= _time_to_live(before)),
        hour=bool(first.cache_write_1h),
        later=len(after) - 1,
        cached=any(entry.request.cache_read for entry in after[1:]) or first.cache_write > 0,
    )
