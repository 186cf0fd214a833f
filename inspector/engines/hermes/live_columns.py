"""The live list of a what-if: it grows, is planned repeatedly and is compacted.

The list has a few messages in front, then one range of the conversation. Its running sums stay between compactions. So
a compaction costs time only for the changed messages, not for the whole list.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from inspector.core.conversations import ASSISTANT, USER
from inspector.core.messages import Message
from inspector.engines.hermes.columns import MessageColumns, SizeColumns
from inspector.engines.hermes.message_stats import ERASABLE, HANDOFF, NO_HANDOFF
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.release import Cut
from inspector.engines.hermes.stats_reader import read_stats
from inspector.engines.hermes.token_index import HermesTokenIndex, Shifted, SumsColumn, all_sums
from inspector.engines.sizes import MessageSize

_NO_TROUBLES: Mapping[str, Sequence[tuple[int, str]]] = MappingProxyType({})
#: The index of the summary in `LiveColumns.front`.
_SUMMARY = -1
#: Columns of a single message, by its value.
_BYTES = tuple(bytes((value,)) for value in range(8))
#: The column of pictures if no message has one: all sums are 0.
_NO_IMAGES = SumsColumn((), ())


class LiveColumns:
    """The messages and summaries of a live list, as columns (see `MessageColumns`) and as running sums.

    Only differences of sums count, so the first sum may be any number. `front` has the first messages, as indexes in
    the conversation (`_SUMMARY` for the summary). The range [low:high) of the conversation follows. `settled` is the
    number of messages at the last compaction. That compaction replaced all texts that were repeated until then.
    """

    __slots__ = (
        "asked", "calls", "chars", "columns", "front", "hands", "high", "images", "low", "paired", "roles",
        "settled", "shorts", "speaking", "walk",
    )  # fmt: skip

    def __init__(self, columns: MessageColumns) -> None:
        self.columns = columns
        self.front: list[int] = []
        self.low = self.high = self.settled = 0
        self.walk, self.chars = SumsColumn((), ()), SumsColumn((), ())
        self.images = SumsColumn((), ()) if columns.images is not None else None
        self.roles = self.calls = self.speaking = self.asked = b""
        self.shorts, self.hands, self.paired = bytearray(), bytearray(), bytearray()

    def __len__(self) -> int:
        return len(self.roles)

    @property
    def total_chars(self) -> int:
        """The number of characters of the whole list."""
        return self.chars.kept[-1] - self.chars.kept[0]

    @property
    def total_images(self) -> int:
        """The number of pictures of the whole list."""
        return 0 if self.images is None else self.images.kept[-1] - self.images.kept[0]

    def messages(self, start: int, stop: int) -> list[int]:
        """Return the messages [start:stop] of the list as indexes in the conversation, without summaries."""
        shift = self.low - len(self.front)
        first = max(start, len(self.front)) + shift
        return [at for at in self.front[start:stop] if at != _SUMMARY] + list(range(first, stop + shift))

    def extend(self, stop: int) -> None:
        """Append the next messages of the conversation, up to the index `stop`."""
        start, columns = self.high, self.columns
        if start == stop:
            return
        self.roles += columns.roles[start:stop]
        self.calls += columns.calls[start:stop]
        self.speaking += columns.speaking[start:stop]
        self.asked += columns.asked[start:stop]
        self.shorts += columns.shorts[start:stop]
        self.hands += columns.hands[start:stop]
        self.paired += columns.paired[start:stop]
        for column, sizes in self._sizes():
            _append(all_sums(column.kept), all_sums(sizes.sums.kept), start, stop)
            _append(all_sums(column.short), all_sums(sizes.sums.short), start, stop)
        self.high = stop

    def token_index(
        self, troubles: Mapping[str, Sequence[tuple[int, str]]] = _NO_TROUBLES
    ) -> HermesTokenIndex:
        """Return a view of the current list for planning. It is valid until the list changes."""
        duplicates = self._duplicates()
        now = [self._replaced(column, sizes, duplicates) for column, sizes in self._sizes()]
        return HermesTokenIndex(
            self, duplicates, now if self.images is not None else [*now, _NO_IMAGES], troubles
        )

    def replace(self, cut: Cut, token_index: HermesTokenIndex, summary: MessageSize | None) -> None:
        """Compact the list by a plan that was made from this token index: replace the middle by the summary, and prune
        the kept messages. Without a summary, only remove the middle."""
        length, front = len(self), len(self.front)
        head, tail = cut.regions(length)
        pruned_to = min(cut.prune_before, length)
        merged = cut.merged and tail < length and summary is not None
        head_shrinks = self._settle(token_index.duplicates, 0, min(head, pruned_to))
        tail_shrinks = self._settle((), tail, max(tail, pruned_to))
        columns = (token_index.tokens_now, token_index.chars, token_index.images)
        heads = min(head, pruned_to) if head_shrinks else 0
        tails = max(tail, pruned_to) if tail_shrinks else tail
        sums = [
            _compacted(column, (heads, head, tail, tails), None if summary is None else summary[kind], merged)
            for kind, column in enumerate(columns)
            if column is not _NO_IMAGES
        ]
        self.walk, self.chars = sums[:2]
        if self.images is not None:
            self.images = sums[2]
        kept = self.front[:head] + list(range(self.low, self.low + head - front))
        self.front = kept + ([] if merged or summary is None else [_SUMMARY]) + self.front[tail:]
        self.low += max(0, tail - front)
        self.settled = self.high
        if summary is None:
            self._replace_middle(head, tail)
        elif merged:
            self._merge(head, tail)
        else:
            is_user = cut.role == "user"
            asks = is_user and not self.columns.policies.skips_summaries
            role = _BYTES[USER if is_user else ASSISTANT]
            values = role, _BYTES[not is_user], _BYTES[asks], _BYTES[HANDOFF], _BYTES[0]
            self._replace_middle(head, tail, values)

    def _sizes(self) -> Iterator[tuple[SumsColumn, SizeColumns]]:
        yield self.walk, self.columns.walk
        yield self.chars, self.columns.chars
        if self.images is not None and self.columns.images is not None:
            yield self.images, self.columns.images

    def _duplicates(self) -> list[int]:
        """Return the indexes of messages whose text a later message repeats, in order."""
        columns = self.columns
        first = bisect_left(columns.later, self.settled)
        last = bisect_left(columns.later, self.high, first)
        if first == last:
            return []
        low, front, shift = self.low, self.front, len(self.front) - self.low
        duplicates = []
        for message in columns.earlier[first:last]:
            if message >= low:
                at = message + shift
            elif message in front:
                at = front.index(message)
            else:
                continue
            if self.paired[at]:
                duplicates.append(at)
        duplicates.sort()
        return duplicates

    def _replaced(self, column: SumsColumn, sizes: SizeColumns, duplicates: Sequence[int]) -> SumsColumn:
        """Return the column with the sizes of back-references in place of the messages at `places`."""
        if not duplicates:
            return column
        front, shift = self.front, self.low - len(self.front)
        short_sizes = [sizes.repeated[at + shift if at >= len(front) else front[at]] for at in duplicates]

        def shifted(sums: array[int]) -> Shifted:
            growth = (
                size - sums[at + 1] + sums[at] for at, size in zip(duplicates, short_sizes, strict=True)
            )
            return Shifted(sums, duplicates, growth)

        return SumsColumn.of(shifted(all_sums(column.kept)), shifted(all_sums(column.short)))

    def _settle(self, duplicates: Sequence[int], start: int, stop: int) -> bool:
        """Make the replaced `duplicates` and the pruning of [start:stop] permanent. Return whether pruning made a
        message shorter."""
        for at in duplicates:
            self._fix(at)
        at = first = self.shorts.find(1, start, stop)
        while at >= 0:
            self._fix(at)
            at = self.shorts.find(1, at + 1, stop)
        return first >= 0

    def _fix(self, at: int) -> None:
        """Mark a message as shortened for good: it cannot be shortened again."""
        self.shorts[at] = self.paired[at] = 0
        if self.hands[at] == ERASABLE:
            self.hands[at] = NO_HANDOFF

    def _merge(self, head: int, tail: int) -> None:
        """Merge the summary into the first message of the tail."""
        self.paired[tail] = self.shorts[tail] = 0
        self.hands[tail] = HANDOFF
        self._replace_middle(head, tail)
        if self.columns.policies.skips_summaries:
            self.asked = self.asked[:head] + b"\0" + self.asked[head + 1 :]

    def _replace_middle(
        self, head: int, tail: int, summary: tuple[bytes, bytes, bytes, bytes, bytes] = (b"",) * 5
    ) -> None:
        """Replace the middle by a message: its role, whether it speaks and asks, its part of a handoff, and a zero for
        the other columns. Without it, only remove the middle."""
        role, speaks, asks, hand, zero = summary
        self.roles = self.roles[:head] + role + self.roles[tail:]
        self.calls = self.calls[:head] + zero + self.calls[tail:]
        self.speaking = self.speaking[:head] + speaks + self.speaking[tail:]
        self.asked = self.asked[:head] + asks + self.asked[tail:]
        self.shorts[head:tail] = zero
        self.hands[head:tail] = hand
        self.paired[head:tail] = zero


def measure(messages: Iterable[Message], policies: Policies) -> HermesTokenIndex:
    """Return the token index of a list. Reads every message once, in order."""
    stats, troubles = read_stats(messages, policies)
    return token_index_until(MessageColumns(stats, policies, troubles), len(stats))


def token_index_until(columns: MessageColumns, stop: int) -> HermesTokenIndex:
    """Return the token index of the first `stop` messages of columns."""
    listed = LiveColumns(columns)
    listed.extend(stop)
    troubles = {
        phase: [entry for entry in errors if entry[0] < stop] for phase, errors in columns.troubles.items()
    }
    return listed.token_index(troubles)


def _append(sums: array[int], more: array[int], start: int, stop: int) -> None:
    """Append the messages [start:stop] of a conversation to the sums of a list; `more` has the sums of the
    conversation."""
    shift = sums[-1] - more[start]
    if shift:
        sums.extend([total + shift for total in more[start + 1 : stop + 1]])
    else:
        sums += more[start + 1 : stop + 1]


def _compacted(
    column: SumsColumn, cuts: tuple[int, int, int, int], summary: int | None, merged: bool
) -> SumsColumn:
    """Return the column after a compaction, and change its arrays. `cuts` has the end of the shortened messages of the
    head, the end of the head, the start of the tail, and the end of the shortened messages of the tail. The size of the
    summary, if there is one, is inserted between head and tail, or `merged` into the first message of the tail."""
    head_shortened, head, tail, tail_shortened = cuts
    kept, short = all_sums(column.kept), all_sums(column.short)
    _shorten(kept, short, tail, tail_shortened)
    _shorten(kept, short, 0, head_shortened)
    if merged and summary is not None:
        summary += kept[tail + 1] - kept[tail]
        tail += 1
    _join(kept, head, tail, summary)
    _join(short, head, tail, summary)
    return SumsColumn.of(kept, short)


def _shorten(kept: array[int], short: array[int], start: int, stop: int) -> None:
    """Give [start:stop] the sizes after pruning; the sums of the messages before change, too."""
    if start < stop:
        more = kept[stop] - short[stop]
        kept[start:stop] = array("q", [total + more for total in short[start:stop]])


def _join(sums: array[int], head: int, tail: int, summary: int | None) -> None:
    """Replace [head:tail] by a message of this size, or by nothing. The head moves, because it is the shorter part."""
    stop, size = (head, 0) if summary is None else (head + 1, summary)
    shift = sums[tail] - size - sums[head]
    sums[:tail] = array("q", [total + shift for total in sums[:stop]])
