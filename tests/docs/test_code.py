"""Every piece of Python in the documentation runs."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.stores.detect import open_store
from tests.conftest import ROOT

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
    for number, block in enumerate(_BLOCK.findall(page.read_text(encoding="utf-8")), 1)
]


def names() -> dict[str, Any]:
    """Names that a piece of code may use without importing them."""
    answers = Answers(open_store(ROOT / "fixtures" / "hermes-0.19-in-place.db"), {}, None)
    inspection, resolved = answers.opened("Nightly orders import loses rows")
    plan = inspection.plan(inspection.conversation.live, resolved.settings)
    head_end, tail_start = plan.regions()
    return {
        "__name__": "documentation",
        "answers": answers,
        "inspection": inspection,
        "settings": resolved.settings,
        "watch": lambda what, done, total: None,
        "head_end": head_end,
        "tail_start": tail_start,
        "run": SimpleNamespace(removed_by={}),
    }


@pytest.mark.parametrize("block", BLOCKS)
def test_a_piece_of_python_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    exec(compile(block, "documentation", "exec"), names())
