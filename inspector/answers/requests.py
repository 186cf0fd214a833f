"""The API calls of a conversation: what each had to send again, why, and what it cost; and the bills of compactions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from inspector.answers.answers import Answers
from inspector.answers.inspection import Inspection
from inspector.answers.resolving import policy_of, ttl_of
from inspector.caching.costs import (
    Bill,
    CompactionUsage,
    Cost,
    Rates,
    bill,
    missing_rates,
    request_cost,
    total,
)
from inspector.caching.idle import IdleCosts, idle_costs, miss_cost
from inspector.caching.misses import CAUSES, FIVE_MINUTES, ONE_HOUR, Cause, JudgedRequest, judge
from inspector.caching.modelled import SentList, modelled_requests
from inspector.config.prices import rates_for
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Compaction, Request
from inspector.core.rough import text_tokens
from inspector.engines.base import TokenIndex

#: Prices are those of a day, in UTC.
_DAY = 86_400


class PricedRequest(NamedTuple):
    """A request, the cause of its miss, and what it cost; None where a price is not known."""

    judged: JudgedRequest
    cost: Cost | None
    rates: Rates | None

    @property
    def why_no_cost(self) -> str:
        """Why there is no cost; "" where there is one."""
        if self.cost is not None:
            return ""
        if self.rates is None:
            return f"no price of {self.judged.request.model or 'the model'} is known"
        missing = " and ".join(missing_rates(self.judged.request, self.rates))
        return f"{self.rates.source} has no price of {missing}"


@dataclass(frozen=True, slots=True)
class CauseSum:
    """The misses of a cause: how many, the tokens sent again, and what that cost more than reading them in US dollars
    (None where a price is not known)."""

    cause: Cause
    misses: int
    tokens: int
    more: float | None


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

    @property
    def cost(self) -> Cost | None:
        """What all of them cost; None where a price is not known."""
        return total(one.cost for one in self.priced)

    @property
    def why_no_cost(self) -> tuple[str, ...]:
        """Why some of them have no cost."""
        return tuple(sorted({one.why_no_cost for one in self.priced} - {""}))

    def by_cause(self) -> tuple[CauseSum, ...]:
        """The misses by cause, those that never came left out."""
        sums = []
        for cause in CAUSES:
            those = [one for one in self.priced if one.judged.cause == cause]
            more = [miss_cost(one.judged, one.rates) for one in those]
            known = None if any(one is None for one in more) else sum(one or 0.0 for one in more)
            if those:
                sums.append(CauseSum(cause, len(those), sum(one.judged.missed for one in those), known))
        return tuple(sums)

    def idle(self) -> IdleCosts:
        """What idling cost."""
        return idle_costs([(one.judged, one.rates) for one in self.priced])


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
    for why in found.why_no_cost:
        answers.note(f"Some requests have no cost: {why}; prices.yaml can name it.")
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
    priced = priced_requests(judge(requests, cleared, modelled), conversation.row.model, provider)
    return Requests(priced, modelled, usage.input + usage.cache_read + usage.cache_write)


def priced_requests(judged: Iterable[JudgedRequest], model: str, provider: str) -> tuple[PricedRequest, ...]:
    """Each with what it cost as of its day; `model` is that of those that name none. Raises BadInput for a file of
    prices that cannot be used."""
    known: dict[tuple[str, int], Rates | None] = {}
    priced = []
    for one in judged:
        request = one.request
        key = request.model, int(request.at // _DAY)
        if key not in known:
            known[key] = rates_for(request.model or model, provider, request.at)
        rates = known[key]
        priced.append(PricedRequest(one, None if rates is None else request_cost(request, rates), rates))
    return tuple(priced)


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
    for recorded in inspection.compactions():
        before = [one for one in found.priced if one.judged.request.generation == recorded.index]
        after = [one for one in found.priced if one.judged.request.generation == recorded.index + 1]
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
