"""Pictures of the screens: dark, light and 16 colours, wide and narrow. `make snapshots` takes them again."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.app.conftest import MakeApp
from tests.app.running import CHECKOUT, press, settled

WIDE, MIDDLE, NARROW = (160, 48), (120, 40), (80, 24)
PICTURES: dict[str, tuple[str | None, tuple[int, int], str, tuple[str, ...]]] = {
    "conversations": (None, WIDE, "inspector-dark", ()),
    "conversations-narrow-light": (None, NARROW, "inspector-light", ()),
    "message": (CHECKOUT, MIDDLE, "inspector-dark", ()),
    "compaction": (CHECKOUT, WIDE, "inspector-dark", ("left_square_bracket", "2")),
    "compaction-narrow-light": (CHECKOUT, NARROW, "inspector-light", ("2",)),
    "summary": (CHECKOUT, WIDE, "inspector-dark", ("left_square_bracket", "3")),
    "summary-16-colours": (CHECKOUT, WIDE, "inspector-16", ("left_square_bracket", "3")),
    "changes-light": (CHECKOUT, WIDE, "inspector-light", ("3", "m")),
    "lineage": (CHECKOUT, MIDDLE, "inspector-dark", ("0",)),
    "losses": (CHECKOUT, WIDE, "inspector-dark", ("4", *["left_square_bracket"] * 3)),
    "cache": (CHECKOUT, WIDE, "inspector-dark", ("5",)),
    "requests-narrow": (CHECKOUT, NARROW, "inspector-dark", ("5", "m")),
    "what-if": (CHECKOUT, WIDE, "inspector-dark", ("6",)),
    "what-if-narrow": (CHECKOUT, NARROW, "inspector-dark", ("6",)),
    "what-if-16-colours-narrow": (CHECKOUT, NARROW, "inspector-16", ("6",)),
    "findings-light": (CHECKOUT, WIDE, "inspector-light", ("7",)),
    "help": (CHECKOUT, WIDE, "inspector-dark", ("question_mark",)),
}


def _is_another(name: str) -> bool:
    """Whether a picture is a variant of another, with another size, other colours, or other words of a text."""
    return name in ("message", "lineage", "cache") or any(name.startswith(f"{other}-") for other in PICTURES)


@pytest.mark.parametrize(
    "name",
    # Variants that differ only by size or colours are compared with --slow.
    [pytest.param(name, marks=pytest.mark.slow) if _is_another(name) else name for name in PICTURES],
)
def test_picture(name: str, demo: MakeApp, snap_compare: Any) -> None:
    conversation, size, theme, keys = PICTURES[name]
    app = demo(conversation, theme)
    app.animation_level = "none"

    async def walk(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await press(pilot, *keys)

    assert snap_compare(app, terminal_size=size, run_before=walk)
