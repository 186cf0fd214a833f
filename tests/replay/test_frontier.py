"""Cost against facts at risk."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.replay.frontier import best_of, points, sentence
from inspector.replay.sweep import Axis, Sweep

nan = float("nan")


def swept(facts: list[list[float]], cost: list[list[float]], stuck: tuple[int, int] | None = None) -> Sweep:
    rows = Axis("threshold", tuple(0.1 * (place + 3) for place in range(len(facts))))
    columns = Axis("target_ratio", tuple(0.15 * (place + 1) for place in range(len(facts[0]))))
    marks = tuple(tuple((r, c) == stuck for c in range(len(line))) for r, line in enumerate(facts))
    cells = {"facts_at_risk": tuple(map(tuple, facts)), "cost": tuple(map(tuple, cost))}
    return Sweep(rows, columns, cells, 1, gives_up=marks)


FOUND = swept([[12, 12, 9], [20, 11, 12]], [[10.0, 6.9, 12.0], [5.0, 11.0, 9.0]])


def test_the_cells_that_no_other_beats_on_both() -> None:
    assert {one.cell for one in points(FOUND) if one.unbeaten} == {(0, 1), (0, 2), (1, 0), (1, 1)}


def test_the_best_is_named_beside_the_settings_in_force() -> None:
    every = points(FOUND)
    assert sentence(FOUND, every, (0, 0)) == (
        "0.3 / 0.3 costs 31% less than the settings in force (0.3 / 0.15) at the same 12 facts at risk."
    )
    assert sentence(FOUND, every, (0, 1)) == (
        "No cell costs less than the settings in force (0.3 / 0.3) with as few facts at risk: 6.90 US dollars, "
        "12 facts at risk."
    )
    assert sentence(FOUND, every, None) == (
        "The settings in force are in no cell; 0.4 / 0.15 costs least: 5.00 US dollars at 20 facts at risk."
    )
    fewer = swept([[12, 3]], [[10.0, 10.0]])
    assert sentence(fewer, points(fewer), (0, 0)).startswith(
        "0.3 / 0.3 may cost as much as the settings in force"
    )


def test_what_is_stuck_or_not_known_is_no_point() -> None:
    found = swept([[12, 1, 3]], [[10.0, 1.0, nan]], stuck=(0, 1))
    assert [one.cell for one in points(found)] == [(0, 0)]
    assert points(Sweep(found.rows, found.columns, {"cost": found.cells["cost"]}, 1)) == ()
    assert sentence(found, (), None) == ""


CELLS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=20)


@given(CELLS)
def test_unbeaten_means_what_it_says(drawn: list[tuple[int, int]]) -> None:
    found = swept([[float(facts) for facts, _ in drawn]], [[float(cost) for _, cost in drawn]])
    every = points(found)
    for one in every:
        beaten = any(
            other.facts <= one.facts
            and other.cost <= one.cost
            and (other.facts, other.cost) != (one.facts, one.cost)
            for other in every
        )
        assert one.unbeaten is not beaten
        best = best_of(every, one)
        if best is not None:
            assert best.unbeaten
            assert (best.facts, best.cost) < (one.facts + 1, one.cost + 1)
            assert best.facts <= one.facts
            assert best.cost <= one.cost
        else:
            assert one.unbeaten
