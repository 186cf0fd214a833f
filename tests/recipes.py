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
