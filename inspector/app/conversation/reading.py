"""Functions that the conversation screen runs in threads: values in, a value out.

They know no widget and no screen. They report their progress to the last argument, which can also cancel them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.inspection import Inspection, watched
from inspector.app.conversation.rows import MessageLine, is_tool_error, lines_of
from inspector.app.conversation.state import Opened
from inspector.core.conversations import Compaction, Generation
from inspector.core.errors import BadInput
from inspector.core.memory import give_back
from inspector.core.messages import Message
from inspector.core.watching import Watch
from inspector.engines.base import Settings, TokenIndex
from inspector.stores.base import Store
from widgets.panes.knob_values import LARGEST_SHARE

if TYPE_CHECKING:
    from inspector.answers.costing import AlternativeCosts, Costing
    from inspector.answers.fact_reading import FactsReading
    from inspector.answers.upcoming import Upcoming
    from inspector.app.conversation.as_of import FactsAsOf, FindingsAsOf, LineageAsOf
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.app.conversation.fact_scopes import LivesByMessage
    from inspector.config.settings import ResolvedSettings
    from inspector.quality.aftermath import AftermathEvent
    from inspector.quality.facts.fact import Life
    from inspector.quality.facts.risk import FactSteps
    from inspector.quality.finding import Finding
    from inspector.quality.losses import LostFacts
    from inspector.quality.measures import Survival
    from inspector.quality.sources import SourceShare
    from inspector.replay.recording import Recording
    from inspector.replay.reproducing import Reproduction
    from inspector.replay.summary_model import SummaryModel
    from inspector.replay.whatif import Metrics, WhatIf
    from widgets.panes.losses_view import FactScope

#: Messages that are read along with the index, so that the first frame has its texts.
_SCREENFUL = 80
#: Number of messages in a batch of exact counts.
_BATCH = 40
#: Minimum seconds between partial results of counting. Each partial result redraws the list.
_SHOWN_SECONDS = 0.25


class Opening(Struct, frozen=True, eq=False):
    """An opened conversation, and the last lines of its live list by index. An unchanged one has no lines."""

    opened: Opened
    lines: Mapping[int, MessageLine]


def open_conversation(
    store: Store,
    name: str,
    before: Inspection | None,
    flags: Mapping[str, Any],
    config: Path | None,
    watch: Watch | None = None,
) -> Opening:
    """Open a conversation. `before` is its last opening, whose unchanged parts are kept.

    Raises UnknownConversation, StoreErrors, ConfigErrors.
    """
    from inspector.answers.live_sizes import live_size, reported_sizes
    from inspector.answers.shown_settings import settings_of

    inspection = Inspection.open(store, name, config=config) if before is None else before.reopened()
    sessions = {generation.session for generation in inspection.conversation.generations}
    prompts = {session: inspection.system_prompt(session) for session in sessions}
    resolved = settings_of(inspection, flags)
    live = inspection.conversation.live
    start = max(0, len(live) - _SCREENFUL)
    end = () if inspection is before else store.messages(live, start)
    requests = inspection.requests()
    first_sent = {call.generation: call.context for call in reversed(requests) if not call.unsized}
    sizes, size = reported_sizes(requests, live.number), live_size(store, inspection.conversation, requests)
    if size is not None:
        sizes[live.number] = size.tokens
    opened = Opened(inspection, prompts, resolved, sizes, first_sent, 0 if size is None else size.later)
    return Opening(opened, lines_of(end, start))


def read_lines(store: Store, generation: Generation, wanted: range, watch: Watch) -> dict[int, MessageLine]:
    """The lines of some messages of a generation. Raises StoreErrors."""
    return lines_of(store.messages(generation, wanted.start, wanted.stop), wanted.start)


def read_token_index(
    inspection: Inspection, generation: Generation, profile: str, watch: Watch
) -> TokenIndex:
    """A generation, read once for planning. Raises StoreErrors, EngineErrors."""
    give_back()
    return inspection.token_index(generation, profile, watch.counting("reading", len(generation)))


#: Exact tokens of some messages of a generation by index (-1: the system prompt), and their encoding.
CountedTokens = tuple[Mapping[int, int], str]


def count_tokens(
    inspection: Inspection,
    generation: Generation,
    first: tuple[range, ...],
    known: frozenset[int],
    watch: Watch,
) -> CountedTokens:
    """Count tokens exactly, first in the messages of `first`, and leave out `known` messages.

    Passes partial results to `watch.some` and returns the last result. Raises NoVocabulary and StoreErrors.
    """
    from inspector.app.conversation.counting import counts

    gathered: dict[int, int] = {}
    done, shown_at, encoding = len(known), 0.0, ""
    for fresh, encoding in counts(inspection, generation, first, _BATCH, known):
        done += len(fresh)
        watch("counting", min(done, len(generation)), len(generation))
        gathered.update(fresh)
        now = time.monotonic()
        if now - shown_at >= _SHOWN_SECONDS:
            watch.some((gathered, encoding))
            gathered, shown_at = {}, now
    return gathered, encoding


class FactsRead(Struct, frozen=True, eq=False):
    """The facts of a conversation.

    `ended` has, by compaction, the facts of earlier compactions that it removed. `losses` has, by compaction, the facts
    that count as losses, without those that count only because the user said them again: until the aftermath is known.
    `lost` has, by generation, the messages with lost facts. `steps` are for what-ifs, `as_of` for replays. `foreign`:
    the user mostly writes in a language whose rules are not recognized.
    """

    reading: FactsReading
    ended: Mapping[int, Sequence[Life]]
    losses: Mapping[int, LostFacts]
    scopes: tuple[FactScope, ...]
    survival: Survival
    lost: Mapping[int, frozenset[int]]
    steps: FactSteps
    as_of: FactsAsOf
    by_message: LivesByMessage
    foreign: bool = False


def find_facts(inspection: Inspection, settings: Settings, decided: int, watch: Watch) -> FactsReading:
    """Every fact with its fates. A new value of `decided` reads the fates by models again.

    Raises StoreErrors, EngineErrors, OutputProblem.
    """
    from inspector.answers.fact_reading import pruned_by, read_facts
    from inspector.config.cache import default_cache

    return read_facts(
        inspection,
        default_cache(),
        lambda what, done, total: watch(f"facts: {what}", done, total),
        pruned_by(inspection, settings),
        all_facts=True,
    )


def facts_read(
    inspection: Inspection, every: FactsReading, dismissed: frozenset[str], watch: Watch
) -> FactsRead:
    """The facts as the screen shows them, separated from the dismissed facts. Raises StoreErrors."""
    from inspector.answers.needed_facts import is_foreign
    from inspector.answers.store_losses import lost_facts
    from inspector.app.conversation.as_of import FactsAsOf
    from inspector.app.conversation.fact_scopes import LivesByMessage, lost_rows, scopes
    from inspector.quality.facts.risk import FactSteps
    from inspector.quality.measures import survival

    reading = every.without(dismissed)
    ended, losses = reading.facts.ended(), lost_facts(reading.facts)
    return FactsRead(
        reading, ended, losses, scopes(reading, ended, losses), survival(reading.facts, inspection.compactions()),
        lost_rows(reading), FactSteps(reading.facts.facts), FactsAsOf(reading, ended), LivesByMessage(reading),
        is_foreign({life.fact.key: life for life in reading.facts.lives}.values()),
    )  # fmt: skip


def find_judged(
    inspection: Inspection, facts: FactsRead, changes: int, watch: Watch
) -> Mapping[int, tuple[FactScope, ...]]:
    """Return the facts that models of the user found, by compaction.

    `changes` counts the changes of the stored answers: a new value makes the screen compute the facts again. Raises
    StoreErrors and OutputProblem.
    """
    from inspector.answers.judging import kept_judgements
    from inspector.app.conversation.judged_scopes import judged_scopes
    from inspector.models.kept import default_attempts

    known_facts = facts.reading.facts
    return judged_scopes(kept_judgements(inspection, default_attempts(), known_facts), known_facts)


def judge_attempts(
    inspection: Inspection, settings: Settings, compaction: int, facts: FactsRead, changes: int, watch: Watch
) -> AttemptsRead:
    """Judge the attempts of a compaction.

    `changes` counts the changes of the attempts: a new value makes the screen judge them again. Raises StoreErrors,
    EngineErrors and OutputProblem.
    """
    from inspector.answers.attempt_life import life_curve, life_of
    from inspector.answers.attempt_survival import outcomes_of
    from inspector.answers.attempting import attempts_of
    from inspector.app.conversation.attempt_views import AttemptsRead
    from inspector.models.kept import default_attempts

    kept = attempts_of(inspection.store, inspection.conversation.row, default_attempts())
    mine = [attempt for attempt in kept if attempt.place.compaction == compaction]
    if not mine:
        return AttemptsRead(compaction)
    watch.check()
    outcomes = outcomes_of(
        inspection, settings, compaction, mine, facts.reading.facts,
        lambda what, done, total: watch(f"attempts: {what}", done, total),
    )  # fmt: skip
    lives = []
    for number in dict.fromkeys(attempt.life for attempt in mine if attempt.life is not None):
        watch.check()
        life = life_of(kept, number)
        if life:
            lives.append((life[min(life)], life_curve(inspection, settings, life)))
    empty = tuple(attempt for attempt in mine if not attempt.summary)
    return AttemptsRead(compaction, outcomes, empty, tuple(lives))


def find_findings(
    inspection: Inspection, resolved: ResolvedSettings, facts: FactsRead | None, dismissed: frozenset[str],
    watch: Watch,
) -> tuple[Finding, ...]:  # fmt: skip
    """The findings under the settings that the conversation was opened with. Raises StoreErrors, EngineErrors."""
    from inspector.answers.findings import read_findings

    return read_findings(inspection, resolved, None if facts is None else facts.reading.facts, dismissed)


def findings_as_of(every: tuple[Finding, ...], dismissed: frozenset[str], watch: Watch) -> FindingsAsOf:
    """The findings by time, separated from the dismissed findings."""
    from inspector.app.conversation.as_of import FindingsAsOf
    from inspector.quality.grouping import parted

    return FindingsAsOf(*parted(every, dismissed))


class AftermathRead(Struct, frozen=True, eq=False):
    """The repeated work after each compaction, each file once, and `losses` and `scopes` of FactsRead with what it says
    about them."""

    events: Mapping[int, tuple[AftermathEvent, ...]]
    losses: Mapping[int, LostFacts]
    scopes: tuple[FactScope, ...]


def find_aftermath(inspection: Inspection, facts: FactsRead, decided: int, watch: Watch) -> AftermathRead:
    """Return the repeated work after each compaction, the gravest kind first.

    A new value of `decided` reads the answers of models again. Raises StoreErrors.
    """
    from inspector.answers.losses import read_aftermath, with_broken_rules
    from inspector.answers.store_losses import lost_facts
    from inspector.app.conversation.fact_scopes import scopes
    from inspector.quality.aftermath import done_again

    found = facts.reading.facts
    events = read_aftermath(inspection, found)
    by_compaction: dict[int, list[AftermathEvent]] = {}
    for event in events:
        by_compaction.setdefault(event.compaction, []).append(event)
    losses = lost_facts(with_broken_rules(inspection, found, events), events)
    return AftermathRead(
        {
            number: tuple(sorted(done_again(items), key=attrgetter("gravity")))
            for number, items in by_compaction.items()
        },
        losses,
        scopes(facts.reading, facts.ended, losses),
    )


def follow_items(
    inspection: Inspection, compactions: tuple[Compaction, ...], settings: Settings, watch: Watch
) -> LineageAsOf:
    """Return the lineage of all items, with the budgets of the summaries.

    Passes the lineage without budgets to `watch.some` first, because budgets take longer. Raises StoreErrors and
    EngineErrors.
    """
    from inspector.answers.summaries import budgets_by_compaction, lineage_of
    from inspector.app.conversation.as_of import LineageAsOf

    lineage = lineage_of(compactions)
    watch.some(LineageAsOf(compactions, lineage, {}))
    followed = LineageAsOf(compactions, lineage, budgets_by_compaction(inspection, compactions, settings))
    # Compute the lineage of every step now, so that a step of a replay is fast.
    for count in range(len(compactions)):
        watch.check()
        followed.until(count)
    return followed


def read_for_replay(inspection: Inspection, profile: str, watch: Watch) -> Recording:
    """The whole conversation under the rules of a profile. Raises StoreErrors, EngineErrors."""
    from inspector.answers.recordings import shared_recording

    total = sum(len(generation) for generation in inspection.conversation.generations)
    return shared_recording(inspection, profile, watch.counting("reading", total))


def read_costing(
    inspection: Inspection, resolved: ResolvedSettings, recording: Recording, watch: Watch
) -> Costing:
    """Read the basis of costs, or the reason why the user's prices cannot be used. Raises StoreErrors, EngineErrors."""
    from inspector.answers.costing import Costing, costing_of

    try:
        return costing_of(inspection, resolved, recording)
    except BadInput as error:
        return Costing(None, why=str(error))


class RecordedFigures(Struct, frozen=True, eq=False):
    """The figures of the recorded compactions, and how well the settings in force reproduce them."""

    metrics: Metrics
    alternative_costs: AlternativeCosts = ()
    reproduces: Reproduction | None = None


def measure_recording(
    inspection: Inspection,
    recording: Recording,
    facts: FactSteps | None,
    costing: Costing | None,
    watch: Watch,
) -> RecordedFigures:
    """The figures of the compactions as they were recorded."""
    from inspector.answers.replaying import reproduced
    from inspector.replay.recording import recorded_metrics

    recording = recording.with_costs(None if costing is None else costing.basis)
    metrics = recorded_metrics(recording, inspection.compactions(), facts)
    alternatives = () if costing is None else costing.alternative_costs(recording.events)
    return RecordedFigures(metrics, alternatives, reproduced(inspection))


class Runs(Struct, frozen=True, eq=False):
    """The what-if under the settings on screen (`run`), and under the settings that the user kept as A (`kept`).

    `half_and_double` has the what-ifs under the settings on screen with summaries of half and twice the size.
    """

    run: WhatIf
    kept: WhatIf | None
    alternative_costs: AlternativeCosts = ()
    kept_alternative_costs: AlternativeCosts = ()
    half_and_double: tuple[WhatIf, ...] = ()


def summary_model(recording: Recording, size: float | None) -> SummaryModel:
    """Return the model of summaries for a value of the knob `summary_size`.

    None: as recorded. Up to LARGEST_SHARE: a share of the budget. Above: tokens.
    """
    from inspector.replay.summary_model import SummaryModel

    if size is None:
        return recording.model
    extras = recording.model.extras
    if size <= LARGEST_SHARE:
        return SummaryModel(size, extras=extras)
    return SummaryModel(tokens=round(size), extras=extras)


def run_conversation(
    recording: Recording,
    tuning: tuple[Settings, float | None],
    kept_recording: Recording | None,
    kept: tuple[Settings, float | None] | None,
    facts: FactSteps | None,
    costing: Costing | None,
    watch: Watch,
) -> Runs:
    """Run a conversation under the settings on screen, and under the settings kept as A. Raises EngineErrors.

    `tuning` and `kept` have the settings and the value of the knob `summary_size`.
    """
    from inspector.replay.run import half_and_double, run_course

    basis = None if costing is None else costing.basis

    def run_with(
        recording: Recording, settings: Settings, size: float | None
    ) -> tuple[WhatIf, AlternativeCosts]:
        course = recording.course.with_facts(facts).with_costs(basis)
        whatif = run_course(course, settings, summary_model(recording, size))
        return whatif, () if costing is None else costing.alternative_costs(whatif.events)

    run, costs = run_with(recording, *tuning)
    other_sizes = half_and_double(recording.course, tuning[0], summary_model(recording, tuning[1]))
    if kept is None or kept_recording is None:
        return Runs(run, None, costs, half_and_double=other_sizes)
    kept_run, kept_costs = run_with(kept_recording, *kept)
    return Runs(run, kept_run, costs, kept_costs, other_sizes)


def read_sources(
    inspection: Inspection, generation: Generation, length: int, prompt: str, watch: Watch
) -> tuple[SourceShare, ...]:
    """The tokens of the first `length` messages of a list by source. Raises StoreErrors."""
    from inspector.quality.sources import source_shares

    return source_shares(_read(inspection, generation, length, watch, "adding up"), prompt)


def read_upcoming(
    inspection: Inspection,
    resolved: ResolvedSettings,
    settings: Settings,
    facts: FactsRead | None,
    watch: Watch,
) -> Upcoming:
    """Return the next compaction of the live list under `settings`. Raise StoreErrors and EngineErrors."""
    from inspector.answers.upcoming import upcoming_of

    reading = find_facts(inspection, settings, 0, watch) if facts is None else facts.reading
    return upcoming_of(inspection, replace(resolved, settings=settings), reading)


def find_text(
    inspection: Inspection, generation: Generation, length: int, query: str, watch: Watch
) -> tuple[int, ...]:
    """Return the indexes of the first `length` messages that contain a text, ignoring case. Raises StoreErrors."""
    wanted = query.casefold()
    messages = enumerate(_read(inspection, generation, length, watch, "searching"))
    return tuple(index for index, message in messages if contains(message, wanted))


def find_tool_errors(
    inspection: Inspection, generation: Generation, length: int, watch: Watch
) -> tuple[int, ...]:
    """Return the indexes of tool errors among the first `length` messages. Raises StoreErrors."""
    messages = enumerate(_read(inspection, generation, length, watch, "looking for tool errors,"))
    return tuple(index for index, message in messages if message.role == "tool" and is_tool_error(message))


def _read(
    inspection: Inspection, generation: Generation, length: int, watch: Watch, what: str
) -> Iterator[Message]:
    """Yield the first `length` messages, and report the progress of `what`."""
    messages = islice(inspection.store.iterate(generation), length)
    return watched(messages, watch.counting(what, length))


def contains(message: Message, wanted: str) -> bool:
    """Return whether the text or a call of a message contains the case-folded text `wanted`, ignoring case."""
    if wanted in message.text.casefold():
        return True
    return any(
        wanted in call.arguments.casefold() or wanted in call.name.casefold() for call in message.tool_calls
    )
