"""What a conversation would have cost with compactions elsewhere.

Each recorded call is the basis: where the compactions of a run leave its prompt as long as it was, it costs what it
cost. Elsewhere its prompt is longer or shorter by what the run's list is, in the tokens of the provider; it reads back
the share of what was cached that it read back in the recording, nothing behind a pause that was too long, and behind a
compaction of the run what stayed at the start. A compaction costs reading what it summarizes and writing the summary.
docs/costs.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.caching.costs import Rates
from inspector.replay.whatif import Event

_MILLION = 1_000_000
#: Prompts that differ by fewer rough tokens are the same: estimates round.
_SAME = 8
#: A step that never comes.
_NEVER = 1 << 60


class PricedCall(NamedTuple):
    """A recorded call: so many messages were said before its answer (`step`), what it sent, read and wrote, and what
    it cost in US dollars. `fresh` was neither read nor written; `long` is the share of what was written that was for an
    hour. `share` is how much of what was cached it read back; `gone` says that the pause before it was longer than the
    cache lives, `first` that it was the first of the list that a compaction made."""

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
    """A recorded compaction behind `step` messages: the rough tokens before and after, and what its own call cost in US
    dollars, None where that is to be estimated."""

    step: int
    before: int
    after: int
    cost: float | None


@dataclass(frozen=True, slots=True, eq=False)
class CostBasis:
    """What is known of a conversation's calls, oldest first. `plain` are the rough tokens of the first n messages that
    were said, behind the system prompt; `recorded` the compactions, oldest first; `scale` is how many tokens of the
    provider a rough one is. `writes`: what is cached was written, and paid for; `least` is the smallest prefix that is
    kept; `warm`: a compaction asks with the prompt that is cached."""

    calls: Sequence[PricedCall]
    plain: Sequence[int]
    recorded: Sequence[PricedCompaction]
    scale: float = 1.0
    writes: bool = True
    least: int = 0
    warm: bool = False

    def cost(self, events: Sequence[Event]) -> float:
        """What the calls and the compactions of a run with these events cost, in US dollars."""
        plain, scale, writes, least, then = self.plain, self.scale, self.writes, self.least, self.recorded
        spent, cached, same_before = 0.0, 0.0, True
        shift = recorded_shift = 0
        head = len(plain) - 1
        at = was = 0
        next_event = events[0].step if events else _NEVER
        next_then = then[0].step if then else _NEVER
        for call in self.calls:
            step, sent, read, written, fresh, output, long, share, gone, first, cost, rates = call
            fired = False
            if next_then <= step:
                while was < len(then) and then[was].step <= step:
                    recorded_shift = then[was].after - plain[then[was].step]
                    was += 1
                next_then = then[was].step if was < len(then) else _NEVER
            if next_event <= step:
                fired = True
                while at < len(events) and events[at].step <= step:
                    event = events[at]
                    # The prompt before it, by how much longer that is than the recorded one of this call.
                    longer = event.tokens_before - plain[step] - recorded_shift
                    spent += self._compaction(event, call, sent + scale * longer)
                    head = min(head, event.head_end)
                    shift = event.tokens_after - plain[event.step]
                    at += 1
                next_event = events[at].step if at < len(events) else _NEVER
            difference = shift - recorded_shift
            same = -_SAME <= difference <= _SAME
            if same and fired == first and (same_before or fired):
                spent += cost
                cached = read + written if writes else sent
            else:
                now = max(0.0, sent + scale * difference)
                if gone:
                    back = 0.0
                elif fired:
                    back = max(0.0, now - scale * (plain[step] + shift - plain[head]))
                else:
                    back = cached if first else share * cached
                back = min(back, now)
                plainly = min(fresh, now - back) if writes and now >= least else now - back
                kept = now - back - plainly
                rate = rates.at(now) if rates.steps else rates
                spent += (
                    plainly * (rate.input or 0.0)
                    + back * (rate.cache_read or 0.0)
                    + output * (rate.output or 0.0)
                ) / _MILLION
                if kept:
                    short, hour = rate.cache_write_5m or 0.0, rate.cache_write_1h or 0.0
                    spent += kept * (short + long * (hour - short)) / _MILLION
                cached = back + kept if writes else now
            same_before = same
        last = self.calls[-1] if self.calls else None
        for event in events[at:]:
            if last is not None:
                longer = event.tokens_before - plain[last.step] - recorded_shift
                spent += self._compaction(event, last, last.sent + scale * longer)
        return spent

    def _compaction(self, event: Event, call: PricedCall, before: float) -> float:
        """What the call of a compaction costs whose prompt has so many tokens of the provider; what it writes into the
        cache is the next call's."""
        for known in self.recorded:
            same = known.step == event.step and abs(known.before - event.tokens_before) <= _SAME
            if same and known.cost is not None:
                return known.cost
        before = max(0.0, before)
        rates = call.rates.at(before)
        reading = rates.cache_read if self.warm and not call.gone else rates.input
        return (before * (reading or 0.0) + event.summary * (rates.output or 0.0)) / _MILLION
