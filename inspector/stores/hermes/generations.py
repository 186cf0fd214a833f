"""Divide the rows of a session into lists.

A session that compacted in place holds its archived lists in the order of their ids, followed by the live list.
The start of an archived list is found from its summary row: the rows of a list are inserted in one transaction, so
their times are a microsecond apart or copied from the previous list. If the times are not conclusive, the bodies
are: the tail after a summary repeats the end of the previous list.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.conversations import TOOL
from inspector.core.handoff import PREFIXES
from inspector.core.messages import Message
from inspector.stores.hermes.matching import STEP, Print, head_of, print_of, tails
from inspector.stores.hermes.rows import message, select
from inspector.stores.hermes.schema import Schema, as_time, quoted
from inspector.stores.hermes.sessions import damage, salvage

LIVE, ARCHIVED, UNDONE = 0, 1, 2

_ROLE = (
    "CASE role WHEN 'user' THEN 0 WHEN 'assistant' THEN 1 WHEN 'tool' THEN 2 WHEN 'system' THEN 3 "
    "WHEN 'session_meta' THEN 5 ELSE 4 END"
)
#: Code of a row with the model and tools of a gateway. Hermes never sends it.
_META = 5
_DIGITS = bytes.maketrans(b"012345", bytes(range(6)))
#: Number of rows read at once.
_CHUNK = 256
#: The fields of a print that are equal in two copies of a row.
_CONTENT = attrgetter("text", "tool_call_id", "calls", "timestamp")
#: Maximum number of rows of a head.
_LONGEST_HEAD = 200
#: Largest id of a row.
_MOST_ID = (1 << 63) - 1
#: Minimum number of messages of a list that a release compacts.
_SHORTEST = 5
#: Rows of a damaged table are read by number: the rows at once, and the last number to try if the last is unknown.
_RANGE, _MOST_ROWS = 4_096, 1_000_000


class Index(Struct, frozen=True):
    """The rows of one session in id order: ids, roles (codes) and flags (LIVE, ...)."""

    session: str
    ids: array[int]
    roles: bytes
    flags: bytes
    notes: tuple[str, ...] = ()


class StoredList(Struct, frozen=True):
    """One list of a session. `ids` and `roles` are its messages.

    `rows` are the ids of all its rows, also of rows that were undone later. Copies of the previous list may be among
    them.
    """

    ids: array[int]
    roles: bytes
    rows: array[int]
    certain: bool = True


def read_index(connection: sqlite3.Connection, schema: Schema, session: str) -> Index:
    """Return the ids, roles and flags of a session's rows. Reads no body."""
    flag = str(LIVE)
    if "active" in schema.messages and has_inactive(connection, session):
        compacted = schema.column("messages", "compacted", "0")
        flag = (
            f"CASE WHEN active IS NULL OR active <> 0 THEN {LIVE} "
            f"WHEN COALESCE({compacted}, 0) <> 0 THEN {ARCHIVED} ELSE {UNDONE} END"
        )
    index = _with_carried(connection, schema, _sent(_read_index(connection, session, flag)))
    if ARCHIVED in index.flags:
        while (stretch := _Splitter(connection, schema, index).repeated()) is not None:
            index = _without(index, *stretch)
    return index


def _sent(index: Index) -> Index:
    """Return the index without rows that are never sent."""
    if _META not in index.roles:
        return index
    return _only(index, [at for at, role in enumerate(index.roles) if role != _META])


def _only(index: Index, places: Sequence[int]) -> Index:
    """Return the index with the rows at some places only."""
    roles, flags = (bytes([codes[at] for at in places]) for codes in (index.roles, index.flags))
    return replace(index, ids=array("q", [index.ids[at] for at in places]), roles=roles, flags=flags)


def _with_carried(connection: sqlite3.Connection, schema: Schema, index: Index) -> Index:
    """Flag the original rows of a kept tail as archived.

    The current sources flag them like undone rows. But a later row, the copy, has the same time, role and call.
    """
    if UNDONE not in index.flags or ARCHIVED not in index.flags or "timestamp" not in schema.messages:
        return index
    call = schema.column("messages", "tool_call_id")
    rows, _ = salvage(
        connection,
        f"SELECT id, timestamp, role, {call} FROM messages WHERE session_id = ?",
        "id",
        (index.session,),
    )
    newest: dict[tuple[object, ...], int] = {}
    for identity, *key in rows:
        newest[tuple(key)] = max(identity, newest.get(tuple(key), identity))
    rows.sort()
    times = [0, *(row[1] for row in rows), 0]
    # If neighbours have the same time, or no time, only the call distinguishes a copy from a repeated message.
    copied = {
        identity
        for at, (identity, *key) in enumerate(rows, 1)
        if newest[tuple(key)] > identity and (key[2] or key[0] not in (0, None, times[at - 1], times[at + 1]))
    }
    flags = bytes(
        ARCHIVED if flag == UNDONE and identity in copied else flag
        for identity, flag in zip(index.ids, index.flags, strict=True)
    )
    return replace(index, flags=flags)


def _read_index(connection: sqlite3.Connection, session: str, flag: str) -> Index:
    index = _index_at_once(connection, session, flag)
    if index is not None:
        return index
    columns = f"id, {_ROLE}, {flag}"
    rows, error = salvage(
        connection, f"SELECT {columns} FROM messages WHERE session_id = ?", "id", (session,)
    )
    rows.sort()
    notes: tuple[str, ...] = ()
    if error is not None:
        # The index of the session or a page that it names is damaged. Read the table without the index. If the table is
        # damaged too, read its rows by number.
        table = f"SELECT {columns} FROM messages NOT INDEXED WHERE +session_id = ?"
        table_rows, cut = salvage(connection, table, "id", (session,))
        single = rows_by_number(connection, table, session) if cut is not None else ()
        merged = {row[0]: row for row in (*rows, *table_rows, *single)}
        rows = [merged[identity] for identity in sorted(merged)]
        notes = (
            f"Some messages of the session {session} cannot be read: the database is damaged ({error}).",
        )
    return Index(
        session,
        array("q", [row[0] for row in rows]),
        bytes([row[1] for row in rows]),
        bytes([row[2] for row in rows]),
        notes,
    )


def has_inactive(connection: sqlite3.Connection, session: str) -> bool:
    """Return whether a session has rows that are not live; True if damage hides the answer."""
    try:
        rows = connection.execute(
            "SELECT 1 FROM messages WHERE session_id = ? AND active = 0 LIMIT 1", (session,)
        ).fetchall()
    except sqlite3.DatabaseError as error:
        if not damage(error):
            raise
        return True
    return bool(rows)


def rows_by_number(connection: sqlite3.Connection, table: str, session: str) -> Iterator[Sequence[Any]]:
    """Yield the rows of a session that can be read by number despite damage. `table` is the SQL that selects them."""
    try:
        last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'messages'").fetchall()
    except sqlite3.Error:
        last = []
    high = last[0][0] if last and isinstance(last[0][0], int) else _MOST_ROWS
    waiting = [(low, min(low + _RANGE, high + 1)) for low in range(1, min(high, _MOST_ROWS) + 1, _RANGE)]
    while waiting:
        low, stop = waiting.pop()
        # Reading a range also reads the next row, reading one number does not.
        where, numbers = ("id >= ? AND id < ?", (low, stop)) if stop - low > 1 else ("id = ?", (low,))
        try:
            yield from connection.execute(f"{table} AND {where}", (session, *numbers)).fetchall()
        except sqlite3.DatabaseError as error:
            if not damage(error):
                raise
            if stop - low > 1:
                middle = (low + stop) // 2
                waiting += [(low, middle), (middle, stop)]


def _index_at_once(connection: sqlite3.Connection, session: str, flag: str) -> Index | None:
    """Return the index as SQLite aggregates it; None if that fails and reading row by row recovers more.

    For 100,000 rows, passing single rows to Python would take most of the time, and more if another thread is busy.
    """
    sql = f"SELECT group_concat(id), group_concat({_ROLE}, ''), group_concat({flag}, '') FROM messages"
    try:
        rows = connection.execute(f"{sql} WHERE session_id = ?", (session,)).fetchall()
        numbers, roles, flags = rows[0]
        if numbers is None:
            return Index(session, array("q"), b"", b"")
        ids = json.loads(f"[{numbers}]")
        codes = [text.encode("ascii").translate(_DIGITS) for text in (roles, flags)]
        in_order = array("q", sorted(ids))
    except (sqlite3.Error, ValueError, TypeError, OverflowError):
        return None
    if ids != in_order.tolist():
        places = sorted(range(len(ids)), key=ids.__getitem__)
        codes = [bytes([code[at] for at in places]) for code in codes]
    return Index(session, in_order, *codes)


def lists_of(connection: sqlite3.Connection, schema: Schema, index: Index) -> list[StoredList]:
    """Return the lists of a session, oldest first. The last list is the list that the agent holds, or held last."""
    if ARCHIVED not in index.flags:
        return [_stored_list(index, 0, len(index.ids), LIVE)]
    return _Splitter(connection, schema, index).lists()


def _stored_list(index: Index, low: int, high: int, flag: int, certain: bool = True) -> StoredList:
    """Return the rows [low:high] with a flag as a list."""
    rows, roles, flags = index.ids[low:high], index.roles[low:high], index.flags[low:high]
    if flags.count(flag) == len(flags):
        return StoredList(rows, roles, rows, certain)
    with_flag = _only(index, [at for at in range(low, high) if index.flags[at] == flag])
    return StoredList(with_flag.ids, with_flag.roles, rows, certain)


def _without(index: Index, low: int, high: int) -> Index:
    """Return the index without the rows [low:high]."""
    note = (
        f"Session {index.session} stores a compacted list twice ({high - low} rows from {index.ids[low]} on); "
        "one copy is left out."
    )
    others = _only(index, [*range(low), *range(high, len(index.ids))])
    return replace(others, notes=(*index.notes, note))


def begins_with_summary(
    connection: sqlite3.Connection, schema: Schema, session: str, ids: array[int]
) -> bool:
    """Return whether the first list of a session has a summary near its beginning: an earlier list is missing."""
    head = ids[:_LONGEST_HEAD]
    return bool(head) and any(row in head for row, _ in summary_rows(connection, schema, session, head[-1]))


def summary_rows(
    connection: sqlite3.Connection, schema: Schema, session: str, last: int | None = None
) -> list[tuple[int, int]]:
    """Return the rows of a session with a summary, recognised by their beginning: id and hash of the text.

    `last` is the id of the last row to search; None searches all.
    """
    # A range of texts compares a few bytes of each row. The rows with JSON are parsed below.
    ranges = [(prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)) for prefix in (*PREFIXES, "\x00json:")]
    where = " OR ".join("(content >= ? AND content < ?)" for _ in ranges)
    if schema.marker:
        where += f" OR {quoted(schema.marker)} = 1"
    rows, _ = salvage(
        connection,
        f"SELECT {select(schema)} FROM messages WHERE session_id = ? AND id <= ? AND ({where})",
        "id",
        (session, _MOST_ID if last is None else last, *(bound for pair in ranges for bound in pair)),
    )
    prints = ((int(row[0]), print_of(message(row))) for row in rows)
    return sorted((identity, item.text) for identity, item in prints if item.handoff is not None)


class _Splitter:
    """Finds the places in the rows of one session at which its lists begin."""

    def __init__(self, connection: sqlite3.Connection, schema: Schema, index: Index) -> None:
        self._connection = connection
        self._schema = schema
        self._index = index
        self._times: dict[int, float] = {}
        self._prints: dict[int, Print] = {}

    def lists(self) -> list[StoredList]:
        """Return the lists of the session, oldest first."""
        index = self._index
        total = len(index.ids)
        last_archived = index.flags.rfind(ARCHIVED)
        summaries = summary_rows(self._connection, self._schema, index.session)
        candidates = [bisect_left(index.ids, row) for row, _ in summaries]
        texts = {place: text for place, (_, text) in zip(candidates, summaries, strict=True)}
        starts: list[tuple[int, bool]] = [(0, True)]
        for place in candidates:
            start = starts[-1][0]
            if len(starts) > 1 and self._is_head(starts[-2][0], start, place):
                continue  # This is the summary of the list at `start`, whose head has an older summary.
            # Heads and tails hold copies of older summaries; the times of a copy can look like a beginning.
            copy = any(start <= other < place and texts[other] == texts[place] for other in candidates)
            if (next_start := self._start_of(start, place, copy)) is not None:
                starts.append((next_start, True))
        if (live := self._live_start(last_archived, candidates, starts)) is not None:
            starts.append(live)
        first_live = index.flags.find(LIVE, last_archived + 1)
        if last_archived < first_live < starts[-1][0]:
            # A live row is in the live list, even if its time is earlier.
            starts[-1] = (first_live, starts[-1][1])
        ends = [start for start, _ in starts[1:]] + [total]
        lists = []
        for number, ((low, certain), high) in enumerate(zip(starts, ends, strict=True)):
            flag = LIVE if low > last_archived or number == len(starts) - 1 else ARCHIVED
            lists.append(_stored_list(index, low, high, flag, certain))
        if starts[-1][0] <= last_archived:
            # All live rows were undone: the last list is empty.
            lists[-1] = _stored_list(index, starts[-1][0], total, ARCHIVED, starts[-1][1])
            lists.append(StoredList(array("q"), b"", array("q")))
        return lists

    def repeated(self) -> tuple[int, int] | None:
        """Return a range of rows that is repeated right after itself, with its summary: it was stored twice."""
        rows = summary_rows(self._connection, self._schema, self._index.session)
        summaries = [(bisect_left(self._index.ids, row), text) for row, text in rows]
        for at, (place, text) in enumerate(summaries):
            later = next((other for other, later_text in summaries[at + 1 :] if later_text == text), None)
            if later is None:
                continue
            apart = later - place
            before = 0
            while before < min(apart, place) and self._same_row(place - before - 1, later - before - 1):
                before += 1
            behind = 1
            while before + behind < apart and self._same_row(place + behind, later + behind):
                behind += 1
            if before + behind >= apart > 1:
                return place - before, place - before + apart
        return None

    def _same_row(self, row: int, later: int) -> bool:
        if later >= len(self._index.ids) or self._index.roles[row] != self._index.roles[later]:
            return False
        first, second = map(_CONTENT, self._load((row, later)))
        return bool(first == second)

    def _live_start(
        self, last_archived: int, candidates: Sequence[int], starts: list[tuple[int, bool]]
    ) -> tuple[int, bool] | None:
        """Return the start of the live list from the flags, if no summary row led to it."""
        if starts[-1][0] > last_archived:
            return None
        place = next((place for place in candidates if place > last_archived), None)
        if place is not None:
            head = self._head_lengths(starts[-1][0], place, last_archived + 1)[0]
            return place - head, True
        first = self._index.flags.find(LIVE, last_archived + 1)
        return None if first < 0 else (first, False)

    def _is_head(self, before: int, start: int, place: int) -> bool:
        """Return whether the rows from `start` to `place` are copies of the first rows of the list at `before`."""
        length = place - start
        if not 0 < length <= _LONGEST_HEAD:
            return False
        old_rows = self._load(self._archived(before, min(start, before + 2 * length)))
        return head_of(old_rows, self._load(range(start, place)), length) is not None

    def _start_of(self, start: int, place: int, copy: bool) -> int | None:
        """Return the start of the list whose summary row is at `place`.

        None if that row is only a copy in the list at `start`. `copy`: an older summary of that list has the same text.
        """
        if self._index.flags.count(ARCHIVED, start, max(start, place)) < _SHORTEST:
            return None
        last_archived = self._index.flags.rfind(ARCHIVED)
        floor = last_archived + 1 if place > last_archived else start + 1
        self._load_times(range(max(start, place - _LONGEST_HEAD), min(place + 3, len(self._index.ids))))
        run = place
        while run > start and self._follows(run):
            run -= 1
        if run == start and start > 0:
            return None
        if copy:
            return self._start_by_bodies(start, place, floor)
        # Copies that keep their times may be as close together as rows of one transaction.
        begin = min(run, place - self._head_by_times(start, place)) if run > start else run
        if start < begin < place:
            return max(begin, floor)
        if run == place and place + 1 < len(self._index.ids) and self._follows(place + 1):
            return place
        return self._start_by_bodies(start, place, floor)

    def _follows(self, at: int) -> bool:
        """Return whether a row was inserted right after the row before it, by their times."""
        before, after = self._time(at - 1), self._time(at)
        return before > 0 and 0 < after - before <= STEP

    def _head_by_times(self, start: int, place: int) -> int:
        """Return the number of rows before `place` that have the times of the first rows of the list at `start`."""
        limit = min(place - start, _LONGEST_HEAD) // 2
        old_rows = self._archived(start, place - 1)[: 2 * _LONGEST_HEAD]
        self._load_times(old_rows)
        return next(
            (head for head in range(limit, 0, -1) if self._same_times(old_rows, place - head, head)), 0
        )

    def _same_times(self, old_rows: Sequence[int], copies: int, count: int) -> bool:
        """Return whether `count` rows from `copies` on have the times of `old_rows`. Tool results may be missing."""
        if self._times.get(copies, 0.0) >= self._times.get(copies - 1, 0.0):
            return False  # A copied time is older than the time of the row before it.
        originals = iter(old_rows)
        for place in range(copies, copies + count):
            time = self._times.get(place, 0.0)
            old = next(originals, copies)
            while old < copies and self._times.get(old) != time:
                if self._index.roles[old] != TOOL:
                    return False
                old = next(originals, copies)
            if old >= copies or time <= 0:
                return False
        return True

    def _start_by_bodies(self, start: int, place: int, floor: int) -> int | None:
        """Return the start of the list whose summary row is at `place`, found by its copies; else None."""
        # If the tail keeps its times, so does the head: its first copy is older than the row before it.
        kept_times = 0 < self._time(min(place + 1, len(self._index.ids) - 1)) < self._time(place)
        for head in self._head_lengths(start, place, floor):
            if head and kept_times and self._time(place - head) > self._time(place - head - 1):
                continue
            if self._repeats_end(self._archived(start, place - head), place):
                return place - head
        return self._start_with_early_tail(start, place, floor)

    def _start_with_early_tail(self, start: int, place: int, floor: int) -> int | None:
        """Return the start of a list whose tail begins before its summary row, as in 0.20 and newer.

        The copies keep their times, so the first copy is older than the row before it.
        """
        begin = place
        while begin > floor and self._time(begin - 1) <= self._time(begin):
            begin -= 1
        lead = place - begin
        if not lead > 0 or self._time(begin - 1) <= self._time(begin):
            return None
        old_rows = self._load(self._archived(start, begin))
        new_rows = self._load(range(begin, min(len(self._index.ids), begin + 2 * len(old_rows) + 2)))
        return begin if tails(old_rows, new_rows, 1, 0, lead, frozenset()) else None

    def _time(self, at: int) -> float:
        if at not in self._times:
            self._load_times(range(max(0, at - _CHUNK), min(at + 1, len(self._index.ids))))
        return self._times.get(at, 0.0)

    def _head_lengths(self, start: int, place: int, floor: int) -> list[int]:
        """Return possible lengths of the head, largest first, and 0.

        A head has the rows from `floor` to `place` that copy the first rows of the list at `start`.
        """
        limit = min(place - floor, _LONGEST_HEAD, (place - start) // 2)
        old_rows = self._load(self._archived(start, start + limit))
        new_rows = self._load(range(place - limit, place))
        heads = range(limit, 0, -1)
        return [*(head for head in heads if head_of(old_rows, new_rows[limit - head :], head) is not None), 0]

    def _repeats_end(self, old: Sequence[int], place: int) -> bool:
        """Return whether the rows from `place` on begin with the summary and a copy of the end of `old`."""
        if not old:
            return False
        size = 32
        while True:
            old_rows = self._load(old[-size:])
            new_rows = self._load(range(place, min(len(self._index.ids), place + 2 * size + 2)))
            handoff = new_rows[0].handoff
            merged = handoff is not None and handoff.merged
            if tails(old_rows, new_rows, 0, 0 if merged else 1, 0 if merged else None, frozenset()):
                return True
            if size >= len(old):
                return False
            size *= 4

    def _archived(self, low: int, high: int) -> list[int]:
        flags = self._index.flags
        return [at for at in range(low, high) if flags[at] == ARCHIVED]

    def _load_times(self, places: Sequence[int]) -> None:
        wanted = [at for at in places if at not in self._times]
        if "timestamp" not in self._schema.messages:
            return
        for identity, time in self._rows(wanted, "id, timestamp"):
            self._times[bisect_left(self._index.ids, identity)] = as_time(time)

    def _load(self, places: Sequence[int]) -> list[Print]:
        missing = [at for at in places if at not in self._prints]
        for row in self._rows(missing, select(self._schema)):
            self._prints[bisect_left(self._index.ids, row[0])] = print_of(message(row))
        empty = print_of(Message({}))
        return [self._prints.get(at, empty) for at in places]

    def _rows(self, places: Sequence[int], columns: str) -> Iterator[Sequence[Any]]:
        for low in range(0, len(places), _CHUNK):
            ids = [self._index.ids[at] for at in places[low : low + _CHUNK]]
            marks = ",".join("?" * len(ids))
            rows, _ = salvage(
                self._connection, f"SELECT {columns} FROM messages WHERE id IN ({marks})", "id", ids
            )
            yield from rows
