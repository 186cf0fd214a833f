"""Items followed through all summaries of a conversation: each item is a row, each summary a column.

`match_items` matches the items of neighbouring summaries. Other items are matched in three ways: an item that continues
a part of an earlier item was split off, an item that became a part of a later item was merged, and an item that a
summary dropped may come back in a later summary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from inspector.summaries.diff import Matching, match_items
from inspector.summaries.exact import turns_of
from inspector.summaries.headings import MEANINGS, meaning
from inspector.summaries.parts import Part, parts_of
from inspector.summaries.summary import Item, Section, Summary, WordChange
from inspector.summaries.words import Words, words_of

#: new: listed for the first time. kept: the same words. renumbered: the same words with another number. reworded:
#: other words. split: one item became several. merged: several items became one. moved: the new section has another
#: meaning. done: moved from open work to finished work. dropped: no longer listed. back: listed again.
State = Literal[
    "new", "kept", "renumbered", "reworded", "split", "merged", "moved", "done", "dropped", "back"
]
STATES: tuple[State, ...] = (
    "new", "kept", "renumbered", "reworded", "split", "merged", "moved", "done", "dropped", "back",
)  # fmt: skip
#: Sections of open work, by meaning.
OPEN = frozenset({"next", "doing", "blocked", "asked"})
#: Number of recently dropped items that are recognised in other words. In the same words, every item is recognised.
_REMEMBERED = 200
_ORDER = {key: place for place, key in enumerate(MEANINGS)}


class Column(Struct, frozen=True):
    """A compaction: its number from 1, its summary (None if missing), and whether no model wrote it."""

    compaction: int
    summary: Summary | None
    fallback: bool = False


class Cell(Struct, frozen=True):
    """State of an item in one column.

    `item` is its index in the order of `Summary.items`. It is None if the summary does not list the item, because it
    was dropped, merged into another row or split into other rows. `section` is the name of its section; for an unlisted
    item, of its last section. `text` is the wording. If the wording changed, `was` is the previous wording, `words` has
    the differing words, and `likeness` is the similarity of both from 0 to 1. `from_section` is the previous section if
    it has another meaning. `others` are the numbers of the rows that the item was split into, split off or merged with.
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
        """Return whether the summary lists the item."""
        return self.item is not None


class LineageRow(Struct, frozen=True):
    """An item through all summaries, with one cell for each column. A cell is None before the first column of the item,
    in columns after the item left the summaries, and where the summary is missing.

    `number` is its index in `Lineage.rows`. Rows are ordered by their first column.
    """

    number: int
    cells: tuple[Cell | None, ...]

    @property
    def first(self) -> int:
        """Return the number of the first column that lists the item."""
        return next(at for at, cell in enumerate(self.cells) if cell is not None)

    @property
    def last(self) -> Cell:
        """Return the latest cell of the item."""
        return next(cell for cell in reversed(self.cells) if cell is not None)

    @property
    def section(self) -> str:
        """Return the name of its current or last section."""
        return self.last.section

    @property
    def text(self) -> str:
        """Return its last wording."""
        return self.last.text

    def standing(self, column: int) -> Cell | None:
        """Return the cell of the item in a column, None if the column does not list the item."""
        cell = self.cells[column]
        return cell if cell is not None and cell.stands else None


class Lineage(Struct, frozen=True, dict=True):
    """Every item of every summary, each in exactly one row."""

    columns: tuple[Column, ...] = ()
    rows: tuple[LineageRow, ...] = ()

    @cached_property
    def groups(self) -> tuple[tuple[str, tuple[LineageRow, ...]], ...]:
        """Return (name, rows) for each meaning of a section. A row belongs to the meaning of its last section.

        The name is the newest section name with that meaning. Known meanings have the order of a summary. Other
        meanings follow in the order in which they appeared.
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
        """Return the lineage of the first `columns` columns, as `follow` builds it from them alone."""
        if columns >= len(self.columns):
            return self
        # Rows are ordered by their first column, so the rows of the first columns are a prefix.
        rows = tuple(
            LineageRow(row.number, row.cells[:columns])
            for row in self.rows
            if any(cell is not None for cell in row.cells[:columns])
        )
        return Lineage(self.columns[:columns], rows)

    def counts(self, column: int) -> dict[State, int]:
        """Return the number of items in each state in a column."""
        counts = dict.fromkeys(STATES, 0)
        for row in self.rows:
            cell = row.cells[column]
            if cell is not None:
                counts[cell.state] += 1
        return counts

    def row_of(self, column: int, item: int) -> LineageRow:
        """Return the row of the item with index `item` in the summary of a column. Raises KeyError if there is none."""
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
    """Follow every item through the summaries. Deterministic. Takes well under a second for 20 summaries of 10,000
    tokens."""
    weaver = _Weaver(len(columns))
    for number, column in enumerate(columns):
        if column.summary is not None:
            weaver.take(number, column.summary)
    rows = (LineageRow(number, tuple(cells)) for number, cells in enumerate(weaver.rows))
    return Lineage(tuple(columns), tuple(rows))


class _Gone(Struct):
    """An item that the last summary does not list: its row, and its last wording and section."""

    row: int
    item: Item
    section: Section


class _Weaver(Struct):
    """Builds the rows from one summary after another.

    `here` has the row of each item of the last summary, by index. `gone` has the items that it does not list.
    """

    width: int
    rows: list[list[Cell | None]] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    here: list[int] = field(default_factory=list)
    gone: list[_Gone] = field(default_factory=list)
    known: dict[str, Words] = field(default_factory=dict)

    def read(self, text: str) -> Words:
        """Return the words of a text, cached."""
        words = self.known.get(text)
        if words is None:
            words = self.known[text] = words_of(text)
        return words

    def take(self, column: int, new: Summary) -> None:
        """Add the next summary, as the column with this number."""
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
        """Return two maps: new item → old item that it was split off, and old item → new item that it was merged
        into."""
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
        """Map each new item to the dropped item that it continues, with likeness and differing words if it is
        reworded."""
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
            # An item with another number or name is a different item with a similar wording.
            if not turns_of(gone.item.text, news[at][1].text):
                found[at] = (gone, matching.likes.get(other))
        return found


def _key(item: Item) -> str:
    return " ".join(item.text.split())


def _gathered(items: Sequence[tuple[Section, Item]]) -> tuple[Summary, list[int]]:
    """Return items of several summaries as one summary, a section for each meaning, and their original indexes."""
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
    """Return the cell of an item that has a counterpart in the previous summary."""
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
    """Map each row that was split or merged in this column to its state and the related rows."""
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
