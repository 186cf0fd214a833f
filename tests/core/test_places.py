"""How the place of a message is written."""

from __future__ import annotations

import pytest

from inspector.core.places import place_name


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((16, 17, 2), "#16 (row 17) of generation 2"),
        ((1_234, None, None), "#1,234"),
        ((None, 17, None), "row 17"),
        ((0, None, 1), "#0 of generation 1"),
        ((None, None, 3), ""),
    ],
)
def test_index_and_row_are_told_apart(place: tuple[int | None, int | None, int | None], words: str) -> None:
    assert place_name(*place) == words
