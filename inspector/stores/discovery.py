"""The places where the agents of this machine keep their sessions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from inspector.agents import Agent, agents, places_of, problems, variables_of
from inspector.config.agent_folders import expanded
from inspector.core.errors import StoreMissing
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.several import GrowingStore, StorePlace
from inspector.stores.signatures import signature_of
from inspector.stores.transcripts import open_file, open_transcripts


class AgentPlace(NamedTuple):
    """A file or folder where an agent keeps sessions."""

    agent: Agent
    path: Path


def usual_places() -> tuple[AgentPlace, ...]:
    """Return every place where an agent may keep sessions, also missing places."""
    return tuple(AgentPlace(agent, path) for agent in agents() for path in places_of(agent))


def existing_places() -> tuple[AgentPlace, ...]:
    """Return the places that exist."""
    return tuple(place for place in usual_places() if _may_exist(place.path))


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
        for agent, group in groupby(existing_places(), key=lambda place: place.agent):
            paths = tuple(place.path for place in group)
            state = paths, [signature_of(str(path)) for path in paths]
            # Only one database of an agent is read.
            yield StorePlace(
                agent.name, None if agent.databases else paths, state, partial(open_places, agent, paths)
            )

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
        searched = ", ".join(str(place.path) for place in usual_places())
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

    return open_transcripts(agent.name, Path(os.path.commonpath(paths)), files, index, unsearched)
