"""A screen that closes while threads are working: late results are dropped, and nothing breaks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event

import pytest

from inspector.app.conversation import opening
from inspector.app.conversations.screen import ConversationsScreen
from inspector.app.jobs import Job, JobMessage
from inspector.core.errors import StoreError
from tests.app.running import CHECKOUT, conversation, conversations, press, rows, running, settled
from widgets.bars.notes_bar import NotesBar


def late(taken: list[object]) -> JobMessage:
    """A late result of a job."""
    job = Job("late", (), (), lambda: None, taken.append, None, taken.append, taken.append)
    return JobMessage(job, taken.append, 1, last=True)


async def test_results_for_a_closed_screen_are_dropped(rotating: Path) -> None:
    taken: list[object] = []
    async with running(rotating) as pilot:
        await press(pilot, "enter")
        screen = conversation(pilot)
        assert not screen.left
        screen.jobs.run("late", (), lambda watch: 1, taken.append, rest=3600)
        await pilot.press("escape")
        await press(pilot)
        assert conversations(pilot) is pilot.app.screen
        assert screen.left
        screen.post_message(late(taken))
        await press(pilot)
        assert taken == []


async def test_the_list_below_a_conversation_still_gets_results_of_its_threads(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        below = pilot.app.screen_stack[0]
        assert conversation(pilot) is pilot.app.screen
        assert isinstance(below, ConversationsScreen)
        assert not below.left


async def test_an_ending_app_gets_no_results(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        screen = conversation(pilot)
        before = dict(rows(pilot).exact)
        pilot.app.exit()
        assert screen.left
        assert dict(rows(pilot).exact) == before


async def test_leaving_cancels_reading(rotating: Path) -> None:
    """A reading thread learns that its result is not needed."""
    begun, ended = Event(), Event()

    def forever(*values: object) -> None:
        watch = values[-1]
        begun.set()
        try:
            while True:
                watch.check()  # type: ignore[attr-defined]
        finally:
            ended.set()

    async with running(rotating) as pilot:
        await press(pilot, "enter")
        screen = conversation(pilot)
        screen.jobs.run("forever", (), forever)
        assert await asyncio.to_thread(begun.wait, 60.0)
        assert not ended.is_set()
        await pilot.press("escape")
        assert await asyncio.to_thread(ended.wait, 60.0)


async def test_a_conversation_that_cannot_be_opened_is_left_below_the_help(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()

    def refuse(*values: object) -> None:
        go_on.wait(60)
        raise StoreError("It cannot be read.")

    monkeypatch.setattr(opening, "open_conversation", refuse)
    async with running(rotating) as pilot:
        pilot.app.open_conversation(CHECKOUT)  # type: ignore[attr-defined]
        await pilot.pause()
        await pilot.press("?")
        go_on.set()
        await settled(pilot)
        assert "It cannot be read." in conversations(pilot).query_one(NotesBar).sentences
