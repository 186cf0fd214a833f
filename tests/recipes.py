"""Recipes of the bundled fixtures, for tests that make files in the same forms."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "recipe"


def recipe(name: str) -> ModuleType:
    """Import a module of the recipe. Its modules import each other by their plain names."""
    if str(_FOLDER) not in sys.path:
        sys.path.append(str(_FOLDER))
    return import_module(name)


def compacted_session(path: Path, said: str, summary: str) -> Path:
    """Write a session of Codex in which the user says something, and a compaction with a summary follows."""
    rollout = recipe("other_lines").CodexRollout("019f53c2-0000-7000-8000-000000000000")
    rollout.says("user", said)
    rollout.says("assistant", "I look.")
    rollout.compact([rollout.message("user", "Go on.")], message=summary, encrypted=not summary)
    rollout.says("assistant", "Done.")
    path.write_text(rollout.text(), encoding="utf-8")
    return path
