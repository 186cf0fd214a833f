"""Input of every benchmark: the database, and an environment without the user's settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.stores.detect import open_store
from tests.benchmarks.generator import Shape

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Context:
    """The database to measure with. `runs` is the number of measurements of a start, `hermes` a Python that has
    hermes-agent, `against` another checkout, `labels` a file with labels of COMPINT."""

    database: Path
    shape: Shape
    runs: int = 7
    hermes: Path | None = None
    against: Path | None = None
    labels: Path | None = None

    def conversations(self) -> list[tuple[str, str]]:
        """Return title and live session of every conversation, in the order of the list."""
        return _conversations(self.database)


@cache
def _conversations(database: Path) -> list[tuple[str, str]]:
    store = open_store(database)
    rows = [(row.title, row.id) for row in store.conversations()]
    store.close()
    return rows


@contextmanager
def fresh_environment() -> Iterator[tuple[Mapping[str, str], Path]]:
    """Yield an environment with empty state and cache directories, and their folder."""
    with TemporaryDirectory(prefix="bench-") as folder:
        place = Path(folder)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("TEXTUAL", "TMUX"))}
        yield (
            {
                **kept,
                "PYTHONPATH": str(ROOT),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "XDG_STATE_HOME": str(place / "state"),
                "XDG_CACHE_HOME": str(place / "cache"),
                "HERMES_HOME": str(place / "hermes"),
            },
            place,
        )
