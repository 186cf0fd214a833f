"""The measures among the losses: the table, the chosen measure with its curve and evidence, what is posted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.widgets.values import COLUMNS, EVIDENCE, NONE, cell, measure
from tests.widgets.values import EVIDENCE_FOUND as FOUND
from tests.widgets.values import EVIDENCE_SAID as SAID
from tests.widgets.widget_host import HOSTILE, hosting, lines
from widgets.lists.evidence_list import EvidenceView
from widgets.lists.measure_table import MeasureCell, MeasureColumn, MeasuresView
from widgets.panes.choices import CompactionChosen, PlaceChosen
from widgets.panes.losses_measures import LossesMeasures
from widgets.panes.measure_lines import block

VIEW = MeasuresView(
    COLUMNS,
    (
        measure(
            "files",
            "trail",
            (cell(2, 3, EVIDENCE, "67% 2/3"), cell(0, 4, so_far="20% 1/5"), NONE),
            cell(2, 7, EVIDENCE),
        ),
        measure("commands", "trail", (NONE, cell(1, 2), cell(1, 1)), cell(2, 3)),
        measure(
            "spent", "tokens", (MeasureCell("17.8k", "17.8k"), NONE, NONE), MeasureCell("17.8k", "17.8k")
        ),
    ),
)


async def test_a_row_a_measure_a_column_a_compaction_and_all() -> None:
    pane = LossesMeasures()
    async with hosting(pane, size=(90, 44), set_up=lambda: pane.set_view(VIEW, 1)):
        drawn = lines(pane.table)
        assert drawn[0].split() == ["compaction", "▸1", "2!", "3?", "all"]
        assert drawn[1].strip() == "trail"
        assert drawn[2].split() == ["›", "files", "67%", "2/3", "0%", "0/4", "–", "29%", "2/7"]
        assert drawn[3].split()[0] == "commands"
        # A group of one has no heading of its own.
        assert drawn[4].split() == ["spent", "17.8k", "–", "–", "17.8k"]
        assert "compaction 1 of 3" in pane.headline
        assert "! fallback text" in pane.headline
        assert "? no summary found" in pane.headline


async def test_the_chosen_compaction_comes_in_and_arrows_choose_the_measure() -> None:
    pane = LossesMeasures()
    async with hosting(pane, size=(90, 44), set_up=lambda: pane.set_view(VIEW, 2)) as host:
        pane.table.focus()
        assert pane.column == 1
        assert "a fallback text, which no model wrote" in pane.headline
        pane.set_view(VIEW, 3)
        assert pane.column == 2
        assert "no summary was found" in pane.headline
        assert "nothing to measure" in pane.told
        keys = ("right_square_bracket", "left_square_bracket", "h", "l", "1")
        await host.press(*keys, "left", "right")
        assert not set(keys) & set(host.screen.active_bindings)
        assert pane.column == 2
        pane.turn_whole()
        assert pane.column == 3
        assert "all 3 compactions together" in pane.headline
        assert pane.measure == "files"
        await host.press("down")
        assert pane.measure == "commands"
        assert "Title of commands   67% 2/3" in pane.told
        assert "Of all commands, those that are known." in pane.told
        assert "used 2/3" in pane.told
        # All of them stay until another compaction is chosen.
        pane.set_view(replace(VIEW, rows=VIEW.rows[:2]), 3)
        assert pane.column == 3
        pane.turn_whole()
        assert pane.column == 2
        pane.turn_whole()
        pane.set_view(VIEW, 1)
        assert pane.column == 0
        await host.settle()
        await host.click(pane.table, lines(pane.table)[0].index("2!"), 2)
        assert (pane.column, pane.measure) == (1, "files")
        assert [message.compaction for message in host.of(CompactionChosen)] == [2]
        await host.click(pane.table, lines(pane.table)[0].index("all"), 2)
        assert pane.column == 3
        assert len(host.of(CompactionChosen)) == 1


async def test_evidence_what_is_gone_first_with_its_places() -> None:
    pane = LossesMeasures()
    async with hosting(pane, size=(90, 44), set_up=lambda: pane.set_view(VIEW, 1)) as host:
        drawn = [line.strip() for line in lines(pane.evidence)]
        assert drawn[0] == "not known any more (1)"
        assert drawn[1].split() == ["›✗", "user", "never", "on", "Fridays"]
        assert drawn[2] == "#9 of generation 1 · value lost"
        assert drawn[3] == "known (2)"
        assert drawn[4].split() == ["=", "asst", "deploy.yaml"]
        assert drawn[5] == "#7 of generation 1 → summary, #3 of the next · by its name alone"
        assert drawn[7] == "→ tail, #4 of generation 2 · Next"
        pane.turn_whole()
        await host.settle()
        assert lines(pane.evidence)[1].split()[:3] == ["›✗", "1", "user"]


async def test_enter_and_a_click_go_where_it_was_said_and_s_where_it_is_found() -> None:
    pane = LossesMeasures()
    async with hosting(pane, size=(90, 44), set_up=lambda: pane.set_view(VIEW, 1)) as host:
        pane.table.focus()
        await host.press("enter")
        assert pane.evidence.has_focus
        await host.press("s")
        assert host.of(PlaceChosen) == []
        await host.press("enter", "down", "enter", "s", "J", "enter")
        places = [message.place for message in host.of(PlaceChosen)]
        # What was never said is gone to where it is found.
        assert places == [EVIDENCE[1].said, SAID, FOUND, EVIDENCE[2].found]
        host.posted.clear()
        await host.click(pane.evidence, 12, 0)
        assert host.of(PlaceChosen) == []
        await host.click(pane.evidence, 12, 5)
        (chosen,) = host.of(PlaceChosen)
        assert chosen.place == SAID


async def test_the_curve_has_blocks_and_numbers() -> None:
    assert [block(share) for share in (0, 0.01, 0.5, 0.99, 1, None)] == ["▁", "▁", "▅", "█", "█", "▁"]
    pane = LossesMeasures()
    async with hosting(pane, size=(90, 44), set_up=lambda: pane.set_view(VIEW, 1)) as host:
        (curve,) = [line for line in pane.told.split("\n") if line.startswith("of all so far")]
        assert curve.split()[4:] == ["1", "▆", "67%", "2/3", "2!", "▁", "20%", "1/5"]
        pane.set_measure("commands")
        await host.settle()
        assert "of all so far" not in pane.told
        many = tuple(cell(n, 20, so_far=f"{n}/20") for n in range(1, 21))
        columns = tuple(MeasureColumn(n) for n in range(1, 21))
        pane.set_view(MeasuresView(columns, (measure("files", "trail", many, NONE),)), 10)
        await host.settle()
        (curve,) = [line for line in pane.told.split("\n") if line.startswith("so far")]
        blocks, *told = curve.split()[2:]
        assert len(blocks) == 20
        assert list(blocks) == sorted(blocks)
        assert told == ["1", "1/20", "10", "10/20", "20", "20/20"]
        columns = tuple(MeasureColumn(n) for n in range(1, 501))
        long = tuple(cell(n, 500, so_far=f"{n}/500") for n in range(1, 501))
        pane.set_view(MeasuresView(columns, (measure("files", "trail", long, NONE),)), 10)
        await host.settle()
        (curve,) = [line for line in pane.told.split("\n") if line.startswith("so far")]
        assert len(curve) <= 88
        assert curve.endswith("500 500/500")


@pytest.mark.parametrize("width", [40, 60, 78, 120])
@pytest.mark.parametrize("column", [0, 9, 19, 20])
async def test_columns_give_way_around_the_chosen_one(width: int, column: int) -> None:
    many = tuple(cell(n, 20) for n in range(1, 21))
    columns = tuple(MeasureColumn(n) for n in range(1, 21))
    view = MeasuresView(columns, (measure("hard constraints", "trail", many, cell(1, 1)),))
    pane = LossesMeasures()
    async with hosting(pane, size=(width, 12), set_up=lambda: pane.set_view(view, (column + 1) % 21)):
        head, line = lines(pane.table)[:2]
        chosen = "all" if column == 20 else str(column + 1)
        assert f"▸{chosen}" in head.split()
        assert head.split()[-1].endswith("all")
        told = cell(1, 1).told if column == 20 else many[column].told
        assert told in line
        drawn = list(pane.table.widths(width - 1)[1])
        assert drawn[-1] == 20
        assert drawn[:-1] == list(range(drawn[0], drawn[-2] + 1))
        assert column in drawn
        hidden = 21 - len(drawn)
        assert (f"‹ {hidden} more ›" in head) == bool(hidden)


@pytest.mark.parametrize("size", [(78, 12), (78, 16), (60, 8), (30, 6)])
async def test_where_room_is_short_the_table_and_the_evidence_are_still_there(size: tuple[int, int]) -> None:
    pane = LossesMeasures()
    async with hosting(pane, size=size, set_up=lambda: pane.set_view(VIEW, 1)):
        assert "files" in lines(pane.table)[1]
        assert "Title of files" in pane.told
        assert pane.evidence.size.height >= 1
        assert "never" in lines(pane.evidence)[0]
        if size[0] >= 60:
            assert lines(pane.evidence)[0].rstrip().endswith("1:9")
        assert pane.evidence.region.bottom <= size[1]


async def test_the_place_stays_when_measures_come_anew() -> None:
    pane = LossesMeasures()
    async with hosting(pane, size=(90, 44), set_up=lambda: pane.set_view(VIEW, 1)) as host:
        pane.table.focus()
        await host.press("down")
        more = tuple(replace(row, cells=(*row.cells, cell(1, 1))) for row in VIEW.rows)
        pane.set_view(MeasuresView((*COLUMNS, MeasureColumn(4)), more), 1)
        await host.settle()
        assert (pane.column, pane.table.column, pane.measure) == (0, 0, "commands")
        assert "compaction 1 of 4" in pane.headline
        pane.set_view(VIEW, 9)
        assert pane.column == 3, "a compaction that is not there: all together"


async def test_waiting_nothing_and_hostile_text() -> None:
    pane = LossesMeasures()
    async with hosting(pane, size=(60, 30), set_up=lambda: pane.set_view(None, 0)) as host:
        assert "Looking for facts" in pane.headline
        assert not pane.evidence.display
        pane.table.focus()
        await host.press("enter", "s", "J")
        pane.turn_whole()
        pane.set_view(MeasuresView(), 0)
        await host.settle()
        assert "Nothing was compacted" in pane.headline
        assert "all" not in pane.table.draw_header(0, 60).text, "no heading over no columns"
        bad = EvidenceView(HOSTILE, True, 1, HOSTILE, HOSTILE, SAID, FOUND, "summary")
        view = MeasuresView(COLUMNS[:1], (measure("files", "trail", (cell(1, 1, (bad,)),), cell(1, 1)),))
        pane.set_view(view, 1)
        await host.settle()
        drawn = "\n".join(lines(pane.evidence))
        assert "[/foo]" in drawn
