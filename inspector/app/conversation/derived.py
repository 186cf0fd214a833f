"""Values derived from the state and the loaded data: plan, gauge, regions, timeline, title.

Pure and memoized: an equal state costs a comparison, a knob's turn one plan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.answers.shown_settings import doubt_about, has_least_window
from inspector.app.conversation import chrome
from inspector.app.conversation.as_of import FindingsAsOf, FindingsThen
from inspector.app.conversation.resources import COMPACTIONS, FINDINGS, RECORDING, TOKEN_INDEX
from inspector.app.conversation.state import Loaded, Opened, State, recorded
from inspector.app.jobs import same
from inspector.core.conversations import Compaction
from inspector.core.errors import EngineError
from inspector.engines.base import Budgets, Plan, Settings, TokenIndex
from inspector.engines.failures import plan_with
from inspector.engines.registry import budgets_of, engine
from inspector.replay.moments import Moment
from widgets.bars.gauge import GaugeState
from widgets.bars.region_bar import RegionBarState
from widgets.bars.timeline import Position, TimelineNode
from widgets.bars.title_bar import TitlePart

if TYPE_CHECKING:
    from inspector.replay.recording import Recording

T = TypeVar("T")
#: Number of results that a memo keeps: a comparison of A and B alternates between two.
_KEPT = 2


class Memo(Generic[T]):
    """A pure function with a cache of its last results, by equal arguments."""

    def __init__(self, function: Callable[..., T]) -> None:
        self._function = function
        self._kept: list[tuple[tuple[Any, ...], T]] = []

    def __call__(self, *values: Any) -> T:
        """Return the function's result, from memory where the arguments are known."""
        for kept_values, result in self._kept:
            if same(kept_values, values):
                return result
        result = self._function(*values)
        self._kept = [(values, result), *self._kept[: _KEPT - 1]]
        return result


class Derived(Struct, frozen=True, eq=False):
    """Derived values. `tokens` are rough, of the next request with the list on screen. `made_by` and `ended_by` are
    the recorded compactions before and after the list. `problem` is a sentence where the engine failed.
    """

    budgets: Budgets
    token_index: TokenIndex | None = None
    plan: Plan | None = None
    problem: str = ""
    tokens: int | None = None
    made_by: Compaction | None = None
    ended_by: Compaction | None = None
    findings: FindingsThen = field(default_factory=FindingsThen)
    title: tuple[TitlePart, ...] = ()
    gauge: GaugeState = field(default_factory=GaugeState)
    planned: RegionBarState | None = None
    recorded: RegionBarState | None = None
    nodes: tuple[TimelineNode, ...] = ()
    position: Position | None = None


class Deriver:
    """Derives values from a state and the loaded data."""

    def __init__(self) -> None:
        self._derive = Memo(_derive)
        self.plan_for = Memo(_plan)
        self._plan_at = Memo(_plan_at)
        self._index_at = Memo(lambda recording, at: recording.token_index(at))
        self.budgets = Memo(budgets_of)

    def __call__(self, state: State, loaded: Loaded, exact: tuple[int, str] | None) -> Derived | None:
        """Derive from a state; None while no conversation is open. The cursor does not matter.

        `exact` has the exact tokens of the list and the name of the encoding, None while they are being counted.
        """
        if loaded.opened is None or not state.generation:
            return None
        return self._derive(
            self,
            replace(
                state, row=0, pane="", view="", find="", compaction=0, against=0, attempts=0,
                decided=0, dismissed_facts=frozenset(), dismissed_findings=frozenset(),
            ),
            loaded,
            exact,
        )  # fmt: skip

    def plan(self, state: State, loaded: Loaded) -> tuple[TokenIndex | None, Plan | None, str]:
        """Return the token index of the list on screen and the plan of the settings' engine, or why there is no
        plan."""
        opened, at = loaded.opened, state.moment
        if opened is None:
            return None, None, ""
        if at is not None:
            recording = loaded.current(RECORDING, state)
            if recording is None:
                return None, None, ""
            index = self._index_at(recording, at)
            return index, *self._plan_at(recording, at, state.settings, index)
        index = loaded.current(TOKEN_INDEX, state)
        if index is None:
            index = _outgrown(state, loaded)
        if index is None:
            return None, None, ""
        generation = opened.generations[state.generation - 1]
        system = opened.inspection.system_tokens(generation.session)
        return index, *self.plan_for(index, state.settings, state.generation - 1, system)


def _outgrown(state: State, loaded: Loaded) -> TokenIndex | None:
    """The last token index of the live list, which has new messages that are being read; None for another list."""
    opened, entry = loaded.opened, loaded.values.get(TOKEN_INDEX.name)
    if opened is None or entry is None or state.generation != len(opened.generations):
        return None
    (_, before, profile), index = entry
    now, length = opened.generations[-1], len(before)
    is_same = (before.number, profile) == (now.number, state.settings.profile)
    if not is_same or not 0 < length <= len(now) or now.ids[length - 1] != before.ids[-1]:
        return None
    known: TokenIndex = index
    return known


def _plan(index: TokenIndex, settings: Settings, compactions: int, system: int) -> tuple[Plan | None, str]:
    """The plan for a whole list after a number of compactions, or why there is none."""
    try:
        return plan_with(engine(settings.profile), index, settings, compactions, system), ""
    except EngineError as error:
        return None, str(error)


def _plan_at(
    recording: Recording, at: Moment, settings: Settings, index: TokenIndex
) -> tuple[Plan | None, str]:
    try:
        return recording.plan(at, settings, index), ""
    except EngineError as error:
        return None, str(error)


def _derive(deriver: Deriver, state: State, loaded: Loaded, exact: tuple[int, str] | None) -> Derived:
    opened, at = loaded.opened, state.moment
    assert opened is not None
    compactions = loaded.latest(COMPACTIONS)
    index, plan, problem = deriver.plan(state, loaded)
    budgets = deriver.budgets(state.settings) if plan is None else plan.budgets
    made_by = recorded(compactions, state.generation - 1, at)
    # In a replay: the compaction of the moment, or the last one before it.
    ended_by = recorded(compactions, state.generation if at is None else at.compaction, at)
    findings = _findings_then(loaded.latest(FINDINGS), at)
    recording = loaded.current(RECORDING, state) if at is not None else None
    size = _Size(
        plan.tokens_before if plan is not None else None, exact, opened.reported.get(state.generation)
    )
    position = None
    if at is not None:
        size = _size_at(at, recording, ended_by, plan, size)
        if recording is not None:
            position = _position(state, recording, at, ended_by, plan, size.tokens)
    planned_bar: RegionBarState | None = None
    recorded_bar: RegionBarState | None = None
    if ended_by is not None and not ended_by.before:
        gauge = GaugeState(missing=True)
    else:
        gauge = _gauge(state, opened, budgets, size)
        beside = ended_by if at is None or at.phase not in ("message", "after") else None
        if plan is not None:
            planned_bar = chrome.planned_regions(plan, "" if beside is None else "planned")
        if plan is not None and beside is not None:
            recorded_bar = chrome.recorded_regions(beside, index, bool(plan.pruned))
    return Derived(
        budgets=budgets,
        token_index=index,
        plan=plan,
        problem=problem,
        tokens=size.tokens,
        made_by=made_by,
        ended_by=ended_by,
        findings=findings,
        title=chrome.header_parts(state, opened, findings.words),
        gauge=gauge,
        planned=planned_bar,
        recorded=recorded_bar,
        nodes=chrome.nodes(
            opened.inspection.conversation,
            compactions or (),
            findings.by_compaction or {},
            None if at is None else at.generation,
        ),
        position=position,
    )


class _Size(NamedTuple):
    """The size of the list on screen: rough `tokens`, the `exact` count with its encoding, and the size that the agent
    `reported`, with its `basis`; each None while it is unknown."""

    tokens: int | None
    exact: tuple[int, str] | None
    reported: int | None
    basis: str = ""


def _size_at(
    at: Moment, recording: Recording | None, ended_by: Compaction | None, plan: Plan | None, size: _Size
) -> _Size:
    """Return the size of the list at a moment of a replay."""
    if recording is None:
        return size._replace(reported=None)
    tokens, scale = chrome.moment_tokens(at, recording, ended_by, plan), recording.course.scale
    # Within a compaction, the size of an agent that reports every request is partly rough.
    is_whole = at.phase in ("message", "before", "after") or scale.basis
    if scale.requests and is_whole:
        return _Size(tokens, size.exact, tokens, scale.basis)
    # The exact count has only the messages. Requests of the agent hold more, so the count is not shown.
    return _Size(tokens, None if scale.excess else size.exact, None)


def _gauge(state: State, opened: Opened, budgets: Budgets, size: _Size) -> GaugeState:
    in_force = opened.resolved.settings
    is_live = state.moment is None and state.generation == len(opened.generations)
    has_window = state.settings.context_length == in_force.context_length
    return chrome.gauge_state(
        budgets,
        state.settings.context_length,
        *size,
        later=opened.later if is_live else 0,
        least=has_window and has_least_window(opened.resolved),
        doubt=doubt_about(opened.resolved) if state.settings == in_force else "",
    )


def _findings_then(findings: FindingsAsOf | None, at: Moment | None) -> FindingsThen:
    if findings is None:
        return FindingsThen()
    return findings.until(len(findings) if at is None else findings.count(at.generation, at.length))


def _position(
    state: State,
    recording: Recording,
    at: Moment,
    during: Compaction | None,
    plan: Plan | None,
    tokens: int | None,
) -> Position:
    fires = engine(state.settings.profile).fires(tokens, state.settings) if tokens is not None else None
    if fires == "hygiene" and not recording.course.gateway:
        fires = None
    return Position(
        at.step,
        recording.moments.steps,
        recording.moments.generation_steps,
        chrome.moment_note(at, recording, during, plan, tokens, fires or ""),
        state.playing,
        state.speed,
        at.length - 1 if at.phase in ("message", "before") else None,
    )
