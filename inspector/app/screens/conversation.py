"""One conversation: header, gauge, regions, timeline, the message list, and the panes to its right.

One cursor (generation, message) and one Settings value drive everything; this screen holds both.
"""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from inspector.answers.inspection import Inspection
from inspector.app.panes import Panes
from inspector.app.screens.base import GoTo
from inspector.app.screens.showing import ShowingActions
from inspector.app.work import (
    Bodies,
    Counted,
    Measured,
    Opened,
    Recovered,
    StoreChanged,
)
from widgets.bars.gauge import Gauge
from widgets.bars.key_line import KeyLine
from widgets.bars.notes_bar import NotesBar
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.bars.title_bar import TitleBar
from widgets.base.prompt import FindPrompt, Prompt
from widgets.lists.message_list import MessageList
from widgets.panes.knob_values import SUMMARY_SIZE
from widgets.panes.knobs import Knobs
from widgets.panes.tune_pane import TunePane

_COMPACTIONS = Binding.Group("Compaction ", compact=True)


class ConversationScreen(ShowingActions):
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

    #: How many lists were there when the store was last read.
    _generations: int = 0

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
        yield FindPrompt(placeholder="find in this generation", id="find", compact=True)
        yield Prompt(placeholder="the step to go to", id="step", compact=True)
        yield Prompt(
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
            self._generations = len(event.inspection.conversation.generations)
            self.resolved = event.resolved
            self.take_remembered_settings(event.resolved)
            if self.wanted_text:
                self.look_for(self.wanted_text, shown=False)
            self.show_generation(*self.remembered_place())
            live = event.inspection.conversation.live
            self._bodies(Bodies(live, len(live) - len(event.end), event.end))
            self.call_after_refresh(self.recover)
            self.show_notes()
        else:
            self._tell_of_compactions(event.inspection)
            self._grown(event.inspection)

    def _tell_of_compactions(self, inspection: Inspection) -> None:
        """A compaction that came meanwhile is told; the list on screen stays."""
        generations = inspection.conversation.generations
        if len(generations) > self._generations:
            before, after = len(generations[-2]), len(generations[-1])
            self.app.notify(
                f"A compaction came: {before:,} → {after:,} messages; ] goes to the list after it.", timeout=5
            )
        self._generations = len(generations)

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
        if len(event.token_index) == len(rows.generation):
            rows.token_index = event.token_index
            self.replan()

    @on(Recovered)
    def _recovered(self, event: Recovered) -> None:
        if self.inspection is None or event.conversation != self.inspection.conversation.id:
            return
        self.compactions = event.compactions
        self.show_recorded()
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
            self.exact_total = rows.exact.total()
        messages = self.query_one(MessageList)
        messages.refresh()
        if rows.index(messages.cursor) in event.counts:
            self.fill("message")
        self.show_gauge()
        self.fill("tune")

    @on(StoreChanged)
    def _store_changed(self) -> None:
        if self.inspection is not None:
            self.open_in_thread(again=True)

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

    @on(Prompt.Left)
    def _prompt_left(self, event: Prompt.Left) -> None:
        put_away = {"find": self.close_find, "step": self.close_step_number, "write": self.close_write}
        put_away[event.prompt.id or ""]()

    # Actions.

    def action_back(self) -> None:
        """One step back: from a pane to the list; what was found is unmarked, the notes are closed; at last the
        conversation is left."""
        find, messages = self.query_one("#find", Prompt), self.query_one("#messages", MessageList)
        notes = self.query_one(NotesBar)
        if not messages.has_focus:
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
