"""Damaged copies of every agent's fixtures: lines, values and rows that a program, a disk or a person may break.

`python -m tests.mutants 2000` runs commands over 2,000 damaged copies and prints every wrong end.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.stores.agent_sessions import WRITERS, cline_task

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
#: A conversation in a bundled database with a compaction and few messages.
_SMALL = "20260324_025037_c484c1"
#: Values that no agent writes in these places.
ODD: tuple[Any, ...] = (
    None, True, "", "x", " ", -1, 0, 2**63, 10**30, 1e308, float("nan"), float("inf"), [], {}, [None], {"": None},
    "\x00", "\ud800", "\x1b]0;owned\x07", "\u202e", "9" * 400, 3e11, 1.7e12, -1e18, "0001-01-01",
    "9999-12-31T23:59:59Z", "2026-13-45T99:99:99Z", ["a", 1, {}], {"type": "text"}, "x" * 5_000, "-" * 5_000,
    "<think>" * 500, [[[[[[]]]]]],
)  # fmt: skip
#: Commands that take a path.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("conversations", "--json"), ("losses", "--json"), ("findings", "--json"), ("aftermath",), ("check",), ("stores",),
    ("store", "--json"), ("search", "the"), ("trace", "the"), ("facts", "--json"), ("measures", "--json"),
    ("compactions", "--json"), ("show", "--json"), ("requests", "--json"), ("replay", "--json"), ("breakpoints",),
    ("diff", "--lineage"), ("next",), ("recommend",), ("rules",), ("report", "--output", "-"), ("watch", "--once"),
    ("open",),
)  # fmt: skip


def sources() -> list[Path]:
    """Return the files of all fixtures to damage."""
    found = sorted(path for path in (FIXTURES / "agents").rglob("*") if path.is_file())
    recorded = ROOT / "tests" / "stores" / "recorded"
    found += sorted(path for path in recorded.rglob("*.json*") if path.stat().st_size < 200_000)
    return [path for path in found if path.suffix in (".jsonl", ".json")] + [
        FIXTURES / "hermes-0.13-rotating.db"
    ]


def mutant(chance: random.Random, folder: Path) -> Path:
    """Write a damaged copy of a fixture, or a damaged generated session, into a folder."""
    if chance.random() < 0.4:
        return _mutate_generated(chance, folder)
    source = chance.choice(sources())
    path = folder / source.name
    if source.suffix == ".db":
        _mutate_database(chance, source, path)
    else:
        path.write_bytes(_mutate_lines(chance, source.read_bytes(), source.suffix))
    return path


def _mutate_generated(chance: random.Random, folder: Path) -> Path:
    """Write a generated session of an agent, and damage one of its files."""
    path = chance.choice([*WRITERS.values(), cline_task])(folder)
    damaged = chance.choice(sorted(file for file in folder.rglob("*") if file.is_file()))
    data = bytearray(damaged.read_bytes())
    if damaged.suffix in (".jsonl", ".json"):
        with contextlib.suppress(ValueError):
            json.loads(data.splitlines()[0])
            data = bytearray(
                _mutate_lines(chance, bytes(data), ".jsonl" if damaged.suffix == ".jsonl" else ".json")
            )
    elif damaged.suffix == ".db" and chance.random() < 0.6:
        with contextlib.closing(sqlite3.connect(damaged)) as database:
            _mutate_rows(chance, database, ["sessions", "messages", "usage_ledger"])
            database.commit()
        return path
    elif chance.random() < 0.3:
        del data[chance.randrange(1, len(data)) :]
    else:
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    damaged.write_bytes(data)
    return path


def _mutate_lines(chance: random.Random, data: bytes, ending: str) -> bytes:
    if ending == ".json":
        value = json.loads(data)
        for _ in range(chance.randint(1, 4)):
            _mutate_value(chance, value)
        return _dumped(value) if chance.random() < 0.8 else data[: chance.randrange(len(data))]
    lines = data.splitlines(keepends=True)
    if len(lines) > 60:
        # Few lines are faster to read, and a compaction mostly depends on lines near it.
        start = chance.randrange(len(lines) - 50)
        lines = lines[:2] + lines[start : start + 50]
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(lines))
        damage = chance.choice(_LINE_DAMAGES)
        lines[at : at + 1] = damage(chance, lines, at)
        if not lines:
            break
    data = b"".join(lines)
    return data[: chance.randrange(1, len(data))] if data and chance.random() < 0.1 else data


def _changed(chance: random.Random, lines: list[bytes], at: int) -> list[bytes]:
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return [lines[at]]
    for _ in range(chance.randint(1, 3)):
        value = _mutate_value(chance, value)
    return [_dumped(value) + b"\n"]


_LINE_DAMAGES: tuple[Callable[[random.Random, list[bytes], int], list[bytes]], ...] = (
    _changed, _changed, _changed, _changed,
    lambda chance, lines, at: [],
    lambda chance, lines, at: [lines[at], lines[at]],
    lambda chance, lines, at: [chance.choice(lines), lines[at]],
    lambda chance, lines, at: [lines[at][: chance.randrange(len(lines[at]) + 1)] + b"\n"],
    lambda chance, lines, at: [lines[at].rstrip(b"\n")],
    lambda chance, lines, at: [b"not json\n", lines[at]],
    lambda chance, lines, at: [chance.randbytes(40) + b"\n", lines[at]],
    lambda chance, lines, at: [b"[" * 3000 + b"\n", lines[at]],
    lambda chance, lines, at: [b"\xef\xbb\xbf" + lines[at]],
)  # fmt: skip


def _mutate_value(chance: random.Random, value: Any) -> Any:
    """Change a value inside a JSON value, or replace it if it is not a container."""
    places = list(_places(value))
    if not places:
        return chance.choice(ODD)
    holder, key = chance.choice(places)
    damage = chance.random()
    if damage < 0.2:
        del holder[key]
    elif damage < 0.3:
        other, again = chance.choice(places)
        with contextlib.suppress(LookupError):
            holder[key] = other[again] if not isinstance(other[again], dict | list) else chance.choice(ODD)
    else:
        holder[key] = chance.choice(ODD)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in list(inside):
        yield value, key
        yield from _places(one)


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _mutate_database(chance: random.Random, source: Path, path: Path) -> None:
    shutil.copy(source, path)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = delete")
        keep = f"(SELECT id FROM sessions WHERE id = '{_SMALL}' OR parent_session_id = '{_SMALL}' OR id IN "
        keep += f"(SELECT parent_session_id FROM sessions WHERE id = '{_SMALL}'))"
        database.execute(f"DELETE FROM messages WHERE session_id NOT IN {keep}")
        database.execute(f"DELETE FROM sessions WHERE id NOT IN {keep}")
        _mutate_rows(chance, database, ["sessions", "messages"])
        database.commit()
        database.execute("VACUUM")
    data = bytearray(path.read_bytes())
    damage = chance.random()
    if damage < 0.15:
        del data[chance.randrange(1, len(data)) :]
    elif damage < 0.4:
        for _ in range(chance.randint(1, 30)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    path.write_bytes(data)


def _mutate_rows(chance: random.Random, database: sqlite3.Connection, tables: list[str]) -> None:
    """Change or drop some columns of some tables."""
    for _ in range(chance.randint(1, 4)):
        table = chance.choice(tables)
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        column = chance.choice(columns)
        value = chance.choice(ODD)
        if isinstance(value, list | dict):
            value = json.dumps(value)
        elif isinstance(value, str):
            value = value.encode("utf-8", "surrogatepass") if "\ud800" in value else value
        elif isinstance(value, int) and abs(value) >= 2**63:
            value = float(value)
        where = chance.choice(["1", "rowid % 3 = 0", "rowid = (SELECT max(rowid) FROM " + table + ")"])
        with contextlib.suppress(sqlite3.Error):
            if chance.random() < 0.1:
                database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
            else:
                database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))


def problems(seed: int, folder: Path, commands: int = 6) -> list[str]:
    """Run some commands over a damaged copy; return a sentence for every wrong end."""
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    path = mutant(chance, folder)
    if chance.random() < 0.3:
        shutil.copy(FIXTURES / "agents" / "pi" / "tides-v3.jsonl", folder / "beside.jsonl")
    before = _contents(folder)
    found = []
    for words in chance.sample(COMMANDS, commands):
        where = path if chance.random() < 0.7 else folder
        line = [words[0], str(where), *words[1:]] if words[0] != "open" else [str(where)]
        code, out, err = _run(line)
        run = f"seed {seed}, {path.name}: {' '.join(line)}"
        if code not in (0, 1, 2, 3) or "Traceback" in err:
            found.append(f"{run} -> {code}: {err.strip()[-300:]}")
        elif code and not err.strip():
            found.append(f"{run} -> {code} without a message")
        elif not code and "--json" in words:
            try:
                json.loads(out)
            except ValueError as error:
                found.append(f"{run}: no JSON ({error})")
        if any(ord(sign) < 32 and sign not in "\n\t\r" for sign in out) and "--json" not in words:
            found.append(f"{run}: control characters on standard output")
    if _contents(folder) != before:
        found.append(f"seed {seed}: the folder of {path.name} changed")
    return found


def source_name(path: Path) -> str:
    """Return the name of the fixture."""
    return path.name


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _run(words: list[str]) -> tuple[int, str, str]:
    from inspector.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["compaction-inspector", *words]
    code: int | str | None = None
    try:
        with contextlib.redirect_stdout(_Output(out)), contextlib.redirect_stderr(_Output(err)):
            main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = before
    return int(code or 0), out.getvalue(), err.getvalue()


class _Output(io.TextIOWrapper):
    """A stream that stores its output as text and as bytes."""

    def __init__(self, kept: io.StringIO) -> None:
        self._raw = io.BytesIO()
        self._kept = kept
        super().__init__(self._raw, encoding="utf-8", errors="replace", write_through=True)

    def flush(self) -> None:
        super().flush()
        self._kept.seek(0)
        self._kept.truncate()
        self._kept.write(self._raw.getvalue().decode("utf-8", "replace"))


def main() -> None:
    """Run the number of copies in the first argument, starting at the seed in the second."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as name:
        for variable in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
            os.environ[variable] = f"{name}/home"
        broken = 0
        for seed in range(first, first + count):
            folder = Path(name) / str(seed)
            for problem in problems(seed, folder):
                print(problem, flush=True)
                broken += 1
            shutil.rmtree(folder)
        print(f"{count} damaged copies, {broken} problems")


if __name__ == "__main__":
    main()
