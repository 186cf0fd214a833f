"""The text for the place of a message."""

from __future__ import annotations

import pytest

from inspector.core.places import place_name


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((16, 2, 17), "#16 of generation 2"),
        ((1_234, None, None), "#1,234"),
        ((None, None, 17), "row 17"),
        ((0, 1, None), "#0 of generation 1"),
        ((None, 3, None), ""),
    ],
)
def test_a_place_is_an_index_in_a_generation(
    place: tuple[int | None, int | None, int | None], words: str
) -> None:
    assert place_name(*place) == words
