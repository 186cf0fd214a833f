"""Every widget test: frames on the way to rest are not drawn."""

from __future__ import annotations

import pytest

from tests.idle import draw_at_rest


@pytest.fixture(autouse=True)
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_at_rest(monkeypatch)
