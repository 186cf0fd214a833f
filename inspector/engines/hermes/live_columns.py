"""The live list of a what-if: it grows, is planned repeatedly and is compacted.

The list has a few messages in front, then one range of the conversation. Its running sums stay between compactions. So
a compaction costs time only for the changed messages, not for the whole list.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from inspector.core.messages import Message
from inspector.engines.hermes.columns import MessageColumns, SizeColumns
from inspector.engines.hermes.message_stats import ASSISTANT, ERASABLE, HANDOFF, NO_HANDOFF, USER
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.release import Cut
from inspector.engines.hermes.stats_reader import read_stats
from inspector.engines.hermes.token_index import HermesTokenIndex, Shifted, SumsColumn, all_sums
from inspector.engines.sizes import MessageSize

_NO_TROUBLES: Mapping[str, Sequence[tuple[int, str]]] = MappingProxyType({})
#: The index of the summary in `LiveColumns.front`.
_SUMMARY = -1
#: Names of the columns with one byte for each message.
_BYTES = ("roles", "calls", "speaking", "asked", "shorts", "hands", "paired")
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
        sums = [
            _compacted(
                column,
                (head, tail, pruned_to),
                None if summary is None else summary[kind],
                merged,
                (head_shrinks, tail_shrinks),
            )
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
            role = USER if cut.role == "user" else ASSISTANT
            asked = role == USER and not self.columns.policies.skips_summaries
            self._replace_middle(
                head, tail, roles=role, speaking=role == ASSISTANT, asked=asked, hands=HANDOFF
            )

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

    def _replace_middle(self, head: int, tail: int, **summary: int) -> None:
        """Replace the middle by a summary message with these values. Without values, only remove the middle."""
        for name in _BYTES:
            column = getattr(self, name)
            new = bytes((summary.get(name, 0),)) if summary else b""
            setattr(self, name, column[:head] + new + column[tail:])


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
    column: SumsColumn,
    cuts: tuple[int, int, int],
    summary: int | None,
    merged: bool,
    shortened: tuple[bool, bool],
) -> SumsColumn:
    """Return the column after a compaction. `cuts` has the end of the head, the start of the tail and the end of
    pruning. The size of the summary, if there is one, is inserted between head and tail, or `merged` into the first
    message of the tail. `shortened` says whether pruning changes the head, and whether it changes the tail."""
    head, tail, pruned_to = cuts
    head_shrinks, tail_shrinks = shortened
    kept, shorts = all_sums(column.kept), all_sums(column.short)
    front = _pruned(kept, shorts, 0, head, pruned_to) if head_shrinks else kept[: head + 1]
    behind = _pruned(kept, shorts, tail, len(kept) - 1, pruned_to) if tail_shrinks else kept[tail:]
    short = shorts[tail:]
    if summary is None:
        return SumsColumn.of(
            _ending(front, behind[0])[:-1] + behind,
            _ending(shorts[: head + 1], short[0])[:-1] + short,
        )
    if merged:
        summary += behind[1] - behind[0]
        behind, short = behind[1:], short[1:]
    return SumsColumn.of(
        _ending(front, behind[0] - summary) + behind,
        _ending(shorts[: head + 1], short[0] - summary) + short,
    )


def _pruned(kept: array[int], short: array[int], start: int, stop: int, pruned_to: int) -> array[int]:
    """Return the sums of [start:stop] after pruning everything before `pruned_to`."""
    middle = min(max(pruned_to, start), stop)
    more = kept[middle] - short[middle]
    return array("q", [total + more for total in short[start:middle]]) + kept[middle : stop + 1]


def _ending(sums: array[int], last: int) -> array[int]:
    """Return the sums, shifted so that the last sum is `last`."""
    shift = last - sums[-1]
    return array("q", [total + shift for total in sums])
