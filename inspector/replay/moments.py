"""A conversation as moments to step through: after each message, and within each recorded compaction.

A moment is described by the list that was live then: the first messages of a generation. Messages that had left
the list are described by stretches. A compaction adds three or four stretches, so a moment costs the same in a
conversation of any size.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.conversations import USER, Compaction
from inspector.replay.transcript import Transcript, calls
from inspector.summaries.anchors import rising

Phase = Literal["message", "before", "pruned", "summarized", "kept", "after"]
Unit = Literal["message", "call", "turn", "compaction"]

#: Phases of a compaction after the moment before it. A compaction has only the phases that change something.
PHASES: tuple[Phase, ...] = ("pruned", "summarized", "kept", "after")


class Moment(Struct, frozen=True):
    """A moment of the replay. `number` counts moments from 1; `step` is the number of messages until then.

    The live list has the first `length` messages of the generation. `phase` is "message" after a message and "before"
    before a compaction; all other phases are within a compaction. `compaction` is its index, 0 for "message".
    """

    number: int
    step: int
    generation: int
    length: int
    phase: Phase = "message"
    compaction: int = 0


class Stretch(Struct, frozen=True):
    """Messages [start:stop] of a generation's list.

    `live` is the index of the first message in the list of the moment, -1 if compaction `left_with` had removed them.
    """

    generation: int
    start: int
    stop: int
    live: int
    left_with: int = 0

    def __len__(self) -> int:
        return self.stop - self.start


class Moments:
    """The moments of a conversation.

    `lengths` are the lengths of its generations in messages. `prunes`: compactions begin with pruning.
    """

    def __init__(
        self,
        transcript: Transcript,
        compactions: Sequence[Compaction],
        lengths: Sequence[int],
        prunes: bool = True,
    ) -> None:
        self.lengths = tuple(lengths)
        self.prunes = prunes
        self.compactions = {recorded.index: recorded for recorded in compactions}
        added = [0] * len(lengths)
        first: dict[int, int] = {}
        for place in transcript.places:
            added[place.generation - 1] += 1
            first.setdefault(place.generation, place.index)
        self._first = [first.get(number, length) for number, length in enumerate(lengths, 1)]
        self._added = added
        #: Number of messages, and of moments, before each generation.
        self._steps = list(accumulate(added, initial=0))
        self._starts = list(
            accumulate((count + len(self.phases(number)) for number, count in enumerate(added, 1)), initial=0)
        )
        roles = [place.role for place in transcript.places]
        self._calls = calls(roles)
        self._turns = [step for step, role in enumerate(roles, 1) if role == USER]
        self._layouts: dict[int, tuple[Stretch, ...]] = {}

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def steps(self) -> int:
        """Number of messages."""
        return self._steps[-1]

    @property
    def generation_steps(self) -> tuple[int, ...]:
        """Number of messages before each generation."""
        return tuple(self._steps[:-1])

    def phases(self, number: int) -> tuple[Phase, ...]:
        """Return the phases of the compaction that ended a generation; none if the list before it is not recorded."""
        recorded = self.compactions.get(number)
        if recorded is None or not recorded.before or number >= len(self.lengths):
            return ()
        absent = {*(() if self.prunes else ("pruned",)), *(() if recorded.remaining else ("kept",))}
        return tuple(phase for phase in PHASES if phase not in absent)

    def moment(self, number: int) -> Moment:
        """Return the moment with a number, clamped to the range of moments. Raises IndexError without moments."""
        if not len(self):
            raise IndexError("The conversation has no message.")
        number = max(1, min(number, len(self)))
        at = bisect_right(self._starts, number - 1) - 1
        # Generations without a moment share a start with the next one.
        within = number - 1 - self._starts[at]
        generation, added = at + 1, self._added[at]
        if within < added:
            step = self._steps[at] + within + 1
            ends = within == added - 1 and bool(self.phases(generation))
            phase: Phase = "before" if ends else "message"
            length = self._first[at] + within + 1
            return Moment(number, step, generation, length, phase, generation if ends else 0)
        phase = self.phases(generation)[within - added]
        step = self._steps[at + 1]
        if phase == "after":
            after = self.compactions[generation].after
            return Moment(number, step, generation + 1, after, phase, generation)
        return Moment(number, step, generation, self.lengths[at], phase, generation)

    def of_step(self, step: int) -> Moment:
        """Return the moment right after a message, counted from 1 and clamped."""
        step = max(1, min(step, self.steps))
        at = bisect_left(self._steps, step) - 1
        return self.moment(self._starts[at] + step - self._steps[at])

    def of_message(self, generation: int, index: int) -> Moment:
        """Return the moment at which a message was added to a list; for a copy, the first moment of the list."""
        at = generation - 1
        if index < self._first[at] or not self._added[at]:
            return self.moment(self._starts[at])
        return self.moment(self._starts[at] + min(index - self._first[at], self._added[at] - 1) + 1)

    def step_of(self, generation: int, index: int) -> int:
        """Return the step of a message of a generation's list; 0 for a copy or a summary."""
        within = index - self._first[generation - 1]
        return self._steps[generation - 1] + within + 1 if 0 <= within < self._added[generation - 1] else 0

    def next(self, at: Moment, unit: Unit, direction: int) -> Moment | None:
        """Return the next moment of a kind, or the previous moment (`direction` -1); None at the end.

        "message" includes the phases of compactions; "compaction" goes to the moment just before a compaction.
        """
        if unit == "message":
            number = at.number + direction
            return self.moment(number) if 1 <= number <= len(self) else None
        if unit == "compaction":
            places = sorted(
                self._starts[number - 1] + max(1, self._added[number - 1])
                for number in self.compactions
                if self.phases(number)
            )
            target = _next_place(places, at.number, direction)
            return None if target is None else self.moment(target)
        steps = self._calls if unit == "call" else self._turns
        # Within a compaction, the step before it is earlier.
        start = at.step if at.phase in ("message", "before") or direction > 0 else at.step + 1
        target = _next_place(steps, start, direction)
        return None if target is None else self.of_step(target)

    def fires_at(self, at: Moment) -> bool:
        """Return whether the next event is a call of the model, so that a reached threshold starts a compaction."""
        place = bisect_left(self._calls, at.step)
        return place < len(self._calls) and self._calls[place] == at.step

    def layout(self, at: Moment) -> tuple[Stretch, ...]:
        """Return all messages that had been in the list until a moment, in order: live and removed messages."""
        began = self._began(at.generation)
        start = sum(len(part) for part in began if part.live >= 0)
        if at.length <= start:
            return began
        return (*began, Stretch(at.generation, start, at.length, start))

    def _began(self, generation: int) -> tuple[Stretch, ...]:
        """Return the layout at the start of a generation."""
        if generation == 1:
            return ()
        if generation not in self._layouts:
            for number in range(2, generation + 1):
                if number not in self._layouts:
                    length = self.lengths[number - 2]
                    layout = self.layout(Moment(0, 0, number - 1, length))
                    self._layouts[number] = self._compacted(number - 1, layout)
        return self._layouts[generation]

    def _compacted(self, index: int, before: tuple[Stretch, ...]) -> tuple[Stretch, ...]:
        """Return the layout after a compaction."""
        recorded = self.compactions.get(index)
        if recorded is None:
            # It is unknown which messages were copied: treat all old messages as removed, all new messages as added.
            added = self._first[index]
            removed = [part if part.live < 0 else replace(part, live=-1, left_with=index) for part in before]
            return (*removed, Stretch(index + 1, 0, added, 0)) if added else tuple(removed)
        stretches: list[Stretch] = []
        filled = 0
        for part in before:
            if part.live < 0:
                stretches.append(part)
                continue
            for start, stop, live in _pieces(recorded, part.live, part.live + len(part)):
                if live < 0:
                    offset = part.start + start - part.live
                    stretches.append(Stretch(part.generation, offset, offset + stop - start, -1, index))
                    continue
                if live > filled:
                    stretches.append(Stretch(index + 1, filled, live, filled))
                filled = live + stop - start
                stretches.append(Stretch(index + 1, live, filled, live))
        if recorded.after > filled:
            stretches.append(Stretch(index + 1, filled, recorded.after, filled))
        return tuple(stretches)


def _pieces(recorded: Compaction, start: int, stop: int) -> list[tuple[int, int, int]]:
    """Split [start:stop] of the old list into parts (start, stop, new index of the first message or -1)."""
    head = min(recorded.head_end, recorded.head_after)
    tail = recorded.tail_start
    last = tail + max(0, recorded.after - recorded.tail_after)
    cuts: list[tuple[int, int, int | None]] = [(0, head, 0)]
    at = head
    # Kept messages that changed their order count as removed and added.
    for before, after in rising(recorded.kept):
        cuts += [(at, before, None), (before, before + 1, after - before)]
        at = before + 1
    cuts += [(at, tail, None), (tail, last, recorded.tail_after - tail), (last, stop, None)]
    pieces = []
    for low, high, shift in cuts:
        first, end = max(start, low), min(stop, high)
        if first < end:
            pieces.append((first, end, -1 if shift is None else first + shift))
    return pieces


def _next_place(places: Sequence[int], at: int, direction: int) -> int | None:
    """Return the next of several sorted places, or the previous place (`direction` -1); None at the end."""
    if direction > 0:
        index = bisect_right(places, at)
        return places[index] if index < len(places) else None
    index = bisect_left(places, at)
    return places[index - 1] if index else None
