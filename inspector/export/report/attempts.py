"""Facts that the attempts of a compaction keep, and its recorded summary, for a report."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.attempt_survival import outcomes_of
from inspector.answers.inspection import Compared, Inspection
from inspector.answers.message_facts import Watch
from inspector.engines.base import Settings
from inspector.export.document import Document
from inspector.export.report.limits import ATTEMPTS
from inspector.models.attempt import Attempt
from inspector.quality.facts.fact import KINDS, ConversationFacts


def attempts_part(
    inspection: Inspection,
    settings: Settings,
    compared: Compared,
    attempts: Sequence[Attempt],
    facts: ConversationFacts,
    watch: Watch | None = None,
) -> Document:
    """The recorded summary of a compaction and its newest attempts, oldest first: `lines`, and `more` left out.

    Attempts at planned boundaries took other messages, so they are only counted. `id` is 0 for the recorded summary,
    `tokens` is None for one that cannot be read, `problem` says why there is no summary, or only a part.
    """
    recorded = compared.recorded
    mine = [one for one in attempts if one.place.compaction == recorded.index]
    shown = [one for one in mine if one.place.step is None][-ATTEMPTS:]
    if not shown:
        return {"lines": [], "more": 0, "kinds": []}
    outcomes = outcomes_of(inspection, settings, recorded.index, shown, facts, watch)
    kept = {0 if one.attempt is None else one.attempt.id: one.survival() for one in outcomes}
    size = next(one.tokens for one in outcomes if one.attempt is None)
    unread = recorded.summary is None or recorded.encrypted
    planned = compared.planned
    budget = planned.summary_budget if planned.compacts else None
    first: Document = {
        "id": 0, "name": "", "tokens": None if unread else size, "budget": budget, "kinds": kept[0], "cost": None,
        "problem": "",
    }  # fmt: skip
    lines = [
        {
            "id": one.id, "name": one.name, "tokens": one.tokens if one.summary else None, "budget": one.budget,
            "kinds": kept.get(one.id, ()), "cost": one.cost, "problem": one.problem,
        }
        for one in shown
    ]  # fmt: skip
    there = {one.kind for line in (first, *lines) for one in line["kinds"]}
    return {
        "lines": [first, *lines],
        "more": len(mine) - len(shown),
        "kinds": [kind for kind in KINDS if kind in there],
    }
