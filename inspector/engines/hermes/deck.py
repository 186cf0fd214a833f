"""The sketches of a list as columns, made once; live lists take stretches of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from inspector.core.rough import list_tokens
from inspector.engines.hermes.measures import Column
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.sketches import ASSISTANT, USER, Sketch

#: What a message is of a handoff.
NO_HANDOFF, HANDOFF, ERASABLE = 0, 1, 2


class Sizes:
    """One kind of size: sums as the messages stand and fully pruned, and each message's size as a back-reference."""

    __slots__ = ("repeated", "sums")

    def __init__(self, sketches: Sequence[Sketch], kind: int) -> None:
        self.sums = Column(
            (found.now[kind] for found in sketches), ((found.short or found.now)[kind] for found in sketches)
        )
        self.repeated = array("q", ((found.repeated or found.now)[kind] for found in sketches))


class Deck:
    """The sketches of a list as columns, a byte or a number a message.

    `speaking` are assistants whose text is not empty, `asked` user messages that the anchor counts, `shorts` what
    pruning shortens, `hands` what a message is of a handoff, `paired` texts that a later message repeats. `later` and
    `earlier` are the pairs of neighbours with the same text, in the order of the later ones. `images` is None where
    there is no picture. `troubles` name what the release would raise, by phase.
    """

    def __init__(
        self,
        sketches: Sequence[Sketch],
        policies: Policies,
        troubles: Mapping[str, Sequence[tuple[int, str]]] | None = None,
    ) -> None:
        self.policies = policies
        self.troubles = troubles or {}
        self.walk, self.chars = Sizes(sketches, 0), Sizes(sketches, 1)
        self.images = Sizes(sketches, 2) if any(found.now.images for found in sketches) else None
        self.roles = bytes(found.role for found in sketches)
        self.calls = bytes(found.calls for found in sketches)
        self.speaking = bytes(found.role == ASSISTANT and found.speaks for found in sketches)
        skips = policies.skips_summaries
        self.asked = bytes(found.role == USER and not (skips and found.handoff) for found in sketches)
        self.shorts = bytes(found.short is not None for found in sketches)
        self.hands = bytes(
            NO_HANDOFF if not found.handoff else ERASABLE if found.erasable else HANDOFF for found in sketches
        )
        self.later, self.earlier = _pairs(found.same for found in sketches)
        paired = bytearray(len(sketches))
        for message in self.earlier:
            paired[message] = 1
        self.paired = bytes(paired)

    def __len__(self) -> int:
        return len(self.roles)

    def growth(self) -> list[int]:
        """The release's rough estimate of the first 0, 1, ... messages as they stand, in tokens."""
        chars = self.chars.sums.kept
        if self.images is None:
            return [list_tokens(count) for count in chars]
        return [
            list_tokens(count, pictures) for count, pictures in zip(chars, self.images.sums.kept, strict=True)
        ]


def _pairs(texts: Iterable[bytes | None]) -> tuple[array[int], array[int]]:
    newest: dict[bytes, int] = {}
    later, earlier = array("q"), array("q")
    for index, text in enumerate(texts):
        if text is None:
            continue
        if text in newest:
            later.append(index)
            earlier.append(newest[text])
        newest[text] = index
    return later, earlier
