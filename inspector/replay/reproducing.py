"""Reliability of what-ifs: a run under the settings in force, compared with the record."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain

from msgspec import Struct

from inspector.core.shares import plural
from inspector.replay.course import Course
from inspector.replay.event import Event
from inspector.replay.run import MANUAL
from inspector.replay.whatif import WhatIf, kept_all

#: A compaction within this many requests of the recorded one is near it.
NEAR = 3
#: Minimum share of automatic compactions near the recorded compactions for a run with trusted figures.
_TRUSTED = 0.8
_UNKNOWN = "Other settings may have been in force, or the agent has rules that are not known here."
#: Maximum number of sentences of each kind about several conversations.
_SENTENCES = 5


class Reproduction(Struct, frozen=True):
    """Comparison of a run with the record.

    `recorded` is the number of automatic compactions. The run has `same` of them at the same step, `near` of them near
    it, and `more` additional ones. `why_not` are sentences about reasons for differences. `changed` are sentences about
    settings that changed in the conversation, `inferred` about settings that are known only from the record. No run has
    the `unseen` recorded compactions, whose list before is not recorded.
    """

    recorded: int
    same: int
    near: int
    more: int
    why_not: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    unseen: int = 0

    @property
    def trusted(self) -> bool:
        """Whether the figures of other settings can be trusted."""
        most_more = max(1, int(self.recorded * (1 - _TRUSTED)))
        return bool(self.recorded and self.near >= _TRUSTED * self.recorded and self.more <= most_more)

    @property
    def matched(self) -> str:
        """The number of compactions that a run matches, in words."""
        return f"{self.near:,} of {self.recorded:,} recorded compactions within {NEAR} requests"

    @property
    def agreement(self) -> str:
        """Agreement as a sentence without a full stop."""
        if not self.recorded:
            more = f"; the settings in force would have made {self.more:,}" if self.more else ""
            return f"no automatic compaction is recorded to compare with{more}"
        more = f"; the run has {plural(self.more, 'other compaction')}" if self.more else ""
        near = f"{self.near:,} of {plural(self.recorded, 'recorded compaction')}"
        if self.near and self.near == self.same:
            return f"{near} at the same step{more}"
        exact = f" ({self.same or 'none'} at the same step)" if self.near else ""
        return f"{near} within {NEAR} requests{exact}{more}"


def total_reproduction(parts: Iterable[Reproduction]) -> Reproduction:
    """Return the agreement over several conversations. Of the sentences of each kind, the first are kept."""
    every = list(parts)
    unseen, general = sum(part.unseen for part in every), {left_out_words(part.unseen) for part in every}

    def sentences(name: str) -> tuple[str, ...]:
        distinct = dict.fromkeys(chain.from_iterable(getattr(part, name) for part in every))
        return tuple(sentence for sentence in distinct if sentence not in general)[:_SENTENCES]

    numbers = [sum(getattr(part, name) for part in every) for name in ("recorded", "same", "near", "more")]
    recorded, same, near, more = numbers
    why_not = (*((left_out_words(unseen),) if unseen else ()), *sentences("why_not"))
    return Reproduction(
        recorded, same, near, more, why_not, sentences("changed"), sentences("inferred"), unseen
    )


def reproduction(course: Course, recorded: Sequence[Event], run: WhatIf, models: int = 1) -> Reproduction:
    """Compare a run under the settings in force with the recorded compactions.

    Compactions without a recorded list before them are left out. `models` is the number of models of the conversation.
    """
    unseen = sum(not event.before for event in recorded)
    recorded = [event for event in recorded if event.before]
    automatic = [event for event in recorded if event.fires != MANUAL]
    made = [event for event in run.events if event.fires != MANUAL]

    def call(event: Event) -> int:
        return bisect_left(course.calls, event.step)

    unmatched = list(made)
    same = near = 0
    late: list[int] = []
    for event in automatic:
        nearest = min(unmatched, key=lambda other: abs(call(other) - call(event)), default=None)
        if nearest is None:
            continue
        calls = call(event) - call(nearest)
        if abs(calls) > NEAR:
            late += [calls] if calls > 0 else []
            continue
        unmatched.remove(nearest)
        near += 1
        same += nearest.step == event.step
    differs = same < len(automatic) or unmatched
    why = [left_out_words(unseen)] if unseen else []
    if differs:
        why += list(_reasons(course, recorded, automatic, run, models, late)) or [_UNKNOWN]
    firsts = [0, *(step for step, _ in course.earlier)]
    changed = tuple(
        settings.sentence(first + 1, last)
        for first, (last, settings) in zip(firsts, course.earlier, strict=False)
        if settings.changed
    )
    return Reproduction(len(automatic), same, near, len(unmatched), tuple(why), changed, unseen=unseen)


def left_out(recorded: Sequence[Event]) -> str:
    """Return a sentence about the recorded compactions that no run has; "" if there are none."""
    return left_out_words(sum(not event.before for event in recorded))


def left_out_words(unseen: int) -> str:
    """Return the sentence of `left_out` about a number of compactions."""
    are = plural(unseen, "compaction is", "compactions are")
    return (
        f"{are} left out: the list before is not recorded, and runs have no such summary." if unseen else ""
    )


def _reasons(
    course: Course,
    recorded: Sequence[Event],
    automatic: Sequence[Event],
    run: WhatIf,
    models: int,
    late: Sequence[int],
) -> Iterator[str]:
    """Yield reasons for the differences. `late` has the delays of recorded compactions, in requests."""
    periods = course.periods(run.settings)

    def threshold_at(step: int) -> int:
        """Return the threshold, or that of the last call if it is lower: the model may change at a compaction."""
        last = max(0, bisect_right(course.calls, step) - 1)
        return min(
            next(period.budgets.threshold_tokens for period in periods if at <= period.until)
            for at in (step, *course.calls[last : last + 1])
        )

    manual = len(recorded) - len(automatic)
    if manual:
        made = plural(manual, "compaction was", "compactions were")
        yield (
            f"{made} manual, after a failed request, or far below the threshold. Every run repeats such compactions at "
            "their step."
        )
    overflown = sum(event.overflow for event in automatic)
    if overflown:
        came = plural(overflown, "compaction")
        yield f"{came} came because a request did not fit into the window, at any threshold."
    # If the agent adds reasoning, its own size is not recorded.
    early = [
        event
        for event in automatic
        if event.tokens_before < 0.98 * threshold_at(event.step)
        and not course.reasoning
        and not event.overflow
    ]
    if early:
        smallest = min(early, key=lambda event: event.tokens_before)
        count = plural(len(early), "compaction")
        yield (
            f"{count} came below the threshold of {threshold_at(smallest.step):,} tokens "
            f"(the smallest at {smallest.tokens_before:,}): "
            "perhaps other settings or another model were in force, or the user compacted by hand."
        )
    if late:
        yield _late_reason(late, {threshold_at(event.step) for event in automatic})
    if len(run.events) < len(recorded) and kept_all(run):
        yield kept_all(run)
    if models > 1 and not course.earlier:
        yield f"The conversation had {models:,} models; one window is assumed for all."
    if not course.scale.requests:
        yield "Sizes are rough: the store keeps no size of any request."


def _late_reason(late: Sequence[int], reached: Set[int]) -> str:
    """Return the reason of compactions that came later than in the run, by the thresholds that its list reached."""
    count = plural(len(late), "compaction")
    least, most = min(late), max(late)
    after = f"{least:,} requests" if least == most else f"{least:,} to {most:,} requests"
    thresholds = " or ".join(f"{threshold:,}" for threshold in sorted(reached))
    return (
        f"{count} came {after} later than in the run, whose list had reached the threshold of {thresholds} tokens: "
        "perhaps other settings were in force, or the provider counted fewer tokens."
    )
