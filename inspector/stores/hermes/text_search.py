"""Find messages by words: with the full-text index of the store if it has one, else by reading every text."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from inspector.core.messages import Message
from inspector.stores.hermes.rows import message, select
from inspector.stores.hermes.schema import Schema
from inspector.stores.hermes.sessions import salvage

_AROUND = 60
_TRIGRAMS = "messages_fts_trigram"
_SHORTEST_TRIGRAM = 3


#: A message that contains the words, an excerpt, and the place of the first match in the excerpt.
Match = tuple[Message, str, tuple[int, int]]


class Query(Struct, frozen=True):
    """A parsed query. All `phrases` must occur.

    `index` is the full-text table that finds them, None if every message must be read. `match` is the query for it, of
    the phrases that it can find.
    """

    phrases: tuple[str, ...]
    index: str | None
    match: str


def query_of(query: str, schema: Schema) -> Query | None:
    """Return the search for a query; None if it has no word."""
    phrases = phrases_of(query)
    if not phrases:
        return None
    # The plain index finds only whole words, so it is not used.
    indexed = [phrase for phrase in phrases if len(phrase) >= _SHORTEST_TRIGRAM]
    if indexed and _TRIGRAMS in schema.tables:
        return Query(phrases, _TRIGRAMS, _quote(indexed))
    return Query(phrases, None, "")


def phrases_of(query: str) -> tuple[str, ...]:
    """Return the words of a query; a text in double quotes is one phrase."""
    return tuple(
        part
        for quoted_part, plain in re.findall(r'"([^"]+)"|(\S+)', query)
        if (part := (quoted_part or plain).strip('"'))
    )


def _quote(phrases: Sequence[str]) -> str:
    # A text in double quotes is never an operator for FTS5; NUL would end the whole query.
    return " ".join('"' + phrase.replace("\0", " ").replace('"', '""') + '"' for phrase in phrases)


def left_out(connection: sqlite3.Connection, query: Query, sessions: Sequence[str]) -> list[int]:
    """Return the ids of the messages whose content the index lacks, newest first.

    Newer releases leave tool results and rows of some sessions out. A content with parts begins with NUL, at which the
    tokenizer of trigrams stops. `sz` begins with the number of tokens of the content.
    """
    where = f"AND m.session_id IN ({','.join('?' * len(sessions))})" if sessions else ""
    rows = connection.execute(
        f"SELECT m.id FROM messages m LEFT JOIN {query.index}_docsize d ON d.id = m.id "
        f"WHERE (d.id IS NULL OR substr(d.sz, 1, 1) = x'00') {where}",
        tuple(sessions),
    ).fetchall()
    return sorted((int(row[0]) for row in rows), reverse=True)


def limits(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the range [lowest, highest) of the messages' ids; empty if there are none."""
    rows = connection.execute("SELECT min(id), max(id) FROM messages").fetchall()
    if not rows or not isinstance(rows[0][0], int) or not isinstance(rows[0][1], int):
        return 0, 0
    return rows[0][0], rows[0][1] + 1


def candidates(
    connection: sqlite3.Connection, query: Query, below: int, count: int, sessions: Sequence[str]
) -> list[int]:
    """Return the ids of matching rows by the index: those below `below`, newest first, at most `count`."""
    parameters: list[Any] = [query.match, below]
    join = where = ""
    if sessions:
        join = "JOIN messages m ON m.id = f.rowid"
        where = f"AND m.session_id IN ({','.join('?' * len(sessions))})"
        parameters.extend(sessions)
    rows = connection.execute(
        f"SELECT f.rowid FROM {query.index} f {join} WHERE f.{query.index} MATCH ? AND f.rowid < ? {where} "
        "ORDER BY f.rowid DESC LIMIT ?",
        (*parameters, count),
    ).fetchall()
    return [int(row[0]) for row in rows]


def in_range(
    connection: sqlite3.Connection, schema: Schema, low: int, high: int, sessions: Sequence[str]
) -> list[Message]:
    """Return the messages with ids in [low, high), newest first; from a damaged database the readable messages."""
    where = f" AND +session_id IN ({','.join('?' * len(sessions))})" if sessions else ""
    sql = f"SELECT {select(schema)} FROM messages WHERE id >= ? AND id < ?{where}"
    rows, _ = salvage(connection, sql, "id", (low, high, *sessions))
    return [message(row) for row in sorted(rows, key=lambda row: -row[0])]


def check(messages: Iterable[Message], phrases: Sequence[str]) -> Iterator[Match]:
    """Yield the messages that contain all the phrases."""
    for item in messages:
        calls = " ".join(f"{call.name} {call.arguments}" for call in item.tool_calls)
        text = "\n".join(part for part in (item.text, item.tool_name, calls) if part)
        folded = text.casefold()
        if all(phrase.casefold() in folded for phrase in phrases):
            yield item, *around(text, phrases)


def around(text: str, phrases: Sequence[str]) -> tuple[str, tuple[int, int]]:
    """Return an excerpt around the first match, and the place of the match in it."""
    pattern = re.compile("|".join(re.escape(phrase) for phrase in phrases), re.IGNORECASE)
    match = pattern.search(text)
    if match is None:  # A letter may fold to two.
        return " ".join(text[: 2 * _AROUND].split()), (0, 0)
    low, high = max(0, match.start() - _AROUND), min(len(text), match.end() + _AROUND)
    before = _one_line(text[low : match.start()])
    hit = _one_line(match.group())
    after = _one_line(text[match.end() : high])
    lead = "…" if low else ""
    start = len(lead) + len(before)
    return f"{lead}{before}{hit}{after}{'…' if high < len(text) else ''}", (start, start + len(hit))


def _one_line(text: str) -> str:
    return re.sub(r"\s", " ", text)
