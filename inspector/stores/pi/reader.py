"""pi's sessions (`~/.pi/agent/sessions/**/*.jsonl`), versions 1 to 3.

Version 1 is a list of entries, a compaction names the first one that stayed by its place. From 2 on each entry hangs on
another, and the session is the path that leads to the last one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.core.conversations import Compaction, Conversation, Request
from inspector.core.refusals import refusal_in
from inspector.core.text import safe_line
from inspector.stores.assembly import (
    bodies_of,
    generations_of,
    identity,
    left_out,
    row_of,
    session_of,
    several,
)
from inspector.stores.entries import Entries, Wire
from inspector.stores.head import Head
from inspector.stores.lines import count_at, read_lines, seconds_of, text_at
from inspector.stores.recorded import FileDigest, Memory, Recorded, Source

_TITLE = 120


@dataclass(slots=True)
class Node:
    """An entry: what it hangs on, the messages in it, and what it says of usage or of a compaction."""

    place: int
    name: str
    parent: str | None
    kind: str
    at: float
    messages: tuple[int, ...] = ()
    model: str = ""
    answer: str = ""
    usage: Mapping[str, Any] | None = None
    compaction: Mapping[str, Any] | None = None


@dataclass(slots=True)
class Scan:
    """A session that was gone through once."""

    entries: Entries
    nodes: list[Node] = field(default_factory=list)
    session: str = ""
    folder: str = ""
    version: int = 1
    provider: str = ""
    model: str = ""
    title: str = ""
    first_words: str = ""
    started_at: float = 0.0
    before: str = ""
    unreadable: int = 0

    def path(self) -> list[Node]:
        """The entries of the session, the abandoned branches left out."""
        if self.version < 2 or not any(node.name for node in self.nodes):
            return self.nodes
        by_name = {node.name: node for node in self.nodes}
        found: list[Node] = []
        seen: set[str] = set()
        node: Node | None = self.nodes[-1] if self.nodes else None
        while node is not None and node.name not in seen:
            seen.add(node.name)
            found.append(node)
            node = by_name.get(node.parent or "")
        return found[::-1]


class PiReader:
    """See Reader for what every method answers."""

    agent = "pi"
    limits = ("pi does not record the system prompt, what started a compaction, or the size after it.",)

    def recognises(self, head: Head) -> bool:
        """Whether the file begins with pi's line about the session."""
        first = head.first
        return first.get("type") == "session" and "cwd" in first and isinstance(first.get("id"), str)

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """The one conversation of a file."""
        found = _scan(path)
        if not found.entries.found:
            return ()
        times = [node.at for node in found.nodes if node.at]
        on = found.path()
        return (
            FileDigest(
                path=str(path),
                session=found.session or path.stem,
                title=safe_line(found.title or found.first_words, _TITLE),
                model=found.model,
                folder=found.folder,
                version=str(found.version),
                messages=len(_lists(found, on)[0][-1]),
                compactions=tuple(node.name or str(node.place) for node in on if node.compaction is not None),
                started_at=found.started_at or min(times, default=0.0),
                last_active=max(times, default=found.started_at),
                before=found.before,
                provider=found.provider,
            ),
        )

    def sources(self, digests: Sequence[FileDigest], memory: Memory | None = None) -> tuple[Source, ...]:
        """A conversation a file, the largest of those that are copies of one session."""
        largest: dict[str, FileDigest] = {}
        for digest in sorted(digests, key=lambda digest: digest.last_active):
            largest[digest.session] = digest
        return tuple(
            Source(row_of(d, self.agent, f"pi, session version {d.version}"), (d.path,))
            for d in largest.values()
        )

    def read(self, source: Source) -> Recorded:
        """A conversation: its lists, compactions and requests."""
        found, row = _scan(Path(source.files[0])), source.row
        on = found.path()
        lists, compactions = _lists(found, on)
        requests = tuple(_requests(found, on))
        left = sum(len(node.messages) for node in found.nodes) - sum(len(node.messages) for node in on)
        notes = list(left_out(found.unreadable))
        if left:
            notes.append(
                f"{several(left, 'message')} on branches that the user went back from stand in no list."
            )
        return Recorded(
            Conversation(
                row,
                (session_of(row, row.id, requests, len(found.entries)),),
                generations_of(lists, (found.entries,), row.id),
                tuple(notes),
            ),
            tuple(compactions),
            (),
            requests,
            bodies_of((found.entries,), row.id),
        )


READER = PiReader


def _scan(path: Path) -> Scan:
    found = Scan(Entries(path, lambda lines: _wires(lines[0]) if lines else []))
    for line in read_lines(path):
        if line.value is None:
            found.unreadable += 1
            continue
        value, kind = line.value, text_at(line.value, "type")
        if kind == "session":
            found.session = found.session or text_at(value, "id")
            found.folder = text_at(value, "cwd")
            found.version = count_at(value, "version") or 1
            found.provider, found.model = text_at(value, "provider"), text_at(value, "modelId")
            found.started_at = found.started_at or seconds_of(value.get("timestamp"))
            found.before = text_at(value, "parentSession")
        elif kind == "model_change":
            found.provider, found.model = text_at(value, "provider"), text_at(value, "modelId")
        elif kind == "session_info":
            found.title = text_at(value, "name") or found.title
        found.entries.spans.append((line.start, line.length))
        _add(found, value, kind)
    return found


def _add(found: Scan, value: dict[str, Any], kind: str) -> None:
    parent = value.get("parentId")
    node = Node(
        place=len(found.nodes),
        name=text_at(value, "id") if kind != "session" else "",
        parent=parent if isinstance(parent, str) else None,
        kind=kind,
        at=seconds_of(value.get("timestamp")),
    )
    if node.name and any(node.name == other.name for other in found.nodes[-8:]):
        return
    found.nodes.append(node)
    wires = _wires(value)
    node.messages = found.entries.add(wires, node.at, kind == "compaction")
    if kind == "compaction":
        node.compaction = {
            key: value.get(key) for key in ("firstKeptEntryIndex", "firstKeptEntryId", "tokensBefore")
        }
    message = value.get("message")
    if kind == "message" and isinstance(message, dict):
        if message.get("role") == "assistant":
            node.model = text_at(message, "model")
            found.model = node.model or found.model
            found.provider = text_at(message, "provider") or found.provider
            node.answer = text_at(message, "responseId") or node.name or str(node.place)
            usage = message.get("usage")
            node.usage = usage if isinstance(usage, Mapping) else None
        elif message.get("role") == "user" and not found.first_words and wires:
            found.first_words = str(wires[0]["content"]) if isinstance(wires[0]["content"], str) else ""


def _lists(found: Scan, on: Sequence[Node]) -> tuple[list[list[int]], list[Compaction]]:
    """The list of each generation as ids, and the compactions between them."""
    lists: list[list[int]] = [[]]
    compactions: list[Compaction] = []
    places: dict[int, int] = {node.place: place for place, node in enumerate(on)}
    by_name = {node.name: node.place for node in on if node.name}
    for place, node in enumerate(on):
        ids = [identity(0, number) for number in node.messages]
        if node.compaction is None:
            lists[-1] += ids
            continue
        before = lists[-1]
        data = dict(node.compaction)
        first = by_name.get(text_at(data, "firstKeptEntryId"))
        if first is None:
            first = count_at(data, "firstKeptEntryIndex")
        start = places.get(first, place) if first is not None else place
        known = first is not None and (start < place or first >= place)
        staying = {identity(0, number) for other in on[start:place] for number in other.messages}
        kept = [name for name in before if name in staying]
        tail = len(before) - len(kept)
        lists.append(ids + kept)
        text = found.entries.bodies(node.messages)[node.messages[0]].text if node.messages else None
        compactions.append(
            Compaction(
                index=len(compactions) + 1,
                session=found.session,
                before=len(before),
                after=len(ids) + len(kept),
                head_end=0,
                tail_start=tail,
                head_after=0,
                tail_after=len(ids),
                summary_at=0 if ids else None,
                summary=text,
                merged=False,
                fallback=bool(refusal_in(text or "")),
                tokens_before=0,
                tokens_after=0,
                at=node.at,
                exact=known,
                note="" if known else "The entry that it names as the first that stayed is not in the file.",
                tokens_before_reported=count_at(data, "tokensBefore") or None,
            )
        )
    return lists, compactions


def _requests(found: Scan, on: Sequence[Node]) -> Iterator[Request]:
    """Every call of which usage is told, those on branches that were left too: they were made and paid for."""
    number, index = 1, 0
    numbers: dict[int, int] = {}
    for node in on:
        number += node.compaction is not None
        numbers[node.place] = number
    number = 1
    for node in found.nodes:
        number = numbers.get(node.place, number)
        if node.usage is None:
            continue
        usage = dict(node.usage)
        made = Request(
            index=index + 1,
            generation=number,
            message=node.answer,
            model=node.model,
            at=node.at,
            input=count_at(usage, "input") or 0,
            cache_read=count_at(usage, "cacheRead") or 0,
            cache_write=count_at(usage, "cacheWrite") or 0,
            cache_write_1h=count_at(usage, "cacheWrite1h"),
            output=count_at(usage, "output") or 0,
        )
        if made.told:
            index += 1
            yield made


def _wires(value: Mapping[str, Any]) -> list[Wire]:
    """The message that an entry is to the model; what pi says under the user's role becomes `system`."""
    kind = value.get("type")
    if kind == "compaction":
        summary = value.get("summary")
        return [{"role": "user", "content": summary}] if isinstance(summary, str) else []
    if kind == "branch_summary":
        return [{"role": "system", "content": str(value.get("summary") or "")}]
    if kind == "custom_message":
        return [{"role": "system", "content": _content(value.get("content"))}]
    message = value.get("message")
    if kind != "message" or not isinstance(message, Mapping):
        return []
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        return [_assistant(content)]
    if role == "toolResult":
        wire: Wire = {
            "role": "tool",
            "tool_call_id": str(message.get("toolCallId") or ""),
            "content": _content(content),
        }
        wire["name"] = str(message.get("toolName") or "")
        if message.get("isError") is True:
            wire["is_error"] = True
        return [wire]
    if role == "user":
        return [{"role": "user", "content": _content(content)}]
    if role == "bashExecution":
        return [{"role": "system", "content": f"$ {message.get('command')}\n{message.get('output')}"}]
    return [
        {"role": "system", "content": _content(content if content is not None else message.get("summary"))}
    ]


def _assistant(content: object) -> Wire:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = []
    parts: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for part in parts:
        if not isinstance(part, dict):
            continue
        if part.get("type") == "text":
            texts.append(text_at(part, "text"))
        elif part.get("type") == "thinking":
            thoughts.append(text_at(part, "thinking"))
        elif part.get("type") == "toolCall":
            arguments = json.dumps(part.get("arguments"), ensure_ascii=False)
            function = {"name": str(part.get("name") or "?"), "arguments": arguments}
            calls.append({"id": str(part.get("id") or ""), "type": "function", "function": function})
    wire: Wire = {"role": "assistant", "content": "\n\n".join(texts)}
    if any(thoughts):
        wire["reasoning_content"] = "\n\n".join(thoughts)
    if calls:
        wire["tool_calls"] = calls
    return wire


def _content(content: object) -> Any:
    """Text where there is nothing else, else the parts."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "" if content is None else json.dumps(content)
    parts = [part for part in content if isinstance(part, Mapping)]
    if all(part.get("type") == "text" and isinstance(part.get("text"), str) for part in parts):
        return "\n".join(part["text"] for part in parts)
    return [dict(part) for part in parts]
