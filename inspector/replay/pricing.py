"""Cost of a conversation with compactions at other steps.

Each recorded call is the basis. If a run leaves the length of its prompt unchanged, the call keeps its recorded
cost. Otherwise the prompt grows or shrinks with the run's list, in tokens of the provider. The call reads the same
share of the cache as in the recording. It reads nothing after a pause that is longer than the time to live. After a
compaction of the run it reads only the unchanged start of the list. A compaction costs reading the messages that it
summarizes and writing the summary. docs/costs.md has the formulas.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
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
    """A recorded call, with its cost in US dollars.

    `step` is the number of messages before its answer. Of the `sent` tokens, `read` come from the cache, `written` are
    added to the cache, and `uncached` are neither. `hour_share` is the share of the written tokens with a time to live
    of an hour; `read_share` is the share of the cached tokens that the call read. `expired`: the pause before it was
    longer than the time to live. `after_compaction`: it is the first call after a compaction.
    """

    step: int
    sent: int
    read: int
    written: int
    uncached: int
    output: int
    hour_share: float
    read_share: float
    expired: bool
    after_compaction: bool
    cost: float
    rates: Rates


class PricedCompaction(NamedTuple):
    """A recorded compaction after `step` messages: the rough tokens before and after it, and the cost of its call in
    US dollars, or None if the cost must be estimated."""

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
        steps = [step for call in calls for step in call.rates.steps]
        #: Prompts with more tokens than this may have other prices.
        self._small = min((above for above, _ in steps), default=_NEVER)
        #: Whether all larger prompts have the same prices.
        self._one_step = len({above for above, _ in steps}) < 2
        small = [(call, call.rates) for call in calls]
        large = [(call, call.rates.steps[0][1] if call.rates.steps else call.rates) for call in calls]
        #: The costs of all calls, also with one more token each, as sums: at the prices of small and large prompts.
        self._sums = tuple(_sums(priced, writes) for priced in (small, large))
        #: By how many tokens the prompt of each call can shrink without a change of other tokens than those that the
        #: call reads, or writes after a long pause.
        self._room: list[int] = []
        #: Numbers of the other calls, and a sentinel after the last call.
        self._others: list[int] = []
        for number, call in enumerate(calls):
            cold = call.expired and not call.read
            self._room.append((call.written if writes else call.uncached) if cold else call.read)
            warm = call.read == self._cached[number] and not call.expired
            if not number or call.after_compaction or not (warm or cold):
                self._others.append(number)
        self._others.append(len(calls))

    def cached_before(self, number: int) -> int:
        """Return the tokens that were cached before a call."""
        return self._cached[number]

    def end(self, number: int, step: int, more: float) -> int:
        """Return the end of the stretch that begins with a call and whose prompts grow by `more` tokens.

        It is the next call that belongs to no stretch, the first call at or after `step`, or the first whose prompt is
        large if that of `number` is small.
        """
        other = self._others[bisect_left(self._others, number)]
        if other == number:
            return number
        end = min(other, bisect_left(self._steps, step, number))
        # Between two compactions prompts only grow.
        large = bisect_right(self._sent, self._small - more, number, end) if more else number
        return end if large == number else large

    def hold(self, start: int, stop: int, more: float, min_cached: int) -> bool:
        """Return whether every prompt of a stretch can grow by `more` tokens (shrink if negative) and is still cached
        at the same prices."""
        if not more:
            return True
        sent = self._sent[start:stop]
        smallest, largest = min(sent) + more, max(sent) + more
        if largest > self._small and not (self._one_step and smallest > self._small):
            return False
        return more > 0 or (min(self._room[start:stop]) + more >= 0 and smallest >= min_cached)

    def cost(self, start: int, stop: int, more: float) -> float:
        """Return the cost of a stretch whose prompts grow by `more` tokens."""
        if not more:
            return self._costs[stop] - self._costs[start]
        costs, token_costs = self._sums[self._sent[start] + more > self._small]
        return costs[stop] - costs[start] + more * (token_costs[stop] - token_costs[start])


def _sums(calls: Sequence[tuple[PricedCall, Rates]], writes: bool) -> tuple[list[float], list[float]]:
    """Return the sums of the costs of the first n calls at given prices, and of the costs of a token more in each."""
    costs = [
        call.cost
        if rates is call.rates.at(call.sent)
        else _priced(call, rates, call.uncached, call.read, call.written)
        for call, rates in calls
    ]
    token_costs = []
    for call, rates in calls:
        short, hour = rates.cache_write_5m or 0.0, rates.cache_write_1h or 0.0
        writing = short + call.hour_share * (hour - short) if writes else rates.input or 0.0
        is_cold = call.expired and not call.read
        token_costs.append((writing if is_cold else rates.cache_read or 0.0) / _MILLION)
    return list(accumulate(costs, initial=0.0)), list(accumulate(token_costs, initial=0.0))


def _priced(call: PricedCall, rates: Rates, uncached: float, read: float, written: float) -> float:
    """Return the cost of a call at these rates, given the tokens it sends, reads and writes."""
    short, hour = rates.cache_write_5m or 0.0, rates.cache_write_1h or 0.0
    cost = (
        uncached * (rates.input or 0.0)
        + read * (rates.cache_read or 0.0)
        + written * (short + call.hour_share * (hour - short))
        + call.output * (rates.output or 0.0)
    )
    return cost / _MILLION


class CostBasis(Struct, frozen=True, eq=False, dict=True):
    """Recorded calls and compactions of a conversation, both oldest first.

    `rough_tokens` has the rough tokens of the system prompt and the first n messages, for every n. `scale` is the
    number of provider tokens per rough token. `writes`: the provider charges for cache writes. `min_cached` is the size
    of the smallest prompt that is cached, in tokens. `warm`: the call of a compaction reads the cached prompt.
    """

    calls: Sequence[PricedCall]
    rough_tokens: Sequence[int]
    recorded: Sequence[PricedCompaction]
    scale: float = 1.0
    writes: bool = True
    min_cached: int = 0
    warm: bool = False

    @cached_property
    def stretches(self) -> Stretches:
        """The sums of the costs of calls that read back everything cached."""
        return Stretches(self.calls, self.writes)

    def cost(self, events: Sequence[Event]) -> float:
        """Return the cost of all calls and compactions of a run with these events, in US dollars."""
        calls, recorded, stretches = self.calls, self.recorded, self.stretches
        rough_tokens = self.rough_tokens
        spent = cached = 0.0
        shift = recorded_shift = 0
        head = len(rough_tokens) - 1
        number = next_event = next_recorded = 0
        while number < len(calls):
            call = calls[number]
            step, fired = call.step, False
            while next_recorded < len(recorded) and recorded[next_recorded].step <= step:
                recorded_shift = recorded[next_recorded].after - rough_tokens[recorded[next_recorded].step]
                next_recorded += 1
            while next_event < len(events) and events[next_event].step <= step:
                event, fired = events[next_event], True
                # By how many rough tokens the prompt before the event is longer than the recorded prompt of this call.
                longer = event.rough_before - rough_tokens[step] - recorded_shift
                spent += self._compaction(event, call, call.sent + self.scale * longer)
                head = min(head, event.head_end)
                shift = event.rough_after - rough_tokens[event.step]
                next_event += 1
            difference = 0 if abs(shift - recorded_shift) <= _SAME else shift - recorded_shift
            more = self.scale * difference
            alike = abs(cached - more - stretches.cached_before(number)) < 0.5
            if alike and not fired:
                # Until the next compaction, every call reads `more` tokens more, and all else stays as recorded.
                coming = [event.step for event in events[next_event : next_event + 1]]
                coming += [compaction.step for compaction in recorded[next_recorded : next_recorded + 1]]
                end = stretches.end(number, min(coming, default=_NEVER), more)
                if end > number and stretches.hold(number, end, more, self.min_cached):
                    spent += stretches.cost(number, end, more)
                    cached, number = stretches.cached_before(end) + more, end
                    continue
            if not difference and fired == call.after_compaction and (alike or fired):
                amount, cached = call.cost, call.read + call.written if self.writes else call.sent
            else:
                sent = max(0.0, call.sent + more)
                if call.expired:
                    read = 0.0
                elif fired:
                    read = max(0.0, sent - self.scale * (rough_tokens[step] + shift - rough_tokens[head]))
                elif number and not call.after_compaction:
                    read = call.read_share * cached
                else:
                    # The first call reads what other conversations cached. A call after a recorded compaction that the
                    # run does not have reads everything.
                    read = cached if number else call.read
                amount, cached = self._call(call, sent, min(read, sent))
            spent += amount
            number += 1
        for event in events[next_event:]:
            if calls:
                longer = event.rough_before - rough_tokens[calls[-1].step] - recorded_shift
                spent += self._compaction(event, calls[-1], calls[-1].sent + self.scale * longer)
        return spent

    def _call(self, call: PricedCall, sent: float, read: float) -> tuple[float, float]:
        """Return the cost of a call that sends and reads these tokens, and the tokens that are cached after it."""
        rates = call.rates.at(sent)
        uncached = min(call.uncached, sent - read) if self.writes and sent >= self.min_cached else sent - read
        written = sent - read - uncached
        cost = _priced(call, rates, uncached, read, written)
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
        reading = rates.cache_read if self.warm and not call.expired else rates.input
        return (before * (reading or 0.0) + event.summary * (rates.output or 0.0)) / _MILLION
