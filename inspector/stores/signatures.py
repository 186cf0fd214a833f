"""Size and time of change of files. A file with the same signature was not changed since it was read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from stat import S_ISDIR

from inspector.agents import agents, row_of

#: The size of a file in bytes and its time of change in nanoseconds.
Signature = tuple[int, int]


def signatures(paths: Sequence[str]) -> dict[str, Signature]:
    """Return the signatures of files, without missing files."""
    signed = {path: signature_of(path) for path in paths}
    return {path: signature for path, signature in signed.items() if signature is not None}


def signature_of(path: str) -> Signature | None:
    """Return the signature of a file; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return with_companions(path, (status.st_size, status.st_mtime_ns))


def title_files(agent: str, paths: Iterable[str]) -> list[str]:
    """Return the files that may have titles of the sessions in these files of an agent."""
    titles, folders = row_of(agent).titles, {os.path.dirname(path) for path in paths}
    return sorted(set(filter(None, (_title_file(folder, titles) for folder in folders if titles))))


@lru_cache(maxsize=1024)
def _title_file(folder: str, titles: tuple[tuple[str, str], ...]) -> str:
    """Return the file with titles of the sessions in a folder; "" if there can be none."""
    names = dict(titles)
    for place in (Path(folder), *Path(folder).parents):
        if place.name in names:
            return str(place.parent / names[place.name])
    return ""


def with_companions(path: str, signature: Signature) -> Signature:
    """Return the signature of a file together with its companions, such as the log of a database."""
    size, changed = signature
    for ending, name in _companions():
        if not path.endswith(ending):
            continue
        beside = path + name if name.startswith("-") else os.path.join(os.path.dirname(path), name)
        try:
            other = os.stat(beside)
            # Count the files of a folder, because its time may be too coarse.
            size += len(os.listdir(beside)) if S_ISDIR(other.st_mode) else other.st_size
        except OSError:
            continue
        changed = max(changed, other.st_mtime_ns)
    return size, changed


def companion_names(names: Sequence[str]) -> frozenset[str]:
    """Return the `names` of a folder that belong to a session in it."""
    return frozenset(
        name
        for ending, name in _companions()
        # Few folders have such a name.
        if name in names and not name.startswith("-") and any(other.endswith(ending) for other in names)
    )


def all_files_of(path: str) -> list[str]:
    """Return a file and the files that belong to it: the log of a database, or all files of a session's folder."""
    files = [path]
    for ending, name in _companions():
        if path.endswith(ending):
            beside = [path + name] if name.startswith("-") else _files_below(os.path.dirname(path))
            files += (other for other in beside if os.path.isfile(other))
    return list(dict.fromkeys(files))


def _files_below(folder: str) -> list[str]:
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)


@lru_cache(maxsize=1)
def _companions() -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(pair for agent in agents() for pair in agent.beside))
