"""The rows of a generation for the message list: an index at once, the rest as it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inspector.app.conversation.token_counts import Counts
from inspector.core.conversations import ROLE_NAMES, Compaction, Generation
from inspector.core.handoff import is_handoff
from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.core.text import safe_line
from inspector.engines.base import Plan, TokenIndex
from widgets.lists.message_list import Flag, MessageRow

#: From this many tokens on a message is marked as huge.
HUGE_TOKENS = 20_000
#: Characters of a text that its line is made of.
_READ = 600
_EXIT = re.compile(r'"exit_code"\s*:\s*(-?\d+)')
_RETURN = re.compile(r"<returncode>(-?\d+)<")
_TOLD = re.compile(r'"error"\s*:\s*(?!null|""|false|\{\}|\[\])|"success"\s*:\s*false|^(?:Error|error|ERROR):')
_TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True, slots=True)
class Line:
    """What the list keeps of a body: the first line of its text, and what the text shows."""

    text: str
    flags: frozenset[Flag] = frozenset()


def line_of(message: Message) -> Line:
    """The line of a message: its text, else the calls it makes, else what else it holds."""
    text = safe_line(" ".join(message.text[:_READ].split()))
    if message.tool_calls:
        calls = "; ".join(f"{call.name} {safe_line(call.arguments, 120)}" for call in message.tool_calls[:4])
        text = f"{text}  → {calls}" if text else f"→ {calls}"
    if not text and message.images:
        text = f"({message.images} picture{'s' if message.images > 1 else ''})"
    elif message.images:
        text = f"[{message.images} picture{'s' if message.images > 1 else ''}] {text}"
    flags: set[Flag] = set()
    if message.role == "tool" and is_tool_error(message):
        flags.add("error")
    if is_handoff(message.content):
        flags.add("summary")
    return Line(text, frozenset(flags))


def is_tool_error(message: Message) -> bool:
    """Whether a tool result reports a failure, as far as its first 2,000 characters tell.

    An exit code decides where there is one; else an error that is told, or a traceback.
    """
    text = message.text[:2_000]
    code = _RETURN.match(text) or _EXIT.search(text)
    if code is not None:
        return code[1] != "0"
    return _TRACEBACK in text or _TOLD.search(text) is not None


class GenerationRows:
    """Rows of one generation. Row 0 is the system prompt where the session has one outside the list.

    Everything but roles and numbers may arrive later: lines, token_index, a plan, exact counts.
    """

    def __init__(self, generation: Generation, system_prompt: str = "") -> None:
        self.generation = generation
        self.system_prompt = system_prompt
        self.offset = 1 if system_prompt else 0
        self.lines: dict[int, Line] = {}
        self.exact = Counts()
        self.token_index: TokenIndex | None = None
        self.plan: Plan | None = None
        self.pruned: frozenset[int] = frozenset()
        self.breakpoints: Mapping[int, int] = {}
        self.marked: frozenset[int] = frozenset()
        self.lost: frozenset[int] = frozenset()
        self._left: range = range(0)
        self._copied: tuple[range, range] = (range(0), range(0))
        self._summary_at: int | None = None

    def __len__(self) -> int:
        return len(self.generation) + self.offset

    def index(self, row: int) -> int:
        """The message of a row; -1 for the system prompt."""
        return row - self.offset

    def row_of(self, index: int) -> int:
        """The row of a message."""
        return index + self.offset

    def set_plan(self, plan: Plan) -> None:
        """Regions, pruning and boundaries come from this plan from now on."""
        self.plan = plan
        self.pruned = frozenset(plan.pruned)

    def set_recorded(self, before: Compaction | None, after: Compaction | None) -> None:
        """`before` made this generation (its head and tail are copies), `after` ended it (its middle left)."""
        if after is not None:
            self._left = range(after.head_end, min(after.tail_start, after.before))
        if before is not None:
            kept = before.before - before.tail_start
            self._copied = (
                range(before.head_after),
                range(before.tail_after, min(before.tail_after + kept, before.after)),
            )
            self._summary_at = before.summary_at

    def grow(self, generation: Generation) -> None:
        """The same list, longer now; what is known of its beginning stays."""
        self.generation = generation

    def add(self, start: int, messages: Iterable[Message]) -> None:
        """Bodies of the generation from `start` on have been read."""
        for index, message in enumerate(messages, start):
            if index not in self.lines:
                self.lines[index] = line_of(message)

    def place(self, row: int) -> tuple[Generation, int]:
        """The list that a row's body is read from, and its index there; -1 for the system prompt."""
        return self.generation, self.index(row)

    def row(self, row: int) -> MessageRow | None:
        """A row for the list; None where its body has not been read."""
        index = row - self.offset
        return self.system_row() if index < 0 else self.message_row(index)

    def message_row(self, index: int) -> MessageRow | None:
        """The row of a message of the generation."""
        line = self.lines.get(index)
        if line is None:
            return None
        exact = self.exact.get(index)
        tokens = pruned = None
        if self.token_index is not None and index < len(self.token_index):
            tokens = self.token_index.tokens(index)
            if index in self.pruned:
                pruned = self.token_index.pruned_tokens(index)
        flags = set(line.flags)
        if index in self._left:
            flags.add("struck")
        if index in self._copied[0] or index in self._copied[1]:
            flags.add("copied")
        if index == self._summary_at:
            flags.add("summary")
        if index in self.marked:
            flags.add("finding")
        if index in self.lost:
            flags.add("lost")
        if (exact or tokens or 0) >= HUGE_TOKENS:
            flags.add("huge")
        return MessageRow(
            label=str(index),
            role=ROLE_NAMES[self.generation.roles[index]],
            text=line.text,
            region=self.plan.region(index) if self.plan is not None and index < self.plan.length else "",
            tokens=exact if exact is not None else tokens,
            token_kind="rough" if exact is None else "exact",
            pruned_tokens=pruned,
            breakpoint=self.breakpoints.get(index),
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
            breakpoint=self.breakpoints.get(-1),
        )
