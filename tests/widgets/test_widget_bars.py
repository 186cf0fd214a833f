"""Gauge, region bar, timeline, modes, headline: widgets of one or a few lines."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.widgets.widget_host import HOSTILE, hosting, lines
from widgets.bars.gauge import Gauge, GaugeState, explain, parting
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.bars.notes_bar import NotesBar
from widgets.bars.pane_tabs import PaneTab, PaneTabs
from widgets.bars.region_bar import RegionBar, RegionBarState, RegionShare
from widgets.bars.timeline import Position, Timeline, TimelineNode, glyph_of
from widgets.base.headline import Headline
from widgets.base.text_lines import TextLine, line_of

GAUGE = GaugeState(78_412, 100_000, 85_000, 170_000, 200_000, "rough")


async def gauge_line(state: GaugeState, width: int = 120) -> str:
    widget = Gauge()
    async with hosting(widget, size=(width, 3)):
        widget.state = state
        return lines(widget)[0]


async def test_the_gauge_tells_the_numbers_and_how_they_were_counted() -> None:
    assert (await gauge_line(GAUGE)).rstrip().endswith("~78,412 / 100,000 · 78% · rough")
    assert "  78,412 / 100,000 · 78% · exact" in await gauge_line(replace(GAUGE, kind="exact"))
    assert "reported" in await gauge_line(replace(GAUGE, kind="reported"))
    assert "counting …" in await gauge_line(replace(GAUGE, tokens=None))


async def test_the_gauge_marks_a_threshold_of_which_only_a_minimum_is_known() -> None:
    line = await gauge_line(replace(GAUGE, least=True))
    assert line.rstrip().endswith("~78,412 / ≥ 100,000 · 78% · rough")
    assert "≥" not in await gauge_line(GAUGE)


async def test_the_gauge_marks_an_uncertain_threshold() -> None:
    line = await gauge_line(replace(GAUGE, doubt="a doubtful threshold"))
    assert line.rstrip().endswith("~78,412 / 100,000? · 78% · rough")


async def test_the_marks_stand_where_their_tokens_are() -> None:
    line = await gauge_line(GAUGE)
    bar = line[: line.index("  ~")]
    width = len(bar.rstrip())
    assert bar.index("┃threshold") == pytest.approx(width / 2, abs=1)
    assert bar.index("┃85%") == pytest.approx(width * 0.425, abs=1)
    assert bar.index("┃hygiene") == pytest.approx(width * 0.85, abs=1)
    assert bar.count("▓") == pytest.approx(width * 0.392, abs=1)


@pytest.mark.parametrize("width", [12, 30, 40, 60, 80, 200])
async def test_the_gauge_fits_every_width_and_keeps_the_numbers(width: int) -> None:
    line = await gauge_line(GAUGE, width)
    assert len(line) == width
    assert "78%" in line or width < 30


async def test_a_list_beyond_the_context_fills_the_bar() -> None:
    line = await gauge_line(replace(GAUGE, tokens=260_000))
    assert "260%" in line
    assert "┈" not in line


async def test_the_gauge_says_where_plans_go_by_another_count() -> None:
    exact = replace(GAUGE, tokens=98_000, kind="exact")
    assert (await gauge_line(replace(exact, planned=99_000))).rstrip().endswith("98% · exact, without JSON")
    assert (
        (await gauge_line(replace(exact, planned=101_000)))
        .rstrip()
        .endswith("98% · exact, without JSON (rough count: 101%, over the threshold)")
    )
    assert parting(replace(exact, planned=99_000)) == ""
    assert parting(replace(exact, planned=101_000)).startswith(
        "The exact count (98,000 tokens) is below the threshold, the rough count (~101,000) is over it."
    )
    other = replace(exact, tokens=100_000, planned=99_000)
    assert "is over the threshold, the rough count (~99,000) is below it." in parting(other)
    assert parting(other) in explain(other)


async def test_the_gauge_explains_itself() -> None:
    widget = Gauge()
    async with hosting(widget):
        widget.state = replace(GAUGE, detail="chars / 4")
        assert "78,412 tokens in this list (rough estimate, chars / 4)." in str(widget.tooltip)
        assert "pressure 85,000: 85% of the threshold" in str(widget.tooltip)
        assert "hygiene 170,000: 85% of the context" in str(widget.tooltip)


REGIONS = RegionBarState(
    RegionShare(3, 2_100), RegionShare(214, 61_000, "→ ≤ 10.0k"), RegionShare(126, 19_800, "budget 20.0k")
)


async def test_regions_have_counts_tokens_and_bars_in_proportion() -> None:
    widget = RegionBar()
    async with hosting(widget, size=(160, 4)):
        widget.planned = REGIONS
        line = lines(widget)[0]
        head, middle, tail = line.split("│")
        assert head.startswith("head ▓")
        assert "3 · ~2.1k" in head
        assert "214 · ~61.0k → ≤ 10.0k" in middle
        assert "126 · ~19.8k, budget 20.0k" in tail
        assert middle.count("▓") / tail.count("▓") == pytest.approx(61 / 19.8, rel=0.15)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
async def test_regions_fit_every_width(width: int) -> None:
    widget = RegionBar()
    async with hosting(widget, size=(width, 4)):
        widget.planned = REGIONS
        assert len(lines(widget)[0]) == width
        if width >= 60:
            assert "~61.0k" in lines(widget)[0]


async def test_the_bar_is_blank_until_its_list_is_read() -> None:
    widget = RegionBar()
    async with hosting(widget, size=(60, 4)):
        assert not "".join(lines(widget)).strip()
        widget.planned = RegionBarState()
        assert "no messages" in lines(widget)[0]


async def test_a_plan_that_changes_nothing_has_no_regions() -> None:
    widget = RegionBar()
    stays = RegionBarState(
        RegionShare(139, 78_700), label="planned", reason="all messages of the list would stay"
    )
    async with hosting(widget, size=(120, 4)) as host:
        widget.planned, widget.recorded = stays, replace(REGIONS, label="recorded", kind="recorded")
        await host.settle()
        assert (
            "planned   a compaction would change nothing: all messages of the list would stay"
            in lines(widget)[0]
        )
        assert "head" in lines(widget)[1]


async def test_recorded_regions_are_a_second_row() -> None:
    widget = RegionBar()
    async with hosting(widget, size=(120, 4)) as host:
        widget.planned = replace(REGIONS, label="planned")
        widget.recorded = replace(REGIONS, label="recorded", kind="recorded")
        await host.settle()
        assert widget.size.height == 2
        first, second = lines(widget)
        assert first.startswith("planned   head ▓")
        assert second.startswith("recorded  head ▓")
        widget.recorded = None
        await host.settle()
        assert widget.size.height == 1


async def test_a_click_chooses_a_region() -> None:
    widget = RegionBar()
    async with hosting(widget, size=(120, 4)) as host:
        widget.planned = REGIONS
        await host.settle()
        line = lines(widget)[0]
        for word in ("head", "middle", "tail"):
            await host.click(widget, line.index(word) + 1, 0)
        await host.click(widget, line.index("│"), 0)
        assert [message.name for message in host.messages_of(RegionBar.RegionChosen)] == [
            "head",
            "middle",
            "tail",
        ]


async def test_keys_choose_a_region() -> None:
    widget = RegionBar()
    async with hosting(widget, size=(120, 4)) as host:
        widget.planned = REGIONS
        await host.press("enter", "right", "right", "enter", "left", "left", "h", "enter")
        assert [message.name for message in host.messages_of(RegionBar.RegionChosen)] == [
            "middle",
            "tail",
            "head",
        ]
        marked = [s.text for s in widget.render_line(0) if s.style and s.style.reverse]
        assert marked == ["head"]


async def test_a_region_without_messages_is_left_out() -> None:
    widget = RegionBar()
    async with hosting(widget, size=(120, 4)) as host:
        widget.planned = replace(REGIONS, head=RegionShare())
        await host.settle()
        first, second = lines(widget)[0].split("│")
        assert first.startswith("middle ▓")
        assert "tail" in second
        await host.press("enter", "left", "enter", "right", "enter")
        assert [message.name for message in host.messages_of(RegionBar.RegionChosen)] == [
            "middle",
            "middle",
            "tail",
        ]


async def test_empty_regions_draw_no_bar() -> None:
    widget = RegionBar()
    async with hosting(widget, size=(120, 4)):
        assert "▓" not in lines(widget)[0]


NODES = (
    TimelineNode(1),
    TimelineNode(2, outcome="summary"),
    TimelineNode(3, outcome="fallback"),
    TimelineNode(4, outcome="merged", live=True),
)


async def test_the_timeline_shows_where_one_is() -> None:
    widget = Timeline()
    async with hosting(widget, size=(100, 3)):
        widget.nodes, widget.current = NODES, 2
        line = lines(widget)[0]
        assert line.startswith("○───")
        assert "(●)" in line
        assert line.index("(●)") < line.index("◇") < line.index("◐")
        assert line.rstrip().endswith("generation 2 of 4")


async def test_keys_and_clicks_choose_a_generation() -> None:
    widget = Timeline()
    async with hosting(widget, size=(100, 3)) as host:
        widget.nodes, widget.current = NODES, 2
        line = lines(widget)[0]
        await host.press("left", "right", "end", "home")
        await host.click(widget, line.index("◇"), 0)
        assert [message.number for message in host.messages_of(Timeline.GenerationChosen)] == [1, 3, 4, 1, 3]
        host.posted.clear()
        widget.nodes, widget.current = NODES, 4
        assert "(●)  generation 4 of 4" in lines(widget)[0]
        widget.nodes, widget.current = NODES, 1
        await host.press("left")
        assert host.messages_of(Timeline.GenerationChosen) == []


@pytest.mark.parametrize("current", [1, 40, 400])
async def test_many_generations_are_shown_around_the_current_one(current: int) -> None:
    widget = Timeline()
    async with hosting(widget, size=(80, 3)):
        widget.nodes, widget.current = tuple(TimelineNode(i) for i in range(1, 401)), current
        line = lines(widget)[0]
        assert len(line) == 80
        assert "●" in line
        assert ("‹" in line) == (current > 1)
        assert ("›" in line) == (current < 400)


async def test_a_list_of_copies_alone_begins_behind_the_last_step() -> None:
    widget = Timeline()
    async with hosting(widget, size=(100, 3)):
        widget.nodes, widget.current = tuple(TimelineNode(i) for i in range(1, 4)), 2
        widget.position = Position(60, 64, (0, 20, 64))
        track = lines(widget)[0][2:].split("  ")[0]
        assert track.endswith("○")
        assert (track.count("○"), track.count("●"), track.count("▮")) == (2, 1, 1)
        widget.position = Position(1, 1, (0, 1, 1))
        assert "▮" in lines(widget)[0]


async def test_a_step_without_room_for_its_words_ends_in_an_ellipsis() -> None:
    widget = Timeline()
    async with hosting(widget, size=(100, 3)):
        widget.nodes, widget.current = NODES, 2
        note = "compaction 2, 1/5 before: 33 messages, ~68.4k tokens"
        widget.position = Position(63, 78, (0, 20, 40, 70), note, message=32)
        assert lines(widget)[0].endswith("…")
        widget.position = Position(63, 78, (0, 20, 40, 70), message=32)
        assert lines(widget)[0].rstrip().endswith("generation 2 of 4")


def test_outcomes_have_signs_of_their_own() -> None:
    signs = {
        glyph_of(node, False)
        for node in (TimelineNode(1), TimelineNode(1, live=True), TimelineNode(1, outcome="fallback"))
    }
    signs.add(glyph_of(TimelineNode(1, outcome="failed"), False))
    assert len(signs) == 4
    assert (
        glyph_of(TimelineNode(1, outcome="failed"), True)
        != glyph_of(TimelineNode(1, outcome="fallback"), True)
        != "●"
    )


async def test_modes_are_chosen_by_click_and_step() -> None:
    widget = ModeBar((Mode("a", "text"), Mode("b", "calls 2"), Mode("c", "raw")), title="show")
    async with hosting(widget, size=(60, 3)) as host:
        assert lines(widget)[0].startswith("show  ● text  ○ calls 2  ○ raw")
        await host.click(widget, lines(widget)[0].index("calls"), 0)
        widget.step(1)
        widget.step(1)
        widget.choose("a")
        await host.settle()
        assert [message.mode for message in host.messages_of(ModeBar.ModeChosen)] == ["b", "c", "a"]
        widget.set_modes((Mode("x", "x"),), "")
        assert widget.mode == ""
        widget.step(1)
        assert widget.mode == "x"


async def test_a_bar_without_room_takes_short_labels() -> None:
    modes = (Mode("lost", "lost (7)", short="✗ 7"), Mode("same", "verbatim (24)", short="= 24"))
    widget = ModeBar(modes, title="fate")
    async with hosting(widget, size=(60, 3)):
        assert lines(widget)[0].startswith("fate  ● lost (7)  ○ verbatim (24)")
    widget = ModeBar(modes, title="fate")
    async with hosting(widget, size=(24, 3)):
        assert lines(widget)[0].rstrip() == "fate  ● ✗ 7 = 24"


async def test_a_headline_is_as_high_as_its_text_and_safe() -> None:
    widget = Headline(5)
    async with hosting(widget, size=(40, 12)) as host:
        widget.set_lines([line_of(("one", "strong"), (" two", "muted")), TextLine(HOSTILE, prefix="! ")])
        await host.settle()
        assert widget.size.height == 3
        assert lines(widget)[0].startswith("one two")
        assert lines(widget)[2].startswith("  ")
        widget.set_lines([TextLine("x" * 4_000)])
        await host.settle()
        assert widget.size.height == 5
        assert lines(widget)[4] == "x" * 39 + "…"
        for count, last in ((5, "All words"), (6, "All words …")):
            widget.set_lines([TextLine("All words")] * count)
            await host.settle()
            assert [line.rstrip() for line in lines(widget)] == ["All words"] * 4 + [last]


def test_tabs_give_up_the_chosen_ones_long_name_before_all_names() -> None:
    tabs = PaneTabs([PaneTab("message", "1", short="msg"), PaneTab("lineage", "0", short="life")])
    tabs.active = "lineage"
    assert tabs.labels(40) == [" 1 message", " 0 lineage "]
    assert tabs.labels(17) == [" 1 msg", " 0 lineage "]
    assert tabs.labels(14) == [" 1 msg", " 0 life "]
    assert tabs.labels(13) == [" 1msg", " 0 life "]
    assert tabs.labels(12) == [" 1", " 0 lineage "]


SEVEN = ("message", "compaction", "summary", "losses", "cache", "what-if", "findings")
SHORT = {"message": "msg", "compaction": "comp", "summary": "sum", "findings": "finds"}


@pytest.mark.parametrize("active", SEVEN)
async def test_seven_tabs_with_their_full_names_fit_a_row(active: str) -> None:
    tabs = PaneTabs([PaneTab(name, str(key), short=SHORT.get(name, "")) for key, name in enumerate(SEVEN, 1)])
    tabs.active = active
    for width in (72, 78, 80):
        labels = "".join(tabs.labels(width))
        assert labels == "".join(
            f" {key} {name}{' ' if name == active else ''}" for key, name in enumerate(SEVEN, 1)
        )
        assert len(labels) <= width
    narrow = tabs.labels(70)
    assert sum(map(len, narrow)) <= 70
    assert sum(label.strip().split()[-1] not in SEVEN for label in narrow) == 1, "one name gives way, not all"
    async with hosting(tabs, size=(80, 48)):
        assert tabs.size.height == 1


async def test_the_marker_of_a_replay_never_jumps_back() -> None:
    """The text beside the line differs in length from step to step."""
    widget = Timeline()
    async with hosting(widget, size=(160, 3)):
        widget.nodes, widget.current = NODES, 2
        places = []
        for step in range(1, 344):
            note = "compaction 1, 1/5 before: 214 messages, ~167k tokens" if step % 7 == 0 else ""
            widget.position = Position(step, 343, (0, 100, 200, 300), note)
            places.append(lines(widget)[0].index("▮"))
    assert places == sorted(places)
    assert places[-1] > places[0]


async def test_notes_that_do_not_fit_follow_when_the_others_are_put_away() -> None:
    bar = NotesBar()
    sentences = [f"{name} is damaged, and it cannot be read. {'Copy it first. ' * 10}" for name in "abc"]
    async with hosting(bar, size=(80, 24), set_up=lambda: bar.show(sentences)) as host:
        read = []
        for left in (2, 1, 0):
            await host.settle()
            text = str(bar.render())
            assert (f"[esc shows {left} more]" in text) is bool(left)
            read.append([name for name in "abc" if f"{name} is damaged" in text])
            assert bar.size.height <= 6
            bar.dismiss()
        await host.settle()
        assert read == [["a"], ["b"], ["c"]]
        assert not bar.display
        assert [message.sentences for message in host.messages_of(NotesBar.Dismissed)] == [
            (sentence,) for sentence in sentences
        ]
        bar.show([sentence[:20] for sentence in sentences])
        await host.settle()
        assert "more]" not in str(bar.render())
