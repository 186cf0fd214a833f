"""The rows of a compaction: the list before it with the summary in place of the middle."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.app.conversation.rows import GenerationRows, spans_of
from inspector.core.conversations import Compaction
from widgets.base import human
from widgets.lists.message_list import Boundary, MessageRow


class CompactionRows:
    """The list before a compaction, with the summary in place of the middle."""

    def __init__(self, before: GenerationRows, after: GenerationRows, compaction: Compaction) -> None:
        self.before = before
        self.after = after
        self.compaction = compaction
        self.summary_at = None if compaction.merged else compaction.summary_at

    def __len__(self) -> int:
        return self.compaction.before + (0 if self.summary_at is None else 1)

    def place(self, row: int) -> tuple[GenerationRows, int]:
        """The list that a row comes from, and the message's index in it."""
        if self.summary_at is not None:
            if row == self.compaction.tail_start:
                return self.after, self.summary_at
            if row > self.compaction.tail_start:
                row -= 1
        return self.before, row

    def source_of(self, row: int) -> tuple[int, int]:
        """Generation and index of a row's message."""
        rows, index = self.place(row)
        return rows.generation.number, index

    def row(self, row: int) -> MessageRow:
        """A row with the region that it was in."""
        rows, index = self.place(row)
        shown = rows.row(rows.row_of(index))
        if rows is not self.before:
            return shown
        return replace(shown, region=self.compaction.region(index))

    def missing(self, wanted: range) -> dict[int, range]:
        """The unread messages of some rows: a range of indexes by generation."""
        places = [self.place(row) for row in wanted if row < len(self)]
        return spans_of((rows.generation.number, index) for rows, index in places if index not in rows.lines)

    def boundaries(self) -> tuple[Boundary, ...]:
        """The recorded boundaries as lines between the rows."""
        head, tail = self.compaction.head_end, self.compaction.tail_start
        left = human.plural(self.compaction.removed, "message")
        came = "kept from here on" if self.summary_at is None else "Σ, then the kept messages"
        lines = [Boundary(head, "head_end", "recorded", f"{left} removed from here on")] if head else []
        if tail < self.compaction.before:
            lines.append(Boundary(tail, "tail_start", "recorded", came))
        return tuple(lines)
