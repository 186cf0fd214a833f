"""The store at a path, recognised by its content."""

from __future__ import annotations

import os
from pathlib import Path

from inspector.config.agent_folders import expanded
from inspector.core.errors import NotAStore
from inspector.stores.base import Store
from inspector.stores.readers import agent_of, unknown_format
from inspector.stores.transcripts import open_file


def open_store(path: Path) -> Store:
    """Open the store at `path`: a database, a transcript, or a folder with several. Raises StoreMissing, NotAStore,
    StoreDamaged or StoreBusy with a sentence for the user.
    """
    path = expanded(path)
    from inspector.stores.head import Head
    from inspector.stores.lines import check_file, is_folder

    if is_folder(path):
        return open_folder(path)
    check_file(path)
    agent = agent_of(Head.of(path))
    if agent is None:
        raise unknown_format(path)
    return open_file(agent, path)


def open_folder(folder: Path, keep: bool = True) -> Store:
    """Return the store of the databases and transcripts below a folder, including files that appear later.

    `keep` stores digests of the files between runs. Raises NotAStore if there are none, StoreErrors.
    """
    from inspector.stores.folder_store import FolderStore
    from inspector.stores.index import default_index

    # The index keeps whole paths: another run may start in another folder.
    folder = Path(os.path.abspath(folder))
    store = FolderStore(folder, default_index() if keep else None)
    if not store.stores:
        if store.problems:
            raise store.problems[-1]
        which = "that can be read" if store.notes else "that this program knows"
        raise NotAStore(" ".join([f"The directory {folder} holds no sessions {which}.", *store.notes]))
    return store
