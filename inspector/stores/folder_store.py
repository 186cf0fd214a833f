"""The sessions below a folder as one store, with the files that appear later."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from inspector.agents import agents
from inspector.core.conversations import ConversationRow
from inspector.core.errors import StoreBusy, StoreError
from inspector.stores.base import Store
from inspector.stores.folder_files import FolderFiles
from inspector.stores.index import FileIndex
from inspector.stores.opening import open_file, open_transcripts
from inspector.stores.several import SeveralStores
from inspector.stores.signatures import Signature


class FolderStore(SeveralStores):
    """The transcripts of each agent below a folder as a store, and each database as a store."""

    def __init__(self, folder: Path, index: FileIndex | None) -> None:
        """Open the present files; `stores` is empty if there are none. `index` stores digests between runs."""
        super().__init__((), folder)
        self._files = FolderFiles(folder, index)
        self._index = index
        self._finding = threading.Lock()
        #: The stores by agent, and by path for databases.
        self._found: dict[str, Store] = {}
        #: The databases that could not be opened, with their signatures at that time.
        self._failed: dict[str, tuple[Signature, StoreError]] = {}
        self._find()

    @property
    def problems(self) -> tuple[StoreError, ...]:
        """The errors of databases that could not be opened."""
        return tuple(error for _, error in self._failed.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about data that could not be read in any store, and about files of unknown formats."""
        return tuple(dict.fromkeys((*map(str, self.problems), *self._files.notes, *super().notes)))

    def conversations(self) -> tuple[ConversationRow, ...]:
        """Return every conversation of every store, the last active first."""
        self._find()
        return super().conversations()

    def version(self) -> int:
        """Return a number that changes when any store changes, a store appears, or a sentence about files changes."""
        self._find()
        return hash((super().version(), self.problems, self._files.notes))

    def _find(self) -> None:
        """Open the stores of files that appeared."""
        with self._finding:
            failed: dict[str, tuple[Signature, StoreError]] = {}
            # The databases come last.
            ordered = sorted(agents(), key=lambda agent: agent.databases)
            files_of = self._files.of_all()
            for agent in ordered:
                files = files_of.get(agent.name, {})
                if files and not agent.databases and agent.name not in self._found:
                    self._found[agent.name] = open_transcripts(
                        agent, self.path, partial(self._files.of, agent.name), self._index
                    )
                for path, signature in files.items() if agent.databases else ():
                    before = self._failed.get(path)
                    if path in self._found:
                        continue
                    if before is not None and before[0] == signature and not isinstance(before[1], StoreBusy):
                        failed[path] = before
                        continue
                    try:
                        self._found[path] = open_file(agent, Path(path))
                    except StoreError as error:
                        failed[path] = signature, error
            self._failed = failed
            names = [agent.name for agent in ordered]
            paths = [path for path in self._found if path not in names]
            self._stores = tuple(self._found[name] for name in (*names, *paths) if name in self._found)
