"""The transcript of a conversation: each message once, without copies and summaries."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.core.conversations import ROLE_CODES, Compaction, Conversation
from inspector.core.places import Place

_USER, _ASSISTANT, _TOOL = (ROLE_CODES[name] for name in ("user", "assistant", "tool"))


class MessagePlace(Place, frozen=True):
    """The place of a message, and its role code."""

    role: int


class Transcript(Struct, frozen=True):
    """The places in order. `ends[k]` is the number of messages before compaction k + 1."""

    places: tuple[MessagePlace, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.places)


def transcript_of(conversation: Conversation, compactions: Sequence[Compaction]) -> Transcript:
    """Return the first place of every message: the whole first list, and the messages added to each later list."""
    added_from = {c.index + 1: c.after for c in compactions}
    places: list[MessagePlace] = []
    ends: list[int] = []
    for generation in conversation.generations:
        if generation.number > 1:
            ends.append(len(places))
        start = added_from.get(generation.number, 0 if generation.number == 1 else len(generation))
        places.extend(
            MessagePlace(generation.number, index, generation.ids[index], generation.roles[index])
            for index in range(start, len(generation))
        )
    return Transcript(tuple(places), tuple(ends))


def calls(roles: Sequence[int]) -> list[int]:
    """Return the steps after which the model is called: before each answer, and at the end if an answer is due.

    A step counts messages from 1. Consecutive messages of the assistant are one answer.
    """
    steps = [
        step for step in range(1, len(roles)) if roles[step] == _ASSISTANT and roles[step - 1] != _ASSISTANT
    ]
    if roles and roles[-1] in (_USER, _TOOL):
        steps.append(len(roles))
    return steps
