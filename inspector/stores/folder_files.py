"""The files below a folder that are somebody's sessions."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from inspector.core.errors import StoreBusy, StoreError
from inspector.stores.readers import DATABASE, READERS, agent_of
from inspector.stores.signatures import Signature, with_log

if TYPE_CHECKING:
    from inspector.stores.index import FileIndex

#: So long a look at a folder serves all who ask, in seconds.
_SHARED_SECONDS = 0.25
#: What transcripts and databases are called in folders; a file that is named itself may be called anything.
_ENDINGS = (".jsonl", ".json", ".db")
#: Where opencode's folders hold messages and their parts, a file each, beside the sessions.
_PIECES = frozenset({"message", "part"})


class FolderFiles:
    """The transcripts and databases below a folder, by agent. A file is looked into once."""

    def __init__(self, folder: Path, index: FileIndex | None) -> None:
        self._folder = folder
        self._index = index
        self._agents: dict[str, str] = {}
        self._lock = threading.Lock()
        self._now: dict[str, Signature] = {}
        #: The files of each agent, of the look that they were taken from.
        self._of: tuple[dict[str, Signature] | None, dict[str, dict[str, Signature]]] = (None, {})
        self._at = float("-inf")
        #: Folders that may not be looked into, and files that may not be read.
        self._closed: dict[str, None] = {}
        self._refused: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about what this user may not read, where there is something."""
        refused = [*self._closed, *self._refused]
        if not refused:
            return ()
        more = f" and {len(refused) - 1:,} more" if len(refused) > 1 else ""
        return (f"{refused[0]}{more} may not be read by this user, and what is there is left out.",)

    def of(self, agent: str) -> dict[str, Signature]:
        """The files of one agent that there are now, by path, and what each looks like."""
        with self._lock:
            now = self._walked()
            known = self._of
            if known[0] is not now:
                self._look([path for path in now if path not in self._agents])
                known = self._of = (now, self._sorted_out(now))
            return known[1].get(agent, {})

    def _sorted_out(self, now: dict[str, Signature]) -> dict[str, dict[str, Signature]]:
        of: dict[str, dict[str, Signature]] = {}
        for path, signature in now.items():
            of.setdefault(self._agents.get(path, ""), {})[path] = signature
        return of

    def _walked(self) -> dict[str, Signature]:
        """Every file that may be of somebody's; the stores of several agents share one look."""
        if time.monotonic() - self._at < _SHARED_SECONDS:
            return self._now
        found: dict[str, Signature] = {}
        self._closed = {}
        _below(str(self._folder), found, self._closed)
        self._now = {path: found[path] for path in sorted(found)}
        self._at = time.monotonic()
        return self._now

    def _look(self, paths: Sequence[str]) -> None:
        """Whose the files are: as the index has it, else by their beginnings."""
        from inspector.stores.lines import head_of

        if self._index is not None:
            self._recall(self._index, paths)
        missing = [path for path in paths if path not in self._agents]
        if not missing:
            return
        if self._index is not None:
            self._agents.update((path, kept.agent) for path, kept in self._index.get(missing).items())
        for path in missing:
            if path not in self._agents:
                try:
                    head = head_of(Path(path))
                except StoreBusy:
                    self._refused[path] = None
                    continue
                except StoreError:
                    continue
                self._refused.pop(path, None)
                # What is too short to tell yet, or not ours to read, is looked at again the next time.
                if (agent := agent_of(Path(path), head)) or b"\n" in head:
                    self._agents[path] = agent
        if self._index is not None and len(paths) == len(self._now):
            self._remember(self._index, paths)

    def _recall(self, index: FileIndex, paths: Sequence[str]) -> None:
        """Whose the files were, where there are no others. What was nobody's is so as long as it looks the same."""
        from inspector.stores.index import mark_of

        kept = index.recall(self._name()) if len(paths) == len(self._now) else None
        if not isinstance(kept, list) or len(kept) != len(paths) + 1 or kept[0] != mark_of(paths):
            return
        for path, agent in zip(paths, kept[1:], strict=True):
            if isinstance(agent, list) and agent == list(self._now[path]):
                self._agents[path] = ""
            elif isinstance(agent, str) and agent in READERS:
                self._agents[path] = agent

    def _remember(self, index: FileIndex, paths: Sequence[str]) -> None:
        from inspector.stores.index import mark_of

        agents = [self._agents.get(path, DATABASE) or self._now[path] for path in paths]
        index.remember(self._name(), [mark_of(paths), *agents])

    def _name(self) -> str:
        return f"files below {self._folder}"


def _below(top: str, found: dict[str, Signature], refused: dict[str, None]) -> None:
    """Find the files below a folder that are called like transcripts or databases, and the folders that may not be
    looked into. Folders that are links are passed over: they may lead round in a circle."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        in_storage = os.path.basename(folder) in ("storage", "session")
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name.endswith(_ENDINGS):
                        try:
                            status = entry.stat()
                        except OSError:
                            # A link that leads nowhere.
                            continue
                        if S_ISREG(status.st_mode):
                            path, signature = entry.path, (status.st_size, status.st_mtime_ns)
                            found[path] = with_log(path, signature) if name.endswith(".db") else signature
                            continue
                    # What is neither only waits for somebody to write.
                    if entry.is_dir(follow_symlinks=False) and not (in_storage and name in _PIECES):
                        waiting.append(entry.path)
        except PermissionError:
            refused[folder] = None
        except OSError:
            continue
