"""Cline's sessions (`~/.cline/data/sessions/<id>/<id>.messages.json`): one JSON document each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.stores.cline.forms import wires_of
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.lines import cannot_read, count_of, mapping, text_at
from inspector.stores.session_lists import SessionLists, SessionReader

_ENDING = ".messages.json"


class ClineReader(SessionReader):
    """See Reader for what every method answers."""

    agent = "cline"
    limits = (
        "Cline does not record the system prompt and the tools. No compaction of it was seen, so none would be "
        "recognised.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file has the messages of a session."""
        start = head.raw[:4096]
        return head.path.name.endswith(_ENDING) and b'"sessionId"' in start and b'"messages"' in head.raw

    def scan(self, path: Path) -> SessionLists:
        """Return the session of a file."""
        document = _document(path)
        session = SessionLists(Entries(path, wires_of, fetch=_fetch))
        session.session = text_at(document, "sessionId")
        session.version = text_at(document, "origin", "version")
        about = _document(path.with_name(path.name.removesuffix(_ENDING) + ".json"))
        session.folder, session.model = text_at(about, "cwd"), text_at(about, "model")
        session.provider = text_at(about, "provider")
        session.parent = text_at(about, "parent_session_id")
        for number, message in enumerate(_messages(document)):
            session.line(number, 1)
            at = (count_of(message, "ts") or 0) / 1000
            session.seen(at)
            session.model = text_at(message, "modelInfo", "id") or session.model
            _call(session, message, at)
            session.add(wires_of([message]), at)
        return session


READER = ClineReader


def _call(session: SessionLists, message: Mapping[str, Any], at: float) -> None:
    metrics = message.get("metrics")
    if not isinstance(metrics, Mapping):
        return
    read, written = count_of(metrics, "cacheReadTokens") or 0, count_of(metrics, "cacheWriteTokens") or 0
    session.call(
        text_at(message, "id"), at, input=max(0, (count_of(metrics, "inputTokens") or 0) - read - written),
        cache_read=read, cache_write=written, output=count_of(metrics, "outputTokens") or 0,
    )  # fmt: skip


def _fetch(path: Path, places: list[tuple[int, int]]) -> list[dict[str, Any] | None]:
    """Return the messages with these numbers."""
    messages = _messages(_document(path))
    return [messages[number] if number < len(messages) else None for number, _ in places]


def _messages(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = document.get("messages")
    return [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list) else []


def _document(path: Path) -> dict[str, Any]:
    try:
        return mapping(path.read_bytes()) or {}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise cannot_read(path, error) from error
