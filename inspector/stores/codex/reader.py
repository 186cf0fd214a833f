"""Codex' rollouts (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`) as conversations.

A compaction replaces all earlier items with a new list: unchanged messages of the user and the developer, and usually
an encrypted summary.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from typing import Any

from msgspec import field
from msgspec.structs import replace

from inspector.core.conversations import SYSTEM, USER
from inspector.core.errors import StoreError
from inspector.stores.assembly import CUT
from inspector.stores.codex.forms import ENCRYPTED, answer_wire, by_model, is_context, item_wires
from inspector.stores.codex.history import HistoryFile, history_of
from inspector.stores.entries import Entries, Wire
from inspector.stores.head import Head
from inspector.stores.index import FileDigest, FileIndex
from inspector.stores.lines import Line, place_in, read_lines, read_spans_of
from inspector.stores.recorded import Recorded, Source
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner, hash_of
from inspector.stores.signatures import Signature, signature_of, title_files
from inspector.stores.titles import titles_of
from inspector.stores.values import count_at, mapping_at, mappings_in, text_at, usage_of

_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
#: Maximum bytes of the user's messages that stay: 20,000 tokens of 4 bytes, from the source of 0.45. That release puts
#: them and the summary into one message; later releases have separate messages.
_KEPT_BYTES = 80_000
_NUMBER = re.compile(r"\d+")
_WHY_INFERRED = (
    "The record has no list. In this release, the newest 20,000 tokens of the user's messages stay."
)
_WHY_UNREADABLE = "The summary is encrypted, and only the provider can read it. The kept messages are known."
_WHY_LACKING = "The session goes on from another file, which is missing: the messages before are in no list."
_WHY_MISSING = "The record lacks the summary, so it cannot be read. The kept messages are known."


class CodexReader(SessionReader):
    """Reads rollouts; see Reader for the methods."""

    agent = "codex"
    limits = (
        "Codex does not record what started a compaction, except /compact, which is a separate turn. It encrypts "
        "the summaries that OpenAI writes.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether lines are in Codex' envelope."""
        return text_at(head.first, "type") in _TYPES and isinstance(head.first.get("payload"), dict)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        return _scan(path)

    def sources(self, digests: Sequence[FileDigest], memory: FileIndex | None = None) -> tuple[Source, ...]:
        """Return a conversation for each session, with the name that it has in the index of Codex."""
        return tuple(_named(source) for source in super().sources(digests, memory))

    def read(self, source: Source) -> Recorded:
        session = _scan(Path(source.files[0]))
        for path in source.shared:
            session.leave_out(_scan(Path(path)))
        notes = (compaction.note for compaction in session.compactions if compaction.encrypted)
        session.notes += dict.fromkeys(note for note in notes if note in (_WHY_UNREADABLE, _WHY_MISSING))
        return session.recorded(source)


READER = CodexReader


def _named(source: Source) -> Source:
    """Return a conversation with the name of its session in the index of Codex."""
    for index in title_files("codex", source.files[:1]):
        name = _names_in(index, signature_of(index)).get(source.row.id)
        if name and name[0]:
            return replace(source, row=source.row._replace(title=name[0], title_with_secrets=name[1]))
    return source


@lru_cache(maxsize=8)
def _names_in(index: str, signature: Signature | None) -> Mapping[str, tuple[str, str]]:
    """Return the names of sessions by id. The last line about a session counts."""
    names: dict[str, tuple[str, str]] = {}
    with suppress(StoreError):
        for line in read_lines(Path(index)) if signature is not None else ():
            names[text_at(line.value, "id")] = titles_of(text_at(line.value, "thread_name"))
    return names


def _scan(path: Path) -> _Scanner:
    files = history_of(path)
    paths = [file.path for file in files]
    entries = Entries(path, _convert, fetch=lambda _, spans: read_spans_of(paths, spans))
    return _Scanner(entries, files=files).run()


class _Scanner(SessionScanner, kw_only=True):
    """One pass over the files of a session."""

    #: The files with the history of the session, the oldest first.
    files: Sequence[HistoryFile]
    #: Keys that are equal in all copies of a request: the cumulative usage.
    request_names: list[str] = field(default_factory=list)
    #: The number of the answer that the next item of the model continues.
    open: int | None = None
    #: The items of that answer.
    items: list[dict[str, Any]] = field(default_factory=list)
    #: The cumulative usage of the last count.
    counted: object = None
    last_size: int | None = None
    #: The id of the last answer, and the time of the first item without a count after it.
    answer: str = ""
    answered_at: float = 0.0
    #: The index of the last compaction while its size is not counted.
    waiting: int | None = None
    #: The size at the last request but one, and the usage of a call without a count after it.
    earlier_size: int | None = None
    #: Whether no item and no turn came after the last count.
    ends_with_count: bool = False
    uncounted: Mapping[str, Any] = field(default_factory=dict)
    #: The numbers of compactions and of messages in the live list when the last turn began.
    turn: tuple[int, int] = (0, 0)
    #: Whether the file records turns.
    has_turns: bool = False
    #: Whether turns record their origin, and whether the current turn has none.
    has_origins: bool = False
    compacts: bool = False
    #: Whether an answer without calls preceded the last compaction.
    after_answer: bool = False
    #: The first messages of the turns of the user.
    prompts: set[int] = field(default_factory=set)
    #: The messages with Codex' own text before a turn.
    context: set[int] = field(default_factory=set)
    #: The messages that carry summaries.
    summaries: set[int | None] = field(default_factory=set)

    def read(self, path: Path) -> Iterator[Line]:
        """Yield the lines of the history and of the file. Later lines of a file that was left are abandoned."""
        self._meta(self.files[-1].meta)
        if self.files[0].lacks_base:
            self.cut = _WHY_LACKING
        elif not self.files[0].meta:
            self.cut = CUT
        for number, file in enumerate(self.files):
            left: tuple[int, int] | None = None
            for line in read_lines(file.path):
                ordinal = count_at(line.value, "ordinal")
                if file.end is not None and ordinal is not None and ordinal >= file.end:
                    if not file.reverted:
                        break
                    left = left or (len(self.lists), len(self.live))
                yield line._replace(start=place_in(number, line.start))
            if left is not None:
                self.return_to(*left)
            self.open = None

    def record(self, line: dict[str, Any], at: float) -> None:
        payload, kind = line.get("payload"), text_at(line, "type")
        if not isinstance(payload, dict):
            return
        if kind in ("response_item", "turn_context"):
            self.ends_with_count = False
        if kind == "response_item":
            self._item(payload, at)
        elif kind == "compacted":
            self._compacted(payload, at)
        elif kind == "event_msg":
            self._event(payload, at)
        elif kind == "session_meta" and not self.session:
            self._meta(payload)
        elif kind == "turn_context":
            self.model = text_at(payload, "model") or self.model
        elif kind == "token_usage_record":
            self.uncounted = payload

    def leave_out(self, parent: _Scanner) -> None:
        """Leave out the requests, compactions and failures that a fork copied from its parent session.

        Its first list is then the list after the last copied compaction.
        """
        requests = [
            request
            for request, name in zip(self.requests, self.request_names, strict=True)
            if name not in parent.request_names
        ]
        copied = sum(name in parent.names for name in self.names)
        del self.lists[:copied]
        self.compactions = [replace(item, index=item.index - copied) for item in self.compactions[copied:]]
        # A copy may have another time.
        key = attrgetter("generation", "place", "error")
        of_parent = set(map(key, parent.failures))
        failures = [failure for failure in self.failures if key(failure) not in of_parent]
        self.failures = [
            replace(failure, index=index, generation=max(1, failure.generation - copied))
            for index, failure in enumerate(failures, start=1)
        ]
        self.requests = [
            replace(request, index=index, generation=max(1, request.generation - copied))
            for index, request in enumerate(requests, start=1)
        ]

    def _meta(self, payload: Mapping[str, Any]) -> None:
        self.session = text_at(payload, "id") or text_at(payload, "session_id")
        self.folder, self.version = text_at(payload, "cwd"), text_at(payload, "cli_version")
        self.provider = text_at(payload, "model_provider")
        self.forked_from = text_at(payload, "forked_from_id")
        self.prompt = text_at(payload, "base_instructions", "text") or text_at(payload, "instructions")
        source = payload.get("source")
        if isinstance(source, Mapping) and "subagent" in source:
            spawner = text_at(source, "subagent", "thread_spawn", "parent_thread_id")
            self.parent = spawner or self.forked_from

    def _item(self, item: dict[str, Any], at: float) -> None:
        if by_model(item):
            self.answer = text_at(item, "id") or self.answer
            self.answered_at = self.answered_at or at
            if self.open is None:
                (self.open,) = self.entries.add([{"role": "assistant"}], at)
                self.lists[-1].append(self.open)
                self.items = [item]
            else:
                self.entries.extend(self.open)
                self.items.append(item)
            # A list after a compaction may have answers, but no answer with calls.
            if item.get("type") == "message":
                self.hashes[self.open] = hash_of(answer_wire(self.items))
            elif item.get("type") != "reasoning":
                self.hashes.pop(self.open, None)
            return
        wires = item_wires(item)
        if wires:
            self.open = None
            if wires[0]["role"] == "user":
                self._turn_began()
            numbers = self.add(wires, at)
            self._note_prompts(numbers, [item])
            if is_context(item):
                self.context.update(numbers)

    def _compacted(self, payload: dict[str, Any], at: float) -> None:
        text = text_at(payload, "message")
        listed = "replacement_history" in payload or not text
        size = self.last_size
        # Releases that record no list do not record the summary as an answer either. Its count has no answer after it.
        is_counted = not listed and self.ends_with_count
        self.ends_with_count = False
        if self._is_summary(text) or is_counted:
            self._mark_summarizing()
            size = self.earlier_size
        elif self.uncounted and text_at(self.uncounted, "response_id") == text_at(
            payload, "compaction_response_id"
        ):
            usage = mapping_at(self.uncounted, "usage")
            self._request(usage, at, text_at(self.uncounted, "response_id"), summarizes=True)
        self.uncounted = {}
        self.after_answer = self.open is not None and self.items[-1].get("type") == "message"
        self.open = None
        wires = _replacement(payload)
        numbers = self.make(wires, at)
        self._note_prompts(numbers, mappings_in(payload.get("replacement_history")))
        places = [place for place, wire in enumerate(wires) if wire["content"] in (ENCRYPTED, text)]
        summary = numbers[places[-1]] if places else None
        note = "" if text else _WHY_UNREADABLE if places else _WHY_MISSING
        if not listed:
            numbers, note = (*self._staying(), *numbers), _WHY_INFERRED
        self.waiting, self.last_size = len(self.compactions), None
        self.names.append(_name(payload))
        self.compact(
            numbers, summary, at, text=text, encrypted=not text, tokens_before=size, exact=listed, note=note,
        )  # fmt: skip
        self.summaries.add(summary)

    def _staying(self) -> list[int]:
        """Return the messages that stay if the record has no list.

        These are the messages of the harness at the start of the live list, and the user's newest messages, at most
        _KEPT_BYTES.
        """
        entries, live, bytes_left = self.entries, self.lists[-1], _KEPT_BYTES
        kept: list[int] = []
        for number in reversed(live):
            entry = entries.items[number]
            if entry.role == USER and number not in self.summaries:
                items = entries.fetch(entries.path, [entries.spans[line] for line in entry.lines])
                wire = _convert([item for item in items if item])[entry.part]
                bytes_left -= len(str(wire["content"]).encode("utf-8", errors="surrogatepass"))
                if bytes_left < 0:
                    break
                kept.append(number)
        first = takewhile(lambda number: entries.items[number].role == SYSTEM, live)
        return [*first, *reversed(kept)]

    def _is_summary(self, text: str) -> bool:
        """Return whether the last answer is the summary `text`. Then remove it from the list."""
        number = self.open
        if not text or number is None:
            return False
        entry = self.entries.items[number]
        # Consecutive items of the model make one message: the summary is the last item.
        (item,) = self.entries.fetch(self.entries.path, [self.entries.spans[entry.lines[-1]]])
        answer = "".join(str(wire["content"]) for wire in _convert([item] if item else [])).strip()
        if not answer or not text.rstrip().endswith(answer):
            return False
        entry.lines.pop()
        if not entry.lines:
            self.lists[-1].remove(number)
        return True

    def _mark_summarizing(self) -> None:
        """Mark the last request of the list as the request that wrote a summary."""
        if self.requests and self.requests[-1].generation == len(self.lists):
            self.requests[-1] = replace(self.requests[-1], summarizes=True)

    def _event(self, payload: dict[str, Any], at: float) -> None:
        kind = text_at(payload, "type")
        if kind == "token_count":
            self._count(payload, at)
        elif kind == "task_started":
            self.window = count_at(payload, "model_context_window") or self.window
            self.has_turns = True
            self.turn = len(self.compactions), len(self.live)
            # A recent release records where the turns of the user come from. The turn of /compact has no origin.
            has_origin = "turn_attribution" in payload
            self.compacts = self.has_origins and not has_origin
            self.has_origins |= has_origin
        elif kind == "task_complete":
            self._turn_ended()
            if self.turn == (len(self.compactions), len(self.live)):
                # A turn without a message is a compaction. Every other turn has a message of the user.
                self._compaction_failed(text_at(payload, "error", "message"), at)
        elif kind == "turn_aborted":
            self.ends_with_count = False
            compactions, length = self.turn
            # The turn of a shell command has no origin either, but more messages than the one about its end.
            if self.compacts and compactions == len(self.compactions) and len(self.live) <= length + 1:
                self._compaction_failed("It was cancelled.", at)
        elif kind == "thread_name_updated":
            self.title = text_at(payload, "thread_name") or text_at(payload, "name") or self.title
        elif kind == "thread_rolled_back":
            self._back(count_at(payload, "num_turns") or 0)
        elif kind in ("error", "stream_error") and "compact" in text_at(payload, "message").lower():
            self.fail(text_at(payload, "message"), at, tokens_before_reported=self.last_size)

    def _compaction_failed(self, error: str, at: float) -> None:
        if error:
            self.fail(error, at, place=self.turn[1], trigger="manual", tokens_before_reported=self.last_size)

    def _turn_began(self) -> None:
        """Mark a compaction between an answer and a message of the user in a file without turns: the user asked for it.

        Such releases compact by themselves only within a turn.
        """
        done = self.compactions[-1] if self.compactions else None
        if done is not None and self.after_answer and not self.has_turns and len(self.live) == done.after:
            self.compactions[-1] = replace(done, trigger="manual")

    def _turn_ended(self) -> None:
        """Mark a compaction that is the whole turn: the user asked for it."""
        compactions_before, length = self.turn
        if len(self.compactions) != compactions_before + 1:
            return
        done = self.compactions[-1]
        if (done.before, done.after) == (length, len(self.live)):
            self.compactions[-1] = replace(done, trigger="manual")

    def _count(self, payload: dict[str, Any], at: float) -> None:
        """Add the usage of a call. The same count is repeated with limits, and after a compaction with its size."""
        # A count follows the results of the answer's calls, which the request did not have. Early releases write it
        # before the answer, and repeat it after the answer.
        answered_at, self.answered_at = self.answered_at or at, 0.0
        info = payload.get("info")
        if not isinstance(info, dict):
            return
        self.window = count_at(info, "model_context_window") or self.window
        # A list always has tokens: 0 means that they were not counted.
        size = count_at(info, "last_token_usage", "total_tokens") or None
        total, sent = info.get("total_token_usage"), count_at(info, "last_token_usage", "input_tokens")
        if self.waiting is not None:
            if not sent and size is not None:
                compaction = self.compactions[self.waiting]
                self.compactions[self.waiting] = replace(compaction, tokens_after_reported=size)
            self.waiting = None
        if size is not None and total != self.counted:
            self.earlier_size, self.last_size = self.last_size, size
        if not sent or total == self.counted:
            self.counted = total
            return
        self.counted = total
        self.uncounted = {}
        self.ends_with_count = True
        self._request(mapping_at(info, "last_token_usage"), answered_at, self.answer, name=json.dumps(total))

    def _request(
        self, usage: Mapping[str, Any], at: float, answer: str, summarizes: bool = False, name: str = ""
    ) -> None:
        names = "input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens"
        counted = usage_of(usage, *names, reasoning="reasoning_output_tokens", input_has_cache=True)
        self.call(answer, at, counted, summarizes=summarizes)
        if len(self.requests) > len(self.request_names):
            self.request_names.append(name or answer)

    def _note_prompts(self, numbers: Sequence[int], items: Sequence[Mapping[str, Any]]) -> None:
        """Note which of the messages that were made of items begin a turn of the user.

        Like Codex, count an item as one turn, and not if a part of it is Codex' text. A summary that follows the items
        counts too.
        """
        place = 0
        for item in items:
            roles = [wire["role"] for wire in item_wires(item)]
            if set(roles) == {"user"}:
                self.prompts.add(numbers[place])
            place += len(roles)
        self.prompts.update(numbers[place:])

    def _back(self, turns: int) -> None:
        """Remove the messages of the last turns, which the user abandoned, from the list."""
        prompts = [place for place, number in enumerate(self.live) if number in self.prompts]
        if turns and prompts:
            length = prompts[-min(turns, len(prompts))]
            while self._removes_context() and length > prompts[0] and self.live[length - 1] in self.context:
                length -= 1
            self.return_to(len(self.lists), length)
        self.open = None

    def _removes_context(self) -> bool:
        """Return whether going back removes Codex' text before the turn. Measured: 0.115 keeps it, 0.130 does not."""
        major, minor, *_ = [*map(int, _NUMBER.findall(self.version)), 0, 0]
        return (major, minor) >= (0, 130)


def _name(payload: Mapping[str, Any]) -> str:
    """Return the name of a compaction; copies have the same name."""
    raw = json.dumps([payload.get("message"), payload.get("replacement_history")], sort_keys=True)
    return hashlib.blake2b(raw.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()


def _replacement(payload: Mapping[str, Any]) -> list[Wire]:
    """Return the messages that replace the list."""
    items = mappings_in(payload.get("replacement_history"))
    wires = [wire for item in items for wire in item_wires(item)]
    text = payload.get("message")
    if isinstance(text, str) and text and all(wire["content"] != text for wire in wires):
        wires.append({"role": "user", "content": text})
    return wires


def _convert(lines: list[dict[str, Any]]) -> list[Wire]:
    payloads = [payload for line in lines if isinstance(payload := line.get("payload"), dict)]
    if not payloads:
        return []
    if lines[0].get("type") == "compacted":
        return _replacement(payloads[0])
    return [answer_wire(payloads)] if by_model(payloads[0]) else item_wires(payloads[0])
