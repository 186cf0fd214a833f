"""A summary as lines: size, problems, sections with their items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from msgspec import Struct

from inspector.core.conversations import Compaction
from inspector.core.rough import text_tokens
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import Item, Section
from widgets.base import human
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of


class SummaryView(Struct, frozen=True):
    """A compaction's summary, parsed.

    `total` counts the compactions. `budget` is the maximum size of the summary in tokens, None if it is unknown.
    `tokens` has the rough tokens of each section, its heading included.
    """

    compaction: Compaction | None = None
    total: int = 0
    budget: int | None = None
    sections: tuple[Section, ...] = ()
    tokens: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The whole summary; "" if there is none."""
        return "" if self.compaction is None else self.compaction.summary or ""


def summary_view(compaction: Compaction | None, total: int, budget: int | None) -> SummaryView:
    """Parse the summary of a compaction."""
    if compaction is None or compaction.summary is None:
        return SummaryView(compaction, total, budget)
    body = compaction.summary
    sections = parse_summary(body).sections
    return SummaryView(compaction, total, budget, sections, section_tokens(body, sections))


def section_tokens(body: str, sections: Sequence[Section]) -> tuple[int, ...]:
    """Rough tokens of each section with its heading; their sum is that of the body."""
    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    places = [0, *(starts[section.line] for section in sections[1:]), len(body)]
    return tuple(text_tokens(end) - text_tokens(start) for start, end in pairwise(places)) if sections else ()


def head_lines(view: SummaryView, low: bool) -> list[TextLine]:
    """The lines above a summary: its compaction, its problem, its size and budget."""
    done = view.compaction
    if done is None:
        return [TextLine("No summary is recorded so far.", "muted")]
    lines = []
    if done.fallback:
        lines.append(TextLine("No summary was made: a fallback text replaced the middle.", "error"))
    parts = [(f"compaction {done.index} of {max(view.total, done.index)}", "strong")]
    if done.merged and not done.fallback and done.summary is not None:
        parts.append(("  merged into the first tail message", "accent"))
    if view.sections:
        items = sum(len(section.items) for section in view.sections)
        counts = f"{human.plural(len(view.sections), 'section')}, {human.plural(items, 'item')}"
        parts.append((f"  {counts}", "muted"))
    tokens = None if done.summary is None else text_tokens(len(done.summary))
    if low and tokens is not None:
        parts += [("  ", ""), *_size(tokens, view.budget)]
    lines.append(line_of(*parts))
    if tokens is not None and not low:
        lines.append(line_of(*_size(tokens, view.budget, bar=20)))
    note = done.note or ("" if done.summary is not None else "The list after it contains no summary.")
    return [*lines, TextLine(note, "muted")] if note else lines


def _size(tokens: int, budget: int | None, bar: int = 0) -> list[tuple[str, str]]:
    """Size against the budget, with a bar of `bar` cells."""
    parts = [(f"~{tokens:,} tokens", "")]
    if budget:
        full = min(bar, -(-tokens * bar // budget))
        over = tokens > budget
        style = "error" if over else "key"
        if bar:
            parts += [("  " + "▓" * full, style), ("░" * (bar - full), "rest")]
        of = "the budget of " if bar else ""
        share = f"  {human.percent(tokens, budget)} of {of}{budget:,}"
        parts.append((share, "error" if over else "muted"))
    return parts


def section_lines(view: SummaryView, folded: Callable[[str], bool], gaps: bool = True) -> list[TextLine]:
    """Sections as lines, headings tagged "section:0", folded ones without items; `gaps` puts empty lines between."""
    lines: list[TextLine] = []
    sections = view.sections
    for index, section in enumerate(sections):
        level = _level(section)
        if gaps and lines and (level <= 2 or section.items):
            lines.append(TextLine(""))
        parent = index + 1 < len(sections) and _level(sections[index + 1]) > level
        lines.append(_heading(section, view.tokens[index], folded(section.name), parent, f"section:{index}"))
        if not folded(section.name):
            lines += [line for item in section.items for line in _item(item, level)]
    return lines


def _level(section: Section) -> int:
    """Depth of a section from 1: that of `##` and of the text before the first heading."""
    return max(1, section.level - 1)


def _heading(section: Section, tokens: int, folded: bool, parent: bool, tag: str) -> TextLine:
    count = human.plural(len(section.items), "item") if section.items else "" if parent else "empty"
    size = f"{count}{' · ' if count else ''}~{human.tokens(tokens)}"
    indent = "  " * max(0, _level(section) - 2)
    name = one_line(section.name, 200) or "(no heading)"
    parts = (f"{indent}{'▸' if folded else '▾'} ", "accent"), (name, "heading"), (f"  {size}", "muted")
    return line_of(*parts, tag=tag)


def _item(item: Item, level: int) -> list[TextLine]:
    mark = one_line(item.mark, 8)
    bullet = "• " if mark in ("-", "*", "+", "•") else f"{mark} " if mark else ""
    prefix = "  " * (item.depth + max(1, level - 1)) + bullet
    first, *others = item.text.replace("\r\n", "\n").split("\n")
    lines = [TextLine(first, prefix=prefix, prefix_style="muted")]
    return lines + [TextLine(line, prefix=" " * len(prefix)) for line in others]
