"""The text for the place of a message."""

from __future__ import annotations

import pytest

from inspector.core.places import place_name


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((16, 2), "#16 of generation 2"),
        ((1_234, None), "#1,234"),
        ((0, 1), "#0 of generation 1"),
        ((None, 3), ""),
    ],
)
def test_a_place_is_an_index_in_a_generation(place: tuple[int | None, int | None], words: str) -> None:
    assert place_name(*place) == words
