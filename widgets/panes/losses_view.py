"""Facts of a conversation by scope, and the headline of a scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.quality.measures import Survival
from widgets.base.text_lines import TextLine, counted, line_of
from widgets.lists.fact_list import OUTCOMES, ListedFact, outcome_of
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView

#: Names of scopes without a compaction.
AT_RISK, PRUNED, DISMISSED = "risk", "pruned", "dismissed"
_LABELS = {AT_RISK: "at risk", PRUNED: "pruned", DISMISSED: "dismissed"}


class FactScope(Struct, frozen=True):
    """A scope of facts: of one compaction, or of none.

    `name` is the compaction's number, AT_RISK, PRUNED or DISMISSED. `note` is a sentence about the scope. `generation`
    is the list of facts at risk. `partial` means that only messages up to a step of the replay count. `lacks` says that
    losses are unknown, because the files lack messages ("": they do not).
    """

    name: str
    facts: tuple[ListedFact, ...]
    note: str = ""
    generation: int = 1
    partial: bool = False
    lacks: str = ""

    @property
    def label(self) -> str:
        """The scope as shown."""
        return _LABELS.get(self.name, f"compaction {self.name}")


_UNSEEN = "Its losses are unknown: the list before it is not in the files."
_PARTLY = "Its losses are unknown in part: a part of the list before it is not in the files."


class LossesView(Struct, frozen=True):
    """Facts of a conversation.

    `scopes` are first the scopes of compactions; None while facts are being read, and then `note` says so. `chosen` is
    the compaction on screen, from 1 (0: none), of `total` (0: unknown). `survival` is the table by kind and compaction.
    `attempts` and `judged` (facts that models found) belong to the chosen compaction. `lacks` says which losses are
    unknown at every compaction ("": none).
    """

    scopes: tuple[FactScope, ...] | None = None
    chosen: int = 0
    survival: Survival = field(default_factory=Survival)
    note: str = ""
    total: int = 0
    attempts: AttemptsView = NO_ATTEMPTS
    judged: tuple[FactScope, ...] = ()
    lacks: str = ""

    @property
    def offered(self) -> list[FactScope]:
        """The scope of the chosen compaction, which may be empty, and the scopes without a compaction."""
        if self.scopes is None:
            return []
        number = str(self.chosen)
        others = [scope for scope in self.scopes if not scope.name.isdecimal()]
        if not self.chosen:
            return others
        chosen = next((scope for scope in self.scopes if scope.name == number), None)
        done = next(
            (compaction for compaction in self.survival.compactions if compaction.index == self.chosen), None
        )
        lacks = self.lacks
        if done is not None and not (done.before and done.whole):
            lacks = _PARTLY if done.before else _UNSEEN
        return [replace(chosen or FactScope(number, ()), lacks=lacks), *self.judged, *others]

    @property
    def first_scope(self) -> str:
        """Name of the first scope on screen: the chosen compaction, else facts at risk; "" for none."""
        offered = self.offered
        return offered[0 if self.chosen else -1].name if offered else ""


def head_lines(
    view: LossesView, scope: FactScope | None, low: bool, only: Sequence[str], shown: int
) -> list[TextLine]:
    """Return the counts by fate, with the filters (`only`, with `shown` facts) or the note, which is about all facts.

    A `low` pane has no note above facts.
    """
    if scope is None:
        return [TextLine(view.note or "Looking for facts …", "muted")]
    counts = Counter(map(outcome_of, scope.facts))
    of = f" of {view.total:,}" if view.total and scope.name.isdecimal() else ""
    gap = "  " if low else "   "
    parts = [(f"{scope.label}{of}", "strong"), *counted(OUTCOMES, counts, gap + "{count:,} {name}")]
    if not scope.facts:
        parts.append(("   no facts", "muted"))
    lines = [line_of(*parts), *([TextLine(scope.lacks, "warning")] if scope.lacks else [])]
    if only:
        lines.append(TextLine(f"only {', '.join(only)} ({shown:,})", "muted"))
    elif scope.note and not (low and scope.facts):
        lines.append(TextLine(scope.note, "muted"))
    if scope.name.isdecimal() and not low and any(map(_undecided, scope.facts)):
        lines.append(TextLine("V lets a model of your own decide the user's uncertain facts.", "muted"))
    return lines


def _undecided(entry: ListedFact) -> bool:
    return entry.fact.is_users_own and outcome_of(entry) == "uncertain"
