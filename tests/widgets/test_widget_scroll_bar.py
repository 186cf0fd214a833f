"""The scrollbar of lists looks and works as Textual's own."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.scrollbar import ScrollBarRender

from widgets.base.scroll_bar import LineBar
from widgets.lists.message_list import ListSource, MessageList, MessageRow

HEIGHT = 20


class Page(App[None]):
    """A list with more rows than lines."""

    def compose(self) -> ComposeResult:
        """Show the list."""
        yield MessageList()


@pytest.mark.parametrize("row", [0, 90, 91, 333, 599])
async def test_each_line_looks_as_textual_draws_it(row: int) -> None:
    app = Page()
    async with app.run_test(size=(60, HEIGHT)) as pilot:
        messages = app.query_one(MessageList)
        messages.set_rows(
            ListSource([MessageRow(str(n), "user", f"text {n}") for n in range(600)]), cursor=row
        )
        await pilot.pause()
        bar = messages.vertical_scrollbar
        for over in (False, True):
            bar.mouse_over = over
            pictures = []
            for renderer in (LineBar, ScrollBarRender):
                bar.renderer = renderer  # type: ignore[misc]
                bar.refresh()
                await pilot.pause()
                pictures.append(bar.render_lines(Region(0, 0, 1, HEIGHT)))
            assert [list(strip) for strip in pictures[0]] == [list(strip) for strip in pictures[1]]


async def test_a_click_on_it_scrolls() -> None:
    app = Page()
    async with app.run_test(size=(60, HEIGHT)) as pilot:
        messages = app.query_one(MessageList)
        messages.set_rows(ListSource([MessageRow(str(n), "user", f"text {n}") for n in range(600)]))
        await pilot.pause()
        scrolled = asyncio.Event()
        app.watch(messages, "scroll_y", lambda: scrolled.set(), init=False)
        await pilot.click(messages.vertical_scrollbar, offset=(0, HEIGHT - 1))
        # Textual scrolls at its next tick.
        await asyncio.wait_for(scrolled.wait(), 60)
        assert messages.scroll_offset.y > 0
