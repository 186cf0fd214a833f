"""The message list: rows on demand, cursor, boundaries, marks, follow."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tests.widgets.widget_host import HOSTILE, hosting, lines
from widgets.lists.message_list import BoundaryLine, ListSource, MessageList, MessageRow, token_text


def rows(count: int, **changes: object) -> ListSource:
    return ListSource(
        [MessageRow(label=str(i), role="user", text=f"text {i}", **changes) for i in range(count)]
    )


class Lazy:
    """Rows that are only partly loaded."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.loaded: set[int] = set()
        self.asked: set[int] = set()
        self.calls = 0

    def __len__(self) -> int:
        return self.count

    def row(self, index: int) -> MessageRow:
        self.asked.add(index)
        self.calls += 1
        return MessageRow(str(index), "tool", f"loaded {index}" if index in self.loaded else None)


async def test_a_million_rows_ask_for_those_on_screen_only() -> None:
    source, widget = Lazy(1_000_000), MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(source, cursor=700_000)) as host:
        assert len(source.asked) < 200
        assert widget.cursor == 700_000
        assert 700_000 in widget.visible_rows
        assert host.widget.virtual_size.height == 1_000_000
        assert host.widget.scroll_offset.y > 699_000


async def test_missing_rows_are_asked_for_once_and_shown_when_loaded() -> None:
    source, widget = Lazy(1_000), MessageList()
    async with hosting(widget) as host:
        widget.set_rows(source)
        await host.settle()
        wanted = host.messages_of(MessageList.RowsWanted)
        assert len(wanted) == 1
        assert set(range(24)) <= set(wanted[0].rows)
        widget.refresh()
        await host.settle()
        assert len(host.messages_of(MessageList.RowsWanted)) == 1
        assert "…" in lines(widget)[0]
        source.loaded.update(wanted[0].rows)
        widget.rows_changed()
        assert "loaded 0" in lines(widget)[0]
        await host.press("end")
        assert 999 in host.messages_of(MessageList.RowsWanted)[-1].rows


async def test_rows_are_asked_for_before_they_are_on_screen_and_draw_nothing_when_they_come() -> None:
    source, widget = Lazy(1_000), MessageList()
    async with hosting(widget) as host:
        widget.set_rows(source)
        await host.settle()
        source.loaded.update(host.messages_of(MessageList.RowsWanted)[0].rows)
        widget.rows_changed()
        await host.settle()
        while len(asked := host.messages_of(MessageList.RowsWanted)) < 2:
            await host.press("pagedown")
            assert set(widget.visible_rows) <= source.loaded
        assert widget.visible_rows[-1] < 999
        await host.settle()
        before = source.calls
        source.loaded.update(asked[1].rows)
        widget.rows_changed()
        await host.settle()
        assert source.calls == before


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        (["down", "j", "up"], 1),
        (["end"], 99),
        (["G"], 99),
        (["G", "g"], 0),
        (["end", "home"], 0),
        (["k"], 0),
        (["pagedown"], 23),
        (["pagedown", "pageup"], 0),
        (["ctrl+d"], 12),
        (["ctrl+d", "ctrl+u"], 0),
    ],
)
async def test_keys_move_the_cursor(keys: list[str], cursor: int) -> None:
    widget = MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(rows(100))) as host:
        await host.press(*keys)
        assert widget.cursor == cursor
        assert cursor in widget.visible_rows
        posted = [message.row for message in host.messages_of(MessageList.Selected)]
        assert posted[-1:] == ([cursor] if keys != ["k"] else [])


async def test_enter_and_double_click_open_a_click_selects() -> None:
    widget = MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(rows(100))) as host:
        await host.press("down", "enter")
        assert [message.row for message in host.messages_of(MessageList.Opened)] == [1]
        await host.click(widget, 5, 7)
        assert widget.cursor == 7
        await host.click(widget, 5, 9, 2)
        assert [message.row for message in host.messages_of(MessageList.Opened)] == [1, 9]


async def test_a_click_on_a_boundary_selects_nothing() -> None:
    widget = MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(rows(10))) as host:
        widget.set_boundaries([BoundaryLine(3, "head_end", "planned")])
        await host.settle()
        await host.click(widget, 5, 3)
        assert widget.cursor == 0
        await host.click(widget, 5, 4)
        assert widget.cursor == 3


async def test_recorded_and_planned_boundaries_look_different_without_colour() -> None:
    widget = MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(rows(10))):
        widget.set_boundaries(
            [
                BoundaryLine(10, "tail_start", "planned", "past the end"),
                BoundaryLine(3, "head_end", "planned"),
                BoundaryLine(3, "head_end", "recorded"),
            ]
        )
        drawn = lines(widget)
        assert drawn[3].startswith("━━━ recorded head_end 3 ━")
        assert drawn[4].startswith("╌╌╌ planned head_end 3 ╌")
        assert "text 3" in drawn[5]
        assert drawn[12].startswith("╌╌╌ planned tail_start 10 · past the end")
        assert widget.line_count == 13
        assert [widget.row_at(line) for line in (2, 3, 4, 5, 11, 12)] == [2, None, None, 3, 9, None]
        assert [widget.line_of(row) for row in (2, 3, 9)] == [2, 5, 11]


async def test_boundaries_do_not_move_the_row_under_the_cursor() -> None:
    widget = MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(rows(200), cursor=100)) as host:
        before = next(y for y, line in enumerate(lines(widget)) if "text 100" in line)
        widget.set_boundaries(
            [BoundaryLine(3, "head_end", "planned"), BoundaryLine(50, "tail_start", "planned")]
        )
        await host.settle()
        assert "text 100" in lines(widget)[before]


async def test_rows_show_region_tokens_and_marks() -> None:
    widget = MessageList()
    source = ListSource(
        [
            MessageRow("sys", "system", "You are", "head", 2_100, "exact", breakpoint=1),
            MessageRow("5", "tool", "ran", "middle", 1_240, "rough", 24, flags=frozenset({"error"})),
            MessageRow("6", "user", "Great", "tail", 31, flags=frozenset({"summary", "finding"})),
        ]
    )
    async with hosting(widget, set_up=lambda: widget.set_rows(source, cursor=2)):
        first, second, third = lines(widget)[:3]
        assert first.startswith("▎ sys system")
        assert " 2.1k " in first
        assert first.rstrip().endswith("⚑1")
        assert second.startswith("┊")
        assert "✂ ~1.2k → 24 ✗" in second
        assert third.startswith("▌›")
        assert "~31 !Σ" in third


@pytest.mark.parametrize("width", [20, 30, 44, 80, 160])
async def test_hostile_and_wide_text_keeps_every_line_in_its_cells(width: int) -> None:
    widget = MessageList()
    texts = [HOSTILE, "日本語のテスト" * 40, "👩‍👩‍👧 ☁️ family", "x" * 1_000_000, "", "\x00" * 500, "é" * 300]
    source = ListSource(
        [
            MessageRow(
                HOSTILE if i == 0 else str(i),
                HOSTILE if i == 1 else "assistant",
                text,
                "head",
                10**9,
                breakpoint=4,
            )
            for i, text in enumerate(texts)
        ]
    )
    async with hosting(widget, size=(width, 10), set_up=lambda: widget.set_rows(source)):
        drawn = lines(widget)
        assert len({cell_len(line) for line in drawn}) == 1
        assert "\x1b" not in "".join(drawn)
        assert "[/foo]" in drawn[0] or width < 100


async def test_the_highlight_marks_what_is_found() -> None:
    widget = MessageList()
    async with hosting(widget, set_up=lambda: widget.set_rows(rows(30))):
        widget.set_highlight("TEXT")
        found = widget.ink("found")
        strip = widget.render_line(3)
        assert [
            segment.text for segment in strip if segment.style and segment.style.bgcolor == found.bgcolor
        ] == ["text"]
        widget.set_highlight("")
        assert not [s for s in widget.render_line(3) if s.style and s.style.bgcolor == found.bgcolor]


async def test_growth_moves_only_a_cursor_at_the_end() -> None:
    widget, items = MessageList(), [MessageRow(str(i), "user", "x") for i in range(50)]
    async with hosting(widget, set_up=lambda: widget.set_rows(ListSource(items), cursor=20)) as host:
        items.extend(MessageRow(str(i), "user", "x") for i in range(50, 60))
        widget.rows_changed()
        await host.settle()
        assert widget.cursor == 20
        assert host.messages_of(MessageList.Selected) == []
        await host.press("end")
        items.extend(MessageRow(str(i), "user", "x") for i in range(60, 70))
        widget.rows_changed()
        await host.settle()
        assert widget.cursor == 69
        assert host.messages_of(MessageList.Selected)[-1].row == 69
        del items[5:]
        widget.rows_changed()
        await host.settle()
        assert widget.cursor == 4


async def test_an_empty_list_takes_every_key() -> None:
    widget = MessageList()
    async with hosting(widget) as host:
        await host.press("down", "up", "end", "home", "pagedown", "enter")
        await host.click(widget, 3, 3)
        assert host.messages_of(MessageList.Selected) == host.messages_of(MessageList.Opened) == []
        assert widget.cursor == 0
        assert widget.visible_rows == range(0)


async def test_a_smaller_terminal_keeps_the_cursor_in_view() -> None:
    widget = MessageList()
    async with hosting(widget, size=(100, 40), set_up=lambda: widget.set_rows(rows(100), cursor=38)) as host:
        await host.pilot.resize_terminal(80, 24)
        await host.settle()
        assert 38 in widget.visible_rows


def test_token_text() -> None:
    assert token_text(MessageRow("1", "user", "")) == ""
    assert (
        token_text(
            MessageRow("1", "user", "", tokens=1_240, token_kind="exact", pruned_tokens=24), short=True
        )
        == "✂24"
    )


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark", "ansi-light"])
async def test_every_theme_draws_the_cursor_so_that_it_can_be_read(theme: str) -> None:
    widget = MessageList()
    source = ListSource(
        [MessageRow("0", "tool", "text", "head", 5), MessageRow("1", "user", "text", "tail", 5)]
    )
    async with hosting(widget, set_up=lambda: widget.set_rows(source)) as host:
        host.theme = theme
        await host.settle()
        cursor, other = widget.render_line(0), widget.render_line(1)
        styles = {segment.style for segment in cursor}
        if theme.startswith("ansi"):
            assert len(styles) == 1
            assert all(style is not None and style.reverse for style in styles)
        else:
            colours = {style.bgcolor for style in styles if style is not None}
            assert colours.isdisjoint({segment.style.bgcolor for segment in other if segment.style})
        assert cursor.text[1] == "›"
