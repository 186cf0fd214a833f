"""Kimi CLI's sessions (`~/.kimi/sessions/<folder>/<session>/`).

`context.jsonl` is the current list. A compaction moves it to `context_1.jsonl`, `context_2.jsonl`, ... and begins
it again with the summary. Going back and clearing move it too. Times and usage are in `wire.jsonl`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.core.conversations import ROLE_NAMES, Usage
from inspector.core.errors import StoreError, StoreMissing
from inspector.core.shares import plural
from inspector.stores.assembly import CUT
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.index import FileDigest
from inspector.stores.kimi.forms import summary_in, wires_of
from inspector.stores.lines import place_in, read_lines, read_spans_of, readable_mapping
from inspector.stores.session_lists import SessionLists, SessionReader
from inspector.stores.values import count_of, mapping_at, mappings_in, seconds_of, text_at, usage_of

_MAIN = "context.jsonl"
_EARLIER = re.compile(r"context_(\d+)\.jsonl")
_SUB_AGENT = re.compile(r"context_sub(_\d+)?\.jsonl")
#: The folder with a folder for each sub-agent of a session.
_SUB_AGENTS = "subagents"
#: Commands of the user that change the list and are not messages.
_COMMAND = re.compile(r"\s*/(compact|clear|reset)\b")
#: The steps between two lists.
_COMPACTED, _CLEARED = "compacted", "cleared"
#: The events after which a compaction no longer runs.
_ENDS = ("StepInterrupted", "TurnEnd", "TurnBegin")
#: The role of the message that an event of the wire comes with.
_ROLES = {"TurnBegin": "user", "ToolResult": "tool", "StatusUpdate": "assistant"}


class KimiReader(SessionReader):
    """See Reader for the methods."""

    agent = "kimi"
    limits = (
        "Kimi CLI does not record the model, the sizes before and after a compaction, the request for the summary, or "
        "why a compaction failed.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file is a context of Kimi CLI, the live one or an earlier one."""
        return text_at(head.first, "role") in ("_system_prompt", "_checkpoint", "_usage")

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return the digest of a session's folder. Earlier contexts belong to the live context."""
        if _EARLIER.fullmatch(path.name) and path.with_name(_MAIN).exists():
            return ()
        return super().digests(path)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        files = [*_earlier_contexts(path), path] if path.name == _MAIN else [path]
        entries = Entries(path, wires_of, fetch=lambda _, spans: read_spans_of(files, spans))
        return _Scanner(entries, files=files).run()


READER = KimiReader


class _Phase(Struct):
    """A part of the wire, up to a compaction or until the user cleared the list: times by role, and requests."""

    times: dict[str, list[float]] = field(default_factory=dict)
    calls: list[tuple[str, float, Usage]] = field(default_factory=list)
    #: The name of the step that ended it, its time, and what started it.
    step: str = ""
    at: float = 0.0
    trigger: str | None = None
    #: The times of compactions that began and did not end, each with its trigger.
    failures: list[tuple[float, str]] = field(default_factory=list)


class _Scanner(SessionLists, kw_only=True):
    files: Sequence[Path]
    #: The steps between the lists, each with the number of the list before it.
    steps: list[tuple[str, int]] = field(default_factory=list)
    #: How often the list was cleared or rewound, and removed messages are in no list.
    moved: int = 0
    #: What starts a compaction in this turn; the time of the compaction that runs.
    trigger: str = "auto"
    began: float = 0.0

    def run(self) -> SessionLists:
        path = self.entries.path
        main, folder = path, path.parent.name
        # An earlier release wrote contexts of sub-agents next to the context of the session, without times and usage.
        beside = _SUB_AGENT.fullmatch(path.name) is not None
        self.session = folder if path.name == _MAIN else f"{folder}-{path.stem}"
        if path.parent.parent.name == _SUB_AGENTS:
            main = path.parents[2] / _MAIN
            self.parent = main.parent.name
        elif beside:
            self.parent = folder
        for number, file in enumerate(self.files):
            self._read_context(number, file)
        if missing := self._missing_files():
            self.gaps.append(f"Messages are in no list, because files are missing: {', '.join(missing)}.")
        if not beside:
            self._join(self._read_wire(path.with_name("wire.jsonl")))
            title = text_at(readable_mapping(path.with_name("state.json")), "custom_title")
            # A shortened title is only the beginning of the first words.
            self.title = "" if title.endswith("…") else title
        self.folder = _folder(main)
        if self.moved:
            self.notes.append(
                f"The list was cleared or rewound {plural(self.moved, 'time')}; removed messages are in no list."
            )
        return self

    def _missing_files(self) -> list[str]:
        """Return the names of the contexts that are missing before the last one, or the live one."""
        numbers = [int(match[1]) for file in self.files if (match := _EARLIER.fullmatch(file.name))]
        missing = [f"context_{one}.jsonl" for one in range(1, max(numbers, default=0)) if one not in numbers]
        return [_MAIN] if _EARLIER.fullmatch(self.entries.path.name) else missing

    def _read_context(self, number: int, file: Path) -> None:
        """Read a file: the list after a compaction, or the list again after the user went back."""
        numbers: list[int] = []
        summary: tuple[int, str] | None = None
        # Number of messages that the compaction wrote: those before the first count of tokens.
        written: int | None = None
        lines = (line._replace(start=place_in(number, line.start)) for line in read_lines(file))
        for record in self.records(lines):
            if record.get("role") == "_system_prompt":
                self.prompt = text_at(record, "content")
            elif record.get("role") == "_usage" and written is None:
                written = len(numbers)
            wires = wires_of([record])
            text = summary_in(record)
            numbers_of_line = self.make(wires, 0.0, summary=text is not None)
            if text is None:
                self.note_first_words(wires)
            else:
                summary = (numbers_of_line[0], text)
            numbers += numbers_of_line
        # After going back, the list still begins with the same summary and the messages that the compaction kept.
        begins, began = (
            [self.hashes[one] for one in listed[: written or 1]] for listed in (numbers, self.live)
        )
        goes_back = bool(numbers) and begins == began
        if number == 0:
            self.lists[-1] = numbers
            self.cut = CUT if summary is not None else ""
        elif summary is not None and self.live and not goes_back:
            self.steps.append((_COMPACTED, len(self.lists)))
            self.compact(numbers[:written], summary[0], 0.0, text=summary[1])
            self.live.extend(numbers[len(self.live) :])
        elif goes_back or not (self.compactions and self.compactions[-1].after):
            if not goes_back:
                self.steps.append((_CLEARED, len(self.lists)))
            self.moved += 1
            self.lists[-1] = numbers
        else:
            # The list after the compaction stays, because the compaction is compared with it.
            self.steps.append((_CLEARED, len(self.lists)))
            self.compact((), None, 0.0, note="The list was cleared without a summary.")
            self.live.extend(numbers)

    def _read_wire(self, path: Path) -> list[_Phase]:
        """Return the phases of the session."""
        phases = [_Phase()]
        try:
            for line in read_lines(path):
                if line.value is None:
                    self.unreadable += 1
                    continue
                at = seconds_of(line.value.get("timestamp"))
                self.note_time(at)
                step = self._read_event(phases[-1], at, mapping_at(line.value, "message"))
                if step:
                    phases[-1].step, phases[-1].at = step, at
                    phases.append(_Phase())
        except StoreMissing:
            pass
        except StoreError as error:
            self.notes.append(f"Times and requests are unknown: {error}")
        return phases

    def _read_event(self, phase: _Phase, at: float, message: Mapping[str, Any]) -> str:
        """Add an event to a phase. Return the step that ends the phase, if any."""
        kind, payload = text_at(message, "type"), mapping_at(message, "payload")
        role = _ROLES.get(kind)
        usage = mapping_at(payload, "token_usage")
        if kind == "CompactionBegin":
            self.began = at
        elif kind == "CompactionEnd":
            self.began, phase.trigger = 0.0, self.trigger
            return _COMPACTED
        elif self.began and kind in _ENDS:
            phase.failures.append((self.began, self.trigger))
            self.began = 0.0
        if kind == "TurnBegin":
            self.trigger = "manual" if _COMMAND.match(text_at(payload, "user_input")) else "auto"
        if kind == "TurnBegin" and (command := _COMMAND.match(text_at(payload, "user_input"))):
            return "" if command[1] == "compact" else _CLEARED
        if kind == "StatusUpdate":
            self.window = count_of(payload, "max_context_tokens") or self.window
        if kind == "StatusUpdate" and usage:
            names = "input_other", "output", "input_cache_read", "input_cache_creation"
            phase.calls.append((text_at(payload, "message_id"), at, usage_of(usage, *names)))
        if role and (usage or kind != "StatusUpdate"):
            phase.times.setdefault(role, []).append(at)
        return ""

    def _join(self, phases: Sequence[_Phase]) -> None:
        """Join the phases with the lists, the newest first: the files of the first lists may be missing."""
        list_number, steps = len(self.lists), list(self.steps)
        numbers = [list_number]
        for phase in reversed(phases[:-1]):
            while steps and phase.step == _COMPACTED and steps[-1][0] == _CLEARED:
                list_number = steps.pop()[1]
            if steps and steps[-1][0] == phase.step:
                before = steps.pop()[1]
                if before < list_number:
                    self.compactions[before - 1] = replace(
                        self.compactions[before - 1], at=phase.at, trigger=phase.trigger
                    )
                list_number = before
            elif not steps:
                list_number = 1
            numbers.append(list_number)
        times: dict[int, dict[str, list[float]]] = {}
        for phase, number in zip(phases, reversed(numbers), strict=True):
            times[number] = phase.times
            for name, at, usage in phase.calls:
                self.call(name, at, usage, generation=number)
        for number, members in enumerate(self.lists, start=1):
            self._set_times(members, times.get(number, {}))
        for phase, number in zip(phases, reversed(numbers), strict=True):
            members = self.lists[number - 1]
            for at, trigger in phase.failures:
                earlier = (
                    place for place, one in enumerate(members, 1) if 0 < self.entries.items[one].at <= at
                )
                error = "It was cancelled or failed; Kimi CLI does not record why."
                self.fail(error, at, generation=number, place=max(earlier, default=0), trigger=trigger)

    def _set_times(self, numbers: Sequence[int], times: Mapping[str, list[float]]) -> None:
        """Set the times of a list's messages from the wire, newest first. Copies of earlier messages get no time."""
        times_left = {role: list(queue) for role, queue in times.items()}
        for number in reversed(numbers):
            entry = self.entries.items[number]
            queue = times_left.get(ROLE_NAMES[entry.role])
            if queue and not entry.summary:
                entry.at = queue.pop()


def _earlier_contexts(path: Path) -> list[Path]:
    matches = ((_EARLIER.fullmatch(other.name), other) for other in path.parent.iterdir())
    return [other for _, other in sorted((int(match[1]), other) for match, other in matches if match)]


def _folder(path: Path) -> str:
    """Return the project's folder. A hash of it names the session's folder, and `kimi.json` lists the folders."""
    if len(path.parents) < 4:
        return ""
    for entry in mappings_in(readable_mapping(path.parents[3] / "kimi.json").get("work_dirs")):
        folder = text_at(entry, "path")
        raw = folder.encode("utf-8", errors="surrogatepass")
        if folder and hashlib.md5(raw, usedforsecurity=False).hexdigest() == path.parents[1].name:
            return folder
    return ""
