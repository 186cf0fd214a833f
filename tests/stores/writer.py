"""Databases for tests: a short DDL of every schema, and a writer that compacts like the releases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

BRACKET = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. "
INSTRUCTIONS_13 = (
    BRACKET + "MEMORY.md counts. Your task is in the summary, resume exactly from there, avoid repeating it:"
)
INSTRUCTIONS_19 = BRACKET + "The latest message wins, your tools remain fully active, avoid repeating it:"
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
PRIOR = "[PRIOR CONTEXT — for reference only; not a new message]"
BELOW = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"

SESSION_COLUMNS: Mapping[int, str] = {
    6: "id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT, "
    "parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, "
    "message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, "
    "output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, "
    "reasoning_tokens INTEGER DEFAULT 0, billing_provider TEXT, billing_base_url TEXT, title TEXT",
    8: "api_call_count INTEGER DEFAULT 0",
    11: "handoff_state TEXT",
    12: "rewind_count INTEGER NOT NULL DEFAULT 0",
    15: "compression_failure_cooldown_until REAL, compression_failure_error TEXT",
    17: "archived INTEGER NOT NULL DEFAULT 0, cwd TEXT",
    21: "compression_fallback_streak INTEGER NOT NULL DEFAULT 0",
    23: "colour TEXT",
}
MESSAGE_COLUMNS: Mapping[int, str] = {
    6: "id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT, "
    "tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, "
    "finish_reason TEXT, reasoning TEXT, reasoning_details TEXT, codex_reasoning_items TEXT",
    7: "reasoning_content TEXT",
    9: "codex_message_items TEXT",
    12: "active INTEGER NOT NULL DEFAULT 1, platform_message_id TEXT",
    14: "compacted INTEGER NOT NULL DEFAULT 0",
    18: "observed INTEGER DEFAULT 0",
    19: "api_content TEXT",
    20: "effect_disposition TEXT",
    23: "display_order INTEGER",
    25: "display_kind TEXT",
}
_FTS = (
    "COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')"
)


def create(path: Path, schema: int = 22, journal: str = "delete", fts: bool = True) -> sqlite3.Connection:
    """Create an empty database of a schema, open for writing. The journal `delete` is kept in memory."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA journal_mode = {'memory' if journal == 'delete' else journal}")
    db.execute("PRAGMA synchronous = off")
    db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
    db.execute("INSERT INTO schema_version VALUES (?)", (schema,))
    for table, columns in (("sessions", SESSION_COLUMNS), ("messages", MESSAGE_COLUMNS)):
        db.execute(
            f"CREATE TABLE {table} ({', '.join(sql for since, sql in columns.items() if since <= schema)})"
        )
    db.execute("CREATE INDEX idx_messages_session ON messages(session_id, timestamp)")
    db.execute("CREATE INDEX idx_sessions_parent ON sessions(parent_session_id)")
    if schema >= 12:
        db.execute("CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp)")
    if fts:
        names = ["messages_fts"] + (["messages_fts_trigram"] if schema >= 10 else [])
        for name in names:
            tokens = ", tokenize='trigram'" if name.endswith("trigram") else ""
            db.execute(f"CREATE VIRTUAL TABLE {name} USING fts5(content{tokens})")
            db.execute(
                f"CREATE TRIGGER {name}_insert AFTER INSERT ON messages BEGIN "
                f"INSERT INTO {name}(rowid, content) VALUES (new.id, {_FTS}); END"
            )
    return db


@contextmanager
def together(db: sqlite3.Connection) -> Iterator[None]:
    """Commit all writes of a block at once, unless a transaction is already open."""
    if db.in_transaction:
        yield
        return
    db.execute("BEGIN")
    yield
    db.execute("COMMIT")


def columns(db: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of a table; read them once per schema version."""
    return _columns(db, table, *db.execute("PRAGMA schema_version").fetchone())


@lru_cache(maxsize=2)
def _columns(db: sqlite3.Connection, table: str, version: int) -> set[str]:
    return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}


def stored(value: Any) -> Any:
    """Return a content in the form of the store."""
    return value if value is None or isinstance(value, (str, bytes)) else "\0json:" + json.dumps(value)


def insert(db: sqlite3.Connection, session: str, wire: Mapping[str, Any], at: float, **extra: Any) -> int:
    """Store a message and return its id. `extra` are raw columns; columns that the schema lacks are dropped."""
    values: dict[str, Any] = {"session_id": session, "role": wire["role"], "timestamp": at}
    values["content"] = stored(wire.get("content"))
    for name in ("tool_call_id", "tool_name", "finish_reason", "reasoning", "reasoning_content"):
        values[name] = wire.get(name)
    for name in ("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items"):
        values[name] = json.dumps(wire[name]) if wire.get(name) else None
    values.update(extra)
    known = columns(db, "messages")
    kept = {name: value for name, value in values.items() if name in known}
    sql = f"INSERT INTO messages ({', '.join(kept)}) VALUES ({', '.join('?' * len(kept))})"
    return int(db.execute(sql, tuple(kept.values())).lastrowid or 0)


def session(db: sqlite3.Connection, name: str, **values: Any) -> str:
    """Store a session and return its id."""
    row = {"id": name, "source": "cli", "model": "anthropic/claude-sonnet-4.5", "started_at": 1.7e9, **values}
    known = columns(db, "sessions")
    kept = {key: value for key, value in row.items() if key in known}
    db.execute(
        f"INSERT INTO sessions ({', '.join(kept)}) VALUES ({', '.join('?' * len(kept))})",
        tuple(kept.values()),
    )
    return name


def talk(turns: int, start: int = 0) -> list[dict[str, Any]]:
    """Return a conversation with four messages per turn: question, call, result, answer."""
    messages: list[dict[str, Any]] = []
    for turn in range(start, start + turns):
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"question {turn}"},
            {"role": "assistant", "content": "", "tool_calls": [call], "finish_reason": "tool_calls"},
            {
                "role": "tool",
                "content": f"result {turn} " + "x" * (turn % 7 * 60),
                "tool_call_id": f"call_{turn}",
            },
            {"role": "assistant", "content": f"answer {turn}", "finish_reason": "stop"},
        ]
    return messages


@dataclass
class True_:
    """True values of a compaction of the writer."""

    session: str
    before: int
    after: int
    head_end: int
    tail_start: int
    summary: str


@dataclass
class Writer:
    """A conversation that is written and compacted repeatedly, with its true values.

    `step` is the time between two messages, `copy_step` between two copies of one compaction.
    """

    db: sqlite3.Connection
    tip: str = "s0"
    clock: float = 1.7e9
    step: float = 1.0
    copy_step: float = 1e-6
    live: list[dict[str, Any]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    truth: list[True_] = field(default_factory=list)
    lists: list[list[int]] = field(default_factory=list)
    _rotations: int = 0

    def begin(self, **values: Any) -> None:
        session(self.db, self.tip, started_at=self.clock, **values)

    def say(self, messages: Iterable[dict[str, Any]]) -> None:
        with together(self.db):
            for wire in messages:
                self.clock += self.step
                self.rows.append(insert(self.db, self.tip, wire, self.clock))
                self.live.append(wire)

    def undo(self, count: int) -> None:
        """Undo the last messages, as rewinding does."""
        gone = self.rows[len(self.rows) - count :]
        self.db.executemany("UPDATE messages SET active = 0 WHERE id = ?", [(row,) for row in gone])
        del self.rows[len(self.rows) - count :], self.live[len(self.live) - count :]

    def compacted(
        self, head: int, tail: int, body: str, merged: str = "", prune: bool = False
    ) -> list[dict[str, Any]]:
        """Return the list after a compaction; `merged` is "", "0.13" or "0.19"."""
        copies = [dict(wire) for wire in self.live]
        if prune:
            for wire in copies[: max(tail, head)]:
                if wire["role"] == "tool" and len(str(wire["content"])) > 200:
                    wire["content"] = "[terminal] ran `x` -> exit 0, 1 lines output"
            if tail < len(copies) - 2:
                for wire in copies[tail : tail + 2]:
                    if wire["role"] == "tool":
                        wire["content"] = "[terminal] ran `x` -> exit 0, 1 lines output"
        new = copies[:head]
        if merged:
            first = copies[tail]
            own = first.get("content") or ""
            if merged == "0.13":
                first["content"] = f"{INSTRUCTIONS_13}\n{body}\n\n{END}\n\n{own}"
            else:
                first["content"] = f"{PRIOR}\n{own}\n\n{BELOW}\n\n{INSTRUCTIONS_19}\n{body}\n\n{END}"
        else:
            new.append({"role": "user", "content": f"{INSTRUCTIONS_19}\n{body}\n\n{END}"})
        return new + copies[tail:]

    def compact(
        self,
        head: int,
        tail: int,
        body: str,
        rotate: bool = False,
        merged: str = "",
        prune: bool = False,
        todo: bool = False,
    ) -> None:
        new = self.compacted(head, tail, body, merged, prune)
        self.truth.append(True_(self.tip, len(self.live), len(new), head, tail, body))
        self.lists.append(self.rows)
        if todo:
            new.append(
                {"role": "user", "content": "[Your active task list was preserved]\n- [ ] 1. x (pending)"}
            )
        self.clock += self.step
        if rotate:
            self._rotations += 1
            child = f"{self.tip.split('_')[0]}_{self._rotations}"
            self.db.execute(
                "UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = ?",
                (self.clock, self.tip),
            )
            session(self.db, child, parent_session_id=self.tip, started_at=self.clock)
            self.tip = child
        else:
            self.db.execute(
                "UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ? AND active = 1",
                (self.tip,),
            )
        self.rows = []
        self.live = new
        with together(self.db):
            for wire in new:
                self.rows.append(insert(self.db, self.tip, wire, self.clock))
                self.clock += self.copy_step

    def end(self) -> Path:
        """Finish writing."""
        self.lists.append(self.rows)
        self.db.execute("UPDATE sessions SET message_count = ? WHERE id = ?", (len(self.live), self.tip))
        path = Path(self.db.execute("PRAGMA database_list").fetchone()[2])
        self.db.close()
        return path


def simple(path: Path, schema: int = 22, sessions: int = 2, turns: int = 5, **kinds: Any) -> Path:
    """Make a database with a few plain conversations s0, s1, ... of `turns` turns."""
    db = create(path, schema, **kinds)
    for number in range(sessions):
        writer = Writer(db, tip=f"s{number}", clock=1.7e9 + 1000 * number)
        writer.begin(
            title=f"Talk {number}", system_prompt=f"You are agent {number}.", message_count=4 * turns
        )
        writer.say(talk(turns))
    db.close()
    return path


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file in a folder with its bytes."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}


def ids(generations: Sequence[Any]) -> list[list[int]]:
    """Return the row ids of each generation."""
    return [list(generation.ids) for generation in generations]
