"""The summary that the chosen compaction made, in four views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from textual import on

from inspector.app.conversation.as_of import LineageAsOf
from inspector.app.conversation.intents import Change, ChooseCompaction
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import COMPACTIONS, LINEAGE
from inspector.app.conversation.state import Resource, State, recorded, recorded_then
from inspector.core.conversations import Compaction
from inspector.core.rough import text_tokens
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import Section
from widgets.panes.choices import CompactionChosen
from widgets.panes.summary_changes import SummaryChanges
from widgets.panes.summary_life import SummaryLife
from widgets.panes.summary_pane import (
    DiffItem,
    DiffSection,
    DiffView,
    LineageView,
    SummaryItem,
    SummaryPane,
    SummaryPaneView,
    SummarySection,
    SummaryView,
)
from widgets.panes.summary_sides import SummarySides
from widgets.panes.summary_text import SummaryText


class Summary(SummaryPane):
    """The screen knows which view is shown; an item of the life leads to the changes of its compaction."""

    @on(SummaryPane.ViewShown)
    def _view_shown(self, event: SummaryPane.ViewShown) -> None:
        event.stop()
        self.post_message(Change(view=event.name))

    @on(SummaryPane.CellChosen)
    def _cell_chosen(self, event: Any) -> None:
        event.stop()
        self.post_message(ChooseCompaction(event.compaction))
        self.show_item(event.text)

    @on(CompactionChosen)
    def _compaction_chosen(self, event: CompactionChosen) -> None:
        event.stop()
        self.post_message(ChooseCompaction(event.compaction))


def _needs(context: Context) -> tuple[Any, ...] | None:
    state, compactions = context.state, context.loaded.latest(COMPACTIONS)
    if compactions is None:
        return None
    then = recorded_then(compactions, state.moment)
    # Within a compaction its summary is not there yet.
    shown = recorded(then, min(state.compaction, len(then)), None)
    index = shown.index if shown is not None else 0
    before = next((c for c in reversed(then) if c.index < index and c.summary is not None), None)
    changes = state.view in ("changes", "sides")
    lineage = context.loaded.latest(LINEAGE) if state.view == "life" else None
    budget = context.derived.budgets.max_summary_tokens
    return (
        shown,
        before if changes else None,
        changes,
        lineage,
        len(then),
        len(compactions),
        budget,
        state.view,
    )


def compute(
    shown: Compaction | None,
    before: Compaction | None,
    changes: bool,
    lineage: LineageAsOf | None,
    then: int,
    total: int,
    budget: int,
    view: str,
) -> SummaryPaneView:
    """The summary of a compaction, as far as the view on screen needs it; `then` compactions of `total` had been made.

    `budget` is the largest summary in tokens.
    """
    life: LineageView | None = None
    if lineage is not None:
        life = replace(lineage.until(then), column=max(0, shown.index - 1 if shown is not None else 0))
    return SummaryPaneView(
        summary_view(shown, then, budget),
        diff_view(before, shown) if changes else None,
        life,
        life_pending=view == "life" and lineage is None,
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
    compared = diff_summaries(parse_summary(old.summary), parse_summary(new.summary))
    sections = tuple(
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
    texts = ("", "One of the two is a fallback text", "Both are fallback texts")[old.fallback + new.fallback]
    note = f"{texts}, which no model wrote." if texts else ""
    return DiffView(
        f"compaction {old.index}", f"compaction {new.index}", sections, old.summary, new.summary, note
    )


def _wants(state: State) -> tuple[Resource[Any], ...]:
    return (LINEAGE,) if state.view == "life" else ()


PANE = Pane(
    "summary",
    "The summary that the chosen compaction made, section by section, with its size against the budget for it. m turns "
    "to what changed since the one before (+ added, − removed, ≈ reworded, → moved, = kept), to both side by side, "
    "and to the life of every item through all compactions (+ new, = kept, # renumbered, ≈ reworded, ÷ split, & "
    "merged, → moved, ✓ done, − dropped, ↺ back; ! says something else since, ◷ open and stale).",
    Summary,
    _needs,
    compute,
    Summary.set_view,
    _wants,
    short="sum",
    parts=(
        ("text", SummaryText),
        ("changes", SummaryChanges),
        ("sides", SummarySides),
        ("life", SummaryLife),
    ),
    threaded=True,
)
