"""One compaction as lines: why it fired, its sizes, lost facts, its aftermath, its summary."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from inspector.core.conversations import Compaction
from inspector.core.places import place_name
from inspector.core.rough import text_tokens
from inspector.core.signs import ROLE_WORDS
from inspector.engines.base import Plan, agreement_words
from inspector.engines.registry import words_of
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.facts.fact import Life
from widgets.bars.timeline import outcome_of
from widgets.base import human
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.fact_list import OUTCOMES
from widgets.panes.attempt_lines import NO_ATTEMPTS, AttemptsView
from widgets.panes.summary_lines import SummaryView, section_lines

#: Below NARROW cells lines have fewer words.
NARROW = 60
#: Cells of the name before a line.
_LEAD = 10
#: Width of two counts with an arrow, in cells.
_COUNTS = 15

#: Maximum width of "planned by" with a profile, in cells.
_NAME = 36
#: Maximum number of events after a compaction.
_AFTERMATH_SHOWN = 6
#: A compaction that saves a smaller share of the tokens gets a warning.
_LITTLE = 0.10


class CompactionView(Struct, frozen=True):
    """A compaction, one of `total`. Tokens are rough and include the system prompt.

    `plan` is the plan of the settings on screen for the list before it. `removed_tokens` is the size of the removed
    messages, `first_sent` the tokens of the first request after it (None: unknown). `why` and `cost` are sentences.
    `lost` are the worst lost facts; the first `counted` of them count as losses. `lost_notes` are about the others.
    `aftermath` is repeated work after it (None: unknown). `summary` is None until the compaction is over.
    """

    done: Compaction
    total: int
    plan: Plan | None = None
    removed_tokens: int | None = None
    first_sent: int | None = None
    why: str = ""
    cost: str = ""
    lost: tuple[Life, ...] = ()
    counted: int = 0
    lost_notes: tuple[str, ...] = ()
    aftermath: tuple[AftermathEvent, ...] | None = None
    summary: SummaryView | None = None
    attempts: AttemptsView = NO_ATTEMPTS


_OUTCOMES = {
    "summary": ("accent", "a summary replaced the middle"),
    "merged": ("accent", "the summary was merged into the first tail message"),
    "fallback": ("error", "no summary was made; a fallback text replaced the middle"),
    "failed": ("error", "the compaction failed"),
    "encrypted": ("accent", "its summary cannot be read: it is encrypted or not recorded"),
    "unrecorded": ("warning", "its summary is not in the files"),
    "broken": ("error", "no compaction: the agent lost the list before it"),
}


def head_lines(view: CompactionView, width: int, tight: bool) -> list[TextLine]:
    """Lines with the title, why it fired, and the messages and tokens before and after.

    A narrow or `tight` pane gets fewer words.
    """
    done, narrow = view.done, width < NARROW
    outcome = outcome_of(done)
    style, words = _OUTCOMES[outcome]
    title = f"compaction {done.index} of {view.total}"
    lines = [line_of((title, "strong"), (f"  {outcome if narrow else words}", style))]
    quiet = [human.clock(done.at) if done.at > 0 else "", one_line(done.session, 80)]
    if not tight and any(quiet):
        lines.append(TextLine(" · ".join(text for text in quiet if text), "muted"))
    lines += [] if tight else [TextLine("")]
    if view.why:
        lines.append(TextLine(view.why, prefix="why       "))
    lines += [_messages(view, width), _tokens(done, narrow)]
    reported = reported_words(done, view.first_sent)
    if reported:
        lines.append(TextLine(reported, prefix="reported  "))
    return [*lines, *([TextLine(done.note, "warning", prefix="! ")] if done.note else [])]


def plan_lines(view: CompactionView, width: int) -> list[TextLine]:
    """Lines with the cost, and with the recorded and the planned boundaries."""
    cost = [TextLine(view.cost, prefix="cost      ")] if view.cost else []
    return [*cost, *_bounds(view, width)]


def _messages(view: CompactionView, width: int) -> TextLine:
    done = view.done
    size = f" (~{human.tokens(view.removed_tokens)})" if view.removed_tokens is not None else ""
    if not done.before:
        return TextLine(f"unknown → {done.after_words}", prefix="messages  ", prefix_style="muted")
    counts = f"{done.before:,} → {done.after_words}"
    came, text = max(0, done.after - done.remaining), "fallback text" if done.fallback else "summary"
    apart = min(came, 1) if done.summary_at is not None and not done.merged else 0
    parts = (
        (f"{done.removed:,} removed", "removed"),
        (f"{size}, ", "muted"),
        (f"{done.remaining:,} kept", "kept"),
        (f", 1 {text}" if apart else f" (1 with {text})" if done.summary else "", "accent"),
        (f", {came - apart:,} new" if came > apart else "", "muted"),
    )
    # The scroll bar takes 2 cells.
    room = width - _LEAD - 4 - sum(len(words) for words, _ in parts)
    return line_of(
        (counts.ljust(_COUNTS if room >= _COUNTS else 0) + "  ", ""),
        *parts,
        prefix="messages  ",
        prefix_style="muted",
    )


def _tokens(done: Compaction, narrow: bool) -> TextLine:
    saved = done.tokens_before - done.tokens_after
    share = human.percent(abs(saved), done.tokens_before)
    verdict = f"saved ~{human.tokens(saved)}" if saved >= 0 else f"grew by ~{human.tokens(-saved)}"
    low = saved < done.tokens_before * _LITTLE
    before = f"~{human.tokens(done.tokens_before)}" if done.before else "unknown"
    sizes = f"{before} → ~{human.tokens(done.tokens_after)}"
    if not done.before or not done.whole or done.broken:
        # The files lack the list before, or a part, or no compaction saved anything.
        return line_of(("tokens    ", "muted"), (sizes, ""))
    return line_of(
        ("tokens    ", "muted"),
        (sizes.ljust(0 if narrow else _COUNTS) + "  ", ""),
        (f"{'only ' if low and saved >= 0 else ''}{verdict}, {share}", "warning" if low else "muted"),
    )


def reported_words(done: Compaction, first_sent: int | None) -> str:
    """Sizes that the agent reported, and that of the first request after it; "" if it reported none."""
    sizes = [size for size in (done.tokens_before_reported, done.tokens_after_reported) if size is not None]
    parts = [" → ".join(f"{size:,}" for size in sizes)] if sizes else []
    return " · ".join(parts if first_sent is None else [*parts, f"the next request sent {first_sent:,}"])


def lost_lines(view: CompactionView, width: int) -> list[TextLine]:
    """A line per lost fact, tagged "lost:0", cut to `width` cells; nothing while facts are unknown."""
    lines = []
    fate_width = max((len(life.outcome) for life in view.lost), default=0) + 2
    for number, life in enumerate(view.lost):
        sign, style = OUTCOMES[life.outcome]
        # Most lost facts are the user's. Facts that earlier summaries kept are from an earlier list.
        who = "" if life.role == "user" else f"{ROLE_WORDS.get(life.role, one_line(life.role, 12))} "
        other = "" if life.saying.generation == view.done.index else f" g{life.saying.generation}"
        place = f"  {who}{place_name(life.saying.index)}{other}"
        lead = ("lost" if number == 0 else "").ljust(8 if width < NARROW else 10)
        ink = "" if number < view.counted else "muted"
        fate = f"{sign} " if width < NARROW else life.outcome.ljust(fate_width)
        room = max(8, width - len(lead) - len(fate) - len(place))
        text = fit(one_line(" ".join(life.text[:2_000].split()), 400), room)
        lines.append(
            line_of((lead, "muted"), (fate, style), (text, ink), (place, "muted"), tag=f"lost:{number}")
        )
    for note in view.lost_notes:
        lines.append(
            TextLine(note, "muted", prefix=" " * 10 if lines else "lost      ", prefix_style="muted")
        )
    return lines


def aftermath_lines(view: CompactionView, width: int) -> list[TextLine]:
    """A line per event after the compaction, tagged "after:0", cut to `width` cells; nothing while unknown."""
    if view.aftermath is None:
        return []
    lines = [] if view.aftermath else [line_of(("after     no repeated work recognized", "muted"))]
    for number, event in enumerate(view.aftermath[:_AFTERMATH_SHOWN]):
        tail = f"  #{event.place.index:,}"
        if event.earlier is not None:
            earlier = f"#{event.earlier.index:,}"
            words = earlier if width < NARROW else event.earlier_words(earlier)
            tail = f"  {words} →{tail[1:]}"
        size = f"  {event.size}"
        kind = f"{event.kind}{' (model)' if event.model else ''}  "
        text = one_line(event.fact or event.text, 400)
        if 10 + len(kind) + len(text) + len(tail) + len(size) <= width:
            tail += size
        room = max(8, width - 10 - len(kind) - len(tail))
        if event.kind in ("read again", "fetched again") and len(text) > room:
            # The end of a long path distinguishes it.
            text = f"…{text[-room + 1 :]}"
        lead = "after     " if number == 0 else " " * 10
        style = "error" if event.breaks_rule else "warning"
        parts = ((lead, "muted"), (kind, style), (fit(text, room), ""), (tail, "muted"))
        lines.append(line_of(*parts, tag=f"after:{number}"))
    more = len(view.aftermath) - _AFTERMATH_SHOWN
    if more > 0:
        lines.append(line_of((f"{'':10}and {more:,} more", "muted")))
    return lines


def summary_lines(summary: SummaryView, folded: Callable[[str], bool]) -> list[TextLine]:
    """The size of the summary against its budget, and its sections, tagged "section:0"."""
    size = f"~{human.tokens(text_tokens(len(summary.text)))}"
    if summary.budget:
        size += f" tokens of at most {human.tokens(summary.budget)}"
    text = size if summary.sections else one_line(summary.text, 400) or size
    return [line_of(("summary   ", "muted"), (text, "")), *section_lines(summary, folded, gaps=False)]


def _bounds(view: CompactionView, room: int) -> list[TextLine]:
    """Boundaries as a table: recorded, and planned below."""
    done = view.done
    # An unknown list has no plan. The same holds for a list that was lost without a compaction.
    plan = view.plan if done.before and not done.broken else None
    summary = None if done.summary is None else text_tokens(len(done.summary))
    planned = "" if plan is None else f"planned by {words_of(plan.profile)}"
    rows = [("━", "recorded", (done.head_end, done.tail_start), summary, done.tokens_after, "")]
    if not done.exact:
        rows[0] = (*rows[0][:5], "inferred")
    if plan is not None:
        bounds = plan.regions() if plan.compacts else (0, 0)
        agrees = plan.compacts and bounds == (done.head_end, done.tail_start)
        same = agreement_words(plan.kept, [index for index, _ in done.kept])
        note = plan.reason if not plan.compacts else same if agrees else "differs from the record"
        sizes = (plan.summary_budget, plan.tokens_after) if plan.compacts else (None, None)
        rows.append(("╌", planned, bounds, *sizes, note))
    # Without a head or a tail, a boundary is left out.
    columns = [
        (at, title, cells)
        for at, title, cells, bare in ((0, "head_end", 10, 0), (1, "tail_start", 12, done.before))
        if any(row[2][at] != bare for row in rows)
    ]
    name = max(len(one_line(row[1], _NAME)) for row in rows) + 2
    # Sizes follow the boundaries if a row has room for both.
    narrow = room < NARROW or min(_NAME, name) + sum(cells for *_, cells in columns) + 23 > room - 2
    width = min(11 if room < NARROW else _NAME, name)
    titles = "".join(title.rjust(cells) for _, title, cells in columns)
    titles += "" if narrow else f"{'summary':>10}{'after':>9}"
    lines = [TextLine(f"{'':{width + 2}}{titles}", "muted")] if titles else []
    for sign, by, bounds, size, after, note in rows:
        style = "" if sign == "━" else "accent"
        parts = [(f"{sign} {fit(one_line(by, _NAME), width)}", style)]
        for at, _, cells in columns:
            differs = bounds[at] != rows[0][2][at]
            parts.append((f"{bounds[at]:,}".rjust(cells), "warning" if differs else style))
        if not narrow:
            parts.append((f"{_rough(size):>10}{_rough(after):>9}", "muted"))
        lines.append(line_of(*parts))
        if note:
            lines.append(TextLine(note, "muted", prefix="  "))
    return lines


def _rough(tokens: int | None) -> str:
    return "–" if tokens is None else f"~{human.tokens(tokens)}"
