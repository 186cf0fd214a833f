"""Where the agents of this machine keep their sessions, each where its own variables and habits say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from inspector.core.errors import StoreError, StoreMissing
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.readers import reader_of


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
    return own if os.path.exists(own) or not os.path.exists(usual) else usual


def usual_places() -> tuple[Place, ...]:
    """Every place where an agent may keep sessions, whether there is something or not."""
    data = _folder("XDG_DATA_HOME", Path.home() / ".local" / "share") / "opencode"
    return (
        Place("hermes", hermes_database()),
        Place("claude-code", _folder("CLAUDE_CONFIG_DIR", Path.home() / ".claude") / "projects"),
        Place("codex", _folder("CODEX_HOME", Path.home() / ".codex") / "sessions"),
        Place("opencode", data / "opencode.db"),
        # Builds of another channel keep a database of their own.
        *(Place("opencode", path) for path in sorted(data.glob("opencode-*.db"))),
        Place("opencode", data / "storage" / "session"),
        Place("opencode", data / "project"),
        Place("pi", _folder("PI_CODING_AGENT_DIR", Path.home() / ".pi" / "agent") / "sessions"),
    )


def places() -> tuple[Place, ...]:
    """The places where there is something."""
    return tuple(place for place in usual_places() if _may_exist(place.path))


def _may_exist(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        # Opening it says so.
        return True


def open_machine() -> Store:
    """Every store that is found on this machine. Raises StoreMissing where there is none."""
    from inspector.stores.several import SeveralStores

    found = places()
    if len(found) == 1 and found[0].agent == "hermes":
        return open_store(found[0].path)
    stores, problems = open_places(found)
    if not stores:
        looked = ", ".join(str(place.path) for place in usual_places())
        raise StoreMissing(
            " ".join(problems)
            or f"No agent keeps sessions on this machine where they are looked for: {looked}. Name a file or a "
            "folder, or give --demo for the bundled sessions."
        )
    return stores[0] if len(stores) == 1 and not problems else SeveralStores(stores, Path.home(), problems)


def open_places(found: tuple[Place, ...]) -> tuple[list[Store], list[str]]:
    """The stores at these places, and what was wrong where one could not be opened."""
    stores: list[Store] = []
    problems: list[str] = []
    for agent, group in groupby(found, key=lambda place: place.agent):
        try:
            stores.append(_open(agent, [place.path for place in group]))
        except StoreError as error:
            problems.append(str(error))
    return stores, problems


def _open(agent: str, paths: Sequence[Path]) -> Store:
    """The store of an agent: what lies in several of its places is one, as a session may lie in two of them."""
    if agent == "hermes":
        return open_store(paths[0])
    from inspector.stores.folder_files import FolderFiles
    from inspector.stores.index import default_index
    from inspector.stores.lines import is_folder
    from inspector.stores.signatures import Signature, signatures
    from inspector.stores.transcripts import TranscriptStore

    index = default_index()
    folders = [FolderFiles(path, index) for path in paths if is_folder(path)]
    single = [str(path) for path in paths if not is_folder(path)]
    looks = [*(partial(folder.of, agent) for folder in folders), partial(signatures, single)]

    def files() -> dict[str, Signature]:
        return {path: signature for look in looks for path, signature in look().items()}

    def left_out() -> list[str]:
        return [note for folder in folders for note in folder.notes]

    return TranscriptStore(
        agent, partial(reader_of, agent), Path(os.path.commonpath(paths)), files, index, left_out
    )


def _folder(variable: str, usual: Path) -> Path:
    told = os.environ.get(variable)
    return Path(told).expanduser() if told else usual
