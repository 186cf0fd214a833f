"""A list's stats made ready: live lists take stretches of it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import and_, gt

from inspector.core.rough import list_tokens
from inspector.engines.hermes import message_stats as flags
from inspector.engines.hermes.message_stats import ASSISTANT, USER, ListStats
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.token_index import Column

#: The part of a handoff that a message is.
NO_HANDOFF, HANDOFF, ERASABLE = 0, 1, 2
_IS = [bytes(int(code == role) for code in range(256)) for role in (USER, ASSISTANT)]


class SizeColumns:
    """One kind of size: sums of the messages unchanged and fully pruned, and the size of each as a back-reference."""

    __slots__ = ("repeated", "sums")

    def __init__(self, now: array[int], short: array[int], repeated: array[int]) -> None:
        self.sums = Column(now, short)
        self.repeated = repeated


class MessageColumns:
    """A list as columns, a byte or a number a message.

    `walk` are tokens of the tail walk, `chars` and `images` characters and pictures of the rough estimate.
    `speaking` are assistants whose text is not empty, `asked` user messages that the anchor counts, `shorts` what
    pruning shortens, `hands` what a message is of a handoff, `paired` texts that a later message repeats. `later` and
    `earlier` are the pairs of neighbours with the same text, in the order of the later ones. `images` is None where
    there is no picture. `troubles` name what the release would raise, by phase.
    """

    def __init__(
        self,
        stats: ListStats,
        policies: Policies,
        troubles: Mapping[str, Sequence[tuple[int, str]]] | None = None,
    ) -> None:
        self.policies = policies
        self.troubles = troubles or {}
        now, short, repeated = stats.now, stats.short, stats.repeated
        self.walk = SizeColumns(now.walk, short.walk, repeated.walk)
        self.chars = SizeColumns(now.chars, short.chars, repeated.chars)
        self.images = SizeColumns(now.images, short.images, repeated.images) if any(now.images) else None
        self.roles = bytes(stats.roles)
        users, assistants = (self.roles.translate(table) for table in _IS)
        handoffs, erasable = stats.with_flag(flags.HANDOFF), stats.with_flag(flags.ERASABLE)
        self.calls = stats.with_flag(flags.CALLS)
        self.shorts = stats.with_flag(flags.SHORT)
        self.speaking = bytes(map(and_, assistants, stats.with_flag(flags.SPEAKS)))
        self.asked = bytes(map(gt, users, handoffs)) if policies.skips_summaries else users
        self.hands = bytes(
            ERASABLE if erased else HANDOFF if handoff else NO_HANDOFF
            for handoff, erased in zip(handoffs, erasable, strict=True)
        )
        self.later, self.earlier = _pairs(stats.same)
        paired = bytearray(len(stats))
        for message in self.earlier:
            paired[message] = 1
        self.paired = bytes(paired)

    def __len__(self) -> int:
        return len(self.roles)

    def growth(self) -> list[int]:
        """The release's rough estimate of the first 0, 1, ... messages before pruning, in tokens."""
        chars = self.chars.sums.kept
        if self.images is None:
            return [list_tokens(count) for count in chars]
        return [
            list_tokens(count, pictures) for count, pictures in zip(chars, self.images.sums.kept, strict=True)
        ]


def _pairs(texts: Iterable[int]) -> tuple[array[int], array[int]]:
    newest: dict[int, int] = {}
    later, earlier = array("q"), array("q")
    for index, text in enumerate(texts):
        if text < 0:
            continue
        if text in newest:
            later.append(index)
            earlier.append(newest[text])
        newest[text] = index
    return later, earlier
