"""Compactions of Hermes that its own compressor did not make: a plug-in engine, the provider, the agent's model."""

from __future__ import annotations

import lzma
import shutil
import sqlite3
from pathlib import Path

from inspector.stores.hermes.store import HermesStore

RECORDED = Path(__file__).resolve().parent / "recorded"
ROTATING = Path(__file__).resolve().parents[2] / "fixtures" / "hermes-0.13-rotating.db"


def with_lcm(folder: Path) -> Path:
    """Unpack the databases that Hermes 0.20.0 with the real plug-in hermes-lcm wrote."""
    for name in ("state", "lcm"):
        (folder / f"{name}.db").write_bytes(lzma.decompress((RECORDED / f"lcm-{name}.db.xz").read_bytes()))
    return folder / "state.db"


def test_lists_of_the_plug_in_engine_lcm(tmp_path: Path) -> None:
    store = HermesStore(with_lcm(tmp_path))
    conversation = store.open(store.conversations()[0].id)
    found = store.compactions(conversation)
    assert [(c.before, c.after, c.head_end, c.tail_start, c.exact) for c in found] == [
        (36, 11, 0, 26, True),
        (47, 11, 0, 37, True),
        (47, 11, 0, 37, True),
    ]
    assert [(c.summary or "").count("[Recent Summary (d0, node") for c in found] == [1, 2, 3]
    assert any("3 summaries of 98 messages" in note for note in conversation.notes)


def test_a_broken_database_of_lcm_is_a_note(tmp_path: Path) -> None:
    path = with_lcm(tmp_path)
    (tmp_path / "lcm.db").write_bytes(b"SQLite format 3\0" + bytes(4_000))
    store = HermesStore(path)
    conversation = store.open(store.conversations()[0].id)
    assert any("LCM cannot be read" in note for note in conversation.notes)


def changed(folder: Path, *statements: str) -> HermesStore:
    path = folder / "state.db"
    shutil.copy(ROTATING, path)
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()
    return HermesStore(path)


TABLE = (
    "CREATE TABLE session_model_usage (session_id, model, task, api_call_count, input_tokens, output_tokens, "
    "cache_read_tokens, cache_write_tokens, reasoning_tokens)"
)


def test_the_usage_of_a_summary_by_the_conversations_own_model(tmp_path: Path) -> None:
    """`compression.anthropic_native` bills the call under the main model, with reads of the prompt cache."""
    row = "INSERT INTO session_model_usage SELECT id, {}, 'compression', 1, 900, 2100, 61000, 400, 0 FROM sessions"
    store = changed(tmp_path, TABLE, row.format("model"))
    conversation = next(store.open(row.id) for row in store.conversations() if len(row.sessions) > 1)
    usages = [c.usage for c in store.compactions(conversation)]
    assert all(usage is not None and usage.cache_read == 61_000 and usage.calls == 1 for usage in usages)

    other = tmp_path / "other"
    other.mkdir()
    store = changed(other, TABLE, row.format("'a cheaper one'"))
    conversation = next(store.open(row.id) for row in store.conversations() if len(row.sessions) > 1)
    assert {c.usage for c in store.compactions(conversation)} == {None}


def test_a_compaction_by_the_provider_is_a_note(tmp_path: Path) -> None:
    item = '[{"type": "compaction", "encrypted_content": "x"}]'
    store = changed(
        tmp_path,
        "UPDATE sessions SET model = 'gpt-5.6-codex'",
        f"UPDATE messages SET codex_reasoning_items = '{item}' WHERE id = 30",
    )
    notes = [note for row in store.conversations() for note in store.open(row.id).notes]
    assert any("The provider compacted session" in note and "row 30" in note for note in notes)
