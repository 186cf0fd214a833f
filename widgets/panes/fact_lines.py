"""A fact as lines: what became of it, where it was said, where it survives, what came later."""

from __future__ import annotations

from collections.abc import Sequence

from widgets.base.strips import one_line
from widgets.base.text_lines import Span, TextLine, line_of
from widgets.lists.fact_list import OUTCOMES, FactView

#: What the excerpt shows of a fact that is not there as it was said.
EXCERPTS = {"value lost": "still mentioned", "weakened": "told as", "uncertain": "words of it"}


def fact_lines(fact: FactView, low: bool) -> list[TextLine]:
    """A fact in full; `low` leaves the empty lines out."""
    sign, style = OUTCOMES[fact.outcome]
    where = f" in the {fact.where}" if fact.where else ""
    lines = [
        line_of(
            (f"{sign} {fact.outcome}{where}", style),
            (f"  {fact.kind}", "strong"),
            (f"  {fact.rule}", "muted"),
        )
    ]
    place = f", {fact.source.label}" if fact.source is not None and fact.source.label else ""
    gap = [] if low else [TextLine("")]
    lines += [
        *gap,
        TextLine(f"{one_line(fact.role, 40)}{place}:", "muted"),
        _marked(fact.text, fact.values, "  "),
    ]
    if fact.excerpt:
        label = EXCERPTS.get(fact.outcome, "survives")
        at = f", {fact.survivor.label}" if fact.survivor is not None and fact.survivor.label else ""
        lines += [*gap, TextLine(f"{label}{at}:", "muted"), _marked(fact.excerpt, fact.values, "  ")]
    if fact.history:
        lines += gap
        lines += [TextLine(text) for text in fact.history]
    lines += [TextLine(text, name, prefix="! ", prefix_style=name) for text, name in fact.notes]
    return lines


def _marked(text: str, values: Sequence[str], prefix: str = "") -> TextLine:
    """A text in one line in which every value is marked."""
    shown = one_line(" ".join(text.split()), 2_000)
    folded = shown.casefold()
    spans = []
    for value in values:
        at = folded.find(value.casefold()) if len(folded) == len(shown) and value else -1
        if at >= 0:
            spans.append(Span(at, at + len(value), "number"))
    return TextLine(shown, spans=tuple(spans), prefix=prefix)
