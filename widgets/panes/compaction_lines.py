"""One compaction as lines, as a person asks: why it fired, what came of it, what it lost, the summary it made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from inspector.core.places import place_name
from widgets.bars.timeline import Ended
from widgets.base import human
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.evidence_list import EvidenceView
from widgets.lists.fact_list import OUTCOMES, FactView
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView
from widgets.panes.summary_lines import SummaryView, section_lines

#: Below so many cells less is said; from so many on the longest sentence fits.
NARROW, _WIDE = 60, 84
_WHO = {"assistant": "agent"}
#: So many files that were read again are listed.
_AGAIN_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BoundsView:
    """Boundaries, from the store or from an engine; `by` names which ("recorded", "planned by hermes-0.13")."""

    kind: Literal["recorded", "planned"]
    by: str
    head_end: int
    tail_start: int
    summary_tokens: int | None = None
    tokens_after: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CompactionView:
    """A compaction as the pane shows it. Counts are messages; tokens are rough, the system prompt included.

    `stayed`, `went` and `came` count messages: copied into the new list, left out of it, new in their place. Of those
    that stayed `pruned` were cut to a line, None while nobody has looked. `lost` are some facts that are gone, the
    worst first, and `lost_note` what is to be said about more of them ("and 31 more", or that none was lost). `again`
    are the files that were opened again afterwards. `why` says what made it fire, `cost` what it cost, `reported` what
    sizes the agent itself tells. `summary` is the one it made, `attempts` those that were made again.
    """

    index: int
    total: int
    before: int
    after: int
    tokens_before: int
    tokens_after: int
    outcome: Ended
    bounds: tuple[BoundsView, ...] = ()
    went: int = 0
    went_tokens: int | None = None
    stayed: int = 0
    came: int = 0
    at: float = 0.0
    session: str = ""
    notes: tuple[str, ...] = ()
    lost: tuple[FactView, ...] = ()
    lost_note: str = ""
    summary: SummaryView | None = None
    pruned: int | None = None
    again: tuple[EvidenceView, ...] = ()
    why: str = ""
    cost: str = ""
    reported: str = ""
    attempts: AttemptsView = NO_ATTEMPTS


_OUTCOMES = {
    "summary": ("Σ", "accent", "a summary took the middle's place"),
    "merged": ("Σ", "accent", "the summary was merged into the first tail message"),
    "fallback": ("✗", "error", "no summary was made; a fallback text took the middle's place"),
    "failed": ("✗", "error", "the compaction failed"),
    "encrypted": ("Σ", "accent", "its summary is encrypted, only the provider reads it"),
    "unrecorded": ("·", "warning", "its summary is not in the files"),
}


def head_lines(view: CompactionView, width: int, tight: bool) -> list[TextLine]:
    """Which compaction it is, what came of messages and tokens, boundaries; less in few cells or where it is tight."""
    narrow = width < NARROW
    sign, style, words = _OUTCOMES[view.outcome]
    words = view.outcome if narrow else words
    lines = [line_of((f"compaction {view.index} of {view.total}", "strong"), (f"  {sign} {words}", style))]
    quiet = (
        []
        if tight
        else [
            text for text in (human.clock(view.at) if view.at > 0 else "", one_line(view.session, 80)) if text
        ]
    )
    if quiet:
        lines.append(TextLine(" · ".join(quiet), "muted"))
    saved = view.tokens_before - view.tokens_after
    share = human.percent(abs(saved), view.tokens_before)
    verdict = (
        f"saved {human.tokens(saved)}, {share}" if saved >= 0 else f"grew by {human.tokens(-saved)}, {share}"
    )
    low = saved < view.tokens_before * 0.10
    gap = [] if tight else [TextLine("")]
    pruned = f" (✂ {view.pruned:,})" if view.pruned else ""
    lines += gap
    if view.why:
        lines.append(TextLine(view.why, prefix="why       "))
    lines += [
        line_of(
            ("messages  ", "muted"),
            (f"{human.count(view.before)} → {human.count(view.after)}".ljust(0 if narrow else 13) + "  ", ""),
            (f"− {view.went:,} went", "removed"),
            (f" (~{human.tokens(view.went_tokens)})" if view.went_tokens is not None else "", "muted"),
            (f"  = {view.stayed:,} stayed{pruned}", "kept"),
            (f"  Σ {view.came:,}" + (" in their place" if width >= _WIDE and not pruned else ""), "accent"),
        ),
        line_of(
            ("tokens    ", "muted"),
            (
                f"~{human.tokens(view.tokens_before)} → {human.tokens(view.tokens_after)}".ljust(
                    0 if narrow else 13
                )
                + "  ",
                "",
            ),
            (("! " if low else "") + verdict, "warning" if low else "muted"),
        ),
    ]
    if view.reported:
        lines.append(TextLine(view.reported, prefix="reported  "))
    if view.cost:
        lines.append(TextLine(view.cost, prefix="cost      "))
    if view.bounds:
        lines += [*gap, *_bounds(view.bounds, width)]
    lines += [TextLine(note, "warning", prefix="! ") for note in view.notes]
    return lines


def lost_lines(view: CompactionView, width: int) -> list[TextLine]:
    """What it lost, a line a fact of so many cells, tagged "lost:0"; nothing where nobody has looked."""
    if not view.lost and not view.lost_note:
        return []
    lines = [] if view.lost else [line_of(("lost      ", "muted"), (view.lost_note, "muted"))]
    for number, fact in enumerate(view.lost):
        sign, style = OUTCOMES[fact.outcome]
        who = _WHO.get(fact.role, one_line(fact.role, 12))
        place = f"  {who}"
        if fact.source is not None:
            # What earlier summaries had kept was said in another list than the one before it.
            other = None if fact.source.generation == view.index else fact.source.generation
            place += f" {place_name(fact.source.index, generation=other)}"
        lead = "lost    " if number == 0 else " " * 8
        text = fit(one_line(" ".join(fact.text[:2_000].split()), 400), max(8, width - 10 - len(place)))
        lines.append(
            line_of((lead, "muted"), (f"{sign} ", style), (text, ""), (place, "muted"), tag=f"lost:{number}")
        )
    if view.lost and view.lost_note:
        lines.append(line_of((" " * 10 + view.lost_note, "muted")))
    return lines


def again_lines(view: CompactionView, width: int) -> list[TextLine]:
    """The files that were read again, a line each of so many cells, tagged "again:0"; nothing where there are none."""
    lines = []
    for number, entry in enumerate(view.again[:_AGAIN_SHOWN]):
        places = [f"#{place.index:,}" for place in (entry.said, entry.found) if place is not None]
        tail = f"  {' → '.join(places)}"
        room = max(8, width - 12 - len(tail))
        name = one_line(entry.text, 400)
        # Of a long path its end says most.
        text = f"{name} ({entry.note})" if len(name) + 4 < room else f"…{name[-room + 1 :]}"
        text = fit(text, room)
        lead = "again   " if number == 0 else " " * 8
        lines.append(
            line_of((lead, "muted"), ("↻ ", "warning"), (text, ""), (tail, "muted"), tag=f"again:{number}")
        )
    more = len(view.again) - _AGAIN_SHOWN
    if more > 0:
        lines.append(line_of((f"{'':10}and {more:,} more: losses, the measures", "muted")))
    return lines


def summary_lines(summary: SummaryView, folded: Callable[[str], bool]) -> list[TextLine]:
    """The summary that it made: its size beside the largest there may be, and its sections, tagged "section:0"."""
    told = f"~{human.tokens(summary.tokens)}" if summary.tokens is not None else ""
    if told and summary.budget:
        told += f" tokens of at most {human.tokens(summary.budget)}"
    if not summary.sections:
        told = one_line(summary.note or summary.text, 400) or told
    lines = [line_of(("summary   ", "muted"), (told, ""))] if told else []
    return [*lines, *section_lines(summary.sections, folded, gaps=False)[0]]


def _bounds(bounds: tuple[BoundsView, ...], room: int) -> list[TextLine]:
    """Boundaries as a small table: recorded and planned below each other, what differs marked with ≠."""
    first, name = bounds[0], max(len(one_line(row.by, 28)) for row in bounds) + 2
    # Boundaries say most; the sizes follow where a row holds them.
    narrow = room < NARROW or min(28, name) + 45 > room - 2
    width = min(11 if room < NARROW else 28, name)
    lines = [
        TextLine(
            f"{'':{width + 2}}{'head_end':>10}{'tail_start':>12}"
            + ("" if narrow else f"{'summary':>10}{'after':>9}"),
            "muted",
        )
    ]
    for row in bounds:
        sign = "━" if row.kind == "recorded" else "╌"
        style = "" if row.kind == "recorded" else "accent"
        parts = [(f"{sign} {fit(one_line(row.by, 28), width)}", style)]
        for value, expected, cells in (
            (row.head_end, first.head_end, 10),
            (row.tail_start, first.tail_start, 12),
        ):
            other = value != expected
            parts.append((f"{'≠ ' if other else ''}{value:,}".rjust(cells), "warning" if other else style))
        summary = "–" if row.summary_tokens is None else f"~{human.tokens(row.summary_tokens)}"
        after = "–" if row.tokens_after is None else f"~{human.tokens(row.tokens_after)}"
        if not narrow:
            parts.append((f"{summary:>10}{after:>9}", "muted"))
        lines.append(line_of(*parts))
        if row.note:
            lines.append(TextLine(row.note, "muted", prefix="  "))
    return lines
