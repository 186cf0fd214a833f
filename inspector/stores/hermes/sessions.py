"""Rows of `sessions`: some columns for the list of conversations, all columns for an open conversation."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inspector.core.conversations import Session, Usage
from inspector.stores.hermes.schema import Schema, as_count, as_text, as_time, quoted
from inspector.stores.lines import mapping
from inspector.stores.values import amount_of

BRANCH_MARKER = "_branched_from"
AGENT_MARKER = "_delegate_from"

#: Columns with the usage of calls, in the order of the fields of Usage.
USAGE = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "api_call_count",
)
#: Columns of a session in the list of conversations.
_LIGHT = (
    "id",
    "source",
    "model",
    "title",
    "parent_session_id",
    "started_at",
    "ended_at",
    "end_reason",
    "message_count",
    "model_config",
)
_TIMES = frozenset({"started_at", "ended_at"})
#: Columns with a field in Session, and the system prompt, which is too long to read with them.
_FIELDS = frozenset({*_LIGHT, *USAGE, "billing_provider", "billing_base_url", "system_prompt"})


class SessionNode(NamedTuple):
    """The columns of a session for the list of conversations.

    Newer releases write `branched_from` and `agent_of` into `model_config`.
    """

    id: str
    source: str
    model: str
    title: str
    parent: str | None
    started_at: float
    ended_at: float | None
    end_reason: str
    messages: int
    branched_from: str | None
    agent_of: str | None


def nodes(connection: sqlite3.Connection, schema: Schema) -> tuple[list[SessionNode], sqlite3.Error | None]:
    """Return the sessions in file order; from a damaged file the readable sessions, and the damage.

    Raises sqlite3.Error if no session is readable.
    """
    names = [schema.column("sessions", name) for name in _LIGHT]
    exact = [exactly(sql) if name in _TIMES else sql for name, sql in zip(_LIGHT, names, strict=True)]
    at_once = rows_at_once(connection, ", ".join(exact), "FROM sessions")
    if at_once is not None:
        return [_node(row) for row in at_once], None
    rows, error = salvage(connection, f"SELECT {', '.join(names)} FROM sessions", "rowid")
    if error is not None and not rows:
        raise error
    return [_node(row) for row in rows], error


def rows_at_once(connection: sqlite3.Connection, columns: str, source: str) -> list[Any] | None:
    """Return every row of a query in one step of SQLite; None if this fails and `salvage` must read them.

    Between two rows SQLite releases the interpreter and takes it again, which is slow while another thread is busy.
    """
    try:
        answer = connection.execute(f"SELECT json_group_array(json_array({columns})) {source}").fetchall()
        rows = json.loads(answer[0][0])
    except (sqlite3.Error, ValueError, RecursionError):
        # This SQLite has no JSON, a value has no JSON form, or damaged pages: reading row by row recovers more.
        return None
    return rows if isinstance(rows, list) else None


def exactly(sql: str) -> str:
    """Return the SQL of a number with all digits for `rows_at_once`, because JSON keeps only 15."""
    return f"CASE typeof({sql}) WHEN 'real' THEN printf('%!.17g', {sql}) ELSE {sql} END"


def salvage(
    connection: sqlite3.Connection, sql: str, order: str, parameters: Sequence[Any] = ()
) -> tuple[list[Any], sqlite3.Error | None]:
    """Return every readable row of a query, and the error, if any.

    A damaged page ends a scan, so the rows after it are read from the other end.
    """
    rows, error = _until_error(connection, sql, parameters)
    if error is None:
        return rows, None
    rows, _ = _until_error(connection, f"{sql} ORDER BY {order} ASC", parameters)
    seen = {row[0] for row in rows}
    behind, _ = _until_error(connection, f"{sql} ORDER BY {order} DESC", parameters)
    rows.extend(row for row in reversed(behind) if row[0] not in seen)
    return rows, error


def damage(error: sqlite3.Error) -> bool:
    """Return whether an error is due to damaged bytes, not to a lock or a wrong query."""
    name = getattr(error, "sqlite_errorname", "") or ""
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_IOERR", "SQLITE_NOTADB", "SQLITE_TOOBIG")) or (
        type(error) is sqlite3.DatabaseError
    )


def _until_error(
    connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]
) -> tuple[list[Any], sqlite3.Error | None]:
    """Return the rows of a query before the first damage, and the damage."""
    rows: list[Any] = []
    try:
        # The rows before an error stay.
        rows.extend(connection.execute(sql, parameters))
    except sqlite3.DatabaseError as error:
        if not damage(error):
            raise
        return rows, error
    return rows, None


def _node(row: Sequence[Any]) -> SessionNode:
    identity, source, model, title, parent, started, ended, reason, messages, raw = row
    branched_from = agent_of = None
    if raw is not None:
        raw = as_text(raw)
        if BRANCH_MARKER in raw or AGENT_MARKER in raw:
            config = mapping(raw) or {}
            branched_from, agent_of = _marker(config, BRANCH_MARKER), _marker(config, AGENT_MARKER)
    # Thousands of rows are read before the first frame. So columns are read by position, and only unusual values are
    # checked.
    return SessionNode(
        identity if type(identity) is str else as_text(identity),
        source if type(source) is str else as_text(source),
        model if type(model) is str else as_text(model),
        "" if title is None else as_text(title),
        None if parent is None else as_text(parent) or None,
        as_time(started),
        as_time(ended) or None,
        "" if reason is None else as_text(reason),
        messages if type(messages) is int and messages >= 0 else as_count(messages),
        branched_from,
        agent_of,
    )


def _marker(config: Mapping[str, Any], name: str) -> str | None:
    value = config.get(name)
    return None if value is None else str(value)


def session(connection: sqlite3.Connection, schema: Schema, identity: str) -> Session | None:
    """Return a session without its system prompt; None if no session has this id."""
    values = _values(connection, schema, identity)
    if not values:
        return None
    return Session(
        id=as_text(values["id"]),
        model=as_text(values.get("model")),
        usage=Usage(*(as_count(values.get(name)) for name in USAGE))._replace(
            cost=amount_of(values.get("actual_cost_usd")) or amount_of(values.get("estimated_cost_usd"))
        ),
        ended_at=as_time(values.get("ended_at")) or None,
        end_reason=as_text(values.get("end_reason")),
        provider=as_text(values.get("billing_provider")),
        base_url=as_text(values.get("billing_base_url")),
        config=mapping(as_text(values.get("model_config"))) or {},
        extra={name: value for name, value in values.items() if name not in _FIELDS and value is not None},
    )


def _values(connection: sqlite3.Connection, schema: Schema, identity: str) -> dict[str, Any]:
    """Return the columns of a session without its system prompt; empty if no session has this id."""
    names = sorted(schema.sessions - {"system_prompt"})
    columns = ", ".join(map(quoted, names))
    rows = connection.execute(f"SELECT {columns} FROM sessions WHERE id = ?", (identity,)).fetchall()
    return next((dict(zip(names, row, strict=True)) for row in rows), {})


def stamp(connection: sqlite3.Connection, schema: Schema, identity: str) -> str:
    """Return a text that changes whenever the row of a session or its messages change."""
    active = "total(active)" if "active" in schema.messages else "NULL"
    counts = connection.execute(
        f"SELECT count(*), max(id), {active} FROM messages WHERE session_id = ?", (identity,)
    ).fetchall()
    last = counts[0][1]
    sizes = ", ".join(
        f"length({schema.column('messages', name)})" for name in ("role", "content", "tool_calls")
    )
    ends = connection.execute(f"SELECT timestamp, {sizes} FROM messages WHERE id = ?", (last,)).fetchall()
    return repr((_values(connection, schema, identity), counts, ends))
