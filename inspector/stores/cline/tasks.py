"""Tasks of Cline's editor: `tasks/<id>/api_conversation_history.json` and `ui_messages.json`.

The history has every message. The model got the first two messages, and the messages after a range that was cut out;
each message on the screen has the range and the length of the history at its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.core.shares import plural
from inspector.stores.cline.task_forms import folder_in, is_summary, task_wires, with_updates
from inspector.stores.entries import Entries
from inspector.stores.lines import document_in, mapping
from inspector.stores.session_lists import SessionLists
from inspector.stores.values import count_of, listed, mappings, seconds_of, text_at, usage_of

HISTORY = "api_conversation_history.json"
_SCREEN = "ui_messages.json"
#: Messages at the beginning that are always sent.
_FIRST = 2
#: Places of messages: unchanged in the history, or with replaced texts.
_WHOLE, _CHANGED = 1, 2
#: Maximum number of messages after a cut among which the summary is.
_NEAR = 3


def scan_task(path: Path) -> SessionLists:
    """Return the session of a task, given its history. Raises StoreErrors."""
    content, updates = document_in(path), _updates(path.with_name("context_history.json"))
    history = mappings(content)
    entries = Entries(path, lambda records: task_wires(records[0]), fetch=_fetch)
    unreadable = history.count({}) + (not isinstance(content, list))
    return _Scanner(entries, history=history, updates=updates, unreadable=unreadable).run()


class _Scanner(SessionLists, kw_only=True):
    history: Sequence[dict[str, Any]]
    updates: Mapping[int, dict[int, str]]
    #: The numbers of each message of the history that was added.
    numbers: list[tuple[int, ...]] = field(default_factory=list)
    #: The first message that stays after the range that was cut out.
    start: int = _FIRST
    at: float = 0.0
    #: The time of the message on the screen before.
    before: float = 0.0
    size: int = 0
    used: set[int] = field(default_factory=set)

    def run(self) -> SessionLists:
        self.session = self.entries.path.parent.name
        self.folder = next(filter(None, map(folder_in, self.history[:_FIRST])), "")
        screen = mappings(document_in(self.entries.path.with_name(_SCREEN)))
        about = document_in(self.entries.path.with_name("task_metadata.json"))
        models = mappings(about.get("model_usage") if isinstance(about, Mapping) else None)
        self.model = text_at(models[-1], "model_id") if models else ""
        self.provider = text_at(models[-1], "model_provider_id") if models else ""
        for place, shown in enumerate(screen):
            self.before = self.at
            self.at = seconds_of(shown.get("ts")) or self.at
            self.note_time(self.at)
            self._step(shown)
            if shown.get("say") == "api_req_started":
                following = screen[place + 1 :]
                summarizes = _writes_summary(following)
                if following and not summarizes:
                    # The list is cut after the request is shown and before it is sent.
                    self._step(following[0])
                self._request(shown, summarizes)
        self.before = self.at
        self._add(len(self.history))
        if not screen:
            self.gaps.append(
                f"{_SCREEN} is missing or cannot be read, so messages that were cut out of the list are unknown."
            )
        unused = len(self.updates.keys() - self.used)
        if unused:
            self.notes.append(f"The list shows {plural(unused, 'text')} in full that Cline sent shortened.")
        if any(message.get("isSummary") is True for message in self.history):
            self.gaps.append("Summaries that another program wrote into this history are not recognised.")
        return self

    def _step(self, shown: Mapping[str, Any]) -> None:
        """Bring the live list to the state that a message on the screen records."""
        last = count_of(shown, "conversationHistoryIndex")
        self._add(0 if last is None else last + 1)
        self._cut(shown.get("conversationHistoryDeletedRange"))

    def _add(self, stop: int) -> None:
        """Add the messages of the history up to a place to the live list."""
        for index in range(len(self.numbers), min(stop, len(self.history))):
            self.begin_record(index, _WHOLE)
            # A message that the screen counts was complete before.
            at = seconds_of(self.history[index].get("ts")) or self.before or self.at
            self.numbers.append(self.add(task_wires(self.history[index]), at))

    def _request(self, shown: Mapping[str, Any], summarizes: bool) -> None:
        usage = mapping(text_at(shown, "text")) or {}
        tokens = usage_of(usage, "tokensIn", "tokensOut", "cacheReads", "cacheWrites", cost=usage.get("cost"))
        self.call("", self.at, tokens, summarizes=summarizes)
        if not summarizes:
            self.size = tokens.tokens

    def _cut(self, value: object) -> None:
        """Cut a range out of the list if the range grew, with or without a summary."""
        end = value[1] if isinstance(value, list) and len(value) == 2 else None
        if not isinstance(end, int) or not self.start <= end < len(self.history):
            return
        near = range(end + 1, min(end + 1 + _NEAR, len(self.history)))
        summary = next((at for at in near if any(map(is_summary, task_wires(self.history[at])))), None)
        if summary is not None:
            # The model wrote the summary in the answer before it, which is in no list.
            self._add(summary - 1)
            self._take_back(summary - 1)
            self._add_summary(summary)
            return
        self._add(end + 1)
        self._compact(end + 1, None)

    def _take_back(self, stop: int) -> None:
        """Remove the messages from a place on from the live list."""
        while len(self.numbers) > stop:
            removed = set(self.numbers.pop())
            self.lists[-1] = [number for number in self.live if number not in removed]

    def _add_summary(self, index: int) -> None:
        message = self.history[index]
        self.begin_record(index, _WHOLE)
        wires = task_wires(message)
        place = next(at for at, wire in enumerate(wires) if is_summary(wire))
        numbers = self.make(wires, seconds_of(message.get("ts")) or self.at)
        self.entries.items[numbers[place]].summary = True
        self.numbers += [(), numbers]
        self._compact(index, numbers[place], str(wires[place]["content"]))

    def _compact(self, start: int, summary: int | None, text: str | None = None) -> None:
        stays = [*range(min(_FIRST, start)), *range(start, len(self.numbers))]
        after = [number for index in stays for number in self._as_sent(index)]
        self.compact(
            after, summary, self.at, text=text, tokens_before=self.size or None, head=True,
            note="" if summary is not None else "Cline cut these messages out of the list without a summary.",
        )  # fmt: skip
        self.start = start

    def _as_sent(self, index: int) -> tuple[int, ...]:
        """Return the numbers of a message in the list after a cut. Cline may replace its texts."""
        if index not in self.updates or index in self.used:
            return self.numbers[index]
        self.used.add(index)
        self.begin_record(index, _CHANGED)
        changed = with_updates(self.history[index], self.updates[index])
        self.numbers[index] = self.make(task_wires(changed), seconds_of(changed.get("ts")))
        return self.numbers[index]


def _fetch(path: Path, places: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the messages with these numbers."""
    history = mappings(document_in(path))
    updates = _updates(path.with_name("context_history.json"))
    messages: list[dict[str, Any] | None] = []
    for number, kind in places:
        message = history[number] if number < len(history) else None
        changed = message is not None and kind == _CHANGED
        messages.append(with_updates(message or {}, updates.get(number, {})) if changed else message)
    return messages


def _updates(path: Path) -> dict[int, dict[int, str]]:
    """Return the replacement texts of Cline, by message and block."""
    updates: dict[int, dict[int, str]] = {}
    for entry in listed(document_in(path)):
        # [message, [kind, [[block, [[time, "text", [text], ...], ...]], ...]]]
        if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], int)):
            continue
        for block, changes in _pairs(entry[1][1] if len(listed(entry[1])) == 2 else None):
            last = listed(changes)[-1:]
            texts = listed(last[0][2]) if last and len(listed(last[0])) > 2 else []
            if isinstance(block, int) and texts and isinstance(texts[0], str):
                updates.setdefault(entry[0], {})[block] = texts[0]
    return updates


def _pairs(value: object) -> Iterator[tuple[Any, Any]]:
    for pair in listed(value):
        if isinstance(pair, list) and len(pair) == 2:
            yield pair[0], pair[1]


def _writes_summary(following: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the answer to a request is a summary: it calls the tool for it."""
    for shown in following:
        if shown.get("say") == "api_req_started":
            return False
        if shown.get("say") == "tool":
            called = mapping(text_at(shown, "text")) or {}
            if called.get("tool") == "summarizeTask":
                return True
    return False
