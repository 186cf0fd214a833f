"""The threads of the conversation screen: opening, bodies, token_index, recorded compactions, exact counts."""

from __future__ import annotations

import time

from textual import work
from textual.worker import get_current_worker

from inspector.answers.inspection import Inspection
from inspector.app.progress import Left, Pulse
from inspector.app.screens.base import ConversationBase
from inspector.app.work import Bodies, Counted, Failed, Measured, Opened, Recovered
from inspector.core.conversations import Generation
from inspector.core.errors import InspectorError
from widgets.lists.message_list import MessageList

#: Messages that one exact-count batch holds.
_BATCH = 40
#: What was counted is shown so often, in seconds: every showing draws the list anew.
_SHOWN_SECONDS = 0.25
#: Messages that are read along with the index, so that the first frame has its texts.
_SCREENFUL = 80
#: Messages before and behind a boundary that are counted early.
_AROUND = 8


class ReadingActions(ConversationBase):
    """Everything that reads the store, each in a thread that ends in one message."""

    @work(thread=True, group="open", exclusive=True, exit_on_error=False, description="open")
    def open_in_thread(self, again: bool) -> None:
        """Open the conversation, or open it again after it grew."""
        from inspector.answers.resolving import resolve

        try:
            inspection = self.inspection
            if inspection is None:
                inspection = Inspection.open(self.store, self.conversation_name)
            elif again:
                inspection = inspection.reopened()
            sessions = {generation.session for generation in inspection.conversation.generations}
            prompts = {session: inspection.system_prompt(session) for session in sessions}
            resolved = resolve(self.store, inspection.conversation.row, self.flags, self.config)
            live = inspection.conversation.live
            end = () if again else self.store.messages(live, max(0, len(live) - _SCREENFUL))
        except InspectorError as error:
            self.post_message(Failed(str(error), fatal=not again))
            return
        if not get_current_worker().is_cancelled:
            opened = Opened(inspection, prompts, resolved, again, end)
            self.read_early = None if again else opened
            self.post_message(opened)

    @work(thread=True, group="bodies", exit_on_error=False, description="bodies")
    def read_bodies(self, generation: Generation, start: int, stop: int) -> None:
        """Read generation[start:stop]."""
        try:
            messages = self.store.messages(generation, start, stop)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        self.post_message(Bodies(generation, start, messages))

    @work(thread=True, group="measure", exclusive=True, exit_on_error=False, description="measure")
    def measure(self, generation: Generation, profile: str) -> None:
        """Read a generation once for planning."""
        from inspector.app.memory import give_back

        give_back()
        inspection = self.inspection
        if inspection is None:
            return
        worker = get_current_worker()
        pulse = Pulse(self, worker, "measure", "reading", len(generation))
        try:
            token_index = inspection.token_index(generation, profile, pulse)
        except Left:
            return
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        finally:
            pulse.end()
        if not worker.is_cancelled:
            self.post_message(Measured(generation, profile, token_index))

    @work(thread=True, group="recover", exclusive=True, exit_on_error=False, description="recover")
    def recover(self) -> None:
        """Find the recorded compactions."""
        inspection = self.inspection
        if inspection is None:
            return
        try:
            found = inspection.compactions()
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not get_current_worker().is_cancelled:
            self.post_message(Recovered(inspection.conversation.id, found))

    @work(thread=True, group="count", exclusive=True, exit_on_error=False, description="count")
    def count_exactly(self, generation: Generation) -> None:
        """Count tokens exactly, what is on screen and at the boundaries first."""
        from inspector.app.conversation.counting import counts

        inspection = self.inspection
        if inspection is None:
            return
        worker = get_current_worker()
        first = self.first_to_count(generation)
        known = frozenset(self.rows.exact) if self.rows is not None else frozenset()
        pulse = Pulse(self, worker, "count", "counting", len(generation))
        done = len(known)
        gathered: dict[int, int] = {}
        shown = 0.0
        try:
            for found, complete, encoding in counts(inspection, generation, first, _BATCH, known):
                done += len(found)
                pulse(min(done, len(generation)))
                gathered.update(found)
                now = time.monotonic()
                if complete or now - shown >= _SHOWN_SECONDS:
                    self.post_message(Counted(generation, gathered, complete, encoding))
                    gathered, shown = {}, now
        except Left:
            return
        except InspectorError as error:
            self.app.call_from_thread(self.app.say_once, str(error))
        finally:
            pulse.end()

    def first_to_count(self, generation: Generation) -> tuple[range, ...]:
        """The messages whose exact counts matter most: those on screen, those at boundaries, both ends of the list."""
        length = len(generation)
        ends = (range(max(0, length - 100), length), range(min(60, length)))
        rows, shown = self.rows, self.query_one(MessageList)
        if rows is None or rows.generation is not generation:
            return ends

        def within(start: int, stop: int) -> range:
            return range(min(max(0, start), length), min(max(0, stop), length))

        seen = shown.visible_rows
        places = [line.at - rows.offset for line in shown.boundaries]
        return (
            within(seen.start - rows.offset, seen.stop - rows.offset),
            *(within(at - _AROUND, at + _AROUND) for at in places),
            *ends,
        )
