"""Scan a Claude Code transcript once: places of messages, links between lines, API calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from sys import intern
from typing import Any

from msgspec import Struct, field

from inspector.stores.claude_code.forms import (
    LOCAL_COMMAND,
    answer_in,
    assistant_wire,
    attachment_wires,
    blocks_of,
    failure_in,
    local_wires,
    prompt_in,
    queued_wires,
    user_wires,
)
from inspector.stores.claude_code.queued import QUEUED, Queue, repeats_prompt
from inspector.stores.claude_code.stream import is_stream_file, stream_lines, stream_spans
from inspector.stores.claude_code.tool_results import file_of
from inspector.stores.entries import Entries, Wire
from inspector.stores.lines import Line, read_lines, read_spans
from inspector.stores.values import (
    amount_of,
    count_at,
    count_of,
    counts_of,
    mapping_at,
    seconds_of,
    strings,
    text_at,
    text_of,
    texts_of,
)
from inspector.stores.wires import texts_in

#: The keys of the texts of a line.
_TEXTS = ("uuid", "subtype", "parentUuid", "logicalParentUuid", "sessionId", "agentId", "cwd", "version")
#: The model of an answer that no model wrote.
_SYNTHETIC = "<synthetic>"
#: Starts of local commands and notes of the user, and of the remark before them. The model does not answer them.
_LOCAL = ("Caveat: ", "<command-name>", "<bash-input>", "<user-memory-input>", "<local-command-")
#: The parts of an answer's usage that count what the request sent.
_SENT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
#: The types of lines that may be the parent of others.
_CHAINED = frozenset({"user", "assistant", "system", "attachment", "progress"})
#: Largest output, in tokens, that may be a placeholder if the end of the answer was not recorded.
PLACEHOLDER = 9


class CompactBoundary(Struct):
    """The content of a compact_boundary or microcompact_boundary.

    `kept` are the uuids of the kept lines. `stayed` has kept lines without a message too. `kept_first`: the kept lines
    are before the summary, because the user had only the later messages summarized.
    """

    micro: bool
    trigger: str | None
    before: int | None
    after: int | None
    saved: int | None
    kept: tuple[str, ...]
    head: str
    tail: str
    tools: tuple[str, ...]
    stayed: frozenset[str] = frozenset()
    kept_first: bool = False


class LineNode(Struct):
    """A line that may be the parent of others. `entries` are the messages that begin in it."""

    uuid: str
    parent: str
    logical: str
    kind: str
    at: float
    side: bool
    session: str
    agent: str
    answer: str = ""
    entries: tuple[int, ...] = ()
    uses: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    boundary: CompactBoundary | None = None
    summary: bool = False
    #: Whether it is a local command or a note of the user, which the model does not answer.
    local: bool = False
    #: Reason of the failed attempt to compact that the line reports.
    failure: str = ""
    folder: str = ""
    version: str = ""
    #: The model of an answer, and the tokens of its request.
    model: str = ""
    size: int = 0
    #: Whether it has words of the user.
    has_words: bool = False

    @property
    def message(self) -> bool:
        """Whether a message of the list begins or continues in this line."""
        return bool(self.entries) or bool(self.answer)

    @property
    def compacts(self) -> bool:
        """Whether a new list begins here."""
        return self.boundary is not None and not self.boundary.micro


class ApiCall(Struct):
    """An API call: the answer's id and the largest usage in its lines."""

    answer: str
    model: str
    at: float
    usage: Mapping[str, Any]
    output: int
    #: Whether a line has a stop reason; and the answer's characters, counted until there is one.
    stopped: bool = False
    chars: int = 0


class Scan(Struct):
    """Result of one pass over a transcript. Bodies are read again on demand."""

    entries: Entries
    nodes: list[LineNode] = field(default_factory=list)
    calls: dict[str, ApiCall] = field(default_factory=dict)
    prompt: str = ""
    unreadable: int = 0
    #: The ids of lines of unknown types.
    aside: set[str] = field(default_factory=set)
    api_errors: int = 0
    queue: Queue = field(default_factory=Queue)
    #: Whether the file is a stream (see stream.py).
    stream: bool = False
    #: The recorded total costs of a session in US dollars, with calls that no line has: session, total, and the line
    #: before it. The total of a fork has the costs of the first session up to the fork.
    recorded_costs: list[tuple[str, float, str]] = field(default_factory=list)
    #: The titles of the session by type of line, and titles with the id of the line that each summarizes.
    titles: dict[str, str] = field(default_factory=dict)
    summaries: list[tuple[str, str]] = field(default_factory=list)


def _convert(lines: list[dict[str, Any]]) -> list[Wire]:
    """Convert lines to messages: all blocks of an answer make one, each part of a user's line makes one."""
    if lines and lines[0].get("type") == "assistant":
        return [assistant_wire([block for line in lines for block in blocks_of(line)])]
    return wires_of(lines[0])


def wires_of(line: Mapping[str, Any]) -> list[Wire]:
    """Return the messages in a line other than an answer of the model."""
    if line.get("type") == QUEUED:
        return queued_wires(line)
    if line.get("type") == "system":
        return local_wires(line)
    return user_wires(line) if line.get("type") == "user" else attachment_wires(line)


def scan(path: Path) -> Scan:
    """Scan a transcript. Skip repeated lines, lines of unknown type and lines without valid JSON.

    Raises StoreErrors.
    """
    stream = is_stream_file(path)
    fetch = stream_spans if stream else read_spans
    scanner = _Scanner(Entries(path, _convert, partial(file_of, path), fetch), stream=stream)
    scanner.run((stream_lines if stream else read_lines)(path))
    return scanner


class _Scanner(Scan):
    """One pass over a transcript."""

    line_keys: set[tuple[str, str, str]] = field(default_factory=set)
    answers: dict[tuple[str, bool], int] = field(default_factory=dict)
    #: Answer, time and hash of the content of each line of an answer.
    lines: set[tuple[str, float, int]] = field(default_factory=set)
    #: The last message of the file's own conversation.
    last: LineNode | None = None

    def run(self, lines: Iterable[Line]) -> None:
        for line in lines:
            if line.value is None:
                self.unreadable += 1
            else:
                self._line(line.value, (line.start, line.length))
        self._deliver(float("inf"))

    def _line(self, value: dict[str, Any], span: tuple[int, int]) -> None:
        kind = text_of(value, "type")
        if kind == QUEUED:
            self.queue.add(value, span)
            return
        if kind == "cost-state":
            is_complete = value.get("hasUnknownModelCost") is not True
            total = is_complete * amount_of(value.get("totalCostUSD"))
            before = self.nodes[-1].uuid if self.nodes else ""
            self.recorded_costs.append((text_of(value, "sessionId"), total, before))
            return
        if kind not in _CHAINED:
            self._note_title(value, kind)
            self.aside.add(text_of(value, "uuid"))
            return
        uuid, subtype, parent, logical, session, agent, folder, version = texts_of(value, *_TEXTS)
        key = (uuid, kind, subtype)
        if not uuid or key in self.line_keys:
            return
        self.line_keys.add(key)
        node = LineNode(
            uuid,
            parent,
            logical,
            kind,
            seconds_of(value.get("timestamp")),
            value.get("isSidechain") is True,
            session,
            agent,
            folder=intern(folder),
            version=intern(version),
        )
        if self.queue.pending and not node.side and self._begins(value, node):
            self._deliver(node.at, value)
        self.entries.spans.append(span)
        self.nodes.append(node)
        if kind == "assistant":
            self._answer(value, node)
        elif kind in ("user", "attachment"):
            self._user_line(value, node)
            if kind == "attachment":
                self.queue.attach(value)
                if not node.side:
                    self.prompt = prompt_in(value) or self.prompt
        elif subtype in ("compact_boundary", "microcompact_boundary"):
            node.boundary = boundary_of(value, subtype.startswith("micro"))
        elif subtype in (LOCAL_COMMAND, "status"):
            node.failure = failure_in(value)
            node.entries = self.entries.add(local_wires(value), node.at)
        elif subtype == "api_error":
            self.api_errors += 1
        if kind in ("user", "assistant") and not node.side and node.message:
            self.last = node

    def _note_title(self, value: dict[str, Any], kind: str) -> None:
        if kind in ("custom-title", "ai-title"):
            title = text_of(value, "customTitle") or text_of(value, "aiTitle")
            self.titles[kind] = title or self.titles.get(kind, "")
        elif kind == "summary" and text_of(value, "summary"):
            self.summaries.append((text_of(value, "summary"), text_of(value, "leafUuid")))

    def _begins(self, value: dict[str, Any], node: LineNode) -> bool:
        """Return whether a line begins an answer, a user's message or a list; tool results continue a turn."""
        if node.kind == "assistant":
            return (answer_in(value), node.side) not in self.answers
        if node.kind == "user":
            return not any(wire["role"] == "tool" for wire in user_wires(value))
        return value.get("subtype") == "compact_boundary"

    def _deliver(self, at: float, value: dict[str, Any] | None = None) -> None:
        """Add the prompts delivered from the queue before a line, except a prompt that the line repeats.

        Their parent is the last message.
        """
        last = self.last
        for prompt in self.queue.delivered(at, last is not None and bool(last.results)):
            key = prompt.name, QUEUED, ""
            if (
                last is not None
                and key not in self.line_keys
                and not (value and repeats_prompt(prompt, value))
            ):
                self.line_keys.add(key)
                node = LineNode(prompt.name, last.uuid, "", QUEUED, prompt.at, False, last.session, "")
                self.entries.spans.append(prompt.span)
                self.nodes.append(node)
                node.entries = self.entries.add(prompt.wires, node.at)

    def _answer(self, value: dict[str, Any], node: LineNode) -> None:
        message = mapping_at(value, "message")
        model = text_of(message, "model")
        if value.get("isApiErrorMessage") is True:
            # Shown to the user, never sent to the model.
            self.api_errors += 1
            return
        node.answer = answer_in(value)
        node.model = intern(model) if model != _SYNTHETIC else ""
        usage = mapping_at(message, "usage")
        node.size = sum(counts_of(usage, *_SENT))
        content = message.get("content")
        if isinstance(content, list):
            node.uses = tuple(
                [text_of(block, "id") for block in content if isinstance(block, dict) and "input" in block]
            )
        number = self.answers.get((node.answer, node.side))
        # A resumed session copies the lines of an answer under other names.
        line = node.answer, node.at, hash(repr(content))
        if line in self.lines:
            return
        self.lines.add(line)
        if number is None:
            node.entries = self.entries.add([{"role": "assistant"}], node.at)
            self.answers[node.answer, node.side] = node.entries[0]
        else:
            self.entries.extend(number)
        if model == _SYNTHETIC:
            return
        # An answer that the user interrupted at once has the tokens of no request.
        if node.size:
            output, call = count_of(usage, "output_tokens") or 0, self.calls.get(node.answer)
            if call is None:
                call = self.calls[node.answer] = ApiCall(node.answer, model, node.at, usage, output)
            elif output > call.output:
                # Another model may have continued the answer: take usage and model from the same line.
                call.usage, call.output, call.model = usage, output, model or call.model
            call.stopped = call.stopped or message.get("stop_reason") is not None
            if not call.stopped and call.output <= PLACEHOLDER:
                call.chars += _chars_in(content)

    def _user_line(self, value: dict[str, Any], node: LineNode) -> None:
        wires = wires_of(value)
        node.summary = value.get("isCompactSummary") is True
        node.local = text_at(value, "message", "content").startswith(_LOCAL)
        node.failure = failure_in(value)
        node.results = tuple(wire["tool_call_id"] for wire in wires if wire["role"] == "tool")
        node.entries = self.entries.add(wires, node.at, node.summary)
        node.has_words = node.kind == "user" and not node.summary and any(map(_is_of_user, wires))


def _is_of_user(wire: Wire) -> bool:
    return wire["role"] == "user" and any(texts_in(wire["content"]))


def _chars_in(content: object) -> int:
    """Count the characters of text, reasoning and tool arguments in blocks."""
    if isinstance(content, str):
        return len(content)
    if isinstance(content, Mapping):
        return sum(
            _chars_in(value) for key, value in content.items() if key not in ("type", "id", "signature")
        )
    return sum(map(_chars_in, content)) if isinstance(content, list) else 0


def boundary_of(value: dict[str, Any], micro: bool) -> CompactBoundary:
    """Parse a boundary line."""
    data = mapping_at(value, "microcompactMetadata" if micro else "compactMetadata")
    preserved = mapping_at(data, "preservedMessages")
    kept, tail = tuple(strings(preserved.get("uuids"))), text_at(data, "preservedSegment", "tailUuid")
    return CompactBoundary(
        micro=micro,
        trigger=text_at(data, "trigger") or None,
        # A list always has tokens: 0 means that they were not counted.
        before=count_at(data, "preTokens") or None,
        after=count_at(data, "postTokens") or None,
        saved=count_at(data, "tokensSaved"),
        kept=kept,
        head=text_at(data, "preservedSegment", "headUuid"),
        tail=tail,
        tools=tuple(strings(data.get("compactedToolIds"))),
        stayed=frozenset((*strings(preserved.get("allUuids")), *kept, tail)),
        kept_first=text_of(preserved, "anchorUuid") == text_of(value, "uuid") != "",
    )
