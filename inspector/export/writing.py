"""Writing to a file of the user's choice: which files are refused, and writing in one step."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from inspector.config.agent_folders import refuse_agent_folders
from inspector.config.folders import write_whole
from inspector.core.errors import OutputProblem, StoreError

#: Files that SQLite keeps next to a database.
_BESIDE = ("", "-wal", "-shm", "-journal")
#: Hermes' settings, in the folder of its database.
_SETTINGS = ("config.yaml", "config.yml", ".env")
#: Endings of sessions. An existing file with such an ending is never overwritten, in any folder.
_SESSIONS = (".jsonl", ".db", ".sqlite", ".sqlite3", ".zst", ".zstd", *(f".db{end}" for end in _BESIDE[1:]))
#: Endings of files that may be overwritten in a folder of sessions: no agent writes such files there.
_PAGES = (".html", ".htm", ".csv")


class FileThere(OutputProblem):
    """The file exists and may not be overwritten."""


def check_target(path: Path, stores: Iterable[Path], force: bool) -> Path:
    """Return the file to write, symlinks followed.

    Raises OutputProblem, even with `force`, for files with sessions (the `stores`, which are files and folders, and any
    other), for agents' settings, and for everything in an agent's own folder. Raises it also if the folder is missing,
    and FileThere if the file exists and `force` is false.
    """
    target = refuse_agent_folders(path)
    try:
        for store in stores:
            _check_store(path, target, store)
        if target.is_dir():
            raise OutputProblem(f"{path} is a directory; name a file in it.")
        if not target.parent.is_dir():
            raise OutputProblem(
                f"There is no folder {target.parent} to write {target.name} to. Make it first."
            )
        if target.exists():
            if not target.is_file():
                raise OutputProblem(f"{path} is not a regular file; for standard output give - as the file.")
            if target.name.lower().endswith(_SESSIONS) or _holds_sessions(target):
                raise OutputProblem(
                    f"{path} holds sessions of an agent; it is never written to. Name another file."
                )
            if not force:
                raise FileThere(_there(path))
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputProblem(f"{path} cannot be written to ({error}).") from error
    return target


def _check_store(path: Path, target: Path, store: Path) -> None:
    """Raise OutputProblem if the target is a file of a store, or one that SQLite keeps for it, under any name."""
    real = store.expanduser().resolve()
    if real.is_dir():
        if target.is_relative_to(real) and target.exists() and not target.name.lower().endswith(_PAGES):
            raise OutputProblem(
                f"{path} is a file in {store}, a folder with sessions. Its files are never written to. Name a new file."
            )
        return
    for kept in {Path(f"{name}{end}") for name in (store.absolute(), real) for end in _BESIDE}:
        if target == kept or (target.exists() and kept.exists() and os.path.samefile(target, kept)):
            raise OutputProblem(
                f"{path} holds the sessions that are read, or SQLite keeps it for them; it is never written to. "
                "Name another file."
            )
    if target.parent == real.parent and target.name.lower() in _SETTINGS:
        raise OutputProblem(f"{path} holds the agent's settings; it is never written to. Name another file.")


def _holds_sessions(target: Path) -> bool:
    """Return whether a file looks like a database or a transcript, by its beginning."""
    from inspector.stores.head import Head
    from inspector.stores.readers import agent_of

    try:
        head = Head.of(target)
        return head.is_sqlite or agent_of(head) is not None
    except StoreError:
        # An empty file, or one that cannot be read, whose name is not that of a session.
        return False


def write_file(path: Path, text: str, stores: Iterable[Path], force: bool = False) -> int:
    """Write the text in one step, readable by this user only, and return its size in bytes.

    Raises OutputProblem. Then the file is unchanged.
    """
    target = check_target(path, stores, force)
    data = text.encode("utf-8", errors="replace")
    try:
        write_whole(target, data, overwrite=force)
    except FileExistsError:
        raise FileThere(_there(path)) from None
    except OSError as error:
        raise OutputProblem(f"{path} cannot be written ({error.strerror or error}).") from error
    return len(data)


def _there(path: Path) -> str:
    return f"{path} is there already. Name another file, or give --force to overwrite it."
