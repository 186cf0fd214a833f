"""Attempts as values and lines: facts that each summary keeps, compared with the recorded one."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.signs import FATE_SIGNS
from inspector.quality.facts.fact import Life
from inspector.quality.facts.survival import KindSurvival
from inspector.summaries.summary import SectionDiff
from widgets.base import human
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.fact_list import OUTCOMES

#: Maximum length of the name of a command or model.
_NAME = 27


@dataclass(frozen=True, slots=True)
class ChangedFate:
    """A fact with its recorded fate, and its fate with an attempt."""

    life: Life
    outcome: str


@dataclass(frozen=True, slots=True)
class AttemptView:
    """A summary of the chosen compaction: recorded (`id` 0), or an attempt.

    Tokens are rough; `cost` is in words ("" unknown). `kinds` count the facts. `problem` is a sentence about a
    missing or partial summary. `sections` compare it with the recorded one, `changed` has the facts with another fate.
    """

    id: int
    name: str
    kinds: tuple[KindSurvival, ...] = ()
    tokens: int = 0
    budget: int = 0
    cost: str = ""
    made: str = ""
    problem: str = ""
    sections: tuple[SectionDiff, ...] = ()
    changed: tuple[ChangedFate, ...] = ()
    text: str = ""

    @property
    def label(self) -> str:
        """Its name, shortened in the middle."""
        name, half = one_line(self.name, 400), (_NAME - 1) // 2
        short = name if len(name) <= _NAME else f"{name[:half]}…{name[-half:]}"
        return f"#{self.id} {short}" if self.id else "recorded"

    @property
    def kept(self) -> int:
        """Number of facts that can be read."""
        return sum(kind.kept for kind in self.kinds)

    @property
    def of(self) -> int:
        """Of how many."""
        return sum(kind.of for kind in self.kinds)

    @property
    def open(self) -> int:
        """Number of undecided facts."""
        return sum(kind.open for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class AttemptsView:
    """The summaries of a compaction, the recorded one first. `pending`: they are being judged."""

    summaries: tuple[AttemptView, ...] = ()
    pending: bool = False

    @property
    def recorded(self) -> AttemptView | None:
        """The recorded summary."""
        return next((one for one in self.summaries if not one.id), None)

    @property
    def attempts(self) -> tuple[AttemptView, ...]:
        """The attempts, without the recorded summary."""
        return tuple(one for one in self.summaries if one.id)


#: No attempts.
NO_ATTEMPTS = AttemptsView()
NONE_YET = "No attempt has been made for this summary. P makes one with a model of your choice."
JUDGING = "Looking for what each summary keeps …"


def kept_words(view: AttemptView, recorded: AttemptView | None) -> str:
    """Facts that a summary keeps, compared with the recorded one: the gravest kind, then all."""
    if not view.kinds:
        return ""
    first = view.kinds[0]
    own = {kind.kind: kind for kind in recorded.kinds} if recorded is not None else {}
    told = f"{first.kept} of {human.plural(first.of, first.kind)}{_unsure(first)}"
    if first.kind in own:
        theirs = own[first.kind]
        told += f", recorded {theirs.kept} of {theirs.of}{_unsure(theirs)}"
    whole = f"{view.kept} of {view.of} facts{_unsure(view)}"
    if recorded is not None:
        whole += f", recorded {recorded.kept} of {recorded.of}{_unsure(recorded)}"
    return told if len(view.kinds) == 1 else f"{told} · {whole}"


def _unsure(counted: KindSurvival | AttemptView) -> str:
    return f" ({FATE_SIGNS['uncertain']}{counted.open})" if counted.open else ""


def _better(one: AttemptView, recorded: AttemptView | None) -> bool:
    """Whether it keeps more, even if the recorded one kept every undecided fact."""
    if recorded is None:
        return False
    return one.kept * max(1, recorded.of) > (recorded.kept + recorded.open) * max(1, one.of)


def attempt_lines(view: AttemptsView) -> list[TextLine]:
    """A line per attempt for the compaction pane."""
    lines = []
    for number, one in enumerate(view.attempts):
        lead = "attempts  " if number == 0 else " " * 10
        if one.problem and not one.text:
            parts = [("✗ ", "error"), (one.label, ""), (f"  {one_line(one.problem, 200)}", "muted")]
            lines.append(line_of(*parts, prefix=lead, prefix_style="muted"))
            continue
        words = f"  with this one {kept_words(one, view.recorded)}"
        size = f"  ~{human.tokens(one.tokens)}{f' · {one.cost}' if one.cost else ''}"
        style = "added" if _better(one, view.recorded) else ""
        parts = [("Σ ", "accent"), (one.label, ""), (words, style), (size, "muted")]
        lines.append(line_of(*parts, prefix=lead, prefix_style="muted"))
    return lines


def head_lines(view: AttemptView, recorded: AttemptView | None) -> list[TextLine]:
    """The lines above an attempt: name, kept facts, size against the budget, cost."""
    lines = [line_of((view.label, "strong"), (f"  {view.made}", "muted"))]
    if view.problem:
        lines.append(TextLine(view.problem, "warning", prefix="! "))
    if view.kinds:
        lines.append(TextLine(f"With this one {kept_words(view, recorded)}."))
    size = f"~{view.tokens:,} tokens"
    if view.budget:
        size += f", {human.percent(view.tokens, view.budget)} of the budget of {view.budget:,}"
    if recorded is not None:
        size += f"; recorded ~{recorded.tokens:,}"
    lines.append(line_of((size, ""), (f"  {view.cost}" if view.cost else "", "muted")))
    return lines


def changed_lines(view: AttemptView) -> list[TextLine]:
    """A line for each fact with another fate: the recorded one, the new one. Tagged "fact:0"."""
    lines = [line_of(("Facts with another fate", "heading"))] if view.changed else []
    for number, fact in enumerate(view.changed):
        fates = (OUTCOMES[fact.life.outcome], (" → ", "muted"), OUTCOMES[fact.outcome])
        text = one_line(" ".join(fact.life.text[:2_000].split()), 400)
        lines.append(line_of(*fates, (f" {fact.life.kind} ", "muted"), (text, ""), tag=f"fact:{number}"))
    return lines
