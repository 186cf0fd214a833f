"""The reader of each agent's files, and the agent of a file by its content."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from inspector.agents import Agent, agent_named, agents, titles
from inspector.core.errors import NotAStore, StoreBusy, StoreError
from inspector.stores.base import Store
from inspector.stores.compressed import is_packed
from inspector.stores.head import Head
from inspector.stores.index import FileDigest
from inspector.stores.recorded import Reader

#: Parts that a reader of another package must have.
_PARTS = ("agent", "limits", "recognises", "digests", "sources", "read")


def reader_of(name: str) -> Reader:
    """Return the reader of an agent's files. Raises StoreError if it cannot be loaded."""
    reader: Reader = _load(name)
    return reader


def digests_of(name: str, path: str) -> tuple[FileDigest, ...]:
    """Return the digests of a file of an agent. Raises StoreErrors."""
    return reader_of(name).digests(Path(path))


def open_database(name: str, path: Path) -> Store:
    """Return the store of a database of an agent. Raises StoreErrors."""
    store: Store = _load(name).open(path)
    return store


@lru_cache(maxsize=64)
def _load(name: str) -> Any:
    agent = agent_named(name)
    if agent is None:
        raise StoreError(f"No agent is called {name}: this program reads {titles()}.")
    try:
        reader = import_module(f"{agent.package}.reader").READER()
    except Exception as error:  # another package's code may raise anything
        raise StoreError(f"The reader of {agent.title} cannot be loaded: {error!r}.") from error
    methods = ("recognises", "open") if agent.databases else _PARTS
    lacking = [method for method in methods if not hasattr(reader, method)]
    if lacking:
        raise StoreError(f"The reader of {agent.title} lacks {', '.join(lacking)}.")
    return reader


def agent_of(head: Head) -> Agent | None:
    """Return the agent of a file with this beginning; None if the format is unknown.

    Raises StoreBusy if another program has locked the file.
    """
    for agent in _likely_first(head):
        try:
            if reader_of(agent.name).recognises(head):
                return agent
        except StoreBusy:
            raise
        except StoreError:
            continue
    return None


def _likely_first(head: Head) -> list[Agent]:
    """Return the agents that may have written a file, the most likely first. Trying an agent imports its reader.

    An agent with a place of this file name is first. Databases come last: an unknown one may be a damaged database of
    Hermes.
    """
    name = head.path.name
    likely = sorted(
        agents(),
        key=lambda agent: (name not in [os.path.basename(place) for place in agent.places], agent.databases),
    )
    if head.is_sqlite:
        return [agent for agent in likely if not all(".json" in ending for ending in agent.endings)]
    return likely


def unknown_format(path: Path) -> NotAStore:
    """Return the error for a file of an unknown format."""
    if is_packed(path.name):
        return NotAStore(f"{path} is compressed. Decompress it to read its sessions.")
    return NotAStore(
        f"{path} is not a session format this program knows. It reads the sessions of {titles()}; "
        "the command `stores` lists what is on this machine."
    )
