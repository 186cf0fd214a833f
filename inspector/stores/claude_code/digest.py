"""Digest a Claude Code transcript for the list of conversations, without reading bodies.

Only the fields named here are decoded, which is several times as fast as decoding whole lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import fields

from inspector.core.text import opening_title, safe_line, without_pictures
from inspector.stores.claude_code.chain import lines_by_conversation, split_abandoned
from inspector.stores.claude_code.forms import answer_name, attachment_wires, user_wires, without_tag
from inspector.stores.claude_code.joining import abandoned_name, is_abandoned
from inspector.stores.claude_code.queued import QUEUED, DeliveredPrompt, Queue, repeats_prompt
from inspector.stores.claude_code.scan import SYNTHETIC, boundary_of, scan
from inspector.stores.claude_code.stream import is_stream_file, stream_lines
from inspector.stores.lines import cannot_read, mapping, seconds_of
from inspector.stores.recorded import FileDigest

_TITLE = 120
_CHAINED = frozenset({"user", "assistant", "system", "attachment", "progress"})


#: Bytes of a file read at once.
_PIECE = 1 << 18


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Part(msgspec.Struct, gc=False):
    """A part of a message; everything but its type is skipped."""

    type: str = ""


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


#: Fields that are mappings, with their own fields.
_INNER = {"message": _Message, "usage": _Usage}


class _Tally:
    """Running totals of one conversation in a file. `boundaries` has the uuids of all boundary lines so far."""

    def __init__(self, boundaries: set[str]) -> None:
        self.boundaries = boundaries
        self.first: _Line | None = None
        self.last: _Line | None = None
        self.session = self.folder = self.version = self.model = self.first_words = ""
        self.agent = ""
        self.begun = self.ended = ""
        #: The message that a line belongs to, by the line's uuid.
        self.message_of: dict[str, str] = {}
        self.answers: set[str] = set()
        self.messages = 0
        self.largest = 0
        #: Boundaries, and summaries without a boundary, with their parent lines.
        self.compactions: dict[str, str] = {}
        #: Whether the last boundary still lacks its summary.
        self.announced = False
        #: Whether the last message is a tool's result.
        self.results = False

    def count_delivered(self, prompt: DeliveredPrompt) -> None:
        """Count a prompt that the agent got from the queue."""
        if prompt.name not in self.message_of:
            self._count_message(prompt.name, len(prompt.wires))

    def add(self, line: _Line, raw: bytes) -> None:
        """Count a line of the conversation."""
        self.first = self.first or line
        self.last = line
        self.session = line.sessionId or self.session
        self.agent = self.agent or line.agentId or ""
        self.folder = self.folder or line.cwd or ""
        self.version = line.version or self.version
        if line.timestamp:
            self.begun = min(self.begun or line.timestamp, line.timestamp)
            self.ended = max(self.ended, line.timestamp)
        uuid = line.uuid or ""
        if line.subtype == "compact_boundary":
            self.boundaries.add(uuid)
            self.compactions[uuid] = ""
            self.announced = True
            self.messages = self._kept_messages(line)
        elif line.type == "attachment":
            # Most attachments have no message for the model.
            self._count_message(uuid, len(attachment_wires(mapping(raw) or {})))
        elif line.type == "user":
            if line.isCompactSummary:
                self._count_summary(line, uuid)
            self._count_user_line(line, raw, uuid)
        elif line.type == "assistant" and line.message is not None and not line.isApiErrorMessage:
            self._count_answer(line.message, uuid, _answer_of(line))

    def _count_summary(self, line: _Line, uuid: str) -> None:
        """Count a summary. Releases before some 2.0 wrote no boundary."""
        above = line.parentUuid or ""
        if not self.announced and above not in self.boundaries:
            self.compactions[uuid] = above
            self.messages = 0
        self.announced = False

    def _count_user_line(self, line: _Line, raw: bytes, uuid: str) -> None:
        content = line.message.content if line.message is not None else None
        if isinstance(content, list) and not line.isCompactSummary and all(map(_is_result, content)):
            # Most of these lines have only results of tools.
            self._count_message(uuid, len(content))
            self.results = bool(content) or self.results
            return
        wires = user_wires(mapping(raw) or {})
        self._count_message(uuid, len(wires))
        if wires:
            self.results = any(wire["role"] == "tool" for wire in wires)
        if not self.first_words and not line.isCompactSummary:
            text = next((w["content"] for w in wires if w["role"] == "user"), "")
            self.first_words = without_pictures(without_tag(text)).strip() if isinstance(text, str) else ""

    def _count_message(self, uuid: str, count: int) -> None:
        self.messages += count
        if count:
            self.message_of[uuid] = uuid

    def _kept_messages(self, line: _Line) -> int:
        """Return the number of messages that a boundary kept."""
        data = boundary_of({"compactMetadata": line.compactMetadata}, micro=False)
        named: Sequence[str] = data.kept
        if not named and data.head in self.message_of and data.tail in self.message_of:
            lines = list(self.message_of)
            named = lines[lines.index(data.head) : lines.index(data.tail) + 1]
        return len({self.message_of[uuid] for uuid in named if uuid in self.message_of})

    def _count_answer(self, answer: _Message, uuid: str, name: str) -> None:
        self.results = False
        self.message_of[uuid] = name
        if name not in self.answers:
            self.answers.add(name)
            self.messages += 1
        if answer.model and answer.model != SYNTHETIC:
            self.model = answer.model
        usage = answer.usage
        if usage is not None:
            read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
            self.largest = max(self.largest, (usage.input_tokens or 0) + read + written)


def digests_of(path: Path, abandoned: Mapping[str, str] | None = None) -> tuple[FileDigest, ...]:
    """Return digests of the main conversation, of each sub-agent in the file and of each branch abandoned across a
    boundary.

    `abandoned` maps the uuids of abandoned lines to the names of their branches; None if these are unknown. Raises
    StoreErrors.
    """
    tallies: dict[str, _Tally] = {}
    titles: dict[str, str] = {}
    summaries: list[tuple[str, str]] = []
    #: Number of compactions above each line of the main conversation.
    compactions_above: dict[str, int] = {}
    part_of = abandoned or {}
    stayed: set[str] = set()
    line_names: set[tuple[str, str, str | None]] = set()
    side_of: dict[str, str] = {}
    marked: bool | None = None
    queue = Queue()
    stream = is_stream_file(path)
    boundaries: set[str] = set()
    #: The conversation of the last line outside sub-agents.
    own_last = _Tally(boundaries)
    for line, raw in _lines(_streamed(path) if stream else _raw(path)):
        if line.type in ("custom-title", "ai-title") and (named := line.customTitle or line.aiTitle):
            titles[line.type] = named
        if line.type == "summary" and line.summary and line.leafUuid:
            summaries.append((line.summary, line.leafUuid))
        if line.type not in _CHAINED or not line.uuid:
            if line.type == QUEUED:
                queue.add(mapping(raw) or {}, (0, 0))
            continue
        # A line may be repeated.
        name = (line.uuid, line.type, line.subtype)
        if name in line_names:
            continue
        line_names.add(name)
        if marked is None:
            marked = bool(line.isSidechain) and not line.agentId
        part = part_of.get(line.uuid, "")
        if line.isSidechain and not (marked and not line.agentId):
            part = side_of[line.uuid] = line.agentId or side_of.get(line.parentUuid or "") or line.uuid
        tally = tallies.get(part)
        if tally is None:
            tally = tallies[part] = _Tally(boundaries)
        if not line.isSidechain:
            if queue.pending and _begins(line, tally.answers):
                for prompt in queue.delivered(seconds_of(line.timestamp), own_last.results):
                    if not repeats_prompt(prompt, mapping(raw) or {}):
                        tallies.get(part_of.get(prompt.name, ""), own_last).count_delivered(prompt)
            elif line.type == "attachment" and b"queued_command" in raw:
                queue.attach(mapping(raw) or {})
            own_last = tally
        tally.add(line, raw)
        compacted = len(tally.compactions)
        if line.compactMetadata:
            stayed |= boundary_of({"compactMetadata": line.compactMetadata}, micro=False).stayed
        compacts = line.subtype == "compact_boundary"
        parent = line.parentUuid or (compacts and line.logicalParentUuid) or ""
        earlier = compacted - compacts
        above = earlier if parent in stayed else compactions_above.get(parent, earlier)
        compactions_above[line.uuid] = compacted if compacts or line.isCompactSummary else above
        may_go_back = compacts or (line.type == "user" and not line.isCompactSummary)
        if abandoned is None and may_go_back and not part and above < earlier:
            # The user may have gone back across a boundary. Only a full scan shows that.
            return digests_of(path, _abandoned_parts(path))
    for prompt in queue.delivered(float("inf"), own_last.results):
        tallies.get(part_of.get(prompt.name, ""), own_last).count_delivered(prompt)
    summary_title = next((title for title, leaf in reversed(summaries) if leaf in compactions_above), "")
    title = titles.get("custom-title") or titles.get("ai-title") or summary_title
    return _digests_of_parts(
        path,
        {part: tally for part, tally in tallies.items() if tally.messages or tally.compactions},
        title,
        stream,
    )


def _digests_of_parts(
    path: Path, tallies: Mapping[str, _Tally], title: str, stream: bool
) -> tuple[FileDigest, ...]:
    """Return the digests of the main conversation, of each sub-agent and of each abandoned branch."""
    main = tallies.get("")
    if main is None and len(tallies) == 1:
        # The file of one sub-agent.
        ((_, tally),) = tallies.items()
        return (
            _digest(path, "", tally, title="", session=tally.agent or tally.session, parent=tally.session),
        )
    session = main.session if main is not None else ""
    return tuple(
        _digest(
            path,
            part,
            tally,
            title=title if not part or is_abandoned(part) else "",
            session=f"{session}~{part[-8:]}" if is_abandoned(part) else part or tally.session,
            # Another session of a stream is marked by its own name.
            parent=session if part and part != tally.session else "",
            stream=stream,
        )
        for part, tally in tallies.items()
    )


def _abandoned_parts(path: Path) -> dict[str, str]:
    """Return the names of the abandoned branches by the uuids of their lines."""
    scanned = scan(path)
    main, branches = split_abandoned(dict(lines_by_conversation(scanned.nodes)).get("", []))
    stays = {node.uuid for node in main}
    names = {node.uuid: abandoned_name(branch.left_at) for branch in branches for node in branch.nodes}
    return {uuid: name for uuid, name in names.items() if uuid not in stays}


def _digest(
    path: Path, part: str, tally: _Tally, *, title: str, session: str, parent: str, stream: bool = False
) -> FileDigest:
    first, last = tally.first or _Line(), tally.last or _Line()
    before = first.parentUuid or first.logicalParentUuid or ""
    # A boundary may follow its summary.
    compactions = [name for name, above in tally.compactions.items() if above not in tally.boundaries]
    return FileDigest(
        path=str(path),
        part=part,
        session=session or path.stem,
        title=safe_line(title, _TITLE) or opening_title(tally.first_words, _TITLE),
        model=tally.model,
        folder=tally.folder,
        version=tally.version,
        messages=tally.messages,
        compactions=tuple(compactions),
        started_at=seconds_of(tally.begun),
        last_active=seconds_of(tally.ended),
        first=first.uuid or "",
        last=last.uuid or "",
        before=before,
        # Streams are in the order of their runs.
        midway=not stream
        and (first.subtype == "compact_boundary" or (bool(before) and first.uuid in compactions)),
        copied=not part and not parent and (first.sessionId or tally.session) != tally.session,
        stream=stream,
        parent=parent,
        largest=tally.largest,
    )


def _begins(line: _Line, answers: set[str]) -> bool:
    """Return whether a line begins an answer, a message of the user or a list. Results continue a turn."""
    message = line.message or _Message()
    if line.type == "assistant":
        return _answer_of(line) not in answers
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
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # A value has an unexpected type, or the line is not JSON.
            yield from ((_valid_fields(value), raw) for value in (mapping(raw),) if value is not None)


def _raw(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb", buffering=_PIECE) as file:
            yield from file
    except OSError as error:
        raise cannot_read(path, error) from error


def _streamed(path: Path) -> Iterator[bytes]:
    return (json.dumps(line.value).encode() for line in stream_lines(path) if line.value is not None)


def _valid_fields(value: Mapping[str, Any], kind: type[Any] = _Line) -> Any:
    """Return the valid fields of a line that has values of unexpected types, without the content of its message."""
    valid: dict[str, Any] = {}
    for field in fields(kind):
        inner = value.get(field.name)
        if isinstance(inner, dict) and field.name in _INNER:
            valid[field.name] = _valid_fields(inner, _INNER[field.name])
        elif inner is not None and field.name != "content":
            with suppress(msgspec.ValidationError, UnicodeError):
                valid[field.name] = msgspec.convert(inner, field.type)
    return kind(**valid)
