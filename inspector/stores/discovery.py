"""The places where the agents of this machine keep their sessions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from inspector.agents import Agent, agents, places_of, problems, variables_of
from inspector.config.agent_folders import expanded
from inspector.core.errors import StoreError, StoreMissing
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.opening import open_file, open_transcripts


class Place(NamedTuple):
    """A file or folder where an agent keeps sessions."""

    agent: Agent
    path: Path


def usual_places() -> tuple[Place, ...]:
    """Return every place where an agent may keep sessions, also missing places."""
    return tuple(Place(agent, path) for agent in agents() for path in places_of(agent))


def existing_places() -> tuple[Place, ...]:
    """Return the places that exist."""
    return tuple(place for place in usual_places() if _may_exist(place.path))


def _may_exist(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        # Opening the place reports the error.
        return True


def open_machine() -> Store:
    """Return the store of all sessions on this machine. Raises StoreMissing if there are none."""
    from inspector.stores.several import SeveralStores

    stores, sentences = open_places(existing_places())
    if not stores:
        searched = ", ".join(str(place.path) for place in usual_places())
        raise StoreMissing(
            " ".join(sentences)
            or f"There are no sessions in the usual places of this machine: {searched}. Name a file or a folder, or "
            "give --demo for the bundled sessions."
        )
    return stores[0] if len(stores) == 1 and not sentences else SeveralStores(stores, Path.home(), sentences)


def open_places(present: tuple[Place, ...]) -> tuple[list[Store], list[str]]:
    """Return the stores at these places, and a sentence for each place that could not be opened."""
    stores: list[Store] = []
    sentences = [*problems(), *unusable_variables()]
    for agent, group in groupby(present, key=lambda place: place.agent):
        try:
            stores.append(_open(agent, [place.path for place in group]))
        except StoreError as error:
            sentences.append(str(error))
    return stores, sentences


def unusable_variables() -> list[str]:
    """Return sentences about environment variables with a folder that cannot exist."""
    sentences = []
    for variable in dict.fromkeys(name for agent in agents() for name in variables_of(agent)):
        try:
            expanded(os.environ.get(variable, ""), variable)
        except StoreMissing as error:
            sentences.append(str(error))
    return sentences


def _open(agent: Agent, paths: Sequence[Path]) -> Store:
    """Return the store of an agent. Its places are one store, because a session may be in two places. Only the
    first of several databases is opened."""
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

    return open_transcripts(agent, Path(os.path.commonpath(paths)), files, index, unsearched)
