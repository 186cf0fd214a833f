"""Pictures of the screens: dark, light and 16 colours, wide and narrow. `make snapshots` takes them anew."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.app.conftest import MakeApp
from tests.app.settle import press, settle

CHECKOUT = "Move checkout to orders-v2"
WIDE, NARROW = (160, 48), (80, 24)
PICTURES: dict[str, tuple[str | None, tuple[int, int], str, tuple[str, ...]]] = {
    "conversations": (None, WIDE, "inspector-dark", ()),
    "conversations-narrow-light": (None, NARROW, "inspector-light", ()),
    "summary": (CHECKOUT, WIDE, "inspector-dark", ("left_square_bracket", "2")),
    "summary-16-colours": (CHECKOUT, WIDE, "inspector-16", ("left_square_bracket", "2")),
    "diff-light": (CHECKOUT, WIDE, "inspector-light", ("3",)),
    "cache": (CHECKOUT, WIDE, "inspector-dark", ("4",)),
    "tune-narrow": (CHECKOUT, NARROW, "inspector-dark", ("5",)),
    "tune-16-colours-narrow": (CHECKOUT, NARROW, "inspector-16", ("5",)),
    "compaction": (CHECKOUT, WIDE, "inspector-dark", ("left_square_bracket", "6")),
    "replay": (CHECKOUT, WIDE, "inspector-dark", ("7",)),
    "findings-light": (CHECKOUT, WIDE, "inspector-light", ("8",)),
    "help": (CHECKOUT, WIDE, "inspector-dark", ("question_mark",)),
}


@pytest.mark.parametrize("name", list(PICTURES))
def test_picture(name: str, demo: MakeApp, snap_compare: Any) -> None:
    conversation, size, theme, keys = PICTURES[name]
    app = demo(conversation, theme)
    app.animation_level = "none"

    async def walk(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await press(pilot, *keys)

    assert snap_compare(app, terminal_size=size, run_before=walk)
