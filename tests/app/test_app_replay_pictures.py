"""Pictures of replay: a moment, a compaction half done, two settings compared, a sweep."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.app.conftest import MakeApp
from tests.app.running import press, settled

ORDERS = "Nightly orders import loses rows"
WIDE, NARROW = (160, 48), (80, 24)
COMPARED = ("6", "equals_sign", *["down"] * 4, "enter", *"90000", "enter")
#: Another window, so that settings make a difference.
POINTS = tuple(
    "equals_sign"
    if sign == "="
    else "full_stop"
    if sign == "."
    else "comma"
    if sign == ","
    else "space"
    if sign == " "
    else "underscore"
    if sign == "_"
    else sign
    for sign in "threshold=0.5,0.7,0.9 context_length=40000,64000,90000"
)
PICTURES: dict[str, tuple[tuple[int, int], str, tuple[str, ...]]] = {
    "moment": (WIDE, "inspector-dark", ("colon", "6", "0", "enter")),
    "moment-narrow-light": (NARROW, "inspector-light", ("colon", "6", "0", "enter")),
    "pruned": (WIDE, "inspector-dark", ("left", "left_square_bracket", "right")),
    "kept-16-colours": (WIDE, "inspector-16", ("left", "left_square_bracket", "right", "right", "right")),
    "comparison": (WIDE, "inspector-dark", COMPARED),
    "comparison-narrow": (NARROW, "inspector-light", COMPARED),
    "sweep": (WIDE, "inspector-dark", ("v", "o", "m", "m", "m")),
    "sweep-narrow-light": (NARROW, "inspector-light", ("v", "o", "m")),
    "sweep-16-colours": (NARROW, "inspector-16", ("v", "o", "m", "m", "m")),
    "points": (WIDE, "inspector-dark", ("v", "r", *POINTS, "enter", "c", "J")),
    "points-16-colours": (NARROW, "inspector-16", ("v", "c", "K")),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    # Variants that differ only by size and colours are compared with --slow.
    [
        name if theme == "inspector-dark" and name != "pruned" else pytest.param(name, marks=pytest.mark.slow)
        for name, (_, theme, _) in PICTURES.items()
    ],
)
def test_picture_of_replay(name: str, demo: MakeApp, snap_compare: Any) -> None:
    size, theme, keys = PICTURES[name]
    app = demo(ORDERS, theme)
    app.animation_level = "none"

    async def walk(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await press(pilot, *keys)

    assert snap_compare(app, terminal_size=size, run_before=walk)
