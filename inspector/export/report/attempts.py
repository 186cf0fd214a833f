"""Facts that the attempts of a compaction keep, and its recorded summary, for a report."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.attempt_survival import outcomes_of
from inspector.answers.inspection import Compared, Inspection
from inspector.answers.message_facts import Watch
from inspector.engines.base import Settings
from inspector.export.report.limits import ATTEMPTS
from inspector.export.report.values import AttemptLine, AttemptsPart
from inspector.models.attempt import Attempt
from inspector.quality.facts.fact import ConversationFacts


def attempts_part(
    inspection: Inspection,
    settings: Settings,
    compared: Compared,
    attempts: Sequence[Attempt],
    facts: ConversationFacts,
    watch: Watch | None = None,
) -> AttemptsPart:
    """The recorded summary and the newest attempts of this compaction, oldest first.

    Attempts at planned boundaries took other messages, so they are only counted.
    """
    recorded = compared.recorded
    mine = [one for one in attempts if one.place.compaction == recorded.index]
    shown = [one for one in mine if one.place.step is None][-ATTEMPTS:]
    if not shown:
        return AttemptsPart()
    outcomes = outcomes_of(inspection, settings, recorded.index, shown, facts, watch)
    kept = {0 if one.attempt is None else one.attempt.id: one.survival() for one in outcomes}
    size = next(one.tokens for one in outcomes if one.attempt is None)
    unread = recorded.summary is None or recorded.encrypted
    planned = compared.planned
    budget = planned.summary_budget if planned.compacts else None
    first = AttemptLine(0, "", None if unread else size, budget, kept[0])
    lines = [
        AttemptLine(
            one.id,
            one.name,
            one.tokens if one.summary else None,
            one.budget,
            kept.get(one.id, ()),
            one.cost,
            one.problem,
        )
        for one in shown
    ]
    return AttemptsPart((first, *lines), len(mine) - len(shown))
