"""One conversation: header, gauge, regions, timeline, the message list, and the panes to its right.

One cursor (generation, message) and one Settings value drive everything; this screen holds both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from inspector.app import views
from inspector.app.panes import Panes
from inspector.app.rows import GenerationRows
from inspector.app.screens.base import GoTo
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
from inspector.app.screens.reporting import ReportActions
from inspector.app.screens.taking import TakingActions
from inspector.app.work import (
    Bodies,
    Counted,
    Failed,
    Measured,
    Opened,
    Recovered,
    StoreChanged,
)
from inspector.core.errors import EngineError, InspectorError
from inspector.engines.base import Settings
from inspector.engines.registry import engine
from inspector.inspection import Inspection, budgets_of, plan_with
from widgets.gauge import Gauge
from widgets.key_line import KeyLine
from widgets.knob_values import SUMMARY_SIZE
from widgets.knobs import Knobs
from widgets.message_list import MessageList
from widgets.notes_bar import NotesBar
from widgets.region_bar import RegionBar
from widgets.timeline import Timeline
from widgets.title_bar import TitleBar
from widgets.tune_pane import TunePane

if TYPE_CHECKING:
    from inspector.core.conversations import Generation


_COMPACTIONS = Binding.Group("Compaction ", compact=True)


class ConversationScreen(
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
    """A conversation, opened in place."""

    CSS_PATH = "conversation.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="conversation.back"),
        Binding("slash", "find", "Find", id="conversation.find", key_display="/"),
        Binding("n", "next_hit(1)", "Next hit", show=False, id="conversation.next_hit"),
        Binding("N", "next_hit(-1)", "Earlier hit", show=False, id="conversation.earlier_hit"),
        Binding(
            "left_square_bracket",
            "compaction(-1)",
            "Earlier compaction",
            id="conversation.earlier",
            key_display="[",
            group=_COMPACTIONS,
        ),
        Binding(
            "right_square_bracket",
            "compaction(1)",
            "Later compaction",
            id="conversation.later",
            key_display="]",
            group=_COMPACTIONS,
        ),
        Binding("b", "jump('boundary', 1)", "Next boundary", show=False, id="jump.boundary"),
        Binding("B", "jump('boundary', -1)", "Earlier boundary", show=False, id="jump.boundary_back"),
        Binding("u", "jump('user', 1)", "Next user message", show=False, id="jump.user"),
        Binding("U", "jump('user', -1)", "Earlier user message", show=False, id="jump.user_back"),
        Binding("x", "jump('error', 1)", "Next tool error", show=False, id="jump.error"),
        Binding("X", "jump('error', -1)", "Earlier tool error", show=False, id="jump.error_back"),
        Binding("1", "pane('message')", "Message", show=False, id="pane.message"),
        Binding("2", "pane('summary')", "Summary", show=False, id="pane.summary"),
        Binding("3", "pane('diff')", "Diff", show=False, id="pane.diff"),
        Binding("4", "pane('cache')", "Cache", show=False, id="pane.cache"),
        Binding("5", "pane('tune')", "Tune", show=False, id="pane.tune"),
        Binding("6", "pane('compaction')", "Compaction", show=False, id="pane.compaction"),
        Binding("7", "pane('replay')", "Replay", show=False, id="pane.replay"),
        Binding("8", "pane('findings')", "Findings", show=False, id="pane.findings"),
        Binding("9", "pane('facts')", "Facts", show=False, id="pane.facts"),
        Binding("exclamation_mark", "pane('findings')", "Findings", show=False, id="pane.findings_key"),
        Binding("0", "pane('lineage')", "Lineage", show=False, id="pane.lineage"),
        Binding("V", "pane('measures')", "Measures", show=False, id="pane.measures"),
        Binding("t", "pane('tune')", "Tune", show=False, id="pane.tune_key"),
        Binding("space", "play", "Play, pause", show=False, id="replay.play"),
        Binding("left,h", "replay('message', -1)", "Step back", show=False, id="replay.back"),
        Binding("right,l", "replay('message', 1)", "Step forward", show=False, id="replay.forward"),
        Binding("shift+left,A", "replay('call', -1)", "Earlier API call", show=False, id="replay.call_back"),
        Binding("shift+right,a", "replay('call', 1)", "Next API call", show=False, id="replay.call"),
        Binding("ctrl+left", "replay('turn', -1)", "Earlier user turn", show=False, id="replay.turn_back"),
        Binding("ctrl+right", "replay('turn', 1)", "Next user turn", show=False, id="replay.turn"),
        Binding(
            "less_than_sign", "speed(-1)", "Play slower", show=False, id="replay.slower", key_display="<"
        ),
        Binding(
            "greater_than_sign", "speed(1)", "Play faster", show=False, id="replay.faster", key_display=">"
        ),
        Binding("colon", "step_number", "Go to a step", show=False, id="replay.number", key_display=":"),
        Binding("p", "next_profile", "Next profile", show=False, id="conversation.profile"),
        Binding("equals_sign", "keep", "Keep as A, compare", show=False, id="tune.keep", key_display="="),
        Binding("backslash", "swap", "A and B change places", show=False, id="tune.swap", key_display="\\"),
        Binding("v", "sweep", "Sweep", show=False, id="tune.sweep"),
        Binding("W", "write", "Write to a file", show=False, id="copy.write"),
        Binding("ctrl+r", "copy_comparison", "Copy the comparison", show=False, id="copy.comparison"),
        Binding("ctrl+e", "report", "Write a report", show=False, id="conversation.report"),
        Binding("ctrl+z", "undo", "Undo the last setting", show=False, id="tune.undo"),
        Binding("y", "copy('message')", "Copy message", show=False, id="copy.message"),
        Binding("Y", "copy('summary')", "Copy summary", show=False, id="copy.summary"),
        Binding("ctrl+y", "copy('settings')", "Copy settings", show=False, id="copy.settings"),
        Binding("o", "outside('PAGER')", "Open in $PAGER", show=False, id="outside.pager"),
        Binding("e", "outside('EDITOR')", "Open in $EDITOR", show=False, id="outside.editor"),
    ]
    HELP: ClassVar[str] = (
        "One generation of the conversation: the list that the agent held between two compactions. The lines between "
        "messages are boundaries: solid ones were recorded, dashed ones are planned by the profile under the settings."
    )

    def compose(self) -> ComposeResult:
        """Header, gauge, regions, timeline; the list and the panes; find; keys."""
        yield TitleBar(id="header")
        yield Gauge(id="gauge")
        yield RegionBar(id="regions")
        yield Timeline(id="timeline")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield MessageList(id="messages")
            yield Panes(id="panes")
        yield Input(placeholder="find in this generation", id="find", compact=True)
        yield Input(placeholder="the step to go to", id="step", compact=True)
        yield Input(
            placeholder="a new file: .yaml for the settings, anything else for the comparison",
            id="write",
            compact=True,
        )
        yield NotesBar(id="note")
        yield KeyLine()

    def on_mount(self) -> None:
        """Show that the conversation is being opened; `open_in_thread` has begun."""
        self.query_one("#find").display = False
        self.query_one("#step").display = False
        self.query_one("#write").display = False
        self.going_on("open", "opening")
        self.query_one(MessageList).focus()
        self.query_one(Panes).show(self.place.pane or "message")
        if self.read_early is not None:
            # It was read while the screen was put together: the first frame shows it.
            self._opened(self.read_early)

    def on_resize(self) -> None:
        """Narrow terminals show the list above the panes."""
        self.set_class(self.size.width < 110, "narrow")

    # What threads bring.

    @on(Opened)
    def _opened(self, event: Opened) -> None:
        if event.inspection is self.inspection:
            return
        first = self.inspection is None
        self.going_on("open", "")
        self.inspection = event.inspection
        self.prompts = dict(event.system_prompts)
        if first:
            self.resolved = event.resolved
            self.take_remembered_settings(event.resolved)
            self.show_generation(*self.remembered_place())
            live = event.inspection.conversation.live
            self._bodies(Bodies(live, len(live) - len(event.end), event.end))
            self.call_after_refresh(self.recover)
            self._show_notes()
        else:
            self._grown(event.inspection)

    def _grown(self, inspection: Inspection) -> None:
        """Take what was added without losing the place: the same list longer, or another generation behind it."""
        rows = self.rows
        if self.moment is not None:
            self._neighbours.clear()
            self.recover()
            self.moment_grown()
            return
        generations = inspection.conversation.generations
        same = next((g for g in generations if rows and g.number == rows.generation.number), None)
        if (
            rows is None
            or same is None
            or tuple(same.ids[: len(rows.generation)]) != tuple(rows.generation.ids)
        ):
            self.show_generation(min(self.number, len(generations)))
        elif len(same) != len(rows.generation):
            rows.grow(same)
            self._neighbours.clear()
            self.query_one(MessageList).rows_changed()
            self.measure(same, self.settings.profile)
            self.count_exactly(same)
        self.recover()
        self.show_header()

    @on(Bodies)
    def _bodies(self, event: Bodies) -> None:
        if self.rows is None or event.generation.number != self.rows.generation.number:
            return
        self.rows.add(event.start, event.messages)
        self.query_one(MessageList).refresh()

    @on(Measured)
    def _measured(self, event: Measured) -> None:
        rows = self.rows
        if rows is None or event.generation.number != self.number or event.profile != self.settings.profile:
            return
        if len(event.measures) == len(rows.generation):
            rows.measures = event.measures
            self.replan()

    @on(Recovered)
    def _recovered(self, event: Recovered) -> None:
        if self.inspection is None or event.conversation != self.inspection.conversation.id:
            return
        self.compactions = event.compactions
        self._show_recorded()
        self.fill("summary", "diff", "compaction", "replay", "lineage", "measures")
        if self.resolved is not None:
            self.judge(self.inspection, self.resolved)

    @on(Counted)
    def _counted(self, event: Counted) -> None:
        rows = self.rows
        if rows is None or event.generation.number != self.number:
            return
        rows.exact.update(event.counts)
        self.encoding = event.encoding
        if event.complete and len(rows.exact) >= len(rows):
            self.exact_total = sum(rows.exact.values())
        messages = self.query_one(MessageList)
        messages.refresh()
        if rows.index(messages.cursor) in event.counts:
            self.fill("message")
        self._show_gauge()

    @on(StoreChanged)
    def _store_changed(self) -> None:
        if self.inspection is not None:
            self.open_in_thread(again=True)

    # The cursor and the settings.

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
        self._show_recorded()
        self.show_header()
        self._show_gauge()
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
            self.rows.measures = None
            self.measure(self.rows.generation, settings.profile)
        self.replan()
        self.show_header()

    def replan(self) -> None:
        """Plan with the settings in force, and show it everywhere."""
        if self.moment is not None:
            self.replan_moment()
            return
        rows, inspection = self.rows, self.inspection
        if rows is None or inspection is None or rows.measures is None:
            self._show_gauge()
            self.fill("tune")
            return
        found = engine(self.settings.profile)
        system = inspection.system_tokens(rows.generation.session)
        try:
            self.plan = plan_with(found, rows.measures, self.settings, self.number - 1, system)
        except EngineError as error:
            self.post_message(Failed(str(error)))
            return
        rows.set_plan(self.plan)
        messages = self.query_one(MessageList)
        messages.set_boundaries(views.boundaries(self.plan, self.recorded(self.number), rows.offset))
        messages.refresh()
        self._show_gauge()
        self._show_regions()
        self.fill("message", "tune", "compaction", "replay", "facts")

    # What is shown.

    def _show_gauge(self) -> None:
        if self.moment is not None:
            self.show_moment_numbers()
            return
        budgets = engine(self.settings.profile).budgets(self.settings)
        tokens = self.plan.tokens_before if self.plan is not None else None
        self.query_one(Gauge).state = views.gauge_state(
            budgets, self.settings.context_length, tokens, self.exact_total, self.encoding
        )

    def _show_regions(self) -> None:
        bar = self.query_one(RegionBar)
        if self.plan is None:
            return
        recorded = self.recorded(self.number)
        bar.planned = views.planned_regions(self.plan, "planned" if recorded is not None else "")
        bar.recorded = (
            None
            if recorded is None or self.rows is None
            else views.recorded_regions(recorded, self.rows.measures)
        )

    def _show_recorded(self) -> None:
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
        self._show_regions()

    def show_findings(self) -> None:
        """Show them in the header, the timeline, the list and, where it is on screen, their pane."""
        self.show_header()
        self._show_recorded()
        self.fill("findings")
        if self.compactions:
            self.find_facts()

    def show_lost(self) -> None:
        """Mark the rows whose facts were lost."""
        if self.rows is not None and self.moment is None:
            self.rows.lost = self.lost_in(self.number)
            self.query_one(MessageList).refresh()

    def _show_notes(self) -> None:
        notes = self.inspection.conversation.notes if self.inspection else ()
        if self.resolved is not None:
            notes = (*notes, *self.resolved.notes)
        self.tell(*notes)

    # Events of widgets.

    @on(MessageList.Selected)
    def _selected(self, event: MessageList.Selected) -> None:
        if event.widget.id == "messages":
            self.fill("message")
            self.show_step()

    @on(MessageList.Opened)
    def _open_message(self, event: MessageList.Opened) -> None:
        if event.widget.id == "messages":
            self.action_pane("message")

    @on(MessageList.RowsWanted)
    def _rows_wanted(self, event: MessageList.RowsWanted) -> None:
        if self.rows is not None and self.moment is None and event.widget.id == "messages":
            start, stop = self.rows.index(event.rows.start), self.rows.index(event.rows.stop)
            self.read_bodies(self.rows.generation, max(0, start), stop)

    @on(Timeline.GenerationChosen)
    def _generation_chosen(self, event: Timeline.GenerationChosen) -> None:
        self.show_generation(event.number)

    @on(GoTo)
    def _go_to(self, event: GoTo) -> None:
        self.show_generation(event.number, event.row)

    @on(RegionBar.RegionChosen)
    def _region_chosen(self, event: RegionBar.RegionChosen) -> None:
        self.go_to_region(event.name, event.kind)

    @on(TunePane.PresetChosen)
    def _preset_chosen(self, event: TunePane.PresetChosen) -> None:
        self.use(event.preset.settings)

    @on(Knobs.ResetWanted)
    def _reset_wanted(self) -> None:
        if self.resolved is not None:
            self.use(self.resolved.settings)

    @on(Knobs.SettingChanged)
    def _setting_changed(self, event: Knobs.SettingChanged) -> None:
        if event.name == SUMMARY_SIZE:
            self.use_summary_size(event.value if isinstance(event.value, int | float) else None)
        else:
            self.change(**{event.name: event.value})

    # Actions.

    def action_back(self) -> None:
        """One step back: from a pane to the list; find is closed, the notes; at last the conversation is left."""
        find, messages = self.query_one("#find", Input), self.query_one("#messages", MessageList)
        notes = self.query_one(NotesBar)
        if find.has_focus:
            self.close_find()
        elif self.query_one("#step", Input).has_focus:
            self.close_step_number()
        elif self.query_one("#write", Input).has_focus:
            self.close_write()
        elif not messages.has_focus:
            messages.focus()
        elif find.display:
            self.close_find()
        elif self.moment is not None:
            self.leave_moment()
        elif notes.sentences:
            notes.dismiss()
        else:
            self.remember()
            self.app.pop_screen()

    def action_pane(self, name: str) -> None:
        """Show a pane and give it the focus."""
        panes = self.query_one(Panes)
        panes.show(name)
        self.place.pane = name
        panes.focus_pane()

    def action_next_profile(self) -> None:
        """Plan with the next engine."""
        from inspector.engines.registry import names

        known = names()
        at = known.index(self.settings.profile) if self.settings.profile in known else -1
        self.change(profile=known[(at + 1) % len(known)])
