"""opencode's sessions as conversations.

A compaction is an answer that is marked as a summary. The user message before it names the first message that stays.
The summary comes first in the list after it, then what stays, then what follows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.core.conversations import (
    ROLE_CODES,
    Compaction,
    Conversation,
    FailedCompaction,
    Generation,
    Microcompaction,
    Request,
)
from inspector.core.messages import Message
from inspector.core.refusals import refusal_in
from inspector.core.text import opening_title, safe_line, without_pictures
from inspector.stores.assembly import session_of, several
from inspector.stores.head import Head
from inspector.stores.lines import count_at, mapping_at, seconds_of, text_at
from inspector.stores.opencode.documents import (
    Document,
    after_words,
    is_database,
    read_document,
    session_names,
)
from inspector.stores.opencode.session_messages import RECENT
from inspector.stores.recorded import FileDigest, Memory, Recorded, Source
from inspector.stores.session_lists import newest_of
from inspector.stores.wires import answer_of, call_of, result_of

_TITLE = 120
_ASKED = "What did we do so far?"
_UNREADABLE = "(a summary that only the provider can read)"


@dataclass(slots=True)
class Build:
    """A session put together: every message once, lists as ids, and what happened between them."""

    messages: list[Message] = field(default_factory=list)
    lists: list[list[int]] = field(default_factory=lambda: [[]])
    compactions: list[Compaction] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    #: Results that were cleared: when, the id of the message, the generation.
    cleared: list[tuple[float, int, int]] = field(default_factory=list)
    failures: list[FailedCompaction] = field(default_factory=list)
    model: str = ""
    provider: str = ""
    first_words: str = ""
    last_active: float = 0.0
    #: Number of messages that the user reverted; opencode deletes them when the session continues.
    reverted: int = 0


class OpencodeReader:
    """See Reader for what every method answers."""

    agent = "opencode"
    limits = ("opencode does not record the system prompt, nor its own figures of the size at a compaction.",)

    def recognises(self, head: Head) -> bool:
        """Whether a file begins like an export, like a session of the folder, or is a database of opencode."""
        if head.is_sqlite:
            return head.tables is not None and is_database(head.tables)
        start = after_words(head.raw)
        if not start.startswith(b"{"):
            return False
        if start[1:200].lstrip().startswith(b'"info"') or b'"messages"' in start[:4096]:
            return b'"ses_' in start[:4096] or b'"sessionID"' in start
        try:
            value = json.loads(start)
        except (ValueError, RecursionError):
            return False
        return isinstance(value, dict) and text_at(value, "id").startswith("ses") and "time" in value

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """A digest of each session in the file."""
        found = []
        for name in session_names(path):
            document = read_document(path, name)
            if document is not None and (digest := _digest(path, name, document)) is not None:
                found.append(digest)
        return tuple(found)

    def sources(self, digests: Sequence[FileDigest], memory: Memory | None = None) -> tuple[Source, ...]:
        """Return a conversation for each session: the newest copy, and the copy in a database if two are equal."""
        return newest_of(sorted(digests, key=lambda digest: bool(digest.part)), self.agent)

    def read(self, source: Source) -> Recorded:
        """A conversation: its lists, compactions and requests."""
        document = read_document(Path(source.files[0]), source.part) or {}
        built, row = _build(document, source.row.id), source.row
        roles = [ROLE_CODES.get(message.role, 4) for message in built.messages]
        generations = tuple(
            Generation(
                number, row.id, tuple(ids), bytes(roles[i - 1] for i in ids), live=number == len(built.lists)
            )
            for number, ids in enumerate(built.lists, start=1)
        )
        session = session_of(row, row.id, built.requests, len(built.messages))
        return Recorded(
            Conversation(row, (session,), generations, _went_back(built.reverted)),
            tuple(built.compactions),
            tuple(_microcompactions(built, generations)),
            tuple(built.requests),
            lambda ids: [built.messages[identity - 1] for identity in ids],
            failures=tuple(built.failures),
        )


READER = OpencodeReader


def _digest(path: Path, part: str, document: Document) -> FileDigest | None:
    info = document.get("info")
    info = info if isinstance(info, dict) else {}
    name = text_at(info, "id") or part or path.stem
    built = _build(document, name)
    if not built.messages:
        return None
    time = info.get("time")
    time = time if isinstance(time, dict) else {}
    return FileDigest(
        path=str(path),
        part=part,
        session=name,
        title=safe_line(text_at(info, "title"), _TITLE) or opening_title(built.first_words, _TITLE),
        model=built.model or text_at(info, "model", "id"),
        folder=text_at(info, "directory"),
        version=text_at(info, "version"),
        messages=len(built.lists[-1]),
        compactions=tuple(str(compaction.index) for compaction in built.compactions),
        started_at=seconds_of(time.get("created")) or built.messages[0].timestamp,
        last_active=max(seconds_of(time.get("updated")), built.last_active),
        parent=text_at(info, "parentID") or text_at(info, "forked"),
        copied=bool(text_at(info, "forked")),
        provider=built.provider or text_at(info, "model", "providerID"),
    )


def _build(document: Mapping[str, Any], session: str) -> Build:
    built = Build()
    entries = list(_left(document, built))
    asked: dict[str, Mapping[str, Any]] = {}
    first_of: dict[str, int] = {}
    for entry in entries:
        info = entry.get("info")
        if not isinstance(info, dict):
            continue
        listed = entry.get("parts")
        parts = [part for part in (listed if isinstance(listed, list) else []) if isinstance(part, dict)]
        name, at = text_at(info, "id"), _created(info)
        built.last_active = max(built.last_active, at)
        compaction = next((part for part in parts if part.get("type") == "compaction"), None)
        if compaction is not None:
            asked[name] = compaction
            continue
        first_of[name] = len(built.messages) + 1
        if info.get("role") == "assistant":
            _usage(built, info, parts, at)
            built.model = text_at(info, "modelID") or built.model
            built.provider = text_at(info, "providerID") or built.provider
            if info.get("summary") is True:
                _compacted(built, info, parts, at, asked.get(text_at(info, "parentID")), first_of, session)
                continue
        for wire in _wires(info, parts):
            _add(built, wire, at, session)
        _clear(built, parts, len(built.lists))
    return built


def _left(document: Mapping[str, Any], built: Build) -> Iterator[Mapping[str, Any]]:
    """The messages that the model would be sent: up to the one, or the part of one, that the user went back to."""
    info, listed = document.get("info"), document.get("messages")
    revert = info.get("revert") if isinstance(info, dict) else None
    message, part = (
        text_at(revert, key) if isinstance(revert, dict) else "" for key in ("messageID", "partID")
    )
    for entry in listed if isinstance(listed, list) else ():
        if not isinstance(entry, Mapping):
            continue
        own = entry.get("info")
        if built.reverted or (message and isinstance(own, dict) and own.get("id") == message):
            parts = entry.get("parts") if part and not built.reverted else None
            built.reverted += 1
            if isinstance(parts, list):
                names = [text_at(one, "id") if isinstance(one, dict) else "" for one in parts]
                yield {**entry, "parts": parts[: names.index(part) if part in names else None]}
            continue
        yield entry


def _went_back(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (
        f"The user went back from {several(count, 'message')}, which opencode deletes when the session goes on.",
    )


def _add(built: Build, wire: dict[str, Any], at: float, session: str, summary: bool = False) -> int:
    identity = len(built.messages) + 1
    built.messages.append(Message(wire, identity, session, at, summary=summary))
    built.lists[-1].append(identity)
    if wire["role"] == "user" and not built.first_words and isinstance(wire["content"], str):
        built.first_words = without_pictures(wire["content"])
    return identity


def _compacted(
    built: Build, info: dict[str, Any], parts: Sequence[dict[str, Any]], at: float, asked: Mapping[str, Any] | None,
    first_of: Mapping[str, int], session: str,
) -> None:  # fmt: skip
    told = [part.get("text") for part in parts if part.get("type") == "text"]
    text = "\n\n".join(piece for piece in told if isinstance(piece, str))
    auto = asked.get("auto") if asked else None
    trigger = None if not isinstance(auto, bool) else "auto" if auto else "manual"
    if not text.strip() and (info.get("error") or not info.get("finish")):
        # It failed or goes on still: the list is what it was.
        if error := _error(info.get("error")):
            number, length = len(built.lists), len(built.lists[-1])
            built.failures.append(
                FailedCompaction(len(built.failures) + 1, session, number, length, at, error, trigger)
            )
        return
    before = built.lists[-1]
    start = first_of.get(text_at(dict(asked or {}), "tail_start_id"))
    kept = [identity for identity in before if start is not None and identity >= start]
    known = start is not None or not text_at(dict(asked or {}), "tail_start_id")
    built.lists.append([])
    recent = next((part for part in parts if part.get("type") == RECENT), None)
    # opencode 2 hands summary and recent messages over under the user's role, as one text.
    role = "assistant" if recent is None else "user"
    if recent is None and asked is not None:
        # opencode 1 sends the user's entry that asked for the compaction as this line.
        _add(built, {"role": "system", "content": _ASKED}, at, session)
    place = len(built.lists[-1])
    unreadable = info.get("encrypted") is True and not text.strip()
    _add(built, {"role": role, "content": _UNREADABLE if unreadable else text}, at, session, summary=True)
    if recent is not None and text_at(recent, "text"):
        _add(built, {"role": "system", "content": text_at(recent, "text")}, at, session)
    made = len(built.lists[-1])
    built.lists[-1] += kept
    built.compactions.append(
        Compaction(
            index=len(built.compactions) + 1,
            session=session,
            before=len(before),
            after=made + len(kept),
            head_end=0,
            tail_start=len(before) - len(kept),
            head_after=0,
            tail_after=made,
            summary_at=place,
            summary=None if unreadable else text,
            merged=False,
            fallback=bool(refusal_in(text)),
            tokens_before=0,
            tokens_after=0,
            at=at,
            exact=known,
            note=_note(known, recent is not None and made > 1, bool(asked and asked.get("overflow") is True)),
            encrypted=unreadable,
            trigger=trigger,
        )
    )


def _error(error: object) -> str:
    """Why a call failed, in the words that were recorded; "" where none were."""
    if not isinstance(error, dict):
        return ""
    data = error.get("data")
    return text_at(data if isinstance(data, dict) else {}, "message") or text_at(error, "name") or "an error"


def _note(known: bool, recent: bool, overflow: bool = False) -> str:
    if overflow:
        return "The request before it did not fit into the window (overflow)."
    if not known:
        return "The message that it names as the first that stayed is missing."
    return "The newest messages stay as one text behind the summary." if recent else ""


def _usage(built: Build, info: dict[str, Any], parts: Sequence[dict[str, Any]], at: float) -> None:
    """Return the calls of a message with recorded usage: one for each finished step if there are several, else one."""
    steps = [
        part for part in parts if part.get("type") == "step-finish" and isinstance(part.get("tokens"), dict)
    ]
    name = text_at(info, "id")
    told = steps if len(steps) > 1 else [info] if isinstance(info.get("tokens"), dict) else []
    for number, step in enumerate(told, start=1):
        made = Request(
            index=len(built.requests) + 1,
            generation=len(built.lists),
            message=name if len(told) == 1 else f"{name} {number}",
            model=text_at(info, "modelID"),
            at=at,
            input=count_at(step, "tokens", "input") or 0,
            cache_read=count_at(step, "tokens", "cache", "read") or 0,
            cache_write=count_at(step, "tokens", "cache", "write") or 0,
            cache_write_1h=None,
            # Its `output` is the answer without what the model thought, which is paid for alike.
            output=(count_at(step, "tokens", "output") or 0) + (count_at(step, "tokens", "reasoning") or 0),
            summarizes=info.get("summary") is True,
        )
        if made.told:
            built.requests.append(made)


def _clear(built: Build, parts: Sequence[dict[str, Any]], generation: int) -> None:
    for part in parts:
        state = part.get("state")
        time = state.get("time") if isinstance(state, dict) else None
        at = seconds_of(time.get("compacted")) if isinstance(time, dict) else 0.0
        if at:
            call = text_at(part, "callID")
            found = next(
                (m.id for m in reversed(built.messages) if m.tool_call_id == call and m.role == "tool"), None
            )
            if found is not None:
                built.cleared.append((at, found, generation))


def _microcompactions(built: Build, generations: Sequence[Generation]) -> Iterator[Microcompaction]:
    """Results that were cleared at once, within a second of another."""
    groups: list[list[tuple[float, int, int]]] = []
    for one in sorted(built.cleared):
        if groups and one[0] - groups[-1][-1][0] <= 1 and one[2] == groups[-1][-1][2]:
            groups[-1].append(one)
        else:
            groups.append([one])
    for index, group in enumerate(groups, start=1):
        at, _, number = group[0]
        ids = generations[number - 1].ids
        places = {identity: place for place, identity in enumerate(ids)}
        before = [place for identity, place in places.items() if built.messages[identity - 1].timestamp <= at]
        yield Microcompaction(
            index=index,
            session=generations[number - 1].session,
            generation=number,
            place=max(before, default=-1) + 1,
            cleared=tuple(sorted(places[identity] for _, identity, _ in group if identity in places)),
            results=len(group),
            at=at,
            trigger="auto",
        )


def _wires(info: Mapping[str, Any], parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Convert an entry to messages; texts that opencode wrote under the user's role become `system`."""
    if info.get("role") == "assistant":
        yield from _answered(parts)
        return
    for part in parts:
        if part.get("ignored") is True:
            continue
        text = part.get("text")
        if part.get("type") == "text" and isinstance(text, str):
            yield {"role": "system" if part.get("synthetic") is True else "user", "content": text}
        elif part.get("type") == "file" and str(part.get("mime") or "").startswith("image/"):
            yield {"role": "user", "content": [{"type": "image", "source": part.get("filename")}]}
        elif part.get("type") == "file":
            yield {"role": "system", "content": f"(a file: {part.get('filename') or part.get('url')})"}
        elif part.get("type") == "subtask":
            yield {"role": "user", "content": str(part.get("prompt") or "")}


def _answered(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    texts, thoughts, calls, results = [], [], [], []
    for part in parts:
        kind, text = part.get("type"), part.get("text")
        if kind == "text" and isinstance(text, str):
            texts.append(text)
        elif kind == "reasoning" and isinstance(text, str):
            thoughts.append(text)
        elif kind == "tool":
            state = mapping_at(part, "state")
            calls.append(call_of(part.get("callID"), part.get("tool"), state.get("input")))
            failed = state.get("status") == "error"
            if failed or state.get("status") == "completed":
                output = str(state.get("error" if failed else "output") or "")
                results.append(result_of(part.get("callID"), output, failed))
    yield answer_of(texts, thoughts, calls, between="\n\n")
    yield from results


def _created(info: Mapping[str, Any]) -> float:
    time = info.get("time")
    return seconds_of(time.get("created")) if isinstance(time, Mapping) else 0.0
