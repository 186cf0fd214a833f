"""Infer the release that wrote a database from its schema, its summaries and the rows around them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from inspector.core.handoff import ANCHOR_INDEX, Handoff, read_handoff
from inspector.stores.hermes.rows import message, select
from inspector.stores.hermes.schema import NEWEST_SCHEMA, Schema

#: Maximum number of summaries to read, and of messages to search for them without a full-text index.
_NEWEST, _BODY_LIMIT = 8, 40
#: Schema version → profile of the release that writes it. Versions between these were never released.
_SCHEMAS = {
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
#: Every profile, oldest first.
PROFILES = tuple(_SCHEMAS.values())
#: Additions of each release, newest first: columns of sessions and messages, tables.
_COLUMNS = (
    ("hermes-current", {"message_uid", "display_order", "_compressed_summary", "created_source"}),
    ("hermes-0.20", {"display_kind", "system_prompts", "system_prompt_hash", "last_activity_at"}),
    ("hermes-0.19", {"api_content", "effect_disposition", "session_model_usage", "compression_fallback_streak"}),
    ("hermes-0.18", {"gateway_routing", "origin_json", "expiry_finalized"}),
    ("hermes-0.18.0", {"compacted", "session_key", "compression_failure_cooldown_until"}),
    ("hermes-0.17", {"active", "compression_locks", "rewind_count"}),
    ("hermes-0.15", {"observed", "platform_message_id"}),
    ("hermes-0.13", {"codex_message_items", "api_call_count", "handoff_state"}),
)  # fmt: skip
#: The `_config_version` of config.yaml → the newest profile whose release writes it.
_CONFIGS = {
    23: "hermes-0.13",
    24: "hermes-0.15",
    27: "hermes-0.16",
    30: "hermes-0.17",
    32: "hermes-0.18.0",
    33: "hermes-0.19",
}
#: The start of the fallback text up to 0.15, which counts every message between head and tail.
PLAIN_FALLBACK = "Summary generation was unavailable."
#: The start of the stub result of 0.13 for a call whose result was summarized.
STUB = "[Result from earlier conversation"
#: The text of an assistant message from 0.19 on whose only calls were removed.
CALL_REMOVED = "(tool call removed)"


class ProfileSign(NamedTuple):
    """Profiles that a sign allows, oldest first, and the sentence that explains it."""

    profiles: tuple[str, ...]
    text: str


class Detection(NamedTuple):
    """The profiles that the signs allow, oldest first, the most likely profile, and the reasons as sentences.

    `sessions` are the sessions with the newest summaries, newest first.
    """

    profile: str
    open: tuple[str, ...]
    reason: str
    sessions: tuple[str, ...] = ()


def detect(connection: sqlite3.Connection, schema: Schema, config_version: int | None) -> Detection:
    """Return the release that the signs of the database show. Reads a few rows."""
    opener = _opener(schema, config_version)
    handoffs = list(_newest_handoffs(connection, schema))
    if not handoffs:
        return by_schema(schema, config_version)
    remaining: tuple[str, ...] = PROFILES
    texts = []
    newest, _, handoff = handoffs[0]
    signs = (*_text_signs(newest, handoff), *_session_signs(connection, schema, newest))
    for sign in (*signs, opener):
        both = tuple(name for name in remaining if name in sign.profiles)
        # A later release may have changed the schema. A sign that excludes all profiles is ignored.
        if both and both != remaining:
            remaining = both
            texts.append(sign.text)
    profile = opener.profiles[-1] if opener.profiles[-1] in remaining else remaining[-1]
    sessions = dict.fromkeys(session for _, session, _ in handoffs)
    return Detection(profile, remaining, " ".join(texts), tuple(sessions))


def by_schema(schema: Schema, config_version: int | None) -> Detection:
    """Return the profile that columns, schema version and configuration indicate."""
    opener = _opener(schema, config_version)
    return Detection(opener.profiles[-1], opener.profiles[-1:], opener.text)


def release_name(profile: str) -> str:
    """Return the name of a profile's release for a sentence."""
    if profile == "documented":
        return "the documents"
    return profile.removeprefix("hermes-") if profile != "hermes-current" else "the current sources"


def _until(profile: str) -> tuple[str, ...]:
    return PROFILES[: PROFILES.index(profile) + 1]


def _since(profile: str) -> tuple[str, ...]:
    return PROFILES[PROFILES.index(profile) :]


def _opener(schema: Schema, config_version: int | None) -> ProfileSign:
    """Return the newest release that opened the database, by schema version and columns. No later release wrote it."""
    version = schema.version
    if version is not None and version > NEWEST_SCHEMA:
        text = f"The store has schema {version}, newer than {NEWEST_SCHEMA}, the newest that is known."
        return ProfileSign(_until(PROFILES[-1]), text)
    if version in _SCHEMAS:
        return ProfileSign(
            _until(_SCHEMAS[version]),
            f"The store has schema {version}, which is that of {release_name(_SCHEMAS[version])}.",
        )
    has = schema.sessions | schema.messages | schema.tables
    by_columns = next((name for name, columns in _COLUMNS if columns & has), "documented")
    by_config = _CONFIGS.get(config_version or 0, "documented")
    profile = max(by_columns, by_config, key=PROFILES.index)
    if version is None:
        why = (
            "and no column of a later release"
            if profile == "documented"
            else f"but columns of {release_name(by_columns)}"
        )
        if profile == by_config != by_columns:
            why = f"but config.yaml has version {config_version}, that of {release_name(by_config)}"
        return ProfileSign(_until(profile), f"The store has no schema version, {why}.")
    nearest = next((_SCHEMAS[at] for at in sorted(_SCHEMAS, reverse=True) if at <= version), "documented")
    nearest = max(nearest, "hermes-0.13" if version > min(_SCHEMAS) else "documented", key=PROFILES.index)
    return ProfileSign(
        _until(max(profile, nearest, key=PROFILES.index)),
        f"The store has schema {version}, which is nearest to {release_name(nearest)}.",
    )


def _text_signs(identity: int, handoff: Handoff) -> Iterable[ProfileSign]:
    """Yield the signs in the text of the newest summary: its wording, a fallback text, its sections."""
    if handoff.releases:
        names = " or ".join(map(release_name, handoff.releases))
        yield ProfileSign(handoff.releases, f"The newest summary (row {identity}) is worded as in {names}.")
    if handoff.fallback:
        plain = handoff.body.startswith(PLAIN_FALLBACK)
        which = "0.15 or before" if plain else "0.16 or later"
        profiles = _until("hermes-0.15") if plain else _since("hermes-0.16")
        yield ProfileSign(profiles, f"Its fallback text (row {identity}) is that of {which}.")
    if ANCHOR_INDEX in handoff.body:
        yield ProfileSign(
            _since("hermes-current"), f"Its sections (row {identity}) are those of a lean tail."
        )


def _session_signs(connection: sqlite3.Connection, schema: Schema, identity: int) -> Iterable[ProfileSign]:
    """Yield the signs in the session of the newest summary: archived lists, repaired calls."""
    if schema.in_place and _any(connection, identity, "active = 0 AND compacted = 1"):
        yield ProfileSign(_since("hermes-0.18.0"), "Its list was compacted in place, as in 0.18 and later.")
    if _any(connection, identity, f"role = 'tool' AND content LIKE '{STUB}%'"):
        yield ProfileSign(
            _until("hermes-0.17"), "Calls without a result got a stub result, as in 0.17 and earlier."
        )
    if _any(connection, identity, f"role = 'assistant' AND content = '{CALL_REMOVED}'"):
        yield ProfileSign(
            _since("hermes-0.18.0"), "Calls without a result were removed, as in 0.18 and later."
        )


def _any(connection: sqlite3.Connection, identity: int, where: str) -> bool:
    try:
        session = "session_id = (SELECT session_id FROM messages WHERE id = ?)"
        rows = connection.execute(f"SELECT 1 FROM messages WHERE {session} AND {where} LIMIT 1", (identity,))
        return bool(rows.fetchall())
    except sqlite3.DatabaseError:
        return False  # A damaged page gives no sign.


def _newest_handoffs(connection: sqlite3.Connection, schema: Schema) -> Iterable[tuple[int, str, Handoff]]:
    """Yield the newest summaries, the newest first, each with its row and its session."""
    for identity in _candidates(connection, schema):
        rows = connection.execute(
            f"SELECT {select(schema)} FROM messages WHERE id = ?", (identity,)
        ).fetchall()
        item = message(rows[0]) if rows else None
        handoff = read_handoff(item.content) if item is not None else None
        if item is not None and handoff is not None:
            yield identity, item.session, handoff


def _candidates(connection: sqlite3.Connection, schema: Schema) -> Iterable[int]:
    """Return the ids of rows that may be the newest summaries, newest first."""
    if "messages_fts" in schema.tables:
        try:
            rows = connection.execute(
                "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
                ('"CONTEXT COMPACTION" OR "CONTEXT SUMMARY"', _NEWEST),
            ).fetchall()
            return [int(row[0]) for row in rows]
        except (sqlite3.DatabaseError, MemoryError):
            pass  # The full-text index is damaged or of another program.
    if {"parent_session_id", "end_reason", "started_at"} <= schema.sessions:
        rows = connection.execute(
            "SELECT m.id FROM (SELECT c.id FROM sessions c JOIN sessions p ON p.id = c.parent_session_id "
            "WHERE p.end_reason = 'compression' ORDER BY c.started_at DESC LIMIT 4) s "
            "JOIN messages m ON m.session_id = s.id "
            "WHERE m.role IN ('user', 'assistant') ORDER BY m.id LIMIT ?",
            (_BODY_LIMIT,),
        ).fetchall()
        return [int(row[0]) for row in reversed(rows)]
    return []
