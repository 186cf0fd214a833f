"""The recorded compactions of a conversation, one by one, with at most two lists in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from inspector.core.conversations import Compaction, Generation, Session
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars
from inspector.stores.hermes.generations import StoredList
from inspector.stores.hermes.matching import Print, print_of
from inspector.stores.hermes.recovery import recover

#: Number of messages read at once.
_BATCH = 256
_UNCERTAIN = "The start of the list after it is inferred from the live messages."


def describe(
    transitions: Sequence[tuple[Generation, str, StoredList]],
    sessions: Mapping[str, Session],
    prompts: Mapping[str, int],
    read: Callable[[Sequence[int]], Mapping[int, Message]],
) -> Iterator[Compaction]:
    """Yield the compactions in order, each read on demand.

    A transition is the list before a compaction, and the session and the rows after it. `prompts` has the tokens of
    each session's system prompt. `read` returns messages by id.
    """
    prints: dict[int, Print] = {}
    for before, session_after, stored in transitions:
        prints = _prints(before.ids, prints, read)
        old = list(prints.values())
        # Copies are at most as many as the messages before, plus the summary and stubs for open calls.
        reach = len(old) + sum(len(item.calls) for item in old) + 2
        prints = _prints(stored.rows[:reach], {}, read)
        ended = sessions[before.session].ended_at if before.session in sessions else None
        at = ended if before.session != session_after else None
        tokens = prompts.get(before.session, 0), prompts.get(session_after, 0)
        yield _compaction(before, old, list(prints.values()), at, stored.certain, tokens)


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
    before: Generation, old: Sequence[Print], new: Sequence[Print], at: float | None, certain: bool,
    prompts: tuple[int, int],
) -> Compaction:  # fmt: skip
    """Return a compaction. `at` is its time if that is recorded. `certain`: it is recorded which rows begin the list
    after it. `prompts` are the tokens of the system prompts before and after it."""
    recovered = recover(old, new)
    summary = new[recovered.summary_at] if recovered.summary_at is not None else None
    handoff = summary.handoff if summary else None
    if at is None:
        first = summary or (new[0] if new else None)
        at = first.timestamp if first else 0.0
    if not certain:
        recovered = recovered._replace(exact=False, note=f"{recovered.note} {_UNCERTAIN}".lstrip())
    return Compaction(
        index=before.number,
        session=before.session,
        before=len(old),
        summary=handoff.body if handoff else None,
        fallback=handoff is not None and handoff.fallback,
        tokens_before=_tokens(old) + prompts[0],
        tokens_after=_tokens(new[: recovered.after]) + prompts[1],
        at=at,
        **recovered._asdict(),
    )


def _tokens(items: Sequence[Print]) -> int:
    return list_tokens(sum(item.chars for item in items), sum(item.images for item in items))
