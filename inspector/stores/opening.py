"""The store of a file, or of several files, of a known agent."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from inspector.agents import Agent
from inspector.stores.base import Store
from inspector.stores.readers import open_database, reader_of
from inspector.stores.signatures import signatures
from inspector.stores.transcripts import TranscriptStore


def open_file(agent: Agent, path: Path) -> Store:
    """Return the store of a file of this agent. Raises StoreErrors."""
    if agent.databases:
        return open_database(agent.name, path)
    return open_transcripts(agent, path, partial(signatures, (str(path),)))


def open_transcripts(agent: Agent, path: Path, *arguments: Any) -> Store:
    """Return the store of an agent's transcripts; TranscriptStore describes the other arguments."""
    return TranscriptStore(agent.name, partial(reader_of, agent.name), path, *arguments)
