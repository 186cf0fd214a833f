"""Items followed through all summaries of a conversation: each a row, each summary a column.

Neighbours are matched as `diff_summaries` does. Beyond that, an item that carries on a part of another was split
off, one that went into another was merged, and one that had been dropped may come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from inspector.summaries.diff import Matching, match_items
from inspector.summaries.exact import turns_of
from inspector.summaries.headings import MEANINGS, meaning
from inspector.summaries.parts import Part, parts_of
from inspector.summaries.summary import Item, Section, Summary, WordChange
from inspector.summaries.words import Words, words_of

#: new: it first stands here. kept: the same words. renumbered: the same words under another number. reworded: other
#: words. split: what was one item are several now. merged: several items are one now. moved: it stands in a section of
#: another meaning. done: it moved from what was open to what is done. dropped: it is gone. back: it had been gone.
State = Literal[
    "new", "kept", "renumbered", "reworded", "split", "merged", "moved", "done", "dropped", "back"
]
STATES: tuple[State, ...] = (
    "new", "kept", "renumbered", "reworded", "split", "merged", "moved", "done", "dropped", "back",
)  # fmt: skip
#: Sections of what is still to be done, by meaning.
OPEN = frozenset({"next", "doing", "blocked", "asked"})
#: So many items that were dropped last are known again in other words; in the same words all of them are.
_REMEMBERED = 200
_ORDER = {key: place for place, key in enumerate(MEANINGS)}


@dataclass(frozen=True, slots=True)
class Column:
    """A compaction: its number from 1, its summary (None where none was found), and whether no model wrote it."""

    compaction: int
    summary: Summary | None
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """What an item is in one column.

    `item` is its index in the order of `Summary.items`; None where it no longer stands there: dropped, merged into
    another row, or split up into others. `section` is the name of its section, for an item that is gone of the one
    it stood in last. `text` is the wording, `was` the one before where it differs, `words` says where.
    `from_section` is where it stood before, where that differs in meaning. `others` are the rows that it was split
    into or off, or merged with.
    """

    state: State
    item: int | None
    section: str
    text: str
    was: str | None = None
    words: tuple[WordChange, ...] = ()
    likeness: float = 1.0
    from_section: str = ""
    others: tuple[int, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether the item stands in the summary."""
        return self.item is not None


@dataclass(frozen=True, slots=True)
class LineageRow:
    """An item through all summaries: one cell a column, None where it is not there yet, no longer, or not known.

    `number` is its place in `Lineage.rows`. Rows are in the order in which they first stood anywhere.
    """

    number: int
    cells: tuple[Cell | None, ...]

    @property
    def first(self) -> int:
        """The column in which it first stands."""
        return next(at for at, cell in enumerate(self.cells) if cell is not None)

    @property
    def last(self) -> Cell:
        """The latest thing known of it."""
        return next(cell for cell in reversed(self.cells) if cell is not None)

    @property
    def section(self) -> str:
        """The section in which it stands, or stood last."""
        return self.last.section

    @property
    def text(self) -> str:
        """Its last wording."""
        return self.last.text

    def standing(self, column: int) -> Cell | None:
        """Its cell in a column where it stands there."""
        cell = self.cells[column]
        return cell if cell is not None and cell.stands else None


@dataclass(frozen=True)
class Lineage:
    """Every item of every summary, each in exactly one row."""

    columns: tuple[Column, ...] = ()
    rows: tuple[LineageRow, ...] = ()

    @cached_property
    def groups(self) -> tuple[tuple[str, tuple[LineageRow, ...]], ...]:
        """(name, rows) by the meaning of the section in which each row stands last.

        The name is the newest one that a section of that meaning had. Known meanings come in the order of a
        summary, others behind them as they came up.
        """
        names: dict[str, str] = {}
        for column in self.columns:
            for section in column.summary.sections if column.summary else ():
                names[meaning(section.name)] = section.name
        found: dict[str, list[LineageRow]] = {}
        for row in self.rows:
            found.setdefault(meaning(row.section), []).append(row)
        keys = sorted(found, key=lambda key: _ORDER.get(key, len(_ORDER)))
        return tuple((names.get(key, key), tuple(found[key])) for key in keys)

    def until(self, columns: int) -> Lineage:
        """The lineage of the first so many columns: what following them alone finds."""
        if columns >= len(self.columns):
            return self
        # Rows are in the order in which they first stood, so those of the first columns come first.
        rows = tuple(
            LineageRow(row.number, row.cells[:columns])
            for row in self.rows
            if any(cell is not None for cell in row.cells[:columns])
        )
        return Lineage(self.columns[:columns], rows)

    def counts(self, column: int) -> dict[State, int]:
        """How many items are in each state in a column."""
        counts = dict.fromkeys(STATES, 0)
        for row in self.rows:
            cell = row.cells[column]
            if cell is not None:
                counts[cell.state] += 1
        return counts

    def row_of(self, column: int, item: int) -> LineageRow:
        """The row of an item of a summary, by its index. Raises KeyError for one that is not there."""
        return self.rows[self._places[column, item]]

    @cached_property
    def _places(self) -> Mapping[tuple[int, int], int]:
        return {
            (column, cell.item): row.number
            for row in self.rows
            for column, cell in enumerate(row.cells)
            if cell is not None and cell.item is not None
        }


def follow(columns: Sequence[Column]) -> Lineage:
    """Follow every item through the summaries. Deterministic; well under a second for 20 of 10,000 tokens."""
    weaver = _Weaver(len(columns))
    for number, column in enumerate(columns):
        if column.summary is not None:
            weaver.take(number, column.summary)
    rows = (LineageRow(number, tuple(cells)) for number, cells in enumerate(weaver.rows))
    return Lineage(tuple(columns), tuple(rows))


@dataclass(slots=True)
class _Gone:
    """An item that no summary has any more: its row, last wording and section."""

    row: int
    item: Item
    section: Section


@dataclass(slots=True)
class _Weaver:
    """Takes one summary after the other. `here` is the row of each item of the last one, by index."""

    width: int
    rows: list[list[Cell | None]] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    here: list[int] = field(default_factory=list)
    gone: list[_Gone] = field(default_factory=list)
    known: dict[str, Words] = field(default_factory=dict)

    def read(self, text: str) -> Words:
        """The words of a text, taken apart once."""
        words = self.known.get(text)
        if words is None:
            words = self.known[text] = words_of(text)
        return words

    def take(self, column: int, new: Summary) -> None:
        """The next summary."""
        olds, news = list(self.summary.items()), list(new.items())
        matching = match_items(self.summary, new, self.read)
        splits, merges = self._parts(olds, news, matching)
        fresh = [at for at in range(len(news)) if at not in matching.items and at not in splits]
        back = self._back(news, fresh)
        here: list[int] = [-1] * len(news)
        for other, one in matching.items.items():
            here[other] = self.here[one]
        for other, (gone, _) in back.items():
            here[other] = gone.row
        for other in range(len(news)):
            if here[other] < 0:
                here[other] = len(self.rows)
                self.rows.append([None] * self.width)
        kin = _kin(splits, merges, self.here, here)
        stands = {one: other for other, one in matching.items.items()}
        for other, (section, item) in enumerate(news):
            if other in matching.items:
                old = olds[matching.items[other]]
                cell = _became(old, (section, item), other, matching.likes.get(other))
            elif other in back:
                gone, like = back[other]
                was = None if like is None else gone.item.text
                words, likeness = ((), 1.0) if like is None else (like[1], like[0])
                cell = Cell("back", other, section.name, item.text, was, words, likeness)
            else:
                cell = Cell("new", other, section.name, item.text)
            self._put(column, here[other], cell, kin)
        for one, (section, item) in enumerate(olds):
            if one not in stands:
                self._put(column, self.here[one], Cell("dropped", None, section.name, item.text), kin)
                self.gone.append(_Gone(self.here[one], item, section))
        returned = {gone.row for gone, _ in back.values()}
        self.gone = [gone for gone in self.gone if gone.row not in returned]
        self.summary, self.here = new, here

    def _put(
        self, column: int, row: int, cell: Cell, kin: Mapping[int, tuple[State, tuple[int, ...]]]
    ) -> None:
        if row in kin:
            state, others = kin[row]
            cell = Cell(
                state, cell.item, cell.section, cell.text, cell.was, cell.words, cell.likeness,
                cell.from_section, others,
            )  # fmt: skip
        self.rows[row][column] = cell

    def _parts(
        self, olds: list[tuple[Section, Item]], news: list[tuple[Section, Item]], matching: Matching
    ) -> tuple[dict[int, int], dict[int, int]]:
        """New item → the old one that it was split off; old item → the new one that it was merged into."""
        stands = {one: other for other, one in matching.items.items()}
        added = [at for at in range(len(news)) if at not in matching.items]
        removed = [at for at in range(len(olds)) if at not in stands]
        changed = [(one, other) for other, one in matching.items.items() if other in matching.likes]
        if not (added and (removed or changed)) and not (removed and changed):
            return {}, {}
        old = {at: self.read(olds[at][1].text) for at in (*removed, *(one for one, _ in changed))}
        new = {at: self.read(news[at][1].text) for at in (*added, *(other for _, other in changed))}
        wholes: list[Part] = [(one, old[one], new[other]) for one, other in changed]
        wholes += [(one, old[one], None) for one in removed]
        splits = parts_of([(at, new[at]) for at in added], wholes)
        split = set(splits.values())
        wholes = [(other, new[other], old[one]) for one, other in changed if one not in split]
        wholes += [(at, new[at], None) for at in added if at not in splits]
        merges = parts_of([(at, old[at]) for at in removed if at not in split], wholes)
        return splits, merges

    def _back(
        self, news: list[tuple[Section, Item]], fresh: list[int]
    ) -> dict[int, tuple[_Gone, tuple[float, tuple[WordChange, ...]] | None]]:
        """New item → what it was before it was dropped, and how alike where the wording is another."""
        found: dict[int, tuple[_Gone, tuple[float, tuple[WordChange, ...]] | None]] = {}
        if not (fresh and self.gone):
            return found
        same: dict[str, list[_Gone]] = {}
        for gone in reversed(self.gone):
            same.setdefault(_key(gone.item), []).append(gone)
        for at in fresh:
            known = same.get(_key(news[at][1]))
            if known:
                found[at] = (known.pop(0), None)
        taken = {gone.row for gone, _ in found.values()}
        left = [gone for gone in self.gone if gone.row not in taken][-_REMEMBERED:]
        fresh = [at for at in fresh if at not in found]
        old, olds = _gathered([(gone.section, gone.item) for gone in left])
        new, places = _gathered([news[at] for at in fresh])
        matching = match_items(old, new, self.read)
        for other, one in matching.items.items():
            gone, at = left[olds[one]], fresh[places[other]]
            # With another number or name in it, it is another item that is worded alike.
            if not turns_of(gone.item.text, news[at][1].text):
                found[at] = (gone, matching.likes.get(other))
        return found


def _key(item: Item) -> str:
    return " ".join(item.text.split())


def _gathered(items: Sequence[tuple[Section, Item]]) -> tuple[Summary, list[int]]:
    """Items of several summaries as one, a section for each meaning; and which of them its items are, in order."""
    found: dict[str, list[int]] = {}
    for at, (section, _) in enumerate(items):
        found.setdefault(meaning(section.name), []).append(at)
    sections = tuple(
        Section((items[places[0]][0].name,), 2, tuple(items[at][1] for at in places))
        for places in found.values()
    )
    return Summary(sections), [at for places in found.values() for at in places]


def _became(
    old: tuple[Section, Item],
    new: tuple[Section, Item],
    place: int,
    like: tuple[float, tuple[WordChange, ...]] | None,
) -> Cell:
    """The cell of an item that has a counterpart in the summary before."""
    (was_in, was), (stands_in, item) = old, new
    source, target = meaning(was_in.name), meaning(stands_in.name)
    state: State = "kept" if like is None else "reworded"
    from_section = ""
    if source != target:
        from_section = was_in.name
        state = "done" if source in OPEN and target == "done" else "moved"
    elif state == "kept" and was.kind == item.kind == "number" and was.mark != item.mark:
        state = "renumbered"
    words, likeness = ((), 1.0) if like is None else (like[1], like[0])
    text_was = None if like is None else was.text
    return Cell(state, place, stands_in.name, item.text, text_was, words, likeness, from_section)


def _kin(
    splits: Mapping[int, int],
    merges: Mapping[int, int],
    olds: Sequence[int],
    news: Sequence[int],
) -> dict[int, tuple[State, tuple[int, ...]]]:
    """Row → how it hangs together with which other rows in this column: split or merged."""
    kin: dict[int, tuple[State, set[int]]] = {}

    def tie(state: State, row: int, other: int) -> None:
        kin.setdefault(row, (state, set()))[1].add(other)

    for part, whole in splits.items():
        tie("split", news[part], olds[whole])
        tie("split", olds[whole], news[part])
    for part, whole in merges.items():
        tie("merged", olds[part], news[whole])
        tie("merged", news[whole], olds[part])
    return {row: (state, tuple(sorted(others))) for row, (state, others) in kin.items()}
