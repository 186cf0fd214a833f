"""What was recorded, in the steps of the logical transcript; and what a what-if needs of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from inspector.core.conversations import Compaction, Conversation, Microcompaction
from inspector.core.rough import text_tokens
from inspector.engines.base import Plan, Settings, TokenIndex
from inspector.engines.failures import failures_named
from inspector.engines.replayable import ReadList, Replayable
from inspector.engines.sizes import MessageSize
from inspector.quality.facts.risk import FactSteps
from inspector.replay.clearing import Freed, before_clearing, results_cleared
from inspector.replay.context_scale import Reported, context_scale
from inspector.replay.event import Event
from inspector.replay.moments import Moment, Moments
from inspector.replay.pricing import CostBasis
from inspector.replay.transcript import Transcript, transcript
from inspector.replay.whatif import Course, Metrics, SummaryModel, at_risk


@dataclass(frozen=True, slots=True)
class Recording:
    """A conversation as it was recorded: its transcript, its compactions as events, the tokens after each step, and
    the course that a what-if runs. Sizes are those that the agent reports, where it does (`course.scale`); those of
    events are rough. `model` has the summaries' recorded sizes and their median share of the budget.

    `lists` are the lists of the generations, ready to be planned up to any message, `systems` the tokens of their
    system prompts, `moments` what one steps through.
    """

    transcript: Transcript
    events: tuple[Event, ...]
    tokens: tuple[int, ...]
    course: Course
    model: SummaryModel
    moments: Moments
    lists: tuple[ReadList, ...]
    systems: tuple[int, ...]

    def with_costs(self, costs: CostBasis | None) -> Recording:
        """The same with what is known of its costs."""
        return replace(self, course=self.course.with_costs(costs))

    def told(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Events, of this or of a run, with sizes as the agent would report them."""
        scale = self.course.scale.reported
        return tuple(
            event._replace(
                tokens_before=scale(event.tokens_before - event.cleared),
                tokens_after=scale(event.tokens_after),
            )
            for event in events
        )

    def token_index(self, at: Moment) -> TokenIndex:
        """What the engine keeps of the list that was live at a moment."""
        return self.lists[at.generation - 1].token_index(at.length)

    def plan(self, at: Moment, settings: Settings, token_index: TokenIndex | None = None) -> Plan:
        """What a compaction at a moment would do, the compactions before it counted. Raises EngineError where the
        engine fails."""
        engine, before = self.course.rules.engine, at.generation - 1
        if token_index is None:
            token_index = self.token_index(at)
        with failures_named(engine):
            return engine.plan(token_index, settings, before, self.systems[before])


def recording_of(
    conversation: Conversation,
    compactions: Sequence[Compaction],
    rules: Replayable[Any],
    lists: Sequence[ReadList],
    systems: Sequence[int],
    reported: Sequence[Reported] = (),
    microcompactions: Sequence[Microcompaction] = (),
    clears: bool = False,
) -> Recording:
    """A conversation made ready for replay under an engine's rules. `lists` are its generations as they were read by
    these rules, `systems` the tokens of their system prompts; `reported` are the requests by which sizes are modelled,
    none where the store keeps none; `microcompactions` cleared old results, which a run repeats where the engine
    `clears` as the agent did. Raises EngineError where the engine fails."""
    told = transcript(conversation, compactions)
    stretches = []
    for number, places in groupby(told.places, key=lambda place: place.generation):
        indexes = [place.index for place in places]
        stretches.append((lists[number - 1], indexes[0], indexes[-1] + 1))
    grown = [listed.growth() for listed in lists]
    scale = context_scale(before_clearing(reported, microcompactions))
    cleared = results_cleared(told, lists, microcompactions, reported, scale)
    firsts = [0, *told.ends]
    freed = [Freed(cleared, first) for first in firsts]
    tokens = [
        scale.reported(
            grown[p.generation - 1][p.index + 1]
            + systems[p.generation - 1]
            - freed[p.generation - 1].at(step) // 4
        )
        for step, p in enumerate(told.places, start=1)
    ]
    events = tuple(
        _event(c, told.ends[c.index - 1], freed[c.index - 1])
        for c in compactions
        if c.index <= len(told.ends)
    )
    sizes = tuple(_summary_size(c, lists[c.index] if c.index < len(lists) else None) for c in compactions)
    return Recording(
        told,
        events,
        tuple(tokens),
        Course(rules, rules.join(stretches), systems[0], scale, cleared if clears else ()),
        SummaryModel(_ratio(compactions, lists, rules), recorded=sizes),
        Moments(told, compactions, [len(listed) for listed in lists]),
        tuple(lists),
        tuple(systems),
    )


def recorded_metrics(
    recording: Recording, compactions: Sequence[Compaction], facts: FactSteps | None = None
) -> Metrics:
    """What the recorded compactions cost and did, measured as a what-if is; with its facts where they are known."""
    course, told = recording.course, recording.transcript
    after = {event.step: course.scale.reported(event.tokens_after) for event in recording.events}
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
        cost=None if course.costs is None else course.costs.cost(recording.events),
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
        kept = dict(recorded.kept)
        for index in range(recorded.head_end, recorded.tail_start):
            if index in here and index not in kept:
                left[here[index]] = number
        copies = {
            index: here[index]
            for index in range(min(recorded.head_end, recorded.head_after))
            if index in here
        } | {after: here[index] for index, after in kept.items() if index in here}
        for offset in range(recorded.before - recorded.tail_start):
            if recorded.tail_start + offset in here and recorded.tail_after + offset < recorded.after:
                copies[recorded.tail_after + offset] = here[recorded.tail_start + offset]
        here = copies | said.get(recorded.index + 1, {})
    return left


def _event(recorded: Compaction, step: int, freed: Freed) -> Event:
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
        summary=0 if recorded.fallback else text_tokens(len(recorded.summary or "")),
        cleared=freed.at(step) // 4,
    )


def _summary_size(recorded: Compaction, after: ReadList | None) -> MessageSize | None:
    """The summary message as it was written; for a merged one only what the summary added is known, of an encrypted one
    nothing."""
    if (
        recorded.encrypted
        or after is None
        or recorded.summary_at is None
        or recorded.summary_at >= len(after)
    ):
        return None
    if recorded.merged:
        chars = len(recorded.summary or "") + 1_800
        return MessageSize(chars // 4, chars, 0)
    return after.size(recorded.summary_at)


def _ratio(compactions: Sequence[Compaction], lists: Sequence[ReadList], rules: Replayable[Any]) -> float:
    """The median size of the recorded summaries as a share of their budget; 1 where there are none."""
    engine = rules.engine
    settings = Settings(profile=engine.name)
    shares = []
    for recorded in compactions:
        if recorded.summary is None or recorded.fallback:
            continue
        listed = lists[recorded.index - 1]
        with failures_named(engine):
            plan = engine.plan(listed.token_index(len(listed)), settings, recorded.index - 1)
        if plan.compacts and plan.summary_budget:
            shares.append(len(recorded.summary) / 4 / plan.summary_budget)
    shares.sort()
    return shares[len(shares) // 2] if shares else 1.0
