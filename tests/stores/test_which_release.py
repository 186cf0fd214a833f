"""Release that wrote a database: recordings of real releases, with their signs removed one at a time."""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.stores.hermes.store import HermesStore

HERE = Path(__file__).resolve().parent / "recorded"
RELEASES = {
    "0.16.0": "hermes-0.16",
    "0.17.0": "hermes-0.17",
    "0.18.0": "hermes-0.18.0",
    "0.18.2": "hermes-0.18",
    "0.20.0": "hermes-0.20",
}
#: Profiles that plan the recording of a release equally well; only signs distinguish them.
ALIKE = {
    "0.16.0": {"hermes-0.13", "hermes-0.15", "hermes-0.16"},
    "0.17.0": {"hermes-0.17"},
    "0.18.0": {"hermes-0.18.0"},
    "0.18.2": {"hermes-0.18", "hermes-0.19"},
    "0.20.0": {"hermes-0.20"},
}


def unpacked(release: str, folder: Path) -> Path:
    path = folder / "state.db"
    path.write_bytes(lzma.decompress((HERE / f"hermes-{release}.db.xz").read_bytes()))
    return path


def truth(release: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / f"hermes-{release}.db.truth.json").read_text())
    return found


def boundaries(path: Path, release: str) -> list[list[tuple[int, int, int, bool]]]:
    store = HermesStore(path)
    return [
        [(c.before, c.head_end, c.tail_start, c.exact) for c in store.compactions(store.open(entry["tip"]))]
        for entry in truth(release)["sessions"]
    ]


def recorded(release: str) -> list[list[tuple[int, int, int, bool]]]:
    return [
        [(event["before"], event["head_end"], event["tail_start"], True) for event in entry["events"]]
        for entry in truth(release)["sessions"]
    ]


@pytest.mark.parametrize("release", RELEASES)
def test_the_recording_of_a_release_is_read_and_planned(release: str, tmp_path: Path) -> None:
    path = unpacked(release, tmp_path)
    assert truth(release)["hermes"] == release
    assert boundaries(path, release) == recorded(release)
    store = HermesStore(path)
    assert store.settled().profile == RELEASES[release]
    fits = {fit.profile: fit for fit in reversed(store.fits()) if not fit.changed}
    own = fits[RELEASES[release]]
    assert own.fits == own.of >= 2
    assert own.off == 0


def test_a_summary_after_calls_of_the_tail(tmp_path: Path) -> None:
    """The user interrupted a turn, so a later message of the tail is the first that can have the summary."""
    path, events = unpacked("0.20.0-long-turns", tmp_path), truth("0.20.0-long-turns")["events"]
    store = HermesStore(path)
    (row,) = store.conversations()
    first, second = store.compactions(store.open(row.id))
    for compaction, event in zip((first, second), events, strict=True):
        assert (compaction.before, compaction.after) == (event["before"], event["after"])
        assert (compaction.head_end, compaction.tail_start) == (event["head_end"], event["tail_start"])
        assert compaction.exact
        assert compaction.merged
    assert (second.tail_after, second.summary_at) == (0, 40)


def without_version(db: sqlite3.Connection) -> None:
    db.execute("DROP TABLE schema_version")


def with_a_newer_version(db: sqlite3.Connection) -> None:
    db.execute("UPDATE schema_version SET version = 99")


def worded_otherwise(db: sqlite3.Connection) -> None:
    db.execute("DROP TABLE IF EXISTS messages_fts_trigram")
    rows = db.execute(
        "SELECT id, content FROM messages WHERE content LIKE '%[CONTEXT COMPACTION%'"
    ).fetchall()
    assert rows
    for identity, content in rows:
        lines = [
            "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were worded by nobody:"
            if line.startswith("[CONTEXT COMPACTION")
            else line
            for line in content.split("\n")
        ]
        db.execute("UPDATE messages SET content = ? WHERE id = ?", ("\n".join(lines), identity))


def without_new_columns(db: sqlite3.Connection) -> None:
    for table in ("gateway_routing", "session_model_usage", "async_delegations", "compression_locks"):
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for table, column in (
        ("messages", "observed"),
        ("messages", "api_content"),
        ("messages", "effect_disposition"),
    ):
        if column in {row[1] for row in db.execute(f"PRAGMA table_info({table})")}:
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


def without_search(db: sqlite3.Connection) -> None:
    for name in ("messages_fts", "messages_fts_trigram"):
        db.execute(f"DROP TABLE IF EXISTS {name}")


SIGNS = (without_version, with_a_newer_version, worded_otherwise, without_new_columns, without_search)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("release", RELEASES)
def test_without_one_sign_an_equal_profile_is_found(
    release: str, sign: Callable[[sqlite3.Connection], None], tmp_path: Path
) -> None:
    path = unpacked(release, tmp_path)
    db = sqlite3.connect(path, isolation_level=None)
    for (trigger,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f'DROP TRIGGER "{trigger}"')
    sign(db)
    db.close()
    info = HermesStore(path).settled()
    assert info.profile in ALIKE[release], info.profile_reason
    assert info.profile == RELEASES[release] or RELEASES[release] in info.open_profiles
    assert info.profile_reason


def test_the_configuration_counts_without_other_signs(tmp_path: Path) -> None:
    path = unpacked("0.18.2", tmp_path)
    db = sqlite3.connect(path)
    db.executescript("DROP TABLE schema_version; DELETE FROM messages; DELETE FROM sessions;")
    db.close()
    (tmp_path / "config.yaml").write_text("_config_version: 33\n")
    info = HermesStore(path).info
    assert info.profile == "hermes-0.19"
    assert "config.yaml has version 33" in info.profile_reason


def test_other_settings_are_tried_if_known_settings_fit_nothing(tmp_path: Path) -> None:
    path = unpacked("0.17.0", tmp_path)
    (tmp_path / "config.yaml").write_text("compression: {target_ratio: 0.8, threshold: 0.9}\n")
    fits = HermesStore(path).fits()
    plain = {fit.profile: fit for fit in fits if not fit.changed}
    assert plain["hermes-0.17"].fits < plain["hermes-0.17"].of
    assert plain["hermes-0.17"].off > 0


# --- storage of rows that stayed -------------------------------------------------------------------------------


def test_originals_of_a_kept_tail_belong_to_the_list_before(tmp_path: Path) -> None:
    path = unpacked("0.20.0", tmp_path)
    db = sqlite3.connect(path)
    # Rows that later rows repeat keep their times, and the current sources flag them.
    later = (
        "FROM messages later WHERE later.session_id = messages.session_id AND later.role = messages.role "
        "AND later.id > messages.id AND CASE messages.role WHEN 'tool' "
        "THEN later.tool_call_id = messages.tool_call_id ELSE later.content = messages.content END"
    )
    pairs = db.execute(
        f"SELECT id, timestamp, (SELECT MIN(later.id) {later}) AS copy FROM messages "
        "WHERE active = 0 AND copy IS NOT NULL ORDER BY id"
    ).fetchall()
    for identity, _, copy in pairs:
        time = db.execute("SELECT timestamp FROM messages WHERE id = ?", (identity,)).fetchone()[0]
        db.execute("UPDATE messages SET timestamp = ? WHERE id = ?", (time, copy))
        db.execute("UPDATE messages SET compacted = 0 WHERE id = ?", (identity,))
    changed = db.total_changes
    db.commit()
    db.close()
    assert changed > 0
    assert boundaries(path, "0.20.0") == recorded("0.20.0")


def test_a_list_that_was_stored_twice_is_read_once(tmp_path: Path) -> None:
    path = unpacked("0.20.0", tmp_path)
    live = [len(HermesStore(path).open(entry["tip"]).live) for entry in truth("0.20.0")["sessions"]]
    db = sqlite3.connect(path)
    columns = ", ".join(row[1] for row in db.execute("PRAGMA table_info(messages)") if row[1] != "id")
    db.execute(
        f"INSERT INTO messages ({columns}) SELECT {columns} FROM messages WHERE active = 1 ORDER BY id"
    )
    db.commit()
    db.close()
    assert boundaries(path, "0.20.0") == recorded("0.20.0")
    store = HermesStore(path)
    opened = [store.open(entry["tip"]) for entry in truth("0.20.0")["sessions"]]
    assert [len(one.live) for one in opened] == live
    assert all(any("stores a compacted list twice" in note for note in one.notes) for one in opened)


def test_a_compaction_without_a_later_session_is_noted(tmp_path: Path) -> None:
    path = unpacked("0.17.0", tmp_path)
    tip = truth("0.17.0")["sessions"][0]["tip"]
    db = sqlite3.connect(path)
    db.execute("UPDATE sessions SET end_reason = 'compression' WHERE id = ?", (tip,))
    db.commit()
    db.close()
    conversation = HermesStore(path).open(tip)
    assert conversation.has_unread
    assert any("no session continues it" in note for note in conversation.notes)


@pytest.mark.parametrize(
    ("name", "profile", "cut"),
    [
        ("hermes-0.20.0-in-place", "hermes-0.20", (299, 3, 25)),
        ("hermes-current-schema31", "hermes-current", (299, 3, 225)),
    ],
)
def test_stores_of_newer_schemas(
    name: str, profile: str, cut: tuple[int, int, int], recordings: Callable[[str], Path]
) -> None:
    store = HermesStore(recordings(name))
    assert store.info.profile == profile
    (row,) = store.conversations()
    (compaction,) = store.compactions(store.open(row.id))
    assert (compaction.before, compaction.head_end, compaction.tail_start) == cut
    assert compaction.exact
    assert next(fit for fit in store.fits() if fit.profile == profile).fits == 1
