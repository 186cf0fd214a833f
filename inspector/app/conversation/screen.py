"""One conversation: header, gauge, regions, timeline, the message list, and the panes to its right.

The screen holds the state and the loaded data. Both are reactive: when one changes, values are derived once and
handed to the parts on screen. Actions compute the next state; slow work is a job.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Input

from inspector.app.conversation import resources
from inspector.app.conversation.attempts import Attempts
from inspector.app.conversation.clipboard import Clipboard
from inspector.app.conversation.derived import Derived, Deriver
from inspector.app.conversation.dismissing import Dismissing
from inspector.app.conversation.finder import Finder
from inspector.app.conversation.keys import KEYS
from inspector.app.conversation.message_part import MessagePart
from inspector.app.conversation.navigation import Navigation
from inspector.app.conversation.opening import Opener
from inspector.app.conversation.panes.base import Context, Tab
from inspector.app.conversation.panes.host import Panes
from inspector.app.conversation.panes.registry import PANES
from inspector.app.conversation.player import Player
from inspector.app.conversation.report import ReportWriter
from inspector.app.conversation.resources import COMPACTIONS
from inspector.app.conversation.state import Loaded, Resource, State
from inspector.app.conversation.tracer import Tracer
from inspector.app.conversation.tuner import Tuner
from inspector.app.events import StoreChanged
from inspector.app.job_screen import JobScreen
from inspector.app.saved_state import SavedState
from inspector.stores.base import Store
from widgets.bars.gauge import Gauge
from widgets.bars.key_line import KeyLine
from widgets.bars.notes_bar import NotesBar
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Timeline
from widgets.bars.title_bar import TitleBar
from widgets.base.prompt import FindPrompt, Prompt
from widgets.intents import (
    Change,
    ChooseCompaction,
    CopyFacts,
    CopyText,
    DeleteAttempt,
    DismissFact,
    DismissFinding,
    GoTo,
    GoToStep,
    Intent,
    ReadRows,
    ShowPane,
    StepCompaction,
    TraceText,
    UseSettings,
)
from widgets.lists.line_list import LineList
from widgets.lists.message_list import MessageList

T = TypeVar("T")


def pane_keys(tabs: Sequence[Tab]) -> list[BindingType]:
    """The digits: each pane's place among the tabs."""
    return [
        Binding(str(place), f"pane('{tab.name}')", tab.name.capitalize(), show=False, id=f"pane.{tab.name}")
        for place, tab in enumerate(tabs, 1)
    ]


class ConversationScreen(JobScreen):
    """A conversation. `message` is the store's row to show first, `find` a text to mark, `compaction` the number of a
    compaction to choose.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*KEYS, *pane_keys(PANES)]
    HELP: ClassVar[str] = (
        "The list of messages shows one generation: the list that the agent held between two compactions. The lines "
        "between messages are boundaries: solid lines are recorded, dashed lines are planned by the profile under the "
        "settings."
    )

    #: The place of the user in the conversation, and the settings.
    state: reactive[State] = reactive(State(), init=False, repaint=False)
    #: The loaded data.
    loaded: reactive[Loaded] = reactive(Loaded(), init=False, repaint=False)

    def __init__(
        self,
        store: Store,
        name: str,
        saved: SavedState,
        flags: dict[str, Any],
        config: Path | None,
        message: int | None = None,
        find: str = "",
        compaction: int | None = None,
        tabs: Sequence[Tab] = PANES,
    ) -> None:
        super().__init__()
        self.store, self.saved, self.flags, self.config = store, saved, flags, config
        self.derived: Derived | None = None
        self._waiting: list[tuple[Resource[Any], Callable[[Any], object]]] = []
        self.messages = MessagePart(
            self.jobs, self._counted, lambda text: self.app.say_once(text), self._rows_came
        )
        self.panes = Panes(tabs, self.jobs, id="panes")
        self.message_list = MessageList(id="messages")
        self.player = Player(self, self.set_interval)
        self.finder = Finder(self, FindPrompt(id="find", compact=True))
        self.tuner = Tuner(self)
        self.clipboard = Clipboard(self)
        self.reports = ReportWriter(self)
        self.attempts = Attempts(self)
        self.dismissing = Dismissing(self)
        self.tracer = Tracer(self, self.clipboard, self.get_selected_text)
        self.navigation = Navigation(self)
        self.opening = Opener(self, self.navigation, name, message, find, compaction)
        self._derive = Deriver()
        # Parts handle these actions of KEYS.
        self.action_find = self.finder.ask
        self.action_hit = self.finder.next_hit
        self.action_play = self.player.toggle
        self.action_step = self.player.step
        self.action_speed = self.player.speed
        self.action_ask_step = self.player.ask
        self.action_ask_file = self.tuner.ask_file
        self.action_profiles = self.tuner.choose_profile
        self.action_keep = self.tuner.keep
        self.action_swap = self.tuner.swap
        self.action_sweep = self.tuner.sweep
        self.action_recommend = self.tuner.recommend
        self.action_undo = self.tuner.undo
        self.action_copy_comparison = self.tuner.copy_comparison
        self.action_attempt = self.attempts.ask
        self.action_decide = self.attempts.decide
        self.action_trace = self.tracer.trace
        self.action_report = self.reports.ask
        self.action_copy = self.clipboard.copy
        self.action_open_outside = self.clipboard.open_outside

    def compose(self) -> ComposeResult:
        """Header, gauge, regions, timeline; the list and the panes; prompts; keys."""
        yield TitleBar(id="header")
        yield Gauge(id="gauge")
        yield RegionBar(id="regions")
        yield Timeline(id="timeline")
        with Horizontal(id="body"):
            yield self.message_list
            yield self.panes
        yield NotesBar(id="note")
        yield KeyLine()

    def on_mount(self) -> None:
        """Show the data that is already read, or a note that the conversation is being opened."""
        self.message_list.focus()
        self.panes.show(self.opening.first_pane or self.saved.pane or self.panes.current)
        self.opening.mounted()

    def on_resize(self) -> None:
        """Narrow terminals show the list above the panes."""
        self.set_class(self.size.width < 110, "narrow")
        self._give_room()

    @on(events.DescendantFocus)
    def _give_room(self) -> None:
        """On a narrow screen, give the panes more room while one has the focus.

        `:focus-within` would make Textual restyle every widget in the panes on each move of the focus.
        """
        inside = self.focused is not None and self.panes in self.focused.ancestors
        height = "2fr" if inside and self.has_class("narrow") else "1fr"
        if self.panes.styles.height is None or str(self.panes.styles.height) != height:
            self.panes.styles.height = height

    # State and loaded data.

    def watch_loaded(self) -> None:
        """Show new data, and make the calls that wait for it."""
        self._refresh_parts()
        self.serve()

    def watch_state(self, before: State, after: State) -> None:
        """Show the new state."""
        self.player.follow(after)
        if after.find != before.find:
            self.finder.mark(after.find)
        self._refresh_parts()

    def change(self, **changes: Any) -> None:
        """Assign the next state."""
        self.state = replace(self.state, **changes)

    def begin_with(self, loaded: Loaded) -> None:
        """Store loaded data without showing it. The next state that is assigned shows it."""
        self.set_reactive(ConversationScreen.loaded, loaded)

    def want(self, resource: Resource[Any]) -> None:
        """Read a resource in a job, and the resources it depends on first. Its value becomes the next `loaded`.

        Nothing is read if the value is current or already being read.
        """
        if self.loaded.current(resource, self.state) is not None:
            # A read with other inputs may have failed. It is tried again if these inputs return.
            self.jobs.forget(resource.name)
            return
        for earlier in resource.earlier:
            self.want(earlier)
        needs = resource.needs(self.state, self.loaded)
        if needs is not None:

            def came(value: Any) -> None:
                self.loaded = self.loaded.with_value(resource, needs, value)

            def failed(sentence: str) -> None:
                self.loaded = self.loaded.with_failure(resource, needs, sentence)
                self.show_notes(sentence)

            self.jobs.run(
                resource.name, needs, resource.read, came, some=came, failed=failed, rest=resource.rest
            )

    def when(self, resource: Resource[T], then: Callable[[T], object]) -> None:
        """Call a function with a resource when it is read. Calls keep their order; equal calls are made once."""
        value = self.loaded.current(resource, self.state)
        if value is not None:
            then(value)
        elif (resource, then) not in self._waiting:
            self._waiting.append((resource, then))
            self.want(resource)

    def serve(self) -> None:
        """Make the calls that waited for a new value, and read the resources that others wait for."""
        waiting, self._waiting = self._waiting, []
        for resource, then in waiting:
            self.when(resource, then)

    # Showing.

    def _refresh_parts(self) -> None:
        """Derive all values once and give each part its own. A part with an equal value draws nothing."""
        opened = self.loaded.opened
        if opened is None or not self.is_mounted or self.left:
            return
        derived = self._derive(self.state, self.loaded, self.messages.exact(self.state))
        if derived is None:
            return
        if derived is not self.derived:
            self.derived = derived
            if derived.problem:
                self.show_notes(derived.problem)
                self.call_next(self.player.pause)
            if self.state.moment is None:
                self._show_bars()
            else:
                # Move the list first: a frame with both the bars and the list also composes the panes again.
                self.message_list.call_after_refresh(self._show_bars)
        placed = self.messages.show(self.message_list, self.state, self.loaded, derived)
        if placed and self.message_list.cursor != self.state.row:
            # The list decides on which rows the cursor can be.
            self.set_reactive(ConversationScreen.state, replace(self.state, row=self.message_list.cursor))
        self.panes.fill(Context(self.state, self.loaded, opened, derived, self._derive, self.messages))
        self.call_after_refresh(self._read_on)

    def _show_bars(self) -> None:
        """Give the bars above the list their values."""
        derived = self.derived
        if derived is None or self.left:
            return
        self.query_one(TitleBar).parts = derived.title
        self.query_one(Gauge).state = derived.gauge
        regions, timeline = self.query_one(RegionBar), self.query_one(Timeline)
        regions.planned, regions.recorded = derived.planned, derived.recorded
        timeline.nodes, timeline.current = derived.nodes, self.state.generation
        timeline.position = derived.position

    def _read_on(self) -> None:
        """Start slow work after the frame that shows the list."""
        if self.loaded.opened is None or self.left:
            return
        self.messages.count(self.state, self.message_list)
        pane = self.panes.tabs[self.panes.current].pane
        first = resources.TOKEN_INDEX if self.state.moment is None else resources.RECORDING
        for resource in (first, COMPACTIONS, resources.CACHING, *pane.wants(self.state), resources.FINDINGS):
            self.want(resource)

    def _counted(self) -> None:
        self.message_list.refresh()
        self._refresh_parts()

    def _rows_came(self) -> None:
        self.message_list.rows_changed()
        self.panes.rows_changed()
        self._refresh_parts()

    # Intents of parts and panes.

    @on(Intent)
    async def _obey(self, intent: Intent) -> None:
        match intent:
            case GoTo():
                await self._go_to(intent)
            case ShowPane():
                await self.panes.bring(intent.pane)
            case ChooseCompaction():
                self.navigation.choose_compaction(intent.index)
            case StepCompaction():
                if self.state.moment is None:
                    self.navigation.choose_compaction(self.state.compaction + intent.by)
                else:
                    self.player.step("compaction", intent.by)
            case Change():
                self.change(**intent.changes)
            case UseSettings():
                self.tuner.use(intent.tuning)
            case GoToStep():
                self.player.go_to(intent.step)
            case ReadRows():
                self.messages.read(intent.wanted)
            case CopyText():
                self.clipboard.copy_text(intent.text, intent.what)
            case CopyFacts():
                self.clipboard.copy_facts(intent.facts, intent.at_risk)
            case DeleteAttempt():
                self.attempts.delete(intent.attempt)
            case TraceText():
                self.tracer.trace(intent.text)
            case DismissFact():
                self.dismissing.fact(intent.fact)
            case DismissFinding():
                self.dismissing.finding(intent.finding)

    async def _go_to(self, place: GoTo) -> None:
        if place.pane:
            await self.panes.bring(place.pane)
        if place.find:
            self.finder.jumped()
        self.navigation.go_to(place)
        if not place.pane:
            self.message_list.focus()

    # Events of widgets.

    @on(Input.Submitted, "#find")
    def _find_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.finder.submit(event.value)

    @on(Input.Changed, "#find")
    def _find_typed(self, event: Input.Changed) -> None:
        self.finder.typed(event.value)

    @on(Prompt.Left)
    def _prompt_left(self) -> None:
        self.finder.close()

    @on(Panes.Shown)
    def _pane_shown(self, event: Panes.Shown) -> None:
        self.saved.pane = event.name
        self.change(pane=event.name)

    @on(LineList.Selected, "#messages")
    def _selected(self, event: LineList.Selected) -> None:
        # Keys are faster than frames: the cursor may have moved on.
        if event.row == self.message_list.cursor:
            self.change(row=event.row)

    @on(LineList.Opened, "#messages")
    def _open_message(self) -> None:
        self.action_pane("message")

    @on(MessageList.RowsWanted)
    def _rows_wanted(self, event: MessageList.RowsWanted) -> None:
        if self.messages.rows is not None:
            self.messages.read(self.messages.rows.missing(event.rows))

    @on(Timeline.GenerationChosen)
    def _generation_chosen(self, event: Timeline.GenerationChosen) -> None:
        self.navigation.show_generation(event.number)

    @on(Timeline.StepWanted)
    def _step_wanted(self, event: Timeline.StepWanted) -> None:
        self.player.step("message", event.by)

    @on(RegionBar.RegionChosen)
    def _region_chosen(self, event: RegionBar.RegionChosen) -> None:
        self.finder.region(event.name, event.kind)

    @on(StoreChanged)
    def _store_changed(self) -> None:
        self.opening.again()

    # Actions.

    def action_jump(self, kind: str, direction: int) -> None:
        """Go to the next message of a kind; in a replay to the step of the next user message."""
        if self.state.moment is not None and kind == "user":
            self.player.step("turn", direction)
        else:
            self.finder.jump(kind, direction)

    def action_compaction(self, direction: int) -> None:
        """Choose another compaction and show the list after it; in a replay go to the step before it."""
        if self.state.moment is not None:
            self.player.step("compaction", direction)
        else:
            self.navigation.step_compaction(direction)

    def action_pane(self, name: str) -> None:
        """Show a pane and give it the focus."""
        self.panes.show(name, focus=True)

    async def action_lineage(self) -> None:
        """Show the lineage of all items."""
        await self.panes.bring("summary", "lineage")

    def action_back(self) -> None:
        """Go one step back: from a pane to the list, out of a search, out of the replay, close the notes, leave the
        conversation.
        """
        notes = self.query_one(NotesBar)
        if not self.message_list.has_focus:
            self.message_list.focus()
        elif self.finder.searching:
            self.finder.close()
        elif self.state.moment is not None:
            self.player.leave()
        elif notes.sentences:
            notes.dismiss()
        else:
            self.remember()
            self.app.pop_screen()

    def place(self) -> tuple[str, int] | None:
        """Return the conversation and the chosen compaction (0: none); None until it is open."""
        opened = self.loaded.opened
        return None if opened is None else (opened.inspection.conversation.id, self.state.compaction)

    def remember(self) -> None:
        """Store the place in the conversation for the next run."""
        self.opening.remember()
