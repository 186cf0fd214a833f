"""The stats of a list as columns. Live lists take ranges of columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import gt
from typing import NamedTuple

from inspector.core.conversations import USER
from inspector.core.rough import list_tokens
from inspector.engines.hermes.message_stats import ListStats
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.token_index import SumsColumn, all_sums

_IS_USER = bytes(int(code == USER) for code in range(256))


class SizeColumns(NamedTuple):
    """One kind of size: sums of the messages unchanged and fully pruned, and the size of each as a reference to a later
    message."""

    sums: SumsColumn
    repeated: array[int]


class MessageColumns:
    """A list as columns, a byte or a number for each message.

    `walk` has the tokens of the tail walk. `chars` and `images` have the characters and pictures of the rough estimate;
    `images` is None without pictures. `speaking` marks assistants with text. `asked` marks user messages that the
    anchor counts. `shorts` marks messages that pruning shortens. `hands` marks the parts of a handoff. `paired` marks
    texts that a later message repeats; `later` and `earlier` are these pairs, in the order of `later`. `troubles` name
    the exceptions that the release would raise, by phase.
    """

    def __init__(
        self,
        stats: ListStats,
        policies: Policies,
        troubles: Mapping[str, Sequence[tuple[int, str]]] | None = None,
    ) -> None:
        self.stats, self.policies = stats, policies
        self.troubles = troubles or {}
        self.walk, self.chars, images = (
            SizeColumns(SumsColumn(now, short), repeated)
            for now, short, repeated in zip(
                stats.now.columns, stats.short.columns, stats.repeated.columns, strict=True
            )
        )
        self.images = images if any(stats.now.images) else None
        self.roles, self.calls, self.speaking = bytes(stats.roles), bytes(stats.calls), bytes(stats.speaking)
        self.shorts, self.hands = bytes(stats.shorts), bytes(stats.hands)
        users = self.roles.translate(_IS_USER)
        self.asked = bytes(map(gt, users, self.hands)) if policies.skips_summaries else users
        self.later, self.earlier = _pairs(stats.digests)
        paired = bytearray(len(stats))
        for message in self.earlier:
            paired[message] = 1
        self.paired = bytes(paired)

    def __len__(self) -> int:
        return len(self.roles)

    def growth(self) -> list[int]:
        """Return the release's rough estimate of the first 0, 1, ... messages before pruning, in tokens."""
        chars = all_sums(self.chars.sums.kept)
        if self.images is None:
            return [list_tokens(count) for count in chars]
        return [
            list_tokens(count, pictures)
            for count, pictures in zip(chars, all_sums(self.images.sums.kept), strict=True)
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
