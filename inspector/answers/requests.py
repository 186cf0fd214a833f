"""The API calls of a conversation: what each had to send again, why, and what it cost; and the bills of compactions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.answers.resolving import policy_of, ttl_of
from inspector.caching.costs import Bill, CompactionUsage, Cost, Rates, bill, request_cost
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR, JudgedRequest, judge
from inspector.caching.modelled import SentList, modelled_requests
from inspector.config.prices import day_of, rates_of
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Compaction, Request
from inspector.core.rough import text_tokens
from inspector.engines.base import TokenIndex


@dataclass(frozen=True, slots=True)
class PricedRequest:
    """A request, the cause of its miss, and what it cost; None where a price is not known."""

    judged: JudgedRequest
    cost: Cost | None
    rates: Rates | None


@dataclass(frozen=True, slots=True)
class Requests:
    """Every request of a conversation in order. `modelled` says that they were worked out from messages; `reported` are
    then the tokens sent that the store has of all sessions together (0: none), beside `sent` of the model."""

    priced: tuple[PricedRequest, ...]
    modelled: bool
    reported: int = 0

    @property
    def sent(self) -> int:
        """The tokens of all prompts."""
        return sum(one.judged.request.context for one in self.priced)


def list_requests(answers: Answers, name: str) -> Requests:
    """Every call once, in order. Raises UnknownConversation, StoreErrors and EngineErrors, BadInput for a file of
    prices that cannot be used."""
    inspection, resolved = answers.opened(name)
    found = requests_of(inspection, resolved)
    if found.modelled:
        told = (
            f"the provider reported {found.reported:,}" if found.reported else "the store has no usage of it"
        )
        answers.note(
            f"The store keeps no usage of single calls: these requests are modelled from the messages, {found.sent:,} "
            f"tokens sent in all; {told}."
        )
    missing = sorted({one.judged.request.model for one in found.priced if one.cost is None})
    if missing:
        answers.note(
            f"No full price is known of {', '.join(missing) or 'the model'}; prices.yaml can name it."
        )
    return found


def requests_of(inspection: Inspection, resolved: ResolvedSettings) -> Requests:
    """The requests of a conversation: those that its agent recorded, else those that its messages mean."""
    conversation, store = inspection.conversation, inspection.store
    requests: tuple[Request, ...] = store.requests(conversation)
    modelled = not requests
    if modelled:
        requests = tuple(_modelled(inspection, resolved))
    cleared = [(one.generation, one.at) for one in store.microcompactions(conversation)]
    provider = conversation.row.provider
    usage = conversation.usage
    priced = []
    rates_on = cache(partial(rates_of, provider=provider))
    for judged in judge(requests, cleared, modelled):
        request = judged.request
        rates = rates_on(request.model or conversation.row.model, day_of(request.at))
        priced.append(PricedRequest(judged, None if rates is None else request_cost(request, rates), rates))
    return Requests(tuple(priced), modelled, usage.input + usage.cache_read + usage.cache_write)


def _modelled(inspection: Inspection, resolved: ResolvedSettings) -> list[Request]:
    conversation, profile = inspection.conversation, resolved.settings.profile
    made_by = {recorded.index + 1: recorded for recorded in inspection.compactions()}
    lists = []
    for generation in conversation.generations:
        index = inspection.token_index(generation, profile)
        system = inspection.system_tokens(generation.session)
        made = made_by.get(generation.number)
        lists.append(
            SentList(
                generation.number,
                generation.roles,
                generation.ids,
                inspection.gathered(generation, profile).times,
                partial(_tokens_until, index, system),
                made.after if made else 0,
                system + index.rough_until(min(made.head_after, len(index))) if made else 0,
            )
        )
    enabled = policy_of(conversation.row, profile).enabled
    return list(modelled_requests(lists, conversation.row.model, enabled, ttl_of(resolved) == "1h"))


def _tokens_until(index: TokenIndex, system: int, stop: int) -> int:
    return system + index.rough_until(stop)


def bills_of(inspection: Inspection, found: Requests) -> Mapping[int, tuple[Bill, Rates]]:
    """What each compaction cost, by its index; those are missing of which usage or prices are not known."""
    bills = {}
    by_generation: dict[int, list[PricedRequest]] = defaultdict(list)
    for one in found.priced:
        by_generation[one.judged.request.generation].append(one)
    for recorded in inspection.compactions():
        before, after = by_generation[recorded.index], by_generation[recorded.index + 1]
        # Of a call that failed nobody knows what it cost, nor whether.
        if not before or not after or after[0].rates is None or recorded.fallback or recorded.summary is None:
            continue
        made = bill(_usage(inspection, recorded, before[-1], after, found.modelled), after[0].rates)
        if made is not None:
            bills[recorded.index] = (made, after[0].rates)
    return bills


def _usage(
    inspection: Inspection,
    recorded: Compaction,
    last: PricedRequest,
    after: list[PricedRequest],
    modelled: bool,
) -> CompactionUsage:
    before, first = last.judged.request, after[0].judged.request
    lives = ONE_HOUR if before.cache_write_1h else FIVE_MINUTES
    # Only an agent that asks the same model with the same prompt reads what its requests left in the cache.
    shares = inspection.conversation.row.agent == "claude-code" and before.cache_read + before.cache_write > 0
    reported = recorded.tokens_before_reported
    return CompactionUsage(
        before=reported if reported is not None else before.context + before.output,
        after=first.context,
        written=first.cache_write,
        summary=text_tokens(len(recorded.summary or "")),
        warm=shares and (not before.at or not recorded.at or recorded.at - before.at <= lives),
        hour=bool(first.cache_write_1h),
        later=len(after) - 1,
        cached=any(one.judged.request.cache_read for one in after[1:]) or first.cache_write > 0,
    )
