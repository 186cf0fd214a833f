"""Size and time of change of files. A file with the same signature was not changed since it was read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from stat import S_ISDIR

from inspector.agents import agents

#: The size of a file in bytes and its time of change in nanoseconds.
Signature = tuple[int, int]


def signatures(paths: Sequence[str]) -> dict[str, Signature]:
    """The signatures of files; missing files are left out."""
    signed = {path: signature_of(path) for path in paths}
    return {path: signature for path, signature in signed.items() if signature is not None}


def signature_of(path: str) -> Signature | None:
    """The signature of a file; None if it is gone."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return with_beside(path, (status.st_size, status.st_mtime_ns))


def with_beside(path: str, signature: Signature) -> Signature:
    """The signature of a file and of the files next to it that belong to it, such as the log of a database."""
    size, changed = signature
    for ending, name in _beside():
        if not path.endswith(ending):
            continue
        beside = path + name if name.startswith("-") else os.path.join(os.path.dirname(path), name)
        try:
            other = os.stat(beside)
            # For a folder, the number of its files, because its time may be too coarse.
            size += len(os.listdir(beside)) if S_ISDIR(other.st_mode) else other.st_size
        except OSError:
            continue
        changed = max(changed, other.st_mtime_ns)
    return size, changed


def names_beside(names: Sequence[str]) -> frozenset[str]:
    """Return the names of files and folders that belong to a session in the same folder, given what is in it."""
    return frozenset(
        name
        for ending, name in _beside()
        if not name.startswith(("-", ".")) and any(one.endswith(ending) for one in names)
    )


def all_files_of(path: str) -> list[str]:
    """Return a file and the files that belong to it: the log of a database, or all files of a session's folder."""
    files = [path]
    for ending, name in _beside():
        if path.endswith(ending):
            beside = [path + name] if name.startswith("-") else _files_below(os.path.dirname(path))
            files += (other for other in beside if os.path.isfile(other))
    return list(dict.fromkeys(files))


def _files_below(folder: str) -> list[str]:
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)


@lru_cache(maxsize=1)
def _beside() -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(pair for agent in agents() for pair in agent.beside))
