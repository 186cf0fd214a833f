"""Tracing a phrase from the conversation screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.app.conversation.resources import FACTS
from inspector.core.text import first_words, safe
from widgets.intents import ChooseCompaction, GoTo

if TYPE_CHECKING:
    from inspector.answers.tracing import TraceStep
    from inspector.app.conversation.clipboard import Clipboard
    from inspector.app.conversation.host import Host
    from inspector.core.conversations import ConversationRow


class Tracer:
    """Chooses the phrase and shows its trace. `selected` returns the text that the user selected on screen."""

    def __init__(self, host: Host, clipboard: Clipboard, selected: Callable[[], str | None]) -> None:
        self._host = host
        self._clipboard = clipboard
        self._selected = selected

    def trace(self, text: str = "") -> None:
        """Trace a text; without one the selected text, the text that is looked for, or a statement of the message.

        If the message has several statements, the user chooses one."""
        from inspector.answers.tracing import MAX_PHRASE
        from inspector.app.trace.screen import TraceScreen
        from inspector.app.trace.statement_prompt import StatementPrompt

        host, opened = self._host, self._host.loaded.opened
        wanted = text or self._selected() or host.state.find
        if not wanted and len(statements := self._statements()) > 1:
            host.app.push_screen(StatementPrompt(statements), self._chosen)
            return
        phrase = first_words(wanted or "".join(statements), MAX_PHRASE)
        if opened is None or not phrase:
            host.app.notify("Select a text, or find one with /, to trace it.", timeout=3)
            return
        facts = host.loaded.current(FACTS, host.state)
        all_facts = None if facts is None else facts.reading.facts

        def go(row: ConversationRow, step: TraceStep) -> None:
            if step.index is None and step.compaction is not None:
                host.post_message(ChooseCompaction(step.compaction))
            else:
                mark = phrase if len(phrase) <= 80 and "\n" not in phrase else ""
                host.post_message(GoTo(step.generation, step.index, mark, "message"))

        host.app.push_screen(TraceScreen(opened.inspection, phrase, go, all_facts))

    def _chosen(self, statement: str | None) -> None:
        if statement:
            self.trace(statement)

    def _statements(self) -> tuple[str, ...]:
        """The statements of the message under the cursor, the best first, else its first line; () without a text."""
        host = self._host
        rows, facts = host.messages.rows, host.loaded.current(FACTS, host.state)
        if rows is None or not len(rows):
            return ()
        generation, index = rows.place(host.state.row)
        lives = () if facts is None or index < 0 else facts.by_message.of(generation.number, index)
        if lives:
            return tuple(dict.fromkeys(life.fact.text for life in lives))
        message = self._clipboard.current()
        text = "" if message is None else safe(message.text)
        return tuple(line.strip() for line in text.split("\n") if line.strip())[:1]
