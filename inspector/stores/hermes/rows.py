"""A row of `messages` as a message of the list."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from inspector.core.handoff import PREFIXES, read_handoff
from inspector.core.messages import Message
from inspector.core.times import calendar_time, has_no_calendar_time
from inspector.stores.hermes.schema import Schema, as_number, as_text
from inspector.stores.hermes.sessions import damage

_JSON_CONTENT = "\x00json:"

#: The key that marks summaries in the live list of 0.19.
SUMMARY_MARK = "_compressed_summary"

#: Beginning of the note about a dropped time of a message.
ODD_TIME = "Its time"

#: Number of bodies read at once.
_CHUNK = 256
#: Columns in the order of `select`.
_COLUMNS = (
    "id",
    "session_id",
    "role",
    "content",
    "tool_call_id",
    "tool_name",
    "tool_calls",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "effect_disposition",
    "timestamp",
    "display_kind",
)
#: The kinds of messages that Hermes itself wrote in the user's name.
_BY_PROGRAM = frozenset(
    {
        "hidden",
        "auto_continue",
        "model_switch",
        "async_delegation_complete",
        "internal_notification",
        "process_wakeup",
    }
)
#: The profiles that do not mark summaries.
_UNMARKED = frozenset({"documented", "hermes-0.13", "hermes-0.15", "hermes-0.16"})
#: The other columns of the wire form, of every message and of an answer, in their order. Some have JSON.
_OF_ALL = ("tool_call_id", "tool_name", "effect_disposition", "tool_calls")
_JSON = ("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items")
_OF_ANSWER = (*_OF_ALL, "finish_reason", "reasoning", "reasoning_content", *_JSON[1:])
_AT = {name: index for index, name in enumerate(_COLUMNS)}


def select(schema: Schema) -> str:
    """Return the columns of a message for a SELECT, with NULL for columns that this schema lacks."""
    return ", ".join(schema.column("messages", name) for name in _COLUMNS)


def message(row: Sequence[Any]) -> Message:
    """Return the message of a row with the columns of `select`.

    The wire form has the keys that the live list has. Malformed JSON stays as its text and is noted.
    """
    notes: list[str] = []
    role = as_text(row[_AT["role"]])
    wire: dict[str, Any] = {"role": role, "content": _content(row[_AT["content"]], notes)}
    for name in _OF_ANSWER if role == "assistant" else _OF_ALL:
        value = row[_AT[name]]
        if value or (value is not None and name == "reasoning_content"):
            wire[name] = _json(value, name, notes) if name in _JSON else as_text(value)
    if role in ("user", "assistant") and _carries_mark(wire["content"]):
        wire[SUMMARY_MARK] = True
    identity = row[_AT["id"]]
    return Message(
        wire,
        id=identity if isinstance(identity, int) else -1,
        session=as_text(row[_AT["session_id"]]),
        timestamp=_time(row[_AT["timestamp"]], notes),
        note=" ".join(notes),
        by_program=role == "user" and row[_AT["display_kind"]] in _BY_PROGRAM,
    )


def _time(value: object, notes: list[str]) -> float:
    raw = as_number(value) or 0.0
    if has_no_calendar_time(raw):
        notes.append(f"{ODD_TIME}, {raw:g}, is not a valid date, so it is not shown.")
    return calendar_time(raw)


def _carries_mark(content: Any) -> bool:
    """Return whether the live list marks this content as a summary."""
    # From 0.17 on the live list marks summaries. The mark counts in estimates, but it is not stored.
    first = content[0] if isinstance(content, list) and content else content
    text = first.get("text") if isinstance(first, dict) else first
    if not isinstance(text, str) or not text.startswith(PREFIXES):
        return False
    handoff = read_handoff(content)
    return handoff is not None and bool(handoff.releases) and _UNMARKED.isdisjoint(handoff.releases)


def _content(value: object, notes: list[str]) -> Any:
    if value is None:
        return None
    text = as_text(value)
    if text.startswith(_JSON_CONTENT):
        return _json(text[len(_JSON_CONTENT) :], "content", notes, text)
    return text


def _json(value: object, column: str, notes: list[str], raw: str | None = None) -> Any:
    text = as_text(value)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        notes.append(f"The column {column} holds malformed JSON; it is shown as its text.")
        return text if raw is None else raw


def read_bodies(
    db: sqlite3.Connection, schema: Schema, ids: Sequence[int]
) -> tuple[dict[int, Message], sqlite3.Error | None]:
    """Return the readable messages of these ids, and the error if some are damaged."""
    messages: dict[int, Message] = {}
    first_error: sqlite3.Error | None = None
    for at in range(0, len(ids), _CHUNK):
        some = ids[at : at + _CHUNK]
        try:
            _read_into(db, schema, some, messages)
        except sqlite3.DatabaseError as error:
            if not damage(error):
                raise
            first_error = first_error or error
            # Read one by one, so that a damaged page loses only its own rows.
            for identity in some:
                try:
                    _read_into(db, schema, [identity], messages)
                except sqlite3.DatabaseError as single:
                    if not damage(single):
                        raise
    return messages, first_error


def _read_into(
    db: sqlite3.Connection, schema: Schema, ids: Sequence[int], messages: dict[int, Message]
) -> None:
    if ids[-1] - ids[0] == len(ids) - 1:
        where, parameters = "id BETWEEN ? AND ?", [ids[0], ids[-1]]
    else:
        where, parameters = f"id IN ({','.join('?' * len(ids))})", list(ids)
    for row in db.execute(f"SELECT {select(schema)} FROM messages WHERE {where}", parameters).fetchall():
        messages[row[0]] = message(row)
