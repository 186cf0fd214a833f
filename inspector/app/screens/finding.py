"""Finding and jumping in the conversation screen."""

from __future__ import annotations

from textual import on, work
from textual.widgets import Input
from textual.worker import get_current_worker

from inspector.app.conversation.rows import is_tool_error
from inspector.app.progress import Left, Pulse
from inspector.app.screens.base import ConversationBase, GoTo
from inspector.app.work import Failed, Found
from inspector.core.conversations import ROLE_CODES, Generation
from inspector.core.errors import InspectorError
from inspector.core.messages import Message
from widgets.lists.message_list import MessageList
from widgets.panes.message_pane import MessagePane

#: A search looks up whether it is still wanted every so many messages.
_WATCHED = 64


class FindActions(ConversationBase):
    """`/` and its hits; jumps to boundaries, user messages, tool errors and compactions."""

    _hits: tuple[Generation, tuple[int, ...]] | None = None
    _errors: tuple[Generation, tuple[int, ...]] | None = None
    _pending: int = 0
    #: What was looked for last, "" when find is closed.
    query_text: str = ""

    def action_find(self) -> None:
        """Type to find in this generation."""
        box = self.query_one("#find", Input)
        box.display = True
        box.focus()

    def look_for(self, text: str, shown: bool = True) -> None:
        """Mark a text in the list and in the message as a search for it does; `n` finds the next one. Unless it is
        `shown` the line of the search stays away."""
        box = self.query_one("#find", Input)
        with box.prevent(Input.Changed):
            box.value = text
        box.display = shown
        self._hits = None
        self.query_text = text
        self.query_one("#messages", MessageList).set_highlight(text)

    def close_find(self) -> None:
        """Put the find line away, end the search and unmark the hits."""
        self.workers.cancel_group(self, "scan")
        box = self.query_one("#find", Input)
        box.display = False
        box.value = ""
        self._hits = None
        self.query_text = ""
        messages = self.query_one(MessageList)
        messages.set_highlight("")
        messages.focus()
        self.find_in_pane()

    @on(Input.Changed, "#find")
    def _find_typed(self, event: Input.Changed) -> None:
        self.query_one(MessageList).set_highlight(event.value)

    @on(Input.Submitted, "#find")
    def _find_submitted(self, event: Input.Submitted) -> None:
        self.query_one(MessageList).focus()
        self.query_text = event.value
        if event.value and self.rows is not None:
            self.scan(self.rows.generation, "find", event.value)

    @work(thread=True, group="scan", exclusive=True, exit_on_error=False, description="scan")
    def scan(self, generation: Generation, kind: str, query: str) -> None:
        """Read the generation for messages that contain a text, or that are tool errors."""
        verb = "looking for tool errors," if kind == "error" else "searching"
        pulse = Pulse(self, get_current_worker(), "scan", verb, len(generation))
        wanted = query.casefold()
        found: list[int] = []
        try:
            for index, message in enumerate(self.store.iterate(generation)):
                if index % _WATCHED == 0:
                    pulse(index)
                if kind == "error":
                    hit = message.role == "tool" and is_tool_error(message)
                else:
                    hit = contains(message, wanted)
                if hit:
                    found.append(index)
        except Left:
            return
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        finally:
            pulse.end()
        self.post_message(Found(generation, kind, query, tuple(found)))

    @on(Found)
    def _found(self, event: Found) -> None:
        rows = self.rows
        if rows is None or event.generation is not rows.generation:
            return
        if event.kind == "error":
            self._errors = (event.generation, event.indexes)
            self._jump(event.indexes, self._pending, "tool error")
            return
        self._hits = (event.generation, event.indexes)
        count = len(event.indexes)
        self.find_in_pane()
        self.app.notify(
            f"{count:,} message{'s' if count != 1 else ''} with {event.query!r}  (n, N)",
            timeout=2,
            markup=False,
        )
        if event.indexes:
            at = rows.index(self.query_one(MessageList).cursor)
            if self._pending or at not in event.indexes:
                self._jump(event.indexes, self._pending or 1, "hit")
        self._pending = 0

    def find_in_pane(self) -> None:
        """Mark what was looked for in the text of the message too."""
        for pane in self.query(MessagePane):
            pane.body.find(self.query_text)

    def action_next_hit(self, direction: int) -> None:
        """The next message that was found, or the one before."""
        rows = self.rows
        if rows is None:
            return
        if not self.query_text:
            self.app.notify("Nothing is looked for yet; / finds a text in this list.", timeout=2)
        elif self._hits is not None and self._hits[0] is rows.generation:
            self._jump(self._hits[1], direction, "hit")
        else:
            # Another list came on screen, or this one grew.
            self._pending = direction
            self.scan(rows.generation, "find", self.query_text)

    def action_jump(self, kind: str, direction: int) -> None:
        """The next boundary, user message or tool error, or the one before."""
        rows = self.rows
        if rows is None:
            return
        if kind == "user":
            code = ROLE_CODES["user"]
            self._jump(
                tuple(i for i, role in enumerate(rows.generation.roles) if role == code),
                direction,
                "user message",
            )
        elif kind == "boundary":
            places = {b.at - rows.offset for b in self.query_one(MessageList).boundaries}
            self._jump(
                tuple(sorted(p for p in places if 0 <= p < len(rows.generation))), direction, "boundary"
            )
        elif self._errors is not None and self._errors[0] is rows.generation:
            self._jump(self._errors[1], direction, "tool error")
        else:
            self._pending = direction
            self.scan(rows.generation, "error", "")

    def _jump(self, indexes: tuple[int, ...], direction: int, what: str) -> None:
        rows = self.rows
        if rows is None:
            return
        messages = self.query_one(MessageList)
        at = rows.index(messages.cursor)
        ahead = [index for index in indexes if (index > at if direction > 0 else index < at)]
        if not ahead:
            where = "after" if direction > 0 else "before"
            self.app.notify(f"No {what} {where} this message.", timeout=1.5)
            return
        messages.move_cursor(rows.row_of(ahead[0] if direction > 0 else ahead[-1]), centre=True)

    def action_compaction(self, direction: int) -> None:
        """The list on the other side of a compaction, with the cursor where they part."""
        inspection = self.inspection
        if inspection is None:
            return
        number = self.number + direction
        if not 1 <= number <= len(inspection.conversation.generations):
            self.app.notify(
                "No compaction " + ("after" if direction > 0 else "before") + " this list.", timeout=1.5
            )
            return
        row = self._row_at_compaction(number, direction)
        self.post_message(GoTo(number, row))

    def _row_at_compaction(self, number: int, direction: int) -> int | None:
        made, ended = self.recorded(number - 1), self.recorded(number)
        if direction > 0 and made is not None and made.summary_at is not None:
            return made.summary_at + self.offset_of(number)
        if direction < 0 and ended is not None:
            return ended.head_end + self.offset_of(number)
        return None

    def go_to_region(self, name: str, kind: str) -> None:
        """The first message of a region, as planned or as recorded."""
        rows = self.rows
        if rows is None:
            return
        recorded = self.recorded(self.number) if kind == "recorded" else None
        if recorded is not None:
            head, tail = recorded.head_end, recorded.tail_start
        elif self.plan is not None:
            head, tail = self.plan.regions()
        else:
            return
        index = {"head": 0, "middle": head, "tail": tail}[name]
        messages = self.query_one(MessageList)
        messages.move_cursor(min(rows.row_of(index), len(rows) - 1), centre=True)
        messages.focus()


def contains(message: Message, wanted: str) -> bool:
    """Whether a message's text or calls contain a text, `wanted` being case-folded."""
    if wanted in message.text.casefold():
        return True
    return any(
        wanted in call.arguments.casefold() or wanted in call.name.casefold() for call in message.tool_calls
    )
