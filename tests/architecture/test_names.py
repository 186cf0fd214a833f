"""Names of classes."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.conftest import ROOT


def test_a_public_class_has_a_unique_name() -> None:
    """A reader finds one class by its name, and imports need no other name for it."""
    modules: dict[str, list[Path]] = defaultdict(list)
    for folder in ("inspector", "widgets"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    modules[node.name].append(path.relative_to(ROOT))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}
