"""Who reads the files of each agent, and whose a file is, by what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from inspector.core.errors import StoreError
from inspector.stores.recorded import Reader

#: Where the reader of each agent's files is.
READERS = {
    "claude-code": ("inspector.stores.claude_code.reader", "ClaudeCodeReader"),
    "codex": ("inspector.stores.codex.reader", "CodexReader"),
    "opencode": ("inspector.stores.opencode.reader", "OpencodeReader"),
    "pi": ("inspector.stores.pi.reader", "PiReader"),
}
_SQLITE = b"SQLite format 3\0"
#: What a file is of that a database of Hermes is.
DATABASE = "database"


def reader_of(agent: str) -> Reader:
    """Who reads the files of an agent; imported where it is wanted."""
    module, name = READERS[agent]
    reader: Reader = getattr(import_module(module), name)()
    return reader


def readers() -> Iterator[Reader]:
    """Those who read an agent's files, one after the other."""
    return map(reader_of, READERS)


def agent_of(path: Path, head: bytes) -> str:
    """Whose file it is, by its content; "" where nobody knows it. Raises StoreErrors."""
    if head.startswith(_SQLITE):
        # Hermes' schema names the table of its version on the first page; another database is looked into.
        if b"schema_version" in head:
            return DATABASE
        from inspector.stores.opencode.documents import is_database

        try:
            return "opencode" if is_database(path) else DATABASE
        except StoreError:
            return DATABASE
    return next((reader.agent for reader in readers() if reader.recognises(head)), "")
