"""Cline's sessions (`~/.cline/data/sessions/<id>/<id>.messages.json`), and tasks of its editor (`tasks.py`).

A session has every message. After a compaction `<id>.compaction.json` has the list that replaced the first messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.stores.cline.forms import wires_of
from inspector.stores.cline.tasks import HISTORY, scan_task
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.index import FileDigest
from inspector.stores.lines import document_in
from inspector.stores.session_lists import SessionLists, SessionReader
from inspector.stores.values import count_of, mapping_at, mappings, seconds_of, text_at, usage_of

_ENDING, _COMPACTION = ".messages.json", ".compaction.json"
#: Places of messages: in the session, or in the list after a compaction.
_SESSION, _COMPACTED = 1, 2


class ClineReader(SessionReader):
    """See Reader for the methods."""

    agent = "cline"
    limits = (
        "Cline does not record the tools, and the system prompt of a session lacks the rules of the workspace. A "
        "session records only its newest compaction. Compactions are read as its source describes them; none was "
        "seen.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file has the messages of a session, or the history of a task."""
        start = head.raw[:4096]
        if head.path.name == HISTORY:
            return start.lstrip()[:1] == b"[" and b'"role"' in start
        if head.path.name.endswith(_COMPACTION):
            return b'"source_message_count"' in start
        return head.path.name.endswith(_ENDING) and b'"sessionId"' in start and b'"messages"' in head.raw

    def digests(self, path: Path) -> tuple[FileDigest, ...]:
        """Return the digest of a session or task. The digest of a session includes its list after a compaction."""
        return () if path.name.endswith(_COMPACTION) else super().digests(path)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        if path.name == HISTORY:
            return scan_task(path)
        content = _as_mapping(document_in(path))
        session = SessionLists(Entries(path, wires_of, fetch=_fetch), unreadable=int(not content))
        session.session = text_at(content, "sessionId")
        session.version = text_at(content, "origin", "version")
        session.prompt = text_at(content, "system_prompt")
        # A sub-agent's file is beside that of the session that started it, and has no other file about it.
        session.parent = text_at(content, "origin", "parentThreadId")
        name = session.parent or path.name.removesuffix(_ENDING)
        about = _as_mapping(document_in(path.with_name(f"{name}.json")))
        session.folder, session.model = text_at(about, "cwd"), text_at(about, "model")
        session.provider = text_at(about, "provider")
        session.parent = session.parent or text_at(about, "parent_session_id")
        messages = mappings(content.get("messages"))
        session.unreadable += messages.count({})
        state = _as_mapping(document_in(_compaction_file(path)))
        if not state and _compaction_file(path).exists():
            session.gaps.append("The list after its compaction cannot be read. This compaction is left out.")
        replaced = count_of(state, "source_message_count") or 0
        for number, message in enumerate(messages):
            if 0 < replaced == number:
                _compact(session, state)
            session.begin_record(number, _SESSION)
            at = seconds_of(message.get("ts"))
            session.note_time(at)
            session.model = text_at(message, "modelInfo", "id") or session.model
            _call(session, message, at)
            wires = wires_of([message])
            if _summary_in(message):
                # An earlier release overwrote the session with the list after a compaction.
                numbers = session.make(wires, at, summary=True)
                _compacted(session, message, list(numbers), numbers[0], str(wires[0]["content"]))
            else:
                session.add(wires, at)
        if messages and replaced == len(messages):
            _compact(session, state)
        elif replaced > len(messages):
            session.gaps.append(
                "The file records a compaction of more messages than it has. This compaction is left out."
            )
        return session


READER = ClineReader


def _compact(session: SessionLists, state: Mapping[str, Any]) -> None:
    """Replace the live list by the list of the compaction."""
    after: list[int] = []
    summary: int | None = None
    text, source = None, {}
    for number, message in enumerate(mappings(state.get("messages"))):
        session.begin_record(number, _COMPACTED)
        wires, is_summary = wires_of([message]), _summary_in(message)
        numbers = session.make(wires, seconds_of(message.get("ts")), summary=is_summary)
        if is_summary and numbers:
            summary, text, source = numbers[0], str(wires[0]["content"]), message
        after += numbers
    _compacted(session, source, after, summary, text, seconds_of(state.get("updated_at")))


def _compacted(
    session: SessionLists, summary: Mapping[str, Any], after: list[int], number: int | None, text: str | None,
    at: float = 0.0,
) -> None:  # fmt: skip
    about = mapping_at(summary, "metadata")
    session.compact(
        after, number, seconds_of(about.get("generatedAt")) or at, text=text,
        tokens_before=count_of(about, "tokensBefore"),
        note="" if session.live else "The messages before it are not in the file.",
    )  # fmt: skip


def _summary_in(message: Mapping[str, Any]) -> bool:
    return text_at(mapping_at(message, "metadata"), "kind") == "compaction_summary"


def _compaction_file(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(_ENDING) + _COMPACTION)


def _call(session: SessionLists, message: Mapping[str, Any], at: float) -> None:
    metrics = message.get("metrics")
    if not isinstance(metrics, Mapping):
        return
    names = "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"
    session.call(
        text_at(message, "id"), at, usage_of(metrics, *names, input_has_cache=True, cost=metrics.get("cost"))
    )


def _fetch(path: Path, places: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the messages with these numbers."""
    files = {_SESSION: path, _COMPACTED: _compaction_file(path)}
    wanted = {kind for _, kind in places}
    messages: dict[int, Sequence[dict[str, Any]]] = {
        kind: mappings(_as_mapping(document_in(file)).get("messages"))
        for kind, file in files.items()
        if kind in wanted
    }
    return [messages[kind][number] if number < len(messages[kind]) else None for number, kind in places]


def _as_mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
