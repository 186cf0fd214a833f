"""Facts of a conversation by scope, and the lines above a scope's list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from widgets.base.text_lines import TextLine, counted, line_of
from widgets.lists.fact_list import OUTCOMES, ListedFact, outcome_of
from widgets.lists.survival_table import Survival
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView

#: Names of the scopes that belong to no compaction.
AT_RISK, PRUNED, DISMISSED = "risk", "pruned", "dismissed"
_LABELS = {AT_RISK: "at risk", PRUNED: "pruned", DISMISSED: "dismissed"}


@dataclass(frozen=True, slots=True)
class FactScope:
    """A choice of facts: those of a compaction, or others.

    `name` is the compaction's number, AT_RISK, PRUNED or DISMISSED. `note` is a sentence about the scope. `generation`
    is the list that facts at risk are in. `partial` means that only messages up to a step of the replay are known.
    """

    name: str
    facts: tuple[ListedFact, ...]
    note: str = ""
    generation: int = 1
    partial: bool = False

    @property
    def label(self) -> str:
        """The scope in words."""
        return _LABELS.get(self.name, f"compaction {self.name}")


_UNSEEN = "Its losses are unknown: the list before it is not in the files."


@dataclass(frozen=True, slots=True)
class LossesView:
    """Facts of a conversation.

    `scopes` are those of compactions, then the others; None while facts are being read, and then `note` is a sentence
    about that. `chosen` is the compaction on screen, from 1 (0: none), of `total` (0: unknown). `survival` is the
    table by kind and compaction, `attempts` are those of the chosen compaction's summary, `judged` the
    facts that models found in its messages.
    """

    scopes: tuple[FactScope, ...] | None = None
    chosen: int = 0
    survival: Survival = field(default_factory=Survival)
    note: str = ""
    total: int = 0
    attempts: AttemptsView = NO_ATTEMPTS
    judged: tuple[FactScope, ...] = ()

    @property
    def offered(self) -> list[FactScope]:
        """The scope of the chosen compaction (empty where it summarized no facts) and those of no compaction."""
        if self.scopes is None:
            return []
        number = str(self.chosen)
        others = [scope for scope in self.scopes if not scope.name.isdecimal()]
        if not self.chosen:
            return others
        chosen = next((scope for scope in self.scopes if scope.name == number), None)
        unseen = any(one.index == self.chosen and not one.before for one in self.survival.compactions)
        return [chosen or FactScope(number, (), _UNSEEN if unseen else ""), *self.judged, *others]

    @property
    def first_scope(self) -> str:
        """Name of the scope to begin with: that of the chosen compaction, else facts at risk; "" for none."""
        offered = self.offered
        return offered[0 if self.chosen else -1].name if offered else ""


def head_lines(
    view: LossesView, scope: FactScope | None, low: bool, only: Sequence[str], shown: int
) -> list[TextLine]:
    """Counts by fate; in a `low` pane the filters (`only`, leaving `shown` facts) instead of the note."""
    if scope is None:
        return [TextLine(view.note or "Looking for facts …", "muted")]
    counts = Counter(map(outcome_of, scope.facts))
    of = f" of {view.total:,}" if view.total and scope.name.isdecimal() else ""
    gap = "  " if low else "   "
    parts = [(f"{scope.label}{of}", "strong"), *counted(OUTCOMES, counts, gap + "{sign} {count:,} {name}")]
    if not scope.facts:
        parts.append(("   no facts", "muted"))
    lines = [line_of(*parts)]
    if low and only:
        lines.append(TextLine(f"only {', '.join(only)} ({shown:,})", "muted"))
    elif scope.note and not (low and scope.facts):
        lines.append(TextLine(scope.note, "muted"))
    return lines
