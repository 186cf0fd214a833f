"""Measures as the pane shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.app.conversation.fact_views import survivor_place, wanted
from inspector.core.conversations import Compaction
from inspector.core.places import place_name
from inspector.core.text import safe
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.measures.artifacts import COMMAND_START
from inspector.quality.measures.definitions import DEFINITIONS
from inspector.quality.measures.measure import Definition, Evidence, Measure, Place, Share
from widgets.base import human
from widgets.lists.evidence_list import EvidenceView
from widgets.lists.fact_list import FactPlace
from widgets.lists.measure_table import MeasureCell, MeasureColumn, MeasureRow, MeasuresView

if TYPE_CHECKING:
    from inspector.quality.measures.conversation_measures import ConversationMeasures

#: The measures in the order of the table: group, id, what each is called in its group.
_ROWS: tuple[tuple[str, str, str], ...] = (
    ("continuity", "continuity-request", "open request"),
    ("continuity", "continuity-next", "next step"),
    ("artifact trail", "artifact-files", "files"),
    ("artifact trail", "artifact-commands", "commands"),
    ("artifact trail", "read-again", "read again"),
    ("survival by kind", "survival-constraint", "hard constraints"),
    ("survival by kind", "survival-preference", "preferences"),
    ("survival by kind", "survival-decision", "decisions"),
    ("survival by kind", "survival-value", "exact values"),
    ("survival by kind", "survival-link", "told or found"),
    ("compression", "compression", "compression"),
    ("compression", "stayed-pruned", "stayed, pruned"),
    ("tokens spent", "cost", "tokens spent"),
)
#: What the parts and numbers of measures are called.
_PARTS: Mapping[str, str] = {
    "changed": "changed by a tool",
    "used": "used",
    "user": "of the user",
    "assistant": "of the agent",
    "tool": "printed by tools",
    "middle": "of the middle alone",
    "input": "read",
    "output": "written",
}
#: Numbers that stand in a cell or in a part already.
_UNTOLD = ("spent", "middle")
#: The longest text of a thing that is carried to the pane, in characters.
_LONGEST = 2_000

Survivors = Mapping[tuple[int, str, Place], FactPlace]


class MeasuresAsOf:
    """The table of measures, and what of it there was after fewer compactions."""

    def __init__(
        self, found: ConversationMeasures, compactions: Sequence[Compaction], facts: ConversationFacts
    ) -> None:
        self.whole = measures_view(found, compactions, facts)
        self._found = found
        self._then: dict[int, MeasuresView] = {}

    def until(self, compactions: int | None) -> MeasuresView:
        """The columns of the first so many compactions, and those alone together; None: of all."""
        whole = self.whole
        if compactions is None or compactions >= len(whole.columns):
            return whole
        if compactions not in self._then:
            columns = whole.columns[:compactions]
            last = columns[-1].number if columns else 0
            found = replace(
                self._found, measures=tuple(m for m in self._found.measures if m.compaction <= last)
            )
            rows = [
                replace(
                    row,
                    cells=row.cells[:compactions],
                    whole=_whole(found, DEFINITIONS[row.id], row.cells[:compactions]),
                )
                for row in whole.rows
            ]
            self._then[compactions] = MeasuresView(columns, tuple(rows) if columns else ())
        return self._then[compactions]


def evidence_of(view: MeasuresView, identity: str, compaction: int) -> tuple[EvidenceView, ...]:
    """What a measure of one compaction is told by; empty where it was not measured."""
    at = next((at for at, column in enumerate(view.columns) if column.number == compaction), None)
    row = next((row for row in view.rows if row.id == identity), None)
    return () if at is None or row is None else row.cells[at].evidence


def measures_view(
    found: ConversationMeasures, compactions: Sequence[Compaction], facts: ConversationFacts
) -> MeasuresView:
    """The table: a column for each compaction, and all of them together."""
    survivors = _survivors(facts)
    columns = tuple(
        MeasureColumn(c.index, c.fallback, c.summary is not None, c.encrypted) for c in compactions
    )
    rows = []
    for group, identity, name in _ROWS:
        definition = DEFINITIONS[identity]
        by_number = {measure.compaction: measure for measure in found.curve(identity)}
        cells = tuple(_cell(by_number.get(c.index), definition, survivors) for c in compactions)
        whole = _whole(found, definition, cells)
        counts, practice = definition.counts, definition.practice
        rows.append(MeasureRow(identity, group, name, definition.title, counts, practice, cells, whole))
    return MeasuresView(columns, tuple(rows))


def _cell(measure: Measure | None, definition: Definition, survivors: Survivors) -> MeasureCell:
    if measure is None:
        return MeasureCell()
    so_far = measure.so_far
    return _numbers(
        definition,
        measure.share,
        measure.parts,
        dict(measure.numbers),
        tuple(_evidence(entry, measure, survivors) for entry in measure.evidence),
        so_far,
    )


def _whole(found: ConversationMeasures, definition: Definition, cells: Iterable[MeasureCell]) -> MeasureCell:
    share, last, numbers = found.whole(definition.id)
    parts: dict[str, Share] = {}
    for measure in found.curve(definition.id):
        for name, part in measure.parts:
            parts[name] = parts.get(name, Share(0, 0)) + part
    evidence = tuple(entry for cell in cells for entry in cell.evidence)
    return _numbers(definition, share, tuple(parts.items()), numbers, evidence, last)


def _numbers(
    definition: Definition,
    share: Share | None,
    parts: Iterable[tuple[str, Share]],
    numbers: Mapping[str, int],
    evidence: tuple[EvidenceView, ...],
    so_far: Share | None,
) -> MeasureCell:
    told_parts = [(_PARTS.get(name, name), _told(part)) for name, part in parts]
    told_parts += [
        (_PARTS.get(name, name), f"{human.tokens(tokens)} tokens")
        for name, tokens in numbers.items()
        if name not in _UNTOLD
    ]
    curve = so_far if so_far is not None and so_far.of else None
    if definition.unit == "tokens":
        spent = human.tokens(numbers["spent"]) if "spent" in numbers else ""
        return MeasureCell(spent, spent, parts=tuple(told_parts), evidence=evidence)
    if share is None or not share.of:
        told = short = ""
    elif definition.unit == "yes or no" and share.of == 1:
        told = short = "yes" if share.count else "no"
    else:
        told, short = _told(share), human.percent(share.count, share.of)
    return MeasureCell(
        told,
        short,
        share.value if share is not None else None,
        curve.value if curve is not None else None,
        _told(curve) if curve is not None else "",
        tuple(told_parts),
        evidence,
    )


def _told(share: Share) -> str:
    return f"{human.percent(share.count, share.of)} {human.tokens(share.count)}/{human.tokens(share.of)}"


def _evidence(entry: Evidence, measure: Measure, survivors: Survivors) -> EvidenceView:
    said, found = entry.said, None
    if entry.found is not None:
        known = survivors.get((measure.compaction, entry.text, said)) if said is not None else None
        found = known if known is not None else _place(entry.found, _found_text(entry, measure))
    return EvidenceView(
        entry.text[:_LONGEST],
        entry.known,
        measure.compaction,
        entry.role,
        entry.note,
        None if said is None else _place(said, entry.text),
        found,
        entry.where or "",
    )


def _found_text(entry: Evidence, measure: Measure) -> str:
    """What of a thing the list after has in the same words, so that it can be looked for there."""
    if measure.id == "artifact-commands":
        return entry.text[:COMMAND_START]
    if entry.note == "by its name alone":
        return entry.text.rpartition("/")[2]
    return entry.text


def _place(place: Place, text: str) -> FactPlace:
    return FactPlace(place.generation, place.index, wanted(safe(text[:_LONGEST])), _label(place))


def _label(place: Place) -> str:
    return place_name(place.index, generation=place.generation)


def _survivors(facts: ConversationFacts) -> Survivors:
    """Where facts stand after the compaction that summarized them, with the words that stand there."""
    found: dict[tuple[int, str, Place], FactPlace] = {}
    for life in facts.lives:
        saying = next(
            (one for one in life.fact.sayings if one.compaction == life.compaction), life.fact.first
        )
        place = survivor_place(life.fact, life.fate)
        if place is not None:
            key = (life.compaction, life.fact.text, Place(saying.generation, saying.index))
            found[key] = replace(place, label=_label(Place(place.generation, place.index)))
    return found
