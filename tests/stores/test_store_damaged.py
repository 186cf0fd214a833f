"""Databases with flipped bytes: an error message or the readable rest, and nothing else."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from inspector.core.errors import InspectorError
from inspector.stores.hermes.store import HermesStore
from tests.stores.writer import Writer, create, simple, talk

#: Damaged databases in a group.
COUNT = 15
GROUPS = 50
#: Groups in the test command; the others run with --slow.
FEW = 4


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    writer = Writer(create(tmp_path_factory.mktemp("whole") / "state.db"))
    writer.begin(title="Whole", system_prompt="You are an agent. " * 400)
    writer.say(talk(20))
    writer.compact(3, 60, "first")
    writer.say(talk(8, 30))
    writer.undo(2)
    writer.compact(0, 20, "second", rotate=True)
    writer.say([{"role": "user", "content": "long " * 4000}])
    return writer.end().read_bytes()


def use(path: Path) -> str:
    """Do everything that a user may do; return the outcomes. Only error messages may be raised."""
    outcomes: list[str] = []

    def attempt(step: Callable[[], Any]) -> Any:
        try:
            return step()
        except InspectorError as error:
            outcomes.append(str(error))
            return None

    store: Any = attempt(lambda: HermesStore(path))
    if store is not None:
        for row in attempt(store.conversations) or ():
            conversation = attempt(lambda row=row: store.open(row.id))
            for generation in conversation.generations if conversation else ():
                found = attempt(lambda generation=generation: store.messages(generation))
                assert found is None or [item.id for item in found] == list(generation.ids)
            if conversation:
                attempt(lambda conversation=conversation: store.compactions(conversation))
            attempt(lambda row=row: store.live_tokens(row.id))
            attempt(lambda row=row: store.system_prompt(row.id))
        for query in ("answer", "水"):
            attempt(lambda query=query: list(store.search(query)))
        attempt(store.version)
        outcomes.extend(attempt(lambda: store.info).notes)
        store.close()
    assert all(sentence.endswith(".") for sentence in outcomes)
    return "refused" if store is None else "partly" if outcomes else "read"


@pytest.mark.parametrize(
    "group", [*range(FEW), *(pytest.param(group, marks=pytest.mark.slow) for group in range(FEW, GROUPS))]
)
def test_flipped_bytes(tmp_path: Path, whole: bytes, group: int) -> None:
    rng = random.Random(group)
    outcomes = []
    for number in range(COUNT):
        damaged = bytearray(whole)
        kind = rng.randrange(4)
        if kind == 0:  # single bits all over the file
            for _ in range(rng.choice([1, 4, 64])):
                damaged[rng.randrange(16, len(damaged))] ^= 1 << rng.randrange(8)
        elif kind == 1:  # a page of random bytes
            page = rng.randrange(1, len(damaged) // 4096) * 4096
            damaged[page : page + 4096] = rng.randbytes(4096)
        elif kind == 2:  # the page headers, where most harm is done
            for _ in range(rng.choice([1, 8])):
                damaged[rng.randrange(len(damaged) // 4096) * 4096 + rng.randrange(16)] ^= 0xFF
        else:  # cut off
            del damaged[rng.randrange(100, len(damaged)) :]
        path = tmp_path / f"{number}.db"
        path.write_bytes(damaged)
        outcomes.append(use(path))
        assert path.read_bytes() == damaged
        path.unlink()
    assert not list(tmp_path.iterdir())
    assert len(outcomes) == COUNT


def test_the_intact_database_is_read(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(whole)
    assert use(path) == "read"


def test_a_damaged_page_of_messages_costs_only_its_messages(tmp_path: Path) -> None:
    path = simple(tmp_path / "state.db", sessions=1, turns=200)
    data = bytearray(path.read_bytes())
    at = data.index(b"answer 100")
    page = at // 4096 * 4096
    data[page : page + 8] = b"\xff" * 8
    path.write_bytes(data)
    store = HermesStore(path)
    conversation = store.open("s0")
    found = store.messages(conversation.live)
    texts = [item.text for item in found if not item.note]
    assert {"answer 0", "answer 199", "question 5", "question 190"} <= set(texts)
    assert 600 < len(texts) < 800
    assert "answer 100" not in texts
    assert all(item.note.endswith(".") for item in found if item.text == "" and item.role == "user")
    assert any("damaged" in note for note in store.info.notes)


def test_messages_that_are_readable_by_number_are_shown(tmp_path: Path) -> None:
    path = simple(tmp_path / "state.db", sessions=2, turns=400)
    db = sqlite3.connect(path)
    (size,) = db.execute("PRAGMA page_size").fetchone()
    roots = dict(db.execute("SELECT name, rootpage FROM sqlite_master").fetchall())
    pages = [page for name, page in roots.items() if name.startswith("idx_messages")]
    db.close()
    data = bytearray(path.read_bytes())
    # Two pages of the table too, so that it cannot be scanned in either direction.
    pages += [1 + data.index(f"answer {number}".encode()) // size for number in (60, 330)]
    for page in pages:
        data[(page - 1) * size : (page - 1) * size + 8] = b"\xff" * 8
    path.write_bytes(data)
    db = sqlite3.connect(path)
    readable = set()
    for number in range(1, 4_000):
        with suppress(sqlite3.DatabaseError):
            readable.update(
                row for (row,) in db.execute("SELECT id FROM messages WHERE id = ? AND role <> ''", (number,))
            )
    db.close()
    store = HermesStore(path)
    shown = {one for row in store.conversations() for one in store.open(row.id).live.ids}
    assert len(readable) > 1_000
    assert readable <= shown
    assert [store.count_compactions(row.id) for row in store.conversations()] == [0, 0]
    assert all(store.stamp(row.id) for row in store.conversations())


def test_damaged_sessions_leave_the_others(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    for number in range(40):
        writer = Writer(db, tip=f"s{number:02}", clock=1.7e9 + number)
        writer.begin(system_prompt="p" * 1500)
        writer.say(talk(1))
    db.close()
    path = tmp_path / "state.db"
    data = bytearray(path.read_bytes())
    page = data.rindex(b"s20cli") // 4096 * 4096
    data[page : page + 8] = b"\xff" * 8
    path.write_bytes(data)
    store = HermesStore(path)
    names = {row.id for row in store.conversations()}
    assert {"s00", "s39"} <= names
    assert 30 < len(names) < 40
    assert any("damaged" in note for note in store.info.notes)
    assert len(store.open("s00").live) == 4
