"""The rows of a step of the replay: the list of that step, with removed messages struck through."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

from msgspec.structs import replace

from inspector.app.conversation.rows import GenerationRows, MessageLine, RowMarks, boundaries, spans_of
from inspector.app.conversation.token_counts import Counts
from inspector.core.conversations import ROLE_NAMES, Compaction, Generation
from inspector.replay.moments import Moment, Stretch
from widgets.lists.message_list import BoundaryLine, MessageRow

#: In these phases of a compaction the middle is struck through.
MIDDLE_GONE = ("summarized", "kept")
_DURING = ("before", "pruned", *MIDDLE_GONE)


class StepRows(GenerationRows):
    """Rows of a generation at a step. Between them are the messages that earlier compactions removed, labelled `c2`
    for the second compaction. `whole` are the generations in full, `past` the lines of messages that were read, by
    generation and index.
    """

    def __init__(
        self,
        at: Moment,
        parts: Sequence[Stretch],
        whole: Sequence[Generation],
        past: dict[int, dict[int, MessageLine]],
        system_prompt: str = "",
        exact: Counts | None = None,
    ) -> None:
        of = whole[at.generation - 1]
        super().__init__(
            Generation(of.number, of.session, of.ids[: at.length], of.roles[: at.length], live=False),
            system_prompt,
            past.setdefault(at.generation, {}),
            exact,
        )
        self.at = at
        self.parts = tuple(parts)
        self._past = past
        self.during: Compaction | None = None
        self._whole = whole
        self._starts = list(accumulate((len(part) for part in parts), initial=0))
        self._live = [(part.live, number) for number, part in enumerate(self.parts) if part.live >= 0]

    def __len__(self) -> int:
        return self._starts[-1] + self.offset

    def _part(self, row: int) -> tuple[Stretch, int]:
        """Return the range of a row after the system prompt, and the place in it."""
        number = bisect_right(self._starts, row, hi=len(self.parts)) - 1
        return self.parts[number], row - self._starts[number]

    def index(self, row: int) -> int:
        """The message of a row; of one that left, the live one before it (-1: none)."""
        row -= self.offset
        if row < 0 or not self.parts:
            return row
        if row >= self._starts[-1]:
            return len(self.generation) + row - self._starts[-1]
        part, within = self._part(row)
        if part.live >= 0:
            return part.live + within
        number = self.parts.index(part)
        return next((p.live + len(p) - 1 for p in reversed(self.parts[:number]) if p.live >= 0), -1)

    def row_of(self, index: int) -> int:
        """The row of a message of the live list."""
        if index < 0 or not self._live:
            return index + self.offset
        if index >= len(self.generation):
            return len(self) + index - len(self.generation)
        part_at = bisect_right(self._live, (index, len(self.parts))) - 1
        live, number = self._live[part_at]
        return self._starts[number] + index - live + self.offset

    def place(self, row: int) -> tuple[Generation, int]:
        """The list that a row's body is read from, and its index there; -1 for the system prompt."""
        row -= self.offset
        if 0 <= row < self._starts[-1]:
            part, within = self._part(row)
            if part.live < 0:
                return self._whole[part.generation - 1], part.start + within
        return self.generation, self.index(row + self.offset)

    def put(self, marks: RowMarks) -> bool:
        """Show these marks; `ended_by` is the compaction in progress, if any."""
        self.during = marks.ended_by if self.at.phase in _DURING else None
        changed = super().put(replace(marks, ended_by=None))
        if self.at.phase not in ("message", "pruned"):
            self.pruned = frozenset()
        return changed

    def row(self, row: int) -> MessageRow:
        """A row for the list, without its text where that has not been read."""
        behind = row - self.offset
        if behind < 0:
            return self.system_row()
        part, within = self._part(behind)
        if part.live >= 0:
            message = self.message_row(part.live + within)
            return message if self.during is None else self._within(message, part.live + within)
        index = part.start + within
        line = self._past.get(part.generation, {}).get(index)
        role = ROLE_NAMES[self._whole[part.generation - 1].roles[index]]
        label = f"c{part.left_with}"
        if line is None:
            return MessageRow(label, role, None, flags=frozenset({"struck"}))
        return MessageRow(label, role, line.text, flags=line.flags | {"struck"})

    def _within(self, message: MessageRow, index: int) -> MessageRow:
        """A row at the phase of the compaction."""
        during, phase = self.during, self.at.phase
        if during is None:
            return message
        region = during.region(index)
        flags = message.flags
        if phase in MIDDLE_GONE and region == "middle":
            flags = flags | {"struck"}
        elif phase == "kept":
            flags = flags | {"copied"}
        return replace(message, region=region, flags=flags)

    def missing(self, rows: range) -> Mapping[int, range]:
        """Unread messages of some rows: a range of indexes by generation."""
        places = [self.place(row) for row in rows if self.offset <= row < len(self)]
        return spans_of((of.number, at) for of, at in places if at not in self._past.get(of.number, {}))

    def boundaries(self) -> tuple[BoundaryLine, ...]:
        """Planned boundaries at this moment, and the recorded ones of the compaction in progress."""
        return boundaries(self.marks.plan, self.during, self.row_of)
