"""The measures pane: worked out in a thread from the facts that were found, and gone from to the messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.app.panes import Panes
from inspector.app.screens.recalling import FactActions, Recalled
from inspector.app.work import Failed
from inspector.core.errors import InspectorError
from widgets.lists.measure_table import MeasuresView
from widgets.panes.facts_pane import FactsPane
from widgets.panes.measures_pane import MeasuresPane

if TYPE_CHECKING:
    from inspector.app.conversation.measure_views import MeasuresInTime
    from inspector.core.conversations import Compaction
    from inspector.engines.base import Settings


class MeasuresFound(TextualMessage):
    """The measures that follow from the facts of `recalled`."""

    def __init__(self, recalled: Recalled, measures: MeasuresInTime) -> None:
        super().__init__()
        self.recalled = recalled
        self.measures = measures


class MeasureActions(FactActions):
    """Works out the measures, and goes to the places of their evidence as facts do."""

    _measures: MeasuresFound | None = None
    _measuring: Recalled | None = None

    def fill_measures(self) -> None:
        """Show the measures; those of earlier facts until the new ones are there."""
        inspection, compactions, recalled = self.inspection, self.compactions, self._recalled
        if inspection is None:
            return
        if compactions and (recalled is None or recalled.inspection is not inspection):
            self.find_facts()
        elif compactions and recalled is not None and self._measuring is not recalled:
            self._measuring = recalled
            self.measure_compactions(
                recalled, self.resolved.settings if self.resolved is not None else self.settings
            )
        done = None if self.moment is None else len(self.compactions_then)
        for pane in self.query(MeasuresPane):
            if self._measures is not None:
                pane.set_view(self._measures.measures.until(done), self._column_of_list())
            else:
                pane.set_view(MeasuresView() if compactions is not None and not compactions else None)

    def _column_of_list(self) -> int:
        """The column of the compaction that made the list on screen; the first one for the first list."""
        return max(0, self.number - 2)

    @work(thread=True, group="measures", exclusive=True, exit_on_error=False, description="measures")
    def measure_compactions(self, recalled: Recalled, settings: Settings) -> None:
        """Measure every compaction with the facts that are known; reads each list once."""
        from inspector.answers.measures import measure_conversation
        from inspector.app.conversation.measure_views import MeasuresInTime

        worker, inspection = get_current_worker(), recalled.inspection
        try:
            found = measure_conversation(inspection, settings, recalled.reading.facts)
            compactions: tuple[Compaction, ...] = tuple(inspection.compactions())
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(
                MeasuresFound(recalled, MeasuresInTime(found, compactions, recalled.reading.facts))
            )

    @on(Recalled)
    def _facts_to_measure(self) -> None:
        # The facts are kept by another part of the screen, when this message has gone round.
        self.call_later(self._refill_measures)

    def _refill_measures(self) -> None:
        if self.query_one(Panes).current == "measures":
            self.fill_measures()

    @on(MeasuresFound)
    def _measures_came(self, event: MeasuresFound) -> None:
        if event.recalled.inspection is self.inspection:
            self._measures = event
            self._refill_measures()

    @on(MeasuresPane.PlaceChosen)
    def _measured_place_chosen(self, event: MeasuresPane.PlaceChosen) -> None:
        self.post_message(FactsPane.PlaceChosen(event.place))
