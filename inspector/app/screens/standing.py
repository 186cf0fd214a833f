"""Standing at a step of a replay: everything on screen shows what there was then."""

from __future__ import annotations

from collections.abc import Callable

from textual import on, work
from textual.message import Message as TextualMessage
from textual.timer import Timer
from textual.worker import get_current_worker

from inspector.answers.inspection import Inspection, budgets_of
from inspector.answers.recordings import read_recording
from inspector.app import views
from inspector.app.exactly import Counts, ExactSums
from inspector.app.moments import MIDDLE_GONE, MomentRows
from inspector.app.progress import Left, Pulse
from inspector.app.rows import Line, line_of
from inspector.app.screens.filling import FillingActions
from inspector.app.screens.finding import FindActions
from inspector.app.screens.judging import FindingsActions
from inspector.app.screens.reading import ReadingActions
from inspector.app.screens.recalling import FactActions
from inspector.app.screens.telling import TellingActions
from inspector.app.work import Failed, Recovered
from inspector.core.conversations import Compaction, Generation
from inspector.core.errors import EngineError, InspectorError
from inspector.engines.base import Plan
from inspector.engines.registry import engine
from inspector.replay.moments import PHASES, Moment
from inspector.replay.recording import Recording
from widgets.bars.gauge import Gauge
from widgets.bars.region_bar import RegionBar
from widgets.bars.timeline import Position, Timeline
from widgets.base import human
from widgets.lists.message_list import MessageList

#: What takes longer than a frame is worked out once a step has stood for so many seconds.
_REST = 0.08


class Recorded(TextualMessage):
    """The conversation was read for replay under the rules of an engine."""

    def __init__(self, inspection: Inspection, profile: str, recording: Recording) -> None:
        super().__init__()
        self.inspection = inspection
        self.profile = profile
        self.recording = recording


class StandingActions(
    FindingsActions, FactActions, ReadingActions, FindActions, FillingActions, TellingActions
):
    """The moment on screen, and what it is made from."""

    #: The conversation, the engine's name and what was read under its rules.
    read: tuple[Inspection, str, Recording] | None = None
    playing: bool = False
    speed: int = 5
    _moment_resting: Timer | None = None
    #: What waits for the conversation to be read.
    _awaiting: tuple[Callable[[], object], ...] = ()
    #: Exact counts by generation, as far as the replay has come by.
    _exact_of: dict[int, Counts] | None = None
    _sums: ExactSums | None = None
    #: The generation whose messages were last set out to be counted.
    _counting: int = 0
    _past: dict[tuple[int, int], Line] | None = None
    #: The generation on screen, and how many findings there were.
    _known: tuple[int, int] = (0, 0)

    def show_generation(self, number: int, row: int | None = None) -> None:
        """Show a whole list; the screen does it."""
        raise NotImplementedError

    def stop(self) -> None:
        """Pause what plays; the screen's part for stepping does it."""
        raise NotImplementedError

    # What the moments come from.

    def recording(self) -> Recording | None:
        """What was read for replay, where it is of this conversation and these rules."""
        known, profile = self.read, self.settings.profile
        if known is None or known[0] is not self.inspection or known[1] != profile:
            return None
        return known[2]

    def with_recording(self, then: Callable[[], object]) -> None:
        """Do something once the conversation has been read for replay."""
        if self.recording() is not None:
            then()
            return
        if then not in self._awaiting:
            self._awaiting = (*self._awaiting, then)
        self._read_for_replay()

    def _read_for_replay(self) -> None:
        if self.inspection is not None and self.compactions is not None:
            self.going_on("replay", "reading the conversation")
            self.read_recording(self.inspection, self.settings.profile)

    @on(Recovered)
    def _compactions_came(self) -> None:
        """What was asked for before the compactions were known is done now."""
        if self._awaiting and self.recording() is None:
            self._read_for_replay()

    @work(thread=True, group="record", exclusive=True, exit_on_error=False, description="record")
    def read_recording(self, inspection: Inspection, profile: str) -> None:
        """Read every list of the conversation once."""
        worker = get_current_worker()
        total = sum(len(generation) for generation in inspection.conversation.generations)
        pulse = Pulse(self, worker, "replay", "reading", total)
        try:
            recording = read_recording(inspection, profile, pulse)
        except Left:
            return
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            self.app.call_from_thread(self.going_on, "replay", "")
            self.app.call_from_thread(self.stop)
            return
        if not worker.is_cancelled:
            self.post_message(Recorded(inspection, profile, recording))

    @on(Recorded)
    def _recording_came(self, event: Recorded) -> None:
        self.going_on("replay", "")
        if event.inspection is not self.inspection:
            return
        if self.read is None or self.read[0] is not event.inspection:
            self._exact_of = self._sums = None
        self.read = (event.inspection, event.profile, event.recording)
        waiting, self._awaiting = self._awaiting, ()
        for then in waiting:
            self.with_recording(then)

    # Showing a moment.

    def show_moment(self, at: Moment) -> None:
        """Show what there was at a moment; only what changed is drawn."""
        inspection, recording = self.inspection, self.recording()
        if inspection is None or recording is None:
            return
        before, old = self.moment, self.rows
        self.moment, self.number = at, at.generation
        if self._past is None:
            self._past = {}
        whole = inspection.conversation.generations
        rows = MomentRows(at, recording.moments.layout(at), whole, self._past, self.prompt_of(at.generation))
        if old is not None and old.generation.number == at.generation:
            rows.lines, rows.exact = old.lines, old.exact
            if before is None:
                self._counting = at.generation
        self._take_counts(rows)
        rows.set_recorded(self.recorded(at.generation - 1), self.recorded(at.compaction))
        rows.marked = self.marked(at.generation)
        rows.lost = self.lost_in(at.generation) if at.phase in MIDDLE_GONE else frozenset()
        self.rows, self.exact_total = rows, None
        self._plan_moment(rows, recording)
        messages = self.query_one("#messages", MessageList)
        messages.set_boundaries(rows.boundaries())
        messages.set_rows(rows, cursor=self._cursor_at(rows), centre=at.phase not in ("said", "before"))
        self._show_numbers()
        self._show_position()
        self.show_header()
        self.fill("message", "tune", "replay")
        known = (at.generation, self.findings_count())
        self.rest(due=before is None or known != self._known)
        self._known = known

    def _take_counts(self, rows: MomentRows) -> None:
        """Exact counts of a generation are kept while the replay is in another one."""
        if self._exact_of is None:
            self._exact_of = {}
        number = rows.at.generation
        if rows.exact:
            self._exact_of[number] = rows.exact
        rows.exact = self._exact_of.setdefault(number, rows.exact)
        if self._sums is None or self._sums.counts is not rows.exact:
            self._sums = ExactSums(rows.exact)

    def replan_moment(self) -> None:
        """Plan the moment anew with the settings in force; under other rules the conversation is read again first."""
        if self.moment is None:
            return
        if self.recording() is None:
            self.with_recording(self.replan_moment)
            return
        self.show_moment(self.moment)

    def moment_grown(self) -> None:
        """The conversation grew: it is read again, and the moment stays."""
        if self.moment is not None:
            self.with_recording(self._stay)

    def _stay(self) -> None:
        """Show the moment on screen as it is in the conversation that was read anew."""
        at, recording = self.moment, self.recording()
        if at is None or recording is None or not len(recording.moments):
            return
        same = recording.moments.moment(at.number)
        if (same.step, same.phase) != (at.step, at.phase):
            same = recording.moments.of_step(at.step)
        self.show_moment(same)

    def _plan_moment(self, rows: MomentRows, recording: Recording) -> None:
        self.plan = None
        try:
            rows.token_index = recording.token_index(rows.at)
            self.plan = recording.plan(rows.at, self.settings, rows.token_index)
        except EngineError as error:
            self.post_message(Failed(str(error)))
            return
        rows.set_plan(self.plan)

    def _cursor_at(self, rows: MomentRows) -> int:
        """What has just happened: the message that was said, the middle, the summary that came."""
        at, during = rows.at, rows.during
        if during is not None and at.phase in ("pruned", "summarized"):
            return rows.row_of(during.head_end)
        if during is not None and at.phase == "kept":
            return rows.row_of(during.tail_start)
        made = self.recorded(at.compaction) if at.phase == "after" else None
        if made is not None and made.summary_at is not None:
            return rows.row_of(made.summary_at)
        return len(rows) - 1

    def leave_moment(self) -> None:
        """Show the whole list again, with the cursor on the same message."""
        self.stop()
        rows = self.rows
        index = rows.index(self.query_one("#messages", MessageList).cursor) if rows is not None else -1
        self.moment = None
        self.query_one(Timeline).set_position(None)
        self.show_generation(self.number, max(0, index + self.offset_of(self.number)))

    def moment_tokens(self) -> int | None:
        """Rough tokens of the next request at the moment, as far as the compaction has gone."""
        at, recording = self.moment, self.recording()
        if at is None or recording is None:
            return None
        system, during = recording.systems[at.generation - 1], self.recorded(at.compaction)
        rows = self.rows
        if during is None or rows is None or rows.token_index is None or at.phase in ("said", "before"):
            return recording.tokens[at.step - 1]
        if at.phase == "after":
            return during.tokens_after
        plan = self.plan
        if plan is None or not plan.compacts:
            return during.tokens_before
        if at.phase == "pruned":
            return plan.head_tokens + plan.middle_tokens + plan.tail_tokens + system
        return plan.head_tokens + plan.tail_tokens + system

    def moment_exactly(self) -> int | None:
        """Exact tokens of the list at the moment; None until all of it has been counted, and where pruning or the
        middle's leaving is shown, whose texts nobody counts."""
        at, inspection = self.moment, self.inspection
        if (
            at is None
            or inspection is None
            or self._sums is None
            or at.phase not in ("said", "before", "after")
        ):
            return None
        return self._sums.until(
            at.length, bool(self.prompts.get(inspection.generation(at.generation).session))
        )

    def _show_numbers(self) -> None:
        at = self.moment
        if at is None:
            return
        self.query_one(Gauge).state = views.gauge_state(
            budgets_of(self.settings),
            self.settings.context_length,
            self.moment_tokens(),
            self.moment_exactly(),
            self.encoding,
        )
        bar, rows = self.query_one(RegionBar), self.rows
        during = rows.during if isinstance(rows, MomentRows) else None
        bar.planned = (
            views.planned_regions(self.plan, "planned" if during is not None else "")
            if self.plan is not None
            else None
        )
        bar.recorded = (
            views.recorded_regions(during, rows.token_index)
            if during is not None and rows is not None
            else None
        )

    def show_moment_numbers(self) -> None:
        """The gauge and the regions of the moment."""
        self._show_numbers()

    def _show_position(self) -> None:
        at, recording, inspection = self.moment, self.recording(), self.inspection
        if at is None or recording is None or inspection is None:
            return
        timeline = self.query_one(Timeline)
        nodes = views.nodes(
            inspection.conversation, self.compactions or (), self.findings_by_compaction(), at.generation
        )
        timeline.set_state(nodes, at.generation)
        timeline.set_position(
            Position(
                at.step,
                recording.moments.steps,
                recording.moments.generation_steps,
                self.moment_note(recording, at),
                self.playing,
                self.speed,
            )
        )

    def moment_note(self, recording: Recording, at: Moment) -> str:
        """What happens at a moment, in a few words."""
        during, tokens = self.recorded(at.compaction), self.moment_tokens()
        if at.phase == "said":
            if not recording.moments.fires_at(at) or tokens is None:
                return ""
            fires = engine(self.settings.profile).fires(tokens, self.settings)
            return "" if fires is None else f"{fires} would compact"
        place = 1 if at.phase == "before" else 2 + PHASES.index(at.phase)
        return f"compaction {at.compaction}, {place}/5 " + phase_text(at, during, self.plan, tokens)

    def rest(self, due: bool = False) -> None:
        """Once the step stands still: what its panes and breakpoints need that takes longer. While it plays only what
        is `due`."""
        if self.playing and (not due or self._moment_resting is not None):
            return
        if self._moment_resting is not None:
            self._moment_resting.stop()
            self._moment_resting = None
        if self.moment is not None:
            self._moment_resting = self.set_timer(_REST, self._rested)

    def _rested(self) -> None:
        self._moment_resting = None
        if self.moment is None:
            return
        self.fill("summary", "diff", "compaction", "facts", "lineage", "findings", "measures")
        if self.playing:
            return
        self.find_breakpoints()
        if self._counting != self.number and self.inspection is not None:
            self._counting = self.number
            self.count_exactly(self.inspection.generation(self.number))

    # Bodies.

    @on(MessageList.RowsWanted)
    def _moment_rows_wanted(self, event: MessageList.RowsWanted) -> None:
        rows = self.rows
        if event.widget.id != "messages" or not isinstance(rows, MomentRows) or self.inspection is None:
            return
        for number, wanted in rows.missing(event.rows).items():
            generation = self.inspection.generation(abs(number))
            if number > 0:
                self.read_bodies(generation, wanted.start, wanted.stop)
            else:
                self.read_past(generation, wanted)

    @work(thread=True, group="bodies", exit_on_error=False, description="bodies")
    def read_past(self, generation: Generation, wanted: range) -> None:
        """Read messages that had left the list."""
        try:
            found = self.store.messages(generation, wanted.start, wanted.stop)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        lines = {
            (generation.number, index): line_of(message) for index, message in enumerate(found, wanted.start)
        }
        self.app.call_from_thread(self._past_came, lines)

    def _past_came(self, lines: dict[tuple[int, int], Line]) -> None:
        if self._past is not None:
            self._past.update(lines)
        self.query_one("#messages", MessageList).rows_changed()


def phase_text(at: Moment, during: Compaction | None, plan: Plan | None, tokens: int | None) -> str:
    """A phase of a compaction in a few words."""
    size = "" if tokens is None else f", ~{human.tokens(tokens)} tokens"
    if during is None:
        return at.phase + size
    if at.phase == "before":
        return f"before: {human.plural(during.before, 'message')}{size}"
    if at.phase == "pruned":
        if plan is None or not plan.compacts:
            return "pruned: the profile would not compact here"
        return f"pruned: {human.plural(len(plan.pruned), 'message')} made short{size}"
    if at.phase == "summarized":
        went = human.plural(during.tail_start - during.head_end, "message")
        came = "a fallback text" if during.fallback else "the summary"
        return f"summarized: {went} give way to {came}"
    if at.phase == "kept":
        return f"kept: {during.head_end} in the head, {during.before - during.tail_start} in the tail"
    return f"after: {human.plural(during.after, 'message')}{size}"
