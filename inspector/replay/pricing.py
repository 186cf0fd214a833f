"""Cost of a conversation with compactions at other steps.

Each recorded call is the basis. If a run leaves the length of its prompt unchanged, the call keeps its recorded
cost. Otherwise the prompt grows or shrinks with the run's list, in tokens of the provider. The call reads the same
share of the cache as in the recording. After a pause that is longer than the time to live it reads nothing, and after
a compaction of the run only the unchanged start. A compaction costs reading the messages that it summarizes and
writing the summary. docs/costs.md has the formulas.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct

from inspector.caching.costs import Rates
from inspector.replay.event import Event

_MILLION = 1_000_000
#: Prompts that differ by fewer rough tokens are the same: estimates round.
_SAME = 8
#: A step that never comes.
_NEVER = 1 << 60


class PricedCall(NamedTuple):
    """A recorded call: the tokens it sent, read and wrote, and its cost in US dollars. `step` is the number of
    messages before its answer. `fresh` tokens were neither read nor written; `long` is the share of the written
    tokens with a time to live of an hour. `share` is the share of the cached tokens that it read back. `gone`:
    the pause before it was longer than the time to live. `first`: it was the first call after a compaction."""

    step: int
    sent: int
    read: int
    written: int
    fresh: int
    output: int
    long: float
    share: float
    gone: bool
    first: bool
    cost: float
    rates: Rates


class PricedCompaction(NamedTuple):
    """A recorded compaction after `step` messages: the rough tokens before and after, and the cost of its call in US
    dollars, None if it must be estimated."""

    step: int
    before: int
    after: int
    cost: float | None


class Stretches:
    """Consecutive calls that read everything from the cache, or nothing after a pause longer than the time to live.

    If all prompts grow by the same tokens, each call pays for reading (or writing) these tokens. So the cost of a
    stretch is a sum.
    """

    def __init__(self, calls: Sequence[PricedCall], writes: bool) -> None:
        self._steps = [call.step for call in calls]
        self._sent = [call.sent for call in calls]
        self._cached = [0, *(call.read + call.written if writes else call.sent for call in calls)]
        self._costs = list(accumulate((call.cost for call in calls), initial=0.0))
        steps = [step for call in calls for step, _ in call.rates.steps[:1]]
        #: Larger prompts may have other prices: the costs of all calls at the prices of small prompts.
        self._small = min(steps, default=_NEVER)
        small = (
            call.cost
            if call.sent <= self._small
            else _priced(call, call.rates, call.fresh, call.read, call.written)
            for call in calls
        )
        self._small_costs = list(accumulate(small, initial=0.0))
        #: By how many tokens a prompt may be shorter, so that the call changes only what it reads or writes.
        self._room: list[int] = []
        more: list[float] = []
        #: Numbers of the other calls, and a sentinel after the last call.
        self._others: list[int] = []
        for number, call in enumerate(calls):
            cold = call.gone and not call.read
            rates = call.rates
            short, hour = rates.cache_write_5m or 0.0, rates.cache_write_1h or 0.0
            writing = short + call.long * (hour - short) if writes else rates.input or 0.0
            self._room.append((call.written if writes else call.fresh) if cold else call.read)
            more.append((writing if cold else rates.cache_read or 0.0) / _MILLION)
            warm = call.read == self._cached[number] and not call.gone
            if not number or call.first or not (warm or cold):
                self._others.append(number)
        self._others.append(len(calls))
        self._more = list(accumulate(more, initial=0.0))

    def cached_before(self, number: int) -> int:
        """Return the tokens that were cached before a call."""
        return self._cached[number]

    def end(self, number: int, step: int) -> int:
        """End of the stretch that begins with a call: the next call of another kind, or the first at or after a
        step."""
        other = self._others[bisect_left(self._others, number)]
        return min(other, bisect_left(self._steps, step, number)) if other > number else number

    def hold(self, start: int, stop: int, more: float, least: int) -> bool:
        """Return whether every prompt of a stretch can grow by `more` tokens (shrink if negative) and is still cached
        at the same prices."""
        if not more:
            return True
        sent = self._sent[start:stop]
        if max(sent) + more > self._small:
            return False
        return more > 0 or (min(self._room[start:stop]) + more >= 0 and min(sent) + more >= least)

    def cost(self, start: int, stop: int, more: float) -> float:
        """Return the cost of a stretch whose prompts grow by `more` tokens."""
        if not more:
            return self._costs[stop] - self._costs[start]
        small = self._small_costs[stop] - self._small_costs[start]
        return small + more * (self._more[stop] - self._more[start])


def _priced(call: PricedCall, rates: Rates, fresh: float, read: float, written: float) -> float:
    """Return the cost of a call at these rates, given the tokens it sends, reads and writes."""
    short, hour = rates.cache_write_5m or 0.0, rates.cache_write_1h or 0.0
    cost = (
        fresh * (rates.input or 0.0)
        + read * (rates.cache_read or 0.0)
        + written * (short + call.long * (hour - short))
        + call.output * (rates.output or 0.0)
    )
    return cost / _MILLION


class CostBasis(Struct, frozen=True, eq=False, dict=True):
    """Known calls of a conversation, oldest first. `plain` has the rough tokens of the first n messages, after
    the system prompt; `recorded` has the compactions, oldest first; `scale` is the number of provider tokens
    per rough token. `writes`: the provider charges for cache writes. `least` is the smallest prefix that is
    cached. `warm`: the call of a compaction uses the cached prompt."""

    calls: Sequence[PricedCall]
    plain: Sequence[int]
    recorded: Sequence[PricedCompaction]
    scale: float = 1.0
    writes: bool = True
    least: int = 0
    warm: bool = False

    @cached_property
    def stretches(self) -> Stretches:
        """The sums of the costs of calls that read back everything cached."""
        return Stretches(self.calls, self.writes)

    def cost(self, events: Sequence[Event]) -> float:
        """Return the cost of all calls and compactions of a run with these events, in US dollars."""
        calls, plain, then, stretches = self.calls, self.plain, self.recorded, self.stretches
        spent = cached = 0.0
        shift = recorded_shift = 0
        head = len(plain) - 1
        number = at = was = 0
        while number < len(calls):
            call = calls[number]
            step, fired = call.step, False
            while was < len(then) and then[was].step <= step:
                recorded_shift = then[was].after - plain[then[was].step]
                was += 1
            while at < len(events) and events[at].step <= step:
                event, fired = events[at], True
                # The prompt before it, by how much longer that is than the recorded one of this call.
                longer = event.rough_before - plain[step] - recorded_shift
                spent += self._compaction(event, call, call.sent + self.scale * longer)
                head = min(head, event.head_end)
                shift = event.rough_after - plain[event.step]
                at += 1
            difference = 0 if abs(shift - recorded_shift) <= _SAME else shift - recorded_shift
            more = self.scale * difference
            alike = abs(cached - more - stretches.cached_before(number)) < 0.5
            if alike and not fired:
                # Until something comes between, every call reads this much more, and all else is as it was.
                coming = [one[place].step for one, place in ((events, at), (then, was)) if place < len(one)]
                end = stretches.end(number, min(coming, default=_NEVER))
                if end > number and stretches.hold(number, end, more, self.least):
                    spent += stretches.cost(number, end, more)
                    cached, number = stretches.cached_before(end) + more, end
                    continue
            if not difference and fired == call.first and (alike or fired):
                amount, cached = call.cost, call.read + call.written if self.writes else call.sent
            else:
                sent = max(0.0, call.sent + more)
                if call.gone:
                    read = 0.0
                elif fired:
                    read = max(0.0, sent - self.scale * (plain[step] + shift - plain[head]))
                elif number and not call.first:
                    read = call.share * cached
                else:
                    # The first of all reads what others left; behind a compaction that is none here, all is read.
                    read = cached if number else call.read
                amount, cached = self._call(call, sent, min(read, sent))
            spent += amount
            number += 1
        for event in events[at:]:
            if calls:
                longer = event.rough_before - plain[calls[-1].step] - recorded_shift
                spent += self._compaction(event, calls[-1], calls[-1].sent + self.scale * longer)
        return spent

    def _call(self, call: PricedCall, sent: float, read: float) -> tuple[float, float]:
        """(cost of a call that sends and reads these tokens, tokens cached after it)."""
        rates = call.rates.at(sent)
        fresh = min(call.fresh, sent - read) if self.writes and sent >= self.least else sent - read
        written = sent - read - fresh
        cost = _priced(call, rates, fresh, read, written)
        return cost, read + written if self.writes else sent

    def _compaction(self, event: Event, call: PricedCall, before: float) -> float:
        """Return the cost of a compaction's call, given its prompt in tokens of the provider.

        Its cache writes count for the next call.
        """
        for recorded in self.recorded:
            same = recorded.step == event.step and abs(recorded.before - event.rough_before) <= _SAME
            if same and recorded.cost is not None:
                return recorded.cost
        before = max(0.0, before)
        rates = call.rates.at(before)
        reading = rates.cache_read if self.warm and not call.gone else rates.input
        return (before * (reading or 0.0) + event.summary * (rates.output or 0.0)) / _MILLION
