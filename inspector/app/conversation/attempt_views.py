"""Attempts as the panes show them. Pure functions over values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.app.conversation.fact_scopes import worst_first
from inspector.core.shares import dollars
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from widgets.base import human
from widgets.panes.attempt_lines import AttemptsView, AttemptView, FactFates, LifeView

if TYPE_CHECKING:
    from inspector.answers.attempt_life import CurvePoint
    from inspector.answers.attempt_survival import SummaryOutcome
    from inspector.core.conversations import Compaction
    from inspector.models.attempt import Attempt


class AttemptsRead(Struct, frozen=True, eq=False):
    """Facts that the attempts of a compaction keep, and its recorded summary.

    `empty` are attempts without a summary. `lives` are the curves of their lives, each with its first attempt.
    """

    compaction: int
    outcomes: tuple[SummaryOutcome, ...] = ()
    empty: tuple[Attempt, ...] = ()
    lives: tuple[tuple[Attempt, tuple[CurvePoint, ...]], ...] = ()


def attempts_view(read: AttemptsRead | None, recorded: Compaction | None) -> AttemptsView:
    """The attempts of the chosen compaction; pending while they are being judged."""
    if read is None:
        return AttemptsView(pending=True)
    if not any(outcome.attempt is not None for outcome in read.outcomes) and not read.empty:
        return AttemptsView()
    text = "" if recorded is None else recorded.summary or ""
    summaries = [_summary(outcome, text) for outcome in read.outcomes]
    summaries += [_empty(attempt) for attempt in read.empty]
    facts = _facts([outcome for outcome in read.outcomes if _at_record(outcome)])
    return AttemptsView(tuple(summaries), facts, lives=tuple(_life(*life) for life in read.lives))


def _life(first: Attempt, points: Sequence[CurvePoint]) -> LifeView:
    curve = tuple((point.compaction, point.of, point.recorded, point.made) for point in points)
    return LifeView(first.life or first.id, first.name, curve)


def _at_record(outcome: SummaryOutcome) -> bool:
    return outcome.attempt is None or outcome.attempt.place.step is None


def _summary(outcome: SummaryOutcome, recorded: str) -> AttemptView:
    kinds = outcome.survival()
    attempt = outcome.attempt
    if attempt is None:
        return AttemptView(0, "recorded", kinds, outcome.tokens, text=recorded)
    made = [human.clock(attempt.at), f"prompt {attempt.prompt_name}", f"in {human.duration(attempt.seconds)}"]
    if attempt.place.step is not None:
        made.insert(0, f"planned at step {attempt.place.step:,}")
    if attempt.life is not None:
        made.append(f"life {attempt.life}")
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
        attempt.summary,
    )


def _empty(attempt: Attempt) -> AttemptView:
    problem = attempt.problem or "It is being made, or what made it was ended."
    return AttemptView(attempt.id, attempt.name, problem=problem, made=human.clock(attempt.at))


def _facts(outcomes: Sequence[SummaryOutcome]) -> tuple[FactFates, ...]:
    if not outcomes:
        return ()
    fates = [{life.fact.key: life.outcome for life in outcome.lives} for outcome in outcomes]
    return tuple(
        FactFates(life, tuple(by_key.get(life.fact.key) for by_key in fates))
        for life in worst_first(outcomes[0].lives)
    )
