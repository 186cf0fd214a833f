"""The Store of Hermes Agent's state.db."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from inspector.core.conversations import (
    ROLE_NAMES,
    Compaction,
    Conversation,
    ConversationRow,
    Generation,
    Hit,
)
from inspector.core.errors import NotAStore, StoreBusy, StoreDamaged, StoreError
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images, text_tokens
from inspector.stores.base import BATCH, PIECE, SingleStore, StoreInfo
from inspector.stores.hermes import lcm, profiles, usage
from inspector.stores.hermes.connection import Connections, signature, translate
from inspector.stores.hermes.conversations import Chains, chains
from inspector.stores.hermes.rows import ODD_TIME, read_bodies
from inspector.stores.hermes.schema import NEWEST_SCHEMA, Schema, as_time, read_schema, system_prompt
from inspector.stores.hermes.sessions import exactly, nodes, rows_at_once, salvage, session, stamp

if TYPE_CHECKING:
    # Modules that open and search conversations are imported on demand, so that the list appears sooner.
    from inspector.stores.hermes import text_search
    from inspector.stores.hermes.describe import StoreDescription
    from inspector.stores.hermes.fitting import ProfileFit
    from inspector.stores.hermes.generations import StoredList

T = TypeVar("T")

#: Number of sessions whose lists are cached as indexes: one question reads them several times.
_KEPT_LISTS = 8


class HermesStore(SingleStore):
    """A state.db of any schema, open for reading. `Store` documents the methods."""

    def __init__(self, path: Path) -> None:
        """Open `path`. Raises a StoreError that says what is wrong with it."""
        super().__init__(path)
        self._connections = Connections(path)
        # A connection counts commits of other processes since its previous check.
        self._watcher = Connections(path, shared=True)
        self._chains: tuple[object, Chains] | None = None
        self._detected: profiles.Detection | None = None
        self._settled = False
        #: The sentence about a lock that another process holds; "" after a successful read.
        self._locked = self._unlisted = ""
        #: Fits by profile, and by whether other settings were tried too.
        self._fits: dict[tuple[str, bool], tuple[ProfileFit, ...]] = {}
        #: Whether damage hid a row, and the sessions with messages that could not be read for this reason.
        self._lost_rows = False
        self._damaged: set[str] = set()
        self._lists: dict[str, tuple[object, tuple[list[StoredList], tuple[str, ...]]]] = {}
        try:
            self._schema = self._read(read_schema)
            missing = self._schema.missing()
            if missing:
                raise NotAStore(
                    f"{path} is a SQLite database, but not one of Hermes Agent: it has no {missing}. "
                    "Hermes keeps its sessions in ~/.hermes/state.db."
                )
        except StoreError:
            self._connections.close()
            raise
        version = self._schema.version
        if version is not None and version > NEWEST_SCHEMA:
            self._note(
                f"Schema {version} is newer than {NEWEST_SCHEMA}, the newest this program knows. "
                "The program reads the columns and tables that it knows, and ignores the others."
            )

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._notes, *self._connections.notes, *filter(None, [self._locked]))

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(filter(None, [self._unlisted, self._locked]))

    @property
    def info(self) -> StoreInfo:
        """Description of this store, from its signs alone until `settled` runs; its notes grow as damage is found."""
        detected = self._detection()
        return StoreInfo(
            kind="hermes",
            path=self.path,
            schema=self._schema.version,
            profile=detected.profile,
            profile_reason=detected.reason,
            notes=self.notes,
            open_profiles=detected.open if len(detected.open) > 1 else (),
        )

    def fits(self, varied: Collection[str] = profiles.PROFILES) -> tuple[ProfileFit, ...]:
        """Return the fit of every profile to the recorded compactions, the best first; empty without compactions.

        Profiles in `varied` are also tried under other settings. Reads the lists of some compactions.
        """
        return self._fits_of(profiles.PROFILES, {*varied, *self._detection().open})

    def settled(self) -> StoreInfo:
        """Return the description of this store, with one profile chosen.

        If the signs leave several profiles open, take the profile whose plans match the recorded compactions. This
        reads the lists of some compactions, once.
        """
        detection = self._detection()
        if len(detection.open) > 1 and not self._settled:
            from inspector.stores.hermes.fitting import choose_profile

            try:
                self._detected = choose_profile(detection, self._fits_of(detection.open, detection.open))
            except StoreBusy:
                return self.info
            except StoreError as error:
                self._note(str(error))
        self._settled = True
        return self.info

    def _fits_of(self, names: Sequence[str], varied: Collection[str]) -> tuple[ProfileFit, ...]:
        """Return the fits of some profiles, each computed once. The lists are not cached, because they may be long."""
        from inspector.stores.hermes.fitting import best_first, fits_of, recorded_lists

        keys = [(name, name in varied) for name in names]
        missing = [key for key in keys if key not in self._fits]
        lists = recorded_lists(self, self.each_compaction, self._detection().sessions) if missing else ()
        self._fits.update((key, fits_of(lists, *key)) for key in missing)
        return best_first(fit for key in keys for fit in self._fits[key])

    def _detection(self) -> profiles.Detection:
        """Return the release that the signs of the database show."""
        if self._detected is None:
            from inspector.config.settings import config_version

            version = config_version(self.path)
            try:
                self._detected = self._read(lambda db: profiles.detect(db, self._schema, version))
            except StoreBusy:
                return profiles.by_schema(self._schema, version)
            except StoreError as error:
                self._note(str(error))
                self._detected = profiles.by_schema(self._schema, version)
        return self._detected

    def conversations(self) -> tuple[ConversationRow, ...]:
        return self._all().rows

    def resolve(self, name: str) -> str:
        return self._all().resolve(name)

    def open(self, conversation: str) -> Conversation:
        """Return the generations of a conversation. Reads bodies only to find the limits of lists."""
        row = self._row(conversation)
        return self._read(lambda db: self._open(db, row)[0])

    def system_prompt(self, session: str) -> str:
        return self._read(lambda db: system_prompt(db, self._schema, session))

    def compactions(self, conversation: Conversation) -> tuple[Compaction, ...]:
        return tuple(self.each_compaction(conversation))

    def each_compaction(self, conversation: Conversation) -> Iterator[Compaction]:
        """Yield the compactions; lists are read when they are needed."""
        from inspector.stores.hermes.compactions import describe

        if len(conversation.generations) < 2:
            return
        _, lists = self._read(lambda db: self._open(db, conversation.row))
        transitions = [
            (before, name, stored)
            for before, (name, stored) in zip(conversation.generations[:-1], lists[1:], strict=False)
        ]
        sessions = {item.id: item for item in conversation.sessions}
        prompts = {name: text_tokens(len(self.system_prompt(name))) for name in sessions}
        usages = self._read(lambda db: usage.summary_usage(db, self._schema, conversation.sessions))
        compacted = Counter(before.session for before, *_ in transitions)
        for compaction in describe(transitions, sessions, prompts, self._rows_by_id):
            # Usage is recorded by session. So a compaction has its usage only if the session has no other compaction.
            alone = compacted[compaction.session] == 1
            yield replace(compaction, usage=usages.get(compaction.session)) if alone else compaction

    def count_compactions(self, conversation: str) -> int:
        row = self._row(conversation)
        return self._read(lambda db: self._count(db, row)) - 1

    def live_tokens(self, conversation: str, watch: Callable[[int], None] | None = None) -> int:
        """Return the rough tokens of the live list, including the system prompt. Streams every body."""
        row = self._row(conversation)
        tip = row.sessions[-1]
        stored = self._read(lambda db: self._lists_of(db, tip)[0][-1])
        characters = images = 0
        live = Generation(1, tip, stored.ids, stored.roles, live=True)
        for done, item in enumerate(self.iterate(live)):
            if watch is not None and done % PIECE == 0:
                watch(done)
            characters += message_chars(item.wire)
            images += message_images(item.wire)
        return list_tokens(characters, images) + text_tokens(len(self.system_prompt(tip)))

    def stamp(self, conversation: str) -> str:
        """Return a text that changes whenever the conversation does. Reads no body.

        It holds the sessions and, for each, its number of messages, its number of live messages and its last message.
        """
        row = self._row(conversation)
        try:
            return self._read(lambda db: "\n".join(stamp(db, self._schema, name) for name in row.sessions))
        except StoreDamaged:
            return repr(row)

    def search(self, query: str, conversation: str | None = None, limit: int = 200) -> Iterator[Hit]:
        """Yield messages that contain every word of `query` (in double quotes: the exact phrase), newest first.

        Case does not matter. The search advances with its iterator: a caller that stops reading cancels it.
        """
        from inspector.stores.hermes import text_search

        parsed = text_search.query_of(query, self._schema)
        if parsed is None:
            return
        tips = self._all().tip_of
        sessions = self._row(conversation).sessions if conversation is not None else ()
        for item, excerpt, span in islice(self._search(parsed, sessions), limit):
            tip = tips.get(item.session, item.session)
            yield Hit(tip, item.session, item.id, item.role, excerpt, span)

    def _state(self) -> object:
        """Return a value that changes when another process commits. Checks two files and one pragma."""
        now = signature(self.path)
        if self._locked:
            # The end of a lock need not change the file.
            with suppress(StoreBusy):
                self._read(_data_version)
        return now, self._watcher.read(_data_version) if now.has_log else 0, self._locked

    def size(self) -> int:
        now = signature(self.path)
        return now.file[1] + now.log[0]

    def describe(self) -> StoreDescription:
        """Describe the file's contents; counts the rows of each table."""
        from inspector.stores.hermes.describe import describe

        return self._read(describe)

    def close(self) -> None:
        self._connections.close()
        self._watcher.close()

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            answer = self._connections.read(work)
        except StoreBusy as error:
            self._locked = str(error)
            raise
        self._locked = ""
        return answer

    def _all(self) -> Chains:
        with self._lock:
            now = signature(self.path)
            if self._chains is not None and self._chains[0] == now:
                return self._chains[1]
            chains_now = self._read(self._read_chains)
            self._chains = (now, chains_now)
            return chains_now

    def _read_chains(self, db: sqlite3.Connection) -> Chains:
        rows, error = nodes(db, self._schema)
        if error is not None:
            self._unlisted = f"Some sessions cannot be read: the database is damaged ({error})."
            self._note(self._unlisted)
        return chains(rows, _last_messages(db, self._schema), self._schema.version, self._schema.in_place)

    def _row(self, conversation: str) -> ConversationRow:
        return self._all().row(conversation)

    def _open(
        self, db: sqlite3.Connection, row: ConversationRow
    ) -> tuple[Conversation, list[tuple[str, StoredList]]]:
        from inspector.stores.hermes.generations import begins_with_summary

        sessions = [item for name in row.sessions if (item := session(db, self._schema, name)) is not None]
        lists: list[tuple[str, StoredList]] = []
        notes: list[str] = []
        for name in row.sessions:
            lists_of_session, damage = self._lists_of(db, name)
            notes.extend(damage)
            if name in self._damaged and not damage:
                notes.append(f"Some messages of the session {name} cannot be read: the database is damaged.")
            lists.extend((name, stored) for stored in lists_of_session)
        if sessions and sessions[-1].end_reason == "compression":
            notes.append(
                f"A compaction ended session {sessions[-1].id}, but no session continues it: "
                "the list after this compaction is not in the store."
            )
        has_unread = bool(notes)
        for note in notes:
            self._note(note)
        if (
            lists
            and row.kind != "branch"
            and begins_with_summary(db, self._schema, lists[0][0], lists[0][1].ids)
        ):
            has_unread = True
            notes.append(
                "The first list begins with a summary: the list before that compaction is not in the store."
            )
        notes.extend(lcm.notes(self.path, row.sessions))
        notes.extend(usage.server_notes(db, self._schema, sessions))
        uncertain = [number for number, (_, stored) in enumerate(lists, start=1) if not stored.certain]
        notes.extend(
            f"The beginning of generation {number} is not recorded clearly; it is inferred from the live messages."
            for number in uncertain
        )
        generations = tuple(
            Generation(number, name, stored.ids, stored.roles, live=number == len(lists))
            for number, (name, stored) in enumerate(lists, start=1)
        )
        return Conversation(row, tuple(sessions), generations, tuple(notes), has_unread), lists

    def _lists_of(self, db: sqlite3.Connection, session: str) -> tuple[list[StoredList], tuple[str, ...]]:
        """Return the lists of a session and its read problems. Lists of the last sessions are cached."""
        from inspector.stores.hermes.generations import lists_of, read_index

        now = signature(self.path)
        with self._lock:
            cached = self._lists.get(session)
        if cached is not None and cached[0] == now:
            return cached[1]
        index = read_index(db, self._schema, session)
        answer = lists_of(db, self._schema, index), index.notes
        with self._lock:
            self._lists.pop(session, None)
            while len(self._lists) >= _KEPT_LISTS:
                del self._lists[next(iter(self._lists))]
            self._lists[session] = (now, answer)
        return answer

    def _count(self, db: sqlite3.Connection, row: ConversationRow) -> int:
        from inspector.stores.hermes.generations import has_inactive

        total = 0
        for name in row.sessions:
            if self._schema.in_place and has_inactive(db, name):
                total += len(self._lists_of(db, name)[0])
            else:
                total += 1
        return total

    def _bodies_of(self, generation: Generation) -> Callable[[int, int], list[Message]]:
        return partial(self._bodies, generation)

    def _bodies(self, generation: Generation, start: int, stop: int) -> list[Message]:
        """Return the bodies of generation[start:stop]. Unreadable rows are empty, with a note that gives the reason."""
        ids = generation.ids[start:stop]
        messages = self._rows_by_id(ids)
        answer = []
        for offset, identity in enumerate(ids):
            item = messages.get(identity)
            if item is None:
                if self._lost_rows:
                    self._damaged.add(generation.session)
                role = ROLE_NAMES[generation.roles[start + offset]]
                item = Message(
                    {"role": role, "content": ""},
                    id=identity,
                    session=generation.session,
                    note="This message cannot be read: it was removed, or the database is damaged there.",
                )
            answer.append(item)
        return answer

    def _rows_by_id(self, ids: Sequence[int]) -> dict[int, Message]:
        messages, error = self._read(lambda db: read_bodies(db, self._schema, ids))
        if error is not None:
            self._lost_rows = True
            self._note(str(translate(error, self.path)))
        if any(ODD_TIME in message.note for message in messages.values() if message.note):
            self._note(f"{self.path} has times that are not valid dates; the program ignores these times.")
        return messages

    def _search(self, query: text_search.Query, sessions: Sequence[str]) -> Iterator[text_search.Match]:
        from inspector.stores.hermes import text_search

        lowest, highest = self._read(text_search.limits)
        if query.index is None:
            yield from self._scan(query, sessions, lowest, highest)
            return
        below = highest
        try:
            left_out = self._read(lambda db: text_search.left_out(db, query, sessions))
            at = 0
            while True:
                indexed = self._read(
                    partial(text_search.candidates, query=query, below=below, count=BATCH, sessions=sessions)
                )
                ids = sorted({*indexed, *left_out[at : at + BATCH]}, reverse=True)[:BATCH]
                if not ids:
                    break
                while at < len(left_out) and left_out[at] >= ids[-1]:
                    at += 1
                messages = self._rows_by_id(ids)
                yield from text_search.check(
                    [messages[identity] for identity in ids if identity in messages], query.phrases
                )
                below = ids[-1]
        except StoreError as error:
            # The index is damaged, or another table has its name. The texts can still be read.
            self._note(f"The full-text index could not be used, so every message is read: {error}")
            yield from self._scan(query, sessions, lowest, below)

    def _scan(
        self, query: text_search.Query, sessions: Sequence[str], lowest: int, below: int
    ) -> Iterator[text_search.Match]:
        from inspector.stores.hermes import text_search

        while below > lowest:
            low = max(lowest, below - BATCH)
            messages = self._read(
                partial(text_search.in_range, schema=self._schema, low=low, high=below, sessions=sessions)
            )
            yield from text_search.check(messages, query.phrases)
            below = low


def _data_version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA data_version").fetchall()[0][0])


def _last_messages(db: sqlite3.Connection, schema: Schema) -> dict[str, float]:
    """Return the time of the newest message of each open session; empty if no index holds it."""
    indexed = any(name.startswith("idx_messages_session") for name in schema.indexes)
    if not indexed or not {"timestamp", "session_id"} <= schema.messages or "ended_at" not in schema.sessions:
        return {}
    newest = "(SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id) AS newest"
    source = "FROM sessions s WHERE s.ended_at IS NULL"
    rows = rows_at_once(db, f"id, {exactly('newest')}", f"FROM (SELECT s.id AS id, {newest} {source})")
    if rows is None:
        rows, _ = salvage(db, f"SELECT s.id, {newest} {source}", "s.rowid")
    return {name: time for name, value in rows if (time := as_time(value))}
