"""A generation on screen, and the settings in force: what both mean for the list and the bars above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.answers.inspection import budgets_of, plan_with
from inspector.app import views
from inspector.app.conversation.report import ReportActions
from inspector.app.conversation.rows import GenerationRows
from inspector.app.screens.comparing import ComparingActions
from inspector.app.screens.filling import FillingActions
from inspector.app.screens.finding import FindActions
from inspector.app.screens.following import LineageActions
from inspector.app.screens.judging import FindingsActions
from inspector.app.screens.measuring import MeasureActions
from inspector.app.screens.reading import ReadingActions
from inspector.app.screens.recalling import FactActions
from inspector.app.screens.remembering import RememberingActions
from inspector.app.screens.replaying import ReplayActions
from inspector.app.screens.taking import TakingActions
from inspector.app.work import Failed
from inspector.core.errors import EngineError, InspectorError
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from widgets.bars.gauge import Gauge
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.lists.message_list import MessageList

if TYPE_CHECKING:
    from inspector.core.conversations import Generation


class ShowingActions(
    ReplayActions,
    FindingsActions,
    LineageActions,
    MeasureActions,
    FactActions,
    ComparingActions,
    ReadingActions,
    FindActions,
    TakingActions,
    FillingActions,
    RememberingActions,
    ReportActions,
):
    """Showing a generation, and planning it under the settings."""

    def show_generation(self, number: int, row: int | None = None) -> None:
        """Show a generation with the cursor on a row (the last one without)."""
        inspection = self.inspection
        if inspection is None:
            return
        generation = inspection.generation(number)
        self.stop()
        self.moment = None
        self.query_one(Timeline).set_position(None)
        self.number = number
        self.exact_total = None
        self.plan = None
        self.rows = GenerationRows(generation, self.prompt_of(number))
        messages = self.query_one(MessageList)
        messages.set_boundaries(())
        messages.set_rows(self.rows, cursor=len(self.rows) - 1 if row is None else row)
        self.show_recorded()
        self.show_header()
        self.show_gauge()
        # What takes long starts behind the frame that shows the list.
        self.call_after_refresh(self._study, generation)

    def _study(self, generation: Generation) -> None:
        if self.rows is None or self.rows.generation is not generation:
            return
        self.fill()
        self.find_breakpoints()
        self.measure(generation, self.settings.profile)
        self.count_exactly(generation)

    def change(self, **changes: Any) -> None:
        """Change settings; every picture follows."""
        self.use(self.settings.with_(**changes))

    def use(self, settings: Settings) -> None:
        """Take other settings; `undo` goes back."""
        if settings == self.settings:
            return
        try:
            budgets_of(settings)
        except InspectorError as error:
            # An engine of another package that fails: it is named, and what was in force stays.
            self.post_message(Failed(str(error)))
            return
        self.undone.append(self.settings)
        self.take(settings)

    def take(self, settings: Settings) -> None:
        """Take settings without a way back; every picture follows."""
        profile_changed = settings.profile != self.settings.profile
        self.settings = settings
        if profile_changed and self.rows is not None:
            self.rows.token_index = None
            self.measure(self.rows.generation, settings.profile)
        self.replan()
        self.show_header()

    def replan(self) -> None:
        """Plan with the settings in force, and show it everywhere."""
        if self.moment is not None:
            self.replan_moment()
            return
        rows, inspection = self.rows, self.inspection
        if rows is None or inspection is None or rows.token_index is None:
            self.show_gauge()
            self.fill("tune")
            return
        found = engine(self.settings.profile)
        system = inspection.system_tokens(rows.generation.session)
        try:
            self.plan = plan_with(found, rows.token_index, self.settings, self.number - 1, system)
        except EngineError as error:
            self.post_message(Failed(str(error)))
            return
        rows.set_plan(self.plan)
        messages = self.query_one(MessageList)
        messages.set_boundaries(views.boundaries(self.plan, self.recorded(self.number), rows.offset))
        messages.refresh()
        self.show_gauge()
        self.show_regions()
        self.fill("message", "tune", "compaction", "replay", "facts")

    def show_gauge(self) -> None:
        """The tokens of the list against the threshold."""
        if self.moment is not None:
            self.show_moment_numbers()
            return
        budgets = engine(self.settings.profile).budgets(self.settings)
        tokens = self.plan.tokens_before if self.plan is not None else None
        self.query_one(Gauge).state = views.gauge_state(
            budgets, self.settings.context_length, tokens, self.exact_total, self.encoding
        )

    def show_regions(self) -> None:
        """Head, middle and tail, planned and recorded."""
        bar = self.query_one(RegionBar)
        if self.plan is None:
            return
        recorded = self.recorded(self.number)
        bar.planned = views.planned_regions(self.plan, "planned" if recorded is not None else "")
        bar.recorded = (
            None
            if recorded is None or self.rows is None
            else views.recorded_regions(recorded, self.rows.token_index)
        )

    def show_recorded(self) -> None:
        """What was recorded of the list on screen: boundaries, marks, the timeline."""
        inspection, rows = self.inspection, self.rows
        if self.moment is not None:
            self.replan_moment()
            return
        if inspection is None or rows is None:
            return
        rows.set_recorded(self.recorded(self.number - 1), self.recorded(self.number))
        rows.marked = self.marked(self.number)
        rows.lost = self.lost_in(self.number)
        nodes = views.nodes(inspection.conversation, self.compactions or (), self.findings_by_compaction())
        self.query_one(Timeline).set_state(nodes, self.number)
        messages = self.query_one(MessageList)
        messages.set_boundaries(views.boundaries(self.plan, self.recorded(self.number), rows.offset))
        messages.refresh()
        self.show_regions()

    def show_findings(self) -> None:
        """Show them in the header, the timeline, the list and, where it is on screen, their pane."""
        self.show_header()
        self.show_recorded()
        self.fill("findings")
        if self.compactions:
            self.find_facts()

    def show_lost(self) -> None:
        """Mark the rows whose facts were lost."""
        if self.rows is not None and self.moment is None:
            self.rows.lost = self.lost_in(self.number)
            self.query_one(MessageList).refresh()

    def show_notes(self) -> None:
        """What the store and the settings say about this conversation."""
        notes = self.inspection.conversation.notes if self.inspection else ()
        if self.resolved is not None:
            notes = (*notes, *self.resolved.notes)
        self.tell(*notes)
