"""The API calls of a conversation with their cache misses, causes and costs, and the bills of compactions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from inspector.agents import has_warm_summaries
from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.answers.resolving import policy_of, ttl_of
from inspector.caching.breakpoints import Layout
from inspector.caching.costs import Bill, CompactionUsage, Cost, Rates, bill, pricer, total
from inspector.caching.idle import IdleCosts, idle_costs
from inspector.caching.misses import CAUSES, FIVE_MINUTES, ONE_HOUR, Cause, JudgedRequest, judge
from inspector.caching.modelled import SentList, modelled_requests
from inspector.caching.priced import PricedRequest
from inspector.config.prices import own_file, rates_of, time_of
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ROLE_CODES, Compaction, Generation, Request, SentRequest, Usage
from inspector.core.errors import UsageProblem
from inspector.core.rough import text_tokens
from inspector.quality.firing import doubted

#: Seconds between the times at which prices can change: full and half hours.
_HALF_HOUR = 1_800

_ASSISTANT = ROLE_CODES["assistant"]
#: Maximum seconds between the stored time of an answer and the time of its usage.
_TIME_TOLERANCE = 1.0


class CauseSum(Struct, frozen=True):
    """The misses of a cause. `misses` is their number and `tokens` the tokens sent again. `more` is the extra cost over
    reading these tokens from the cache, in US dollars (None if a price is unknown)."""

    cause: Cause
    misses: int
    tokens: int
    more: float | None


class Requests(Struct, frozen=True):
    """The requests of a conversation, in order.

    `is_estimated`: the requests are estimated from messages. `reported` is the total of tokens that all sessions sent,
    as the store records it (0: not recorded). `unlisted` is the number of summaries whose calls are not among the
    requests.
    """

    priced: tuple[PricedRequest, ...]
    is_estimated: bool
    reported: int = 0
    unlisted: int = 0

    @property
    def sent(self) -> int:
        """Return the tokens of all prompts."""
        return sum(priced.request.context for priced in self.priced)

    @property
    def cost(self) -> Cost | None:
        """Return the cost of all requests; None if a price is unknown."""
        return total(priced.cost for priced in self.priced)

    @property
    def why_no_cost(self) -> tuple[str, ...]:
        """Return the reasons why requests have no cost, as clauses."""
        return tuple(sorted({priced.why_no_cost for priced in self.priced} - {""}))

    def by_cause(self) -> tuple[CauseSum, ...]:
        """Return the misses by cause, without causes that did not occur."""
        sums = []
        for cause in CAUSES:
            missed = [priced for priced in self.priced if priced.judged.cause == cause]
            costs = [priced.more for priced in missed]
            more = None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs)
            if missed:
                tokens = sum(priced.judged.missed for priced in missed)
                sums.append(CauseSum(cause, len(missed), tokens, more))
        return tuple(sums)

    def idle(self) -> IdleCosts:
        """Return the costs of idling."""
        return idle_costs([(priced.judged, priced.rates) for priced in self.priced])


def list_requests(answers: Answers, name: str) -> Requests:
    """Return every call once, in order. Raises UnknownConversation, StoreErrors and EngineErrors, and BadInput if the
    file of prices cannot be used."""
    inspection, resolved = answers.opened(name)
    requests = with_differences(inspection, resolved, requests_of(inspection, resolved))
    if requests.is_estimated and not requests.sent:
        answers.note(
            "The store keeps no usage of single calls, and no request can be estimated from the messages."
        )
    elif requests.is_estimated:
        comparison = "The store has no total to compare with."
        if requests.reported:
            off = (requests.sent - requests.reported) / requests.reported
            comparison = f"The provider reported {requests.reported:,}: the estimate is {abs(off):.1%} "
            comparison += "higher." if off > 0 else "lower."
        answers.note(
            "The store keeps no usage of single calls, so the requests are estimated from the messages: "
            f"{requests.sent:,} tokens sent. {comparison}"
        )
    for why in requests.why_no_cost:
        answers.note(f"Some requests have no cost: {why}; {own_file()} can name it.")
    return requests


def requests_of(inspection: Inspection, resolved: ResolvedSettings) -> Requests:
    """Return the recorded requests of a conversation. If none is recorded, estimate them from its messages."""
    conversation, store = inspection.conversation, inspection.store
    requests: Sequence[Request] = store.requests(conversation)
    from_messages = not requests
    if from_messages:
        requests = estimate_requests(inspection, resolved.settings.profile, ttl_of(resolved) == "1h")
    usage = conversation.usage
    sent = usage.input + usage.cache_read + usage.cache_write
    listed = set(inspection.summarizing(requests).values())
    unlisted = [
        recorded
        for recorded in inspection.compactions()
        if (recorded.summary is not None or recorded.encrypted)
        and not (recorded.fallback or recorded.by_hook or recorded.index in listed)
    ]
    return Requests(_judged(inspection, requests, from_messages), from_messages, sent, len(unlisted))


def with_differences(inspection: Inspection, resolved: ResolvedSettings, requests: Requests) -> Requests:
    """Return the requests. For each miss with the cause "prefix", add where the prompt changed, if its answer is found
    in the list."""
    if all(entry.judged.cause != "prefix" for entry in requests.priced):
        return requests
    places = answer_places(inspection, resolved.settings.profile, requests)
    firsts: dict[int, tuple[Request, int, Sequence[int]]] = {}
    priced = []
    for entry, index in zip(requests.priced, places, strict=True):
        request = entry.request
        if index is not None:
            if request.generation not in firsts:
                generation = inspection.generation(request.generation)
                grown = inspection.sent(generation, resolved.settings.profile).grown()
                firsts[request.generation] = request, index, grown
            if entry.judged.cause == "prefix":
                entry = entry._replace(differs=difference(request, index, *firsts[request.generation]))
        priced.append(entry)
    return replace(requests, priced=tuple(priced))


def answer_places(inspection: Inspection, profile: str, requests: Requests) -> tuple[int | None, ...]:
    """Return the index of each request's answer in the list of its generation, or None if the list has no such answer.

    An estimated request names the row of its answer. The answer of a recorded request is found by time: the answer at
    the time of the request, else the last answer before it."""
    lists = answer_finders(inspection, profile, requests)
    calls = (priced.request for priced in requests.priced)
    return tuple(lists[call.generation].of(call) if call.generation in lists else None for call in calls)


def answer_finders(inspection: Inspection, profile: str, requests: Requests) -> Mapping[int, AnswerFinder]:
    """Return a finder of the answers of each list with requests, by generation."""
    used = {priced.request.generation for priced in requests.priced}
    return {
        generation.number: AnswerFinder(
            generation, inspection.sent(generation, profile).times, requests.is_estimated
        )
        for generation in inspection.conversation.generations
        if generation.number in used
    }


def priced_again(inspection: Inspection, requests: Requests, changed: Sequence[Request]) -> Requests:
    """Return other requests of the same conversation with their causes and costs."""
    return replace(requests, priced=_judged(inspection, changed, requests.is_estimated))


def _judged(
    inspection: Inspection, requests: Sequence[Request], from_messages: bool
) -> tuple[PricedRequest, ...]:
    conversation = inspection.conversation
    cleared = [(call.generation, call.at) for call in inspection.store.microcompactions(conversation)]
    summarizing = inspection.summarizing(requests)
    judged = list(judge((call for call in requests if call.index not in summarizing), cleared, from_messages))
    # A summarizing call has another prompt than the other requests, so it gets no cause.
    apart = (call for call in requests if call.index in summarizing)
    judged += [JudgedRequest(call, None, 0, None, from_messages) for call in apart]
    judged.sort(key=lambda entry: entry.request.index)
    return priced_requests(judged, conversation.row.model, conversation.row.provider)


def priced_requests(judged: Iterable[JudgedRequest], model: str, provider: str) -> tuple[PricedRequest, ...]:
    """Return each request with its cost at the prices of its time.

    `model` is used for requests without a model. Raises BadInput if the file of prices cannot be used.
    """
    prices: dict[tuple[str, int], tuple[Rates | None, Callable[[Request], Cost | None] | None]] = {}
    priced = []
    for entry in judged:
        request = entry.request
        key = request.model, int(request.at // _HALF_HOUR)
        if key not in prices:
            rates = rates_of(request.model or model, time_of(request.at), provider)
            prices[key] = rates, None if rates is None else pricer(rates)
        rates, price = prices[key]
        priced.append(PricedRequest(entry, None if price is None else price(request), rates))
    return tuple(priced)


def estimate_requests(
    inspection: Inspection, profile: str, hour: bool, layout: Layout | None = None
) -> list[Request]:
    """Estimate the requests from the messages of a conversation.

    `hour`: the cache lives an hour, else five minutes. `layout`: the cache layout, None for the layout in force.
    """
    conversation = inspection.conversation
    made_by = {recorded.index + 1: recorded for recorded in inspection.compactions()}
    lists = []
    for generation in conversation.generations:
        sent, system = inspection.sent(generation, profile), inspection.system_tokens(generation.session)
        grown = sent.grown()
        compaction = made_by.get(generation.number)
        lists.append(
            SentList(
                generation.number,
                generation.roles,
                generation.ids,
                sent,
                partial(_tokens_until, grown, system),
                compaction.after if compaction else 0,
                system + grown[min(compaction.head_after, len(generation))] if compaction else 0,
            )
        )
    policy = policy_of(conversation.row, profile)
    # Reads without a breakpoint mean that the provider caches by itself.
    summaries = (recorded.usage for recorded in made_by.values())
    read = conversation.usage.cache_read + sum(usage.cache_read for usage in summaries if usage is not None)
    automatic = not policy.enabled and read > 0
    enabled = bool(policy.enabled)
    return list(
        modelled_requests(lists, conversation.row.model, enabled, hour, layout or policy.layout, automatic)
    )


def _tokens_until(grown: Sequence[int], system: int, stop: int) -> int:
    return system + grown[stop]


def bills_of(inspection: Inspection, requests: Requests) -> Mapping[int, tuple[Bill, Rates]]:
    """Return the bill of each compaction, by index. Compactions without known usage or prices are missing."""
    bills = {}
    by_list = _by_list(requests)
    for recorded in inspection.compactions():
        before, call, after = _around(recorded, by_list)
        if not before or not after or after[0].rates is None or _why_no_call(recorded, call):
            continue
        made = bill(_usage(inspection, recorded, before[-1], after), after[0].rates)
        if made is not None and call is not None:
            made = None if call.cost is None else made.paid(call.cost, _warm(call.request))
        elif made is not None and recorded.usage is not None:
            request = _as_request(recorded, recorded.usage)
            paid = pricer(after[0].rates)(request)
            made = None if paid is None else made.paid(paid, _warm(request))
        if made is None:
            continue
        same_model = before[-1].request.model == after[0].request.model
        reached = _break_even(made, before[-1].request, after) if same_model else None
        if reached is not None:
            early = reached < (made.requests_to_pay_off or 0)
            made = replace(made, paid_by=after[reached].request.index, early=early)
        bills[recorded.index] = replace(made, same_model=same_model), after[0].rates
    return bills


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


def _warm(request: Request) -> bool:
    """Return whether most of a prompt was read from the cache."""
    return 2 * request.cache_read > request.context


def _as_request(recorded: Compaction, usage: Usage) -> Request:
    """Return the summarizing calls of a compaction as one request."""
    return Request(
        0, recorded.index, "", "", recorded.at, usage.input, usage.cache_read, usage.cache_write, None, usage.output,
        True,
    )  # fmt: skip


def why_no_bill(recorded: Compaction, requests: Requests) -> str:
    """Return the reason why `bills_of` has no bill of a compaction, as a clause."""
    before, call, after = _around(recorded, _by_list(requests))
    if why := _why_no_call(recorded, call):
        return why
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
        if priced.request.summed and not priced.request.summarizes:
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

    The cost of a failed call is unknown. If a summary is unreadable or by an extension, its cost is known only if it
    was recorded.
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
    before, first = last.request, after[0].request
    # A summarizing call reads from the cache only if it has the same model and the same prompt as the requests. If the
    # model changed, the new model wrote the summary.
    shares = (
        has_warm_summaries(inspection.conversation.row.agent) and before.cache_read + before.cache_write > 0
    )
    reported, sent = recorded.tokens_before_reported, before.context + before.output
    return CompactionUsage(
        before=sent if reported is None or doubted(reported, sent) else reported,
        after=first.context,
        written=first.cache_write,
        summary=text_tokens(len(recorded.summary or "")),
        warm=shares
        and before.model == first.model
        and (not before.at or not recorded.at or recorded.at - before.at <= _time_to_live(before)),
        hour=bool(first.cache_write_1h),
        later=len(after) - 1,
        cached=any(entry.request.cache_read for entry in after[1:]) or first.cache_write > 0,
    )


class OpenedRequest(Struct, frozen=True):
    """Request `number` of `of` recorded requests, as it was sent, with its usage (None if no answer was recorded)."""

    number: int
    of: int
    sent: SentRequest
    usage: Request | None


def open_request(answers: Answers, name: str, number: int) -> OpenedRequest:
    """Return a request as it was sent, by its number from 1. Raises UsageProblem if the agent did not record this
    request, UnknownConversation and StoreErrors."""
    inspection, _ = answers.opened(name)
    recorded = answers.store.sent(inspection.conversation)
    if not recorded:
        raise UsageProblem("The agent did not record what it sent; newer releases of Claude Code do.")
    if not 1 <= number <= len(recorded):
        raise UsageProblem(
            f"--sent must lie between 1 and {len(recorded):,}, the number of recorded requests."
        )
    sent = recorded[number - 1]
    later = recorded[number].at if number < len(recorded) else float("inf")
    calls = inspection.requests()
    usage = next((call for call in calls if sent.at <= call.at < later), None)
    return OpenedRequest(number, len(recorded), sent, usage)


class AnswerFinder:
    """Finds the answers of a list: by row if the requests are estimated, else by time."""

    def __init__(self, generation: Generation, times: Sequence[float], is_estimated: bool) -> None:
        answers = [index for index, role in enumerate(generation.roles) if role == _ASSISTANT]
        self._rows = {str(generation.ids[index]): index for index in answers} if is_estimated else None
        timed = sorted((times[index], index) for index in answers if times[index])
        self._times, self._indexes = [time for time, _ in timed], [index for _, index in timed]

    def of(self, request: Request) -> int | None:
        """Return the index of a request's answer. If no answer has the time of the request, return the last answer
        before it."""
        if self._rows is not None:
            return self._rows.get(request.message)
        at = bisect_left(self._times, request.at - 0.001)
        if not self.has(request):
            at -= 1
        return self._indexes[at] if request.at and at >= 0 else None

    def has(self, request: Request) -> bool:
        """Return whether the list has an answer at the time of a request. Answers on abandoned branches are not in the
        list."""
        at = bisect_left(self._times, request.at - 0.001)
        return at < len(self._times) and self._times[at] - request.at < _TIME_TOLERANCE


def difference(request: Request, index: int, first: Request, began: int, grown: Sequence[int]) -> str:
    """Return a phrase for the place at which the prompt stops being read from the cache.

    `index` is the index of the request's answer. Reading ends at a breakpoint, so the prompts differ after the message
    with this breakpoint. `first` is the first request of the list, `began` the index of its answer, and `grown[n]` the
    rough tokens of the first n messages. These give the number of the provider's tokens for each rough token.
    """
    grew, sent = grown[index] - grown[began], request.context - first.context
    scale = sent / grew if grew > 0 and sent > 0 else 1.0
    # Rough tokens of the messages whose tokens were read from the cache, counted back from the end of the prompt.
    rough_read = grown[index] - (request.context - request.cache_read) / scale
    tokens_in = f"~{request.cache_read:,} tokens in"
    if rough_read < grown[1 if len(grown) > 1 else 0]:
        return f"at the start (system prompt, tools or first message, {tokens_in})"
    return f"after #{bisect_right(grown, rough_read) - 2} ({tokens_in})"
