"""Sessions that form a conversation, and names of conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.conversations import ConversationRow
from inspector.core.errors import UnknownConversation
from inspector.stores.hermes.conversations import chains
from inspector.stores.hermes.sessions import SessionNode
from inspector.stores.hermes.store import HermesStore
from inspector.stores.names import resolve
from tests.stores.writer import Writer, create, ids, insert, session, talk

END = {"ended_at": 100.0, "end_reason": "compression"}


def rows(tmp_path: Path, sessions: dict[str, dict[str, Any]], schema: int = 22) -> dict[str, ConversationRow]:
    path = tmp_path / "state.db"
    db = create(path, schema)
    for name, values in sessions.items():
        values = {"started_at": 50.0, **values}
        if "parent" in values:
            values["parent_session_id"] = values.pop("parent")
        if "config" in values:
            values["model_config"] = json.dumps(values.pop("config"))
        session(db, name, **values)
    db.close()
    return {row.id: row for row in HermesStore(path).conversations()}


def test_a_chain_of_rotations_is_one_conversation(tmp_path: Path) -> None:
    found = rows(
        tmp_path,
        {
            "a": {"title": "Work", "input_tokens": 5, "message_count": 9, "model": "old", **END},
            "b": {"title": "Work #2", "parent": "a", "started_at": 100.0, "input_tokens": 7, **END},
            "c": {"title": "Work #3", "parent": "b", "started_at": 200.0, "message_count": 4, "model": "new"},
        },
        schema=11,
    )
    (row,) = found.values()
    assert (row.id, row.root, row.sessions, row.title, row.kind) == (
        "c",
        "a",
        ("a", "b", "c"),
        "Work",
        "conversation",
    )
    assert (row.messages, row.compactions, row.model, row.parent) == (4, 2, "new", None)
    opened = HermesStore(tmp_path / "state.db").open("c")
    assert opened.usage.input == sum(one.usage.input for one in opened.sessions) == 12


@pytest.mark.parametrize("schema", [11, 22])
def test_branches_and_sub_agents_are_separate(tmp_path: Path, schema: int) -> None:
    found = rows(
        tmp_path,
        {
            "a": dict(END),
            "next": {"parent": "a", "started_at": 100.0},
            "branch": {"parent": "a", "started_at": 300.0, "config": {"_branched_from": "a"}},
            "helper": {"parent": "a", "started_at": 60.0, "config": {"_delegate_from": "a"}},
            "tool": {"parent": "a", "started_at": 300.0, "source": "tool"},
        },
        schema,
    )
    assert {name: (row.kind, row.parent, row.sessions) for name, row in found.items()} == {
        "next": ("conversation", None, ("a", "next")),
        "branch": ("branch", "next", ("branch",)),
        "helper": ("sub-agent", "next", ("helper",)),
        "tool": ("sub-agent", "next", ("tool",)),
    }


def test_without_markers_times_decide(tmp_path: Path) -> None:
    found = rows(
        tmp_path,
        {
            "a": dict(END),
            "helper": {"parent": "a", "started_at": 60.0, "ended_at": 70.0},
            "next": {"parent": "a", "started_at": 99.9},
            "left": {"ended_at": 100.0, "end_reason": "branched"},
            "branch": {"parent": "left", "started_at": 100.0},
            "live": {},
            "named": {"parent": "live", "title": "Another way"},
            "worker": {"parent": "live"},
        },
        11,
    )
    assert {name: (row.kind, row.parent) for name, row in found.items()} == {
        "next": ("conversation", None),
        "helper": ("sub-agent", "next"),
        "left": ("conversation", None),
        "branch": ("branch", "left"),
        "live": ("conversation", None),
        "named": ("sub-agent", "live"),
        "worker": ("sub-agent", "live"),
    }


def test_the_child_that_continued_belongs_to_the_chain(tmp_path: Path) -> None:
    found = rows(
        tmp_path,
        {
            "a": dict(END),
            "early": {"parent": "a", "started_at": 99.0, "ended_at": 500.0, "end_reason": "compression"},
            "stale": {"parent": "a", "started_at": 200.0, "ended_at": 900.0, "end_reason": "ws_orphan_reap"},
            "tip": {"parent": "early", "started_at": 500.0},
        },
    )
    assert found["tip"].sessions == ("a", "early", "tip")
    assert found["stale"].sessions == ("stale",)


def test_parents_that_are_missing_or_circular(tmp_path: Path) -> None:
    found = rows(
        tmp_path,
        {
            "orphan": {"parent": "nobody"},
            "own": {"parent": "own", **END},
            "x": {"parent": "y", **END},
            "y": {"parent": "x", **END, "started_at": 100.0},
        },
    )
    assert sorted(name for row in found.values() for name in row.sessions) == ["orphan", "own", "x", "y"]
    assert found["orphan"].kind == "conversation"


IDS = st.sampled_from("abcdefg")


@given(
    st.dictionaries(
        IDS,
        st.tuples(
            st.none() | IDS,
            st.floats(0, 10),
            st.none() | st.floats(0, 10),
            st.sampled_from(["", "compression", "branched"]),
            st.none() | IDS,
        ),
    ),
    st.booleans(),
)
def test_every_session_is_in_just_one_conversation(
    sessions: dict[str, tuple[str | None, float, float | None, str, str | None]], marked: bool
) -> None:
    nodes = [
        SessionNode(name, "cli", "m", "", parent, started, ended, reason, 1, branched, None)
        for name, (parent, started, ended, reason, branched) in sessions.items()
    ]
    found = chains(nodes, {}, 22 if marked else 11, marked)
    assert sorted(name for row in found.rows for name in row.sessions) == sorted(sessions)
    assert all(
        row.sessions[-1] == row.id and found.row(name) is row for row in found.rows for name in row.sessions
    )


def test_last_active_is_the_last_message_and_sorts_the_list(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    session(db, "old", started_at=10.0)
    session(db, "new", started_at=20.0)
    session(db, "ended", started_at=5.0, ended_at=15.0)
    insert(db, "old", {"role": "user", "content": "x"}, 30.0)
    db.close()
    found = HermesStore(tmp_path / "state.db").conversations()
    assert [(row.id, row.last_active) for row in found] == [("old", 30.0), ("new", 20.0), ("ended", 15.0)]


def test_a_title_has_no_secrets(tmp_path: Path) -> None:
    token = "918273645:AA" + "hZ3kQ9vT" * 4 + "b"
    found = rows(tmp_path, {"named": {"title": f"Bot {token}"}})
    assert found["named"].title == "Bot [masked: a Telegram bot token]"
    assert found["named"].unmasked_title == f"Bot {token}"
    assert {resolve(title, [*found.values()]) for title in (found["named"].title, f"Bot {token}")} == {
        "named"
    }


def test_names(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db", 11)
    session(db, "2026_aaa1", title="Work", started_at=50.0, **END)
    session(db, "2026_aab2", title="Work #2", parent_session_id="2026_aaa1", started_at=100.0)
    session(db, "2026_bbb3", title="2026_aaa1 again")
    session(db, "2027_c", title="Twins")
    session(db, "2028_d", title="Twins")
    db.close()
    store = HermesStore(tmp_path / "state.db")
    for name in ("2026_aaa1", "2026_aab2", "2026_a", "Work", "Work #2"):
        assert store.resolve(name) == "2026_aab2"
    assert store.resolve("2026_aaa1 again") == "2026_bbb3"
    assert store.open("2026_aaa1").id == "2026_aab2"
    for name in ("2026_", "Twins", "nothing", "", " "):
        with pytest.raises(UnknownConversation) as error:
            store.resolve(name)
        assert str(error.value).endswith(".")
    with pytest.raises(UnknownConversation):
        store.open("nothing")


def test_undone_rows_are_in_no_generation(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin()
    writer.say(talk(5))
    writer.undo(3)
    writer.say(talk(1, 8))
    writer.compact(3, 14, "one")
    writer.say(talk(2, 9))
    writer.undo(8)
    path = writer.end()
    store = HermesStore(path)
    conversation = store.open("s0")
    assert ids(conversation.generations) == writer.lists
    assert len(conversation.live) == len(writer.live) == 11


@pytest.mark.parametrize("after_compaction", [True, False])
def test_a_conversation_that_was_undone_altogether(tmp_path: Path, after_compaction: bool) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin()
    writer.say(talk(5))
    if after_compaction:
        writer.compact(3, 16, "one")
    writer.undo(len(writer.live))
    path = writer.end()
    store = HermesStore(path)
    conversation = store.open("s0")
    assert [len(item) for item in conversation.generations] == ([20, 0] if after_compaction else [0])
    assert conversation.live.live
    if after_compaction:
        (found,) = store.compactions(conversation)
        assert (found.head_end, found.tail_start, found.after, found.summary) == (3, 16, 8, "one")


def test_a_session_without_messages(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    session(db, "s0")
    db.close()
    store = HermesStore(tmp_path / "state.db")
    conversation = store.open("s0")
    assert [len(item) for item in conversation.generations] == [0]
    assert store.messages(conversation.live) == store.compactions(conversation) == ()
    assert store.live_tokens("s0") == 0


def test_ranges_of_messages(tmp_path: Path) -> None:
    """Ids of sessions that were written at the same time are mixed."""
    db = create(tmp_path / "state.db")
    session(db, "a")
    session(db, "b")
    for number in range(700):
        insert(db, "ab"[number % 2], {"role": "user", "content": f"m{number}"}, float(number))
    db.close()
    store = HermesStore(tmp_path / "state.db")
    live = store.open("a").live
    assert [item.content for item in store.iterate(live)] == [f"m{number}" for number in range(0, 700, 2)]
    assert [item.content for item in store.messages(live, 3, 5)] == ["m6", "m8"]
    assert [item.content for item in store.messages(live, -1)] == ["m698"]
    assert store.messages(live, 340, 9999)[-1].id == live.ids[-1]
    assert {item.session for item in store.iterate(live)} == {"a"}


def test_the_row_about_a_gateways_session_is_in_no_list(tmp_path: Path) -> None:
    """Gateways write it after the first turn, and leave it out of what they send."""
    path = tmp_path / "state.db"
    db = create(path)
    name = session(db, "20260301_100000_abcdef", source="telegram")
    row_ids = [insert(db, name, wire, 1.0 + at) for at, wire in enumerate(talk(1))]
    insert(db, name, {"role": "session_meta", "content": None}, 9.0)
    row_ids.append(insert(db, name, {"role": "user", "content": "Go on."}, 10.0))
    db.close()
    conversation = HermesStore(path).open(name)
    assert ids(conversation.generations) == [row_ids]
