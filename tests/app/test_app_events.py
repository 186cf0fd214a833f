"""Events of live conversations as notifications: compacted, lost, near the threshold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.running import CHECKOUT, made, press, running, settled, told, until
from tests.stores.writer import Writer, create, talk
from widgets.base.prompt import AskPrompt, FindPrompt

BODY = "## Goal\nMove the checkout.\n\n## Completed Actions\n1. Read the client.\n2. Patched it.\n"
RULE = {"role": "user", "content": "Never push to the main branch. The pool has 34 connections."}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.app.conversations.screen._FOLLOW_SECONDS", 0.01)


def written(path: Path) -> Writer:
    writer = Writer(create(path, 22, fts=False))
    writer.begin()
    writer.say([*talk(4), RULE, *talk(40, start=8)])
    writer.db.commit()
    return writer


def compact(writer: Writer) -> None:
    writer.compact(3, len(writer.live) - 3, BODY)
    writer.say([{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Done."}])
    writer.db.commit()


async def test_a_compaction_and_its_losses_are_shown_in_the_list(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = written(path)
    async with running(path) as pilot:
        compact(writer)
        await until(pilot, lambda: any("compacted" in text for text in told(pilot)))
        (text,) = told(pilot)
        assert "Never push to the main branch" in text
        before = len(told(pilot))
        await press(pilot, "r")
        await settled(pilot)
        assert len(told(pilot)) == before, "each event is shown once"


async def test_the_events_come_over_an_open_conversation_too(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = written(path)
    async with running(path, "s0") as pilot:
        compact(writer)
        await until(pilot, lambda: any("compacted" in text for text in told(pilot)))


async def test_desktop_notifications_are_off_until_they_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = written(path)
    sent: list[str] = []
    app = made(path, outside=sent.append)
    async with app.run_test() as pilot:
        await settled(pilot)
        app.show_event("s0", "compacted", "warning")
        assert sent == []
        app.action_alerts()
        compact(writer)
        await until(pilot, lambda: bool(sent))
        assert sent[0].startswith("\x1b]9;")
    assert app.saved.alerts


async def test_events_take_one_line_of_a_low_screen_and_leave_its_lower_part_free(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = written(path)
    app = made(path, name="s0")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        compact(writer)
        await until(pilot, lambda: any("lost:" in text for text in told(pilot)))
        await settled(pilot)
        (toast,) = [toast for toast in pilot.app.screen.query("Toast") if "lost:" in str(toast.render())]
        assert toast.region.height == 1
        assert "(and 1 more)" in str(toast.render())
        assert toast.region.bottom < 4


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["low", "high"])
async def test_a_notification_leaves_the_line_to_type_into_free(
    rotating: Path, size: tuple[int, int]
) -> None:
    async with made(rotating, name=CHECKOUT).run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        for key, prompt in (("/", FindPrompt), ("W", AskPrompt)):
            await press(pilot, key)
            pilot.app.notify("The harbor is closed.", timeout=60)
            await settled(pilot)
            (line,) = [one for one in pilot.app.screen.query(prompt) if one.display]
            toasts = [toast.region for toast in pilot.app.screen.query("Toast")]
            assert toasts
            assert not any(toast.overlaps(line.region) for toast in toasts)
            await press(pilot, "escape")
