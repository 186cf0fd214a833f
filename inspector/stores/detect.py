"""Which store a path holds, and where the user's own lies."""

from __future__ import annotations

import os
from pathlib import Path

from inspector.stores.base import Store


def default_path() -> Path:
    """Where Hermes keeps its sessions: `$HERMES_HOME/state.db`, else `~/.hermes/state.db`.

    The second also when HERMES_HOME is set but has no database. The file need not exist.
    """
    usual = Path.home() / ".hermes" / "state.db"
    home = os.environ.get("HERMES_HOME")
    if not home:
        return usual
    own = Path(home).expanduser() / "state.db"
    return own if own.exists() or not usual.exists() else usual


def open_store(path: Path) -> Store:
    """The store that `path` holds.

    Raises StoreMissing, NotAStore, StoreDamaged or StoreBusy with a sentence for the user.
    """
    from inspector.stores.hermes import HermesStore

    return HermesStore(Path(path).expanduser())
