"""Logs of model requests as conversations.

A request has a whole list, or only the messages after the response that it names. A list follows a compaction if it
does not continue the last list, is not an edit of it, and does more than clear results. If one of its new messages
quotes one of the last answers, the request with that answer wrote the summary. A compaction by the API is an item in
the list or in the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import md5
from pathlib import Path
from typing import Any

from msgspec import field
from msgspec.structs import replace

from inspector.core.conversations import TOOL, USER, role_code
from inspector.core.handoff import Handoff, read_handoff
from inspector.core.shares import plural
from inspector.stores.codex.forms import ENCRYPTED
from inspector.stores.entries import Entries, Entry, Wire
from inspector.stores.head import Head
from inspector.stores.index import FileDigest, FileIndex
from inspector.stores.lines import (
    Line,
    first_mappings,
    head_of,
    parsed,
    place_in,
    read_file,
    read_lines,
    read_spans,
    split_place,
)
from inspector.stores.message_logs.forms import (
    COMPACTION,
    Exchange,
    exchanges_in,
    has_request,
    is_message,
    session_of,
    wires_of,
)
from inspector.stores.message_logs.joining import (
    joined,
    with_lists_before,
    with_own_name,
    without_transcripts,
)
from inspector.stores.recorded import Recorded, Source
from inspector.stores.session_lists import SessionLists, SessionReader, hash_of
from inspector.stores.values import mappings_in

#: Marks a record that is a part of a document. The length of other records is in bytes.
_PART = -1
#: Matches a word of at least six characters.
_WORD = re.compile(r"[\w./-]{6,}")
#: Minimum number of such words that a summary shares with the summarized messages.
_SHARED_WORDS = 5
#: Characters of two system prompts that are compared.
_PROMPT = 1_000
#: Keys that may hold a document's requests.
_LISTS = ("requests", "calls", "exchanges", "logs", "data")
#: A document may be a log if its beginning has one of these keys. A session that Hermes exports has a long system
#: prompt before its messages.
_SIGNS = (b'"messages"', b'"input"', b'"resourceSpans"', b'"session_id"')
#: Largest document that is parsed to recognise it, in bytes.
_LARGEST = 64_000_000
#: Minimum length of an answer that a later message quotes as its summary, in characters.
_QUOTED = 40


class MessageLogReader(SessionReader):
    """Reads logs of requests; see Reader for the methods."""

    agent = "message-log"
    limits = (
        "A log of requests does not record compactions: they are inferred where a request does not continue the "
        "previous request. Messages that were never sent again are unknown.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file begins with a logged request, or is a document with several."""
        if head.is_sqlite:
            return False
        if head.mappings:
            return has_request(head.first) or is_message(head.first)
        start = head.raw.lstrip()[:1]
        if start not in (b"[", b"{") or not any(key in head.raw for key in _SIGNS):
            return False
        if head.path.stat().st_size > _LARGEST:
            return False
        return any(map(has_request, _document(head.path)[:1]))

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        conversations = _scan((path,))
        return tuple(
            with_own_name(session.digest(path)._replace(part=name, first=session.handoff))
            for name, session in conversations.items()
            if session.entries.items
        )

    def sources(self, digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
        """Return a conversation for each session. The files of Hermes for one conversation are joined, and a copy of a
        list with its summary is a branch."""
        digests = without_transcripts(digests)
        return joined(with_lists_before(super().sources(digests, memory), digests), digests)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        return _scan((path,))[part]

    def read(self, source: Source) -> Recorded:
        paths = tuple(map(Path, source.files))
        if len(paths) == 1 and not source.shared:
            return super().read(source)
        (session,) = _scan(paths, is_one=True, is_copy=bool(source.shared)).values()
        return session.recorded(source)


READER = MessageLogReader


class _LoggedConversation(SessionLists):
    """A conversation of a log while it is read."""

    calls_seen: int = 0
    #: The number of a message by its hash and by how many equal messages are before it in its list. So equal messages
    #: of two lists are one message.
    number_of: dict[tuple[int, int], int] = field(default_factory=dict)
    #: The list after each response, by its id.
    answered: dict[str, list[int]] = field(default_factory=dict)
    #: The last answers: the text, the list of the request, the index of its first call, and the number of its calls.
    answers: list[tuple[str, list[int], int, int]] = field(default_factory=list)
    #: Number of inferred compactions.
    inferred: int = 0
    #: A hash of the first summary of Hermes, if the list before it is not in the file.
    handoff: str = ""
    #: Whether the first list is a copy from another conversation, with its summary.
    is_copy: bool = False
    #: The longer words of the live list; None until they are compared.
    words: set[str] | None = None

    @property
    def live_hashes(self) -> list[int]:
        """The hashes of the live list."""
        return [self.hashes[number] for number in self.live]

    def live_words(self) -> set[str]:
        """Return the longer words of the live list."""
        if self.words is None:
            bodies = self.entries.bodies(self.live)
            self.words = {word for message in bodies.values() for word in _WORD.findall(message.text)}
        return self.words


def _scan(
    paths: Sequence[Path], is_one: bool = False, is_copy: bool = False
) -> dict[str, _LoggedConversation]:
    """Return the conversations of a log by name. The conversation without an id has the name "".

    `is_one`: the files hold one conversation. `is_copy`: its first list is a copy from another conversation.
    """
    conversations: dict[str, _LoggedConversation] = {}
    unreadable = 0
    path = paths[-1]
    for line in _records(paths):
        if line.value is None:
            unreadable += 1
            continue
        offset = 0
        for exchange in exchanges_in(line.value):
            name = "" if is_one else _conversation_name(conversations, exchange)
            if name not in conversations:
                entries = Entries(path, wires_of, fetch=partial(_fetch, paths))
                session_id = exchange.session or (f"{path.stem}-{name}" if name else path.stem)
                conversations[name] = _LoggedConversation(entries, session=session_id, is_copy=is_copy)
            _add_exchange(conversations[name], exchange, line, offset)
            offset += len(exchange.wires) + len(exchange.answer)
    for session in conversations.values():
        session.unreadable = unreadable
        unsized = sum(request.unsized for request in session.requests)
        if unsized:
            session.notes.append(
                f"{plural(unsized, 'request')} with tools of the server: the usage is the sum of several calls of the "
                "model, so the size of the list is unknown there."
            )
        if session.inferred:
            session.notes.append(
                f"{plural(session.inferred, 'compaction')} inferred: a request did not continue the previous one."
            )
    return conversations


def _hash(wire: Wire) -> int:
    """Return a hash of a message. Results of different calls, and encrypted summaries with different names, differ."""
    return hash((hash_of(wire), str(wire.get("tool_call_id", "")), str(wire.get(COMPACTION, ""))))


def _conversation_name(conversations: Mapping[str, _LoggedConversation], exchange: Exchange) -> str:
    """Return the name of the conversation of a request: its id, or the conversation with the most equal messages."""
    if exchange.session:
        return exchange.session
    for name, session in conversations.items():
        if exchange.previous in session.answered:
            return name
    hashes = [_hash(wire) for wire in exchange.wires]
    best, most = "", 0
    for name, session in conversations.items():
        shared = sum((value, 0) in session.number_of for value in hashes)
        quoted = any(_quotes(exchange.wires, text) for text, *_ in session.answers)
        if shared + quoted > most:
            best, most = name, shared + quoted
    if most or not conversations:
        return best
    # No message is equal, as after a compaction that keeps none. Compare the subject and the system prompt.
    latest = sorted(conversations, key=lambda name: conversations[name].last_active)[-1]
    words = [set(_WORD.findall(str(wire["content"]))) for wire in exchange.wires[:3]]
    for name in (latest, *conversations):
        session = conversations[name]
        same = session.prompt[:_PROMPT] == exchange.prompt[:_PROMPT]
        if same and any(_same_subject(session, of_message) for of_message in words):
            return name
    return str(len(conversations) + 1)


def _same_subject(session: _LoggedConversation, words: set[str]) -> bool:
    """Return whether a message with these longer words shares enough with the live list."""
    if len(words) < _SHARED_WORDS:
        return False
    shared = words & session.live_words()
    return len(shared) >= _SHARED_WORDS and 2 * len(shared) >= len(words)


def _add_exchange(session: _LoggedConversation, exchange: Exchange, line: Line, offset: int) -> None:
    """Add a request to its conversation. `offset` is the number of messages before it in its record."""
    session.words = None
    session.note_time(exchange.began)
    session.note_time(exchange.at)
    session.model = exchange.model or session.model
    session.prompt = exchange.prompt or session.prompt
    session.version = exchange.writer or session.version
    session.begin_record(line.start, line.length)
    start = _ignored(session, exchange)
    wires = exchange.wires[start:]
    # The API adds the messages of the response that the request continues.
    stored = session.answered.get(exchange.previous, session.live) if exchange.previous else []
    earlier = Counter(session.hashes[number] for number in stored)
    numbers = [
        *stored,
        *(
            _number_of(session, wire, offset + start + at, exchange.at, earlier)
            for at, wire in enumerate(wires)
        ),
    ]
    hashes = [session.hashes[number] for number in numbers]
    block = None if exchange.block is None else exchange.block - start
    if exchange.previous:
        session.lists[-1] = numbers
    elif (place := _new_block(session, block, numbers, hashes)) is not None:
        session.lists[-1] = numbers[:place]
        numbers = _compact_at(session, exchange, numbers[place:], numbers[place])
    elif exchange.writer and session.live and (placed_handoff := _new_handoff(session, wires, numbers)):
        numbers = _compact_by_hermes(session, exchange, numbers, *placed_handoff)
    else:
        goes_on = _continues(session, numbers, hashes) or _add_clearing(session, numbers, exchange.at)
        if not goes_on and not _edited(session, wires, numbers):
            _compact(session, exchange, wires, numbers)
        elif not session.live:
            _add_first_compaction(session, exchange, wires, numbers)
    session.lists[-1] = numbers
    session.note_first_words(wires)
    answer = [
        _number_of(session, wire, offset + len(exchange.wires) + at, exchange.at, earlier)
        for at, wire in enumerate(exchange.answer)
    ]
    _add_answer(session, exchange, answer)
    if exchange.name:
        session.answered[exchange.name] = list(session.live)


def _add_answer(session: _LoggedConversation, exchange: Exchange, answer: list[int]) -> None:
    """Add the calls of a request and its answer, the messages `answer`. The answer may have a compaction of the API."""
    before, first = list(session.live), len(session.requests)
    _add_calls(session, exchange)
    if exchange.compacted and answer:
        # The API compacted: messages before the block are dropped, unless the answer is the whole list.
        place = max(at for at, wire in enumerate(exchange.answer) if wire.get(COMPACTION))
        session.live.extend([] if exchange.answers_list else answer[:place])
        calls = session.requests[first:]
        size = next((call.tokens for call in calls if call.summarizes), None)
        after = answer if exchange.answers_list else answer[place:]
        _compact_at(session, exchange, after, answer[place], str(exchange.answer[place]["content"]), size)
        _move_to_new_list(session, first)
    elif answer:
        session.live.extend(answer)
        text = "\n".join(
            str(wire["content"]) for wire in exchange.answer if wire["role"] == "assistant"
        ).strip()
        session.answers = [*session.answers, (text, before, first, len(session.requests) - first)][-3:]


def _ignored(session: _LoggedConversation, exchange: Exchange) -> int:
    """Return how many sent messages the API ignores: the messages before a compaction block.

    Clients of OpenAI may send these messages again or leave them out.
    """
    if exchange.block is None:
        return exchange.dropped
    block = session.number_of.get((_hash(exchange.wires[exchange.block]), 0))
    hashes = [_hash(wire) for wire in exchange.wires[: len(session.live_hashes)]]
    return exchange.block if block in session.live and hashes != session.live_hashes else 0


def _new_block(
    session: _LoggedConversation, place: int | None, numbers: Sequence[int], hashes: Sequence[int]
) -> int | None:
    """Return the place of a compaction item that the API added to a continuing list; None if there is none."""
    live, before = session.live, session.live_hashes
    if place is None or not live or numbers[place] in live:
        return None
    return place if list(hashes[: len(before)]) == before and place >= len(before) else None


def _compact_at(
    session: SessionLists, exchange: Exchange, after: list[int], summary: int, text: str = ENCRYPTED,
    tokens_before: int | None = None,
) -> list[int]:  # fmt: skip
    """Add a compaction by the API, and return the list after it."""
    session.entries.items[summary].summary = True
    kept, later = (after, []) if exchange.answers_list else (after[:1], after[1:])
    session.compact(
        kept, summary, exchange.at, text=text, trigger=exchange.trigger,
        encrypted=text == ENCRYPTED, tokens_before=tokens_before,
    )  # fmt: skip
    session.live.extend(later)
    return session.live


def _number_of(session: _LoggedConversation, wire: Wire, part: int, at: float, earlier: Counter[int]) -> int:
    """Return the number of the equal message of another list, or of a new message.

    `earlier` counts the messages before it in its list by hash.
    """
    value = _hash(wire)
    key = (value, earlier[value])
    earlier[value] += 1
    if key in session.number_of:
        return session.number_of[key]
    number = len(session.entries.items)
    line = len(session.entries.spans) - 1
    summary = bool(wire.get(COMPACTION))
    session.entries.items.append(Entry([line], part, role_code(wire["role"]), at, summary))
    session.number_of[key] = number
    session.hashes[number] = value
    return number


def _continues(session: _LoggedConversation, numbers: Sequence[int], hashes: Sequence[int]) -> bool:
    """Return whether a list continues the live list. Its copy of the last answer may be spelled differently."""
    live, before = session.live, session.live_hashes
    if not live:
        return True
    # The new list may be shorter, because the user went back.
    if list(hashes[: len(before)]) == before[: len(hashes)]:
        return True
    last = len(before) - 1
    entries = session.entries.items
    return (
        0 < last < len(numbers)
        and list(hashes[:last]) == before[:last]
        and entries[numbers[last]].role == entries[live[last]].role != TOOL
    )


def _edited(session: _LoggedConversation, wires: Sequence[Wire], numbers: Sequence[int]) -> bool:
    """Return whether a list is the live list with edited messages.

    It is if none of its new messages holds a summary, and it is about as long as the live list. If the live list has at
    most two messages, the length does not matter.
    """
    live = session.live
    old = set(live)
    new = [wire for wire, number in zip(wires, numbers, strict=True) if number not in old]
    if any(
        wire.get(COMPACTION) or any(_quotes([wire], text) for text, *_ in session.answers) for wire in new
    ):
        return False
    if _new_handoff(session, wires, numbers) is not None:
        return False
    if len(live) <= 2:
        return True
    before = sum(len(message.text) for message in session.entries.bodies(live).values())
    after = sum(len(str(wire["content"])) for wire in wires)
    return len(numbers) >= len(live) - 1 and 10 * after >= 7 * before


def _add_clearing(session: _LoggedConversation, numbers: list[int], at: float) -> bool:
    """Add a clearing if a list differs from the live list only in contents of tool results. Return whether it does."""
    live, entries = session.live, session.entries.items
    if len(numbers) < len(live) - 1:
        return False
    places = [place for place, pair in enumerate(zip(live, numbers, strict=False)) if pair[0] != pair[1]]
    if not places or any(not entries[live[p]].role == entries[numbers[p]].role == TOOL for p in places):
        return False
    session.clear(places, at)
    hashes = [session.hashes[number] for number in numbers]
    # The list shows cleared results with their texts.
    for place in places:
        earlier = hashes[:place].count(hashes[place])
        session.number_of[hashes[place], earlier] = numbers[place] = live[place]
    return True


def _compact(
    session: _LoggedConversation, exchange: Exchange, wires: Sequence[Wire], numbers: list[int]
) -> None:
    """Replace the live list by one that does not continue it."""
    old = set(session.live)
    new = [at for at, number in enumerate(numbers) if number not in old]
    summary = next((at for at in new if wires[at].get(COMPACTION)), None)
    for answer, before, place, calls in reversed(session.answers):
        quoting = next((at for at in new if _quotes([wires[at]], answer)), None)
        if quoting is not None:
            # The request that wrote the summary: its question and its answer are in no list.
            summary = quoting
            session.lists[-1] = _without_question(before, session)
            for request in range(place, place + calls):
                session.requests[request] = replace(session.requests[request], summarizes=True)
            break
    if summary is None:
        # The summary is the longest of the first messages; the others ask for it or introduce it.
        spoken = [at for at in new if wires[at]["role"] != "tool"][:3]
        summary = max(spoken, key=lambda at: len(str(wires[at]["content"])), default=None)
    number = None if summary is None else numbers[summary]
    text = None if summary is None else str(wires[summary]["content"])
    if number is not None:
        session.entries.items[number].summary = True
    session.inferred += 1
    session.compact(
        numbers, number, exchange.at, text=text, encrypted=text == ENCRYPTED, head=True,
        note="Inferred: the request does not continue the previous one.",
    )  # fmt: skip


def _new_handoff(
    session: _LoggedConversation, wires: Sequence[Wire], numbers: Sequence[int]
) -> tuple[int, Handoff] | None:
    """Return the first summary of Hermes that is not in the live list, after its place."""
    handoffs = (
        (at, read_handoff(wire["content"], str(wire["role"])))
        for at, wire in enumerate(wires)
        if numbers[at] not in session.live
    )
    return next(((at, handoff) for at, handoff in handoffs if handoff is not None), None)


def _note_release(session: SessionLists, exchange: Exchange, handoff: Handoff) -> None:
    """Note the releases with the wording of a summary as the version of the session."""
    if exchange.writer and handoff.releases:
        releases = (name.removeprefix("hermes-") for name in handoff.releases)
        session.version = f"{exchange.writer} {' or '.join(releases)}"


def _compact_by_hermes(
    session: SessionLists, exchange: Exchange, numbers: list[int], place: int, handoff: Handoff
) -> list[int]:
    """Add the compaction between two files of a conversation, and return the list after it.

    The list after the compaction ends with the last message of the list before. Later messages follow it.
    """
    _note_release(session, exchange, handoff)
    session.entries.items[numbers[place]].summary = True
    live = session.live
    ends = live[-1] in numbers[place:]
    stop = numbers.index(live[-1], place) + 1 if ends else len(numbers)
    note = "" if ends else "The list after it may have later messages."
    if ends and not {*numbers[:stop]} - {numbers[place]} <= {*live}:
        note = "Some messages of the list after it have another text, such as a shortened result."
    session.compact(
        numbers[:stop], numbers[place], exchange.went_on or exchange.at, text=handoff.body, head=True,
        exact=not note, note=note, may_have_later=not ends,
    )  # fmt: skip
    session.live.extend(numbers[stop:])
    return session.live


def _add_first_compaction(
    session: _LoggedConversation, exchange: Exchange, wires: Sequence[Wire], numbers: Sequence[int]
) -> None:
    """Add the compaction before the first list, if that list has a summary of Hermes and is not a copy."""
    placed_handoff = _new_handoff(session, wires, numbers)
    if placed_handoff is None:
        return
    at, handoff = placed_handoff
    _note_release(session, exchange, handoff)
    session.handoff = md5(handoff.body.encode(errors="replace"), usedforsecurity=False).hexdigest()
    session.entries.items[numbers[at]].summary = True
    if session.is_copy:
        return
    session.compact(
        numbers,
        numbers[at],
        exchange.went_on or exchange.at,
        text=handoff.body,
        exact=False,
        note="The list before it is not in this file. The list after it may have later messages.",
        may_have_later=True,
    )


def _without_question(before: list[int], session: _LoggedConversation) -> list[int]:
    """Return a summarized list without the request for the summary, if that is its last message."""
    entries = session.entries.items
    return before[:-1] if len(before) > 1 and entries[before[-1]].role == USER else before


def _quotes(wires: Sequence[Wire], text: str) -> bool:
    """Return whether a message quotes the text of an answer."""
    return len(text) >= _QUOTED and any(
        isinstance(wire["content"], str) and text in wire["content"] for wire in wires
    )


def _add_calls(session: _LoggedConversation, exchange: Exchange) -> None:
    for call in exchange.calls:
        session.calls_seen += 1
        session.call(
            f"{exchange.name or session.calls_seen}{' summary' if call.summarizes else ''}",
            exchange.at,
            call.usage,
            model=exchange.model,
            summarizes=call.summarizes,
            unsized=call.unsized,
        )


def _move_to_new_list(session: SessionLists, first: int) -> None:
    """Assign the calls of a request after its compaction to the list after that compaction."""
    requests = session.requests
    for at in range(first, len(requests)):
        if not requests[at].summarizes and any(call.summarizes for call in requests[first:at]):
            requests[at] = replace(requests[at], generation=len(session.lists))


def _records(paths: Sequence[Path]) -> Iterator[Line]:
    """Yield the records of a log: its lines, or the parts of documents. The place of a part is its number."""
    parts = [
        Line(place_in(at, number), _PART, document)
        for at, path in enumerate(paths)
        for number, document in enumerate(_documents(path))
    ]
    yield from parts or read_lines(paths[-1])


def _fetch(paths: Sequence[Path], path: Path, places: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the records at these places."""
    if any(length != _PART for _, length in places):
        return read_spans(path, places)
    parts = [split_place(place) for place, _ in places]
    documents = {at: _documents(paths[at]) for at in {at for at, _ in parts}}
    return [documents[at][number] if number < len(documents[at]) else None for at, number in parts]


def _documents(path: Path) -> Sequence[dict[str, Any] | None]:
    """Return the records of a file that is one document, or that has one message a line; empty for other files."""
    return _session_lines(path) if path.name.endswith(".jsonl") else _document(path)


def _session_lines(path: Path) -> list[dict[str, Any] | None]:
    """Return the session of a file with one message a line, and None for each unreadable line; empty for other files.
    Raises StoreErrors."""
    if not is_message(next(first_mappings(head_of(path)), {})):
        return []
    values = [line.value for line in read_lines(path)]
    messages = [value for value in values if value is not None]
    return [session_of(messages, path.stem), *(None for value in values if value is None)]


def _document(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file that is one JSON document; empty for other files. Raises StoreErrors."""
    document = parsed(read_file(path))
    if isinstance(document, dict):
        listed = next((document[key] for key in _LISTS if isinstance(document.get(key), list)), None)
        document = [document] if listed is None or has_request(document) else listed
    return mappings_in(document)
