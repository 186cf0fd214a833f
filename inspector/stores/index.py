"""Index of files, kept between runs: only a changed file is read again.

A database in the user's cache directory has, for each path, size and time of the file, its agent, and its digests.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import inspector
from inspector.agents import agents
from inspector.config.database import CacheFile
from inspector.config.opened import OpenedOnce
from inspector.core.conversations import ConversationRow
from inspector.stores.signatures import Signature

#: Maximum bytes of the database; a larger one is emptied when it is opened. A file takes some 700 bytes.
LARGEST = 64_000_000
#: Version of the stored data about a file.
FORMAT = 95


class FileDigest(NamedTuple):
    """A conversation in a file, and its links to other files.

    `row` is the conversation as this file alone records it, without agent and source; `version` is the release that
    wrote it. `part` names a sub-agent whose messages are in the file of the main conversation. `compactions` are the
    names of its compactions. `first` and `last` name its first and last line; `before` is the parent of its first
    line, in another file. `midway`: the file begins with a compaction of the list in that file. `copied`: it has lines
    of another session. `largest` is the size of the largest request in tokens. `stream`: the file is the agent's output
    for a program, not its transcript.
    """

    path: str
    row: ConversationRow
    version: str = ""
    part: str = ""
    compactions: tuple[str, ...] = ()
    first: str = ""
    last: str = ""
    before: str = ""
    midway: bool = False
    copied: bool = False
    largest: int = 0
    stream: bool = False


class IndexedFile(NamedTuple):
    """Content of a file at this size in bytes and this modification time in nanoseconds."""

    size: int
    changed: int
    agent: str
    digests: tuple[FileDigest, ...]


class FileIndex:
    """Stored results about files. If the database cannot be used, nothing is stored and `problem` gives the reason."""

    def __init__(self, path: Path) -> None:
        self._file = CacheFile(path, "files", "digests", LARGEST, "What files hold")
        # The agent of a file is asked first, then its content.
        self._known: dict[str, IndexedFile] = {}

    @property
    def problem(self) -> str:
        """The reason why nothing is stored between runs; "" if it is stored."""
        return self._file.problem

    def get(self, paths: Iterable[str]) -> dict[str, IndexedFile]:
        """Return the stored results about these files, current or not."""
        wanted = list(paths)
        keys = {_path_key(path): path for path in wanted if path not in self._known}
        stored = self._file.get(list(keys))
        for key, kept in zip(stored, _unpacked(list(stored.values())), strict=True):
            if kept is not None:
                self._known[keys[key]] = kept
        return {path: self._known[path] for path in wanted if path in self._known}

    def put(self, files: Mapping[str, IndexedFile]) -> None:
        """Store results about files."""
        self._known.update(files)
        self._file.put({_path_key(path): _packed(kept) for path, kept in files.items()})

    def recall(self, name: str) -> Any:
        """Return the stored results about several files; None if there are none."""
        key = _key(name, b"memory")
        try:
            return json.loads(self._file.get([key]).get(key, b""))
        except (ValueError, TypeError):
            return None

    def remember(self, name: str, value: Any) -> None:
        """Store results about several files."""
        self._file.put({_key(name, b"memory"): _packed(value)})

    def close(self) -> None:
        """Close the database. Later results are not stored."""
        self._file.close()


def mark_of(value: object) -> str:
    """Return a short text that changes whenever a value changes. `repr` must show the whole value."""
    raw = repr(value).encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def mark_of_files(files: Mapping[str, Signature]) -> str:
    """Return a short text that changes whenever a file is added, removed or changed."""
    try:
        numbers = array("q", chain.from_iterable(files.values())).tobytes()
    except OverflowError:
        return mark_of(files)
    names = "\0".join(files).encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(names + b"\0" + numbers, digest_size=16).hexdigest()


def _path_key(path: str) -> bytes:
    return _key(os.path.abspath(path))


def _key(name: str, person: bytes = b"") -> bytes:
    raw = name.encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(raw, digest_size=16, key=_version(), person=person).digest()


@lru_cache(maxsize=1)
def _version() -> bytes:
    """Return a version that changes with the program and the supported agents.

    Another release may read another title from a file, and an unknown file may be known now.
    """
    names = (inspector.__version__, FORMAT, *(agent.name for agent in agents()))
    return hashlib.blake2b(repr(names).encode(), digest_size=16).digest()


def _packed(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _unpacked(values: Sequence[Any]) -> list[IndexedFile | None]:
    """Unpack values, all at once because that is faster. If one is malformed, unpack each alone."""
    try:
        return list(msgspec.convert(json.loads(b"[%s]" % b",".join(values)), list[IndexedFile]))
    except ValueError:
        return [kept for value in values for kept in _unpacked([value])] if len(values) > 1 else [None]


_OPENED = OpenedOnce(FileIndex)


def default_index() -> FileIndex:
    """Return the index in the user's cache directory, opened once."""
    from inspector.config.folders import cache_dir

    return _OPENED.at(cache_dir() / "files.db")
