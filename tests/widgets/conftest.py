"""Settings of every widget test: only frames at rest are drawn."""

from __future__ import annotations

import pytest

from tests.idle import draw_at_rest


@pytest.fixture(autouse=True)
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_at_rest(monkeypatch)
