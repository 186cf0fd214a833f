"""A live list that grows, is planned repeatedly and is compacted. It has a few messages in front, then one range of the
conversation. Its sums are kept between compactions, so a compaction costs only its changes, not a pass over the list.
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
from inspector.engines.hermes.token_index import Column, HermesTokenIndex, Shifted, whole
from inspector.engines.sizes import MessageSize

_NO_TROUBLES: Mapping[str, Sequence[tuple[int, str]]] = MappingProxyType({})
#: The index of the summary in `LiveColumns.front`.
_SUMMARY = -1
#: The columns with a byte for each message.
_BYTES = ("roles", "calls", "speaking", "asked", "shorts", "hands", "paired")
#: The column of pictures if no message has one: all sums are 0.
_NO_IMAGES = Column((), ())


class LiveColumns:
    """Messages of a conversation and summaries, as columns (see `MessageColumns`) and as sums that may start anywhere.

    The messages of `front` come first, by their index in the conversation; the range [low:high) of the conversation
    follows. `settled` is the number of messages at the last compaction, which replaced all texts that were repeated
    until then.
    """

    __slots__ = (
        "asked", "calls", "chars", "columns", "front", "hands", "high", "images", "low", "paired", "roles",
        "settled", "shorts", "speaking", "walk",
    )  # fmt: skip

    def __init__(self, columns: MessageColumns) -> None:
        self.columns = columns
        self.front: list[int] = []
        self.low = self.high = self.settled = 0
        self.walk, self.chars = Column((), ()), Column((), ())
        self.images = Column((), ()) if columns.images is not None else None
        self.roles = self.calls = self.speaking = self.asked = b""
        self.shorts, self.hands, self.paired = bytearray(), bytearray(), bytearray()

    def __len__(self) -> int:
        return len(self.roles)

    @property
    def total_chars(self) -> int:
        """Characters of the whole list."""
        return self.chars.kept[-1] - self.chars.kept[0]

    @property
    def total_images(self) -> int:
        """Pictures of the whole list."""
        return 0 if self.images is None else self.images.kept[-1] - self.images.kept[0]

    def messages(self, start: int, stop: int) -> list[int]:
        """The indexes in the conversation of [start:stop], without summaries."""
        shift = self.low - len(self.front)
        first = max(start, len(self.front)) + shift
        return [at for at in self.front[start:stop] if at != _SUMMARY] + list(range(first, stop + shift))

    def extend(self, stop: int) -> None:
        """The messages of the conversation until `stop` are said."""
        start = self.high
        for name in _BYTES:
            setattr(self, name, getattr(self, name) + getattr(self.columns, name)[start:stop])
        for own, sizes in self._sizes():
            _append(whole(own.kept), whole(sizes.sums.kept), start, stop)
            _append(whole(own.short), whole(sizes.sums.short), start, stop)
        self.high = stop

    def token_index(
        self, troubles: Mapping[str, Sequence[tuple[int, str]]] = _NO_TROUBLES
    ) -> HermesTokenIndex:
        """View of the current list for planning; valid until the list changes."""
        duplicates = self._duplicates()
        now = [self._replaced(own, sizes, duplicates) for own, sizes in self._sizes()]
        return HermesTokenIndex(
            self, duplicates, now if self.images is not None else [*now, _NO_IMAGES], troubles
        )

    def replace(self, cut: Cut, token_index: HermesTokenIndex, summary: MessageSize | None) -> None:
        """Compact the list as planned from this token index: the summary replaces the middle, and the kept messages
        are pruned. Without a summary the middle is only removed."""
        length, front = len(self), len(self.front)
        head, tail = cut.regions(length)
        pruned_to = min(cut.prune_before, length)
        merged = cut.merged and tail < length and summary is not None
        begins = self._settle(token_index.duplicates, 0, min(head, pruned_to))
        goes_on = self._settle((), tail, max(tail, pruned_to))
        columns = (token_index.tokens_now, token_index.chars, token_index.images)
        sums = [
            _compacted(
                column,
                (head, tail, pruned_to),
                None if summary is None else summary[kind],
                merged,
                (begins, goes_on),
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
            self._put(head, tail)
        elif merged:
            self._merge(head, tail)
        else:
            role = USER if cut.role == "user" else ASSISTANT
            asked = role == USER and not self.columns.policies.skips_summaries
            self._put(head, tail, roles=role, speaking=role == ASSISTANT, asked=asked, hands=HANDOFF)

    def _sizes(self) -> Iterator[tuple[Column, SizeColumns]]:
        yield self.walk, self.columns.walk
        yield self.chars, self.columns.chars
        if self.images is not None and self.columns.images is not None:
            yield self.images, self.columns.images

    def _duplicates(self) -> list[int]:
        """Messages that a later message with the same text replaces, in order."""
        columns = self.columns
        first = bisect_left(columns.later, self.settled)
        last = bisect_left(columns.later, self.high, first)
        if first == last:
            return []
        low, front, shift = self.low, self.front, len(self.front) - self.low
        found = []
        for message in columns.earlier[first:last]:
            if message >= low:
                at = message + shift
            elif message in front:
                at = front.index(message)
            else:
                continue
            if self.paired[at]:
                found.append(at)
        found.sort()
        return found

    def _replaced(self, own: Column, sizes: SizeColumns, places: Sequence[int]) -> Column:
        """The column with back-references at some places."""
        if not places:
            return own
        front, shift = self.front, self.low - len(self.front)
        news = [sizes.repeated[at + shift if at >= len(front) else front[at]] for at in places]

        def shifted(sums: array[int]) -> Shifted:
            growth = (size - sums[at + 1] + sums[at] for at, size in zip(places, news, strict=True))
            return Shifted(sums, places, growth)

        return Column.of(shifted(whole(own.kept)), shifted(whole(own.short)))

    def _settle(self, places: Sequence[int], start: int, stop: int) -> bool:
        """Make the given changes and the pruning of [start:stop] permanent. Return whether anything became shorter."""
        for at in places:
            self._stays(at)
        at = found = self.shorts.find(1, start, stop)
        while at >= 0:
            self._stays(at)
            at = self.shorts.find(1, at + 1, stop)
        return found >= 0

    def _stays(self, at: int) -> None:
        self.shorts[at] = self.paired[at] = 0
        if self.hands[at] == ERASABLE:
            self.hands[at] = NO_HANDOFF

    def _merge(self, head: int, tail: int) -> None:
        """Merge the summary into the first message of the tail."""
        self.paired[tail] = self.shorts[tail] = 0
        self.hands[tail] = HANDOFF
        self._put(head, tail)
        if self.columns.policies.skips_summaries:
            self.asked = self.asked[:head] + b"\0" + self.asked[head + 1 :]

    def _put(self, head: int, tail: int, **summary: int) -> None:
        """Replace the middle by a message with the summary. If all its values are 0, only remove the middle."""
        for name in _BYTES:
            column = getattr(self, name)
            new = bytes((summary.get(name, 0),)) if summary else b""
            setattr(self, name, column[:head] + new + column[tail:])


def measure(messages: Iterable[Message], policies: Policies) -> HermesTokenIndex:
    """The token index of a list; reads every message once, in order."""
    stats, troubles = read_stats(messages, policies)
    return token_index_until(MessageColumns(stats, policies, troubles), len(stats))


def token_index_until(columns: MessageColumns, stop: int) -> HermesTokenIndex:
    """The token index of the first `stop` messages of columns."""
    listed = LiveColumns(columns)
    listed.extend(stop)
    troubles = {
        phase: [entry for entry in found if entry[0] < stop] for phase, found in columns.troubles.items()
    }
    return listed.token_index(troubles)


def _append(sums: array[int], more: array[int], start: int, stop: int) -> None:
    """Append the sums of [start:stop] of a conversation."""
    shift = sums[-1] - more[start]
    if shift:
        sums.extend([total + shift for total in more[start + 1 : stop + 1]])
    else:
        sums += more[start + 1 : stop + 1]


def _compacted(
    column: Column,
    cuts: tuple[int, int, int],
    summary: int | None,
    merged: bool,
    shortened: tuple[bool, bool],
) -> Column:
    """Column after a compaction. `cuts` are the end of the head, the start of the tail and the end of pruning.
    The summary's size, if any, is inserted between head and tail or `merged` into the first message of the
    tail. `shortened` says whether pruning changes the head and the tail."""
    head, tail, pruned_to = cuts
    begins, goes_on = shortened
    kept, shorts = whole(column.kept), whole(column.short)
    front = _standing(kept, shorts, 0, head, pruned_to) if begins else kept[: head + 1]
    behind = _standing(kept, shorts, tail, len(kept) - 1, pruned_to) if goes_on else kept[tail:]
    short = shorts[tail:]
    if summary is None:
        return Column.of(
            _ending(front, behind[0])[:-1] + behind,
            _ending(shorts[: head + 1], short[0])[:-1] + short,
        )
    if merged:
        summary += behind[1] - behind[0]
        behind, short = behind[1:], short[1:]
    return Column.of(
        _ending(front, behind[0] - summary) + behind,
        _ending(shorts[: head + 1], short[0] - summary) + short,
    )


def _standing(kept: array[int], short: array[int], start: int, stop: int, pruned_to: int) -> array[int]:
    """Return the sums of [start:stop] after pruning everything before `pruned_to`."""
    middle = min(max(pruned_to, start), stop)
    more = kept[middle] - short[middle]
    return array("q", [total + more for total in short[start:middle]]) + kept[middle : stop + 1]


def _ending(sums: array[int], last: int) -> array[int]:
    """Return the sums with `last` as the last one."""
    shift = last - sums[-1]
    return array("q", [total + shift for total in sums])
