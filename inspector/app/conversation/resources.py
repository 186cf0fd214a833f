"""Resources of the conversation screen: the inputs of each, and the function that reads it in a thread.

A new resource is an entry here; a pane names it in `wants`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.app.conversation import reading
from inspector.app.conversation.state import Loaded, Maybe, Opened, Resource, State
from inspector.core.conversations import Generation

if TYPE_CHECKING:
    from inspector.answers.costing import Costing
    from inspector.answers.fact_reading import FactsReading
    from inspector.answers.upcoming import Upcoming
    from inspector.app.conversation.as_of import FindingsAsOf, LineageAsOf
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.app.conversation.caching import Caching
    from inspector.app.conversation.reading import AftermathRead, FactsRead, RecordedFigures, Runs
    from inspector.app.conversation.request_views import RequestsRead
    from inspector.core.conversations import Compaction
    from inspector.engines.base import TokenIndex
    from inspector.quality.finding import Finding
    from inspector.quality.sources import SourceShare
    from inspector.replay.recording import Recording
    from widgets.panes.losses_view import FactScope

T = TypeVar("T")

#: Seconds that a step must be unchanged before slow work starts.
_REST = 0.08
#: Delay of a run after a turn of a knob, in seconds: after the frame with the plan, and once for a held key.
_RUN_AFTER = 0.012


# Inputs.


def list_on_screen(state: State, loaded: Loaded) -> tuple[Generation, int] | None:
    """Return the list on screen: a generation, and the number of its messages (in a replay at that step)."""
    if loaded.opened is None or not state.generation:
        return None
    generation = loaded.opened.generations[state.generation - 1]
    return generation, len(generation) if state.moment is None else state.moment.length


def _of(get: Callable[[Opened], T]) -> Callable[[State, Loaded], T | None]:
    """An input from the open conversation."""
    return lambda state, loaded: None if loaded.opened is None else get(loaded.opened)


_inspection = _of(lambda opened: opened.inspection)
_resolved = _of(lambda opened: opened.resolved)
_in_force = _of(lambda opened: opened.resolved.settings)


def _generation(state: State, loaded: Loaded) -> Generation | None:
    shown = list_on_screen(state, loaded)
    return None if shown is None else shown[0]


def _length(state: State, loaded: Loaded) -> int | None:
    shown = list_on_screen(state, loaded)
    return None if shown is None else shown[1]


def _generation_before(state: State, loaded: Loaded) -> Generation | None:
    """The list that the chosen compaction ended."""
    if loaded.opened is None or not state.compaction:
        return None
    return loaded.opened.generations[state.compaction - 1]


def _fact_steps(state: State, loaded: Loaded) -> Any:
    facts = loaded.current(FACTS, state)
    return None if facts is None else facts.steps


def _prompt(state: State, loaded: Loaded) -> str | None:
    return None if loaded.opened is None else loaded.opened.prompt_of(state.generation)


def _profile(state: State, loaded: Loaded) -> str:
    return state.settings.profile


# Functions of modules that are imported with their first question.


def _read_requests(*values: Any) -> RequestsRead:
    from inspector.app.conversation import request_views

    return request_views.read_requests(*values)


def _find_breakpoints(*values: Any) -> Caching:
    from inspector.app.conversation import caching

    return caching.find_breakpoints(*values)


# When reading makes sense.


def _compactions_known(state: State, loaded: Loaded) -> bool:
    return loaded.current(COMPACTIONS, state) is not None


def _compacted(state: State, loaded: Loaded) -> bool:
    compactions = loaded.latest(COMPACTIONS)
    return bool(compactions)


def _facts_known(state: State, loaded: Loaded) -> bool:
    """Without a compaction there are no facts."""
    compactions = loaded.current(COMPACTIONS, state)
    return compactions is not None and (not compactions or loaded.current(FACTS, state) is not None)


def _is_live(state: State, loaded: Loaded) -> bool:
    """Whether the live list is on screen."""
    opened = loaded.opened
    return opened is not None and state.moment is None and state.generation == len(opened.generations)


def _at_rest(state: State, loaded: Loaded) -> bool:
    return not state.playing and bool(state.generation)


# Resources.

#: The recorded compactions, oldest first.
COMPACTIONS: Resource[tuple[Compaction, ...]] = Resource(
    "compactions", lambda inspection, watch: inspection.compactions(), (_inspection,)
)
TOKEN_INDEX: Resource[TokenIndex] = Resource(
    "token index", reading.read_token_index, (_inspection, _generation, _profile)
)
#: The token index of the list before the chosen compaction.
INDEX_BEFORE: Resource[TokenIndex] = Resource(
    "list before", reading.read_token_index, (_inspection, _generation_before, _profile)
)
#: Every fact with its fates, also the dismissed ones.
ALL_FACTS: Resource[FactsReading] = Resource(
    "facts", reading.find_facts, (_inspection, _in_force, lambda state, _: state.decided), (COMPACTIONS,),
    _compacted,
)  # fmt: skip
#: The facts that count, and the dismissed ones apart.
FACTS: Resource[FactsRead] = Resource(
    "facts that count", reading.facts_read, (_inspection, ALL_FACTS, lambda state, _: state.dismissed_facts)
)
ALL_FINDINGS: Resource[tuple[Finding, ...]] = Resource(
    "findings", reading.find_findings,
    (_inspection, _resolved, Maybe(FACTS), lambda state, _: state.dismissed_facts), (COMPACTIONS, FACTS), _facts_known
)  # fmt: skip
#: The findings that count, and the dismissed ones apart.
FINDINGS: Resource[FindingsAsOf] = Resource(
    "findings that count", reading.findings_as_of, (ALL_FINDINGS, lambda state, _: state.dismissed_findings)
)
#: Repeated work after each compaction.
AFTERMATH: Resource[AftermathRead] = Resource(
    "aftermath", reading.find_aftermath, (_inspection, FACTS, lambda state, _: state.decided)
)
#: Attempts of the chosen compaction, judged.
ATTEMPTS: Resource[AttemptsRead] = Resource(
    "attempts",
    reading.judge_attempts,
    (
        _inspection,
        _in_force,
        lambda state, _: state.compaction or None,
        FACTS,
        lambda state, _: state.attempts,
    ),
)


def attempts_read(state: State, loaded: Loaded) -> AttemptsRead | None:
    """The last attempts of the chosen compaction, while new attempts are judged too; None for another compaction."""
    read = loaded.latest(ATTEMPTS)
    return read if read is not None and read.compaction == state.compaction else None


#: Facts of models by compaction.
JUDGED: Resource[Mapping[int, tuple[FactScope, ...]]] = Resource(
    "judgements", reading.find_judged, (_inspection, FACTS, lambda state, _: state.attempts)
)
LINEAGE: Resource[LineageAsOf] = Resource(
    "lineage", reading.follow_items, (_inspection, COMPACTIONS, _in_force)
)
RECORDING: Resource[Recording] = Resource(
    "replay", reading.read_for_replay, (_inspection, _profile), (COMPACTIONS,), _compactions_known
)
#: Costs of the recorded requests, the basis of costs of other runs.
COSTING: Resource[Costing] = Resource("costs", reading.read_costing, (_inspection, _resolved, RECORDING))
#: The conversation under the rules of the settings that are kept as A.
KEPT_RECORDING: Resource[Recording] = Resource(
    "replay of A",
    reading.read_for_replay,
    (_inspection, lambda state, _: state.kept and state.kept[0].profile),
    (COMPACTIONS,),
    _compactions_known,
)
RECORDED_FIGURES: Resource[RecordedFigures] = Resource(
    "recorded figures",
    reading.measure_recording,
    (_inspection, RECORDING, Maybe(_fact_steps), Maybe(COSTING)),
)
RUNS: Resource[Runs] = Resource(
    "what-if",
    reading.run_conversation,
    (
        RECORDING,
        lambda state, _: state.tuning,
        Maybe(KEPT_RECORDING),
        Maybe(lambda state, _: state.kept),
        Maybe(_fact_steps),
        Maybe(COSTING),
    ),
    (KEPT_RECORDING,),
    rest=_RUN_AFTER,
)
REQUESTS: Resource[RequestsRead] = Resource(
    "requests", _read_requests, (_inspection, _resolved), (COMPACTIONS,), _compactions_known
)
CACHING: Resource[Caching] = Resource(
    "cache",
    _find_breakpoints,
    (
        _inspection,
        _resolved,
        _generation,
        _length,
        _prompt,
        _profile,
        Maybe(lambda state, _: state.layout),
        Maybe(lambda state, _: state.ttl),
        Maybe(TOKEN_INDEX),
    ),
    ready=_at_rest,
)
#: The messages of the list on screen with the searched text.
HITS: Resource[tuple[int, ...]] = Resource(
    "search", reading.find_text, (_inspection, _generation, _length, lambda state, _: state.find or None)
)
#: The tokens of the list on screen by source.
SOURCES: Resource[tuple[SourceShare, ...]] = Resource(
    "sources", reading.read_sources, (_inspection, _generation, _length, _prompt), ready=_at_rest
)
#: The next compaction of the live list under the settings on screen.
UPCOMING: Resource[Upcoming] = Resource(
    "next compaction",
    reading.read_upcoming,
    (_inspection, _resolved, lambda state, _: state.settings, Maybe(FACTS)),
    (COMPACTIONS, FACTS),
    lambda state, loaded: _is_live(state, loaded) and _facts_known(state, loaded),
    _REST,
)
TOOL_ERRORS: Resource[tuple[int, ...]] = Resource(
    "tool errors", reading.find_tool_errors, (_inspection, _generation, _length)
)
