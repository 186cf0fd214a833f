"""The compaction pane: a recorded compaction, the plan for the same list, and the list before it."""

from __future__ import annotations

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.answers.inspection import plan_with
from inspector.app import paneviews
from inspector.app.conversation.rows import GenerationRows
from inspector.app.panes import Panes
from inspector.app.progress import Left, Pulse
from inspector.app.screens.base import ConversationBase, GoTo
from inspector.app.work import Failed
from inspector.core.conversations import Generation
from inspector.core.errors import InspectorError
from inspector.engines.base import Plan, TokenIndex
from inspector.engines.registry import engine
from widgets.lists.message_list import MessageList
from widgets.panes.compaction_pane import CompactionPane


class Weighed(TextualMessage):
    """The list before a compaction has been read for planning."""

    def __init__(self, generation: Generation, profile: str, token_index: TokenIndex) -> None:
        super().__init__()
        self.generation = generation
        self.profile = profile
        self.token_index = token_index


class ComparingActions(ConversationBase):
    """Fills the compaction pane and reads what it shows."""

    _compaction_rows: paneviews.CompactionRows | None = None
    #: The list before a compaction by its number, measured under a profile.
    _weighed: tuple[int, str, TokenIndex] | None = None

    def fill_compaction(self) -> None:
        """The compaction that ended the list on screen; the one that made it where it is the last."""
        inspection = self.inspection
        recorded = self.recorded(self.number) or self.recorded(self.number - 1)
        for pane in self.query(CompactionPane):
            if recorded is None or inspection is None or self.rows is None:
                pane.set_view(None)
                continue
            before, after = self._rows_of(recorded.index), self._rows_of(recorded.index + 1)
            before.set_recorded(None, recorded)
            after.set_recorded(recorded, None)
            plan = self._plan_of(before)
            total = len(inspection.conversation.generations) - 1
            if self.moment is not None:
                total = max(len(self.compactions_then), recorded.index)
            view = paneviews.compaction_view(total, recorded, plan)
            self._compaction_rows = paneviews.CompactionRows(before, after, recorded)
            rows = self._compaction_rows
            pane.set_view(view, rows, rows.boundaries(), max(0, recorded.head_end - 1))

    def _plan_of(self, rows: GenerationRows) -> Plan | None:
        """The plan for a list; None while it is being read for it."""
        inspection, settings = self.inspection, self.settings
        if inspection is None or rows is self.rows:
            return self.plan
        number = rows.generation.number
        if self._weighed is None or self._weighed[:2] != (number, settings.profile):
            self.weigh(rows.generation, settings.profile)
            return None
        rows.token_index = self._weighed[2]
        system = inspection.system_tokens(rows.generation.session)
        try:
            return plan_with(engine(settings.profile), rows.token_index, settings, number - 1, system)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return None

    @work(thread=True, group="weigh", exclusive=True, exit_on_error=False, description="weigh")
    def weigh(self, generation: Generation, profile: str) -> None:
        """Read the list before the compaction for planning."""
        inspection, worker = self.inspection, get_current_worker()
        if inspection is None:
            return
        pulse = Pulse(self, worker, "weigh", "reading", len(generation))
        try:
            token_index = inspection.token_index(generation, profile, pulse)
        except Left:
            return
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        finally:
            pulse.end()
        self.post_message(Weighed(generation, profile, token_index))

    @on(Weighed)
    def _list_weighed(self, event: Weighed) -> None:
        if event.profile == self.settings.profile:
            self._weighed = (event.generation.number, event.profile, event.token_index)
            if self.query_one(Panes).current == "compaction":
                self.fill_compaction()

    def _rows_of(self, number: int) -> GenerationRows:
        if self.rows is not None and number == self.number and self.moment is None:
            return self.rows
        if number not in self._neighbours and self.inspection is not None:
            self._neighbours[number] = GenerationRows(self.inspection.generation(number))
        return self._neighbours[number]

    @on(MessageList.RowsWanted)
    def _neighbour_rows_wanted(self, event: MessageList.RowsWanted) -> None:
        if event.widget.id == "messages":
            return
        event.stop()
        if self._compaction_rows is not None:
            self.read_neighbours(self._compaction_rows, event.rows)

    @work(thread=True, group="neighbours", exit_on_error=False, description="neighbours")
    def read_neighbours(self, source: paneviews.CompactionRows, wanted_rows: range) -> None:
        """Read the rows of the compaction pane that are on screen."""
        places = [source.place(row) for row in wanted_rows if row < len(source)]
        for rows in (source.before, source.after):
            wanted = [index for where, index in places if where is rows and index not in rows.lines]
            if wanted:
                try:
                    found = self.store.messages(rows.generation, min(wanted), max(wanted) + 1)
                except InspectorError as error:
                    self.post_message(Failed(str(error)))
                    return
                rows.add(min(wanted), found)
        self.app.call_from_thread(self._rows_came)

    def _rows_came(self) -> None:
        for pane in self.query(CompactionPane):
            pane.messages.rows_changed()

    @on(MessageList.Opened)
    def _neighbour_opened(self, event: MessageList.Opened) -> None:
        if event.widget.id != "messages" and self._compaction_rows is not None:
            rows, index = self._compaction_rows.place(event.index)
            number = rows.generation.number
            self.post_message(GoTo(number, index + self.offset_of(number)))
            self.query_one("#messages", MessageList).focus()

    @on(CompactionPane.StepWanted)
    def _step_wanted(self, event: CompactionPane.StepWanted) -> None:
        number = self.number + event.by
        if self.inspection is not None and 1 <= number <= len(self.inspection.conversation.generations):
            self.post_message(GoTo(number, None))
