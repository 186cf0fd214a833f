"""What was recorded, in the steps of the logical transcript; and what a what-if needs of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from inspector.answers.inspection import Inspection, watched
from inspector.core.conversations import Compaction
from inspector.core.errors import EngineError
from inspector.engines.base import Plan, Settings
from inspector.engines.hermes.columns import MessageColumns
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.live import token_index_until
from inspector.engines.hermes.message_stats import ListStats, Numbers
from inspector.engines.hermes.stats_reader import read_stats
from inspector.engines.hermes.token_index import HermesTokenIndex
from inspector.engines.registry import engine
from inspector.quality.facts.risk import FactSteps
from inspector.replay.moments import Moment, Moments
from inspector.replay.transcript import Transcript, transcript
from inspector.replay.whatif import Course, Event, Metrics, SummaryModel, at_risk


@dataclass(frozen=True, slots=True)
class Recording:
    """A conversation as it was recorded: its transcript, its compactions as events, the tokens after each step, and
    the course that a what-if runs. `model` has the summaries' recorded sizes and their median share of the budget.

    `lists` are the lists of the generations, ready to be planned up to any message, `systems` the tokens of their
    system prompts, `moments` what one steps through.
    """

    transcript: Transcript
    events: tuple[Event, ...]
    tokens: tuple[int, ...]
    course: Course
    model: SummaryModel
    moments: Moments
    lists: tuple[MessageColumns, ...]
    systems: tuple[int, ...]

    def plan(self, at: Moment, settings: Settings, token_index: HermesTokenIndex | None = None) -> Plan:
        """What a compaction at a moment would do, the compactions before it counted."""
        engine, number = self.course.engine, at.generation
        if token_index is None:
            token_index = token_index_until(self.lists[number - 1], at.length)
        return engine.plan(token_index, settings, number - 1, self.systems[number - 1])


def rules_for(profile: str) -> str:
    """The profile under whose rules a conversation is read for replay: the documented ones where an engine has none
    that could run it."""
    return profile if isinstance(engine(profile), HermesEngine) else "documented"


def record(inspection: Inspection, profile: str, watch: Callable[[int], None] | None = None) -> Recording:
    """Read a conversation for replay under the rules of a profile. Raises EngineError for an engine without them.

    `watch` is told now and then how many messages of all lists were read; an InspectorError that it raises ends the
    reading.
    """
    found = engine(profile)
    if not isinstance(found, HermesEngine):
        raise EngineError(f"The engine {profile} plans single lists; it cannot run a whole conversation.")
    compactions = inspection.compactions()
    told = transcript(inspection.conversation, compactions)
    by_list: dict[int, ListStats] = {}
    lists: list[MessageColumns] = []
    done = 0
    for generation in inspection.conversation.generations:
        messages = watched(inspection.store.iterate(generation), watch, done)
        stats, troubles = read_stats(messages, found.policies)
        done += len(generation)
        by_list[generation.number] = stats
        lists.append(MessageColumns(stats, found.policies, troubles))
    said = ListStats()
    for number, places in groupby(told.places, key=lambda place: place.generation):
        stretch = [place.index for place in places]
        said.extend(by_list[number], stretch[0], stretch[-1] + 1)
    systems = tuple(inspection.system_tokens(g.session) for g in inspection.conversation.generations)
    grown = [columns.growth() for columns in lists]
    tokens = [grown[p.generation - 1][p.index + 1] + systems[p.generation - 1] for p in told.places]
    events = tuple(_event(c, told.ends[c.index - 1]) for c in compactions if c.index <= len(told.ends))
    sizes = tuple(_summary_size(c, by_list.get(c.index + 1)) for c in compactions)
    ratio = _ratio(compactions, lists, Settings(profile=profile), found)
    return Recording(
        told,
        events,
        tuple(tokens),
        Course(found, said, systems[0]),
        SummaryModel(ratio, recorded=sizes),
        Moments(told, compactions, [len(columns) for columns in lists]),
        tuple(lists),
        systems,
    )


def recorded_metrics(
    recording: Recording, compactions: Sequence[Compaction], facts: FactSteps | None = None
) -> Metrics:
    """What the recorded compactions cost and did, measured as a what-if is; with its facts where they are known."""
    course, told = recording.course, recording.transcript
    after = {event.step: event.tokens_after for event in recording.events}
    prompts = [after.get(step, recording.tokens[step - 1]) for step in course.calls] or [0]
    left = _left(told, compactions)
    sizes, count = course.sizes, len(recording.events)
    said = course.chars[-1] or 1
    stays = [
        (recording.events[left[index]].step if index in left else len(told)) - index for index in course.users
    ]
    return Metrics(
        compactions=count,
        calls=len(prompts),
        peak_tokens=max(prompts),
        mean_tokens=sum(prompts) // len(prompts),
        input_tokens=sum(prompts),
        summarized_share=sum(sizes[index] for index in left) / said,
        resummarized_share=sum(sizes[i] for i, at in left.items() if count - at >= 2) / said,
        user_steps=sum(stays) / len(stays) if stays else 0.0,
        **at_risk(facts, left),
    )


def _left(told: Transcript, compactions: Sequence[Compaction]) -> dict[int, int]:
    """Which recorded compaction (counted from 0) each message of the transcript left the list with."""
    said: dict[int, dict[int, int]] = {}
    for index, place in enumerate(told.places):
        said.setdefault(place.generation, {})[place.index] = index
    left: dict[int, int] = {}
    here = dict(said.get(1, {}))
    for number, recorded in enumerate(compactions[: len(told.ends)]):
        for index in range(recorded.head_end, recorded.tail_start):
            if index in here:
                left[here[index]] = number
        copies = {
            index: here[index]
            for index in range(min(recorded.head_end, recorded.head_after))
            if index in here
        }
        for offset in range(recorded.before - recorded.tail_start):
            if recorded.tail_start + offset in here and recorded.tail_after + offset < recorded.after:
                copies[recorded.tail_after + offset] = here[recorded.tail_start + offset]
        here = copies | said.get(recorded.index + 1, {})
    return left


def _event(recorded: Compaction, step: int) -> Event:
    return Event(
        step=step,
        fires="agent",
        before=recorded.before,
        after=recorded.after,
        head_end=recorded.head_end,
        tail_start=recorded.tail_start,
        tokens_before=recorded.tokens_before,
        tokens_after=recorded.tokens_after,
        fallback=recorded.fallback,
    )


def _summary_size(recorded: Compaction, after: ListStats | None) -> Numbers | None:
    """The summary message as it was written; for a merged one only what the summary added is known."""
    if after is None or recorded.summary_at is None or recorded.summary_at >= len(after):
        return None
    if recorded.merged:
        chars = len(recorded.summary or "") + 1_800
        return Numbers(chars // 4, chars, 0)
    return after.now.of(recorded.summary_at)


def _ratio(
    compactions: tuple[Compaction, ...],
    lists: Sequence[MessageColumns],
    settings: Settings,
    found: HermesEngine,
) -> float:
    """The median size of the recorded summaries as a share of their budget; 1 where there are none."""
    numbers = found.budgets(settings)
    shares = []
    for recorded in compactions:
        if recorded.summary is None or recorded.fallback:
            continue
        columns = lists[recorded.index - 1]
        cut = found.cut(token_index_until(columns, len(columns)), settings, numbers, recorded.index - 1)
        if not cut.reason and cut.summary_budget:
            shares.append(len(recorded.summary) / 4 / cut.summary_budget)
    shares.sort()
    return shares[len(shares) // 2] if shares else 1.0
