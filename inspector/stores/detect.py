"""Which store a path holds, by what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.errors import NotAStore, StoreError, StoreMissing
from inspector.stores.base import Store
from inspector.stores.recorded import Reader

if TYPE_CHECKING:
    from inspector.stores.index import FileIndex

_SQLITE = b"SQLite format 3\0"
DATABASE = "database"
#: What transcripts and databases are called in folders; a file that is named itself may be called anything.
_ENDINGS = (".jsonl", ".json", ".db")


def open_store(path: Path) -> Store:
    """The store that `path` holds: a database, a transcript, or a folder of transcripts.

    Raises StoreMissing, NotAStore, StoreDamaged or StoreBusy with a sentence for the user.
    """
    path = Path(path).expanduser()
    if path.is_dir():
        return open_folder(path)
    from inspector.stores.lines import head_of

    agent = _agent_of(path, head_of(path)) if path.is_file() else ""
    if agent in ("", DATABASE):
        # Whoever is to say that a file is nothing that is known is the store that users know best.
        from inspector.stores.hermes import HermesStore

        return HermesStore(path)
    from inspector.stores.transcripts import TranscriptStore

    return TranscriptStore(reader_of(agent), path, lambda: (path,))


def open_machine() -> Store:
    """Every store that is found on this machine. Raises StoreMissing where there is none."""
    from inspector.stores.discovery import open_places, places, usual_places
    from inspector.stores.several import SeveralStores

    found = places()
    if len(found) == 1 and found[0].agent == "hermes":
        return open_store(found[0].path)
    stores, problems = open_places(found)
    if not stores:
        looked = ", ".join(str(place.path) for place in usual_places())
        raise StoreMissing(
            " ".join(problems)
            or f"No agent keeps sessions on this machine where they are looked for: {looked}. Name a file or a "
            "folder, or give --demo for the bundled sessions."
        )
    return stores[0] if len(stores) == 1 and not problems else SeveralStores(stores, Path.home(), problems)


def reader_of(agent: str) -> Reader:
    """Who reads the files of an agent."""
    return next(reader for reader in readers() if reader.agent == agent)


def readers() -> tuple[Reader, ...]:
    """Those who read an agent's files, imported where one is wanted."""
    from inspector.stores.claude_code.reader import ClaudeCodeReader
    from inspector.stores.codex.reader import CodexReader
    from inspector.stores.opencode.reader import OpencodeReader
    from inspector.stores.pi.reader import PiReader

    return (ClaudeCodeReader(), CodexReader(), OpencodeReader(), PiReader())


def open_folder(folder: Path, keep: bool = True) -> Store:
    """The databases and transcripts below a folder, the transcripts of each agent as a store.

    `keep` remembers between runs what the files hold. Raises NotAStore where there are none, StoreErrors.
    """
    from inspector.stores.index import default_index
    from inspector.stores.several import SeveralStores
    from inspector.stores.transcripts import TranscriptStore

    index = default_index() if keep else None
    files = FolderFiles(folder, index)
    stores: list[Store] = [
        TranscriptStore(reader, folder, partial(files.of, reader.agent), index)
        for reader in readers()
        if files.of(reader.agent)
    ]
    problem: StoreError | None = None
    for path in files.of(DATABASE):
        try:
            stores.append(open_store(path))
        except StoreError as error:
            problem = error
    if not stores:
        raise problem or NotAStore(
            f"The directory {folder} holds no sessions: neither a transcript that this program knows nor a state.db of "
            "Hermes Agent lies in it or below it."
        )
    return stores[0] if len(stores) == 1 else SeveralStores(stores, folder)


class FolderFiles:
    """The transcripts and databases below a folder, by agent. A file is looked into once."""

    def __init__(self, folder: Path, index: FileIndex | None) -> None:
        self._folder = folder
        self._index = index
        self._agents: dict[Path, str] = {}

    def of(self, agent: str) -> list[Path]:
        """The files of one agent that there are now, by path."""
        paths = [
            Path(root, name)
            for root, _, names in os.walk(self._folder)
            for name in names
            if name.endswith(_ENDINGS)
        ]
        self._look(path for path in paths if path not in self._agents)
        return sorted(path for path in paths if self._agents.get(path) == agent)

    def _look(self, unknown: Iterable[Path]) -> None:
        """Whose the files are: as the index has it, else by their beginnings."""
        from inspector.stores.lines import head_of

        paths = list(unknown)
        if not paths:
            return
        if self._index is not None:
            self._agents.update((path, kept.agent) for path, kept in self._index.get(paths).items())
        for path in paths:
            if path not in self._agents:
                try:
                    head = head_of(path)
                except StoreError:
                    continue
                # What is too short to tell yet, or not ours to read, is looked at again the next time.
                if (agent := _agent_of(path, head)) or b"\n" in head:
                    self._agents[path] = agent


def _agent_of(path: Path, head: bytes) -> str:
    """Whose file it is, by its content; "" where nobody knows it. Raises StoreErrors."""
    if head.startswith(_SQLITE):
        # Hermes' schema names the table of its version on the first page; another database is looked into.
        if b"schema_version" in head:
            return DATABASE
        from inspector.stores.opencode.documents import is_database

        try:
            return "opencode" if is_database(path) else DATABASE
        except StoreError:
            return DATABASE
    return next((reader.agent for reader in readers() if reader.recognises(head)), "")
