"""The user's own folders: where the place is remembered and copies and counts are kept. Never beside a database."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NAME = "compaction-inspector"


def state_dir() -> Path:
    """The user's state directory of this program; it may not exist yet."""
    return _base("XDG_STATE_HOME", Path(".local") / "state") / _NAME


def cache_dir() -> Path:
    """The user's cache directory of this program; it may not exist yet."""
    return _base("XDG_CACHE_HOME", Path(".cache")) / _NAME


def _base(variable: str, below_home: Path) -> Path:
    named = os.environ.get(variable)
    if named and Path(named).is_absolute():
        return Path(named)
    if sys.platform == "darwin":
        kind = "Caches" if variable == "XDG_CACHE_HOME" else "Application Support"
        return Path.home() / "Library" / kind
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / below_home


def read_state(path: Path) -> dict[str, Any]:
    """A JSON mapping; empty where the file is missing or no such mapping (the place is then not remembered)."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def write_state(path: Path, document: Mapping[str, Any]) -> bool:
    """Write a JSON mapping in one step; False where the folder cannot be written to."""
    return write_text(path, json.dumps(document, ensure_ascii=False, indent=1))


def write_text(path: Path, text: str) -> bool:
    """Write a text in one step, readable for this user alone; False where that cannot be done.

    A lone surrogate, which no file can hold, becomes a question mark.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, encoding="utf-8", errors="replace", newline="", delete=False
        ) as file:
            try:
                file.write(text)
                file.close()
                os.replace(file.name, path)
            except OSError:
                Path(file.name).unlink(missing_ok=True)
                return False
    except OSError:
        return False
    return True
