"""Where the agents of this machine keep their sessions, each where its own variables and habits say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from inspector.core.errors import StoreError
from inspector.stores.base import Store


class Place(NamedTuple):
    """A file or folder where an agent keeps sessions."""

    agent: str
    path: Path


def hermes_database() -> Path:
    """Where Hermes keeps its sessions: `$HERMES_HOME/state.db`, else `~/.hermes/state.db`.

    The second also when HERMES_HOME is set but has no database. The file need not exist.
    """
    usual = Path.home() / ".hermes" / "state.db"
    home = os.environ.get("HERMES_HOME")
    if not home:
        return usual
    own = Path(home).expanduser() / "state.db"
    return own if own.exists() or not usual.exists() else usual


def usual_places() -> tuple[Place, ...]:
    """Every place where an agent may keep sessions, whether there is something or not."""
    data = _folder("XDG_DATA_HOME", Path.home() / ".local" / "share") / "opencode"
    return (
        Place("hermes", hermes_database()),
        Place("claude-code", _folder("CLAUDE_CONFIG_DIR", Path.home() / ".claude") / "projects"),
        Place("codex", _folder("CODEX_HOME", Path.home() / ".codex") / "sessions"),
        Place("opencode", data / "opencode.db"),
        Place("opencode", data / "storage" / "session"),
        Place("pi", _folder("PI_CODING_AGENT_DIR", Path.home() / ".pi" / "agent") / "sessions"),
    )


def places() -> tuple[Place, ...]:
    """The places where there is something."""
    return tuple(place for place in usual_places() if place.path.exists())


def open_places(found: tuple[Place, ...]) -> tuple[list[Store], list[str]]:
    """The stores at these places, and what was wrong where one could not be opened."""
    stores: list[Store] = []
    problems: list[str] = []
    for place in found:
        try:
            stores.extend(_open(place))
        except StoreError as error:
            problems.append(str(error))
    return stores, problems


def _open(place: Place) -> Iterator[Store]:
    from inspector.stores.detect import FolderFiles, open_store

    if not place.path.is_dir():
        yield open_store(place.path)
        return
    from inspector.stores.detect import reader_of
    from inspector.stores.index import default_index
    from inspector.stores.transcripts import TranscriptStore

    index = default_index()
    files = partial(FolderFiles(place.path, index).of, place.agent)
    yield TranscriptStore(reader_of(place.agent), place.path, files, index)


def _folder(variable: str, usual: Path) -> Path:
    told = os.environ.get(variable)
    return Path(told).expanduser() if told else usual
