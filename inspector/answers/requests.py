"""The requests of a conversation with their cache misses, causes and costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answer_places import with_differences
from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.answers.resolving import policy_of, ttl_of
from inspector.caching.breakpoints import Layout
from inspector.caching.costs import Cost, Rates, pricer
from inspector.caching.misses import JudgedRequest, judge
from inspector.caching.modelled import SentList, modelled_requests
from inspector.caching.priced import PricedRequest
from inspector.caching.requests import Requests
from inspector.config.prices import own_file, rates_of, time_of
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Request, SentRequest
from inspector.core.errors import UsageProblem

#: Seconds between the times at which prices can change: full and half hours.
_HALF_HOUR = 1_800


def list_requests(answers: Answers, name: str) -> Requests:
    """Return the requests of a conversation with the causes of their misses.

    Raises UnknownConversation, StoreErrors and EngineErrors, and BadInput if the file of prices cannot be used.
    """
    inspection, resolved = answers.opened(name)
    requests = with_differences(inspection, resolved, requests_of(inspection, resolved))
    if requests.is_estimated:
        answers.note(estimate_words(requests))
    for why in requests.why_no_cost:
        answers.note(f"Some requests have no cost: {why}; {own_file()} can name it.")
    return requests


def estimate_words(requests: Requests) -> str:
    """Return how estimated requests compare with the total of the provider."""
    lead = "The store keeps no usage of single calls,"
    if not requests.sent:
        return f"{lead} and no request can be estimated from the messages."
    comparison = "The store has no total to compare with."
    if requests.reported:
        off = (requests.sent - requests.reported) / requests.reported
        comparison = f"The provider reported {requests.reported:,}: the estimate is {abs(off):.1%} "
        comparison += "higher." if off > 0 else "lower."
    estimated = "so the requests are estimated from the messages:"
    return f"{lead} {estimated} {requests.sent:,} tokens sent. {comparison}"


def requests_of(inspection: Inspection, resolved: ResolvedSettings) -> Requests:
    """Return the recorded requests of a conversation. If none is recorded, estimate them from its messages."""
    conversation, store = inspection.conversation, inspection.store
    requests: Sequence[Request] = store.requests(conversation)
    from_messages = not requests
    if from_messages:
        requests = estimate_requests(inspection, resolved.settings.profile, ttl_of(resolved) == "1h")
    listed = set(inspection.summarizing(requests).values())
    unlisted = tuple(
        recorded.index
        for recorded in inspection.compactions()
        if (recorded.summary is not None or recorded.encrypted)
        and not (recorded.fallback or recorded.by_hook or recorded.index in listed)
    )
    judged, usage = _judged(inspection, requests, from_messages), conversation.usage
    return Requests(judged, from_messages, usage.context, unlisted, usage.cost)


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
                [system + tokens for tokens in grown],
                compaction.after if compaction else 0,
                system + grown[min(compaction.head_after, len(generation))] if compaction else 0,
            )
        )
    policy = policy_of(conversation.row, profile)
    summaries = (recorded.usage for recorded in made_by.values())
    read = conversation.usage.cache_read + sum(usage.cache_read for usage in summaries if usage is not None)
    # Reads without a breakpoint mean that the provider caches by itself.
    return list(
        modelled_requests(
            lists,
            conversation.row.model,
            bool(policy.enabled),
            hour,
            layout or policy.layout,
            automatic=not policy.enabled and read > 0,
        )
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
