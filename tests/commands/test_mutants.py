"""Every command over damaged copies of every agent's fixtures ends with a message and an exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants import problems


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(n, marks=pytest.mark.slow) for n in range(8, 200))]
)
def test_a_damaged_file_ends_every_command_with_a_message(seed: int, tmp_path: Path) -> None:
    assert problems(seed, tmp_path / "sessions") == []
