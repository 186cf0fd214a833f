"""The metrics of a run, computed from its compactions and the messages that it removed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice

from inspector.quality.facts.risk import FactSteps
from inspector.replay.course import Course
from inspector.replay.event import Event
from inspector.replay.whatif import Metrics


def metrics_of(
    course: Course,
    events: Sequence[Event],
    prompts: Sequence[int],
    removed_by: Mapping[int, int],
    facts: FactSteps | None,
) -> Metrics:
    """Return the metrics of a run. `prompts` has the tokens of all calls.

    `removed_by` maps each removed message to the compaction that removed it, in the order of compactions.
    """
    total_chars, sizes = course.chars[-1] or 1, course.sizes
    # Messages that left before the last compaction were summarized at least twice.
    early = bisect_left(list(removed_by.values()), len(events) - 1)
    steps, end = [event.step for event in events], len(course.messages)
    stays = sum(steps[removed_by[index]] if index in removed_by else end for index in course.users)
    stays -= sum(course.users)
    calls, prompts = len(prompts), prompts or [0]
    return Metrics(
        compactions=len(events),
        calls=calls,
        peak_tokens=max(prompts),
        mean_tokens=sum(prompts) // len(prompts),
        input_tokens=sum(prompts),
        summarized_share=sum(map(sizes.__getitem__, removed_by)) / total_chars,
        resummarized_share=sum(map(sizes.__getitem__, islice(removed_by, early))) / total_chars,
        user_steps=stays / len(course.users) if course.users else 0.0,
        cost=None if course.costs is None else course.costs.cost(events),
        **_at_risk(facts, removed_by),
    )


def _at_risk(facts: FactSteps | None, removed: Mapping[int, int]) -> dict[str, int]:
    """Return the metrics of facts if these messages were summarized; empty if the facts are unknown."""
    if facts is None:
        return {}
    counts = facts.gone(removed)
    return {"facts": len(facts), "facts_at_risk": counts.facts, "constraints_at_risk": counts.constraints}
