"""Big databases in the schemas of the releases 0.13.0 and 0.19.0. The same seed makes the same database.

Messages are written without triggers, and the full-text tables are filled afterwards in one statement. So a million
messages take minutes.
"""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Release = Literal["0.13", "0.19"]

#: Titles of the two long conversations, and the text of their last messages.
LONG, LONGEST = "The long conversation", "The longest conversation"
LAST_WORDS = "and with this the conversation rests"
#: A word that few messages contain, for the search.
RARE = "quincunx"
#: A word that very many messages contain.
COMMON = "retry"

_START = 1.75e9
_HEAD, _TAIL = 3, 24
#: Minimum number of messages of a list before a compaction.
_MIN_MESSAGES = 60
_CHUNK = 100
_SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. The latest message wins.\n"
_SECTIONS = ("Active Task", "Goal", "Completed Actions", "Key Decisions", "Relevant Files", "Remaining Work")
_END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
_MODELS = ("anthropic/claude-sonnet-4.5", "anthropic/claude-opus-4.1", "openai/gpt-5", "qwen/qwen3-coder")
_PROMPT = "You are Hermes, a helpful agent.\n" + "Use the tools with care and say what you did. " * 120
_COLUMNS = (
    "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "finish_reason",
)  # fmt: skip
_FTS = "COALESCE({0}content, '') || ' ' || COALESCE({0}tool_name, '') || ' ' || COALESCE({0}tool_calls, '')"

#: role, content, tool_call_id, tool_calls, tool_name, finish_reason
Wire = tuple[str, str, str | None, str | None, str | None, str | None]
#: A row of `messages`: session, wire, time, active, compacted
Row = tuple[str, Wire, float, int, int]


@dataclass(frozen=True, slots=True)
class Shape:
    """Size of a database. `longest` and `long` are live generations; the other conversations share the rest.

    With `compactions` the longest conversation has that many compactions in place. It states facts, and its summaries
    repeat some of them. All results of tools are then four times as long.
    """

    messages: int = 1_000_000
    conversations: int = 2_000
    release: Release = "0.19"
    seed: int = 1
    compactions: int = 0

    @property
    def longest(self) -> int:
        """Messages of the longest live generation: 100,000, fewer in small databases."""
        return min(100_000, 2 * self.messages // 5)

    @property
    def long(self) -> int:
        """Messages of the other long generation: 10,000, fewer in small databases."""
        return min(10_000, self.messages // 5)

    @property
    def name(self) -> str:
        """Path of the file below the folder of all databases. The file has the name that Hermes uses."""
        suffix = f"-{self.compactions}" if self.compactions else ""
        return f"{self.release}-{self.messages}-{self.conversations}-{self.seed}{suffix}/state.db"


@dataclass(slots=True)
class _Session:
    """A row of `sessions`, written after its messages."""

    id: str
    title: str | None
    model: str
    parent: str | None
    started: float
    ended: float | None = None
    reason: str | None = None
    messages: int = 0
    active_at: float = 0.0


def ensure(folder: Path, shape: Shape) -> Path:
    """Return the database of this shape in `folder`; make it if it is missing, never change it."""
    path = folder / shape.name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        build(unfinished, shape)
        unfinished.rename(path)
    return path


def build(path: Path, shape: Shape) -> None:
    """Write the database to `path`, which must not exist."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = off")
    db.execute("PRAGMA synchronous = off")
    db.execute("PRAGMA cache_size = -200000")
    _create(db, shape.release)
    sessions: list[_Session] = []
    db.execute("BEGIN")
    _insert(db, shape.release, _rows(shape, sessions))
    _insert_sessions(db, sessions)
    db.execute("COMMIT")
    _index(db, shape.release)
    for table, tokens in (("messages_fts", ""), ("messages_fts_trigram", ", tokenize='trigram'")):
        _full_text(db, table, tokens)
    db.execute("PRAGMA journal_mode = wal")
    db.close()


def _create(db: sqlite3.Connection, release: Release) -> None:
    newer = release == "0.19"
    db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
    db.execute("INSERT INTO schema_version VALUES (?)", (22 if newer else 11,))
    extra = (
        "cwd TEXT, git_branch TEXT, compression_failure_cooldown_until REAL, compression_failure_error TEXT, "
        "compression_fallback_streak INTEGER NOT NULL DEFAULT 0, rewind_count INTEGER NOT NULL DEFAULT 0, "
        "archived INTEGER NOT NULL DEFAULT 0, "
    )
    db.execute(
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, "
        "model_config TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, "
        "end_reason TEXT, message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, "
        "input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0, "
        "cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, billing_provider TEXT, "
        "billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL, title TEXT, "
        "api_call_count INTEGER DEFAULT 0, handoff_state TEXT, "
        + (extra if newer else "")
        + "FOREIGN KEY (parent_session_id) REFERENCES sessions(id))"
    )
    flags = (
        "observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, "
        "api_content TEXT, effect_disposition TEXT, platform_message_id TEXT, "
    )
    db.execute(
        "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, "
        "session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content TEXT, tool_call_id TEXT, "
        "tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT, "
        + (flags if newer else "")
        + "reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT, "
        "codex_message_items TEXT)"
    )


def _index(db: sqlite3.Connection, release: Release) -> None:
    db.execute("CREATE INDEX idx_sessions_source ON sessions(source)")
    db.execute("CREATE INDEX idx_sessions_parent ON sessions(parent_session_id)")
    db.execute("CREATE INDEX idx_sessions_started ON sessions(started_at DESC)")
    db.execute("CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL")
    db.execute("CREATE INDEX idx_messages_session ON messages(session_id, timestamp)")
    if release == "0.19":
        db.execute("CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp)")


def _full_text(db: sqlite3.Connection, table: str, tokens: str) -> None:
    db.execute(f"CREATE VIRTUAL TABLE {table} USING fts5(content{tokens})")
    # Collect much in memory before each segment is written: few segments need no merging.
    db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('hashsize', {192 << 20})")
    db.execute(f"INSERT INTO {table}(rowid, content) SELECT id, {_FTS.format('')} FROM messages")
    db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('hashsize', {1 << 20})")
    insert = f"INSERT INTO {table}(rowid, content) VALUES (new.id, {_FTS.format('new.')})"
    delete = f"DELETE FROM {table} WHERE rowid = old.id"
    for event, body in (("insert", insert), ("delete", delete), ("update", f"{delete}; {insert}")):
        db.execute(f"CREATE TRIGGER {table}_{event} AFTER {event} ON messages BEGIN {body}; END")


def _insert(db: sqlite3.Connection, release: Release, rows: Iterable[Row]) -> None:
    newer = release == "0.19"
    names = (*_COLUMNS, "active", "compacted") if newer else _COLUMNS
    marks = ", ".join("?" * len(names))

    def values() -> Iterator[tuple[object, ...]]:
        for session, (role, content, answers, calls, tool, finish), at, active, compacted in rows:
            row = (session, role, content, answers, calls, tool, at, finish)
            yield (*row, active, compacted) if newer else row

    db.executemany(f"INSERT INTO messages ({', '.join(names)}) VALUES ({marks})", values())


def _insert_sessions(db: sqlite3.Connection, sessions: Iterable[_Session]) -> None:
    rows = (
        (
            s.id, "cli", s.model, "{}", _PROMPT, s.parent, s.started, s.ended, s.reason, s.messages,
            s.messages * 220, s.messages * 60, s.messages * 180, s.messages // 2, s.title,
        )
        for s in sessions
    )  # fmt: skip
    db.executemany(
        "INSERT INTO sessions (id, source, model, model_config, system_prompt, parent_session_id, started_at, "
        "ended_at, end_reason, message_count, input_tokens, output_tokens, cache_read_tokens, api_call_count, title) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


class _Talk:
    """An endless stream of messages of an agent at work. Texts are cut from a pool of lines, which is fast."""

    def __init__(self, seed: int, times: int = 1) -> None:
        """Make a stream; results of tools have `times` times as many lines."""
        self._random = random.Random(seed)
        self._times = times
        words = [_word(self._random) for _ in range(6_000)]
        words += [COMMON] * 40
        self._lines = [_line(self._random, words) for _ in range(8_000)]
        self._turn = 0

    def messages(self) -> Iterator[Wire]:
        """Yield messages: a question, calls and their results, an answer."""
        pick = self._random
        while True:
            self._turn += 1
            rare = f" {RARE}" if self._turn % 5_000 == 17 else ""
            yield "user", f"{self._text(1, 3)}{rare}", None, None, None, None
            for number in range(pick.randrange(1, 8)):
                call = f"call_{self._turn}_{number}"
                tool = ("terminal", "read_file", "search_files", "patch")[pick.randrange(4)]
                arguments = json.dumps(
                    {"command": self._text(1, 2), "path": f"src/part_{pick.randrange(400)}.py"}
                )
                function = {"name": tool, "arguments": arguments}
                calls = json.dumps([{"id": call, "type": "function", "function": function}])
                thought = self._text(0, 2)
                yield "assistant", thought, None, calls, None, "tool_calls"
                # Most results are short and some are long, as with real tools.
                size = min(60 * self._times, int(1.6 * self._times * pick.paretovariate(1.1)))
                code = 0 if pick.random() < 0.93 else 1
                head = f'{{"exit_code": {code}}}\n' if tool == "terminal" else ""
                yield "tool", head + self._text(size, size + 4), call, None, tool, None
            yield "assistant", self._text(1, 4), None, None, None, "stop"

    def summary(self, number: int) -> Wire:
        """Return the handoff number `number`; each has more items than the handoff before."""
        parts = [
            f"## {name}\n" + "\n".join(f"- {self._text(1, 2)}" for _ in range(2 + number))
            for name in _SECTIONS
        ]
        return "user", _handoff(parts), None, None, None, None

    def _text(self, low: int, high: int) -> str:
        count = self._random.randrange(low, high)
        start = self._random.randrange(len(self._lines) - 70 * self._times)
        return "\n".join(self._lines[start : start + count])


def _handoff(parts: Sequence[str]) -> str:
    return _SUMMARY + "\n\n".join(parts) + "\n\n" + _END


def _word(pick: random.Random) -> str:
    consonants, vowels = "bcdfghklmnprstvw", "aeiou"
    return "".join(pick.choice(consonants) + pick.choice(vowels) for _ in range(pick.randrange(1, 5)))


def _line(pick: random.Random, words: Sequence[str]) -> str:
    some = " ".join(pick.choice(words) for _ in range(pick.randrange(3, 12)))
    kind = pick.randrange(6)
    if kind == 0:
        return f"src/{pick.choice(words)}/{pick.choice(words)}.py:{pick.randrange(900)}: {some}"
    if kind == 1:
        return f"    def {pick.choice(words)}(self, {pick.choice(words)}): return {pick.getrandbits(40):x}"
    return some.capitalize() + "."


def _rows(shape: Shape, sessions: list[_Session]) -> Iterator[Row]:
    """Yield every message. Pieces of the long conversations are between the others, as if they grew together."""
    talk = _Talk(shape.seed, 4 if shape.compactions else 1)
    wires = talk.messages()
    pick = random.Random(shape.seed + 1)
    model = _MODELS[0]
    longest = _Session("20260101_000000_long99", LONGEST, model, None, _START)
    long = _Session("20260101_000001_long10", LONG, model, None, _START + 1)
    sessions += [longest, long]
    others = max(0, shape.conversations - 2)
    rest = shape.messages - shape.longest - shape.long
    sizes = _sizes(pick, rest, others)
    grown = (
        _compacted_often(longest, wires, shape, random.Random(shape.seed + 2))
        if shape.compactions
        else _plain(longest, wires, shape.longest, _START, 40.0)
    )
    streams = [
        (longest, grown),
        (long, _plain(long, wires, shape.long, _START + 1, 400.0)),
    ]
    pieces = [_pieces(rows, total, max(others, 1)) for (_, rows), total in zip(
        streams, (shape.longest, shape.long), strict=True)]  # fmt: skip
    for number in range(max(others, 1)):
        for piece in pieces:
            yield from next(piece)
        if number < others:
            yield from _conversation(number, sizes[number], shape, talk, wires, pick, sessions)
    for piece in pieces:
        for some in piece:
            yield from some


def _pieces(rows: Iterator[Row], total: int, turns: int) -> Iterator[list[Row]]:
    """Yield the rows in pieces of about a hundred, spread over `turns` turns, with empty lists between them."""
    every = max(1, turns * _CHUNK // max(total, 1))
    size = max(_CHUNK, -(-total * every // turns))
    for number in itertools.count():
        piece = list(itertools.islice(rows, size)) if number % every == 0 else []
        if number % every == 0 and not piece and number >= turns:
            return
        yield piece


def _sizes(pick: random.Random, total: int, count: int) -> list[int]:
    """Return sizes that sum to `total`; a few are large."""
    if count == 0:
        return []
    weights = [
        min(30.0, pick.paretovariate(1.3)) * (3 if _compacts(number) else 1) for number in range(count)
    ]
    scale = total / sum(weights)
    sizes = [max(1, int(weight * scale)) for weight in weights]
    sizes[0] += total - sum(sizes)
    return sizes


def _compacts(number: int) -> bool:
    return number % 10 < 4


def _plain(session: _Session, wires: Iterator[Wire], count: int, start: float, step: float) -> Iterator[Row]:
    for number in range(count):
        wire = next(wires) if number < count - 1 else ("assistant", LAST_WORDS, None, None, None, "stop")
        session.messages += 1
        session.active_at = start + step * number
        yield session.id, wire, session.active_at, 1, 0


def _conversation(
    number: int, size: int, shape: Shape, talk: _Talk, wires: Iterator[Wire], pick: random.Random,
    sessions: list[_Session],
) -> Iterator[Row]:  # fmt: skip
    """Yield an ordinary conversation. Of ten, two rotate and two are compacted in place if the release does so."""
    start = _START + 1_500 * number
    session = _Session(
        f"20260102_{number:06d}_c{number:05x}", f"Conversation {number}: {_TOPICS[number % len(_TOPICS)]}",
        _MODELS[pick.randrange(len(_MODELS))], None, start,
    )  # fmt: skip
    sessions.append(session)
    if size < 2 * _MIN_MESSAGES or not _compacts(number):
        yield from _plain(session, wires, size, start, 5.0)
    elif number % 2 == 0 or shape.release == "0.13":
        yield from _rotated(session, size, start, talk, wires, sessions)
    else:
        yield from _in_place(session, size, start, talk, wires)


def _compacted(live: Sequence[Wire], summary: Wire) -> list[Wire]:
    # The tail never begins with a tool result, so that no call loses its result.
    at = len(live) - _TAIL
    while live[at][0] == "tool":
        at -= 1
    return [*live[:_HEAD], summary, *live[at:]]


def _rotated(
    session: _Session, size: int, start: float, talk: _Talk, wires: Iterator[Wire], sessions: list[_Session]
) -> Iterator[Row]:
    steps = min(4, size // _MIN_MESSAGES)
    live: list[Wire] = []
    written, at, base = 0, start, session
    for step in range(steps):
        share = size - written if step == steps - 1 else size // steps
        fresh = [next(wires) for _ in range(max(0, share - len(live)))]
        live += fresh
        for wire in live:
            at += 1.0
            yield session.id, wire, at, 1, 0
        written += len(live)
        session.messages, session.active_at = len(live), at
        if step < steps - 1:
            session.ended, session.reason = at, "compression"
            live = _compacted(live, talk.summary(step))
            session = _Session(
                f"{base.id}_{step + 2}", f"{base.title} #{step + 2}", base.model, session.id, at + 0.5
            )
            sessions.append(session)


def _in_place(
    session: _Session, size: int, start: float, talk: _Talk, wires: Iterator[Wire]
) -> Iterator[Row]:
    steps = min(4, size // _MIN_MESSAGES)
    live: list[Wire] = []
    written, at = 0, start
    for step in range(steps):
        share = size - written if step == steps - 1 else size // steps
        last = step == steps - 1
        flags = (1, 0) if last else (0, 1)
        for wire in live:
            at += 1e-6
            yield session.id, wire, at, *flags
        fresh = [next(wires) for _ in range(max(0, share - len(live)))]
        for wire in fresh:
            at += 1.0
            yield session.id, wire, at, *flags
        live += fresh
        written += len(live)
        if not last:
            live = _compacted(live, talk.summary(step))
            at += 1.0
    session.messages, session.active_at = len(live), at


def _compacted_often(
    session: _Session, wires: Iterator[Wire], shape: Shape, pick: random.Random
) -> Iterator[Row]:
    """Yield a conversation with many compactions in place that states facts."""
    lists = shape.compactions + 1
    live: list[Wire] = []
    items: list[str] = []
    at, written = _START, 0
    for number in range(lists):
        last = number == lists - 1
        flags = (1, 0) if last else (0, 1)
        for wire in live:
            at += 1e-6
            yield session.id, wire, at, *flags
        share = (shape.longest - written) // (lists - number)
        statements: list[str] = []
        fresh = [_with_statement(next(wires), pick, statements) for _ in range(max(0, share - len(live)))]
        if last:
            fresh[-1] = ("assistant", LAST_WORDS, None, None, None, "stop")
        for wire in fresh:
            at += 1.0
            yield session.id, wire, at, *flags
        live += fresh
        written += len(live)
        if not last:
            items = _next_items(items, statements, pick)
            parts = [
                f"## {name}\n" + "\n".join(items[n :: len(_SECTIONS)]) for n, name in enumerate(_SECTIONS)
            ]
            live = _compacted(live, ("user", _handoff(parts), None, None, None, None))
            at += 1.0
    session.messages, session.active_at = len(live), at


def _with_statement(wire: Wire, pick: random.Random, statements: list[str]) -> Wire:
    """Return the message with a statement added, for every user message and half of the answers.

    The statement is also appended to `statements`.
    """
    role, content, *rest = wire
    if role == "tool" or (role == "assistant" and (rest[-1] != "stop" or pick.random() < 0.5)):
        return wire
    text = pick.choice(_STATEMENTS[role]).format(
        a=pick.choice(_THINGS), b=pick.choice(_THINGS), n=pick.randrange(2, 900),
        v=f"{pick.randrange(9)}.{pick.randrange(40)}.{pick.randrange(9)}", p=f"src/part_{pick.randrange(400)}.py",
    )  # fmt: skip
    statements.append(text)
    return (role, f"{text}\n{content}", *rest)


def _next_items(items: Sequence[str], statements: Sequence[str], pick: random.Random) -> list[str]:
    """Return the items of the next summary: most old items, half of the statements, some without numbers."""
    kept = [item for item in items if pick.random() < 0.9]
    for text in statements:
        chance = pick.random()
        if chance < 0.5:
            kept.append(
                f"- {text if chance < 0.3 else ' '.join(w for w in text.split() if not w[0].isdigit())}"
            )
    return kept[-150:]


_THINGS = (
    "orders table", "retry queue", "staging gateway", "invoice export", "session cache", "billing webhook",
    "search index", "login form", "image resizer", "audit log", "rate limiter", "feature flag", "backup job",
    "connection pool", "message broker", "report builder", "address parser", "currency rounding", "upload worker",
    "tax lookup", "mail template", "cron runner", "schema migration", "token refresh",
)  # fmt: skip
_STATEMENTS = {
    "user": (
        "Never change the {a} before the {b} is green.",
        "The {a} must stay pinned to {v}.",
        "Please keep the {a} below {n} ms, the {b} depends on it.",
        "Do not touch {p} while the {a} is being moved.",
        "I prefer short commits for the {a}.",
        "We decided to use the {a} instead of the {b} because {n} requests failed.",
        "The {a} may use at most {n} connections.",
    ),
    "assistant": (
        "The {a} failed {n} times after the {b} was restarted.",
        "I chose the {a} over the {b}, since {p} already has it.",
        "{n} of 912 rows of the {a} were lost in January.",
        "The {a} runs version {v} now.",
    ),
}
_TOPICS = (
    "failing tests", "a parser for logs", "the release notes", "slow queries", "flaky uploads", "naming things",
    "the import contract", "broken links", "an API client", "retry limits", "memory of a worker",
)  # fmt: skip
