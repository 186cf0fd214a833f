"""Index of files, kept between runs in the cache: only a changed file is read again."""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from inspector.agents import agents
from inspector.config.cache import Cache, CacheEntry, default_cache, hashed, stamp_of
from inspector.core.conversations import ConversationRow
from inspector.stores.signatures import Signature


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


class FileIndex:
    """Stored results about files, in a cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def get(self, agent: str, files: Mapping[str, Signature]) -> dict[str, tuple[FileDigest, ...]]:
        """Return the digests of files of an agent that are stored for these signatures."""
        keys = {_path_key(path): path for path in files}
        stamp = _stamp(agent)
        stored = {
            keys[key]: entry.value
            for key, entry in self._cache.get("files", keys).items()
            if entry.stamp == stamp + _packed(files[keys[key]])
        }
        unpacked = zip(stored, _unpacked(list(stored.values())), strict=True)
        return {path: digests for path, digests in unpacked if digests is not None}

    def put(self, agent: str, files: Mapping[str, tuple[Signature, tuple[FileDigest, ...]]]) -> None:
        """Store the digests of files of an agent, with the signatures that the files had."""
        stamp = _stamp(agent)
        entries = {
            _path_key(path): CacheEntry(stamp + _packed(signature), _packed(digests))
            for path, (signature, digests) in files.items()
        }
        self._cache.put("files", entries)

    def recall(self, name: str) -> Any:
        """Return the stored results about several files; None if there are none."""
        key = hashed(name)
        entry = self._cache.get("lists", [key]).get(key)
        try:
            return None if entry is None or entry.stamp != _stamp() else json.loads(entry.value)
        except (ValueError, TypeError):
            return None

    def remember(self, name: str, value: Any) -> None:
        """Store results about several files."""
        self._cache.put("lists", {hashed(name): CacheEntry(_stamp(), _packed(value))})


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
    return hashed(os.path.abspath(path))


@lru_cache
def _stamp(agent: str = "") -> bytes:
    """Return a stamp that changes with the program and the supported agents: an unknown file may be known now."""
    return stamp_of(agent, *(known.name for known in agents()))


def _packed(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _unpacked(values: Sequence[Any]) -> list[tuple[FileDigest, ...] | None]:
    """Unpack values, all at once because that is faster. If one is malformed, unpack each alone."""
    try:
        return list(msgspec.convert(json.loads(b"[%s]" % b",".join(values)), list[tuple[FileDigest, ...]]))
    except (ValueError, TypeError):
        return [digests for value in values for digests in _unpacked([value])] if len(values) > 1 else [None]


def default_index() -> FileIndex:
    """Return the index in the user's cache."""
    return FileIndex(default_cache())
