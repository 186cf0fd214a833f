"""The lineage pane: the items of the summaries followed through the whole conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.answers.inspection import Inspection
from inspector.answers.lineage import budgets_by_compaction, drift_with, lineage_of
from inspector.app.panes import Panes
from inspector.app.screens.base import ConversationBase, GoTo
from inspector.app.work import Failed
from inspector.core.conversations import Compaction
from inspector.core.errors import InspectorError
from inspector.engines.base import Settings
from inspector.summaries.lineage import Lineage
from widgets.panes.diff_pane import DiffPane
from widgets.panes.lineage_pane import LineagePane, LineageView


class Followed(TextualMessage):
    """The summaries of these compactions have been followed. It comes again once their budgets are known."""

    def __init__(
        self, compactions: tuple[Compaction, ...], lineage: Lineage, budgets: Mapping[int, int]
    ) -> None:
        super().__init__()
        self.compactions = compactions
        self.views = LineageInTime(compactions, lineage, budgets)


class LineageInTime:
    """The lineage of all summaries, and what of it there was after fewer compactions."""

    def __init__(
        self, compactions: tuple[Compaction, ...], lineage: Lineage, budgets: Mapping[int, int]
    ) -> None:
        self._compactions = compactions
        self._lineage = lineage
        self._budgets = budgets
        self._views: dict[int, LineageView] = {}
        self.until(len(compactions))

    def until(self, compactions: int) -> LineageView:
        """The lineage of the first so many, and their drift; each is worked out once."""
        view = self._views.get(compactions)
        if view is None:
            lineage = self._lineage.until(compactions)
            drift = drift_with(lineage, self._compactions[:compactions], self._budgets)
            view = self._views[compactions] = LineageView(lineage, drift)
        return view


class LineageActions(ConversationBase):
    """Works out the lineage in a thread, and goes from an item to the two summaries around it."""

    _lineage: Followed | None = None

    def fill_lineage(self) -> None:
        """Show the lineage with the cursor in the column of the summary in force."""
        inspection, compactions = self.inspection, self.compactions
        for pane in self.query(LineagePane):
            if inspection is None or compactions is None:
                pane.set_view(None)
            elif self._lineage is not None and self._lineage.compactions is compactions:
                view = self._lineage.views.until(len(self.compactions_then))
                pane.set_view(replace(view, column=self._column_in_force()))
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
        first = Followed(compactions, lineage, {})
        if worker.is_cancelled:
            return
        self.post_message(first)
        try:
            budgets = budgets_by_compaction(inspection, compactions, settings)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not worker.is_cancelled:
            found = Followed(compactions, lineage, budgets)
            self.post_message(found)
            # A step of a replay finds what there was of it ready.
            for count in range(len(compactions)):
                if not worker.is_cancelled:
                    found.views.until(count)

    @on(Followed)
    def _followed(self, event: Followed) -> None:
        if event.compactions is self.compactions:
            self._lineage = event
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
