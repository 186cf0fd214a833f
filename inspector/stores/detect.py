"""Which store a path holds, by what is in it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from inspector.core.errors import NotAStore, StoreError
from inspector.stores.base import Store
from inspector.stores.readers import DATABASE, READERS, agent_of, reader_of


def open_store(path: Path) -> Store:
    """The store that `path` holds: a database, a transcript, or a folder of transcripts.

    Raises StoreMissing, NotAStore, StoreDamaged or StoreBusy with a sentence for the user.
    """
    path = Path(path).expanduser()
    from inspector.stores.lines import head_of, is_folder

    if is_folder(path):
        return open_folder(path)
    agent = agent_of(path, head_of(path)) if path.is_file() else ""
    if agent in ("", DATABASE):
        # Whoever is to say that a file is nothing that is known is the store that users know best.
        from inspector.stores.hermes import HermesStore

        return HermesStore(path)
    from inspector.stores.signatures import signatures
    from inspector.stores.transcripts import TranscriptStore

    return TranscriptStore(agent, partial(reader_of, agent), path, partial(signatures, (str(path),)))


def open_folder(folder: Path, keep: bool = True) -> Store:
    """The databases and transcripts below a folder, the transcripts of each agent as a store.

    `keep` remembers between runs what the files hold. Raises NotAStore where there are none, StoreErrors.
    """
    from inspector.stores.folder_files import FolderFiles
    from inspector.stores.index import default_index
    from inspector.stores.several import SeveralStores
    from inspector.stores.transcripts import TranscriptStore

    index = default_index() if keep else None
    files = FolderFiles(folder, index)
    stores: list[Store] = [
        TranscriptStore(
            agent, partial(reader_of, agent), folder, partial(files.of, agent), index, lambda: files.notes
        )
        for agent in READERS
        if files.of(agent)
    ]
    problem: StoreError | None = None
    for path in files.of(DATABASE):
        try:
            stores.append(open_store(Path(path)))
        except StoreError as error:
            problem = error
    if not stores:
        raise problem or NotAStore(
            f"The directory {folder} holds no sessions: neither a transcript that this program knows nor a state.db of "
            "Hermes Agent lies in it or below it." + "".join(f" {note}" for note in files.notes)
        )
    return stores[0] if len(stores) == 1 else SeveralStores(stores, folder)
