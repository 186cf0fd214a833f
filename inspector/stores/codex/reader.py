"""Codex' rollouts (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`) as conversations.

A compaction replaces all earlier items with a new list: unchanged messages of the user and the developer, and usually
an encrypted summary.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inspector.core.conversations import ROLE_CODES, Compaction, Conversation, FailedCompaction, Request
from inspector.core.text import opening_title, safe_line, without_pictures
from inspector.stores.assembly import bodies_of, generations_of, identity, left_out, row_of, session_of
from inspector.stores.codex.forms import ENCRYPTED, answer_wire, is_made, item_wires
from inspector.stores.entries import Entries, Wire
from inspector.stores.head import Head
from inspector.stores.lines import count_at, count_of, mapping_at, read_lines, seconds_of, text_at
from inspector.stores.recorded import FileDigest, Memory, Recorded, Source

_TITLE = 120
_USER = ROLE_CODES["user"]
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_WHY_UNREADABLE = "The summary is encrypted, only the provider reads it. What stays word for word is known."


@dataclass(slots=True)
class Scan:
    """A rollout that was gone through once: lists as numbers of entries, and what was counted on the way."""

    entries: Entries
    lists: list[list[int]] = field(default_factory=lambda: [[]])
    compactions: list[Compaction] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    failures: list[FailedCompaction] = field(default_factory=list)
    #: Keys that are equal in all copies of a request (cumulative usage) or a compaction (content).
    request_names: list[str] = field(default_factory=list)
    compaction_names: list[str] = field(default_factory=list)
    session: str = ""
    forked_from: str = ""
    parent: str = ""
    prompt: str = ""
    folder: str = ""
    version: str = ""
    provider: str = ""
    model: str = ""
    window: int | None = None
    title: str = ""
    first_words: str = ""
    times: list[float] = field(default_factory=list)
    unreadable: int = 0


class CodexReader:
    """See Reader for what every method answers."""

    agent = "codex"
    limits = (
        "Codex does not record what started a compaction, and it encrypts the summaries that OpenAI writes.",
    )

    def recognises(self, head: Head) -> bool:
        """Whether lines are in Codex' envelope."""
        return text_at(head.first, "type") in _TYPES and isinstance(head.first.get("payload"), dict)

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return the digest of the single conversation of a rollout."""
        found = _Scanner(path).run()
        if not found.entries.found:
            return ()
        return (
            FileDigest(
                path=str(path),
                session=found.session or path.stem,
                title=safe_line(found.title, _TITLE) or opening_title(found.first_words, _TITLE),
                model=found.model,
                folder=found.folder,
                version=found.version,
                messages=len(found.lists[-1]),
                compactions=tuple(found.compaction_names),
                started_at=min(found.times, default=0.0),
                last_active=max(found.times, default=0.0),
                parent=found.parent,
                before=found.forked_from,
                provider=found.provider,
                window=found.window,
            ),
        )

    def sources(self, digests: Sequence[FileDigest], memory: Memory | None = None) -> tuple[Source, ...]:
        """A conversation a session, the newest of copies. A session that was forked from another of these is its
        branch, and counts nothing that it copied."""
        newest = {digest.session: digest for digest in sorted(digests, key=lambda digest: digest.last_active)}
        sources = []
        for digest in newest.values():
            row = row_of(digest, self.agent, f"codex {digest.version}".strip(), "recorded")
            parent = newest.get(digest.before)
            if parent is None or parent is digest:
                sources.append(Source(row, (digest.path,)))
                continue
            fresh = [name for name in digest.compactions if name not in parent.compactions]
            kind = "sub-agent" if digest.parent else "branch"
            row = row._replace(parent=parent.session, kind=kind, compactions=len(fresh))
            sources.append(Source(row, (digest.path,), (parent.path,)))
        return tuple(sources)

    def read(self, source: Source) -> Recorded:
        """A conversation: its lists, compactions and requests."""
        found, row = _Scanner(Path(source.files[0])).run(), source.row
        for path in source.shared:
            _leave_out(found, _Scanner(Path(path)).run())
        lists = [[identity(0, number) for number in numbers] for numbers in found.lists]
        notes = list(left_out(found.unreadable))
        if any(compaction.encrypted for compaction in found.compactions):
            notes.append(_WHY_UNREADABLE)
        return Recorded(
            Conversation(
                row,
                (session_of(row, row.id, found.requests, len(found.entries)),),
                generations_of(lists, (found.entries,), row.id),
                tuple(notes),
            ),
            tuple(found.compactions),
            (),
            tuple(found.requests),
            bodies_of((found.entries,), row.id),
            found.prompt,
            tuple(found.failures),
        )


READER = CodexReader


def _leave_out(found: Scan, parent: Scan) -> None:
    """Leave out the requests and compactions that a fork copied from its parent session. Its first list is then the
    list after the last copied compaction."""
    requests = [
        request
        for request, name in zip(found.requests, found.request_names, strict=True)
        if name not in parent.request_names
    ]
    copied = sum(name in parent.compaction_names for name in found.compaction_names)
    del found.lists[:copied]
    found.compactions = [replace(made, index=made.index - copied) for made in found.compactions[copied:]]
    found.requests = [
        replace(request, index=index, generation=max(1, request.generation - copied))
        for index, request in enumerate(requests, start=1)
    ]


class _Scanner:
    def __init__(self, path: Path) -> None:
        self.found = Scan(Entries(path, _convert))
        self.open: int | None = None
        #: Hashes of the messages in the list that the model did not write, by number.
        self.said: dict[int, int] = {}
        self.counted: object = None
        self.last_size: int | None = None
        self.answer = ""
        self.waiting: int | None = None
        #: The size at the request before the last one, and the usage of a call that no count followed yet.
        self.earlier_size: int | None = None
        self.record: Mapping[str, Any] = {}

    def run(self) -> Scan:
        found = self.found
        for line in read_lines(found.entries.path):
            if line.value is None:
                found.unreadable += 1
                continue
            at = seconds_of(line.value.get("timestamp"))
            if at:
                found.times.append(at)
            payload = line.value.get("payload")
            if not isinstance(payload, dict):
                continue
            found.entries.spans.append((line.start, line.length))
            kind = text_at(line.value, "type")
            if kind == "response_item":
                self._item(payload, at)
            elif kind == "compacted":
                self._compacted(payload, at)
            elif kind == "event_msg":
                self._event(payload, at)
            elif kind == "session_meta" and not found.session:
                self._meta(payload)
            elif kind == "turn_context":
                found.model = text_at(payload, "model") or found.model
            elif kind == "token_usage_record":
                self.record = payload
        return found

    def _meta(self, payload: dict[str, Any]) -> None:
        found = self.found
        found.session = text_at(payload, "id") or text_at(payload, "session_id")
        found.folder, found.version = text_at(payload, "cwd"), text_at(payload, "cli_version")
        found.provider = text_at(payload, "model_provider")
        found.forked_from = text_at(payload, "forked_from_id")
        found.prompt = text_at(payload, "base_instructions", "text") or text_at(payload, "instructions")
        source = payload.get("source")
        if isinstance(source, Mapping) and "subagent" in source:
            spawned = dict(source)
            found.parent = text_at(spawned, "subagent", "thread_spawn", "parent_thread_id") or text_at(
                payload, "forked_from_id"
            )

    def _item(self, item: dict[str, Any], at: float) -> None:
        found = self.found
        if is_made(item):
            self.answer = text_at(item, "id") or self.answer
            if self.open is None:
                (self.open,) = found.entries.add([{"role": "assistant"}], at)
                found.lists[-1].append(self.open)
            else:
                found.entries.extend(self.open)
            return
        wires = item_wires(item)
        if wires:
            self.open = None
            numbers = found.entries.add(wires, at)
            self.said |= {number: _said(wire) for number, wire in zip(numbers, wires, strict=True)}
            found.lists[-1] += numbers
            if not found.first_words:
                words = next((wire["content"] for wire in wires if wire["role"] == "user"), "")
                found.first_words = without_pictures(words) if isinstance(words, str) else ""

    def _compacted(self, payload: dict[str, Any], at: float) -> None:
        found = self.found
        text = text_at(payload, "message")
        size = self.last_size
        if self._wrote(text):
            size = self.earlier_size
        elif self.record and text_at(self.record, "response_id") == text_at(
            payload, "compaction_response_id"
        ):
            usage = mapping_at(self.record, "usage")
            self._request(usage, at, text_at(self.record, "response_id"), summarizes=True)
        self.record = {}
        self.open = None
        wires = _replacement(payload)
        numbers = found.entries.add(wires, at)
        places = [place for place, wire in enumerate(wires) if wire["content"] in (ENCRYPTED, text)]
        before = found.lists[-1]
        kept = self._kept(before, wires, numbers)
        found.lists.append(list(numbers))
        self.waiting, self.last_size = len(found.compactions), None
        found.compaction_names.append(_name(payload))
        found.compactions.append(
            Compaction(
                index=len(found.lists) - 1,
                session=found.session,
                before=len(before),
                after=len(numbers),
                head_end=0,
                tail_start=len(before),
                head_after=0,
                tail_after=len(numbers),
                summary_at=places[-1] if places else None,
                summary=text or None,
                merged=False,
                fallback=False,
                tokens_before=0,
                tokens_after=0,
                at=at,
                note="" if text else _WHY_UNREADABLE,
                tokens_before_reported=size,
                encrypted=not text,
                kept=kept,
            )
        )

    def _wrote(self, text: str) -> bool:
        """Whether the last answer is the summary `text`: then it is in no list, and its request wrote the summary."""
        found, number = self.found, self.open
        if not text or number is None:
            return False
        entry = found.entries.found[number]
        # Consecutive items of the model make one message: the summary is the last item.
        (item,) = found.entries.fetch(found.entries.path, [found.entries.spans[entry.lines[-1]]])
        answer = "".join(str(wire["content"]) for wire in _convert([item] if item else [])).strip()
        if not answer or answer not in text:
            return False
        entry.lines.pop()
        if not entry.lines:
            found.lists[-1].remove(number)
        if found.requests and found.requests[-1].generation == len(found.lists):
            found.requests[-1] = replace(found.requests[-1], summarizes=True)
        return True

    def _kept(
        self, before: Sequence[int], wires: Sequence[Mapping[str, Any]], numbers: Sequence[int]
    ) -> tuple[tuple[int, int], ...]:
        """Return the messages of the previous list that the new list keeps; of equal messages the last."""
        places: dict[int, list[int]] = {}
        for index, number in enumerate(before):
            if number in self.said:
                places.setdefault(self.said[number], []).append(index)
        self.said = {number: _said(wire) for number, wire in zip(numbers, wires, strict=True)}
        kept = []
        for after in range(len(numbers) - 1, -1, -1):
            same = places.get(self.said[numbers[after]])
            if same:
                kept.append((same.pop(), after))
        return tuple(sorted(kept))

    def _event(self, payload: dict[str, Any], at: float) -> None:
        found, kind = self.found, text_at(payload, "type")
        if kind == "token_count":
            self._count(payload, at)
        elif kind == "task_started":
            found.window = count_at(payload, "model_context_window") or found.window
        elif kind == "thread_name_updated":
            found.title = text_at(payload, "thread_name") or text_at(payload, "name") or found.title
        elif kind == "thread_rolled_back":
            self._back(count_at(payload, "num_turns") or 0)
        elif kind in ("error", "stream_error") and "compact" in text_at(payload, "message").lower():
            self._failed(text_at(payload, "message"), at)

    def _failed(self, error: str, at: float) -> None:
        found = self.found
        found.failures.append(
            FailedCompaction(
                len(found.failures) + 1, found.session, len(found.lists), len(found.lists[-1]), at, error,
                tokens_before_reported=self.last_size,
            )
        )  # fmt: skip

    def _count(self, payload: dict[str, Any], at: float) -> None:
        """A call's usage. The same count comes again with news of limits, and once after a compaction with its size."""
        found = self.found
        info = payload.get("info")
        if not isinstance(info, dict):
            return
        found.window = count_at(info, "model_context_window") or found.window
        # A list always has tokens: 0 means that they were not counted.
        size = count_at(info, "last_token_usage", "total_tokens") or None
        total, sent = info.get("total_token_usage"), count_at(info, "last_token_usage", "input_tokens")
        if self.waiting is not None:
            if not sent and size is not None:
                made = found.compactions[self.waiting]
                found.compactions[self.waiting] = replace(made, tokens_after_reported=size)
            self.waiting = None
        if size is not None and total != self.counted:
            self.earlier_size, self.last_size = self.last_size, size
        if not sent or total == self.counted:
            self.counted = total
            return
        self.counted = total
        self.record = {}
        self._request(mapping_at(info, "last_token_usage"), at, self.answer, name=json.dumps(total))

    def _request(
        self, usage: Mapping[str, Any], at: float, answer: str, summarizes: bool = False, name: str = ""
    ) -> None:
        found = self.found
        sent = count_of(usage, "input_tokens") or 0
        cached = min(sent, count_of(usage, "cached_input_tokens") or 0)
        written = min(sent - cached, count_of(usage, "cache_write_input_tokens") or 0)
        found.request_names.append(name or answer)
        found.requests.append(
            Request(
                index=len(found.requests) + 1,
                generation=len(found.lists),
                message=answer or f"call {len(found.requests) + 1}",
                model=found.model,
                at=at,
                input=sent - cached - written,
                cache_read=cached,
                cache_write=written,
                cache_write_1h=None,
                output=count_of(usage, "output_tokens") or 0,
                summarizes=summarizes,
                window=found.window,
            )
        )

    def _back(self, turns: int) -> None:
        """Go back that number of turns, as the user did; the abandoned messages are in no list."""
        numbers = self.found.lists[-1]
        asked = [
            place for place, number in enumerate(numbers) if self.found.entries.found[number].role == _USER
        ]
        if 0 < turns <= len(asked):
            del numbers[asked[-turns] :]
        self.open = None


def _name(payload: Mapping[str, Any]) -> str:
    """The name of a compaction, the same in every copy of it."""
    raw = json.dumps([payload.get("message"), payload.get("replacement_history")], sort_keys=True)
    return hashlib.blake2b(raw.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()


def _said(wire: Mapping[str, Any]) -> int:
    """Messages that say the same have the same."""
    return hash((wire["role"], json.dumps(wire.get("content"))))


def _replacement(payload: Mapping[str, Any]) -> list[Wire]:
    """The list that takes the place of all before."""
    items = payload.get("replacement_history")
    known = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    wires = [wire for item in known for wire in item_wires(item)]
    text = payload.get("message")
    if isinstance(text, str) and text and all(wire["content"] != text for wire in wires):
        wires.append({"role": "user", "content": text})
    return wires


def _convert(lines: list[dict[str, Any]]) -> list[Wire]:
    if not lines:
        return []
    payloads = [payload for line in lines if isinstance(payload := line.get("payload"), dict)]
    if not payloads:
        return []
    if lines[0].get("type") == "compacted":
        return _replacement(payloads[0])
    return [answer_wire(payloads)] if is_made(payloads[0]) else item_wires(payloads[0])
