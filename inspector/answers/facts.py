"""Select facts of a conversation: with their fates, or at risk in the next compaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec import Struct

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import FactsReading, pruned_by, read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.store_losses import LIST_MISSING, unseen_compactions
from inspector.config.cache import default_cache
from inspector.config.settings import ResolvedSettings
from inspector.core.shares import plural
from inspector.core.watching import OnProgress
from inspector.engines.base import Plan
from inspector.quality.facts.fact import Fact, Life
from inspector.quality.facts.risk import AtRisk
from inspector.quality.losses import is_lost


class Wanted(Struct, frozen=True):
    """The selection of facts; an empty value selects all.

    `pruned` adds facts of tool results whose texts were pruned. `limit` is the maximum number of facts: with fates, of
    the summarized and of the pruned facts of each compaction; at risk, of all facts. `after` is the compaction after
    which their fates are given, None for the last. Earlier facts that it ended are listed with it. `dismissed` selects
    the dismissed facts, and no others.
    """

    kinds: Collection[str] = ()
    fates: Collection[str] = ()
    roles: Collection[str] = ()
    compaction: int | None = None
    pruned: bool = False
    limit: int | None = None
    after: int | None = None
    dismissed: bool = False

    @property
    def with_ended(self) -> bool:
        """Whether facts of earlier compactions are listed with the compaction `after`."""
        return self.after is not None and self.compaction in (None, self.after) and not self.dismissed

    def fits(self, fact: Fact) -> bool:
        """Return whether kind and speaker fit."""
        return (not self.kinds or fact.kind in self.kinds) and (not self.roles or fact.role in self.roles)


def facts_reading(
    answers: Answers, name: str, watch: OnProgress | None = None
) -> tuple[Inspection, ResolvedSettings, FactsReading]:
    """Read the facts of a conversation. The engine of the current settings decides which texts were pruned.

    Changed fates and the last fate of a fact have a place and an excerpt. Notes go to `answers`.
    """
    inspection, resolved = answers.opened(name)
    cache = default_cache()
    pruned = pruned_by(inspection, resolved.settings)
    reading = read_facts(inspection, cache, watch, pruned, placed_fates="changes")
    return inspection, resolved, reading


def select_lives(inspection: Inspection, reading: FactsReading, wanted: Wanted) -> list[Life]:
    """Return the wanted lives, as they are after the last compaction or after `wanted.after`.

    The lives of each compaction are together: first the summarized facts, then the pruned facts, best rank first. With
    `wanted.fates`, a lost fact is included only if it counts as a loss (see is_lost). Raises UsageProblem for an
    unknown compaction.
    """
    for number in (wanted.compaction, wanted.after):
        if number is not None:
            inspection.compaction(number)
    facts = reading.facts
    lives = facts.dismissed if wanted.dismissed else (*facts.lives, *(facts.pruned if wanted.pruned else ()))
    ended = {life.fact.key for life in ended_by(reading, wanted)}
    lives_then = [
        life.seen(life.fates[-1].compaction if wanted.after is None else wanted.after)
        for life in sorted(lives, key=lambda life: life.compaction)
        if wanted.fits(life.fact)
        and (life.pruned or life.fact.key not in ended)
        and (wanted.compaction is None or life.compaction == wanted.compaction)
        and (wanted.after is None or life.fate_at(wanted.after) is not None)
    ]
    return _first(_of_fates(lives_then, wanted), wanted.limit)


def ended_by(reading: FactsReading, wanted: Wanted) -> list[Life]:
    """Return the wanted facts of earlier compactions that the compaction `after` lost, weakened or cast doubt on."""
    if not wanted.with_ended:
        return []
    ended = reading.facts.ended().get(wanted.after or 0, ())
    return _first(_of_fates([life for life in ended if wanted.fits(life.fact)], wanted), wanted.limit)


def _of_fates(lives: Sequence[Life], wanted: Wanted) -> Sequence[Life]:
    """Return the lives with a wanted fate. A lost fact is included only if it counts as a loss."""
    if not wanted.fates:
        return lives
    fitting = (life for life in lives if life.outcome in wanted.fates)
    return [life for life in fitting if is_lost(life) or not life.fate.gone]


def select_risks(plan: Plan, reading: FactsReading, wanted: Wanted) -> list[AtRisk]:
    """Return the facts that a planned compaction of the live list would remove, first the facts in one message only."""
    if not plan.compacts:
        return []
    head, tail = plan.regions()
    risks = [entry for entry in reading.risk.at_risk(head, tail, kept=plan.kept) if wanted.fits(entry.fact)]
    return risks if wanted.limit is None else risks[: wanted.limit]


def _first(lives: Sequence[Life], limit: int | None) -> list[Life]:
    """Return the first `limit` summarized and the first `limit` pruned lives of each compaction, all if it is None."""
    if limit is None:
        return list(lives)
    seen: Counter[tuple[int, bool]] = Counter()
    first = []
    for life in lives:
        group = life.compaction, life.pruned
        seen[group] += 1
        if seen[group] <= limit:
            first.append(life)
    return first


def note_dismissed(answers: Answers, count: int) -> None:
    """Note how many facts the user dismissed."""
    if count:
        dismissed = plural(count, "dismissed fact is", "dismissed facts are")
        answers.note(f"{dismissed} not counted; facts --dismissed lists them.")


class FollowedFacts(Struct, frozen=True):
    """Selected facts of a conversation of `agent`. `selected_by_fate` says whether fates were asked for.

    `ended` are facts of earlier compactions that are listed with the compaction that ended them (see `Wanted.after`).
    """

    conversation: str
    lives: tuple[Life, ...]
    selected_by_fate: bool
    agent: str
    ended: tuple[Life, ...] = ()


class FactsAtRisk(Struct, frozen=True):
    """Facts that a compaction of the live list would remove; `compaction` is the number of that compaction."""

    conversation: str
    compaction: int
    facts: tuple[AtRisk, ...]
    agent: str


def follow_facts(answers: Answers, name: str, wanted: Wanted) -> FollowedFacts:
    """Return the facts that compactions took, by compaction and rank.

    Raises UnknownConversation, StoreErrors and EngineErrors.
    """
    inspection, _, reading = facts_reading(answers, name)
    if not inspection.compactions():
        answers.note(
            "No compaction of this conversation is recorded; --at-risk lists the facts that one would remove."
        )
    facts = tuple(select_lives(inspection, reading, wanted))
    note_dismissed(answers, 0 if wanted.dismissed else reading.facts.dismissed_count)
    if unseen := unseen_compactions(inspection):
        compactions = plural(unseen, "compaction")
        answers.note(f"The facts of {compactions} are unknown in whole or in part: {LIST_MISSING}.")
    row = inspection.conversation.row
    return FollowedFacts(row.id, facts, bool(wanted.fates), row.agent, tuple(ended_by(reading, wanted)))


def facts_at_risk(answers: Answers, name: str, wanted: Wanted) -> FactsAtRisk:
    """Return the facts that the next compaction would remove, first those in one message only.

    Raises as follow_facts does.
    """
    inspection, resolved, reading = facts_reading(answers, name)
    live = inspection.conversation.live
    plan = inspection.plan(live, resolved.settings)
    if not plan.compacts:
        answers.note(f"{plan.profile} would not compact the live list: {plan.reason}.")
    row = inspection.conversation.row
    return FactsAtRisk(row.id, live.number, tuple(select_risks(plan, reading, wanted)), row.agent)
