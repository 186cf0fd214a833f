"""Token counts, stored between runs in a small SQLite file of the program in the user's cache directory."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from inspector.config.database import CacheFile

#: Size in bytes above which a cache is emptied when it is opened (a count takes about 30 bytes).
LARGEST = 64_000_000
#: Maximum number of counts in memory without a file.
_IN_MEMORY = 500_000


def cache_key(encoding: str, text: str) -> bytes:
    """Return the key of a count: a hash of the text, different for every encoding."""
    data = text.encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=encoding.encode()).digest()


class TokenCache:
    """Counts by key. Safe to use from several threads and programs.

    If the file cannot be used, counts stay in memory for this run, and `problem` says why ("" otherwise).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = CacheFile(path, "counts", "tokens", LARGEST, "Token counts")
        self._memory: dict[bytes, int] = {}
        self._lock = threading.Lock()

    @property
    def problem(self) -> str:
        """Return why counts are not stored between runs, "" if they are."""
        return self._file.problem

    def get(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Return the stored counts of these keys."""
        with self._lock:
            found = {key: self._memory[key] for key in keys if key in self._memory}
        kept = self._file.get([key for key in keys if key not in found])
        return found | {key: tokens for key, tokens in kept.items() if isinstance(tokens, int)}

    def put(self, counts: Mapping[bytes, int]) -> None:
        """Remember counts."""
        if self._file.put(counts):
            return
        with self._lock:
            if len(self._memory) + len(counts) > _IN_MEMORY:
                self._memory.clear()
            self._memory.update(counts)

    def close(self) -> None:
        """Close the file; later counts stay in memory."""
        self._file.close()
