"""What of a conversation's findings, facts, measures and lineage there was at a moment of its replay.

Everything was worked out once, for the whole; a moment is a filter over it, kept for as long as it stays the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inspector.engines.base import Plan
from inspector.quality.finding import Finding

# What findings, facts and summaries are shown by is imported with the first of them, not with the screen.
if TYPE_CHECKING:
    from inspector.answers.fact_reading import FactsReading
    from inspector.core.conversations import Compaction
    from inspector.quality.facts.fact import Life
    from inspector.quality.facts.risk import AtRisk, RiskIndex
    from inspector.summaries.lineage import Lineage
    from widgets.lists.fact_list import FactView
    from widgets.panes.life_lines import LineageView
    from widgets.panes.losses_view import FactScope


@dataclass(frozen=True, slots=True)
class FindingsThen:
    """Findings as they are shown: all in their order; errors and warnings in words, by the messages of each generation
    that they are about, and counted by compaction."""

    found: tuple[Finding, ...] = ()
    told: str = ""
    marked: Mapping[int, frozenset[int]] | None = None
    by_compaction: Counter[int] | None = None


class FindingsAsOf:
    """The findings of a conversation in the order in which they came to be."""

    def __init__(self, found: Sequence[Finding]) -> None:
        self.found = tuple(found)
        self._since = sorted(finding.since for finding in self.found)
        self._then: dict[int, FindingsThen] = {}

    def __len__(self) -> int:
        return len(self.found)

    def count(self, generation: int, length: int) -> int:
        """How many there were when the list of a generation had so many messages."""
        return bisect_right(self._since, (generation, length))

    def until(self, count: int) -> FindingsThen:
        """The first so many that came to be, in the order of all of them."""
        then = self._then.get(count)
        if then is None:
            last = self._since[count - 1] if count else None
            there = tuple(f for f in self.found if last is not None and f.since <= last)
            then = self._then[count] = _shown(there)
        return then


def _shown(found: tuple[Finding, ...]) -> FindingsThen:
    from widgets.panes.findings_pane import counts

    grave = [finding for finding in found if finding.severity != "info"]
    marked: dict[int, set[int]] = {}
    for finding in grave:
        if finding.generation is not None and finding.index is not None:
            marked.setdefault(finding.generation, set()).add(finding.index)
    return FindingsThen(
        found,
        f"! {counts([finding.severity for finding in grave])}" if grave else "",
        {number: frozenset(indexes) for number, indexes in marked.items()},
        Counter(finding.compaction for finding in grave if finding.compaction is not None),
    )


class FactsAsOf:
    """The facts of a conversation as they were known after so many messages and compactions."""

    def __init__(self, reading: FactsReading, ended: Mapping[int, Sequence[Life]]) -> None:
        self.reading = reading
        self.ended = ended
        self._views: dict[str, tuple[tuple[int, int, bool, bool], FactView]] = {}
        self._risks: dict[int, RiskIndex] = {}

    def scopes(self, compactions: int, step: int) -> tuple[FactScope, ...]:
        """A scope for each of the first so many compactions, as things stood when `step` messages had been said."""
        from inspector.app.conversation.fact_views import PRUNED, scope_of, worst_first

        facts = self.reading.facts
        groups: dict[int, list[FactView]] = {}
        for compaction in range(1, compactions + 1):
            lives = (*facts.of(compaction), *self.ended.get(compaction, ()))
            if lives:
                groups[compaction] = [self._view(life, compactions, step) for life in worst_first(lives)]
        found = [scope_of(number, tuple(views), then=True) for number, views in groups.items()]
        pruned = [
            self._view(life, compactions, step)
            for life in worst_first(facts.pruned)
            if life.compaction <= compactions
        ]
        if pruned:
            found.append(scope_of(PRUNED, tuple(pruned), then=True))
        return tuple(found)

    def _view(self, life: Life, compactions: int, step: int) -> FactView:
        """The view of a life until then; made anew only when something happened to it."""
        from inspector.app.conversation.fact_views import key_of, life_view

        back = life.back is not None and life.back.step < step
        contradicted = life.contradicted is not None and life.contradicted.saying.step < step
        sayings = tuple(saying for saying in life.fact.sayings if saying.step < step)
        fates = bisect_right(life.fates, compactions, key=lambda fate: fate.compaction)
        sign = (len(sayings), fates, back, contradicted)
        known = self._views.get(key_of(life))
        if known is not None and known[0] == sign:
            return known[1]
        then = replace(
            life,
            fact=replace(life.fact, sayings=sayings or life.fact.sayings[:1]),
            fates=life.fates[:fates],
            back=life.back if back else None,
            contradicted=life.contradicted if contradicted else None,
        )
        view = life_view(then, then=True)
        self._views[view.key] = (sign, view)
        return view

    def at_risk(self, generation: int, length: int, plan: Plan) -> tuple[AtRisk, ...]:
        """What the planned compaction of the first so many messages of a generation would put through the summary."""
        from inspector.quality.facts.risk import RiskIndex

        index = self._risks.get(generation)
        if index is None:
            places = self.reading.places[generation - 1] if generation <= len(self.reading.places) else {}
            index = self._risks[generation] = RiskIndex(self.reading.facts.facts, places)
        return index.at_risk(*plan.regions(), length, plan.kept)


class LineageAsOf:
    """The lineage of all summaries, and what of it there was after fewer compactions. `budgets` are those of the
    summaries in tokens, by compaction."""

    def __init__(
        self, compactions: tuple[Compaction, ...], lineage: Lineage, budgets: Mapping[int, int]
    ) -> None:
        self._compactions = compactions
        self._lineage = lineage
        self._budgets = budgets
        self._views: dict[int, LineageView] = {}
        self.until(len(compactions))

    def until(self, compactions: int) -> LineageView:
        """The lineage of the first so many, and their drift; each is worked out once."""
        from inspector.answers.lineage import drift_with
        from widgets.panes.life_lines import LineageView

        view = self._views.get(compactions)
        if view is None:
            lineage = self._lineage.until(compactions)
            drift = drift_with(lineage, self._compactions[:compactions], self._budgets)
            view = self._views[compactions] = LineageView(lineage, drift)
        return view
