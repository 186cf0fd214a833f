"""Every schema is read, also newer schemas with unknown columns and tables."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from inspector.core.rough import message_chars
from inspector.quality.facts.extract import extract
from inspector.stores.detect import open_store
from inspector.stores.hermes.store import HermesStore
from tests.stores.writer import Writer, create, insert, session, simple, stored, talk

#: Schemas of releases; the schemas between them were never released.
RELEASED = {
    6: "documented",
    11: "hermes-0.13",
    13: "hermes-0.15",
    14: "hermes-0.16",
    16: "hermes-0.17",
    17: "hermes-0.18.0",
    19: "hermes-0.18",
    22: "hermes-0.19",
    25: "hermes-0.20",
    31: "hermes-current",
}


@pytest.mark.parametrize("schema", [*range(6, 32), 40])
def test_schema(tmp_path: Path, schema: int) -> None:
    path = simple(tmp_path / "state.db", schema)
    store = open_store(path)
    info = store.info
    assert info.schema == schema
    assert bool(info.notes) is (schema > 31)
    assert info.profile in RELEASED.values()
    assert info.profile == RELEASED.get(schema, info.profile)
    assert str(schema) in info.profile_reason
    rows = store.conversations()
    assert [(row.id, row.title, row.messages) for row in rows] == [("s1", "Talk 1", 20), ("s0", "Talk 0", 20)]
    assert [row.compactions for row in rows] == ([0, 0] if schema < 14 else [None, None])
    conversation = store.open("s0")
    assert store.system_prompt("s0") == "You are agent 0."
    assert [dict(item.wire) for item in store.messages(conversation.live)] == talk(5)
    assert [item.message for item in store.search('"answer 3"')] == [36, 16]
    extra = {6: "tool_call_count", 12: "rewind_count", 17: "archived", 21: "compression_fallback_streak"}
    assert set(conversation.sessions[0].extra) == {name for since, name in extra.items() if since <= schema}


def test_unknown_columns_and_tables_are_ignored(tmp_path: Path) -> None:
    path = simple(tmp_path / "state.db", 22)
    with sqlite3.connect(path) as db:
        db.execute('ALTER TABLE sessions ADD COLUMN "odd "" name" BLOB DEFAULT x\'00ff\'')
        db.execute("ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER")
        db.execute("CREATE TABLE novelties (id INTEGER)")
        db.execute("UPDATE schema_version SET version = 40")
    store = open_store(path)
    assert len(store.open("s0").live) == 20
    assert 'odd " name' in store.open("s0").sessions[0].extra
    assert "newer" in store.info.notes[0]


def test_system_prompts_in_a_separate_table(tmp_path: Path) -> None:
    path = simple(tmp_path / "state.db", 30)
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE sessions DROP COLUMN system_prompt")
        db.execute("ALTER TABLE sessions ADD COLUMN system_prompt_hash TEXT")
        db.execute("CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, content TEXT)")
        db.execute("INSERT INTO system_prompts VALUES ('abc', 'You are kept once.')")
        db.execute("UPDATE sessions SET system_prompt_hash = 'abc' WHERE id = 's0'")
    store = open_store(path)
    assert store.system_prompt("s0") == "You are kept once."
    assert store.system_prompt("s1") == ""


@pytest.mark.parametrize("versions", [[], ["x"], [3, 9]])
def test_odd_version_tables(tmp_path: Path, versions: list[object]) -> None:
    path = simple(tmp_path / "state.db", 9)
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE schema_version")
        if versions:
            db.execute("CREATE TABLE schema_version (version)")
            db.executemany("INSERT INTO schema_version VALUES (?)", [(version,) for version in versions])
    store = open_store(path)
    assert store.info.schema == (9 if 9 in versions else None)
    assert len(store.open("s0").live) == 20


def test_the_wire_form_has_just_the_keys_of_the_live_list(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    session(db, "s0")
    items = [{"type": "reasoning", "id": "r"}]
    wires = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "é"}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
        {
            "role": "assistant",
            "content": None,
            "finish_reason": "stop",
            "reasoning": "r",
            "reasoning_content": "",
            "reasoning_details": items,
            "codex_reasoning_items": items,
            "codex_message_items": items,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {
            "role": "tool",
            "content": {"_multimodal": True, "text_summary": "s"},
            "tool_call_id": "a",
            "tool_name": "f",
        },
        {"role": "user", "content": "  spaces stay \n"},
    ]
    for wire in wires:
        insert(db, "s0", wire, 1.0, api_content="other", platform_message_id="7", token_count=5)
    insert(db, "s0", {"role": "user", "content": "x"}, 1.0, finish_reason="stop", reasoning="no")
    db.close()
    store = open_store(tmp_path / "state.db")
    found = store.messages(store.open("s0").live)
    assert [dict(item.wire) for item in found] == [*wires, {"role": "user", "content": "x"}]
    assert message_chars(found[0].wire) == len(
        "{'role': 'user', 'content': [{'type': 'text', 'text': 'é'}, {'type': 'image_url', 'image': '[stripped]'}]}"
    )


@pytest.mark.parametrize(
    ("kind", "own"), [(None, True), ("steer", True), ("skill_invocation", True), ("hidden", False)]
)
def test_a_message_of_hermes_in_the_users_name_has_no_facts(
    tmp_path: Path, kind: str | None, own: bool
) -> None:
    db = create(tmp_path / "state.db", 25)
    session(db, "s0")
    insert(db, "s0", {"role": "user", "content": "Never moor at pier 7."}, 1.0, display_kind=kind)
    db.close()
    store = open_store(tmp_path / "state.db")
    (message,) = store.messages(store.open("s0").live)
    assert message.role == "user"
    assert bool(extract(message).statements) is own


def test_malformed_json_stays_as_text_and_is_noted(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    session(db, "s0", model_config="{not json")
    for column in ("tool_calls", "reasoning_details", "codex_reasoning_items"):
        insert(db, "s0", {"role": "assistant", "content": "x"}, 1.0, **{column: "[{"})
    insert(db, "s0", {"role": "user", "content": "\0json:[{"}, 1.0)
    insert(db, "s0", {"role": "user", "content": "[" * 5000}, 1.0, content="\0json:" + "[" * 200_000)
    db.close()
    store = open_store(tmp_path / "state.db")
    found = store.messages(store.open("s0").live)
    assert [item.note.split(" holds")[0].split()[-1] for item in found] == [
        "tool_calls", "reasoning_details", "codex_reasoning_items", "content", "content",
    ]  # fmt: skip
    assert (found[0].wire["tool_calls"], found[0].tool_calls) == ("[{", ())
    assert found[3].content == "\0json:[{"


def test_where_hermes_keeps_its_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspector.agents import agent_named, places_of

    hermes = agent_named("hermes")
    assert hermes is not None
    home, other = tmp_path / "home", tmp_path / "other"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("HERMES_HOME", raising=False)
    assert list(places_of(hermes)) == [home / ".hermes" / "state.db"]
    monkeypatch.setenv("HERMES_HOME", str(other))
    # The first that exists is read.
    assert list(places_of(hermes)) == [other / "state.db", home / ".hermes" / "state.db"]


def test_the_list_of_conversations_imports_nothing_heavy(tmp_path: Path) -> None:
    import subprocess
    import sys

    path = simple(tmp_path / "state.db")
    code = (
        "import sys; from pathlib import Path; from inspector.stores.detect import open_store;"
        f"print(len(open_store(Path({str(path)!r})).conversations()));"
        "print(sorted({'sqlite_utils', 'textual', 'yaml', 'tiktoken', 'genai_prices', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["2", "[]"]


def test_summaries_have_the_mark_of_the_live_list(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    writer.begin()
    writer.say(talk(5))
    writer.compact(3, 16, "body")
    path = writer.end()
    store = HermesStore(path)
    marked = [item.wire.get("_compressed_summary") for item in store.messages(store.open("s0").live)]
    assert marked == [None, None, None, True, None, None, None, None]
    assert stored([1]) == "\0json:" + json.dumps([1])
