"""The list of conversations: opening, filter, sort, search, ages, broken databases."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from threading import Event

import pytest
from textual.widgets import Input

from inspector.answers.answers import Answers
from inspector.answers.conversations import list_conversations
from inspector.app.conversations.reading import read_index
from inspector.app.events import StoreChanged
from inspector.app.launch import shows_most, theme_on
from inspector.app.search.screen import HitList, SearchScreen, marked_word
from inspector.config.folders import state_dir
from inspector.core.conversations import ConversationRow
from inspector.core.errors import StoreError
from inspector.core.watching import Watch
from inspector.export.conversations import conversation_documents
from inspector.stores.base import Store
from inspector.stores.detect import open_store
from inspector.stores.several import SeveralStores
from tests.app.running import (
    CHECKOUT,
    conversation,
    conversations,
    cursor,
    marked,
    notes,
    opened,
    press,
    rows,
    running,
    screen_text,
    settled,
    title,
    told,
    until,
    write,
)
from tests.examples import also
from tests.recipes import recipe
from tests.stores.writer import Writer, create, session, simple, talk
from widgets.bars.key_line import KeyLine
from widgets.bars.title_bar import TitleBar
from widgets.lists.conversation_table import ConversationTable


async def test_it_opens_on_every_conversation(rotating: Path) -> None:
    async with running(rotating) as pilot:
        table = conversations(pilot).query_one(ConversationTable)
        entries = {entry.title: entry for n in range(table.row_count) if (entry := table.entry(n))}
        assert table.has_focus
        assert len(entries) == 5
        assert entries[CHECKOUT].compactions == 4
        assert entries[CHECKOUT].tokens
        assert entries["Numbers for the weekly report"].compactions == 0
        assert title(pilot).startswith("compaction-inspector ─ hermes-0.13-rotating.db ─ 5 conversations")
        assert [
            line.split()[-2] for line in screen_text(pilot).splitlines() if "weekly report  " in line
        ] == ["2026-03-13"]
        assert " 0 " in next(line for line in screen_text(pilot).splitlines() if "weekly report  " in line)


async def test_enter_opens_and_escape_returns_to_the_same_row(rotating: Path) -> None:
    async with running(rotating) as pilot:
        table = conversations(pilot).query_one(ConversationTable)
        await press(pilot, "down", "down")
        chosen = table.current
        await press(pilot, "enter")
        assert opened(pilot).inspection.conversation.id == chosen
        await press(pilot, "escape")
        assert conversations(pilot).query_one(ConversationTable).current == chosen


async def test_a_conversation_that_cannot_be_opened_says_so_each_time(rotating: Path) -> None:
    async with running(rotating) as pilot:
        for _ in range(2):
            pilot.app.open_conversation("nowhere")  # type: ignore[attr-defined]
            await settled(pilot)
            assert any("nowhere" in note for note in notes(pilot))
            await press(pilot, "escape")
            assert not notes(pilot)


@pytest.mark.parametrize("key", also("", "l"))
async def test_a_list_is_read_again_if_the_store_changed_while_a_read_failed(
    rotating: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    reads = 0
    async with running(rotating) as pilot:
        await press(pilot, *key)
        screen = pilot.app.screen

        def failing_while_written(store: Store, watch: Watch) -> tuple[ConversationRow, ...]:
            nonlocal reads
            reads += 1
            if reads == 1:
                pilot.app.call_from_thread(screen.post_message, StoreChanged())
                raise StoreError("The file is written at this moment.")
            return read_index(store, watch)

        monkeypatch.setattr(f"{type(screen).__module__}.read_index", failing_while_written)
        screen.post_message(StoreChanged())
        await settled(pilot)
        assert reads == 2
        assert not [note for note in notes(pilot) if "written at this moment" in note]


async def test_notes_of_the_store_go_when_they_no_longer_hold(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, found = open_store(rotating), ["1 file cannot be read."]
    monkeypatch.setattr(type(store), "notes", property(lambda _: tuple(found)))
    async with running(rotating) as pilot:
        assert notes(pilot) == ("1 file cannot be read.",)
        found[:] = ["2 files cannot be read."]
        await press(pilot, "r")
        assert notes(pilot) == ("2 files cannot be read.",)
        found.clear()
        await press(pilot, "r")
        assert notes(pilot) == ()


async def test_a_note_about_a_lock_goes_with_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.stores.hermes.connection._BUSY_SECONDS", 0.01)
    path = simple(tmp_path / "state.db", sessions=1, journal="delete")
    async with running(path) as pilot:
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("UPDATE sessions SET title = title")
        path.touch()
        await press(pilot, "r")
        await until(pilot, lambda: ["is locked" in note for note in notes(pilot)] == [True])
        writer.execute("ROLLBACK")
        writer.close()
        await until(pilot, lambda: not notes(pilot))


async def test_the_list_has_its_own_styles(rotating: Path, tmp_path: Path) -> None:
    async with running(rotating, size=(100, 24)) as pilot:
        screen = conversations(pilot)
        assert not screen.show_vertical_scrollbar
        assert screen.query_one(ConversationTable).region.bottom == screen.query_one(KeyLine).region.y == 23
        assert screen.query_one(KeyLine).region.width == 100
    create(tmp_path / "state.db").close()
    async with running(tmp_path / "state.db", size=(100, 24)) as pilot:
        lines = screen_text(pilot).splitlines()
        (row,) = [place for place, line in enumerate(lines) if "no conversations here" in line]
        assert 8 < row < 16, "it stands in the middle"


async def test_messages_that_the_user_undid_are_not_counted(in_place: Path) -> None:
    answers = conversation_documents(list_conversations(Answers.of([in_place], {}, None)))
    async with running(in_place) as pilot:
        table = conversations(pilot).query_one(ConversationTable)
        shown = {entry.id: entry.messages for n in range(table.row_count) if (entry := table.entry(n))}
        assert shown == {entry["id"]: entry["messages"] for entry in answers}
        assert f"{sum(shown.values())} messages" in title(pilot)
        conversations(pilot).action_reload()
        await settled(pilot)
        again = {entry.id: entry.messages for n in range(table.row_count) if (entry := table.entry(n))}
        assert again == shown


async def test_a_conversation_opened_by_name_returns_to_the_whole_list(rotating: Path) -> None:
    async with running(rotating, CHECKOUT) as pilot:
        await press(pilot, "escape")
        table = conversations(pilot).query_one(ConversationTable)
        here = table.entry(table.cursor)
        assert here is not None
        assert here.title == CHECKOUT, "the cursor is where one was"
        assert here.findings == 5
        await press(pilot, "home", "question_mark", "escape")
        assert table.cursor == 0, "help is no conversation to go back to"


async def test_the_filter_follows_typing(rotating: Path) -> None:
    async with running(rotating) as pilot:
        table = conversations(pilot).query_one(ConversationTable)
        await press(pilot, "slash")
        await write(pilot, "weekly")
        assert table.row_count == 2
        found = table.current
        assert "2 of 5 conversations" in title(pilot)
        await write(pilot, "zzz")
        assert table.row_count == 0
        assert "No conversation matches “weeklyzzz”. Press escape" in screen_text(pilot)
        await press(pilot, "enter", "escape")
        assert table.row_count == 5
        assert table.current == found, "the cursor is where it was before nothing was left"
        assert "No conversation matches" not in screen_text(pilot)
        assert not conversations(pilot).query_one("#filter", Input).display
        assert "5 conversations" in title(pilot)


async def test_a_narrow_title_says_that_a_filter_hides_conversations(rotating: Path) -> None:
    async with running(rotating, size=(60, 24)) as pilot:
        bar = conversations(pilot).query_one(TitleBar)
        await press(pilot, "slash")
        await write(pilot, "weekly")
        bar.state = "reading losses 2 of 5 …"
        await settled(pilot)
        assert "2 of 5 conversations" in screen_text(pilot).splitlines()[0]


async def test_the_keys_of_the_filter_are_shown_while_typing(rotating: Path) -> None:
    async with running(rotating) as pilot:
        keys = pilot.app.screen.query_one(KeyLine)
        assert "/ Filter" in keys.render_line(0).text
        await press(pilot, "slash")
        shown = keys.render_line(0).text
        assert [part in shown for part in ("⏎ Keep", "esc Clear", "↓ To the list", "Filter", "f Search")] == [
            *[True] * 3, *[False] * 2,
        ]  # fmt: skip
        await write(pilot, "weekly/")
        assert conversations(pilot).query_one("#filter", Input).value == "weekly/"
        await press(pilot, "backspace", "down")
        table = conversations(pilot).query_one(ConversationTable)
        assert table.has_focus
        assert table.row_count == 2
        await press(pilot, "slash", "escape")
        assert (table.has_focus, table.row_count) == (True, 5)


async def test_sort_is_remembered(rotating: Path) -> None:
    async with running(rotating) as pilot:
        table = conversations(pilot).query_one(ConversationTable)
        before = table.sort
        await press(pilot, "s")
        chosen = table.sort
        assert chosen != before
        await press(pilot, "S")
        assert table.sort == (chosen[0], not chosen[1])
        await press(pilot, "q")
    async with running(rotating) as pilot:
        assert conversations(pilot).query_one(ConversationTable).sort == (chosen[0], not chosen[1])


async def test_a_click_sorts_and_a_double_click_opens(rotating: Path) -> None:
    async with running(rotating) as pilot:
        table = conversations(pilot).query_one(ConversationTable)
        await pilot.click(ConversationTable, offset=(4, 0))
        await settled(pilot)
        assert table.sort[0] == "title"
        await pilot.click(ConversationTable, offset=(4, 2))
        chosen = table.current
        assert chosen == table.entry(1).id  # type: ignore[union-attr]
        await pilot.click(ConversationTable, offset=(4, 2), times=2)
        await settled(pilot)
        assert opened(pilot).inspection.conversation.id == chosen


async def test_search_finds_and_opens_at_the_message_of_an_earlier_list(rotating: Path) -> None:
    async with running(rotating, size=(80, 24)) as pilot:
        await press(pilot, "f")
        await write(pilot, "create_order")
        await press(pilot, "enter")
        hits = pilot.app.screen.query_one(HitList)
        assert len(hits.entries) > 3
        assert hits.has_focus
        for line in screen_text(pilot).splitlines()[2 : 2 + min(8, len(hits.entries))]:
            assert "create_order" in line
        wanted = hits.entries[-1]
        await press(pilot, "end", "enter")
        conversation(pilot)
        assert rows(pilot).generation.ids[cursor(pilot)] == wanted.message
        before = cursor(pilot)
        await press(pilot, "n")
        assert "(n, N)" in told(pilot)[-1]
        assert cursor(pilot) != before
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, SearchScreen)
        assert pilot.app.screen.query_one(HitList).cursor == len(hits.entries) - 1
        await press(pilot, "escape")
        conversations(pilot)


async def test_a_search_hit_is_shown_in_the_message_pane(rotating: Path) -> None:
    async with running(rotating) as pilot:
        await press(pilot, "enter", "3", "escape", "escape", "f")
        await write(pilot, "create_order")
        await press(pilot, "enter", "enter")
        assert conversation(pilot).panes.current == "message"
        assert marked(pilot)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("orders", "orders"),
        ("the refund*", "refund"),
        ('a "load test" elsewhere', "load test"),
        ('""', ""),
        ("", ""),
    ],
)
def test_the_word_that_is_marked_in_a_hit(query: str, word: str) -> None:
    assert marked_word(query) == word


async def test_search_without_a_match_says_so(rotating: Path) -> None:
    async with running(rotating) as pilot:
        await press(pilot, "f")
        await write(pilot, "qqqqq")
        await press(pilot, "enter")
        assert "0 messages" in title(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, SearchScreen)
        assert "T" not in pilot.app.screen.active_bindings, "there is nothing to trace"
        await press(pilot, "slash")
        assert pilot.app.screen.query_one("#words").has_focus


async def test_a_search_of_an_incomplete_session_says_so(tmp_path: Path) -> None:
    made = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000001")
    made.user("Moor the boats.")
    made.user("Paint the quay.")
    path = made.write(tmp_path / "a.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"Paint', b'"Paint"'))
    async with running(tmp_path) as pilot:
        await press(pilot, "f")
        await write(pilot, "paint")
        await press(pilot, "enter")
        assert "0 messages; a part of the sessions cannot be read" in title(pilot)


async def test_an_empty_search_ends_the_last_search(rotating: Path) -> None:
    async with running(rotating) as pilot:
        await press(pilot, "f")
        await write(pilot, "refund")
        await press(pilot, "enter")
        found = pilot.app.screen.query_one(HitList)
        assert f"{len(found.entries)} messages" in title(pilot)
        assert "T" in pilot.app.screen.active_bindings
        await press(pilot, "slash", "ctrl+u", "enter")
        assert not found.entries
        assert title(pilot) == "Search all messages"
        assert "T" not in pilot.app.screen.active_bindings


async def test_a_search_that_finds_too_much_says_how_to_find_less(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.app.search.screen._LIMIT", 3)
    async with running(rotating) as pilot:
        await press(pilot, "f")
        await write(pilot, "refund")
        await press(pilot, "enter")
        assert title(pilot).endswith("the first 3 messages; more words find fewer")


async def test_an_empty_database(tmp_path: Path) -> None:
    create(tmp_path / "state.db").close()
    async with running(tmp_path / "state.db") as pilot:
        assert "no conversations here yet" in screen_text(pilot)
        await press(pilot, "enter", "s", "S", "end", "slash", "escape", "question_mark", "escape")
        conversations(pilot)


@pytest.mark.parametrize("name", also("none", "one"))
async def test_a_conversation_without_messages_and_one_with_one(tmp_path: Path, name: str) -> None:
    db = create(tmp_path / "state.db")
    session(db, "none", title="Nothing yet")
    writer = Writer(db, tip="one")
    writer.begin(title="One")
    writer.say(talk(1)[:1])
    db.close()
    async with running(tmp_path / "state.db", name) as pilot:
        screen = conversation(pilot)
        for key in "123456780":
            await press(pilot, key)
        await press(
            pilot, "escape", "end", "home", "[", "]", "b", "u", "x", "n", "y", "Y", "p", "p", "escape"
        )
        assert conversation(pilot) is screen
        assert notes(pilot) == () or "assumed" in notes(pilot)[0]


async def test_a_read_ends_although_the_store_changes_meanwhile(
    rotating: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, ended, go_on = 0, 0, Event()

    def slow_read(store: Store, watch: Watch) -> tuple[ConversationRow, ...]:
        nonlocal began, ended
        began += 1
        go_on.wait(60)
        ended += 1
        return read_index(store, watch)

    async with running(rotating) as pilot:
        screen = conversations(pilot)
        monkeypatch.setattr("inspector.app.conversations.screen.read_index", slow_read)
        for _ in range(4):
            screen.post_message(StoreChanged())
            await pilot.pause()
        # `until` would wait for the end of the read.
        for _ in range(2_000):
            if began:
                break
            await asyncio.sleep(0.01)
        assert (began, ended) == (1, 0)
        go_on.set()
        await settled(pilot)
        # The last read began after the last change.
        assert (began, ended) == (2, 2)


async def test_an_unknown_conversation_is_noted_on_the_list(tmp_path: Path) -> None:
    async with running(simple(tmp_path / "state.db"), "nobody") as pilot:
        conversations(pilot)
        assert "No conversation matches 'nobody'" in notes(pilot)[0]
        await press(pilot, "escape")
        assert notes(pilot) == ()


async def test_invalid_remembered_places_are_ignored(rotating: Path) -> None:
    state = state_dir()
    state.mkdir(parents=True)
    known = {"sort": ["nothing", 1], "settings": {"x": 4}, "pane": "x", "messages": []}
    document = {"theme": 3, "places": {str(rotating): known}}
    (state / "places.json").write_text(json.dumps(document), encoding="utf-8")
    async with running(rotating) as pilot:
        assert conversations(pilot).query_one(ConversationTable).row_count == 5
        assert pilot.app.theme == "inspector-dark"


async def test_the_footer_fits_eighty_columns(rotating: Path) -> None:
    async with running(rotating, size=(80, 24)) as pilot:
        assert "Help" in screen_text(pilot).splitlines()[-1]
        await press(pilot, "enter")
        assert "Help" in screen_text(pilot).splitlines()[-1]
        assert pilot.app.screen.query_one(KeyLine).size.height == 1


def test_the_first_demo_selects_the_richest_conversation(fixtures_dir: Path) -> None:
    store = SeveralStores([open_store(path) for path in sorted(fixtures_dir.glob("*.db"))], fixtures_dir)
    rows = store.conversations()
    (chosen,) = [row for row in rows if row.id == shows_most(rows)]
    assert (chosen.title, chosen.kind) == (CHECKOUT, "conversation")
    assert shows_most(()) == ""


@pytest.mark.parametrize(
    ("colours", "chosen", "theme"),
    [
        ("standard", False, "inspector-16"),
        ("standard", True, "inspector-dark"),
        ("256", False, "inspector-dark"),
        ("truecolor", False, "inspector-dark"),
        (None, False, "inspector-dark"),
    ],
)
def test_a_terminal_with_16_colours_gets_its_theme(colours: str | None, chosen: bool, theme: str) -> None:
    assert theme_on(colours, "inspector-dark", chosen) == theme
