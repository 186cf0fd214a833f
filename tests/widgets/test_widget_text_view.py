"""The text view: long text without freezing, styles, find, selection, resizing."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.geometry import Offset
from textual.selection import Selection

from tests.counting import calls_of
from tests.widgets.widget_host import HOSTILE, Host, hosting, lines
from widgets.base import text_layout
from widgets.base.text_layout import PIECE
from widgets.base.text_lines import Span, TextLine
from widgets.intents import CopyText
from widgets.panes import text_view
from widgets.panes.text_view import TextView


async def laid_out(host: Host, widget: TextView) -> None:
    """Wait until every row is laid out; the layout continues whenever the app is idle."""
    while not widget.fully_laid_out:
        rows = widget.virtual_size.height
        await host.settle()
        assert widget.fully_laid_out or widget.virtual_size.height > rows, "the layout does not go on"


async def test_text_is_wrapped_at_words() -> None:
    widget = TextView()
    async with hosting(
        widget, size=(20, 8), set_up=lambda: widget.set_text("the quick brown fox jumps\n\nover")
    ):
        assert [line.rstrip() for line in lines(widget)[:4]] == ["the quick brown fox", "jumps", "", "over"]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "日本語 " * 100_000,
        "line of text\n" * 80_000,
        "\x1b[31m" * 200_000,
        ("long " * 20_000 + "\n") * 10,
    ],
    ids=["one line", "wide", "many lines", "escapes", "long lines"],
)
async def test_a_megabyte_shows_its_start_at_once_and_its_end_soon(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = calls_of(monkeypatch, text_layout, "breaks")
    widget = TextView()
    async with hosting(widget, size=(80, 24)) as host:
        # No time budget: only the required rows are laid out at once.
        monkeypatch.setattr(text_view, "SLICE", 0.0)
        broken.clear()
        widget.set_text(text)
        assert lines(widget)[0].strip()
        # The first line, and enough lines to fill the screen.
        first = len(text.split("\n", 1)[0])
        assert sum(len(part) for part, _ in broken) <= first + PIECE
        monkeypatch.setattr(text_view, "SLICE", 0.05)
        await host.press("end")
        await laid_out(host, widget)
        await host.settle()
        # Each character is laid out once.
        assert sum(len(part) for part, _ in broken) <= len(text) + PIECE
        assert widget.scroll_offset.y == widget.virtual_size.height - widget.size.height
        assert lines(widget)[-2].strip()


async def test_hostile_text_is_shown_and_not_obeyed() -> None:
    widget = TextView()
    async with hosting(widget, size=(31, 8), set_up=lambda: widget.set_text(HOSTILE)):
        shown = "".join(line.rstrip("\n") for line in lines(widget))
        assert "␛[31mred" in shown
        assert "[/foo]" in shown
        assert {cell_len(line) for line in lines(widget)} == {30}


async def test_styled_lines_have_prefixes_spans_and_hanging_indents() -> None:
    widget = TextView()
    line = TextLine("one two three four", spans=(Span(4, 7, "added"),), prefix=" + ", prefix_style="added")
    async with hosting(widget, size=(17, 6), set_up=lambda: widget.set_lines([line])):
        first, second = lines(widget)[:2]
        assert (first.rstrip(), second.rstrip()) == (" + one two three", "   four")
        added = [
            s.text for s in widget.render_line(0) if s.style and s.style.color == widget.ink("added").color
        ]
        assert added == [" + ", "two"]


async def test_spans_of_a_text_that_had_to_be_made_safe_are_dropped() -> None:
    widget = TextView()
    line = TextLine("\x1b[31m two", spans=(Span(6, 9, "added"),))
    async with hosting(widget, size=(30, 6), set_up=lambda: widget.set_lines([line])):
        styles = {s.style.color for s in widget.render_line(0) if s.style}
        assert widget.ink("added").color not in styles


async def test_find_counts_goes_round_and_scrolls() -> None:
    widget = TextView()
    text = "\n".join(f"line {i} needle" if i % 100 == 50 else f"line {i}" for i in range(1_000))
    async with hosting(widget, size=(60, 12), set_up=lambda: widget.set_text(text)) as host:
        assert widget.find("NEEDLE") == 10
        await host.settle()
        assert any("line 50 needle" in line for line in lines(widget))
        await host.press("n")
        assert any("line 150 needle" in line for line in lines(widget))
        await host.press("N", "N")
        assert any("line 950 needle" in line for line in lines(widget))
        assert widget.find("absent") == 0
        assert widget.find("") == 0


async def test_a_match_across_two_rows_is_marked_in_both() -> None:
    widget = TextView()
    async with hosting(widget, size=(11, 6), set_up=lambda: widget.set_text("x" * 8 + "needle" + "y" * 8)):
        widget.find("needle")
        mark = widget.ink("found-current").bgcolor
        marked = [
            s.text for y in (0, 1) for s in widget.render_line(y) if s.style and s.style.bgcolor == mark
        ]
        assert marked == ["ne", "edle"]


async def test_rows_are_as_wide_with_a_scrollbar_as_without() -> None:
    widget = TextView()
    text = "ab " * 40
    async with hosting(widget, size=(20, 12), set_up=lambda: widget.set_text(text)) as host:
        before = lines(widget)[0]
        widget.set_text(text * 40)
        await host.settle()
        assert widget.show_vertical_scrollbar
        assert lines(widget)[0] == before


@pytest.mark.parametrize("slice_of_time", [0.0, 1.0], ids=["line by line", "at once"])
async def test_the_place_stays_when_the_width_changes(
    slice_of_time: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_view, "SLICE", slice_of_time)
    widget = TextView()
    text = "\n".join(f"paragraph {i} " + "word " * 40 for i in range(300))
    async with hosting(widget, size=(120, 20), set_up=lambda: widget.set_text(text)) as host:
        widget.show_line(200)
        await host.settle()
        top = lines(widget)[0]
        await host.pilot.resize_terminal(50, 20)
        await host.settle()
        number = top.split()[1] if top.startswith("paragraph") else None
        shown = lines(widget)
        assert number is None or shown[0].startswith(f"paragraph {number} ")
        assert widget.scroll_offset.y > 500


async def test_keys_scroll() -> None:
    widget = TextView()
    async with hosting(widget, size=(40, 10), set_up=lambda: widget.set_text("a\n" * 100)) as host:
        for keys, y in (
            (("j", "down"), 2),
            (("k",), 1),
            (("pagedown",), 10),
            (("g",), 0),
            (("G",), 91),
            (("ctrl+u",), 87),
        ):
            await host.press(*keys)
            assert widget.scroll_offset.y == y


async def test_clicks_tell_the_line_and_its_tag() -> None:
    widget = TextView()
    value = [TextLine("word " * 10, tag="first"), TextLine("second", tag="second")]
    async with hosting(widget, size=(30, 8), set_up=lambda: widget.set_lines(value)) as host:
        await host.click(widget, 3, 1)
        await host.click(widget, 3, 2)
        await host.click(widget, 3, 6)
        clicked = [(message.line, message.tag) for message in host.messages_of(TextView.LineClicked)]
        assert clicked == [(0, "first"), (1, "second")]


async def test_a_selection_joins_wrapped_rows() -> None:
    widget = TextView()
    async with hosting(
        widget, size=(20, 8), set_up=lambda: widget.set_text("the quick brown fox jumps\nover")
    ):
        everything = widget.get_selection(Selection(None, None))
        assert everything == ("the quick brown fox jumps\nover", "\n")
        part = widget.get_selection(Selection(Offset(4, 0), Offset(5, 1)))
        assert part == ("quick brown fox jumps", "\n")


async def test_copying_returns_the_original_text() -> None:
    widget = TextView()
    async with hosting(widget, set_up=lambda: widget.set_text(HOSTILE)) as host:
        await host.press("y")
        assert [message.text for message in host.messages_of(CopyText)] == [HOSTILE]


async def test_unwrapped_lines_are_cut() -> None:
    widget = TextView()
    value = [TextLine("日本語" * 30), TextLine("b")]
    async with hosting(widget, size=(22, 6), set_up=lambda: widget.set_lines(value, wrap=False)):
        assert cell_len(lines(widget)[0]) == 21
        assert lines(widget)[0].rstrip().endswith("…")
        assert lines(widget)[1].startswith("b")


async def test_the_highlight_stays_on_its_tag_when_lines_come_and_go() -> None:
    listed = [TextLine(name, tag=name) for name in ("one", "two", "three")]
    widget = TextView()
    async with hosting(widget, set_up=lambda: widget.set_lines(listed)):
        widget.set_active(2)
        widget.set_lines([TextLine("new", tag="new"), *listed], keep_place=True)
        assert (widget.active, widget.active_tag) == (3, "three")
        widget.set_lines(listed[:2], keep_place=True)
        assert (widget.active, widget.active_tag) == (None, "")
        widget.step_tag(1)
        assert widget.active_tag == "one"
