"""The transcript of a conversation: each message once, without copies and summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from inspector.core.conversations import ASSISTANT, TOOL, USER, Compaction, Conversation
from inspector.core.places import Place


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
    added_from = {recorded.index + 1: recorded.after for recorded in compactions}
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


class MessagePaths(Struct, frozen=True):
    """The paths of the messages of a transcript through the compactions. A message is named by its index in it.

    `in_middle_of` is the first compaction that had a message between its boundaries. `removed_by` is the compaction
    that removed it: a later one, or none, if the first kept it. `pruned_by` is the first compaction that pruned its
    text. `lists` has the index of each message in the list of each generation.
    """

    in_middle_of: Mapping[int, int]
    removed_by: Mapping[int, int]
    pruned_by: Mapping[int, int]
    lists: tuple[Mapping[int, int], ...]

    @property
    def live(self) -> Mapping[int, int]:
        """The index of each message in the live list."""
        return self.lists[-1]


def message_paths(
    transcript: Transcript,
    compactions: Sequence[Compaction],
    pruned: Mapping[int, Sequence[int]] | None = None,
) -> MessagePaths:
    """Follow every message through the compactions. `pruned` has indexes in the list before, by compaction."""
    added: dict[int, dict[int, int]] = {}
    for number, place in enumerate(transcript.places):
        added.setdefault(place.generation, {})[place.index] = number
    in_middle_of: dict[int, int] = {}
    removed_by: dict[int, int] = {}
    pruned_by: dict[int, int] = {}
    live = added.get(1, {})
    lists = [live]
    for recorded in compactions[: len(transcript.ends)]:
        for index in (pruned or {}).get(recorded.index, ()):
            if index in live and index < recorded.before:
                pruned_by.setdefault(live[index], recorded.index)
        kept = dict(recorded.kept)
        copies: dict[int, int] = {}
        for index, number in live.items():
            if index >= recorded.tail_start:
                copy = recorded.tail_after + index - recorded.tail_start
                if copy < recorded.after:
                    copies[copy] = number
            elif index < recorded.head_end:
                if index < recorded.head_after:
                    copies[index] = number
            else:
                in_middle_of.setdefault(number, recorded.index)
                if index in kept:
                    copies[kept[index]] = number
                else:
                    removed_by[number] = recorded.index
        live = copies | added.get(recorded.index + 1, {})
        lists.append(live)
    by_message = tuple({number: index for index, number in listed.items()} for listed in lists)
    return MessagePaths(in_middle_of, removed_by, pruned_by, by_message)


def calls(roles: Sequence[int]) -> list[int]:
    """Return the steps after which the model is called: before each answer, and at the end if an answer is due.

    A step counts messages from 1. Consecutive messages of the assistant are one answer.
    """
    steps = [
        step for step in range(1, len(roles)) if roles[step] == ASSISTANT and roles[step - 1] != ASSISTANT
    ]
    if roles and roles[-1] in (USER, TOOL):
        steps.append(len(roles))
    return steps
