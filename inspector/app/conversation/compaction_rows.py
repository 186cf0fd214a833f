"""The rows of a compaction: the list before it, with the summary and other new messages in place of the middle."""

from __future__ import annotations

from bisect import bisect_left

from msgspec.structs import replace

from inspector.app.conversation.rows import GenerationRows, spans_of
from inspector.core.conversations import Compaction
from widgets.base import human
from widgets.lists.message_list import BoundaryLine, MessageRow


class CompactionRows:
    """The list before a compaction, with the messages that came: the summary, and files or other texts that the agent
    adds. They are in place of the middle, or after the tail."""

    def __init__(self, before: GenerationRows, after: GenerationRows, compaction: Compaction) -> None:
        self.before = before
        self.after = after
        self.compaction = compaction
        came = compaction.came
        tail = bisect_left(came, compaction.tail_after)
        #: The indexes of the new messages before the tail, and after it.
        self._came, self._last = came[:tail], came[tail:]

    def __len__(self) -> int:
        return self.compaction.before + len(self._came) + len(self._last)

    def place(self, row: int) -> tuple[GenerationRows, int]:
        """The list that a row comes from, and the message's index in it."""
        start, came = self.compaction.tail_start, len(self._came)
        if start <= row < start + came:
            return self.after, self._came[row - start]
        index = row if row < start else row - came
        if index >= self.compaction.before:
            return self.after, self._last[index - self.compaction.before]
        return self.before, index

    def source_of(self, row: int) -> tuple[int, int]:
        """Generation and index of a row's message."""
        rows, index = self.place(row)
        return rows.generation.number, index

    def row(self, row: int) -> MessageRow:
        """A row with the region that it was in."""
        rows, index = self.place(row)
        shown = rows.row(rows.row_of(index))
        if rows is not self.before:
            return shown if "summary" in shown.flags else replace(shown, flags=shown.flags | {"new"})
        return replace(shown, region=self.compaction.region(index))

    def missing(self, wanted: range) -> dict[int, range]:
        """The unread messages of some rows: a range of indexes by generation."""
        places = [self.place(row) for row in wanted if row < len(self)]
        return spans_of((rows.generation.number, index) for rows, index in places if index not in rows.lines)

    def boundaries(self) -> tuple[BoundaryLine, ...]:
        """The recorded boundaries as lines between the rows."""
        head, tail = self.compaction.head_end, self.compaction.tail_start
        left = human.plural(self.compaction.removed, "message")
        summary = ["Σ"] if self.compaction.summary_at in self._came else []
        others = len(self._came) - len(summary)
        parts = [*summary, *([f"{others:,} new"] if others else [])]
        came = f"{' and '.join(parts)}, then the kept messages" if parts else "kept from here on"
        lines = [BoundaryLine(head, "head_end", "recorded", f"{left} removed from here on")] if head else []
        if tail < self.compaction.before:
            lines.append(BoundaryLine(tail, "tail_start", "recorded", came))
        return tuple(lines)
