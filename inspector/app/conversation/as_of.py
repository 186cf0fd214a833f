"""Findings, facts and lineage of a conversation at a step of its replay.

Everything is computed once for the whole conversation. A step is a filter, and its result is cached.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.engines.base import Plan
from inspector.quality.finding import Finding

# Modules that show findings, facts and summaries are imported when they are first needed, not with the screen.
if TYPE_CHECKING:
    from inspector.answers.fact_reading import FactsReading
    from inspector.core.conversations import Compaction
    from inspector.quality.facts.fact import Life
    from inspector.quality.facts.risk import AtRisk, RiskIndex
    from inspector.summaries.lineage import Lineage
    from widgets.panes.lineage_lines import LineageView
    from widgets.panes.losses_view import FactScope


class FindingsThen(Struct, frozen=True):
    """Findings up to a step.

    `words` has the numbers of errors and warnings; findings with one cause count once. `marked` has the messages
    with an error or a warning, by generation, and `by_compaction` their number by compaction. No count includes
    `dismissed` findings.
    """

    findings: tuple[Finding, ...] = ()
    words: str = ""
    marked: Mapping[int, frozenset[int]] | None = None
    by_compaction: Counter[int] | None = None
    dismissed: tuple[Finding, ...] = ()


class FindingsAsOf:
    """The findings of a conversation, filtered by the time at which each appeared."""

    def __init__(self, findings: Sequence[Finding], dismissed: Sequence[Finding] = ()) -> None:
        self.findings = tuple(findings)
        self.dismissed = tuple(dismissed)
        self._since = sorted(finding.since for finding in self.findings)
        self._then: dict[int, FindingsThen] = {}

    def __len__(self) -> int:
        return len(self.findings)

    def count(self, generation: int, length: int) -> int:
        """Number of findings when the list of a generation had `length` messages."""
        return bisect_right(self._since, (generation, length))

    def until(self, count: int) -> FindingsThen:
        """The first `count` findings by time, in the usual order."""
        then = self._then.get(count)
        if then is None:
            last = self._since[count - 1] if count else None
            findings = tuple(f for f in self.findings if last is not None and f.since <= last)
            dismissed = tuple(
                f for f in self.dismissed if count == len(self) or (last is not None and f.since <= last)
            )
            then = self._then[count] = _shown(findings, dismissed)
        return then


def _shown(findings: tuple[Finding, ...], dismissed: tuple[Finding, ...]) -> FindingsThen:
    from inspector.quality.finding import severity_words
    from inspector.quality.grouping import grouped

    grave = [finding for finding in findings if finding.severity != "info"]
    marked: dict[int, set[int]] = {}
    for finding in grave:
        if finding.generation is not None and finding.index is not None:
            marked.setdefault(finding.generation, set()).add(finding.index)
    return FindingsThen(
        findings,
        f"! {severity_words(Counter(group.first.severity for group in grouped(grave)))}" if grave else "",
        {number: frozenset(indexes) for number, indexes in marked.items()},
        Counter(finding.compaction for finding in grave if finding.compaction is not None),
        dismissed,
    )


class FactsAsOf:
    """The facts of a conversation after a number of messages and compactions."""

    def __init__(self, reading: FactsReading, ended: Mapping[int, Sequence[Life]]) -> None:
        self.reading = reading
        self.ended = ended
        self._lives: dict[str, tuple[tuple[int, int, bool, bool], Life]] = {}
        self._risks: dict[int, RiskIndex] = {}

    def scopes(self, compactions: int, step: int) -> tuple[FactScope, ...]:
        """Return a scope for each of the first compactions, as of the first `step` messages of the conversation."""
        from inspector.app.conversation.fact_scopes import scopes

        return scopes(
            self.reading, self.ended, None, compactions, lambda life: self._then(life, compactions, step)
        )

    def _then(self, life: Life, compactions: int, step: int) -> Life:
        """Return a life up to a step, from the cache if the life has not changed since."""
        from widgets.lists.fact_list import key_of

        back = life.back is not None and life.back.step < step
        contradicted = life.contradicted is not None and life.contradicted.saying.step < step
        sayings = tuple(saying for saying in life.fact.sayings if saying.step < step)
        fates = bisect_right(life.fates, compactions, key=lambda fate: fate.compaction)
        state = (len(sayings), fates, back, contradicted)
        cached = self._lives.get(key_of(life))
        if cached is not None and cached[0] == state:
            return cached[1]
        then = replace(
            life,
            fact=replace(life.fact, sayings=sayings or life.fact.sayings[:1]),
            fates=life.fates[:fates],
            back=life.back if back else None,
            contradicted=life.contradicted if contradicted else None,
        )
        self._lives[key_of(life)] = (state, then)
        return then

    def at_risk(self, generation: int, length: int, plan: Plan) -> tuple[AtRisk, ...]:
        """Return the facts that a compaction planned for the first `length` messages of a generation would
        summarize."""
        index = self._risks.get(generation)
        if index is None:
            index = self._risks[generation] = self.reading.risk_in(generation)
        return index.at_risk(*plan.regions(), length, plan.kept)


class LineageAsOf:
    """The lineage of all summaries, cut after a number of compactions. `budgets` are tokens by compaction."""

    def __init__(
        self, compactions: tuple[Compaction, ...], lineage: Lineage, budgets: Mapping[int, int]
    ) -> None:
        self._compactions = compactions
        self._lineage = lineage
        self._budgets = budgets
        self._views: dict[int, LineageView] = {}
        self.until(len(compactions))

    def until(self, compactions: int) -> LineageView:
        """Lineage and drift of the first compactions; cached."""
        from inspector.answers.summaries import drift_with
        from widgets.panes.lineage_lines import LineageView

        view = self._views.get(compactions)
        if view is None:
            lineage = self._lineage.until(compactions)
            drift = drift_with(lineage, self._compactions[:compactions], self._budgets)
            view = self._views[compactions] = LineageView(lineage, drift)
        return view
