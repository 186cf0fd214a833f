"""The sessions below a folder as one store, with the files that appear later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from inspector.agents import agents
from inspector.stores.folder_files import FolderFiles
from inspector.stores.index import FileIndex
from inspector.stores.several import GrowingStore, StorePlace
from inspector.stores.transcripts import open_file, open_transcripts


class FolderStore(GrowingStore):
    """The transcripts of each agent below a folder as a store, and each database as a store."""

    def __init__(self, folder: Path, index: FileIndex | None) -> None:
        """Open the present files. `index` stores digests between runs."""
        self._files = FolderFiles(folder, index)
        self._index = index
        super().__init__(folder)

    def _sentences(self) -> Iterable[str]:
        return *super()._sentences(), *self._files.notes

    @property
    def left_out(self) -> tuple[str, ...]:
        return *super().left_out, *self._files.left_out

    def _places(self) -> Iterator[StorePlace]:
        files_of = self._files.of_all()
        # The databases come last.
        for agent in sorted(agents(), key=lambda agent: agent.databases):
            files = files_of.get(agent.name, {})
            if agent.databases:
                for path, signature in files.items():
                    yield StorePlace(path, None, signature, partial(open_file, agent, Path(path)))
            elif files:
                search = partial(self._files.of, agent.name)
                yield StorePlace(
                    agent.name,
                    None,
                    None,
                    partial(open_transcripts, agent.name, self.path, search, self._index),
                )
