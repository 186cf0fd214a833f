"""What was lost, as values: facts by scope, measures, and what stands above the facts of a scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from widgets.base.text_lines import TextLine, line_of
from widgets.lists.fact_list import OUTCOMES, FactView
from widgets.lists.measure_table import MeasuresView
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView


@dataclass(frozen=True, slots=True)
class FactScope:
    """A choice of facts: those of a compaction, or others. `name` is the compaction's number, or a word.

    `note` says what they are, `short` is how the choice is written.
    """

    name: str
    label: str
    short: str
    facts: tuple[FactView, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class LossesView:
    """Facts and measures of a conversation. None for either: it is not known yet.

    `scopes` are those of compactions, then others (pruned, at risk); `chosen` is the compaction on screen, from 1 (0:
    none), of `total` (0: not known), and `attempts` are those of its summary. `note` says what goes on while there are
    no facts.
    """

    scopes: tuple[FactScope, ...] | None = None
    chosen: int = 0
    measures: MeasuresView | None = None
    note: str = ""
    total: int = 0
    attempts: AttemptsView = NO_ATTEMPTS

    @property
    def offered(self) -> list[FactScope]:
        """The scope of the chosen compaction, empty where it summarized no facts, and those that are of none."""
        if self.scopes is None:
            return []
        number = str(self.chosen)
        others = [scope for scope in self.scopes if not scope.name.isdecimal()]
        if not self.chosen:
            return others
        own = next((scope for scope in self.scopes if scope.name == number), None)
        return [own or FactScope(number, f"compaction {number}", number, ()), *others]

    @property
    def first_scope(self) -> str:
        """The name of the scope to begin with: that of the chosen compaction, else what is at risk; "" for none."""
        offered = self.offered
        return offered[0 if self.chosen else -1].name if offered else ""


def head_lines(
    view: LossesView, scope: FactScope | None, low: bool, only: Sequence[str], shown: int
) -> list[TextLine]:
    """How many facts of a scope have which fate; where room is short, what they are filtered by instead of a note."""
    if scope is None:
        return [TextLine(view.note or "Looking for facts …", "muted")]
    counts = Counter(fact.outcome for fact in scope.facts)
    of = f" of {view.total:,}" if view.total and scope.name.isdecimal() else ""
    parts: list[tuple[str, str]] = [(f"{scope.label}{of}", "strong")]
    gap = "  " if low else "   "
    for outcome, (sign, style) in OUTCOMES.items():
        if counts[outcome]:
            parts.append((f"{gap}{sign} {counts[outcome]:,} {outcome}", style))
    if not scope.facts:
        parts.append(("   no facts", "muted"))
    lines = [line_of(*parts)]
    if low and only:
        lines.append(TextLine(f"only {', '.join(only)} ({shown:,})", "muted"))
    elif not low and scope.note:
        lines.append(TextLine(scope.note, "muted"))
    return lines
