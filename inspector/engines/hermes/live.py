"""A live list as columns, from which a plan is made again and again as it grows and is compacted.

A `Deck` holds the sketches of a transcript as columns, made once. A `LiveList` grows by stretches of a deck and is
replaced by what a compaction leaves of it. Both work by slices and sums of whole columns, so that a compaction costs
about a tenth of a microsecond a message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, compress
from typing import overload

from inspector.core.rough import list_tokens
from inspector.engines.base import Plan
from inspector.engines.hermes.measures import Column, HermesMeasures
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.sketches import ASSISTANT, USER, Numbers, Sketch

_NONE, _HANDOFF, _ERASABLE = 0, 1, 2
#: Values that stand at fewer than one place in so many are looked for one by one.
_SPARSE = 8
#: Tables that leave a 1 where a column has a value, and 0 elsewhere.
_ONLY = [bytes(int(code == value) for code in range(256)) for value in range(6)]
_SIZES = ("walk", "chars", "images")


class _Sizes:
    """One kind of size, a number a message: as it stands, after pruning, as a back-reference."""

    __slots__ = ("now", "repeated", "short")

    def __init__(self, now: list[int], short: list[int], repeated: list[int]) -> None:
        self.now, self.short, self.repeated = now, short, repeated

    def part(self, start: int, stop: int) -> _Sizes:
        """The sizes of [start:stop]."""
        return _Sizes(self.now[start:stop], self.short[start:stop], self.repeated[start:stop])

    def extend(self, other: _Sizes) -> None:
        """Append other sizes."""
        self.now += other.now
        self.short += other.short
        self.repeated += other.repeated

    def set(self, index: int, size: int) -> None:
        """A message is so large from now on, pruned or not."""
        self.now[index] = self.short[index] = self.repeated[index] = size

    def append(self, size: int) -> None:
        """Append one size that pruning leaves alone."""
        self.now.append(size)
        self.short.append(size)
        self.repeated.append(size)


class _Columns:
    """Messages as columns. `paired` marks texts that occur more than once, which `twins` numbers (-1 elsewhere)."""

    __slots__ = (
        "asked", "calls", "chars", "hands", "images", "paired", "roles", "shorts", "speaking", "twins", "walk",
    )  # fmt: skip

    walk: _Sizes
    chars: _Sizes
    #: None where there is no picture.
    images: _Sizes | None
    roles: bytes
    calls: bytes
    #: 1 for assistants whose text is not empty, and for user messages that the anchor counts.
    speaking: bytes
    asked: bytes
    #: Whether pruning shortens it; what it is of a handoff.
    shorts: bytes
    hands: bytes
    paired: bytes
    twins: list[int]

    def part(self, start: int, stop: int) -> _Columns:
        """The columns of [start:stop]."""
        part = _Columns()
        part.walk, part.chars = self.walk.part(start, stop), self.chars.part(start, stop)
        part.images = self.images.part(start, stop) if self.images is not None else None
        for name in ("roles", "calls", "speaking", "asked", "shorts", "hands", "paired", "twins"):
            setattr(part, name, getattr(self, name)[start:stop])
        return part

    def extend(self, other: _Columns) -> None:
        """Append other columns, which hold pictures where these do."""
        self.walk.extend(other.walk)
        self.chars.extend(other.chars)
        if self.images is not None and other.images is not None:
            self.images.extend(other.images)
        self.roles += other.roles
        self.calls += other.calls
        self.speaking += other.speaking
        self.asked += other.asked
        self.shorts += other.shorts
        self.hands += other.hands
        self.paired += other.paired
        self.twins += other.twins


class Deck:
    """The sketches of a list as columns. `troubles` name what the release would raise, by phase."""

    def __init__(
        self,
        sketches: Sequence[Sketch],
        policies: Policies,
        troubles: Mapping[str, Sequence[tuple[int, str]]] | None = None,
    ) -> None:
        self.policies = policies
        self.troubles = troubles or {}
        self.columns = _columns(sketches, policies)
        self._sums: tuple[Column, Column, Column] | None = None

    def __len__(self) -> int:
        return len(self.columns.roles)

    def sums(self) -> tuple[Column, Column, Column]:
        """Walk tokens as they stand, walk tokens and characters with pruning, of the whole deck, no text repeated."""
        if self._sums is None:
            original, columns = _plain(self.columns.walk.now), self.columns
            self._sums = (original, _column(columns.walk, (), original), _column(columns.chars, (), None))
        return self._sums

    def growth(self) -> list[int]:
        """The release's rough estimate of the first 0, 1, ... messages as they stand, in tokens."""
        chars = accumulate(self.columns.chars.now, initial=0)
        if self.columns.images is None:
            return [list_tokens(count) for count in chars]
        images = accumulate(self.columns.images.now, initial=0)
        return [list_tokens(count, pictures) for count, pictures in zip(chars, images, strict=True)]

    def until(self, stop: int) -> HermesMeasures:
        """The measures of the first `stop` messages."""
        listed = LiveList(self)
        listed.extend(0, stop)
        troubles = {
            phase: [entry for entry in found if entry[0] < stop] for phase, found in self.troubles.items()
        }
        return listed.measures(troubles, self.sums())


class LiveList:
    """A list of messages of a deck and of summaries."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.columns = deck.columns.part(0, 0)
        #: Which message of the deck each one is; -1 for a summary.
        self.ids: list[int] = []

    def __len__(self) -> int:
        return len(self.ids)

    def extend(self, start: int, stop: int) -> None:
        """Messages [start:stop] of the deck are said."""
        self.columns.extend(self.deck.columns.part(start, stop))
        self.ids += range(start, stop)

    def measures(
        self,
        troubles: Mapping[str, Sequence[tuple[int, str]]] | None = None,
        sums: tuple[Column, Column, Column] | None = None,
    ) -> HermesMeasures:
        """What a plan needs of the list as it stands; `sums` are those of a deck that it is the beginning of."""
        columns = self.columns
        duplicates = _duplicates(columns.paired, columns.twins)
        done = HermesMeasures()
        done.policies = self.deck.policies
        done.roles, done.calls = columns.roles, columns.calls
        if sums is not None and not duplicates:
            stop = len(self.ids) + 1
            done.original, done.tokens_now, done.chars = (_beginning(column, stop) for column in sums)
        else:
            done.original = _plain(columns.walk.now)
            done.tokens_now = _column(columns.walk, duplicates, done.original)
            done.chars = _column(columns.chars, duplicates, None)
        done.total_chars = sum(columns.chars.now)
        if columns.images is None:
            done.images, done.total_images = _zeros(len(self.ids)), 0
        else:
            done.images = _column(columns.images, duplicates, None)
            done.total_images = sum(columns.images.now)
        done.duplicates = duplicates
        gone = frozenset(duplicates)
        shorts, hands = columns.shorts, columns.hands
        done.changed = _Where(shorts, 1, gone)
        done.summaries = _Where(hands, _HANDOFF)
        done.erasable = _Where(hands, _ERASABLE, gone)
        done.users_all, done.users = _Where(columns.roles, USER), _Where(columns.asked, 1)
        done.assistants, done.speaking = _Where(columns.roles, ASSISTANT), _Where(columns.speaking, 1)
        done.troubles = {
            phase: sorted(entry for entry in found if phase != "prune_result" or entry[0] not in gone)
            for phase, found in (troubles or {}).items()
        }
        return done

    def replace(self, plan: Plan, duplicates: Iterable[int], summary: Numbers) -> list[int]:
        """Carry a plan out: the summary takes the place of the middle, what stays stands as pruned. Returns which
        messages of the deck left."""
        head, tail = plan.regions()
        length, columns = len(self.ids), self.columns
        left = [index for index in self.ids[head:tail] if index >= 0]
        gone = frozenset(duplicates)
        for at in gone:
            if at < head or at >= tail:
                self._settle(at, repeated=True)
        pruned_to = min(plan.prune_before, length)
        for start, stop in ((0, min(head, pruned_to)), (tail, max(tail, pruned_to))):
            at = columns.shorts.find(1, start, stop)
            while at >= 0:
                if at not in gone:
                    self._settle(at, repeated=False)
                at = columns.shorts.find(1, at + 1, stop)
        front, behind = columns.part(0, head), columns.part(tail, length)
        ids = self.ids[:head]
        if plan.merged and tail < length:
            _merge(behind, summary, self.deck.policies)
        else:
            _append_summary(front, summary, USER if plan.role == "user" else ASSISTANT, self.deck.policies)
            ids.append(-1)
        front.extend(behind)
        self.columns, self.ids = front, ids + self.ids[tail:]
        return left

    def _settle(self, at: int, repeated: bool) -> None:
        """A message stands as it was pruned from now on."""
        columns = self.columns
        for name in _SIZES:
            sizes = getattr(columns, name)
            if sizes is not None:
                sizes.set(at, (sizes.repeated if repeated else sizes.short)[at])
        if columns.paired[at]:
            columns.paired = _with(columns.paired, at, 0)
        columns.shorts = _with(columns.shorts, at, 0)
        if columns.hands[at] == _ERASABLE:
            columns.hands = _with(columns.hands, at, _NONE)


class _Where(Sequence[int]):
    """The indexes at which a column has a value, found when they are asked for; some are left out."""

    __slots__ = ("column", "found", "gone", "value")

    def __init__(self, column: bytes, value: int, gone: frozenset[int] = frozenset()) -> None:
        self.column, self.value, self.gone = column, value, gone
        self.found: list[int] | None = None

    def _all(self) -> list[int]:
        if self.found is None:
            places = _places(self.column, self.value)
            self.found = [at for at in places if at not in self.gone] if self.gone else places
        return self.found

    def __bool__(self) -> bool:
        return self.column.find(self.value) >= 0 if not self.gone else bool(self._all())

    def __len__(self) -> int:
        if self.found is None and not self.gone and self.column.find(self.value) < 0:
            return 0
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if self.found is None and not self.gone and index in (0, -1):
            at = self.column.find(self.value) if index == 0 else self.column.rfind(self.value)
            if at < 0:
                raise IndexError(index)
            return at
        return self._all()[index]


def _places(column: bytes, value: int) -> list[int]:
    """Where a value stands in a column."""
    count = column.count(value)
    if count * _SPARSE > len(column):
        return list(compress(range(len(column)), column.translate(_ONLY[value])))
    found, at = [], column.find(value) if count else -1
    while at >= 0:
        found.append(at)
        at = column.find(value, at + 1)
    return found


def _columns(sketches: Sequence[Sketch], policies: Policies) -> _Columns:
    done = _Columns()
    done.walk, done.chars = _sizes(sketches, 0), _sizes(sketches, 1)
    done.images = _sizes(sketches, 2) if any(found.now.images for found in sketches) else None
    done.roles = bytes(found.role for found in sketches)
    done.calls = bytes(found.calls for found in sketches)
    done.speaking = bytes(found.role == ASSISTANT and found.speaks for found in sketches)
    skips = policies.skips_summaries
    done.asked = bytes(found.role == USER and not (skips and found.handoff) for found in sketches)
    done.shorts = bytes(found.short is not None for found in sketches)
    done.hands = bytes(
        _NONE if not found.handoff else _ERASABLE if found.erasable else _HANDOFF for found in sketches
    )
    often = Counter(found.same for found in sketches if found.same is not None)
    numbers = {same: number for number, (same, count) in enumerate(often.items()) if count > 1}
    done.twins = [-1 if found.same is None else numbers.get(found.same, -1) for found in sketches]
    done.paired = bytes(twin >= 0 for twin in done.twins)
    return done


def _sizes(sketches: Sequence[Sketch], kind: int) -> _Sizes:
    return _Sizes(
        [found.now[kind] for found in sketches],
        [(found.short or found.now)[kind] for found in sketches],
        [(found.repeated or found.now)[kind] for found in sketches],
    )


def _duplicates(paired: bytes, twins: list[int]) -> list[int]:
    """Which messages a later one with the same text takes the place of, in order."""
    places = _places(paired, 1)
    newest = {twins[at]: at for at in places}
    return [at for at in places if newest[twins[at]] != at]


def _plain(numbers: list[int]) -> Column:
    made = Column.__new__(Column)
    made.kept = made.short = list(accumulate(numbers, initial=0))
    return made


def _beginning(column: Column, stop: int) -> Column:
    made = Column.__new__(Column)
    made.kept, made.short = column.kept[:stop], column.short[:stop]
    return made


def _zeros(length: int) -> Column:
    made = Column.__new__(Column)
    made.kept = made.short = [0] * (length + 1)
    return made


def _column(sizes: _Sizes, duplicates: Sequence[int], plain: Column | None) -> Column:
    made = Column.__new__(Column)
    if not duplicates:
        made.kept = plain.kept if plain is not None else list(accumulate(sizes.now, initial=0))
        made.short = list(accumulate(sizes.short, initial=0))
        return made
    kept, short = sizes.now[:], sizes.short[:]
    for at in duplicates:
        kept[at] = short[at] = sizes.repeated[at]
    made.kept, made.short = list(accumulate(kept, initial=0)), list(accumulate(short, initial=0))
    return made


def _merge(columns: _Columns, summary: Numbers, policies: Policies) -> None:
    """The summary goes into the first message."""
    columns.walk.set(0, columns.walk.now[0] + summary.walk)
    columns.chars.set(0, columns.chars.now[0] + summary.chars)
    if columns.images is not None:
        columns.images.set(0, columns.images.now[0] + summary.images)
    columns.paired = _with(columns.paired, 0, 0)
    columns.shorts = _with(columns.shorts, 0, 0)
    columns.hands = _with(columns.hands, 0, _HANDOFF)
    if policies.skips_summaries:
        columns.asked = _with(columns.asked, 0, 0)


def _append_summary(columns: _Columns, summary: Numbers, role: int, policies: Policies) -> None:
    columns.walk.append(summary.walk)
    columns.chars.append(summary.chars)
    if columns.images is not None:
        columns.images.append(summary.images)
    columns.roles += bytes([role])
    columns.calls += b"\0"
    columns.speaking += bytes([role == ASSISTANT])
    columns.asked += bytes([role == USER and not policies.skips_summaries])
    columns.shorts += b"\0"
    columns.hands += bytes([_HANDOFF])
    columns.paired += b"\0"
    columns.twins.append(-1)


def _with(column: bytes, at: int, value: int) -> bytes:
    return column[:at] + bytes([value]) + column[at + 1 :]
