"""The recorded compactions of a conversation, one by one, with at most two lists in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from inspector.core.conversations import Compaction, Generation, Session
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars
from inspector.stores.hermes.matching import Print, print_of
from inspector.stores.hermes.recovery import recover

#: Number of messages read at once.
_BATCH = 256
_UNCERTAIN = "The start of the list after it is inferred from the live messages."


class Transition(Struct, frozen=True):
    """A compaction: the list before it, and the rows that the agent wrote after it.

    `certain`: it is recorded which rows begin the list after the compaction.
    """

    number: int
    before: Generation
    session_after: str
    rows_after: Sequence[int]
    certain: bool


def describe(
    transitions: Sequence[Transition],
    sessions: Mapping[str, Session],
    prompts: Mapping[str, int],
    read: Callable[[Sequence[int]], Mapping[int, Message]],
) -> Iterator[Compaction]:
    """Yield the compactions in order, each read on demand.

    `prompts` has the tokens of each session's system prompt. `read` returns messages by id.
    """
    prints: dict[int, Print] = {}
    for transition in transitions:
        prints = _prints(transition.before.ids, prints, read)
        old = list(prints.values())
        # Copies are at most as many as the messages before, plus the summary and stubs for open calls.
        reach = len(old) + sum(len(item.calls) for item in old) + 2
        prints = _prints(transition.rows_after[:reach], {}, read)
        yield _compaction(transition, old, list(prints.values()), sessions, prompts)


def _prints(
    ids: Sequence[int], earlier: Mapping[int, Print], read: Callable[[Sequence[int]], Mapping[int, Message]]
) -> dict[int, Print]:
    """Return the prints of messages by id. `earlier` has prints of messages that are read already."""
    prints: dict[int, Print] = {}
    empty = _measured(Message({}))
    for at in range(0, len(ids), _BATCH):
        batch = ids[at : at + _BATCH]
        bodies = read([identity for identity in batch if identity not in earlier])
        for identity in batch:
            body = bodies.get(identity)
            prints[identity] = earlier.get(identity) or (_measured(body) if body else empty)
    return prints


def _measured(message: Message) -> Print:
    return print_of(message, message_chars(message.wire))


def _compaction(
    transition: Transition,
    old: Sequence[Print],
    new: Sequence[Print],
    sessions: Mapping[str, Session],
    prompts: Mapping[str, int],
) -> Compaction:
    recovered = recover(old, new)
    summary = new[recovered.summary_at] if recovered.summary_at is not None else None
    handoff = summary.handoff if summary else None
    ended = sessions[transition.before.session].ended_at if transition.before.session in sessions else None
    rotated = transition.before.session != transition.session_after
    first = summary or (new[0] if new else None)
    at = ended if rotated and ended is not None else first.timestamp if first else 0.0
    if not transition.certain:
        recovered = recovered._replace(exact=False, note=f"{recovered.note} {_UNCERTAIN}".lstrip())
    return Compaction(
        index=transition.number,
        session=transition.before.session,
        before=len(old),
        summary=handoff.body if handoff else None,
        fallback=handoff is not None and handoff.fallback,
        tokens_before=_tokens(old) + prompts.get(transition.before.session, 0),
        tokens_after=_tokens(new[: recovered.after]) + prompts.get(transition.session_after, 0),
        at=at,
        **recovered._asdict(),
    )


def _tokens(items: Sequence[Print]) -> int:
    return list_tokens(sum(item.chars for item in items), sum(item.images for item in items))
