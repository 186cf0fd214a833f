"""The message list of the conversation screen, with the rows that are read and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.app.conversation.derived import Derived
from inspector.app.conversation.reading import CountedTokens, count_tokens, read_lines
from inspector.app.conversation.resources import CACHING, COMPACTIONS, FACTS, RECORDING
from inspector.app.conversation.rows import GenerationRows, MessageLine, RowMarks
from inspector.app.conversation.state import Loaded, Opened, State, recorded
from inspector.app.conversation.step_rows import MIDDLE_GONE, StepRows
from inspector.app.conversation.token_counts import Counts, ExactSums
from inspector.app.jobs import Jobs
from inspector.core.conversations import Generation
from widgets.lists.message_list import MessageList

#: Number of messages on each side of a boundary that are counted early.
_AROUND = 8
#: Number of messages at the start and the end of a list that are counted early.
_ENDS = (60, 100)

#: Placeholder of a message that could not be read.
_UNREAD = MessageLine("(this message can no longer be read: see the note below)")


class MessagePart:
    """Gives the list its rows, and keeps read and counted messages.

    `counted` is called after tokens were counted, `problem` with a sentence.
    """

    def __init__(
        self,
        jobs: Jobs,
        counted: Callable[[], None],
        problem: Callable[[str], None],
        read: Callable[[], None],
    ) -> None:
        self._jobs = jobs
        self._counted = counted
        self._problem = problem
        self._read = read
        self._lines: dict[int, dict[int, MessageLine]] = {}
        self._unread: set[tuple[int, int]] = set()
        self._counts: dict[int, Counts] = {}
        self._sums: ExactSums | None = None
        self._encoding = ""
        self._opened: Opened | None = None
        self.rows: GenerationRows | None = None
        #: The row of the state that was shown last.
        self._row = -1

    # The rows on screen.

    def open(self, opened: Opened, end: Mapping[int, MessageLine]) -> None:
        """Take a newly read conversation; `end` are lines of its live list, whose messages may have grown. Unchanged
        lists are kept."""
        before, self._opened = self._opened, opened
        for number, index in self._unread:
            # The store can be read again, so try these messages again.
            self.lines(number).pop(index, None)
            self._jobs.cancel(f"messages {number}:{index}")
        self._unread.clear()
        for generation in opened.generations:
            number = generation.number
            old = (
                before.generations[number - 1]
                if before is not None and number <= len(before.generations)
                else None
            )
            if old is not None and tuple(old.ids) != tuple(generation.ids[: len(old)]):
                # The list was replaced.
                self._lines.pop(number, None)
                self._counts.pop(number, None)
        live = opened.generations[-1].number
        self.lines(live).update(end)
        counts = self._counts.get(live, Counts())
        for index in end:
            counts.pop(index, None)
        self._sums = None

    def lines(self, number: int) -> dict[int, MessageLine]:
        """Return the read lines of a generation by index; the mapping grows."""
        return self._lines.setdefault(number, {})

    def read(self, wanted: Mapping[int, range]) -> None:
        """Read messages, by the number of their generation."""
        if self._opened is None:
            return
        for number, span in wanted.items():
            generation = self._opened.generations[number - 1]

            def came(lines: dict[int, MessageLine], number: int = number) -> None:
                self.lines(number).update(lines)
                self._read()

            def failed(sentence: str, number: int = number, span: range = span) -> None:
                lines = self.lines(number)
                self._unread.update((number, index) for index in span if index not in lines)
                came({index: lines.get(index, _UNREAD) for index in span}, number)
                self._problem(sentence)

            self._jobs.run(
                f"messages {number}:{span.start}",
                (self._opened.inspection.store, generation, span),
                read_lines,
                came,
                failed=failed,
            )

    def exact(self, state: State) -> tuple[int, str] | None:
        """Return the exact tokens of the list on screen with their encoding. None until all messages are counted, and
        in the phases of a compaction, whose texts are not counted."""
        rows, at = self.rows, state.moment
        counts = self._counts.get(state.generation)
        if rows is None or counts is None or self._opened is None:
            return None
        if at is not None and at.phase not in ("message", "before", "after"):
            return None
        if self._sums is None or self._sums.counts is not counts:
            self._sums = ExactSums(counts)
        length = len(self._opened.generations[state.generation - 1]) if at is None else at.length
        total = self._sums.until(length, bool(self._opened.prompt_of(state.generation)))
        return None if total is None else (total, self._encoding)

    def count(self, state: State, widget: MessageList) -> None:
        """Count the tokens of the generation on screen, visible messages and boundaries first."""
        opened = self._opened
        if opened is None:
            return
        number = state.generation
        generation = opened.generations[number - 1]
        if self._jobs.wanted("counts", count_tokens, (opened.inspection, generation)):
            # Looking up counted messages takes time in a long list.
            return
        counts = self._counts.setdefault(number, Counts())

        def came(counted: CountedTokens) -> None:
            fresh, self._encoding = counted
            counts.update(fresh)
            if fresh:
                self._counted()

        self._jobs.run(
            "counts",
            (opened.inspection, generation, self._first(generation, widget), frozenset(counts)),
            count_tokens,
            came,
            some=came,
            failed=self._problem,
            key=(opened.inspection, generation),
        )

    def _first(self, generation: Generation, widget: MessageList) -> tuple[range, ...]:
        """Return the messages to count first: on screen, at boundaries, at both ends of the list."""
        length, rows = len(generation), self.rows
        ends = (range(max(0, length - _ENDS[1]), length), range(min(_ENDS[0], length)))
        if rows is None or rows.generation.number != generation.number:
            return ends

        def within(start: int, stop: int) -> range:
            return range(min(max(0, start), length), min(max(0, stop), length))

        seen = widget.visible_rows
        places = [rows.index(line.at) for line in widget.boundaries]
        return (
            within(rows.index(seen.start), rows.index(seen.stop)),
            *(within(at - _AROUND, at + _AROUND) for at in places),
            *ends,
        )

    # Showing.

    def show(self, widget: MessageList, state: State, loaded: Loaded, derived: Derived) -> bool:
        """Give the list the rows of the state. Equal rows draw nothing. At another moment of a replay the cursor goes
        to the change at that moment.

        Return whether the cursor was placed. It is not if the user has just moved it, because the state follows.
        """
        opened = loaded.opened
        assert opened is not None
        fresh = self._rows_for(state, loaded, opened)
        changed = fresh.put(self._marks(state, loaded, derived))
        boundaries = fresh.boundaries()
        elsewhere, self._row = state.row != self._row, state.row
        if fresh is not self.rows:
            self.rows = fresh
            if isinstance(fresh, StepRows):
                within = fresh.at.phase not in ("message", "before")
                widget.set_rows(fresh, boundaries, cursor=_just_happened(fresh, loaded), centre=within)
            else:
                widget.set_rows(fresh, boundaries, cursor=state.row)
        else:
            widget.set_boundaries(boundaries)
            if len(fresh) != widget.row_count:
                # A cursor on the last row stays on the last row.
                widget.rows_changed()
                return True
            if changed:
                widget.refresh()
            if not elsewhere:
                return False
            if widget.cursor != state.row:
                widget.move_cursor(state.row, notify=False, centre=True)
        return True

    def _rows_for(self, state: State, loaded: Loaded, opened: Opened) -> GenerationRows:
        rows, at, number = self.rows, state.moment, state.generation
        generation = opened.generations[number - 1]
        lines, counts = self.lines(number), self._counts.setdefault(number, Counts())
        recording = loaded.current(RECORDING, state) if at is not None else None
        if at is not None and recording is not None:
            if isinstance(rows, StepRows) and rows.at == at and rows.lines is lines:
                return rows
            layout = recording.moments.layout(at)
            return StepRows(at, layout, opened.generations, self._lines, opened.prompt_of(number), counts)
        if at is not None and rows is not None:
            # The moment stays while the conversation is read again.
            return rows
        if rows is not None and not isinstance(rows, StepRows) and rows.lines is lines:
            # The list may have grown.
            rows.generation = generation
            return rows
        return GenerationRows(generation, opened.prompt_of(number), lines, counts)

    def _marks(self, state: State, loaded: Loaded, derived: Derived) -> RowMarks:
        at, number = state.moment, state.generation
        facts, caching = loaded.latest(FACTS), loaded.current(CACHING, state)
        lost = facts.lost.get(number, frozenset()) if facts is not None else frozenset()
        if at is not None and at.phase not in MIDDLE_GONE:
            # At this moment nothing is lost yet.
            lost = frozenset()
        return RowMarks(
            derived.token_index,
            derived.plan,
            derived.made_by,
            derived.ended_by if at is None or at.phase not in ("message", "after") else None,
            caching.marks if caching is not None else {},
            (derived.findings.marked or {}).get(number, frozenset()),
            lost,
        )


def _just_happened(rows: StepRows, loaded: Loaded) -> int:
    """Return the row of the change at a moment: the last message, the middle, or the summary."""
    at = rows.at
    during = recorded(loaded.latest(COMPACTIONS), at.compaction, at)
    if during is not None and at.phase in ("pruned", "summarized"):
        return rows.row_of(during.head_end)
    if during is not None and at.phase == "kept":
        return rows.row_of(during.tail_start)
    if during is not None and at.phase == "after" and during.summary_at is not None:
        return rows.row_of(during.summary_at)
    return len(rows) - 1
