"""OpenHands' conversations (`~/.openhands/conversations/<id>/`): `base_state.json` and a file for each event.

A compaction is a condensation: it names the forgotten events, and has the summary with its place in the list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.core.conversations import Events
from inspector.stores.assembly import count_note
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.lines import cannot_read, is_folder, read_mapping
from inspector.stores.openhands.forms import text_in, wires_of
from inspector.stores.session_lists import SessionLists, SessionReader
from inspector.stores.values import (
    count_of,
    mapping_at,
    mappings_in,
    seconds_of,
    strings,
    text_at,
    usage_of,
)

#: The folder with the conversations of sub-agents.
_SUB_AGENTS = "subagents"
#: Events that are not in the tree of the conversation, and the parent of its first event.
_ASIDE = frozenset({"ConversationStateUpdateEvent", "ConversationErrorEvent"})
_ROOT = "__root__"
#: The number in the name of an event's file.
_NUMBER = re.compile(r"event-(\d{5,18})-")


class OpenHandsReader(SessionReader):
    """See Reader for the methods."""

    agent = "openhands"
    limits = ("OpenHands records neither what started a condensation nor the tokens before and after it.",)

    def recognises(self, head: Head) -> bool:
        """Return whether the file is the state of a conversation."""
        start = head.raw[:65536]
        return (
            head.path.name == "base_state.json" and b'"agent"' in start and b'"persistence_dir"' in head.raw
        )

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        events = _events(path.parent / "events")
        entries = Entries(
            path, wires_of, fetch=lambda _, places: [read_mapping(events[number]) for number, _ in places]
        )
        return _Scanner(entries, paths=events).run()


READER = OpenHandsReader


class _Scanner(SessionLists, kw_only=True):
    #: The files of the events.
    paths: Sequence[Path]
    #: By list, its events with the messages of each; the system prompt has none.
    views: list[list[tuple[str, tuple[int, ...]]]] = field(default_factory=lambda: [[]])
    #: By event: the list after it, and the numbers of its messages and events.
    marks: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    last: str = ""
    usages: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    answer: str = ""
    #: The largest number of events of a list, 0 if it is not recorded.
    limit: int = 0

    def run(self) -> SessionLists:
        content = read_mapping(self.entries.path)
        self.unreadable += content is None
        state = content or {}
        self._state(state)
        self.gaps += count_note(
            _missing(self.paths), "event", "of the session {are} missing: the lists may lack messages there."
        )
        for number, path in enumerate(self.paths):
            event = read_mapping(path)
            if event is None:
                self.unreadable += 1
                continue
            self.begin_record(number, 1)
            # The machine that wrote the times left out their zone.
            at = seconds_of(event.get("timestamp"), zone=None)
            self.note_time(at)
            if text_at(event, "kind") not in _ASIDE:
                self._go_to(text_at(event, "parent_id") or self.last)
            self._event(event, at)
            self.last = text_at(event, "id")
            self.marks[self.last] = (len(self.lists), len(self.live), len(self.view))
        self._go_to(text_at(state, "leaf_event_id") or (_ROOT if state.get("head_is_empty") is True else ""))
        self.events = self._events_now
        return self

    @property
    def view(self) -> list[tuple[str, tuple[int, ...]]]:
        """The events of the live list."""
        return self.views[-1]

    @property
    def _events_now(self) -> Events:
        return Events(len(self.view), self.limit)

    def _go_to(self, event: str) -> None:
        """Continue after this event: the user may go back to an earlier event."""
        mark = (1, 0, 0) if event == _ROOT else self.marks.get(event)
        if mark is None or mark[0] > len(self.lists):
            return
        number, messages, events = mark
        if (number, events) != (len(self.lists), len(self.view)):
            self.answer = ""
            self.return_to(number, messages)
            del self.views[number:]
            del self.view[events:]

    def _state(self, state: Mapping[str, Any]) -> None:
        folder = self.entries.path.parent
        self.session = folder.name
        if folder.parent.name == _SUB_AGENTS:
            self.parent = folder.parent.parent.name
        self.title = text_at(state, "title")
        self.folder = text_at(state, "workspace", "working_dir")
        self.model = text_at(state, "agent", "llm", "model")
        self.window = count_of(mapping_at(state, "agent", "llm"), "max_input_tokens")
        self.limit = count_of(mapping_at(state, "agent", "condenser"), "max_size") or 0
        for metrics in mapping_at(state, "stats", "usage_to_metrics").values():
            for usage in mappings_in(metrics.get("token_usages") if isinstance(metrics, Mapping) else None):
                if text_at(usage, "response_id"):
                    self.usages[text_at(usage, "response_id")] = usage

    def _event(self, event: dict[str, Any], at: float) -> None:
        kind = text_at(event, "kind")
        name, answer = text_at(event, "id"), text_at(event, "llm_response_id")
        if kind == "SystemPromptEvent":
            parts = (text_in(event.get("system_prompt")), text_in(event.get("dynamic_context")))
            self.prompt = "\n\n".join(filter(None, parts))
            self.view.append((name, ()))
        elif kind == "Condensation":
            self._condensed(event, name, answer, at)
        elif kind == "ActionEvent" and answer and answer == self.answer:
            # Another call of the same answer.
            numbers = self.view[-1][1]
            self.entries.extend(numbers[0])
            self.view.append((name, numbers))
        elif wires := wires_of([event]):
            self._call(answer, at)
            self.view.append((name, self.add(wires, at)))
        else:
            # An event without a message, such as the run of a hook, ends no answer.
            return
        self.answer = answer if kind == "ActionEvent" else ""

    def _condensed(self, event: Mapping[str, Any], name: str, answer: str, at: float) -> None:
        self._call(answer, at, summarizes=True)
        counted = self._events_now
        removed = set(strings(event.get("forgotten_event_ids")))
        view = [(event_id, numbers) for event_id, numbers in self.view if event_id not in removed]
        text = text_at(event, "summary")
        summary: int | None = None
        if text:
            (summary,) = self.make(wires_of([event]), at, summary=True)
            place = count_of(event, "summary_offset")
            view.insert(
                len(view) if place is None else min(place, len(view)), (f"{name}-summary", (summary,))
            )
        self.views.append(view)
        after = list(dict.fromkeys(number for _, numbers in view for number in numbers))
        self.compact(after, summary, at, text=text or None, head=True, events=counted)

    def _call(self, answer: str, at: float, summarizes: bool = False) -> None:
        usage = self.usages.pop(answer, None) if answer else None
        if usage is not None:
            names = "prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens"
            self.call(
                answer,
                at,
                usage_of(usage, *names, input_has_cache=True),
                model=text_at(usage, "model"),
                summarizes=summarizes,
            )


def _missing(events: Sequence[Path]) -> int:
    """Return how many events before the last one have no file. Their numbers begin with 0."""
    numbers = {int(number[1]) for path in events if (number := _NUMBER.match(path.name))}
    return max(numbers, default=-1) + 1 - len(numbers)


def _events(folder: Path) -> list[Path]:
    if not is_folder(folder):
        return []
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
        # The number has five digits or more: event-00001-<id>.json.
        return [folder / name for name in sorted(names, key=lambda name: (name.find("-", 6), name))]
    except OSError as error:
        raise cannot_read(folder, error) from error
