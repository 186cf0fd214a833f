"""A separate cache folder for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import new_folder


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = new_folder("cache", tmp_path_factory)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder
