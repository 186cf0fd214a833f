"""opencode's sessions as conversations.

A compaction is an answer that is marked as a summary. The user message before it names the first message that stays.
The list after it has the summary, the messages that stay, and later messages, in this order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import field

from inspector.core.shares import plural
from inspector.stores.entries import Entries, Wire
from inspector.stores.head import Head
from inspector.stores.lines import mapping
from inspector.stores.opencode.documents import is_database, read_document, session_names, without_export_line
from inspector.stores.opencode.session_messages import RECENT
from inspector.stores.session_lists import SessionLists, SessionReader
from inspector.stores.values import mapping_at, mappings, mappings_in, seconds_of, text_at, usage_of
from inspector.stores.wires import answer_of, call_of, result_of

_ASKED = "What did we do so far?"
_UNREADABLE = "(a summary that only the provider can read)"


class OpencodeReader(SessionReader):
    """See Reader for the methods."""

    agent = "opencode"
    limits = ("opencode records neither the system prompt nor the size of the list at a compaction.",)

    def recognises(self, head: Head) -> bool:
        """Return whether a file is a database of opencode, or begins like an export or a session file of opencode."""
        if head.is_sqlite:
            return head.tables is not None and is_database(head.tables)
        start = without_export_line(head.raw)
        if not start.startswith(b"{"):
            return False
        if start[1:200].lstrip().startswith(b'"info"') or b'"messages"' in start[:4096]:
            return b'"ses_' in start[:4096] or b'"sessionID"' in start
        value = mapping(start) or {}
        return text_at(value, "id").startswith("ses") and "time" in value

    def parts(self, path: Path) -> Sequence[str]:
        return session_names(path)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        document = read_document(path, part) or {}
        messages = document.get("messages")
        info, wires_of_entry = mapping_at(document, "info"), list[list[Wire]]()
        entries = Entries(
            path,
            lambda records: records[0]["wires"],
            fetch=lambda _, places: [{"wires": wires_of_entry[number]} for number, _ in places],
        )
        scanner = _Scanner(
            entries, copies=False, listed=mappings(messages), info=info, wires_of_entry=wires_of_entry,
            unreadable=int(not isinstance(messages, list)),
        )  # fmt: skip
        scanner.session = text_at(info, "id") or part or path.stem
        return scanner.run()


READER = OpencodeReader


class _Scanner(SessionLists, kw_only=True):
    listed: Sequence[Mapping[str, Any]]
    info: Mapping[str, Any]
    #: The messages of each entry, by the index of its record.
    wires_of_entry: list[list[Wire]]
    #: The part that asks for a compaction, by the id of the user's entry that has it.
    asked_by: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    #: The entries of a compaction that did not end: id, time and messages. They stay in the list if others follow.
    unended: list[tuple[str, float, list[Wire]]] = field(default_factory=list)
    #: The ids of entries that ask for a compaction that failed with an error.
    failed: set[str] = field(default_factory=set)
    #: The number of the first message of an entry, by the entry's id.
    first_of: dict[str, int] = field(default_factory=dict)
    #: Cleared results: the time in seconds, the generation, and the number of the message.
    cleared_at: list[tuple[float, int, int]] = field(default_factory=list)
    #: Number of entries that the user reverted; opencode deletes them when the session continues.
    reverted: int = 0

    def run(self) -> SessionLists:
        info = self.info
        began = False
        for entry in self._valid_entries():
            entry_info, parts = mapping_at(entry, "info"), mappings(entry.get("parts"))
            self.unreadable += parts.count({}) + (not isinstance(entry.get("parts"), list) or not entry_info)
            if entry_info:
                if not began and entry_info.get("copied") is not True:
                    began = True
                    self._leave_copies()
                self._add_entry(entry_info, parts)
        if not began:
            self._leave_copies()
        self.title, self.folder = text_at(info, "title"), text_at(info, "directory")
        self.version = text_at(info, "version")
        self.model = self.model or text_at(info, "model", "id")
        self.provider = self.provider or text_at(info, "model", "providerID")
        self.parent = text_at(info, "parentID") or text_at(info, "forked")
        self.copied = bool(text_at(info, "forked"))
        time = mapping_at(info, "time")
        self.started_at = seconds_of(time.get("created")) or self.started_at
        self.last_active = max(seconds_of(time.get("updated")), self.last_active)
        self._add_cleared()
        if self.reverted:
            self.notes.append(
                f"The user reverted {plural(self.reverted, 'message')}. opencode deletes reverted messages when the "
                "session continues."
            )
        return self

    def _leave_copies(self) -> None:
        """Begin with the list at which another session was forked. That session has its requests and compactions."""
        self.lists = [list(self.live)]
        self.compactions, self.names, self.requests = [], [], []
        self.failures, self.cleared_at = [], []
        self.failed.update(name for name, *_ in self.unended)

    def _valid_entries(self) -> Iterator[Mapping[str, Any]]:
        """Yield the entries before the first reverted one. Of this one, yield the parts before a reverted part."""
        revert = mapping_at(self.info, "revert")
        message, part = text_at(revert, "messageID"), text_at(revert, "partID")
        for entry in self.listed:
            if self.reverted or (message and text_at(entry, "info", "id") == message):
                parts = entry.get("parts") if part and not self.reverted else None
                self.reverted += 1
                if isinstance(parts, list):
                    names = [text_at(item, "id") if isinstance(item, dict) else "" for item in parts]
                    yield {**entry, "parts": parts[: names.index(part) if part in names else None]}
                continue
            yield entry

    def _add_entry(self, info: Mapping[str, Any], parts: Sequence[dict[str, Any]]) -> None:
        name = text_at(info, "id")
        at = seconds_of(mapping_at(info, "time").get("created"))
        self.note_time(at)
        compaction = next((part for part in parts if part.get("type") == "compaction"), None)
        if compaction is not None:
            self._add_unended()
            self.asked_by[name] = compaction
            # opencode 2 sends no such entry.
            if compaction.get("unsent") is not True:
                self.unended = [(name, at, [{"role": "system", "content": _ASKED}])]
            return
        if text_at(info, "parentID") not in self.asked_by:
            self._add_unended()
        self.first_of[name] = len(self.entries)
        if info.get("role") == "assistant":
            self._add_calls(info, parts, at)
            self.model = text_at(info, "modelID") or self.model
            self.provider = text_at(info, "providerID") or self.provider
            if info.get("summary") is True and not self._is_unasked(info):
                self._add_compaction(info, parts, at)
                return
        wires = list(_wires(info, parts))
        self._begin_entry(wires)
        numbers = self.add(wires, at)
        cleared = {
            text_at(part, "callID"): cleared_at
            for part in parts
            if (cleared_at := seconds_of(mapping_at(part, "state", "time").get("compacted")))
        }
        for wire, number in zip(wires, numbers, strict=True) if cleared else ():
            if wire["role"] == "tool" and wire["tool_call_id"] in cleared:
                self.cleared_at.append((cleared[wire["tool_call_id"]], len(self.lists), number))

    def _add_unended(self) -> None:
        for name, at, wires in self.unended:
            if name in self.asked_by and name not in self.failed:
                error = "It was cancelled or failed; opencode does not record why."
                self.fail(error, at, trigger=_trigger(self.asked_by[name]))
            self.first_of[name] = len(self.entries)
            self._begin_entry(wires)
            self.add(wires, at)
        self.unended = []

    def _is_unasked(self, info: Mapping[str, Any]) -> bool:
        """Return whether a summary answers an ordinary message, as after a failed compaction. opencode sends it as an
        ordinary answer, and the list stays. Older versions write no part that asks for a compaction."""
        parent = text_at(info, "parentID")
        answers_message = parent in self.first_of and parent not in self.asked_by
        return bool(self.asked_by) and answers_message and not info.get("error")

    def _begin_entry(self, wires: list[Wire]) -> None:
        self.begin_record(len(self.wires_of_entry), 1)
        self.wires_of_entry.append(wires)

    def _add_compaction(self, info: Mapping[str, Any], parts: Sequence[dict[str, Any]], at: float) -> None:
        asked = self.asked_by.get(text_at(info, "parentID"))
        texts = [part.get("text") for part in parts if part.get("type") == "text"]
        text = "\n\n".join(piece for piece in texts if isinstance(piece, str))
        trigger = _trigger(asked or {})
        # Older versions of opencode record no finish reason, only the time of completion.
        ended = info.get("finish") or (text.strip() and mapping_at(info, "time").get("completed"))
        if info.get("error") or not ended:
            # The compaction failed or still runs, so the list is unchanged.
            if error := _error(info.get("error")):
                self.fail(error, at, trigger=trigger)
                self.failed.add(text_at(info, "parentID"))
            # An answer that was cut off stays, but not one with another error.
            cut_off = not info.get("error") or text_at(info, "error", "name") == "MessageAbortedError"
            if cut_off and text.strip() and self.unended:
                self.unended.append((text_at(info, "id"), at, list(_wires(info, parts))))
            return
        self.unended = []
        encrypted = info.get("encrypted") is True and not text.strip()
        recent = next((part for part in parts if part.get("type") == RECENT), None)
        # opencode 2 sends the summary and the recent messages as one text under the user's role.
        role = "assistant" if recent is None else "user"
        wires: list[Wire] = [{"role": role, "content": _UNREADABLE if encrypted else text}]
        if recent is None and asked is not None:
            # opencode 1 sends the user's entry that asked for the compaction as this line.
            wires.insert(0, {"role": "system", "content": _ASKED})
        place = len(wires) - 1
        if recent is not None and text_at(recent, "text"):
            wires.append({"role": "system", "content": text_at(recent, "text")})
        self._begin_entry(wires)
        numbers = self.make(wires, at)
        self.entries.items[numbers[place]].summary = True
        first_kept = text_at(asked, "tail_start_id")
        start = self.first_of.get(first_kept)
        start_known = start is not None or not first_kept
        # opencode sends the kept messages by time. An earlier summary is among them, at its time.
        kept = sorted(number for number in self.live if start is not None and number >= start)
        overflow = asked is not None and asked.get("overflow") is True
        self.compact(
            [*numbers, *kept], numbers[place], at, text=text, trigger=trigger, encrypted=encrypted, exact=start_known,
            note=_note(start_known, place + 1 < len(numbers)), overflow=overflow,
        )  # fmt: skip

    def _add_cleared(self) -> None:
        """Add the cleared results. Results of one list that are cleared within a second of each other are one step."""
        groups: list[list[tuple[float, int, int]]] = []
        for result in sorted(self.cleared_at):
            if groups and result[0] - groups[-1][-1][0] <= 1 and result[1] == groups[-1][-1][1]:
                groups[-1].append(result)
            else:
                groups.append([result])
        for group in groups:
            at, generation, _ = group[0]
            places = {number: place for place, number in enumerate(self.lists[generation - 1])}
            entries = self.entries.items
            before = [place for number, place in places.items() if entries[number].at <= at]
            self.clear(
                sorted(places[number] for *_, number in group if number in places), at, generation=generation,
                place=max(before, default=-1) + 1, results=len(group), trigger="auto",
            )  # fmt: skip

    def _add_calls(self, info: Mapping[str, Any], parts: Sequence[dict[str, Any]], at: float) -> None:
        """Add the calls of an answer with recorded usage: one for each finished step if there are several, else one."""
        steps = [
            part
            for part in parts
            if part.get("type") == "step-finish" and isinstance(part.get("tokens"), dict)
        ]
        name, summarizes, is_unasked = (
            text_at(info, "id"),
            info.get("summary") is True,
            self._is_unasked(info),
        )
        calls = steps if len(steps) > 1 else [info] if isinstance(info.get("tokens"), dict) else []
        for number, step in enumerate(calls, start=1):
            tokens = {**mapping_at(step, "tokens"), **mapping_at(step, "tokens", "cache")}
            usage = usage_of(
                tokens, "input", "output", "read", "write", thoughts="reasoning", cost=step.get("cost")
            )
            self.call(
                name if len(calls) == 1 else f"{name} {number}", at, usage, model=text_at(info, "modelID"),
                summarizes=summarizes and not is_unasked, unsized=summarizes and is_unasked,
            )  # fmt: skip


def _trigger(asked: Mapping[str, Any]) -> str | None:
    """Return what started the compaction of a part; None if it is not recorded."""
    auto = asked.get("auto")
    return None if not isinstance(auto, bool) else "auto" if auto else "manual"


def _error(error: object) -> str:
    """Return the recorded reason of a failed call; "" without one."""
    if not isinstance(error, dict):
        return ""
    return text_at(error, "data", "message") or text_at(error, "name") or "an error"


def _note(start_known: bool, recent: bool) -> str:
    """Return the note about the kept messages of a compaction; "" without one."""
    if not start_known:
        return "The first kept message is missing from the recording."
    return "The newest messages stay as one text after the summary." if recent else ""


def _wires(info: Mapping[str, Any], parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the messages of an entry. Texts that opencode wrote under the user's role become `system`."""
    if info.get("role") == "assistant":
        yield from _answer_wires(parts)
        return
    for part in parts:
        if part.get("ignored") is True:
            continue
        text = part.get("text")
        if part.get("type") == "text" and isinstance(text, str):
            yield {"role": "system" if part.get("synthetic") is True else "user", "content": text}
        elif part.get("type") == "file" and _is_picture(part):
            yield {"role": "user", "content": [{"type": "image", "source": part.get("filename")}]}
        elif part.get("type") == "file":
            yield {"role": "system", "content": f"(a file: {part.get('filename') or part.get('url')})"}
        elif part.get("type") == "subtask":
            yield {"role": "user", "content": str(part.get("prompt") or "")}


def _is_picture(file: Mapping[str, Any]) -> bool:
    return str(file.get("mime") or "").startswith("image/")


def _answer_wires(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield an answer and the results of its calls. A call without a result is unfinished."""
    texts, thoughts, calls, results = [], [], [], []
    for part in parts:
        kind, text = part.get("type"), part.get("text")
        if kind == "text" and isinstance(text, str):
            texts.append(text)
        elif kind == "reasoning" and isinstance(text, str):
            thoughts.append(text)
        elif kind == "tool":
            state = mapping_at(part, "state")
            calls.append(call_of(part.get("callID"), part.get("tool"), state.get("input")))
            failed = state.get("status") == "error"
            if failed or state.get("status") == "completed":
                output = str(state.get("error" if failed else "output") or "")
                # To a provider without pictures in results, opencode sends them in a message after the results.
                pictures = [
                    {"type": "image", "source": file.get("filename")}
                    for file in mappings_in(state.get("attachments"))
                    if _is_picture(file)
                ]
                content = [{"type": "text", "text": output}, *pictures] if pictures else output
                results.append(result_of(part.get("callID"), content, failed))
    yield answer_of(texts, thoughts, calls, between="\n\n")
    yield from results
