"""The lineage pane: rows and columns, filters, the chosen item's life, going to the two summaries."""

from __future__ import annotations

import pytest

from inspector.config.fact_rules import load_stemmer
from inspector.summaries.drift import drift_of
from inspector.summaries.lineage import Column, follow
from inspector.summaries.parse import parse_summary
from tests.summaries.test_lineage import BODIES, columns
from tests.widgets.widget_host import HOSTILE, hosting, lines
from widgets.bars.pane_tabs import PaneTab, PaneTabs
from widgets.panes.lineage_pane import MODES, LineagePane, LineageView


def view(*bodies: str | None, column: int = 0, budget: int | None = 2_000) -> LineageView:
    lineage = follow(columns(*bodies))
    tokens = [None if body is None else len(body) // 4 for body in bodies]
    return LineageView(lineage, drift_of(lineage, load_stemmer(), tokens, [budget] * len(bodies)), column)


def items(pane: LineagePane) -> list[str]:
    return [line.strip() for line in lines(pane.items)[1:] if line.strip()]


def shown(pane: LineagePane, start: str) -> str:
    (line,) = [line for line in items(pane) if f" {start}" in line]
    return " ".join(line.split())


def life(pane: LineagePane) -> str:
    return "\n".join(line.rstrip() for line in lines(pane.body))


async def test_a_row_has_a_sign_and_a_word_in_each_column() -> None:
    pane = LineagePane()
    async with hosting(pane, (110, 40), lambda: pane.set_view(view(*BODIES))):
        assert lines(pane.items)[0].split() == ["▸1", "2", "3"]
        assert shown(pane, "Keep stripe") == "+ new = kept = kept Keep stripe-node pinned to 14.21.0."
        assert shown(pane, "Never post").startswith("+ new − dropped ↺ back")
        assert shown(pane, "Writing the").startswith("+ new ✓ done # number")
        assert [line for line in items(pane) if line in dict.fromkeys(name for name, _ in groups())] == [
            name for name, _ in groups()
        ]


def groups() -> tuple[tuple[str, object], ...]:
    return view(*BODIES).lineage.groups


async def test_figures_follow_the_column() -> None:
    pane = LineagePane()
    async with hosting(pane, (110, 40), lambda: pane.set_view(view(*BODIES, budget=100))) as host:
        pane.items.focus()
        assert "compaction 1 of 3   + 8 new" in pane.headline
        await host.press("right_square_bracket")
        assert pane.column == 1
        assert "compaction 2 of 3" in pane.headline
        assert "− 1 dropped" in pane.headline
        assert "left of the first: 7 of 8 items" in pane.headline
        assert "of 100 tokens — over budget" in pane.headline
        await host.press("right", "right", "right")
        assert pane.column == 2
        await host.press("left_square_bracket", "h", "left")
        assert pane.column == 0
        assert lines(pane.items)[0].split() == ["▸1", "2", "3"]


async def test_the_chosen_item_tells_its_life() -> None:
    pane = LineagePane()
    async with hosting(pane, (110, 44), lambda: pane.set_view(view(*BODIES, column=1))) as host:
        pane.items.focus()
        at = next(i for i in range(pane.items.row_count) if "Writing the new client" in text_at(pane, i))
        pane.items.move_cursor(0, notify=False)
        pane.items.move_cursor(at)
        await host.settle()
        told = life(pane)
        assert "1  + new   Progress / In Progress" in told
        assert "›  2  ✓ done   Progress / In Progress → Completed Actions" in told
        assert "3  # renumbered   Completed Actions" in told
        assert told.count("Writing the new client") == 1


def text_at(pane: LineagePane, row: int) -> str:
    pane.items.move_cursor(row, notify=False)
    item = pane.items.item
    return item.text if item is not None else ""


async def test_enter_posts_the_cell() -> None:
    pane = LineagePane()
    async with hosting(pane, (110, 40), lambda: pane.set_view(view(*BODIES))) as host:
        pane.items.focus()
        await host.press("down", "right_square_bracket", "enter")
        (chosen,) = host.of(LineagePane.CellChosen)
        assert (chosen.compaction, chosen.text) == (2, "Keep stripe-node pinned to 14.21.0.")
        await host.click(pane.items, 28, 4, times=2)
        assert pane.column == 2
        assert host.of(LineagePane.CellChosen)[-1].compaction == 3


@pytest.mark.parametrize(
    ("mode", "starts"),
    [
        ("dropped", ["Never", "The dark", "Canary"]),
        ("reworded", ["Move", "Read", "Patched", "Canary", "Announce"]),
        ("moved", ["Writing", "The dark"]),
        ("back", ["Never"]),
        ("otherwise", []),
        ("stale", []),
    ],
)
async def test_filters(mode: str, starts: list[str]) -> None:
    pane = LineagePane()
    async with hosting(pane, (110, 40), lambda: pane.set_view(view(*BODIES))) as host:
        pane.set_mode(mode)
        await host.settle()
        texts = [text_at(pane, row) for row in range(pane.items.row_count)]
        assert len(texts) == len(starts)
        assert all(any(text.startswith(start) for text in texts) for start in starts), texts
        if not starts:
            assert "No item is like that." in life(pane)
        pane.set_mode("all")
        await host.settle()
        assert pane.items.row_count == len(view(*BODIES).lineage.rows)


async def test_m_goes_through_the_filters_and_keeps_the_item() -> None:
    pane = LineagePane()
    async with hosting(pane, (110, 40), lambda: pane.set_view(view(*BODIES))) as host:
        pane.items.focus()
        assert text_at(pane, 2).startswith("Never post")
        for mode in (*MODES[1:], MODES[0]):
            await host.press("m")
            assert pane.mode == mode.name
        await host.press("M", "M", "m", "m")
        assert pane.mode == "all"


async def test_what_says_something_else_and_what_is_stale_is_marked_and_told() -> None:
    one = "## Constraints\n- Set the retry limit of the client to 41 and never more\n## Next Steps\n- Write docs\n"
    two = one.replace("41", "7")
    pane = LineagePane()
    async with hosting(pane, (110, 40), lambda: pane.set_view(view(one, two, two, column=1))) as host:
        pane.items.focus()
        assert shown(pane, "Set the retry").startswith("›! + new ~ reworded = kept")
        assert "◷ + new = kept = kept Write docs" in shown(pane, "Write docs")
        assert "! 1 item says something else   ◷ 1 open item stale" in pane.headline
        assert "since compaction 2 it says something else: 41 became 7" in life(pane)
        await host.press("down")
        assert "stale: 3 summaries list it in the same words, since compaction 1" in life(pane)


async def test_sections_are_stepped_through() -> None:
    pane = LineagePane()
    async with hosting(pane, (110, 40), lambda: pane.set_view(view(*BODIES))) as host:
        pane.items.focus()
        await host.press("J", "J")
        assert "Read services" in text_of(pane)
        await host.press("K")
        assert "Keep stripe" in text_of(pane)


def text_of(pane: LineagePane) -> str:
    item = pane.items.item
    return "" if item is None else item.text


def test_words_give_way_to_signs_and_signs_to_the_neighbours() -> None:
    pane = LineagePane()
    lineage = follow([Column(number, parse_summary(BODIES[0])) for number in range(1, 41)])
    pane.items._lineage = lineage
    pane.items.column = 20
    wide = pane.items.widths(480)
    assert set(wide) == set(range(40))
    assert len(set(wide.values())) == 1
    signs = pane.items.widths(130)
    assert set(signs) == set(range(40))
    assert [column for column, cells in signs.items() if cells == max(signs.values())] == [20]
    few = pane.items.widths(60)
    assert 20 in few
    assert 4 < len(few) < 40
    assert list(few) == list(range(min(few), max(few) + 1))
    assert sum(few.values()) < 60


@pytest.mark.parametrize("size", [(110, 40), (80, 12), (54, 30), (20, 6)])
async def test_it_fits_and_is_safe(size: tuple[int, int]) -> None:
    body = f"## {HOSTILE}\n- {HOSTILE} one\n- plain [/b] text\n"
    pane = LineagePane()
    many = view(*[body, body.replace("one", "two 漢字")] * 6, column=5)
    async with hosting(pane, size, lambda: pane.set_view(many)) as host:
        lines(pane.items)
        lines(pane.body)
        pane.items.focus()
        await host.press("down", "right_square_bracket", "m", "end")
        lines(pane.items)
        lines(pane.body)


async def test_nothing_to_show() -> None:
    pane = LineagePane()
    async with hosting(pane, (80, 24), lambda: pane.set_view(None)) as host:
        assert "Following the items" in pane.headline
        pane.items.focus()
        await host.press("enter", "right_square_bracket", "down", "J", "m")
        pane.set_view(view(None))
        await host.settle()
        assert pane.headline == "No compaction has left a summary to follow so far."
        await host.press("enter", "right_square_bracket")
        assert not host.of(LineagePane.CellChosen)


async def test_a_refreshed_view_keeps_the_place() -> None:
    pane = LineagePane()
    first = view(*BODIES, budget=None)
    async with hosting(pane, (110, 40), lambda: pane.set_view(first)) as host:
        pane.items.focus()
        await host.press("down", "down", "right_square_bracket", "m")
        at = (text_of(pane), pane.column, pane.mode)
        drift = drift_of(first.lineage, load_stemmer(), [9, 9, 9], [5, 5, 5])
        pane.set_view(LineageView(first.lineage, drift, first.column))
        await host.settle()
        assert (text_of(pane), pane.column, pane.mode) == at
        assert "9 of 5 tokens" in pane.headline


def test_tabs_give_up_the_chosen_ones_long_name_before_all_names() -> None:
    tabs = PaneTabs([PaneTab("message", "1", short="msg"), PaneTab("lineage", "0", short="life")])
    tabs.active = "lineage"
    assert tabs.labels(40) == [" 1 message", " 0 lineage "]
    assert tabs.labels(17) == [" 1 msg", " 0 lineage "]
    assert tabs.labels(14) == [" 1 msg", " 0 life "]
    assert tabs.labels(13) == [" 1msg", " 0 life "]
    assert tabs.labels(12) == [" 1", " 0 lineage "]
