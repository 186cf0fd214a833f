"""Attempts as values and lines: facts that each summary keeps, compared with the recorded one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.core.shares import kept_of
from inspector.core.signs import FATE_SIGNS
from inspector.quality.facts.fact import Life
from inspector.quality.facts.survival import KindSurvival
from inspector.summaries.summary import SectionDiff
from widgets.base import human
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.fact_list import OUTCOMES

#: Width of a column of the table of attempts, in cells, and the smallest and largest number of columns.
_COLUMN, _FEWEST_COLUMNS, _MOST_COLUMNS = 12, 2, 7
_KIND = 12
#: The width of a bar, in cells.
_BAR = 14
#: Maximum length of the name of a command or model.
_NAME = 27
#: Sign of a fact that an attempt did not reach.
_NOT_THERE = ("–", "muted")


class AttemptView(Struct, frozen=True):
    """A summary of the chosen compaction: recorded (`id` 0), or an attempt.

    Tokens are rough; `cost` is in words ("" unknown). `kinds` count the facts. `problem` is a sentence about a
    missing or partial summary. `sections` compare it with the recorded one.
    """

    id: int
    name: str
    kinds: tuple[KindSurvival, ...] = ()
    tokens: int | None = 0
    budget: int = 0
    cost: str = ""
    made: str = ""
    problem: str = ""
    sections: tuple[SectionDiff, ...] = ()
    text: str = ""

    @property
    def label(self) -> str:
        """Its name."""
        return self.called(_NAME)

    def called(self, most: int) -> str:
        """The label with at most `most` characters of the name; its end is kept."""
        name, half = one_line(self.name, 400), (most - 1) // 2
        short = name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
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


class FactFates(Struct, frozen=True):
    """A fact and its fate with each summary, in their order; None if the fate is unknown."""

    life: Life
    outcomes: tuple[str | None, ...]


class LifeView(Struct, frozen=True):
    """A life: summaries that build on each other.

    `points` are (compaction, facts with a known fate, facts readable with recorded summaries, with these).
    """

    id: int
    name: str
    points: tuple[tuple[int, int, int, int], ...]


class AttemptsView(Struct, frozen=True):
    """The summaries of a compaction, the recorded one first, every fact with its fates, and the lives that the attempts
    belong to. `pending`: they are being judged."""

    summaries: tuple[AttemptView, ...] = ()
    facts: tuple[FactFates, ...] = ()
    pending: bool = False
    lives: tuple[LifeView, ...] = ()

    @property
    def recorded(self) -> AttemptView | None:
        """The recorded summary."""
        return next((summary for summary in self.summaries if not summary.id), None)

    @property
    def attempts(self) -> tuple[AttemptView, ...]:
        """The attempts, without the recorded summary."""
        return tuple(summary for summary in self.summaries if summary.id)


#: No attempts.
NO_ATTEMPTS = AttemptsView()
NONE_YET = "No attempt has been made for this summary. P makes one with a model of your choice."
JUDGING = "Looking for what each summary keeps …"


def kept_words(view: AttemptView, recorded: AttemptView | None) -> str:
    """Facts that a summary keeps, compared with the recorded one: the gravest kind, then all."""
    if not view.kinds:
        return ""
    first = view.kinds[0]
    by_kind = {kind.kind: kind for kind in recorded.kinds} if recorded is not None else {}
    gravest = f"{first.kept} of {human.plural(first.of, first.kind)}{_unsure(first)}"
    if first.kind in by_kind:
        theirs = by_kind[first.kind]
        gravest += f", recorded {theirs.kept} of {theirs.of}{_unsure(theirs)}"
    whole = f"{view.kept} of {view.of} facts{_unsure(view)}"
    if recorded is not None:
        whole += f", recorded {recorded.kept} of {recorded.of}{_unsure(recorded)}"
    return gravest if len(view.kinds) == 1 else f"{gravest} · {whole}"


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
        size = f"  {_size(one)}{f' · {one.cost}' if one.cost else ''}"
        style = "added" if _better(one, view.recorded) else ""
        parts = [("Σ ", "accent"), (one.label, ""), (words, style), (size, "muted")]
        lines.append(line_of(*parts, prefix=lead, prefix_style="muted"))
    return lines


def _size(view: AttemptView) -> str:
    return "–" if view.tokens is None else f"~{human.tokens(view.tokens)}"


def head_lines(view: AttemptView, recorded: AttemptView | None) -> list[TextLine]:
    """The lines above an attempt: name, kept facts, size against the budget, cost."""
    lines = [line_of((view.label, "strong"), (f"  {view.made}", "muted"))]
    if view.problem:
        lines.append(TextLine(view.problem, "warning", prefix="! "))
    if view.kinds:
        lines.append(TextLine(f"With this one {kept_words(view, recorded)}."))
    size = "an unknown size" if view.tokens is None else f"~{view.tokens:,} tokens"
    if view.budget and view.tokens is not None:
        size += f", {human.percent(view.tokens, view.budget)} of the budget of {view.budget:,}"
    if recorded is not None:
        size += "; recorded unknown" if recorded.tokens is None else f"; recorded ~{recorded.tokens:,}"
    lines.append(line_of((size, ""), (f"  {view.cost}" if view.cost else "", "muted")))
    return lines


def shown_places(view: AttemptsView, width: int) -> tuple[int, ...]:
    """Return the places of the summaries that get a column: the recorded one, and as many of the newest as fit.

    Attempts without a text come last.
    """
    most = max(_FEWEST_COLUMNS, min(_MOST_COLUMNS, (width - _KIND) // _COLUMN))
    places = range(len(view.summaries))
    recorded = [place for place in places if not view.summaries[place].id]
    others = [place for place in places if view.summaries[place].id]
    others.sort(key=lambda place: (bool(view.summaries[place].kinds), place))
    return tuple(sorted((*recorded, *others[len(recorded) - most :])))


def table_lines(view: AttemptsView, width: int) -> list[TextLine]:
    """By kind how many facts each summary keeps: a column for each summary."""
    shown = [view.summaries[place] for place in shown_places(view, width)]
    heads = [one.called(_COLUMN - 4) for one in shown]
    lines = [line_of((" " * _KIND, ""), *((f"{fit(head, _COLUMN - 1)} ", "strong") for head in heads))]
    kinds = list(dict.fromkeys(kind.kind for one in shown for kind in one.kinds))
    for name in kinds:
        cells = []
        for one in shown:
            kind = next((kind for kind in one.kinds if kind.kind == name), None)
            text = "–" if kind is None else kept_of(kind.kept, kind.of, kind.weakened, kind.open)
            cells.append((fit(text, _COLUMN), ""))
        lines.append(line_of((fit(name, _KIND), "muted"), *cells))
    sizes = [(fit(_size(one), _COLUMN), "muted") for one in shown]
    lines.append(line_of((fit("size", _KIND), "muted"), *sizes))
    if any(one.cost for one in shown):
        lines.append(
            line_of(
                (fit("cost", _KIND), "muted"), *((fit(one.cost or "–", _COLUMN), "muted") for one in shown)
            )
        )
    more = len(view.summaries) - len(shown)
    if more > 0:
        lines.append(TextLine(f"and {more:,} more: `attempts` lists them all", "muted"))
    return lines


def fact_lines(view: AttemptsView, width: int) -> list[TextLine]:
    """A line for each fact, the sign of its fate a column for each summary of the table, tagged "fact:0"."""
    lines, places = [], shown_places(view, width)
    for number, fact in enumerate(view.facts):
        signs = []
        for outcome in (fact.outcomes[place] for place in places if place < len(fact.outcomes)):
            sign, style = _NOT_THERE if outcome is None else OUTCOMES[outcome]
            signs.append((f"{sign}  ", style))
        used = 3 * len(signs) + 11
        text = fit(one_line(" ".join(fact.life.text[:2_000].split()), 400), max(8, width - used))
        lines.append(
            line_of(*signs, (fit(fact.life.kind, 10) + " ", "muted"), (text, ""), tag=f"fact:{number}")
        )
    return lines


def life_lines(lives: Sequence[LifeView]) -> list[TextLine]:
    """The curve of each life: surviving facts by compaction, recorded and made again."""
    lines = []
    for life in lives:
        lines.append(TextLine(""))
        title = f"life {life.id}, every summary from the previous one: {one_line(life.name, 60)}"
        lines.append(TextLine(title, "heading"))
        for compaction, of, recorded, again in life.points:
            lines.append(
                line_of(
                    (f"after {compaction:<4}", "muted"),
                    ("recorded ", "muted"),
                    (_bar(recorded, of, "░"), "muted"),
                    (f" {recorded:>3}/{of:<4}", ""),
                    ("again ", "muted"),
                    (_bar(again, of, "▓"), "accent"),
                    (f" {again:>3}/{of}", ""),
                )
            )
    return lines


def _bar(count: int, of: int, sign: str) -> str:
    """A share as a bar of a fixed width."""
    return fit(sign * (round(_BAR * count / of) if of else 0), _BAR)
