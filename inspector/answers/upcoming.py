"""The next compaction of a conversation: distance, summarized messages, facts at risk, cost."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from msgspec import Struct

from inspector.agents import row_of
from inspector.answers.answers import Answers
from inspector.answers.fact_reading import FactsReading
from inspector.answers.facts import Wanted, facts_reading, select_risks
from inspector.answers.inspection import Inspection
from inspector.answers.last_request import end_of
from inspector.answers.live_sizes import live_tokens
from inspector.answers.requests import requests_of
from inspector.answers.resolving import ttl_of
from inspector.answers.shown_settings import doubt_about, has_least_window
from inspector.caching.costs import Bill, CompactionUsage, bill
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR
from inspector.caching.priced import PricedRequest
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import ConversationRow, Events
from inspector.core.shares import dollars, plural
from inspector.engines.base import Plan
from inspector.engines.capabilities import loop_of
from inspector.engines.hygiene import GATEWAYS
from inspector.engines.registry import engine, words_of
from inspector.quality.facts.carry import pin_text
from inspector.quality.facts.fact import Life
from inspector.quality.facts.risk import AtRisk
from inspector.quality.losses import is_lost, lives_after

#: Number of requests for the recent growth.
RECENT_REQUESTS = 10


class Upcoming(Struct, frozen=True):
    """The next compaction under the settings in force.

    `tokens` are `reported` by the agent or estimated. `threshold_tokens` is 0 if the agent counts events. `growth`
    is the median growth of a request in tokens, and `requests_left` follows from it (None: unknown). `takes` are
    indexes of the live list that would be summarized, `at_risk` the facts that are in no other message. `lost` are
    lasting rules of the user that earlier compactions lost or weakened. `pin` is a text that repeats both. `bill` is
    the cost of a compaction now, and `warm` whether the cache is valid (None: unknown). `at_boundary`: the agent
    has answered and no call is open. `gateway` is a sentence about the limits of the gateway, "" in a session
    without one. `doubt` says why the threshold is uncertain, or "".
    `least`: only a minimum of the window is known, so the threshold may be higher.
    `reasoning` is the largest number of tokens of earlier reasoning that the agent adds to the reported size.
    `rough`: all of `tokens` are rough. `events` are those of the list, if the agent counts events, not tokens.
    """

    row: ConversationRow
    profile: str
    tokens: int
    reported: bool
    threshold_tokens: int
    growth: int | None
    requests_left: int | None
    reason: str
    takes: tuple[int, ...]
    takes_tokens: int
    at_risk: tuple[AtRisk, ...]
    lost: tuple[Life, ...]
    pin: str
    bill: Bill | None
    warm: bool | None
    at_boundary: bool
    gateway: str = ""
    reasoning: int = 0
    doubt: str = ""
    least: bool = False
    rough: bool = False
    events: Events | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The distance, what a compaction now takes, its price, and the advice."""
        lines = [self._events_words if self.events is not None else self._distance]
        rules = words_of(self.profile)
        if self.gateway:
            lines.append(self.gateway)
        if self.reasoning:
            lines.append(
                f"{rules} adds the reasoning before the last message of the user, at most ~{self.reasoning:,} "
                "tokens here: the compaction may come that much earlier"
            )
        if self.reason:
            return (*lines, f"a compaction now would summarize nothing: {self.reason}")
        if self.takes:
            first = f"#{self.takes[0]:,} to " if len(self.takes) > 1 else ""
            lines.append(
                f"a compaction now summarizes {plural(len(self.takes), 'message')} "
                f"({first}#{self.takes[-1]:,}), ~{self.takes_tokens:,} tokens"
            )
        if self.bill is not None:
            cache = "warm cache" if self.warm else "cache unknown" if self.warm is None else "cold cache"
            if self.warm and not self.bill.warm:
                cache = "the call for a summary does not read the cache"
            pays = self.bill.requests_to_pay_off
            after = "no break-even" if pays is None else f"break-even after {plural(pays, 'request')}"
            lines.append(f"cost now: {dollars(self.bill.cost.amount)} US dollars ({cache}); {after}")
        return (*lines, self.advice) if self.advice else tuple(lines)

    @property
    def _events_words(self) -> str:
        """The distance of an agent that counts events, not tokens."""
        count, limit = self.events or (0, 0)
        above = f"compacts above {limit:,} events" if limit else "its limit is not recorded"
        return f"{plural(count, 'event')} in the list: {words_of(self.profile)} counts events, not tokens, and {above}"

    @property
    def _distance(self) -> str:
        """The size of the list and its distance to the threshold."""
        mark = "" if self.reported else "~"
        far = self.threshold_tokens - self.tokens
        if far > 0:
            distance = f"{mark}{far:,} tokens{' or more' if self.least else ''} below the threshold"
        else:
            distance = "no compaction came at this size" if self.least else "at the threshold or above"
        if far > 0 and self.requests_left is not None:
            each = " each" if self.requests_left != 1 else ""
            distance += f", {'at least' if self.least else 'about'} {plural(self.requests_left, 'request')}"
            distance += f" with {self.growth:,} new tokens{each}"
        doubt = f" ({self.doubt})" if self.doubt else ""
        least = " or more" if self.least else ""
        rules = words_of(self.profile)
        counted = " (rough, with JSON and system prompt)" if self.rough else ""
        return f"{mark}{self.tokens:,}{counted} of {self.threshold_tokens:,} tokens{least}{doubt}: {distance} ({rules})"

    @property
    def advice(self) -> str:
        """Return a sentence about compacting now or later; "" if neither is better."""
        if self.reason:
            return ""
        if not self.at_boundary:
            return "The list does not end with an answer: a compaction now may interrupt a task."
        needed, left = None if self.bill is None else self.bill.requests_to_pay_off, self.requests_left
        if self.warm and needed is not None and left is not None and needed <= left:
            return (
                f"Now is a good moment: no task is open, the cache is warm, and the break-even is after {needed:,} "
                f"requests, before the threshold ({left:,})."
            )
        if self.warm is False:
            return "The cache has expired: the next call pays the full price for the whole list."
        return "No task is open, so a compaction now interrupts nothing."


def upcoming(answers: Answers, name: str, now: float | None = None) -> Upcoming:
    """Return the next compaction of a conversation. `now` is in seconds since the epoch.

    Raise UnknownConversation, StoreErrors and EngineErrors.
    """
    return upcoming_of(*facts_reading(answers, name), now)


def upcoming_of(
    inspection: Inspection, resolved: ResolvedSettings, reading: FactsReading, now: float | None = None
) -> Upcoming:
    """Return the next compaction of an open conversation. Raise StoreErrors and EngineErrors."""
    live = inspection.conversation.live
    plan = inspection.plan(live, resolved.settings)
    requests = [
        priced
        for priced in requests_of(inspection, resolved).priced
        if (request := priced.request).generation == live.number and request.context and not request.unsized
    ]
    contexts = [priced.request.context for priced in requests]
    tokens, reported = live_tokens(inspection, plan)
    session = inspection.conversation.sessions[-1]
    threshold = 0 if session.events is not None else plan.budgets.threshold_tokens
    growth = _growth(contexts)
    least = has_least_window(resolved)
    is_known = growth and threshold and not (least and tokens >= threshold)
    requests_left = max(0, math.ceil((threshold - tokens) / growth)) if growth and is_known else None
    head, tail = plan.regions()
    takes = tuple(index for index in range(head, tail) if index not in plan.kept) if plan.compacts else ()
    risks, lost = tuple(select_risks(plan, reading, Wanted())), _lost_rules(inspection, reading)
    last = requests[-1].request if requests else None
    lives = (
        ONE_HOUR if ttl_of(resolved) == "1h" or (last is not None and last.cache_write_1h) else FIVE_MINUTES
    )
    warm = None if last is None or not last.at else (time.time() if now is None else now) - last.at < lives
    return Upcoming(
        inspection.conversation.row, plan.profile, tokens, reported, threshold, growth, requests_left,
        "" if plan.compacts else plan.reason, takes, plan.middle_tokens, risks, lost,
        pin_text([entry.fact for entry in (*risks, *lost)]),
        _bill(plan, tokens, requests, bool(warm) and row_of(inspection.conversation.row.agent).warm_summaries), warm,
        _at_boundary(inspection), _gateway(inspection.conversation.row, plan),
        round(loop_of(engine(plan.profile)).reasoning * sum(priced.request.reasoning for priced in requests)),
        doubt_about(resolved), least, not reported and tokens == plan.tokens_before, session.events,
    )  # fmt: skip


def _lost_rules(inspection: Inspection, reading: FactsReading) -> tuple[Life, ...]:
    """Return the lasting rules of the user that the live list has no longer, or only weakened."""
    compactions = inspection.compactions()
    lives = lives_after(reading.facts.lives, compactions[-1].index) if compactions else ()
    return tuple(
        life
        for life in lives
        if life.fact.binds
        and life.fact.standing
        and (is_lost(life) or (life.outcome == "weakened" and not (life.back or life.contradicted)))
    )


def _gateway(row: ConversationRow, plan: Plan) -> str:
    """Return a sentence about the sizes at which a gateway compacts between turns; "" without a gateway."""
    budgets, limits = plan.budgets, []
    if row.source.lower() not in GATEWAYS:
        return ""
    if budgets.hygiene_messages:
        limits.append(f"{budgets.hygiene_messages:,} messages (the list has {plan.length:,})")
    if 0 < budgets.hygiene_tokens < budgets.threshold_tokens:
        limits.append(f"{budgets.hygiene_tokens:,} tokens")
    return f"the gateway compacts before a turn at {' or '.join(limits)}" if limits else ""


def _growth(contexts: Sequence[int]) -> int | None:
    """Return the median growth from request to request, in tokens; None if no request grew."""
    steps = [after - before for before, after in pairwise(contexts) if after > before]
    return round(median(steps[-RECENT_REQUESTS:])) if steps else None


def size_after(tokens: int, rough_before: int, rough_after: int) -> int:
    """Return the size of a list of `tokens` after a compaction with these rough sizes.

    The system prompt and the tools stay. The rough sizes lack them, so only the difference counts. If the rough size is
    larger than the list, the difference shrinks in proportion.
    """
    return round(tokens - (rough_before - rough_after) * min(1.0, tokens / rough_before))


def _bill(plan: Plan, tokens: int, requests: Sequence[PricedRequest], warm: bool) -> Bill | None:
    if not plan.compacts or not requests or requests[-1].rates is None or plan.tokens_before <= 0:
        return None
    request = requests[-1].request
    after = size_after(tokens, plan.tokens_before, plan.tokens_after)
    writes = bool(request.cache_write)
    hour = bool(request.cache_write_1h)
    usage = CompactionUsage(
        tokens,
        after,
        after if writes else 0,
        plan.summary_tokens,
        warm,
        hour,
        0,
        cached=bool(request.cache_read),
    )
    return bill(usage, requests[-1].rates)


def _at_boundary(inspection: Inspection) -> bool:
    """Return whether the last message is an answer without a call. Notices of the agent do not count."""
    live = inspection.conversation.live
    end = end_of(live)
    if not end:
        return True
    (last,) = inspection.store.messages(live, end - 1, end)
    return last.role == "assistant" and not last.tool_calls
