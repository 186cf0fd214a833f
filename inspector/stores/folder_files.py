"""The files below a folder that hold sessions, by agent."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from inspector.agents import agent_named, agents, may_hold_sessions
from inspector.core.errors import StoreBusy, StoreError
from inspector.stores.compressed import is_packed
from inspector.stores.readers import agent_of
from inspector.stores.signatures import Signature, companion_names, with_companions

if TYPE_CHECKING:
    from inspector.stores.index import FileIndex

#: Seconds for which the stores of all agents share one search of a folder.
_SHARED_SECONDS = 0.25
_UNUSED_SECONDS = 10.0
#: Maximum number of files that a note names.
_NAMED = 5


class FolderFiles:
    """The transcripts and databases below a folder, by agent. A file is opened to find its agent only if it changed."""

    def __init__(self, folder: Path, index: FileIndex | None) -> None:
        self._folder = folder
        self._index = index
        self._agents: dict[str, str] = {}
        #: The signature of each file for which its agent was found.
        self._seen: dict[str, Signature] = {}
        self._lock = threading.Lock()
        self._now: dict[str, Signature] = {}
        #: The files of each agent from the last search.
        self._of: tuple[dict[str, Signature] | None, dict[str, dict[str, Signature]]] = (None, {})
        self._at = float("-inf")
        #: Agents whose files were returned since the last search.
        self._asked: set[str] = set()
        #: Folders and files that this user may not read.
        self._closed: dict[str, None] = {}
        self._refused: dict[str, None] = {}
        #: Compressed files that this program does not decompress.
        self._packed: dict[str, None] = {}
        #: Databases that another program had locked, with the sentence about each.
        self._locked: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about files and folders that may not be read, and about compressed and unknown files."""
        return (
            *self.left_out,
            *self._about([*self._unknown()], "not in a session format this program knows"),
            *self._about(sorted(self._packed), "compressed. Decompress {them} to read the sessions"),
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """The notes about files and folders that may not be read now."""
        refused = sorted({*self._closed, *self._refused})
        return *self._about(refused, "this user may not read {them}"), *self._locked.values()

    def _about(self, paths: Sequence[str], why: str) -> Iterator[str]:
        """Yield the sentence about paths that are left out, with the first of them by name; none without a path."""
        if paths:
            some = ", ".join(os.path.relpath(path, self._folder) for path in paths[:_NAMED])
            more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
            verb, them = ("are", "them") if len(paths) > 1 else ("is", "it")
            left_out = self._folder if some == os.curdir else f"{some}{more} in {self._folder}"
            yield f"{left_out} {verb} left out: {why.format(them=them)}."

    def _unknown(self) -> Iterator[str]:
        """Return the files of unknown formats, except files that a known agent keeps next to its sessions."""
        aside = _aside()
        for path, (size, _) in self._of[1].get("", {}).items():
            if size and path not in self._refused and path not in self._locked and not aside.search(path):
                yield path

    def of(self, agent: str) -> dict[str, Signature]:
        """Return the present files of an agent with their signatures, by path. The stores of several agents share one
        search."""
        with self._lock:
            age = time.monotonic() - self._at
            if age >= _SHARED_SECONDS and (age >= _UNUSED_SECONDS or agent in self._asked):
                self._search()
            self._asked.add(agent)
            return self._by_agent().get(agent, {})

    def of_all(self) -> dict[str, dict[str, Signature]]:
        """Return the present files of each agent. The next `of` for an agent uses the same search."""
        with self._lock:
            if time.monotonic() - self._at >= _SHARED_SECONDS:
                self._search()
            return self._by_agent()

    def _by_agent(self) -> dict[str, dict[str, Signature]]:
        """Return the files of the last search by agent."""
        now = self._now
        if self._of[0] is not now:
            self._look([path for path, signature in now.items() if self._seen.get(path) != signature])
            files_of: dict[str, dict[str, Signature]] = {}
            for path, signature in now.items():
                files_of.setdefault(self._agents.get(path, ""), {})[path] = signature
            self._of = (now, files_of)
        return self._of[1]

    def _search(self) -> None:
        self._asked = set()
        files: dict[str, Signature] = {}
        closed: dict[str, None] = {}
        packed: dict[str, None] = {}
        find_below(str(self._folder), files, closed, packed)
        self._closed, self._packed = closed, packed
        self._now = {path: files[path] for path in sorted(files)}
        self._at = time.monotonic()

    def _look(self, paths: Sequence[str]) -> None:
        """Find the agent of each file, in the index or by the beginning of the file."""
        from inspector.stores.head import Head

        is_first = len(paths) == len(self._now)
        if self._index is not None and is_first:
            self._recall(self._index)
        unknown = [path for path in paths if self._seen.get(path) != self._now[path]]
        for path in unknown:
            try:
                head = Head.of(Path(path))
            except StoreBusy:
                self._refused[path] = None
                continue
            except StoreError:
                continue
            self._refused.pop(path, None)
            try:
                agent = agent_of(head)
            except StoreBusy as error:
                self._locked[path] = str(error)
                continue
            self._locked.pop(path, None)
            # A file without a complete line is tried again later.
            if agent is not None or b"\n" in head.raw:
                self._agents[path] = "" if agent is None else agent.name
                self._seen[path] = self._now[path]
        if self._index is not None and is_first and unknown:
            # A file that could not be read has no agent and no signature. It is tried again.
            stored = {path: (self._agents[path], *self._seen[path]) for path in paths if path in self._seen}
            self._index.remember(self._name, stored)

    def _recall(self, index: FileIndex) -> None:
        """Take the agents of files that did not change since an earlier search."""
        recalled = index.recall(self._name)
        for path, stored in recalled.items() if isinstance(recalled, dict) else ():
            signature = self._now.get(path)
            if signature is not None and isinstance(stored, list) and stored[1:] == list(signature):
                agent = stored[0]
                if agent == "" or (isinstance(agent, str) and agent_named(agent) is not None):
                    self._agents[path], self._seen[path] = agent, signature

    @property
    def _name(self) -> str:
        return f"files below {self._folder}"


def find_below(
    top: str, files: dict[str, Signature], refused: dict[str, None], packed: dict[str, None]
) -> None:
    """Add the files below a folder that have names of transcripts and databases, the folders that refuse access, and
    compressed files that must be decompressed first.

    Pieces of sessions are skipped. Links to folders are skipped too, because they may form a circle.
    """
    aside = _folders_aside()
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
            pieces = companion_names([entry.name for entry in entries])
            for entry in entries:
                if entry.name in pieces:
                    continue
                if may_hold_sessions(entry.name) and (signature := _signature(entry)) is not None:
                    files[entry.path] = with_companions(entry.path, signature)
                elif is_packed(entry.name) and entry.is_file():
                    packed[entry.path] = None
                elif entry.is_dir(follow_symlinks=False) and not aside.search(f"{entry.path}/"):
                    waiting.append(entry.path)
        except PermissionError:
            refused[folder] = None
        except OSError:
            continue


def _signature(entry: os.DirEntry[str]) -> Signature | None:
    """Return size and time of a file; None for a link without a target, and for a pipe or a socket, which would wait
    for a writer."""
    try:
        status = entry.stat()
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if S_ISREG(status.st_mode) else None


def _aside() -> re.Pattern[str]:
    """Return a pattern for paths of files that agents keep next to their sessions."""
    return _pattern([name for agent in agents() for name in agent.aside if not name.endswith("/")])


@lru_cache(maxsize=1)
def _folders_aside() -> re.Pattern[str]:
    """Return a pattern for paths of folders, with a final slash, where agents keep pieces of sessions."""
    return _pattern([name for agent in agents() for name in agent.aside if name.endswith("/")])


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    # Without names, the pattern matches nothing.
    return re.compile(f"(?:^|/)(?:{'|'.join(map(translate, names))})" if names else r"(?!)")
