"""Places of points on a grid."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.export.whatif import placed

numbers = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(numbers, numbers), max_size=20), st.integers(1, 80), st.integers(1, 30))
def test_every_point_is_on_the_grid(points: list[tuple[float, float]], width: int, height: int) -> None:
    places = placed(points, width, height)
    assert len(places) == len(points)
    assert all(0 <= column < width and 0 <= row < height for column, row in places)


def test_the_lowest_point_is_at_the_bottom_left() -> None:
    assert placed([(0, 0), (10, 10)], 11, 5) == [(0, 4), (10, 0)]
