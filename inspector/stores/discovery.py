"""The places where the agents of this machine keep their sessions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from inspector.agents import Agent, agents, places_of, problems, variables_of
from inspector.config.agent_folders import expanded
from inspector.core.errors import StoreMissing
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.several import GrowingStore, StorePlace
from inspector.stores.signatures import signature_of
from inspector.stores.transcripts import open_file, open_transcripts


def _may_exist(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        # Opening the place reports the error.
        return True


class MachineStore(GrowingStore):
    """The store of each agent that has a place on this machine."""

    def __init__(self) -> None:
        """Open the present places."""
        super().__init__(Path.home())

    def _places(self) -> Iterator[StorePlace]:
        for agent in agents():
            paths = tuple(filter(_may_exist, places_of(agent)))
            state = paths, [signature_of(str(path)) for path in paths]
            # Only one database of an agent is read.
            first = None if agent.databases else paths
            if paths:
                yield StorePlace(agent.name, first, state, partial(open_places, agent, paths))

    def _sentences(self) -> Iterable[str]:
        return *problems(), *unusable_variables(), *super()._sentences()

    def _open_new(self) -> None:
        super()._open_new()
        is_single = len(self._stores) == 1 and not self._problems
        self.path = self._stores[0].path if is_single else Path.home()


def open_machine() -> Store:
    """Return the store of all sessions on this machine. Raises StoreMissing if there are none."""
    store = MachineStore()
    if not store.stores:
        searched = ", ".join(str(path) for agent in agents() for path in places_of(agent))
        raise StoreMissing(
            " ".join(store.notes)
            or f"There are no sessions in the usual places of this machine: {searched}. Name a file or a folder, or "
            "give --demo for the bundled sessions."
        )
    return store


def unusable_variables() -> list[str]:
    """Return sentences about environment variables with a folder that cannot exist."""
    sentences = []
    for variable in dict.fromkeys(name for agent in agents() for name in variables_of(agent)):
        try:
            expanded(os.environ.get(variable, ""), variable)
        except StoreMissing as error:
            sentences.append(str(error))
    return sentences


def open_places(agent: Agent, paths: Sequence[Path]) -> Store:
    """Return the store of an agent. Its places are one store, because a session may be in two places. Only the
    first of several databases is opened. Raises StoreErrors."""
    from inspector.stores.lines import is_folder

    if agent.databases:
        return open_store(paths[0]) if is_folder(paths[0]) else open_file(agent, paths[0])
    from inspector.stores.folder_files import FolderFiles
    from inspector.stores.index import default_index
    from inspector.stores.signatures import Signature, signatures

    index = default_index()
    folders = [FolderFiles(path, index) for path in paths if is_folder(path)]
    single = [str(path) for path in paths if not is_folder(path)]
    searches = [*(partial(folder.of, agent.name) for folder in folders), partial(signatures, single)]

    def files() -> dict[str, Signature]:
        return {path: signature for search in searches for path, signature in search().items()}

    def unsearched() -> list[str]:
        return [note for folder in folders for note in folder.notes]

    def left_out() -> list[str]:
        return [note for folder in folders for note in folder.left_out]

    return open_transcripts(agent.name, Path(os.path.commonpath(paths)), files, index, unsearched, left_out)
