"""Drift of the summaries from the first one: items that remain, items that changed, items that are stale."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil
from typing import Literal

from msgspec import Struct

from inspector.core.scan.words import Stemmer
from inspector.summaries.content import content_words
from inspector.summaries.exact import Turn, turns_of
from inspector.summaries.headings import meaning
from inspector.summaries.lineage import OPEN, Cell, Lineage, LineageRow
from inspector.summaries.words import Words, is_word

#: Minimum number of later summaries that list a stale item in the same words.
MIN_LISTED_AGAIN = 2
#: Minimum share of an open item's words in an entry of finished work, and minimum number of these words.
MIN_DONE_SHARE = 0.6
MIN_DONE_WORDS = 2
#: Maximum number of entries with a word that are compared. A word in more entries is too common to identify an entry.
_MAX_ENTRIES = 64
#: Sections by meaning whose values change as work goes on. Elsewhere a changed value contradicts the old item.
CHANGING = frozenset({"state", "doing", "task", "dropped", "files"})
#: Minimum likeness of two descriptions of the same finished work. Different work has similar descriptions too.
SAME_WORK = 0.85

_CONDITION = re.compile(r"\s(?:once|after|when|until|unless|if|as soon as|before)\s", re.IGNORECASE)


class Length(Struct, frozen=True):
    """Length and budget of a column's summary, in rough tokens; None if unknown."""

    column: int
    tokens: int | None
    budget: int | None

    @property
    def share(self) -> float | None:
        """Return length / budget; above 1 the summary exceeds its budget."""
        return self.tokens / self.budget if self.tokens is not None and self.budget else None


class Remainder(Struct, frozen=True):
    """Remainder of the first summary of a model, in a column: `items` of its `of_items`, `words` of its `of_words`.

    An item remains if it is listed in any wording, or if an item that it was merged into or split into is listed.
    Its remaining words are the words that the current wording still has.
    """

    column: int
    items: int
    of_items: int
    words: int
    of_words: int


class ChangedMeaning(Struct, frozen=True):
    """An item whose meaning changed in a column. `settled` is False in sections that change as work goes on."""

    row: int
    column: int
    section: str
    was: str
    text: str
    turns: tuple[Turn, ...]
    settled: bool


class Stale(Struct, frozen=True):
    """An open item that should be closed.

    done: an entry of finished work (row `by`, listed since column `since`) describes it, and a later summary still
    lists it. listed: it has the same words since column `since`, in `times` summaries. `until` is the last column
    that lists it.
    """

    row: int
    why: Literal["done", "listed"]
    since: int
    until: int
    times: int
    section: str
    text: str
    by: int | None = None


class Drift(Struct, frozen=True):
    """Drift of a lineage. `left` has an entry for every column with a summary, from the first that a model wrote on."""

    left: tuple[Remainder, ...] = ()
    changed_meanings: tuple[ChangedMeaning, ...] = ()
    stale: tuple[Stale, ...] = ()
    lengths: tuple[Length, ...] = ()


def drift_of(
    lineage: Lineage,
    stemmer: Stemmer,
    tokens: Sequence[int | None] = (),
    budgets: Sequence[int | None] = (),
) -> Drift:
    """Return the drift of all summaries. `tokens` and `budgets` are rough tokens by column, where known.

    The `stemmer` matches entries of finished work with open items.
    """
    lengths = tuple(
        Length(at, tokens[at] if at < len(tokens) else None, budgets[at] if at < len(budgets) else None)
        for at in range(len(lineage.columns))
    )
    return Drift(
        tuple(_left(lineage)), tuple(_changed_meanings(lineage)), tuple(_stale(lineage, stemmer)), lengths
    )


def heirs(lineage: Lineage, row: LineageRow, column: int) -> tuple[LineageRow, ...]:
    """Return the rows in a column that continue a row: itself, its parts, the item that it was merged into."""
    seen: dict[int, LineageRow] = {}
    waiting = [(row, -1)]
    while waiting:
        current, since = waiting.pop()
        if current.number in seen:
            continue
        seen[current.number] = current
        for at, cell in enumerate(current.cells[: column + 1]):
            # A part leads to its whole only if it was merged into it; a whole leads to its parts if it was split.
            if cell is None or at <= since:
                continue
            if not cell.is_listed or (cell.state == "split" and at > current.first):
                waiting += [(lineage.rows[other], at) for other in cell.others]
    return tuple(seen[number] for number in sorted(seen) if seen[number].standing(column) is not None)


def _left(lineage: Lineage) -> Iterator[Remainder]:
    """Yield the remainder of the first summary for each column with a summary."""
    summarized = [at for at, column in enumerate(lineage.columns) if column.summary is not None]
    # A fallback text is not the first summary: nothing in it is meant to stay.
    while summarized and lineage.columns[summarized[0]].fallback:
        del summarized[0]
    if not summarized:
        return
    first = [(row, cell) for row in lineage.rows if (cell := row.standing(summarized[0])) is not None]
    bags = [_bag(cell.text) for _, cell in first]
    of_words = sum(bag.total() for bag in bags)
    for column in summarized:
        items = words = 0
        for (row, cell), bag in zip(first, bags, strict=True):
            there = row.standing(column)
            if there is not None and there.text == cell.text:
                items, words = items + 1, words + bag.total()
                continue
            carried = heirs(lineage, row, column)
            if carried:
                items += 1
                cells = (heir.standing(column) for heir in carried)
                texts = [listed.text for listed in cells if listed is not None]
                words += (bag & _bag("\n".join(texts))).total()
        yield Remainder(column, items, len(first), words, of_words)


@lru_cache(maxsize=4096)
def _bag(text: str) -> Counter[str]:
    return Counter([word for word in Words(text).words if is_word(word)])


def _changed_meanings(lineage: Lineage) -> Iterator[ChangedMeaning]:
    """Yield the items whose wording in a column has another meaning than the wording before."""
    for row in lineage.rows:
        before: Cell | None = None
        for column, cell in enumerate(row.cells):
            if cell is None:
                continue
            was, text = before, _wording(lineage, cell, column)
            before = cell
            if was is None or not was.is_listed or not text or text == was.text:
                continue
            if cell.likeness < SAME_WORK and meaning(cell.section) == meaning(was.section) == "done":
                continue
            turns = turns_of(was.text, text)
            if turns:
                settled = meaning(was.section) not in CHANGING and meaning(cell.section) not in CHANGING
                yield ChangedMeaning(row.number, column, cell.section, was.text, text, turns, settled)


def _wording(lineage: Lineage, cell: Cell, column: int) -> str:
    """Return an item's wording in a column, with the wordings of the items that it was split into or merged with."""
    texts = [cell.text] if cell.is_listed else []
    for other in cell.others:
        related = lineage.rows[other].standing(column)
        if related is not None:
            texts.append(related.text)
    return "\n".join(texts)


def _stale(lineage: Lineage, stemmer: Stemmer) -> Iterator[Stale]:
    done = _FinishedWork(lineage, stemmer)
    for row in lineage.rows:
        run = _open_run(row)
        if not run:
            continue
        since, until = run[0], run[-1]
        cell = row.standing(until)
        assert cell is not None
        entry = done.entry_about(row, cell.text)
        done_at = until if entry is None else max(entry.first, row.first)
        if entry is not None and until > done_at:
            times = sum(column > done_at for column in run)
            yield Stale(row.number, "done", done_at, until, times, cell.section, cell.text, entry.number)
        elif len(run) > MIN_LISTED_AGAIN:
            yield Stale(row.number, "listed", since, until, len(run), cell.section, cell.text)


def _open_run(row: LineageRow) -> list[int]:
    """Return the latest run of columns where a row lists an item as open with the same words."""
    run: list[int] = []
    text = ""
    for column in range(len(row.cells) - 1, -1, -1):
        cell = row.cells[column]
        if cell is None:
            continue
        if not cell.is_listed:
            if run:
                break
            continue
        if meaning(cell.section) not in OPEN or (run and cell.text != text):
            break
        text = cell.text
        run.append(column)
    return run[::-1]


class _FinishedWork:
    """Entries of finished work, indexed by their words."""

    def __init__(self, lineage: Lineage, stemmer: Stemmer) -> None:
        self.stemmer = stemmer
        self.rows: list[tuple[LineageRow, int, frozenset[str]]] = []
        self.places_of: dict[str, list[int]] = defaultdict(list)
        for row in lineage.rows:
            if meaning(row.section) != "done":
                continue
            words = content_words(row.text, stemmer)
            for word in words:
                self.places_of[word].append(len(self.rows))
            self.rows.append((row, row.first, words))

    def entry_about(self, row: LineageRow, text: str) -> LineageRow | None:
        """Return the entry that shares most words with an open item, among the entries that are not older than the
        item."""
        words = content_words(_CONDITION.split(text, maxsplit=1)[0], self.stemmer)
        if len(words) < MIN_DONE_WORDS:
            return None
        min_shared = max(MIN_DONE_WORDS, ceil(MIN_DONE_SHARE * len(words)))
        # An entry that shares enough words has at least one of the item's rarest words.
        rarest = [word for _, word in sorted([(len(self.places_of.get(word, ())), word) for word in words])]
        places = {
            place
            for word in rarest[: len(words) - min_shared + 1]
            for place in self.places_of.get(word, ())[:_MAX_ENTRIES]
        }
        best: tuple[int, int, LineageRow] | None = None
        for place in places:
            other, since, entry_words = self.rows[place]
            if since < row.first or other.number == row.number:
                continue
            shared = len(words & entry_words)
            if shared >= min_shared and (best is None or (shared, -place) > best[:2]):
                best = (shared, -place, other)
        return None if best is None else best[2]
