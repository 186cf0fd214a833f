"""The token graph: a step moves only the cursor, and the result equals a newly drawn graph."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult

from widgets.panes import token_graph
from widgets.panes.token_graph import GraphState, TokenGraph

STATE = GraphState(
    recorded=tuple(step % 400 * 100 for step in range(1_000)),
    whatif=tuple(step % 300 * 100 for step in range(1_000)),
    threshold=35_000,
    hygiene=42_000,
    recorded_events=(400, 800),
    whatif_events=(300, 600, 800),
)


class Graphs(App[None]):
    def compose(self) -> ComposeResult:
        yield TokenGraph(id="graph")


def drawn(graph: TokenGraph) -> list[list[tuple[str, str]]]:
    """Return every cell with its style, line by line."""
    return [
        [(letter, str(segment.style)) for segment in graph.render_line(y) for letter in segment.text]
        for y in range(graph.size.height)
    ]


async def test_a_step_moves_the_cursor_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Graphs().run_test(size=(90, 20)) as pilot:
        graph = pilot.app.query_one(TokenGraph)
        graph.state = STATE
        await pilot.pause()
        bare = drawn(graph)
        summed = []
        columns = token_graph._columns
        monkeypatch.setattr(token_graph, "_columns", lambda *given: summed.append(1) or columns(*given))
        for step in (1, 2, 399, 400, 401, 800, 1_000, 500):
            graph.state = replace(STATE, step=step)
            await pilot.pause()
            now = drawn(graph)
            at = token_graph.LABEL_WIDTH + graph.column_of(step, graph.size.width - token_graph.LABEL_WIDTH)
            for line, before in zip(now, bare, strict=True):
                assert [cell for x, cell in enumerate(line) if x != at] == [
                    cell for x, cell in enumerate(before) if x != at
                ]
                assert line[at][0] != " "
                assert line[at][0] in (before[at][0], "│", "┴")
            assert [line[at] for line in now] != [line[at] for line in bare]
        assert summed == []
        graph.state = STATE
        assert drawn(graph) == bare


async def test_other_curves_sizes_and_colours_are_drawn_anew() -> None:
    async with Graphs().run_test(size=(90, 20)) as pilot:
        graph = pilot.app.query_one(TokenGraph)
        graph.state = replace(STATE, step=10)
        await pilot.pause()
        first = drawn(graph)
        graph.state = replace(STATE, step=10, threshold=20_000)
        await pilot.pause()
        assert drawn(graph) != first
        graph.state = replace(STATE, step=10)
        await pilot.pause()
        assert drawn(graph) == first
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        small = drawn(graph)
        assert (len(small), len(small[0])) == (12, 60)
        pilot.app.theme = "textual-light"
        await pilot.pause()
        light = drawn(graph)
        assert [[letter for letter, _ in line] for line in light] == [
            [letter for letter, _ in line] for line in small
        ]
        assert light != small


async def test_the_cursor_shows_the_focus_and_its_sign_is_named() -> None:
    async with Graphs().run_test(size=(90, 20)) as pilot:
        graph = pilot.app.query_one(TokenGraph)
        graph.state = replace(STATE, step=10)
        pilot.app.set_focus(None)
        await pilot.pause()
        blurred = drawn(graph)
        graph.focus()
        await pilot.pause()
        changed = [
            one for line, before in zip(drawn(graph), blurred, strict=True) for one in {*line} - {*before}
        ]
        assert {letter for letter, _ in changed} == {"│"}
        assert all("reverse" in style for _, style in changed)
        assert {"│"} <= set(dict(graph.signs()))
        graph.state = replace(STATE, threshold=0)
        assert not {"│"} & set(dict(graph.signs()))
