"""Parts that all readers share: bodies over several files, the session of a row, sentences with a count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.core.conversations import ConversationRow, Generation, Request, Session, Usage
from inspector.core.messages import Message
from inspector.core.shares import plural
from inspector.stores.entries import Entries
from inspector.stores.recorded import Bodies

#: Messages are counted from 1, file by file: the upper bits of a message's id say which file.
_FILE_BITS = 32
_BELOW = (1 << _FILE_BITS) - 1


def identity(file: int, number: int) -> int:
    """Return the id of a message, given the index of its file and its number in the file."""
    return file << _FILE_BITS | number + 1


def bodies_of(files: Sequence[Entries], session: str) -> Bodies:
    """Return a reader of the messages of these files by id."""

    def read(ids: Sequence[int]) -> list[Message]:
        wanted: dict[int, list[int]] = {}
        for name in ids:
            wanted.setdefault(name >> _FILE_BITS, []).append((name & _BELOW) - 1)
        messages: dict[int, Message] = {}
        for file, numbers in wanted.items():
            bodies = files[file].bodies(numbers, session, identity(file, 0))
            messages.update((message.id, message) for message in bodies.values())
        return [messages[name] for name in ids]

    return read


def generations_of(
    lists: Sequence[Sequence[int]], files: Sequence[Entries], session: str
) -> tuple[Generation, ...]:
    """Return the generations with these lists of message ids."""
    return tuple(
        Generation(
            number,
            session,
            tuple(ids),
            bytes(files[name >> _FILE_BITS].items[(name & _BELOW) - 1].role for name in ids),
            live=number == len(lists),
        )
        for number, ids in enumerate(lists, start=1)
    )


def named(session: str, parent: str | None = None) -> dict[str, Any]:
    """Return the fields of a row that name its session, and the session that started it."""
    kind = "sub-agent" if parent else "conversation"
    return {"id": session, "root": session, "sessions": (session,), "parent": parent or None, "kind": kind}


def session_of(
    row: ConversationRow, name: str, requests: Sequence[Request], recorded_cost: float = 0.0
) -> Session:
    """Return a session of a row, with the usage of these requests, and the cost of the whole session if recorded."""
    usage = Usage(
        sum(request.input for request in requests),
        sum(request.output for request in requests),
        sum(request.cache_read for request in requests),
        sum(request.cache_write for request in requests),
        0,
        len(requests),
        recorded_cost or sum(request.recorded_cost for request in requests),
    )
    return Session(name, row.model, usage, provider=row.provider)


#: Sentences about a count, for `count_note`.
UNREADABLE = "line", "of the transcript cannot be read and {are} left out."
FAILED_CALLS = "call", "of the API failed. The error texts were not sent to the model."
ABANDONED = "message", "on abandoned branches {are} in no list."
#: The note about a file that begins in the middle of a session.
CUT = "The beginning of the session is missing in the file."
#: The note about its first compaction.
CUT_LIST = "The beginning of the list before it is not in the file."


def missing_lines(places: int) -> tuple[str, ...]:
    """Return the sentence about lines that name an earlier line which is not in the files; none for no line."""
    if places <= 0:
        return ()
    return (
        f"Lines are missing in the file at {plural(places, 'place')}: the lists may lack messages there.",
    )


def count_note(count: int, noun: str, remainder: str) -> tuple[str, ...]:
    """Return the sentence about a count of things; none if the count is 0. `{are}` becomes "is" for a count of 1."""
    are = "is" if count == 1 else "are"
    return (f"{plural(count, noun)} {remainder.format(are=are)}",) if count else ()
