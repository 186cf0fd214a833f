"""Runs as points: where they stand, what marks them, how the cursor moves."""

from __future__ import annotations

from textual.app import App, ComposeResult

from inspector.core.scatter import placed
from widgets.lists.heat_map import BEST, FORCE, NOW
from widgets.panes.scatter import BEATEN, UNBEATEN, PointView, Scatter, ScatterState

POINTS = (
    PointView((0, 0), 12, 10.0, "a"),
    PointView((0, 1), 12, 6.9, "b", unbeaten=True),
    PointView((1, 0), 20, 5.0, "c", unbeaten=True),
    PointView((1, 1), 9, 12.0, "d", unbeaten=True),
)
STATE = ScatterState(
    POINTS, "facts at risk", "US dollars", "5.00", "12.00", "9", "20", now=(1, 0), force=(0, 0), best=(0, 1)
)


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.taken: list[tuple[int, int]] = []
        self.chosen: list[tuple[int, int]] = []

    def compose(self) -> ComposeResult:
        yield Scatter()

    def on_scatter_point_chosen(self, event: Scatter.PointChosen) -> None:
        self.chosen.append((event.row, event.column))

    def on_scatter_point_taken(self, event: Scatter.PointTaken) -> None:
        self.taken.append((event.row, event.column))


def drawn(scatter: Scatter) -> list[str]:
    return [scatter.render_line(y).text.rstrip() for y in range(scatter.size.height)]


def test_points_are_spread_over_the_room() -> None:
    assert placed([(0, 0), (10, 5), (5, 5)], 11, 6) == [(0, 5), (10, 0), (5, 0)]
    assert placed([(3, 7)], 11, 5) == [(5, 2)]
    assert placed([], 11, 5) == []


async def test_every_point_has_its_sign_and_place() -> None:
    app = Host()
    async with app.run_test(size=(60, 15)) as pilot:
        scatter = app.query_one(Scatter)
        scatter.state = STATE
        await pilot.pause()
        lines = drawn(scatter)
        assert "".join(lines).count(UNBEATEN) == 1
        assert [sum(line.count(sign) for line in lines[1:-2]) for sign in (BEST, NOW, FORCE)] == [1, 1, 1]
        assert lines[1].startswith("    12.00│" + UNBEATEN)
        assert lines[-3].startswith("     5.00│")
        assert lines[-3].rstrip().endswith(NOW)
        assert lines[-1].split() == ["9", "20"]
        plain = ScatterState((*POINTS, PointView((2, 2), 15, 11.0)), now=None, force=None, best=None)
        scatter.state = plain
        assert BEATEN in "".join(drawn(scatter))
        scatter.state = ScatterState(note="The facts are being read.")
        assert drawn(scatter)[0] == "The facts are being read."


async def test_the_cursor_goes_from_point_to_point() -> None:
    app = Host()
    async with app.run_test(size=(60, 15)) as pilot:
        scatter = app.query_one(Scatter)
        scatter.state = STATE
        scatter.focus()
        await pilot.press("home", "left", "left", "left")
        assert scatter.cursor == (1, 1)
        await pilot.press("right", "right")
        assert scatter.cursor == (0, 0)
        await pilot.press("J")
        assert scatter.cursor == (1, 0)
        await pilot.press("K", "K")
        assert scatter.cursor == (1, 1)
        await pilot.press("end", "enter")
        assert app.taken == [(0, 1)]
        assert app.chosen[-1] == (0, 1)
        await pilot.click(Scatter, offset=(58, 12))
        assert scatter.cursor == (1, 0)
