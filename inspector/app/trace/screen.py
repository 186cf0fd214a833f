"""The history of a phrase in a conversation: its messages and its fates, with a jump to each place."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.strip import Strip

from inspector.answers.inspection import Inspection
from inspector.answers.losses import facts_of
from inspector.answers.tracing import (
    MAX_PHRASE,
    NOWHERE,
    Trace,
    TraceStep,
    statement_with,
    steps_of,
    trace_in,
)
from inspector.app.list_screen import ListScreen
from inspector.core.conversations import ConversationRow
from inspector.core.text import first_words, safe_line, safe_title
from inspector.core.watching import Watch
from inspector.quality.facts.fact import ConversationFacts
from inspector.stores.base import Store
from widgets.bars.title_bar import TitleBar, TitlePart
from widgets.base.strips import fit, one_line
from widgets.lists.entry_list import EntryList

_PHRASE, _FACT, _EVIDENCE = 60, 400, 1_000
#: A message (row of the store), and words that a search found in it.
FoundWords = tuple[int, tuple[str, ...]]


class StepList(EntryList[TraceStep]):
    """One line for each entry of a trace."""

    TOOLTIP = "The oldest entry is first. Enter goes to the place."

    def draw_line(self, line: int, width: int) -> Strip:
        """Draw a step: its sign, its words, what shows it."""
        step = self.entries[line]
        ink = self.ink("error") if step.grave else Style()
        row = self.begin(line).add(f"{step.sign or ' '} ", ink)
        row.add(fit(step.text, max(1, width - row.width)), ink)
        if step.evidence and width - row.width > 0:
            quote = f"  “{one_line(step.evidence, 300)}”"
            row.add(fit(quote, width - row.width), self.ink("quiet"))
        return self.end(row, line, width)


def read_trace(
    opened: Inspection | tuple[Store, str], facts: ConversationFacts | None, text: str, found: FoundWords | None,
    watch: Watch,
) -> Trace:  # fmt: skip
    """The trace of a phrase in an open conversation, or in one of a store. Raises StoreErrors.

    With `found` words, it is the trace of these in their order. If no message has them in this order, it is the trace
    of the statement that has them, if there is one.
    """
    inspection = opened if isinstance(opened, Inspection) else Inspection.open(*opened)
    watch.check()
    if found is not None:
        facts = facts_of(inspection, "changes") if facts is None else facts
        trace = trace_in(inspection, inspection.conversation.row, " ".join(found[1]), facts)
        if trace.places or trace.fates:
            return trace
        watch.check()
        text = first_words(statement_with(inspection, facts, *found), MAX_PHRASE) or text
        watch.check()
    return trace_in(inspection, inspection.conversation.row, text, facts)


class TraceScreen(ListScreen[TraceStep]):
    """The trace of a phrase. `go` is called with the step to go to, after the screen has closed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "app.pop_screen", "Back", id="trace.back")]
    HELP_TITLE = "Trace of a phrase"
    HELP: ClassVar[str] = (
        "The history of a phrase: each message that has it, its fate after each compaction, and related repeated work. "
        "If the phrase is part of a fact, the screen shows the fates of the fact. Otherwise a fate only says whether "
        "the list has the phrase word for word."
    )

    def __init__(
        self,
        opened: Inspection | tuple[Store, str],
        text: str,
        go: Callable[[ConversationRow, TraceStep], object],
        facts: ConversationFacts | None = None,
        found: FoundWords | None = None,
    ) -> None:
        super().__init__(StepList(id="steps"))
        self._values = (opened, facts, text, found)
        self._text = text
        self._go = go
        self._trace: Trace | None = None

    def on_mount(self) -> None:
        """Read the trace."""
        self._show_phrase(self._text)
        self.show((), "tracing …")
        self.jobs.run("trace", self._values, read_trace, self._came)

    def _show_phrase(self, text: str) -> None:
        phrase = safe_title(text, _PHRASE)
        self.query_one(TitleBar).parts = (TitlePart("Trace", 5), TitlePart(f"“{phrase}”", 4))

    def _came(self, trace: Trace) -> None:
        self._trace = trace
        self._show_phrase(trace.text)
        self.show(steps_of(trace), NOWHERE)
        if self.list.entries:
            self.list.focus()

    def explained(self, entry: TraceStep) -> list[Text]:
        """The words that show a step, and the fact."""
        lines = [Text(safe_line(entry.evidence, _EVIDENCE))] if entry.evidence else []
        fact = "" if self._trace is None else self._trace.fact
        return [*lines, *([Text(f"fact: {safe_title(fact, _FACT)}", "dim")] if fact else [])]

    @on(StepList.Opened)
    def _opened(self, event: StepList.Opened) -> None:
        step = self.list.entries[event.row]
        if self._trace is not None:
            row = self._trace.row
            self.app.pop_screen()
            self._go(row, step)
