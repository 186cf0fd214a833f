"""The lineage of all items: rows and columns, filters, the history of the chosen item, going to the two summaries."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.quality.facts.rules import load_stemmer
from inspector.summaries.drift import drift_of
from inspector.summaries.lineage import Column, follow
from inspector.summaries.parse import parse_summary
from tests.summaries.test_lineage import BODIES
from tests.widgets.values import lineage_view
from tests.widgets.widget_host import HOSTILE, hosting, lines
from widgets.intents import ChooseCompaction
from widgets.lists.lineage_list import LineageList
from widgets.panes.lineage_lines import LineageView
from widgets.panes.summary_lineage import FILTERS, SummaryLineage


def items(pane: SummaryLineage) -> list[str]:
    return [line.strip() for line in lines(pane.items)[1:] if line.strip()]


def shown(pane: SummaryLineage, start: str) -> str:
    (line,) = [line for line in items(pane) if f" {start}" in line]
    return " ".join(line.split())


def history(pane: SummaryLineage) -> str:
    return "\n".join(line.rstrip() for line in lines(pane.body))


async def test_a_row_has_a_sign_and_a_word_in_each_column() -> None:
    pane = SummaryLineage()
    async with hosting(pane, (110, 40), lambda: pane.set_view(lineage_view(*BODIES))):
        assert lines(pane.items)[0].split() == ["▸1", "2", "3"]
        assert shown(pane, "Keep stripe") == "+ new = kept = kept Keep stripe-node pinned to 14.21.0."
        assert shown(pane, "Never post").startswith("+ new − dropped ↺ back")
        assert shown(pane, "Writing the").startswith("+ new ✓ done # number")
        assert [line for line in items(pane) if line in dict.fromkeys(name for name, _ in groups())] == [
            name for name, _ in groups()
        ]


def groups() -> tuple[tuple[str, object], ...]:
    return lineage_view(*BODIES).lineage.groups


async def test_figures_follow_the_column_that_comes_with_the_value() -> None:
    pane = SummaryLineage()
    view = lineage_view(*BODIES, budget=100)
    async with hosting(pane, (110, 40), lambda: pane.set_view(view)) as host:
        pane.items.focus()
        assert "compaction 1 of 3   + 8 new" in pane.head.text
        pane.set_view(replace(view, column=1))
        assert pane.column == 1
        assert "compaction 2 of 3" in pane.head.text
        assert "− 1 dropped" in pane.head.text
        assert "first summary: 7 of 8 items left" in pane.head.text
        assert "of 100 tokens — over budget" in pane.head.text
        # Another compaction is chosen by the screen, the same for all panes.
        await host.press("right_square_bracket", "left_square_bracket", "right", "left", "h", "l", "1", "0")
        assert pane.column == 1
        await host.settle()
        assert lines(pane.items)[0].split() == ["1", "▸2", "3"]


async def test_the_chosen_item_tells_its_life() -> None:
    pane = SummaryLineage()
    async with hosting(pane, (110, 44), lambda: pane.set_view(lineage_view(*BODIES, column=1))) as host:
        pane.items.focus()
        at = next(i for i in range(pane.items.row_count) if "Writing the new client" in text_at(pane, i))
        pane.items.move_cursor(0, notify=False)
        pane.items.move_cursor(at)
        await host.settle()
        screen = history(pane)
        assert "1  + new   Progress / In Progress" in screen
        assert "›  2  ✓ done   Progress / In Progress → Completed Actions" in screen
        assert "3  # renumbered   Completed Actions" in screen
        assert screen.count("Writing the new client") == 1


def text_at(pane: SummaryLineage, row: int) -> str:
    pane.items.move_cursor(row, notify=False)
    item = pane.items.entry
    return item.text if item is not None else ""


async def test_enter_posts_the_cell() -> None:
    pane = SummaryLineage()
    async with hosting(pane, (110, 40), lambda: pane.set_view(lineage_view(*BODIES, column=1))) as host:
        pane.items.focus()
        await host.press("down", "enter")
        (chosen,) = host.messages_of(SummaryLineage.CellChosen)
        assert (chosen.compaction, chosen.text) == (2, "Keep stripe-node pinned to 14.21.0.")
        await host.click(pane.items, 28, 4, times=2)
        assert pane.column == 2
        assert [message.index for message in host.messages_of(ChooseCompaction)] == [3]
        assert host.messages_of(SummaryLineage.CellChosen)[-1].compaction == 3


@pytest.mark.parametrize(
    ("mode", "starts"),
    [
        ("dropped", ["Never", "The dark", "Canary"]),
        ("reworded", ["Move", "Read", "Patched", "Canary", "Announce"]),
        ("moved", ["Writing", "The dark"]),
        ("back", ["Never"]),
        ("meaning", []),
        ("stale", []),
    ],
)
async def test_filters(mode: str, starts: list[str]) -> None:
    pane = SummaryLineage()
    async with hosting(pane, (110, 40), lambda: pane.set_view(lineage_view(*BODIES))) as host:
        pane.set_filter(mode)
        await host.settle()
        texts = [text_at(pane, row) for row in range(pane.items.row_count)]
        assert len(texts) == len(starts)
        assert all(any(text.startswith(start) for text in texts) for start in starts), texts
        if not starts:
            assert "No item passes this filter." in history(pane)
        pane.set_filter("all")
        await host.settle()
        assert pane.items.row_count == len(lineage_view(*BODIES).lineage.rows)


async def test_f_goes_through_the_filters_and_keeps_the_item() -> None:
    pane = SummaryLineage()
    async with hosting(pane, (110, 40), lambda: pane.set_view(lineage_view(*BODIES))) as host:
        pane.items.focus()
        assert text_at(pane, 2).startswith("Never post")
        for mode in (*FILTERS[1:], FILTERS[0]):
            await host.press("f")
            assert pane.filter == mode.name
        await host.press("F", "F", "f", "f")
        assert pane.filter == "all"


async def test_contradicting_and_stale_items_are_marked_and_explained() -> None:
    one = "## Constraints\n- Set the retry limit of the client to 41 and never more\n## Next Steps\n- Write docs\n"
    two = one.replace("41", "7")
    pane = SummaryLineage()
    async with hosting(pane, (110, 40), lambda: pane.set_view(lineage_view(one, two, two, column=1))) as host:
        pane.items.focus()
        assert shown(pane, "Set the retry").startswith("›! + new ≈ reworded = kept")
        assert "◷ + new = kept = kept Write docs" in shown(pane, "Write docs")
        assert "! 1 item with changed meaning   ◷ 1 stale open item" in pane.head.text
        assert "changed meaning at compaction 2: 41 became 7" in history(pane)
        await host.press("down")
        assert "stale: 3 summaries since compaction 1 list it in the same words" in history(pane)


async def test_sections_are_stepped_through() -> None:
    pane = SummaryLineage()
    async with hosting(pane, (110, 40), lambda: pane.set_view(lineage_view(*BODIES))) as host:
        pane.items.focus()
        await host.press("J", "J")
        assert "Read services" in text_of(pane)
        await host.press("K")
        assert "Keep stripe" in text_of(pane)


def text_of(pane: SummaryLineage) -> str:
    item = pane.items.entry
    return "" if item is None else item.text


async def test_words_give_way_to_signs_and_signs_to_the_neighbours() -> None:
    items = LineageList()
    lineage = follow([Column(number, parse_summary(BODIES[0])) for number in range(1, 41)])
    async with hosting(items):
        items.set_rows(lineage, lambda row: True, {})
        items.set_column(20)
        wide = items.widths(480)
        assert set(wide) == set(range(40))
        assert len(set(wide.values())) == 1
        signs = items.widths(130)
        assert set(signs) == set(range(40))
        assert [column for column, cells in signs.items() if cells == max(signs.values())] == [20]
        few = items.widths(60)
        assert 20 in few
        assert 4 < len(few) < 40
        assert list(few) == list(range(min(few), max(few) + 1))
        assert sum(few.values()) < 60


async def test_on_a_small_screen_the_head_names_the_filter_and_the_list_keeps_rows() -> None:
    pane = SummaryLineage()
    async with hosting(pane, (78, 9), lambda: pane.set_view(lineage_view(*BODIES, column=1))) as host:
        pane.items.focus()
        assert "compaction 2 of 3   = 2  # 2  ÷ 2  ✓ 2  − 1" in pane.head.text
        assert pane.items.size.height >= 4
        assert pane.body.size.height == 3
        await host.press("f")
        assert "only dropped" in pane.head.text
        assert any("Never post" in line for line in items(pane))


@pytest.mark.parametrize("size", [(110, 40), (80, 12), (54, 30), (20, 6)])
async def test_it_fits_and_is_safe(size: tuple[int, int]) -> None:
    body = f"## {HOSTILE}\n- {HOSTILE} one\n- plain [/b] text\n"
    pane = SummaryLineage()
    many = lineage_view(*[body, body.replace("one", "two 漢字")] * 6, column=5)
    async with hosting(pane, size, lambda: pane.set_view(many)) as host:
        lines(pane.items)
        lines(pane.body)
        pane.items.focus()
        await host.press("down", "f", "end")
        lines(pane.items)
        lines(pane.body)


async def test_nothing_to_show() -> None:
    pane = SummaryLineage()
    async with hosting(pane, (80, 24)) as host:
        assert "Following the items" in pane.head.text
        pane.items.focus()
        await host.press("enter", "down", "J", "f")
        pane.set_view(lineage_view(None))
        await host.settle()
        assert pane.head.text == "No compaction has a summary to follow."
        await host.press("enter")
        assert not host.messages_of(SummaryLineage.CellChosen)


async def test_a_refreshed_view_keeps_the_place() -> None:
    pane = SummaryLineage()
    first = lineage_view(*BODIES, budget=None)
    async with hosting(pane, (110, 40), lambda: pane.set_view(first)) as host:
        pane.items.focus()
        await host.press("down", "down", "f")
        at = (text_of(pane), pane.column, pane.filter)
        drift = drift_of(first.lineage, load_stemmer(), [9, 9, 9], [5, 5, 5])
        pane.set_view(LineageView(first.lineage, drift, first.column))
        await host.settle()
        assert (text_of(pane), pane.column, pane.filter) == at
        assert "9 of 5 tokens" in pane.head.text
