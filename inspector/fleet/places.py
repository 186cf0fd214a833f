"""The place of a conversation: enough to open it in another process, without the list of all the others."""

from __future__ import annotations

import os
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from inspector.agents import agent_named
from inspector.core.errors import NotAStore
from inspector.fleet.copies import Copied, copied_from, copy_of
from inspector.stores.base import Store
from inspector.stores.signatures import signatures
from inspector.stores.transcripts import open_file, open_transcripts

#: Maximum number of stores that stay open in a worker.
_MAX_OPEN = 8


class ConversationSource(NamedTuple):
    """An agent, the path of its store, and the files of one conversation; no files for a database.

    `copied` names the URL that the files are copies of; a worker elsewhere copies them again.
    """

    agent: str
    path: Path
    files: tuple[str, ...] = ()
    copied: Copied | None = None


def place_of(store: Store, conversation: str) -> ConversationSource:
    """Return the place of a conversation. Raises StoreErrors."""
    owner = store.owner(conversation)
    path, files = owner.path.absolute(), owner.files_of(conversation)
    return ConversationSource(owner.info.kind, path, files, copied_from(path, files or (str(path),)))


@lru_cache(maxsize=_MAX_OPEN)
def open_place(place: ConversationSource) -> Store:
    """Open the conversation of a place. Raises StoreErrors, and NotAStore for an agent that is not installed here."""
    if place.copied is not None:
        path = copy_of(place.copied) / place.copied.path
        files = (os.path.normpath(path / os.path.relpath(file, place.path)) for file in place.files)
        place = ConversationSource(place.agent, path, tuple(files))
    if place.files:
        return open_transcripts(place.agent, place.path, partial(signatures, place.files))
    agent = agent_named(place.agent)
    if agent is None:
        raise NotAStore(f"No agent {place.agent} is known here; it is one of another package.")
    return open_file(agent, place.path)
