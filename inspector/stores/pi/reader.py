"""pi's sessions (`~/.pi/agent/sessions/**/*.jsonl`), versions 1 to 3.

Version 1 is a list of entries; a compaction names the index of the first kept entry. From version 2 on each entry has a
parent, and the session is the path to the last entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.core.conversations import Compaction, Conversation, Request, Usage
from inspector.core.refusals import refusal_in
from inspector.core.text import opening_title, safe_line, without_pictures
from inspector.stores.assembly import (
    bodies_of,
    generations_of,
    identity,
    left_out,
    session_of,
    several,
)
from inspector.stores.entries import Entries, Wire
from inspector.stores.head import Head
from inspector.stores.lines import Line, count_at, read_lines, seconds_of, text_at
from inspector.stores.pi.forms import entry_wires, prompt_in
from inspector.stores.recorded import FileDigest, Memory, Recorded, Source
from inspector.stores.session_lists import newest_of

_TITLE = 120


@dataclass(slots=True)
class Node:
    """An entry: its parent, its messages, and its usage or compaction."""

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
    #: The entry was copied from the session that this one was forked from.
    copied: bool = False


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
    prompt: str = ""

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
    #: Label of a release in the list.
    source = "pi, session version"
    limits = ("pi does not record what started a compaction, nor the size after it.",)

    def recognises(self, head: Head) -> bool:
        """Whether the file begins with pi's line about the session."""
        first = head.first
        known = first.get("type") == "session" and "cwd" in first and isinstance(first.get("id"), str)
        # Another agent's line has the time under another name.
        return known and "createdAt" not in first

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return the digest of the single conversation of a file."""
        found = self.scan(path, "")
        if not found.entries.found:
            return ()
        return (self.digest(path, "", found),)

    def scan(self, path: Path, part: str) -> Scan:
        """The session of a file that `part` names. Raises StoreErrors."""
        return scan_of(Entries(path, convert), read_lines(path))

    def digest(self, path: Path, part: str, found: Scan) -> FileDigest:
        """Return the digest of a session for the list."""
        times = [node.at for node in found.nodes if node.at]
        on = found.path()
        return FileDigest(
            path=str(path),
            part=part,
            session=found.session or path.stem,
            title=safe_line(found.title, _TITLE) or opening_title(found.first_words, _TITLE),
            model=found.model,
            folder=found.folder,
            version=str(found.version),
            messages=len(_lists(found, on)[0][-1]),
            compactions=tuple(node.name or str(node.place) for node in on if node.compaction is not None),
            started_at=found.started_at or min(times, default=0.0),
            last_active=max(times, default=found.started_at),
            before=found.before,
            provider=found.provider,
        )

    def sources(self, digests: Sequence[FileDigest], memory: Memory | None = None) -> tuple[Source, ...]:
        """A conversation a session, the newest of copies. A session that was forked from another of these is its
        branch, and counts nothing that it copied."""
        return newest_of(digests, self.agent, label=self.source)

    def read(self, source: Source) -> Recorded:
        """A conversation: its lists, compactions and requests. Of a branch the parts that it did not copy."""
        found, row = self.scan(Path(source.files[0]), source.part), source.row
        on = found.path()
        shared = bool(source.shared)
        lists, compactions = _lists(found, on, shared)
        requests = tuple(_requests(found, on, shared))
        left = sum(len(node.messages) for node in found.nodes) - sum(len(node.messages) for node in on)
        notes = list(left_out(found.unreadable))
        if left:
            verb = "is" if left == 1 else "are"
            notes.append(f"{several(left, 'message')} on abandoned branches {verb} in no list.")
        return Recorded(
            Conversation(
                row,
                (session_of(row, row.id, requests, len(found.entries)),),
                generations_of(lists, (found.entries,), row.id),
                tuple(notes),
                bool(found.unreadable),
            ),
            tuple(compactions),
            (),
            requests,
            bodies_of((found.entries,), row.id),
            found.prompt,
        )


READER = PiReader


def convert(lines: list[dict[str, Any]]) -> list[Wire]:
    """The messages in a line."""
    return entry_wires(lines[0]) if lines else []


def scan_of(entries: Entries, lines: Iterable[Line]) -> Scan:
    """Go through the lines of a session."""
    found = Scan(entries)
    for line in lines:
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
        found.prompt = (
            prompt_in(value.get("message")) or prompt_in(value.get("systemMessage")) or found.prompt
        )
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
    node.copied = bool(found.before) and 0 < node.at < found.started_at
    wires = entry_wires(value)
    node.messages = found.entries.add(wires, node.at, kind == "compaction")
    if kind == "compaction":
        known = ("firstKeptEntryIndex", "firstKeptEntryId", "tokensBefore", "tokensAfter", "fromHook")
        node.compaction = {key: value.get(key) for key in known}
        usage = value.get("usage")
        node.usage = usage if isinstance(usage, Mapping) else None
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
            words = wires[0]["content"]
            found.first_words = without_pictures(words) if isinstance(words, str) else ""


def _lists(found: Scan, on: Sequence[Node], shared: bool = False) -> tuple[list[list[int]], list[Compaction]]:
    """The list of each generation as ids, and the compactions between them. Of a fork (`shared`) the
    copied compactions are left out."""
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
        # An earlier summary does not stay, even where messages before it do.
        staying = {
            identity(0, number)
            for other in on[start:place]
            if other.compaction is None
            for number in other.messages
        }
        kept = [name for name in before if name in staying]
        tail = len(before) - len(kept)
        lists.append(ids + kept)
        if shared and node.copied:
            del lists[:-1]
            continue
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
                tokens_after_reported=count_at(data, "tokensAfter") or None,
                usage=_usage(node.usage),
                by_hook=data.get("fromHook") is True,
            )
        )
    return lists, compactions


def _usage(usage: Mapping[str, Any] | None) -> Usage | None:
    """Return the usage of the summarizing calls; there are two if a turn was split."""
    if usage is None:
        return None
    keys = ("input", "output", "cacheRead", "cacheWrite")
    return Usage(*(count_at(usage, key) or 0 for key in keys))


def _requests(found: Scan, on: Sequence[Node], shared: bool = False) -> Iterator[Request]:
    """Every call whose usage is recorded, those on abandoned branches too: they were made and paid for. Of a fork those
    that it did not copy."""
    number, index = 1, 0
    numbers: dict[int, int] = {}
    for node in on:
        if node.compaction is not None and not (shared and node.copied):
            number += 1
        numbers[node.place] = number
    number = 1
    for node in found.nodes:
        number = numbers.get(node.place, number)
        if node.usage is None or node.compaction is not None or (shared and node.copied):
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
