"""The app survives any keys in any order and any size of the terminal."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.app.running import running, settled

KEYS = [
    *"1234567[]/?acdefghijklmnoprstuvwxyzAGNSTLRY+-<>.,", "down", "up", "pageup", "pagedown", "home", "end", "left",
    "right", "tab", "shift+tab", "space", "ctrl+p", *["enter"] * 3, *["escape"] * 2,
]  # fmt: skip
SIZES = [(160, 48), (80, 24), (60, 20), (40, 6)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
async def test_any_keys_do_no_harm(
    seed: int, rotating: Path, in_place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    pick = random.Random(seed)
    async with running(pick.choice([rotating, in_place]), size=pick.choice(SIZES)) as pilot:
        for _ in range(150):
            await pilot.press(pick.choice(KEYS))
            if pick.random() < 0.03:
                await pilot.resize_terminal(*pick.choice(SIZES))
        await settled(pilot)
        assert pilot.app.is_running
        assert pilot.app.return_code in (None, 0)
