"""The lineage pane: the items of the summaries followed through the whole conversation."""

from __future__ import annotations

from dataclasses import replace

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.app.panes import Panes
from inspector.app.screens.base import ConversationBase, GoTo
from inspector.app.work import Failed
from inspector.core.conversations import Compaction
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.inspection import Inspection
from inspector.reports.lineage import budgets_by_compaction, drift_with, lineage_of
from widgets.diff_pane import DiffPane
from widgets.lineage_pane import LineagePane, LineageView


class Followed(TextualMessage):
    """The summaries of these compactions have been followed; `view` comes again once their budgets are known."""

    def __init__(self, compactions: tuple[Compaction, ...], view: LineageView) -> None:
        super().__init__()
        self.compactions = compactions
        self.view = view


class LineageActions(ConversationBase):
    """Works out the lineage in a thread, and goes from an item to the two summaries around it."""

    _lineage: tuple[tuple[Compaction, ...], LineageView] | None = None

    def fill_lineage(self) -> None:
        """Show the lineage with the cursor in the column of the summary in force."""
        inspection, compactions = self.inspection, self.compactions
        for pane in self.query(LineagePane):
            if inspection is None or compactions is None:
                pane.set_view(None)
            elif self._lineage is not None and self._lineage[0] is compactions:
                pane.set_view(replace(self._lineage[1], column=self._column_in_force()))
            else:
                pane.set_view(None)
                self.follow_items(inspection, compactions, self.settings)

    def _column_in_force(self) -> int:
        """The column of the compaction that made the list on screen; the first one for the first list."""
        return max(0, self.number - 2)

    @work(thread=True, group="lineage", exclusive=True, exit_on_error=False, description="lineage")
    def follow_items(
        self, inspection: Inspection, compactions: tuple[Compaction, ...], settings: Settings
    ) -> None:
        """Follow the items, which takes a moment; then ask the engine for the budgets, which reads the lists."""
        worker = get_current_worker()
        lineage = lineage_of(compactions)
        view = LineageView(lineage, drift_with(lineage, compactions, {}))
        if worker.is_cancelled:
            return
        self.post_message(Followed(compactions, view))
        try:
            budgets = budgets_by_compaction(inspection, compactions, settings)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not worker.is_cancelled:
            drift = drift_with(lineage, compactions, budgets)
            self.post_message(Followed(compactions, replace(view, drift=drift)))

    @on(Followed)
    def _followed(self, event: Followed) -> None:
        if event.compactions is self.compactions:
            self._lineage = (event.compactions, event.view)
            self.fill_lineage()

    @on(LineagePane.CellChosen)
    async def _cell_chosen(self, event: LineagePane.CellChosen) -> None:
        inspection = self.inspection
        if inspection is None or event.compaction >= len(inspection.conversation.generations):
            return
        made = self.recorded(event.compaction)
        number = event.compaction + 1
        if number != self.number:
            at = None if made is None or made.summary_at is None else made.summary_at
            self.post_message(GoTo(number, None if at is None else at + self.offset_of(number)))
        earlier = any(c.summary is not None and c.index < event.compaction for c in self.compactions or ())
        name = "diff" if earlier else "summary"
        pane = await self.query_one(Panes).bring(name)
        self.place.pane = name
        if isinstance(pane, DiffPane):
            pane.show_item(event.text)
