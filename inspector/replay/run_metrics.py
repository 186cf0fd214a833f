"""The metrics of a run, computed from its compactions and the messages that it removed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from inspector.quality.facts.risk import FactSteps
from inspector.replay.course import Course
from inspector.replay.event import Event
from inspector.replay.whatif import Metrics


def metrics_of(
    course: Course,
    events: Sequence[Event],
    prompts: Sequence[int],
    removed: Sequence[Sequence[int]],
    facts: FactSteps | None,
) -> Metrics:
    """Return the metrics of a run. `prompts` has the tokens of all calls.

    `removed` has the messages that each compaction removed, in order.
    """
    total_chars, users = course.chars[-1] or 1, course.users
    chars = [_sum_of(messages, course.chars) for messages in removed]
    users_removed = [_sum_of(messages, course.users_before) for messages in removed]
    stays = sum(event.step * count for event, count in zip(events, users_removed, strict=True))
    stays += len(course.messages) * (len(users) - sum(users_removed)) - sum(users)
    calls, prompts = len(prompts), prompts or [0]
    return Metrics(
        compactions=len(events),
        calls=calls,
        peak_tokens=max(prompts),
        mean_tokens=sum(prompts) // len(prompts),
        input_tokens=sum(prompts),
        summarized_share=sum(chars) / total_chars,
        # Messages that left before the last compaction were summarized at least twice.
        resummarized_share=sum(chars[:-1]) / total_chars,
        user_steps=stays / len(users) if users else 0.0,
        cost=None if course.costs is None else course.costs.cost(events),
        **_at_risk(facts, removed),
    )


def _sum_of(messages: Sequence[int], sums: Sequence[int]) -> int:
    """Return the sum over messages in ascending order. `sums` has the sums over the first 0, 1, ... messages."""
    if not messages:
        return 0
    first, last = messages[0], messages[-1]
    # A compaction mostly removes consecutive messages.
    if last - first < len(messages):
        return sums[last + 1] - sums[first]
    return sum(sums[message + 1] - sums[message] for message in messages)


def _at_risk(facts: FactSteps | None, removed: Sequence[Sequence[int]]) -> dict[str, int]:
    """Return the metrics of facts if these messages were summarized; empty if the facts are unknown."""
    if facts is None:
        return {}
    counts = facts.gone(frozenset(chain.from_iterable(removed)))
    return {"facts": len(facts), "facts_at_risk": counts.facts, "constraints_at_risk": counts.constraints}
