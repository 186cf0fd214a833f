"""Search in the list on screen: a text and its hits; jumps to boundaries, user messages and tool errors."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.app.conversation.host import Host
from inspector.app.conversation.resources import HITS, TOOL_ERRORS
from inspector.core.conversations import USER
from inspector.core.places import nearest
from widgets.base import human
from widgets.base.prompt import Prompt


class Finder:
    """Moves the cursor of the message list. `prompt` is the input line for a text."""

    def __init__(self, host: Host, prompt: Prompt) -> None:
        self._host = host
        self.prompt = prompt
        prompt.display = False
        #: Whether a jump marked its text.
        self._marked = False

    def ask(self) -> None:
        """Open the input line to find a text in this generation."""
        if not self.prompt.is_attached:
            self._host.add_prompt(self.prompt)
        self.prompt.display = True
        self.prompt.focus()

    def jumped(self) -> None:
        """Close the input line: a jump marks its own text, until `close`."""
        self.prompt.display = False
        self._marked = True

    def typed(self, text: str) -> None:
        """Mark the typed text."""
        self._host.message_list.set_highlight(text)

    def submit(self, text: str) -> None:
        """Find a text; move the cursor to the next hit, unless it is on a hit."""
        self._host.message_list.focus()
        self._host.change(find=text)
        if text:
            self._host.when(HITS, lambda hits: self._found(hits, text))

    def _found(self, hits: tuple[int, ...], text: str, direction: int = 0) -> None:
        if text != self._host.state.find:
            # The user searches for another text by now.
            return
        words = f"{human.plural(len(hits), 'message')} with {text!r}  (n, N)"
        self._host.app.notify(words, timeout=2, markup=False)
        rows = self._host.messages.rows
        if hits and rows is not None and (direction or rows.index(self._host.state.row) not in hits):
            self._jump(hits, direction or 1, "hit")

    def mark(self, text: str) -> None:
        """Mark a text in the list and in the message like a search; `n` finds the next hit."""
        with self.prompt.prevent(Prompt.Changed):
            self.prompt.value = text
        self._host.message_list.set_highlight(text)

    def close(self) -> None:
        """Close the input line, end the search and unmark the hits."""
        self._host.jobs.cancel(HITS.name)
        self.prompt.display = self._marked = False
        self.mark("")
        self._host.change(find="")
        self._host.message_list.focus()

    @property
    def searching(self) -> bool:
        """Whether the input line is on screen, or the text of a jump is marked."""
        return bool(self.prompt.display) or self._marked

    def next_hit(self, direction: int) -> None:
        """Go to the next or previous hit."""
        text, hits = self._host.state.find, self._host.loaded.current(HITS, self._host.state)
        if not text:
            self._host.app.notify("No text to find yet. Press / to type one.", timeout=2)
        elif hits is not None:
            self._jump(hits, direction, "hit")
        else:
            # Another list is on screen, or this list grew.
            self._host.when(HITS, lambda hits: self._found(hits, text, direction))

    def jump(self, kind: str, direction: int) -> None:
        """Go to the next or previous boundary, user message or tool error."""
        rows = self._host.messages.rows
        if rows is None:
            return
        if kind == "user":
            users = [index for index, role in enumerate(rows.generation.roles) if role == USER]
            self._jump(users, direction, "user message")
        elif kind == "boundary":
            places = {rows.index(line.at) for line in self._host.message_list.boundaries}
            self._jump(sorted(p for p in places if 0 <= p < len(rows.generation)), direction, "boundary")
        else:
            self._host.when(TOOL_ERRORS, lambda errors: self._jump(errors, direction, "tool error"))

    def _jump(self, indexes: Sequence[int], direction: int, what: str) -> None:
        rows = self._host.messages.rows
        if rows is None:
            return
        at = rows.index(self._host.state.row)
        index = nearest(indexes, at, direction)
        if index != at:
            self._host.change(row=rows.row_of(index))
        else:
            where = "after" if direction > 0 else "before"
            self._host.app.notify(f"No {what} {where} this message.", timeout=1.5)

    def region(self, name: str, kind: str) -> None:
        """Go to the first message of a region, as planned or as recorded."""
        rows, derived = self._host.messages.rows, self._host.derived
        if rows is None or derived is None:
            return
        recorded = derived.ended_by if kind == "recorded" else None
        if recorded is not None:
            head, tail = recorded.head_end, recorded.tail_start
        elif derived.plan is not None:
            head, tail = derived.plan.regions()
        else:
            return
        index = {"head": 0, "middle": head, "tail": tail}[name]
        self._host.change(row=min(rows.row_of(index), len(rows) - 1))
        self._host.message_list.focus()
