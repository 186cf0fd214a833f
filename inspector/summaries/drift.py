"""How far summaries have drifted from the first one: what is left, what says something else, what grew stale."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Literal

from inspector.core.scan.words import Stemmer, is_word
from inspector.summaries.content import content_words
from inspector.summaries.exact import Turn, turns_of
from inspector.summaries.headings import meaning
from inspector.summaries.lineage import OPEN, Cell, Lineage, LineageRow
from inspector.summaries.words import words_of

#: An open item is stale when so many later summaries list it unchanged.
LISTED_AGAIN = 2
#: An open item counts as done where an entry of what is done has so much of its words, and so many of them.
TOLD_DONE = 0.6
TOLD_WORDS = 2
# A word that more entries have than this says too little about which one tells of an item.
_LOOKED_AT = 64
#: Sections whose items change because the work goes on, by meaning; elsewhere a changed value says something else.
MOVING = frozenset({"state", "doing", "task", "dropped", "files"})
#: What was done is told in like words again and again; below this likeness it is another thing that was done.
SAME_DEED = 0.85

_CONDITION = re.compile(r"\s(?:once|after|when|until|unless|if|as soon as|before)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Length:
    """How long a column's summary is and was to be, in rough tokens; None where not known."""

    column: int
    tokens: int | None
    budget: int | None

    @property
    def share(self) -> float | None:
        """The part of the budget that it takes; above 1 it is over it."""
        return self.tokens / self.budget if self.tokens is not None and self.budget else None


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of the first summary in a column: `items` of its `of_items`, `words` of its `of_words`.

    An item is left where it stands, in whatever words, or what it was merged into or split into does. Its words are
    those that its wording there still has.
    """

    column: int
    items: int
    of_items: int
    words: int
    of_words: int


@dataclass(frozen=True, slots=True)
class Otherwise:
    """An item that says something else since a column. `settled` is False in sections that change as work goes on."""

    row: int
    column: int
    section: str
    was: str
    text: str
    turns: tuple[Turn, ...]
    settled: bool


@dataclass(frozen=True, slots=True)
class Stale:
    """An open item that should be open no longer.

    done: an entry of what is done (row `by`, there since column `since`) tells of it, and a later summary lists it
    still. listed: it has stood there in the same words since column `since`, `times` summaries. `until` is the last
    column that lists it.
    """

    row: int
    why: Literal["done", "listed"]
    since: int
    until: int
    times: int
    section: str
    text: str
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """The drift of a lineage. `left` has an entry for every column with a summary, the first one included."""

    left: tuple[Remainder, ...] = ()
    otherwise: tuple[Otherwise, ...] = ()
    stale: tuple[Stale, ...] = ()
    lengths: tuple[Length, ...] = ()


def drift_of(
    lineage: Lineage,
    stemmer: Stemmer,
    tokens: Sequence[int | None] = (),
    budgets: Sequence[int | None] = (),
) -> Drift:
    """The drift of all summaries; `tokens` and `budgets` are rough tokens by column, where they are known.

    By the `stemmer` an entry of what is done is known to tell of an open item.
    """
    lengths = tuple(
        Length(at, tokens[at] if at < len(tokens) else None, budgets[at] if at < len(budgets) else None)
        for at in range(len(lineage.columns))
    )
    return Drift(tuple(_left(lineage)), tuple(_otherwise(lineage)), tuple(_stale(lineage, stemmer)), lengths)


def heirs(lineage: Lineage, row: LineageRow, column: int) -> tuple[LineageRow, ...]:
    """The rows that stand in a column and carry on what a row says: itself, its parts, what it was merged into."""
    found: dict[int, LineageRow] = {}
    seen: set[int] = set()
    waiting = [(row, -1)]
    while waiting:
        one, since = waiting.pop()
        if one.number in seen:
            continue
        seen.add(one.number)
        if one.standing(column) is not None:
            found[one.number] = one
        for at, cell in enumerate(one.cells[: column + 1]):
            # A part leads on to its whole only when it was merged into it, a whole to its parts when it was split.
            onward = (
                cell is not None
                and at > since
                and cell.others
                and (not cell.stands or (cell.state == "split" and at > one.first))
            )
            if cell is not None and onward:
                waiting += [(lineage.rows[other], at) for other in cell.others]
    return tuple(found[number] for number in sorted(found))


def _left(lineage: Lineage) -> Iterator[Remainder]:
    known = [at for at, column in enumerate(lineage.columns) if column.summary is not None]
    if not known:
        return
    first = [(row, cell) for row in lineage.rows if (cell := row.standing(known[0])) is not None]
    bags = [_bag(cell.text) for _, cell in first]
    of_words = sum(bag.total() for bag in bags)
    for column in known:
        items = words = 0
        for (row, cell), bag in zip(first, bags, strict=True):
            there = row.standing(column)
            if there is not None and there.text == cell.text:
                items, words = items + 1, words + bag.total()
                continue
            carried = heirs(lineage, row, column)
            if carried:
                items += 1
                texts = [found.text for heir in carried if (found := heir.standing(column)) is not None]
                words += (bag & _bag("\n".join(texts))).total()
        yield Remainder(column, items, len(first), words, of_words)


@lru_cache(maxsize=4096)
def _bag(text: str) -> Counter[str]:
    return Counter([word for word in words_of(text).words if is_word(word)])


def _otherwise(lineage: Lineage) -> Iterator[Otherwise]:
    for row in lineage.rows:
        before: Cell | None = None
        for column, cell in enumerate(row.cells):
            if cell is None:
                continue
            was, text = before, _told(lineage, cell, column)
            before = cell
            if was is None or not was.stands or not text or text == was.text:
                continue
            if cell.likeness < SAME_DEED and meaning(cell.section) == meaning(was.section) == "done":
                continue
            turns = turns_of(was.text, text)
            if turns:
                settled = meaning(was.section) not in MOVING and meaning(cell.section) not in MOVING
                yield Otherwise(row.number, column, cell.section, was.text, text, turns, settled)


def _told(lineage: Lineage, cell: Cell, column: int) -> str:
    """What a column says of an item: its wording, with those of the items that it was split into or merged with."""
    texts = [cell.text] if cell.stands else []
    for other in cell.others:
        kin = lineage.rows[other].standing(column)
        if kin is not None:
            texts.append(kin.text)
    return "\n".join(texts)


def _stale(lineage: Lineage, stemmer: Stemmer) -> Iterator[Stale]:
    done = _Done(lineage, stemmer)
    for row in lineage.rows:
        run = _open_run(row)
        if not run:
            continue
        since, until = run[0], run[-1]
        cell = row.standing(until)
        assert cell is not None
        by = done.telling(row, cell.text)
        told = None if by is None else max(by.first, row.first)
        if by is not None and told is not None and until > told:
            times = sum(at > told for at in run)
            yield Stale(row.number, "done", told, until, times, cell.section, cell.text, by.number)
        elif len(run) > LISTED_AGAIN:
            yield Stale(row.number, "listed", since, until, len(run), cell.section, cell.text)


def _open_run(row: LineageRow) -> list[int]:
    """The last columns in a row that list an item as open, in the same words."""
    run: list[int] = []
    text = ""
    for column in range(len(row.cells) - 1, -1, -1):
        cell = row.cells[column]
        if cell is None:
            continue
        if not cell.stands:
            if run:
                break
            continue
        if meaning(cell.section) not in OPEN or (run and cell.text != text):
            break
        text = cell.text
        run.append(column)
    return run[::-1]


class _Done:
    """The entries of what is done, by their words."""

    def __init__(self, lineage: Lineage, stemmer: Stemmer) -> None:
        self.stemmer = stemmer
        self.rows: list[tuple[LineageRow, int, frozenset[str]]] = []
        self.having: dict[str, list[int]] = defaultdict(list)
        for row in lineage.rows:
            if meaning(row.section) != "done":
                continue
            words = content_words(row.text, stemmer)
            for word in words:
                self.having[word].append(len(self.rows))
            self.rows.append((row, row.first, words))

    def telling(self, row: LineageRow, text: str) -> LineageRow | None:
        """The entry that tells most of an open item, no older than it."""
        words = content_words(_CONDITION.split(text, maxsplit=1)[0], self.stemmer)
        if len(words) < TOLD_WORDS:
            return None
        least = max(TOLD_WORDS, ceil(TOLD_DONE * len(words)))
        # An entry with so many of the words has at least one of the rarest others.
        rarest = [word for _, word in sorted([(len(self.having.get(word, ())), word) for word in words])]
        places = {
            place
            for word in rarest[: len(words) - least + 1]
            for place in self.having.get(word, ())[:_LOOKED_AT]
        }
        first = row.first
        best: tuple[int, int] | None = None
        for place in places:
            other, since, entry = self.rows[place]
            if since < first or other.number == row.number:
                continue
            shared = len(words & entry)
            if shared >= least and (best is None or (shared, -place) > best):
                best = (shared, -place)
        return None if best is None else self.rows[-best[1]][0]
