"""goose's sessions: a database (`~/.local/share/goose/sessions/sessions.db`), JSON lines before 1.10.

A compaction hides all messages from the agent and adds three: a summary and a line of goose, which the user does not
see, and a copy of the user's newest message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.stores.assembly import count_note
from inspector.stores.entries import Entries
from inspector.stores.goose.forms import is_summary, is_visible, trigger_of, wires_of
from inspector.stores.goose.rows import GooseMessage, Stored, fetch_rows, session_names, stored_session
from inspector.stores.head import Head
from inspector.stores.lines import mapping
from inspector.stores.session_lists import SessionLists, SessionReader, hash_of
from inspector.stores.values import count_of, seconds_of, text_at, usage_of


class GooseReader(SessionReader):
    """See Reader for the methods."""

    agent = "goose"
    limits = (
        "goose does not record the system prompt, the tools, or the sizes at a compaction. Earlier releases record no "
        "usage of single requests.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether the file is goose's database, or begins with its line about the session or with a message."""
        if head.is_sqlite:
            return {"session_id", "content_json", "created_timestamp"} <= head.columns("messages")
        first = head.first
        is_session = isinstance(first.get("working_dir"), str) and "message_count" in first
        is_message = (
            isinstance(first.get("content"), list)
            and isinstance(first.get("created"), int)
            and "role" in first
        )
        return is_session or is_message

    def parts(self, path: Path) -> Sequence[str]:
        return session_names(path) if _is_database(path) else super().parts(path)

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        return session_of(path, stored_session(path, part))


READER = GooseReader


def _is_database(path: Path) -> bool:
    return path.suffix != ".jsonl"


def session_of(path: Path, stored: Stored) -> SessionLists:
    """Return the lists, compactions and requests of a session."""
    entries = Entries(path, wires_of, fetch=fetch_rows) if _is_database(path) else Entries(path, wires_of)
    session, about = SessionLists(entries), stored.about
    session.session = text_at(about, "id")
    session.title = text_at(about, "name") or text_at(about, "description")
    session.folder, session.provider = text_at(about, "working_dir"), text_at(about, "provider_name")
    model = mapping(text_at(about, "model_config_json")) or {}
    session.model, session.window = text_at(model, "model_name"), count_of(model, "context_limit")
    if text_at(about, "session_type") == "sub_agent":
        session.parent = text_at(about, "parent_session_id")
    damaged = sum(not isinstance(row.record.get("content"), list) for row in stored.rows)
    session.unreadable = stored.unreadable + damaged
    _add_rows(session, stored.rows)
    _add_calls(session, stored.ledger)
    return session


def _add_rows(session: SessionLists, rows: Sequence[GooseMessage]) -> None:
    hidden: set[int] = set()
    remaining = list(rows)
    while remaining:
        record = remaining[0].record
        if is_summary(record, remaining[1].record if len(remaining) > 1 else None):
            del remaining[: _compact(session, remaining)]
            hidden.clear()
            continue
        at = _begin(session, remaining.pop(0))
        numbers = session.add(wires_of([record]), at)
        if not is_visible(record, "agentVisible"):
            hidden.update(numbers)
    # A compaction hides every message before it. Short summaries replaced the messages that are hidden after it.
    if hidden:
        session.lists[-1] = [number for number in session.live if number not in hidden]
        session.notes += count_note(
            len(hidden),
            "message",
            "of tool calls, which goose replaced by short summaries, {are} not in the list.",
        )


def _begin(session: SessionLists, row: GooseMessage) -> float:
    session.begin_record(*row.place)
    at = seconds_of(row.record.get("created"))
    session.note_time(at)
    return at


def _compact(session: SessionLists, rows: Sequence[GooseMessage]) -> int:
    """Add the compaction that begins with the first of these rows. Return the number of its rows."""
    hashes = {session.hashes[number] for number in session.live}
    at = _begin(session, rows[0])
    wires = wires_of([rows[0].record])[:1]
    after = list(session.make([{**wire, "role": "user"} for wire in wires], at, summary=True))
    last = _begin(session, rows[1])
    for number in after:
        session.entries.extend(number)
    summary = after[0] if after else None
    after += session.make(wires_of([rows[1].record]), last)
    used = 2
    # goose repeats the newest message of the user, except after a manual compaction.
    copied = wires_of([rows[2].record]) if len(rows) > 2 and rows[2].record.get("role") == "user" else []
    if copied and all(hash_of(wire) in hashes for wire in copied):
        after += session.make(copied, _begin(session, rows[2]))
        used = 3
    text = wires[0]["content"] if wires else None
    session.compact(
        after, summary, at, text=text if isinstance(text, str) else None, trigger=trigger_of(rows[1].record)
    )
    return used


def _add_calls(session: SessionLists, ledger: Sequence[Mapping[str, Any]]) -> None:
    """Add the calls of the ledger, without sums that were carried over."""
    calls = [call for call in ledger if call.get("cost_source") != "carried_forward"]
    times = [compaction.at for compaction in session.compactions]
    are_all_recorded = sum(bool(call.get("is_compaction")) for call in calls) == len(times)
    generation = 1
    for number, call in enumerate(calls, start=1):
        at, summarizes = seconds_of(call.get("created_timestamp")), bool(call.get("is_compaction"))
        if not are_all_recorded:
            generation = 1 + sum(time <= at for time in times)
        names = "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"
        session.call(
            f"call {number}", at, usage_of(call, *names, input_has_cache=True, cost=call.get("cost")),
            model=text_at(call, "model"), generation=generation, summarizes=summarizes,
        )  # fmt: skip
        generation += summarizes
