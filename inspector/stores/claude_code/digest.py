"""Digest a Claude Code transcript for the list of conversations, without reading bodies.

Only the fields named here are decoded, which is several times as fast as decoding whole lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec
from msgspec.structs import fields

from inspector.core.patterns import late_pattern
from inspector.core.text import without_pictures
from inspector.stores.claude_code.chain import joined, lines_by_conversation, messages_of, split_abandoned
from inspector.stores.claude_code.forms import (
    LOCAL_COMMAND,
    answer_name,
    attachment_wires,
    local_wires,
    opening_words,
    user_wires,
)
from inspector.stores.claude_code.joining import abandoned_name, is_abandoned
from inspector.stores.claude_code.queued import QUEUED, Queue
from inspector.stores.claude_code.scan import CHAINED, LOCAL, SYNTHETIC, LineNode, boundary_of, queued_nodes
from inspector.stores.claude_code.stream import is_stream_file, stream_lines
from inspector.stores.compressed import open_decompressed
from inspector.stores.entries import Wire
from inspector.stores.lines import cannot_read, lines_in, mapping, seconds_of
from inspector.stores.recorded import FileDigest
from inspector.stores.titles import titles_of
from inspector.stores.wires import texts_in

#: The name of a command that the user called.
_COMMAND_NAME = late_pattern(r"<command-name>(/[^<\n]{1,80})</command-name>")
#: Bytes of a file read at once.
_PIECE = 1 << 18


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Part(msgspec.Struct, gc=False):
    """A part of a message: its type, and the id of a tool call or of the call of a result."""

    type: str = ""
    id: str | None = None
    tool_use_id: str | None = None


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None
    content: str | list[str | _Part] | None = None


class _Line(msgspec.Struct, gc=False):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    requestId: str | None = None
    parentUuid: str | None = None
    logicalParentUuid: str | None = None
    sessionId: str | None = None
    agentId: str | None = None
    timestamp: str | None = None
    isSidechain: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    cwd: str | None = None
    version: str | None = None
    message: _Message | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    summary: str | None = None
    leafUuid: str | None = None
    compactMetadata: dict[str, Any] | None = None


#: Errors of the decoder about an unusual line.
_UNUSUAL = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
#: Fields that are mappings, with their own fields.
_INNER = {"message": _Message, "usage": _Usage}


class _Tally:
    """Running totals of one conversation in a file."""

    def __init__(self) -> None:
        self.first: _Line | None = None
        self.last: _Line | None = None
        self.session = self.folder = self.version = self.model = self.first_words = ""
        self.agent = ""
        self.begun = self.ended = ""
        self.largest = 0
        #: Whether it has a message or a boundary.
        self.is_listed = False
        #: Whether some lines are copies of lines of another session. A fork may rename the session in others.
        self.has_others_lines = False

    def add(self, line: _Line, node: LineNode) -> None:
        """Count a line of the conversation."""
        self.is_listed = self.is_listed or node.message or node.compacts
        self.first = self.first or line
        self.last = line
        self.has_others_lines = self.has_others_lines or bool(
            line.sessionId and self.session and line.sessionId != self.session
        )
        self.session = line.sessionId or self.session
        self.agent = self.agent or line.agentId or ""
        self.folder = self.folder or line.cwd or ""
        self.version = line.version or self.version
        if line.timestamp:
            self.begun = min(self.begun or line.timestamp, line.timestamp)
            self.ended = max(self.ended, line.timestamp)
        if line.type == "assistant" and line.message is not None and not line.isApiErrorMessage:
            self._add_answer(line.message)

    def _add_answer(self, answer: _Message) -> None:
        if answer.model and answer.model != SYNTHETIC:
            self.model = answer.model
        usage = answer.usage
        if usage is not None:
            read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
            self.largest = max(self.largest, (usage.input_tokens or 0) + read + written)

    def note_first_words(self, wires: Iterable[Wire]) -> None:
        """Note the first words of the user, which are the title of a session without a title."""
        command = ""
        for wire in () if self.first_words else wires:
            text = "\n".join(texts_in(wire["content"]))
            if wire["role"] == "user" and text:
                self.first_words = without_pictures(opening_words(f"{command}{text}")).strip()
                return
            # The words behind the name of a command are its arguments.
            named = _COMMAND_NAME.search(text)
            command = f"{named[1]} " if named is not None else command


class _File:
    """The lines of a file, as in `scan`, and the totals of each conversation in it.

    `part_of` has the conversations of lines that do not name their conversation.
    """

    def __init__(self, path: Path, part_of: Mapping[str, str]) -> None:
        self.path = path
        self.part_of = part_of
        self.tallies: dict[str, _Tally] = {}
        self.nodes: list[LineNode] = []
        self.titles: dict[str, str] = {}
        self.summaries: list[tuple[str, str]] = []
        self.line_keys: set[tuple[str, str, str]] = set()
        self.answers: set[tuple[str, bool]] = set()
        self.side_of: dict[str, str] = {}
        self.marked: bool | None = None
        self.queue = Queue()
        self.stream = is_stream_file(path)
        #: The last message outside sub-agents.
        self.last: LineNode | None = None

    def run(self) -> Self:
        """Read the file. Raises StoreErrors."""
        for line, raw in _lines(_streamed(self.path) if self.stream else _raw(self.path)):
            if line.type in ("custom-title", "ai-title") and (named := line.customTitle or line.aiTitle):
                self.titles[line.type] = named
            if line.type == "summary" and line.summary and line.leafUuid:
                self.summaries.append((line.summary, line.leafUuid))
            if line.type in CHAINED and line.uuid:
                self._line(line, raw)
            elif line.type == QUEUED:
                self.queue.add(mapping(raw) or {}, (0, 0))
        self._deliver(float("inf"), b"")
        return self

    def title(self) -> str:
        """Return the title of the session; "" if it has none."""
        named = {node.uuid for node in self.nodes} if self.summaries else ()
        summary_title = next((title for title, leaf in reversed(self.summaries) if leaf in named), "")
        return self.titles.get("custom-title") or self.titles.get("ai-title") or summary_title

    def _line(self, line: _Line, raw: bytes) -> None:
        uuid = line.uuid or ""
        # A line may be repeated.
        key = (uuid, line.type, line.subtype or "")
        if key in self.line_keys:
            return
        self.line_keys.add(key)
        tally = self._tally(line, uuid)
        node = self._node(line, uuid)
        if not node.side:
            if self.queue.pending and _begins(line, (node.answer, False) not in self.answers):
                self._deliver(node.at, raw)
            elif line.type == "attachment" and b"queued_command" in raw:
                self.queue.attach(mapping(raw) or {})
        if line.type == "attachment":
            # Most attachments have no message for the model.
            node.entries = tuple(range(len(attachment_wires(mapping(raw) or {}))))
        elif line.subtype == LOCAL_COMMAND:
            node.entries = tuple(range(len(local_wires(mapping(raw) or {}))))
        elif line.type == "user":
            self._user_line(line, raw, node, tally)
        elif node.answer and (node.answer, node.side) not in self.answers:
            self.answers.add((node.answer, node.side))
            node.entries = (0,)
        self.nodes.append(node)
        if line.type in ("user", "assistant") and not node.side and node.message:
            self.last = node
        tally.add(line, node)

    def _tally(self, line: _Line, uuid: str) -> _Tally:
        if self.marked is None:
            self.marked = bool(line.isSidechain) and not line.agentId
        part = self.part_of.get(uuid)
        if part is None and line.isSidechain and not (self.marked and not line.agentId):
            part = self.side_of[uuid] = line.agentId or self.side_of.get(line.parentUuid or "") or uuid
        tally = self.tallies.get(part or "")
        if tally is None:
            tally = self.tallies[part or ""] = _Tally()
        return tally

    def _node(self, line: _Line, uuid: str) -> LineNode:
        node = LineNode(
            uuid,
            line.parentUuid or "",
            line.logicalParentUuid or "",
            line.type,
            seconds_of(line.timestamp),
            bool(line.isSidechain),
            line.sessionId or "",
            line.agentId or "",
        )
        if line.type == "assistant" and not line.isApiErrorMessage:
            node.answer = _answer_of(line)
            content = line.message.content if line.message is not None else None
            if isinstance(content, list):
                calls = (
                    part for part in content if isinstance(part, _Part) and part.type.endswith("tool_use")
                )
                node.uses = tuple([call.id or "" for call in calls])
        elif line.subtype in ("compact_boundary", "microcompact_boundary"):
            metadata = {"compactMetadata": line.compactMetadata}
            node.boundary = boundary_of(metadata, micro=line.subtype != "compact_boundary")
        return node

    def _user_line(self, line: _Line, raw: bytes, node: LineNode, tally: _Tally) -> None:
        node.summary = bool(line.isCompactSummary)
        content = line.message.content if line.message is not None else None
        if isinstance(content, list) and not node.summary and all(map(_is_result, content)):
            # Most of these lines have only results of tools.
            node.results = tuple([part.tool_use_id or "" for part in content if isinstance(part, _Part)])
            node.entries = tuple(range(len(content)))
            return
        wires = user_wires(mapping(raw) or {})
        node.local = isinstance(content, str) and content.startswith(LOCAL)
        node.results = tuple([wire["tool_call_id"] for wire in wires if wire["role"] == "tool"])
        node.entries = tuple(range(len(wires)))
        if not node.summary:
            tally.note_first_words(wires)

    def _deliver(self, at: float, raw: bytes) -> None:
        """Add the prompts delivered from the queue before a line."""
        for prompt, node in queued_nodes(self.queue, at, self.last, self.line_keys, mapping(raw)):
            node.entries = tuple(range(len(prompt.wires)))
            self.nodes.append(node)


def digests_of(path: Path) -> tuple[FileDigest, ...]:
    """Return a digest of each conversation in a file.

    These are the main conversation, each sub-agent, and each branch abandoned across a boundary. Raises StoreErrors.
    """
    file = _File(path, {}).run()
    lines: dict[str, Sequence[LineNode]] = dict(lines_by_conversation(file.nodes))
    listed = [part for part, tally in file.tallies.items() if tally.is_listed]
    # A file with lines of sub-agents only is one conversation.
    is_agent = "" in lines and "" not in listed
    main, branches = split_abandoned(lines.get("", ()))
    own = {node.uuid for node in main}
    if main:
        lines[""] = main
    lines |= {abandoned_name(branch.left_at): branch.nodes for branch in branches}
    part_of = {node.uuid: abandoned_name(branch.left_at) for branch in branches for node in branch.nodes}
    part_of |= dict.fromkeys(own, "")
    if branches or (is_agent and len(listed) > 1):
        file = _File(path, part_of).run()
    return tuple(
        _digest(file, part, lines.get(part, main), own, is_agent)
        for part, tally in file.tallies.items()
        if tally.is_listed and (is_agent or part in lines)
    )


def _digest(
    file: _File,
    part: str,
    nodes: Sequence[LineNode],
    own: Set[str],
    is_agent: bool,
) -> FileDigest:
    """Return the digest of a conversation. `own` are the ids of the lines of the main conversation."""
    tally, main = file.tallies[part], file.tallies.get("")
    main_session = main.session if main is not None and main.is_listed else ""
    abandoned = is_abandoned(part)
    session, parent = part or tally.session, ""
    if abandoned:
        session, parent = f"{main_session}~{part[-8:]}", main_session
    elif is_agent:
        session, parent, part = tally.agent or tally.session, tally.session, ""
    elif part and part != tally.session:
        # Another session of a stream is marked by its own name.
        parent = main_session
    first, last = tally.first or _Line(), tally.last or _Line()
    before = first.parentUuid or first.logicalParentUuid or ""
    ordered = joined([(nodes, False)], own if abandoned else frozenset())
    compactions = tuple(node.uuid for node in ordered if node.compacts)
    name = "" if is_agent or (part and not abandoned) else file.title()
    title, with_secrets = titles_of(name, tally.first_words)
    return FileDigest(
        path=str(file.path),
        part=part,
        session=session or file.path.stem,
        title=title,
        title_with_secrets=with_secrets,
        model=tally.model,
        folder=tally.folder,
        version=tally.version,
        messages=messages_of(ordered),
        compactions=compactions,
        started_at=seconds_of(tally.begun),
        last_active=seconds_of(tally.ended),
        first=first.uuid or "",
        last=last.uuid or "",
        before=before,
        # Streams are in the order of their runs.
        midway=not file.stream
        and (first.subtype == "compact_boundary" or (bool(before) and first.uuid in compactions)),
        copied=not part and not parent and tally.has_others_lines,
        stream=file.stream,
        parent=parent,
        largest=tally.largest,
    )


def _begins(line: _Line, is_new_answer: bool) -> bool:
    """Return whether a line begins an answer, a message of the user or a list. Results continue a turn."""
    message = line.message or _Message()
    if line.type == "assistant":
        return is_new_answer
    if line.type == "user":
        return isinstance(message.content, str | None) or not any(map(_is_result, message.content))
    return line.subtype == "compact_boundary"


def _answer_of(line: _Line) -> str:
    identity = line.message.id if line.message is not None else None
    return answer_name(identity or "", line.requestId or "", line.uuid or "")


def _is_result(part: str | _Part) -> bool:
    return isinstance(part, _Part) and part.type == "tool_result"


def _lines(raws: Iterable[bytes]) -> Iterator[tuple[_Line, bytes]]:
    decoder = msgspec.json.Decoder(_Line)
    for raw in raws:
        try:
            yield decoder.decode(raw), raw
        except _UNUSUAL:
            # A value has an unexpected type, or the line is damaged.
            for value in (line.value for line in lines_in(raw, 0)):
                if value is not None:
                    yield _line_of(decoder, value)


def _line_of(decoder: msgspec.json.Decoder[_Line], value: Mapping[str, Any]) -> tuple[_Line, bytes]:
    raw = json.dumps(value).encode()
    try:
        return decoder.decode(raw), raw
    except _UNUSUAL:
        return _valid_fields(value), raw


def _raw(path: Path) -> Iterator[bytes]:
    try:
        with open_decompressed(path, _PIECE) as file:
            yield from file
    except OSError as error:
        raise cannot_read(path, error) from error


def _streamed(path: Path) -> Iterator[bytes]:
    return (json.dumps(line.value).encode() for line in stream_lines(path) if line.value is not None)


def _valid_fields(value: Mapping[str, Any], kind: type[Any] = _Line) -> Any:
    """Return the valid fields of a line that has values of unexpected types."""
    valid: dict[str, Any] = {}
    for field in fields(kind):
        inner = value.get(field.name)
        if isinstance(inner, dict) and field.name in _INNER:
            valid[field.name] = _valid_fields(inner, _INNER[field.name])
        elif isinstance(inner, list) and field.name == "content":
            valid[field.name] = [
                part if isinstance(part, str) else _valid_fields(part, _Part)
                for part in inner
                if isinstance(part, str | dict)
            ]
        elif inner is not None:
            with suppress(msgspec.ValidationError, UnicodeError):
                valid[field.name] = msgspec.convert(inner, field.type)
    return kind(**valid)
