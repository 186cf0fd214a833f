"""Summaries as the panes show them: pure functions over values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from inspector.core.conversations import Compaction
from inspector.core.rough import text_tokens
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import Section
from widgets.panes.summary_pane import (
    DiffItem,
    DiffSection,
    DiffView,
    SummaryItem,
    SummarySection,
    SummaryView,
)


def summary_view(shown: Compaction | None, total: int, budget: int | None) -> SummaryView:
    """The summary that a recorded compaction left; `budget` is the largest one in tokens, None where nobody knows."""
    if shown is None:
        return SummaryView(note="No compaction has made a summary so far.")
    title = f"compaction {shown.index} of {max(total, shown.index)}"
    if shown.summary is None:
        return SummaryView("none", title, note=shown.note or "No summary was found in the list after it.")
    parsed = parse_summary(shown.summary)
    sections = tuple(
        SummarySection(
            section.name,
            tuple(SummaryItem(item.text, item.mark, item.depth) for item in section.items),
            tokens,
            max(1, section.level - 1),
        )
        for section, tokens in zip(
            parsed.sections, section_tokens(shown.summary, parsed.sections), strict=True
        )
    )
    return SummaryView(
        kind="fallback" if shown.fallback else "merged" if shown.merged else "summary",
        title=title,
        sections=sections,
        tokens=text_tokens(len(shown.summary)),
        budget=budget,
        note=shown.note,
        text=shown.summary,
    )


def section_tokens(body: str, sections: Sequence[Section]) -> tuple[int, ...]:
    """Rough tokens of each section, its heading with it; together those of the body."""
    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    places = [0, *(starts[section.line] for section in sections[1:]), len(body)]
    return tuple(text_tokens(end) - text_tokens(start) for start, end in pairwise(places)) if sections else ()


def diff_view(old: Compaction | None, new: Compaction | None) -> DiffView | None:
    """Two successive summaries compared; None where there are not two."""
    if old is None or new is None or old.summary is None or new.summary is None:
        return None
    sections = compared_texts(old.summary, new.summary)
    texts = ("", "One of the two is a fallback text", "Both are fallback texts")[old.fallback + new.fallback]
    note = f"{texts}, which no model wrote." if texts else ""
    return DiffView(
        f"compaction {old.index}", f"compaction {new.index}", sections, old.summary, new.summary, note
    )


def compared_texts(old: str, new: str) -> tuple[DiffSection, ...]:
    """Two summaries compared, section by section."""
    compared = diff_summaries(parse_summary(old), parse_summary(new))
    return tuple(
        DiffSection(
            section.name,
            tuple(
                DiffItem(
                    change=item.change,
                    text=item.text,
                    was=item.was or "",
                    from_section=item.from_section or "",
                    to_section=item.to_section or "",
                )
                for item in section.items
            ),
            "added" if section.was is None else "removed" if section.gone else "kept",
        )
        for section in compared.sections
    )
