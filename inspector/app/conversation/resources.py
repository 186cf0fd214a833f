"""Resources of the conversation screen: the inputs of each, and the function that reads it in a thread.

A new resource is an entry here; a pane names it in `wants`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.app.conversation import reading
from inspector.app.conversation.state import Loaded, Resource, State
from inspector.core.conversations import Generation

if TYPE_CHECKING:
    from inspector.answers.costing import Costing
    from inspector.answers.fact_reading import FactsReading
    from inspector.answers.upcoming import Upcoming
    from inspector.app.conversation.as_of import FindingsAsOf, LineageAsOf
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.app.conversation.caching import Caching
    from inspector.app.conversation.reading import FactsRead, RecordedFigures, Runs
    from inspector.app.conversation.request_views import RequestsRead
    from inspector.core.conversations import Compaction
    from inspector.engines.base import TokenIndex
    from inspector.quality.aftermath import AftermathEvent
    from inspector.quality.finding import Finding
    from inspector.quality.sources import SourceShare
    from inspector.replay.recording import Recording
    from widgets.panes.losses_view import FactScope

Needs = tuple[Any, ...] | None

#: Seconds that a step must be unchanged before slow work starts.
_REST = 0.08
#: So long after a knob was turned the conversation is run, in seconds: behind the frame that shows the plan, which it
#: would hold up, and once for a key that is held.
_RUN_AFTER = 0.012


def list_on_screen(state: State, loaded: Loaded) -> tuple[Generation, int] | None:
    """The list on screen: a generation, and how many of its messages; in a replay as many as there were then."""
    if loaded.opened is None or not state.generation:
        return None
    generation = loaded.opened.generations[state.generation - 1]
    return generation, len(generation) if state.moment is None else state.moment.length


def _compactions(state: State, loaded: Loaded) -> Needs:
    return None if loaded.opened is None else (loaded.opened.inspection,)


COMPACTIONS: Resource[tuple[Compaction, ...]] = Resource(
    "compactions", _compactions, reading.read_compactions
)


def _token_index(state: State, loaded: Loaded) -> Needs:
    if loaded.opened is None or not state.generation:
        return None
    generation = loaded.opened.generations[state.generation - 1]
    return loaded.opened.inspection, generation, state.settings.profile


TOKEN_INDEX: Resource[TokenIndex] = Resource("token index", _token_index, reading.read_token_index)


def _list_before(state: State, loaded: Loaded) -> Needs:
    """The list that the chosen compaction ended."""
    if loaded.opened is None or not state.compaction:
        return None
    generation = loaded.opened.generations[state.compaction - 1]
    return loaded.opened.inspection, generation, state.settings.profile


#: The token index of the list before the chosen compaction.
INDEX_BEFORE: Resource[TokenIndex] = Resource("list before", _list_before, reading.read_token_index)


def _facts(state: State, loaded: Loaded) -> Needs:
    if loaded.opened is None or not loaded.latest(COMPACTIONS):
        return None
    return loaded.opened.inspection, loaded.opened.resolved.settings


#: Every fact with its fates, also the dismissed ones.
ALL_FACTS: Resource[FactsReading] = Resource("facts", _facts, reading.find_facts, (COMPACTIONS,))


def _shown_facts(state: State, loaded: Loaded) -> Needs:
    every = loaded.current(ALL_FACTS, state)
    if loaded.opened is None or every is None:
        return None
    return loaded.opened.inspection, every, state.dismissed_facts


#: The facts that count, and the dismissed ones apart.
FACTS: Resource[FactsRead] = Resource("facts that count", _shown_facts, reading.facts_read, (ALL_FACTS,))


def _findings(state: State, loaded: Loaded) -> Needs:
    opened, compactions = loaded.opened, loaded.current(COMPACTIONS, state)
    if opened is None or compactions is None:
        return None
    facts = loaded.current(FACTS, state)
    if compactions and facts is None:
        return None
    return opened.inspection, opened.resolved, facts


ALL_FINDINGS: Resource[tuple[Finding, ...]] = Resource(
    "findings", _findings, reading.find_findings, (COMPACTIONS, FACTS)
)


def _shown_findings(state: State, loaded: Loaded) -> Needs:
    every = loaded.current(ALL_FINDINGS, state)
    return None if every is None else (every, state.dismissed_findings)


#: The findings that count, and the dismissed ones apart.
FINDINGS: Resource[FindingsAsOf] = Resource(
    "findings that count", _shown_findings, reading.findings_as_of, (ALL_FINDINGS,)
)


def _aftermath(state: State, loaded: Loaded) -> Needs:
    facts = loaded.current(FACTS, state)
    return None if loaded.opened is None or facts is None else (loaded.opened.inspection, facts)


#: Things done again after each compaction.
AFTERMATH: Resource[Mapping[int, tuple[AftermathEvent, ...]]] = Resource(
    "aftermath", _aftermath, reading.find_aftermath, (FACTS,)
)


def _lineage(state: State, loaded: Loaded) -> Needs:
    opened, compactions = loaded.opened, loaded.current(COMPACTIONS, state)
    if opened is None or compactions is None:
        return None
    return opened.inspection, compactions, opened.resolved.settings


def _attempts(state: State, loaded: Loaded) -> Needs:
    opened, facts = loaded.opened, loaded.current(FACTS, state)
    if opened is None or facts is None or not state.compaction:
        return None
    return opened.inspection, opened.resolved.settings, state.compaction, facts, state.attempts


#: Attempts of the chosen compaction, judged.
ATTEMPTS: Resource[AttemptsRead] = Resource("attempts", _attempts, reading.judge_attempts, (FACTS,))


def _judged(state: State, loaded: Loaded) -> Needs:
    opened, facts = loaded.opened, loaded.current(FACTS, state)
    return None if opened is None or facts is None else (opened.inspection, facts, state.attempts)


#: Facts of models by compaction.
JUDGED: Resource[Mapping[int, tuple[FactScope, ...]]] = Resource(
    "judgements", _judged, reading.find_judged, (FACTS,)
)
LINEAGE: Resource[LineageAsOf] = Resource("lineage", _lineage, reading.follow_items, (COMPACTIONS,))


def _recording(state: State, loaded: Loaded) -> Needs:
    if loaded.opened is None or loaded.current(COMPACTIONS, state) is None:
        return None
    return loaded.opened.inspection, state.settings.profile


RECORDING: Resource[Recording] = Resource("replay", _recording, reading.read_for_replay, (COMPACTIONS,))


def _costing(state: State, loaded: Loaded) -> Needs:
    recording = loaded.current(RECORDING, state)
    if loaded.opened is None or recording is None:
        return None
    return loaded.opened.inspection, loaded.opened.resolved, recording


#: Costs of the recorded requests, the basis of costs of other runs.
COSTING: Resource[Costing] = Resource("costs", _costing, reading.read_costing, (RECORDING,))


def _kept_recording(state: State, loaded: Loaded) -> Needs:
    needs = _recording(state, loaded)
    return None if needs is None or state.kept is None else (needs[0], state.kept[0].profile)


#: The conversation under the rules of the settings that are kept as A.
KEPT_RECORDING: Resource[Recording] = Resource(
    "replay of A", _kept_recording, reading.read_for_replay, (COMPACTIONS,)
)


def _recorded_figures(state: State, loaded: Loaded) -> Needs:
    recording = loaded.current(RECORDING, state)
    if loaded.opened is None or recording is None:
        return None
    facts = loaded.current(FACTS, state)
    steps = None if facts is None else facts.steps
    return loaded.opened.inspection, recording, steps, loaded.current(COSTING, state)


RECORDED_FIGURES: Resource[RecordedFigures] = Resource(
    "recorded figures", _recorded_figures, reading.measure_recording, (RECORDING,)
)


def _runs(state: State, loaded: Loaded) -> Needs:
    recording, facts = loaded.current(RECORDING, state), loaded.current(FACTS, state)
    if recording is None:
        return None
    kept = None if state.kept is None else loaded.current(KEPT_RECORDING, state)
    steps = None if facts is None else facts.steps
    return recording, state.tuning, kept, state.kept, steps, loaded.current(COSTING, state)


RUNS: Resource[Runs] = Resource(
    "what-if", _runs, reading.run_conversation, (RECORDING, KEPT_RECORDING), _RUN_AFTER
)


def _caching(state: State, loaded: Loaded) -> Needs:
    opened, shown = loaded.opened, list_on_screen(state, loaded)
    if opened is None or shown is None or state.playing:
        return None
    return (
        opened.inspection,
        opened.resolved,
        *shown,
        opened.prompt_of(state.generation),
        state.settings.profile,
        state.layout,
        state.ttl,
        loaded.current(TOKEN_INDEX, state),
    )


def _requests(state: State, loaded: Loaded) -> Needs:
    opened, compactions = loaded.opened, loaded.current(COMPACTIONS, state)
    return None if opened is None or compactions is None else (opened.inspection, opened.resolved)


REQUESTS: Resource[RequestsRead] = Resource("requests", _requests, reading.read_requests, (COMPACTIONS,))
CACHING: Resource[Caching] = Resource("cache", _caching, reading.find_breakpoints)


def _hits(state: State, loaded: Loaded) -> Needs:
    opened, shown = loaded.opened, list_on_screen(state, loaded)
    return (
        None
        if opened is None or shown is None or not state.find
        else (opened.inspection.store, *shown, state.find)
    )


#: The messages of the list on screen that contain what is looked for.
HITS: Resource[tuple[int, ...]] = Resource("search", _hits, reading.find_text)


def _sources(state: State, loaded: Loaded) -> Needs:
    opened, shown = loaded.opened, list_on_screen(state, loaded)
    if opened is None or shown is None or state.playing:
        return None
    return opened.inspection.store, *shown, opened.prompt_of(state.generation)


#: The tokens of the list on screen by source.
SOURCES: Resource[tuple[SourceShare, ...]] = Resource("sources", _sources, reading.read_sources)


def _upcoming(state: State, loaded: Loaded) -> Needs:
    opened, compactions = loaded.opened, loaded.current(COMPACTIONS, state)
    if opened is None or compactions is None or state.moment is not None:
        return None
    facts = loaded.current(FACTS, state)
    if state.generation != len(opened.generations) or (compactions and facts is None):
        return None
    return opened.inspection, opened.resolved, state.settings, facts


#: The next compaction of the live list under the settings on screen.
UPCOMING: Resource[Upcoming] = Resource(
    "next compaction", _upcoming, reading.read_upcoming, (COMPACTIONS, FACTS), _REST
)


def _tool_errors(state: State, loaded: Loaded) -> Needs:
    opened, shown = loaded.opened, list_on_screen(state, loaded)
    return None if opened is None or shown is None else (opened.inspection.store, *shown)


TOOL_ERRORS: Resource[tuple[int, ...]] = Resource("tool errors", _tool_errors, reading.find_tool_errors)
