"""Attempts as the panes show them. Pure functions over values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.app.conversation.fact_scopes import worst_first
from inspector.core.shares import dollars
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from widgets.base import human
from widgets.panes.attempt_lines import AttemptsView, AttemptView, ChangedFate

if TYPE_CHECKING:
    from inspector.answers.attempt_survival import SummaryOutcome
    from inspector.core.conversations import Compaction
    from inspector.models.attempt import Attempt
    from inspector.quality.facts.fact import Life


@dataclass(frozen=True, eq=False, slots=True)
class AttemptsRead:
    """Facts that the attempts of a compaction keep, and its recorded summary.

    `empty` are attempts without a summary.
    """

    compaction: int
    outcomes: tuple[SummaryOutcome, ...] = ()
    empty: tuple[Attempt, ...] = ()


def attempts_view(read: AttemptsRead | None, recorded: Compaction | None) -> AttemptsView:
    """The attempts of the chosen compaction; pending while they are being judged."""
    if read is None:
        return AttemptsView(pending=True)
    if not any(outcome.attempt is not None for outcome in read.outcomes) and not read.empty:
        return AttemptsView()
    text = "" if recorded is None else recorded.summary or ""
    lives = next((outcome.lives for outcome in read.outcomes if outcome.attempt is None), ())
    summaries = [_summary(outcome, text, worst_first(lives)) for outcome in read.outcomes]
    return AttemptsView((*summaries, *map(_empty, read.empty)))


def _summary(outcome: SummaryOutcome, recorded: str, lives: Sequence[Life]) -> AttemptView:
    kinds = outcome.survival()
    attempt = outcome.attempt
    if attempt is None:
        return AttemptView(0, "recorded", kinds, outcome.tokens, text=recorded)
    made = [human.clock(attempt.at), f"prompt {attempt.prompt_name}", f"in {human.duration(attempt.seconds)}"]
    if attempt.place.step is not None:
        made.insert(0, f"planned at step {attempt.place.step:,}")
    return AttemptView(
        attempt.id,
        attempt.name,
        kinds,
        outcome.tokens,
        attempt.budget,
        "" if attempt.cost is None else f"${dollars(attempt.cost)}",
        " · ".join(made),
        attempt.problem,
        diff_summaries(parse_summary(recorded), parse_summary(attempt.summary)).sections,
        # An attempt at a step summarizes other messages.
        _changed(outcome, lives) if attempt.place.step is None else (),
        attempt.summary,
    )


def _changed(outcome: SummaryOutcome, lives: Sequence[Life]) -> tuple[ChangedFate, ...]:
    fates = {life.fact.key: life.outcome for life in outcome.lives}
    return tuple(
        ChangedFate(life, fates[life.fact.key])
        for life in lives
        if fates.get(life.fact.key, life.outcome) != life.outcome
    )


def _empty(attempt: Attempt) -> AttemptView:
    problem = attempt.problem or "It is being made, or what made it was ended."
    return AttemptView(attempt.id, attempt.name, problem=problem, made=human.clock(attempt.at))
