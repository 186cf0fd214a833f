"""The rows of a generation for the message list. The index is complete, texts arrive later."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec import Struct, field

from inspector.app.conversation.token_counts import Counts
from inspector.core.conversations import ROLE_NAMES, Compaction, Generation
from inspector.core.envelope import words_first
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.core.shares import plural
from inspector.core.text import safe_line, unwrapped
from inspector.engines.base import Plan, TokenIndex
from inspector.engines.registry import words_of
from widgets.lists.message_list import BoundaryLine, Flag, MessageRow

#: Minimum tokens of a message that is marked as huge.
HUGE_TOKENS = 20_000
#: Number of characters of a text for its line, and of a user's message, which a gateway may begin with its own lines.
_READ, _ENVELOPED = 600, 6_000
_EXIT = re.compile(r'"exit_code"\s*:\s*(-?\d+)')
_RETURN = re.compile(r"<returncode>(-?\d+)<")
_TOLD = re.compile(r'"error"\s*:\s*(?!null|""|false|\{\}|\[\])|"success"\s*:\s*false|^(?:Error|error|ERROR):')
_TRACEBACK = "Traceback (most recent call last)"


class MessageLine(Struct, frozen=True):
    """The first line of a message, and its flags."""

    text: str
    flags: frozenset[Flag] = frozenset()


def line_of(message: Message) -> MessageLine:
    """Return the line of a message: its text, else its calls, else its other content.

    A user's message begins with the user's words.
    """
    words = words_first(message.role, message.text[:_ENVELOPED])
    text = safe_line(" ".join(unwrapped(words[:_READ]).split()))
    if message.tool_calls:
        calls = "; ".join(f"{call.name} {safe_line(call.arguments, 120)}" for call in message.tool_calls[:4])
        text = f"{text}  → {calls}" if text else f"→ {calls}"
    if message.images:
        pictures = plural(message.images, "picture")
        text = f"[{pictures}] {text}" if text else f"({pictures})"
    flags: set[Flag] = set()
    if message.role == "tool" and is_tool_error(message):
        flags.add("error")
    if handoff_of(message) is not None:
        flags.add("summary")
    return MessageLine(text, frozenset(flags))


def is_tool_error(message: Message) -> bool:
    """Whether a tool result reports a failure in its first 2,000 characters.

    An exit code decides, if there is one; else an error message or a traceback.
    """
    text = message.text[:2_000]
    code = _RETURN.match(text) or _EXIT.search(text)
    if code is not None:
        return code[1] != "0"
    return _TRACEBACK in text or _TOLD.search(text) is not None


class RowMarks(Struct, frozen=True, eq=False):
    """Marks of the rows of a list.

    `made_by` is the compaction that made the list, `ended_by` the compaction that summarized its middle. `breakpoints`
    maps the index of a message to its breakpoint (-1: the system prompt). `findings` and `lost` are the messages with
    findings and with lost facts.
    """

    token_index: TokenIndex | None = None
    plan: Plan | None = None
    made_by: Compaction | None = None
    ended_by: Compaction | None = None
    breakpoints: Mapping[int, int] = field(default_factory=dict)
    findings: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()

    def same(self, other: RowMarks) -> bool:
        """Whether rows would look the same with the other ones."""
        return (
            self.token_index is other.token_index
            and self.plan is other.plan
            and (self.made_by, self.ended_by) == (other.made_by, other.ended_by)
            and self.breakpoints == other.breakpoints
            and (self.findings, self.lost) == (other.findings, other.lost)
        )


class GenerationRows:
    """Rows of one generation. Row 0 is the system prompt, if the session has one outside the list.

    `lines` and `exact` are read lines and counted tokens by index; they grow. Marks are replaced as a whole.
    """

    def __init__(
        self,
        generation: Generation,
        system_prompt: str = "",
        lines: dict[int, MessageLine] | None = None,
        exact: Counts | None = None,
    ) -> None:
        self.generation = generation
        self.system_prompt = system_prompt
        self.offset = 1 if system_prompt else 0
        self.lines: dict[int, MessageLine] = {} if lines is None else lines
        self.exact = Counts() if exact is None else exact
        self.marks = RowMarks()
        #: The indexes that the plan prunes.
        self.pruned: frozenset[int] = frozenset()
        self._left: Collection[int] = ()
        self._summary_at: int | None = None

    def __len__(self) -> int:
        return len(self.generation) + self.offset

    def index(self, row: int) -> int:
        """The message of a row; -1 for the system prompt."""
        return row - self.offset

    def row_of(self, index: int) -> int:
        """The row of a message."""
        return index + self.offset

    def put(self, marks: RowMarks) -> bool:
        """Show these marks. Return False if nothing looks different."""
        if marks.same(self.marks):
            return False
        if marks.plan is not self.marks.plan:
            self.pruned = frozenset(marks.plan.pruned) if marks.plan is not None else frozenset()
        self.marks = marks
        before, after = marks.made_by, marks.ended_by
        self._left = ()
        if after is not None:
            self._left = range(after.head_end, min(after.tail_start, after.before))
            if after.kept:
                self._left = frozenset(self._left).difference(index for index, _ in after.kept)
        self._summary_at = None if before is None else before.summary_at
        return True

    def place(self, row: int) -> tuple[Generation, int]:
        """The list that a row's body is read from, and its index there; -1 for the system prompt."""
        return self.generation, self.index(row)

    def missing(self, rows: range) -> Mapping[int, range]:
        """Unread messages of some rows: a range of indexes by generation."""
        start, stop = max(0, self.index(rows.start)), min(self.index(rows.stop), len(self.generation))
        number = self.generation.number
        return spans_of((number, index) for index in range(start, stop) if index not in self.lines)

    def boundaries(self) -> tuple[BoundaryLine, ...]:
        """The lines between rows: the plan's, and the recorded ones of the compaction that ended the list."""
        return boundaries(self.marks.plan, self.marks.ended_by, self.row_of)

    def row(self, row: int) -> MessageRow:
        """A row for the list, without its text where that has not been read."""
        index = row - self.offset
        return self.system_row() if index < 0 else self.message_row(index)

    def message_row(self, index: int) -> MessageRow:
        """The row of a message of the generation."""
        line = self.lines.get(index)
        exact = self.exact.get(index)
        tokens = pruned = None
        index_of, plan = self.marks.token_index, self.marks.plan
        if index_of is not None and index < len(index_of):
            tokens = index_of.tokens(index)
            if index in self.pruned:
                pruned = index_of.pruned_tokens(index)
        flags = set[Flag]() if line is None else set(line.flags)
        if index in self._left:
            flags.add("struck")
        if index == self._summary_at:
            flags.add("summary")
        if index in self.marks.findings:
            flags.add("finding")
        if index in self.marks.lost:
            flags.add("lost")
        if (exact or tokens or 0) >= HUGE_TOKENS:
            flags.add("huge")
        return MessageRow(
            label=str(index),
            role=ROLE_NAMES[self.generation.roles[index]],
            text=None if line is None else line.text,
            region=plan.region(index) if plan is not None and index < plan.length else "",
            tokens=exact if exact is not None else tokens,
            token_kind="rough" if exact is None else "exact",
            pruned_tokens=pruned,
            breakpoint=self.marks.breakpoints.get(index),
            flags=frozenset(flags),
        )

    def system_row(self) -> MessageRow:
        """The row of the system prompt."""
        exact = self.exact.get(-1)
        return MessageRow(
            label="sys",
            role="system",
            text=safe_line(self.system_prompt),
            region="head",
            tokens=exact if exact is not None else text_tokens(len(self.system_prompt)),
            token_kind="rough" if exact is None else "exact",
            breakpoint=self.marks.breakpoints.get(-1),
        )


def boundaries(
    plan: Plan | None, ended_by: Compaction | None, row_of: Callable[[int], int]
) -> tuple[BoundaryLine, ...]:
    """Return the lines between rows: the boundaries of a plan, and of a recorded compaction of the same list.

    An empty head or tail has no line.
    """
    lines: list[BoundaryLine] = []
    if plan is not None and plan.compacts:
        agrees = ended_by is not None and plan.agrees_with(ended_by)
        note = "as recorded" if agrees else words_of(plan.profile)
        head, tail = plan.regions()
        if head:
            lines.append(BoundaryLine(row_of(head), "head_end", "planned", note, plan.head_end))
        if tail < plan.length:
            lines.append(BoundaryLine(row_of(tail), "tail_start", "planned", note, plan.tail_start))
    if ended_by is not None:
        note = f"compaction {ended_by.index}" + ("" if ended_by.exact else ", inferred")
        head, tail = ended_by.head_end, ended_by.tail_start
        if head:
            lines.append(BoundaryLine(row_of(head), "head_end", "recorded", note, head))
        if tail < ended_by.before:
            lines.append(BoundaryLine(row_of(tail), "tail_start", "recorded", note, tail))
    return tuple(lines)


def spans_of(places: Iterable[tuple[int, int]]) -> dict[int, range]:
    """Return, by generation, the range of indexes with all places (generation, index)."""
    indexes: dict[int, list[int]] = {}
    for number, index in places:
        indexes.setdefault(number, []).append(index)
    return {number: range(min(within), max(within) + 1) for number, within in indexes.items()}


def lines_of(messages: Iterable[Message], start: int) -> dict[int, MessageLine]:
    """The lines of messages that follow each other, by index from `start` on."""
    return {index: line_of(message) for index, message in enumerate(messages, start)}
