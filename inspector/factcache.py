"""What each message says, kept between runs in a SQLite file of the program's own in the user's cache directory."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.core.messages import Message
from inspector.quality.facts.values import Mention, MessageFacts, Said, Value

#: A cache that uses more than this, in bytes, is emptied when it is opened (a message takes some 300).
LARGEST = 256_000_000
#: Changes whenever extraction does, so that nothing of an older program is read.
FORMAT = 3
# SQLite takes at least 999 parameters in a statement.
_BATCH = 900
_EMPTY = b""


def message_key(message: Message, version: str) -> bytes:
    """What the facts of a message are kept under: a hash of what it says and who says it, other for other rules."""
    calls = "\x00".join(call.arguments for call in message.tool_calls)
    said = f"{message.role}\x00{message.text}\x00{calls}"
    key = f"{version}.{FORMAT}".encode()
    return hashlib.blake2b(said.encode("utf-8", errors="surrogatepass"), digest_size=16, key=key).digest()


class FactCache:
    """Facts of messages by key. Safe to use from several threads and programs.

    Where the file cannot be used nothing is kept, and `problem` says why ("" otherwise). A file that is no database
    any more is replaced.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        try:
            self._connection = self._open()
        except sqlite3.Error as error:
            if _damaged(error) and self._remove():
                try:
                    self._connection = self._open()
                except (OSError, sqlite3.Error) as again:
                    self._say(again)
            else:
                self._say(error)
        except OSError as error:
            self._say(error)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, MessageFacts]:
        """What is known of these keys."""
        found: dict[bytes, MessageFacts] = {}
        with self._lock:
            if self._connection is None:
                return found
            try:
                for start in range(0, len(keys), _BATCH):
                    part = keys[start : start + _BATCH]
                    marks = ",".join("?" * len(part))
                    rows = self._connection.execute(
                        f"SELECT key, facts FROM messages WHERE key IN ({marks})", part
                    )
                    for key, data in rows:
                        facts = unpacked(data)
                        if facts is not None:
                            found[key] = facts
            except sqlite3.Error as error:
                self._give_up(error)
        return found

    def put(self, facts: Mapping[bytes, MessageFacts]) -> None:
        """Remember what messages say."""
        rows = [(key, packed(value)) for key, value in facts.items()]
        with self._lock:
            if self._connection is None:
                return
            try:
                with self._connection:
                    self._connection.executemany("INSERT OR REPLACE INTO messages VALUES (?, ?)", rows)
            except sqlite3.Error as error:
                if not _busy(error):
                    self._give_up(error)

    def close(self) -> None:
        """Close the file; nothing is kept from then on."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self.path, timeout=0.5, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            used = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
            if used * _pragma(connection, "page_size") > LARGEST:
                connection.execute("DROP TABLE IF EXISTS messages")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS messages (key BLOB PRIMARY KEY, facts BLOB) WITHOUT ROWID"
            )
            connection.execute("SELECT key, facts FROM messages LIMIT 1").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        # What a conversation says is as private as the conversation.
        self.path.chmod(0o600)
        return connection

    def _give_up(self, error: sqlite3.Error) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if _damaged(error):
            self._remove()
        self._say(error)

    def _remove(self) -> bool:
        try:
            for end in ("", "-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def _say(self, error: Exception) -> None:
        self.problem = f"Facts are not kept between runs: {self.path} cannot be used ({error})."


def packed(facts: MessageFacts) -> bytes:
    """The facts of a message as bytes."""
    if not facts.said and not facts.mentions:
        return _EMPTY
    document = [
        [
            [
                s.kind,
                s.text,
                s.span,
                [_value(v) for v in s.values],
                s.rule,
                s.cue,
                s.strength,
                s.things,
                s.pasted,
                s.asked,
            ]
            for s in facts.said
        ],
        [[_value(m.value), m.text, m.text_span, m.pasted] for m in facts.mentions],
    ]
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", errors="surrogatepass"), 1)


def _value(value: Value) -> list[Any]:
    return [value.text, value.form, value.canon, value.unit, value.distinctive, value.span]


def unpacked(data: object) -> MessageFacts | None:
    """The facts in bytes; None where they are none of ours."""
    if not isinstance(data, bytes):
        return None
    if data == _EMPTY:
        return MessageFacts()
    try:
        said, mentions = json.loads(zlib.decompress(data).decode("utf-8", errors="surrogatepass"))
        return MessageFacts(
            tuple(
                Said(
                    kind,
                    text,
                    _span(span),
                    tuple(map(_read, values)),
                    rule,
                    _span(cue),
                    strength,
                    tuple(things),
                    pasted,
                    asked,
                )
                for kind, text, span, values, rule, cue, strength, things, pasted, asked in said
            ),
            tuple(Mention(_read(value), text, _span(span), pasted) for value, text, span, pasted in mentions),
        )
    except (zlib.error, ValueError, TypeError):
        return None


def _read(document: list[Any]) -> Value:
    text, form, canon, unit, distinctive, span = document
    return Value(text, form, canon, unit, distinctive, _span(span))


def _span(pair: Sequence[int]) -> tuple[int, int]:
    start, end = pair
    return int(start), int(end)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _damaged(error: sqlite3.Error) -> bool:
    """Whether the file is no database, rather than busy, full or not ours to write."""
    return isinstance(error, sqlite3.DatabaseError) and _code(error) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def _busy(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: sqlite3.Error) -> int:
    """The primary result code; the upper bits only say more about it."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
