"""The signs that `?` names are those on screen, each with a meaning."""

from __future__ import annotations

from msgspec.structs import replace

from inspector.core.signs import FATE_SIGNS, SEVERITY_SIGNS
from tests.widgets.values import COMPACTION, LOSSES, ROWS
from tests.widgets.widget_host import Host, hosting, lines, showing, shown
from widgets.bars.timeline import GLYPHS, Timeline, TimelineNode, glyph_of
from widgets.base.signs import signs_on
from widgets.lists.fact_list import FATE_WORDS, OUTCOMES
from widgets.lists.heat_map import HeatMap, HeatState
from widgets.lists.message_list import FLAG_SIGNS, FLAG_WORDS, ListSource, MessageList, MessageRow
from widgets.panes.compaction_pane import CompactionPane
from widgets.panes.losses_facts import LossesFacts
from widgets.panes.token_graph import GraphState, TokenGraph


def named(host: Host) -> dict[str, str]:
    return dict(signs_on(host.screen))


def test_every_sign_has_a_meaning() -> None:
    assert set(FLAG_WORDS) == set(FLAG_SIGNS)
    assert set(FATE_WORDS) >= set(OUTCOMES)
    outcomes = ("", "summary", "merged", "fallback", "failed", "encrypted", "unrecorded")
    glyphs = {
        glyph_of(TimelineNode(1, outcome=outcome, live=live), current)
        for outcome in outcomes
        for live in (True, False)
        for current in (True, False)
    }
    assert glyphs == {*GLYPHS, "○", "●"}


async def test_a_list_names_the_signs_of_visible_rows_alone() -> None:
    rows = [MessageRow(str(n), "user", "x", region="tail", tokens=5) for n in range(100)]
    rows[0] = replace(rows[0], flags=frozenset({"error"}))
    rows[99] = replace(rows[99], flags=frozenset({"huge"}), breakpoint=1)
    widget = MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(ListSource(rows))) as host:
        assert {"✗", "~"} <= set(named(host))
        assert not {"■", "⚑", "✂", "━"} & set(named(host))
        widget.move_cursor(99)
        await host.settle()
        assert {"■", "⚑"} <= set(named(host))
        assert "✗" not in named(host)


async def test_panes_name_what_they_show_and_hidden_ones_nothing() -> None:
    async with showing(CompactionPane(), COMPACTION, ROWS, size=(80, 40)) as (pane, host):
        signs = named(host)
        assert {"−", "="} <= set(signs)
        assert not {"∅", "□"} & set(signs), "a wide pane has words"
        assert all(sign.split()[0] in shown(pane) for sign in signs)
        pane.display = False
        await host.settle()
        assert named(host) == {}
    async with showing(LossesFacts(), LOSSES, size=(80, 40)) as (_, host):
        assert set(named(host)) == {"◇", "?"}
    async with showing(LossesFacts(), LOSSES, size=(60, 40)) as (_, host):
        assert set(named(host)) >= {"∅", "□", "≈", "="}


async def test_a_timeline_names_unusual_generations() -> None:
    widget = Timeline()
    nodes = (TimelineNode(1), TimelineNode(2, outcome="fallback", findings=2), TimelineNode(3, live=True))
    widget.nodes = nodes
    async with hosting(widget, size=(80, 3)) as host:
        assert list(named(host)) == ["○ ●", "◐", "◇", "!"]


def test_a_lost_fact_and_an_error_have_signs_of_their_own() -> None:
    assert FLAG_SIGNS["lost"] == FATE_SIGNS["lost"] == "∅"
    assert FLAG_SIGNS["error"] == SEVERITY_SIGNS["error"] == "✗"
    assert len(set(FATE_SIGNS.values())) == len(FATE_SIGNS)
    assert "✗" not in FATE_SIGNS.values()
    assert FATE_SIGNS["unknown"] == "?"


async def test_a_graph_names_its_curves_and_compactions() -> None:
    graph = TokenGraph()
    state = GraphState(recorded=(9, 90), whatif=(9, 80), recorded_events=(2,), low=(9, 80), high=(9, 80))
    async with hosting(graph, size=(60, 12), set_up=lambda: setattr(graph, "state", state)) as host:
        assert list(named(host)) == ["█", "•", "▲"]
        graph.state = replace(state, kept=(9, 70), hygiene=95)
        assert {"◦", "┄"} <= set(named(host))
        graph.state = replace(state, left_out=(2,))
        assert "▽" in named(host)
        assert lines(graph)[-1].split() == ["▽"]


async def test_a_sweep_names_the_signs_of_its_cells() -> None:
    grid = HeatMap()
    state = HeatState(
        "a", "b", ("1",), ("1", "2"), ((1.0, 2.0),), (("1", "2"),), now=(0, 0), stuck=frozenset({(0, 1)})
    )
    async with hosting(grid, size=(60, 12), set_up=lambda: setattr(grid, "state", state)) as host:
        assert set(named(host)) == {"●", "!"}
