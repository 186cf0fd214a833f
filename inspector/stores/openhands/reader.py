"""OpenHands' conversations (`~/.openhands/conversations/<id>/`): `base_state.json` and a file for each event.

A compaction is a condensation: it names the forgotten events, and has the summary with its place in the list.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.lines import (
    cannot_read,
    count_of,
    is_folder,
    mapping_at,
    mappings_in,
    read_mapping,
    seconds_of,
    text_at,
    usage_of,
)
from inspector.stores.openhands.forms import text_in, wires_of
from inspector.stores.session_lists import SessionLists, SessionReader


class OpenHandsReader(SessionReader):
    """See Reader for the methods."""

    agent = "openhands"
    limits = ("OpenHands records neither what started a condensation nor the sizes before and after it.",)

    def recognises(self, head: Head) -> bool:
        """Return whether the file is the state of a conversation."""
        start = head.raw[:65536]
        return (
            head.path.name == "base_state.json" and b'"agent"' in start and b'"persistence_dir"' in head.raw
        )

    def scan(self, path: Path, part: str) -> SessionLists:
        """Return the conversation with this state file."""
        events = _events(path.parent / "events")
        entries = Entries(
            path, wires_of, fetch=lambda _, places: [read_mapping(events[number]) for number, _ in places]
        )
        return _Scanner(entries, events=events).run()


READER = OpenHandsReader


class _Scanner(SessionLists, kw_only=True):
    #: The files of the events.
    events: Sequence[Path]
    #: The events of the live list with the message of each; None for the system prompt.
    view: list[tuple[str, int | None]] = field(default_factory=list)
    usages: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    answer: str = ""

    def run(self) -> SessionLists:
        state = read_mapping(self.entries.path)
        self.unreadable += state is None
        self._state(state or {})
        for number, path in enumerate(self.events):
            event = read_mapping(path)
            if event is None:
                self.unreadable += 1
                continue
            self.begin_record(number, 1)
            at = seconds_of(event.get("timestamp"))
            self.note_time(at)
            self._event(event, at)
        return self

    def _state(self, state: Mapping[str, Any]) -> None:
        self.session = self.entries.path.parent.name
        self.title = text_at(state, "title")
        self.folder = text_at(state, "workspace", "working_dir")
        self.model = text_at(state, "agent", "llm", "model")
        self.window = count_of(mapping_at(state, "agent", "llm"), "max_input_tokens")
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
            self.view.append((name, None))
        elif kind == "Condensation":
            self._condensed(event, name, answer, at)
        elif kind == "ActionEvent" and answer and answer == self.answer:
            # Another call of the same answer.
            number = next(number for _, number in reversed(self.view) if number is not None)
            self.entries.extend(number)
            self.view.append((name, number))
        elif wires := wires_of([event]):
            self._call(answer, at)
            (number,) = self.add(wires, at)
            self.view.append((name, number))
        self.answer = answer if kind == "ActionEvent" else ""

    def _condensed(self, event: Mapping[str, Any], name: str, answer: str, at: float) -> None:
        self._call(answer, at, summarizes=True)
        forgotten = event.get("forgotten_event_ids")
        listed = forgotten if isinstance(forgotten, list) else ()
        removed = {event_id for event_id in listed if isinstance(event_id, str)}
        view = [(event_id, number) for event_id, number in self.view if event_id not in removed]
        text = text_at(event, "summary")
        summary: int | None = None
        if text:
            (summary,) = self.make(wires_of([event]), at, summary=True)
            place = count_of(event, "summary_offset")
            view.insert(len(view) if place is None else min(place, len(view)), (f"{name}-summary", summary))
        self.view = view
        after = list(dict.fromkeys(number for _, number in view if number is not None))
        self.compact(after, summary, at, text=text or None, head=True)

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


def _events(folder: Path) -> list[Path]:
    if not is_folder(folder):
        return []
    try:
        return [folder / name for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    except OSError as error:
        raise cannot_read(folder, error) from error
