"""Filling the pane on screen; what is not on screen is filled when it comes up."""

from __future__ import annotations

from collections.abc import Callable

from textual import on, work
from textual.message import Message as TextualMessage
from textual.timer import Timer
from textual.worker import get_current_worker

from inspector.answers.resolving import caching_release, policy_of, ttl_of
from inspector.app import paneviews
from inspector.app.conversation.rows import GenerationRows
from inspector.app.panes import Panes
from inspector.app.screens.base import ConversationBase
from inspector.app.work import Failed
from inspector.caching.breakpoints import Layout, Ttl, breakpoints
from inspector.core.conversations import Compaction, Generation
from inspector.core.errors import InspectorError
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.engines.registry import engine, names
from widgets.bars.gauge import Gauge, parting
from widgets.base import human
from widgets.lists.message_list import MessageList, MessageRow
from widgets.panes.cache_pane import CachePane, CacheView
from widgets.panes.diff_pane import DiffPane, DiffView
from widgets.panes.message_pane import MessagePane, MessageView
from widgets.panes.summary_text import SummaryText as SummaryPane
from widgets.panes.tune_pane import Preset, TunePane, TuneState

#: A message is read once the cursor has rested for so many seconds, so that scrolling costs nothing.
_REST = 0.03
#: Results of a message's calls are looked for in so many messages behind it.
_BEHIND = 24


class MessageRead(TextualMessage):
    """The message under the cursor has been read."""

    def __init__(self, generation: int, row: int, view: MessageView) -> None:
        super().__init__()
        self.generation = generation
        self.row = row
        self.view = view


class Compared(TextualMessage):
    """Two successive summaries have been compared."""

    def __init__(self, key: tuple[int, int], view: DiffView | None) -> None:
        super().__init__()
        self.key = key
        self.view = view


class Cached(TextualMessage):
    """The breakpoints of a generation have been found (message index → number, and the pane's view)."""

    def __init__(self, generation: int, marks: dict[int, int], view: CacheView) -> None:
        super().__init__()
        self.generation = generation
        self.marks = marks
        self.view = view


class FillingActions(ConversationBase):
    """Everything that puts values into panes."""

    layout_name: Layout | None = None
    ttl: Ttl | None = None
    _resting: Timer | None = None
    summary_size: float | None = None

    @on(Panes.Shown)
    def _shown(self, event: Panes.Shown) -> None:
        self.place.pane = event.name
        self.fill(event.name)

    def fill(self, *panes: str) -> None:
        """Fill the pane on screen if it is one of `panes` (any without)."""
        current = self.query_one(Panes).current
        if self.rows is None or (panes and current not in panes):
            return
        fillers: dict[str, Callable[[], object]] = {
            "message": self.fill_message,
            "summary": self._fill_summary,
            "diff": self._fill_diff,
            "cache": self.find_breakpoints,
            "tune": self.fill_tune,
            "compaction": self.fill_compaction,
            "replay": self.fill_replay,
            "findings": self.fill_findings,
            "facts": self.fill_facts,
            "lineage": self.fill_lineage,
            "measures": self.fill_measures,
        }
        fillers[current]()

    def fill_compaction(self) -> None:
        """Compare a recorded compaction with the plan for the same list; the screen's part for it does so."""

    def fill_replay(self) -> None:
        """Run the conversation under the settings; the screen's replay part does it."""

    def fill_findings(self) -> None:
        """Put the findings into their pane; the screen's part for findings does it."""

    def fill_facts(self) -> None:
        """Show what became of what was said; the screen's part for facts does it."""

    def find_in_pane(self) -> None:
        """Mark what is looked for in the text of the message; the screen's part for finding does it."""

    def fill_lineage(self) -> None:
        """Follow the items of the summaries; the screen's part for them does it."""

    def fill_measures(self) -> None:
        """Show what compactions kept; the screen's part for measures does it."""

    # Message.

    def fill_message(self) -> None:
        """Read the message under the cursor once the cursor rests."""
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(_REST, self._read_current)

    def _read_current(self) -> None:
        self._resting = None
        rows = self.rows
        if rows is None or self.query_one(Panes).current != "message":
            return
        row = self.query_one(MessageList).cursor
        generation, index = rows.place(row)
        if len(rows) == 0:
            self.query_one(MessagePane).set_view(None)
        elif index < 0:
            shown = rows.row(row)
            if shown is not None:
                self.query_one(MessagePane).set_view(paneviews.system_view(shown, rows.system_prompt))
        else:
            self.read_message(rows, row, generation, index)

    @work(thread=True, group="message", exclusive=True, exit_on_error=False, description="message")
    def read_message(self, rows: GenerationRows, row: int, generation: Generation, index: int) -> None:
        """Read one message, and those around it that its calls and results need."""
        start = max(0, index - _BEHIND)
        try:
            around = self.store.messages(generation, start, index + 1 + _BEHIND)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if get_current_worker().is_cancelled or index - start >= len(around):
            return
        message = around[index - start]
        if generation is rows.generation:
            rows.add(index, (message,))
        shown = rows.row(row) or MessageRow(str(index), message.role, "")
        pruned = None
        if generation is rows.generation and index in rows.pruned and rows.plan is not None:
            callers = {call.id: other for other in around[: index - start] for call in other.tool_calls}
            pruned = paneviews.pruned_text(message, callers, rows.plan)
        view = paneviews.message_view(shown, message, around[index - start + 1 :], pruned)
        self.post_message(MessageRead(rows.generation.number, row, view))

    @on(MessageRead)
    def _message_read(self, event: MessageRead) -> None:
        if event.generation == self.number and event.row == self.query_one(MessageList).cursor:
            self.query_one(MessagePane).set_view(event.view)
            self.find_in_pane()

    # Summary and diff.

    def shown_summary(self) -> Compaction | None:
        """The compaction whose summary is in force in the list on screen; for the first list the one it led to."""
        made = self.recorded(self.number - 1)
        return made if made is not None or self.moment is not None else self.recorded(self.number)

    def _fill_summary(self) -> None:
        recorded = self.shown_summary()
        total = len(self.compactions_then)
        budget = None
        if recorded is not None and self.inspection is not None:
            budget = engine(self.settings.profile).budgets(self.settings).max_summary_tokens
        self.query_one(SummaryPane).set_view(paneviews.summary_view(recorded, total, budget))

    def _fill_diff(self) -> None:
        found = [c for c in self.compactions or () if self.recorded(c.index) is c]
        shown = self.shown_summary()
        new = shown.index if shown is not None else 0
        old = max((c.index for c in found if c.index < new and c.summary is not None), default=0)
        if old == 0 and len(found) > 1 and self.moment is None:
            old, new = found[0].index, found[1].index
        if (old, new) in self._diffs:
            self.query_one(DiffPane).set_view(self._diffs[old, new])
        else:
            self.compare((old, new))

    @work(thread=True, group="diff", exclusive=True, exit_on_error=False, description="diff")
    def compare(self, key: tuple[int, int]) -> None:
        """Compare two summaries."""
        view = paneviews.diff_view(self.recorded(key[0]), self.recorded(key[1]))
        self.post_message(Compared(key, view))

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        self._diffs[event.key] = event.view
        self.query_one(DiffPane).set_view(event.view)

    # Cache.

    @work(thread=True, group="cache", exclusive=True, exit_on_error=False, description="cache")
    def find_breakpoints(self) -> None:
        """Find the breakpoints of the list on screen."""
        rows, inspection, resolved = self.rows, self.inspection, self.resolved
        if rows is None or inspection is None or resolved is None:
            return
        row = inspection.conversation.row
        policy = policy_of(row, self.settings.profile)
        layout = self.layout_name or policy.layout
        ttl = self.ttl or ttl_of(resolved)
        release = caching_release(self.settings.profile)
        lazy = _LazyMessages(self, rows)
        try:
            points = breakpoints(lazy, rows.system_prompt, layout=layout, ttl=ttl, release=release)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        marks = {
            (-1 if p.message is None else p.message): p.number for p in points if p.placed and policy.enabled
        }
        view = paneviews.cache_view(points, rows, lazy, layout, ttl, policy)
        if not get_current_worker().is_cancelled:
            self.post_message(Cached(rows.generation.number, marks, view))

    @on(Cached)
    def _cached(self, event: Cached) -> None:
        if self.rows is not None and event.generation == self.number:
            self.rows.breakpoints = event.marks
            self.query_one(MessageList).refresh()
            for pane in self.query(CachePane):
                pane.set_view(event.view)

    @on(CachePane.LayoutChosen)
    def _layout_chosen(self, event: CachePane.LayoutChosen) -> None:
        self.layout_name = "envelope" if event.layout == "envelope" else "native"
        self.find_breakpoints()

    @on(CachePane.TtlChosen)
    def _ttl_chosen(self, event: CachePane.TtlChosen) -> None:
        self.ttl = "1h" if event.ttl == "1h" else "5m"
        self.find_breakpoints()

    @on(CachePane.BreakpointChosen)
    def _breakpoint_chosen(self, event: CachePane.BreakpointChosen) -> None:
        if self.rows is not None:
            self.query_one(MessageList).move_cursor(self.rows.row_of(event.message), centre=True)

    # Tune.

    def fill_tune(self) -> None:
        """Show the knobs and what follows from them."""
        resolved = self.resolved
        defaults = resolved.settings if resolved is not None else Settings()
        plain = Settings(profile=defaults.profile, context_length=defaults.context_length)
        presets = (
            Preset("in force", defaults, "What the flags, config.yaml, the store and the model tell"),
            Preset("defaults", plain, "Hermes' defaults"),
            Preset(
                "early",
                self.settings.with_(threshold=0.4, target_ratio=0.3),
                "Compact early, keep a long tail",
            ),
            Preset(
                "late",
                self.settings.with_(threshold=0.8, target_ratio=0.15),
                "Compact late, keep a short tail",
            ),
        )
        origins = dict(resolved.sources) if resolved is not None else {}
        state = TuneState(
            settings=self.settings,
            defaults=defaults,
            budgets=engine(self.settings.profile).budgets(self.settings),
            profiles=names(),
            presets=presets,
            origins=origins,
            outcome=(*self._outcome(), *self._parting(), *self.run_lines()),
            summary_size=self.summary_size,
        )
        self.query_one(TunePane).set_state(state)

    def _parting(self) -> tuple[str, ...]:
        """The sentence that is due where the gauge and the plan do not agree about the threshold."""
        sentence = parting(self.query_one(Gauge).state)
        return (sentence,) if sentence else ()

    def run_lines(self) -> tuple[str, ...]:
        """What the whole conversation would have been; the screen's part for tuning knows."""
        return ()

    def _outcome(self) -> tuple[str, ...]:
        plan = self.plan
        if plan is None:
            return ("Reading the list …",)
        fires = engine(self.settings.profile).fires(plan.tokens_before, self.settings)
        left = human.count(plan.budgets.threshold_tokens - plan.tokens_before)
        when = {
            "agent": "The list is over the threshold: the agent would compact before the next call.",
            "hygiene": "Gateway hygiene would compact before the next message.",
            None: f"~{left} tokens are left before a compaction.",
        }[fires]
        if not plan.compacts:
            return (when, f"A compaction now would change nothing: {plan.reason}.")
        head, tail = plan.regions()
        return (
            when,
            f"A compaction now: ~{human.count(plan.tokens_before)} → about {human.count(plan.tokens_after)} tokens, "
            f"{human.count(plan.length)} → {human.count(head + plan.length - tail + (not plan.merged))} messages.",
        )


class _LazyMessages:
    """The end of a generation as a sequence whose bodies are read as they are asked for."""

    def __init__(self, screen: FillingActions, rows: GenerationRows) -> None:
        self._screen = screen
        self._rows = rows
        self._kept: dict[int, Message] = {}

    def __len__(self) -> int:
        return len(self._rows.generation)

    def __getitem__(self, index: int) -> Message:
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index not in self._kept:
            start = max(0, index - 7)
            for at, message in enumerate(
                self._screen.store.messages(self._rows.generation, start, index + 1), start
            ):
                self._kept[at] = message
        return self._kept[index]
