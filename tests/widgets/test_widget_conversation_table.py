"""The table of conversations: columns, sort, filter, selection, formats."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.counting import calls_of, lines_run
from tests.widgets.widget_host import HOSTILE, hosting, lines
from widgets.lists.conversation_table import AGE_SECONDS, COLUMNS, ConversationEntry, ConversationTable
from widgets.lists.families import families, standing_under

NOW = 1_700_000_000.0
ENTRIES = (
    ConversationEntry("a", "Bug bash", "anthropic/claude", 343, 78_412, 100_000, 3, NOW - 3 * 3600, 2),
    ConversationEntry("b", "Fix the tests", "openai/gpt", 12, 500, 100_000, 0, NOW - 60, 0),
    ConversationEntry("c", "", "", None, None, None, None, NOW - 86_400 * 3, None, "branch"),
    ConversationEntry(
        "d", "日本語 refactor", "openai/gpt", 20_000, 120_000, 100_000, 12, NOW - 86_400, 1, "sub-agent"
    ),
)


def table() -> ConversationTable:
    widget = ConversationTable()
    widget.now = NOW
    return widget


def order(widget: ConversationTable) -> str:
    return "".join(entry.id for row in range(widget.row_count) if (entry := widget.entry(row)))


async def test_columns_read_the_way_a_person_writes() -> None:
    widget = table()
    async with hosting(widget, size=(140, 12), set_up=lambda: widget.set_entries(ENTRIES)):
        header, first, second, third, fourth = lines(widget)[:5]
        headings = ["title", "model", "messages", "~tokens", "comp.", "lost", "active▾", "findings"]
        assert header.split() == headings
        assert first.split()[:4] == ["›Fix", "the", "tests", "gpt"]
        assert "<1%" in first
        assert "1 min ago" in first
        assert "Bug bash" in second
        assert "78.4k ▓▓▓▓▓▓░░  78%" in second
        assert second.rstrip().endswith("!2")
        assert "20,000" in third
        assert "120%" in third
        assert "sub-agent" in third
        assert fourth.split() == ["c", "branch", "·", "·", "·", "·", "3", "d", "ago", "·"]


@pytest.mark.parametrize(("model", "is_whole"), [("gpt", True), ("a-model-with-a-very-long-name", False)])
async def test_titles_get_the_room_that_models_do_not_need(model: str, is_whole: bool) -> None:
    widget = table()
    titles = [f"Read tide.csv and tell the highest tide of {name}" for name in ("one May", "one June")]
    entries = [ConversationEntry(title, title, model, last_active=NOW) for title in titles]
    async with hosting(widget, size=(140, 12), set_up=lambda: widget.set_entries(entries)):
        assert all(title in "\n".join(lines(widget)) for title in titles) is is_whole


async def test_the_share_of_an_uncertain_threshold_has_a_sign() -> None:
    widget = table()
    entries = [ENTRIES[0]._replace(doubtful=True)]
    async with hosting(widget, size=(140, 12), set_up=lambda: widget.set_entries(entries)):
        assert "78%?" in lines(widget)[1]
        assert ("%?", "the threshold is uncertain") in widget.signs()


@pytest.mark.parametrize(
    ("column", "reverse", "expected"),
    [
        ("active", True, "badc"),
        ("title", False, "acbd"),
        ("messages", True, "dabc"),
        ("tokens", True, "dabc"),
        ("compactions", False, "cbad"),
        ("findings", True, "adbc"),
        ("model", False, "cabd"),
    ],
)
async def test_sorting(column: str, reverse: bool, expected: str) -> None:
    widget = table()
    async with hosting(widget, set_up=lambda: widget.set_entries(ENTRIES)) as host:
        widget.set_sort(column, reverse)
        assert order(widget) == expected
        assert host.messages_of(ConversationTable.SortChanged) == []


async def test_headings_and_keys_sort_and_tell() -> None:
    widget = table()
    async with hosting(widget, size=(140, 12), set_up=lambda: widget.set_entries(ENTRIES)) as host:
        heading = lines(widget)[0].index("messages")
        await host.click(widget, heading + 2, 0)
        assert order(widget) == "dabc"
        await host.click(widget, heading + 2, 0)
        assert order(widget) == "cbad"
        await host.press("s")
        assert widget.sort == ("model", False)
        await host.press("S")
        assert widget.sort == ("model", True)
        posted = [
            (message.column, message.reverse) for message in host.messages_of(ConversationTable.SortChanged)
        ]
        assert posted == [("messages", True), ("messages", False), ("model", False), ("model", True)]


async def test_the_first_press_sorts_the_newest_by_losses() -> None:
    widget = table()
    async with hosting(widget, size=(80, 12), set_up=lambda: widget.set_entries(ENTRIES)) as host:
        assert widget.sort == ("active", True)
        await host.press("s")
        assert widget.sort == ("lost", True)


@pytest.mark.parametrize("width", [140, 80])
async def test_conversations_with_one_title_are_told_apart(width: int) -> None:
    widget = table()
    names = ["20260301_080000_aa11", "20260301_080000_bb22"]
    entries = [ConversationEntry(name, "Survey of all piers and locks") for name in names]
    async with hosting(widget, size=(width, 12), set_up=lambda: widget.set_entries(entries)) as host:
        shown = lines(widget)[1:3]
        assert all(line.strip(" ›").startswith("Survey of") for line in shown)
        assert ["00_a" in shown[0], "00_b" in shown[1]] == [True, True]
        widget.update_entries([entries[1]._replace(title="Rates")])
        await host.pilot.pause()
        assert all("00_" not in line for line in lines(widget)[1:3])


async def test_the_cursor_stays_on_its_conversation() -> None:
    widget = table()
    async with hosting(widget, set_up=lambda: widget.set_entries(ENTRIES)) as host:
        await host.press("down")
        assert widget.current == "a"
        widget.set_sort("title", False)
        assert widget.current == "a"
        widget.set_entries((*ENTRIES, ConversationEntry("0", "A first one", last_active=NOW)))
        assert widget.current == "a"
        widget.set_filter("bash")
        assert widget.current == "a"
        widget.set_filter("refactor")
        assert widget.current == "d"
        widget.set_filter("nothing has this")
        assert widget.current is None
        await host.press("down", "enter")
        assert host.messages_of(ConversationTable.Opened) == []


async def test_the_filter_takes_every_word_anywhere() -> None:
    widget = table()
    async with hosting(widget, set_up=lambda: widget.set_entries(ENTRIES)):
        widget.set_filter("GPT  the")
        assert order(widget) == "b"
        widget.set_filter("sub-agent")
        assert order(widget) == "d"
        widget.set_filter("")
        assert order(widget) == "badc"


async def test_rows_open_by_key_and_double_click() -> None:
    widget = table()
    async with hosting(widget, set_up=lambda: widget.set_entries(ENTRIES)) as host:
        await host.press("enter")
        await host.click(widget, 5, 2, times=2)
        assert [message.conversation for message in host.messages_of(ConversationTable.Opened)] == ["b", "a"]
        assert [message.row for message in host.messages_of(ConversationTable.Selected)] == [1]


async def test_an_entry_is_replaced_in_place() -> None:
    widget = table()
    async with hosting(widget, size=(140, 12), set_up=lambda: widget.set_entries(ENTRIES)):
        widget.update_entries([ConversationEntry("c", "Now titled", last_active=NOW)])
        assert order(widget) == "badc"
        assert "Now titled" in lines(widget)[4]
        widget.set_filter("titled")
        assert order(widget) == "c"


@pytest.mark.parametrize("width", [24, 40, 60, 80, 100, 160])
async def test_every_width_shows_titles_in_their_cells(width: int) -> None:
    widget = table()
    entries = (*ENTRIES, ConversationEntry(HOSTILE, HOSTILE, HOSTILE, kind=HOSTILE, last_active=1e300))
    async with hosting(widget, size=(width, 10), set_up=lambda: widget.set_entries(entries)):
        drawn = lines(widget)
        assert len({cell_len(line) for line in drawn}) == 1
        assert "Bug" in "".join(drawn)


async def test_the_header_stays_while_rows_scroll() -> None:
    widget = table()
    entries = [ConversationEntry(str(i), f"title {i}", last_active=NOW - i) for i in range(500)]
    async with hosting(widget, size=(100, 12), set_up=lambda: widget.set_entries(entries)) as host:
        await host.press("end")
        drawn = lines(widget)
        assert drawn[0].split()[0] == "title"
        assert drawn[-1].startswith("›title 499")
        await host.press("home")
        assert lines(widget)[1].startswith("›title 0")


async def test_of_a_hundred_thousand_conversations_those_on_screen_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    widget = table()
    entries = [
        ConversationEntry(str(i), f"title {i}", messages=i % 977, last_active=NOW - i) for i in range(100_000)
    ]
    async with hosting(widget, size=(100, 24)) as host:
        drawn = calls_of(monkeypatch, widget, "draw_line")
        widget.set_entries(entries)
        widget.set_filter("99")
        widget.set_sort("messages", True)
        await host.settle()
        assert widget.row_count > 1_000
        assert {line for line, _ in drawn} >= set(widget.visible_rows)
        assert len(drawn) <= 3 * 24


async def test_work_grows_with_the_conversations() -> None:
    widget = table()

    def arrange(entries: list[ConversationEntry]) -> None:
        widget.set_entries(entries)
        widget.set_filter("99")
        widget.set_sort("messages", True)

    entries = [ConversationEntry(str(i), f"title {i}", messages=i % 977, last_active=i) for i in range(4_000)]
    async with hosting(widget):
        assert lines_run(arrange, entries) <= 6 * lines_run(arrange, entries[:1_000])


HANGING = (
    ConversationEntry("old", "Old one", last_active=NOW - 900),
    ConversationEntry(
        "new", "New one", last_active=NOW - 100, lost=4, constraints=1, weakened=2, compactions=2
    ),
    ConversationEntry(
        "agent", "Looks up", last_active=NOW - 50, kind="sub-agent", parent="old", lost=9, compactions=1
    ),
    ConversationEntry("branch", "Another try", last_active=NOW - 200, kind="branch", parent="agent"),
    ConversationEntry("stray", "Orphan", last_active=NOW - 150, kind="branch", parent="gone"),
)


async def test_by_date_what_hangs_on_a_conversation_stands_under_it() -> None:
    widget = table()
    async with hosting(widget, size=(140, 12), set_up=lambda: widget.set_entries(HANGING)):
        assert order(widget) == "oldagentbranchnewstray"
        drawn = lines(widget)
        assert drawn[2].lstrip().startswith("↳ Looks up")
        assert drawn[3].lstrip().startswith("↳ Another try")
        assert "↳" not in drawn[5]
        widget.set_sort("active", False)
        assert order(widget) == "oldagentbranchstraynew"
        widget.set_filter("Looks")
        assert "↳" not in lines(widget)[1], "the one above is no parent"
        assert "sub-agent of Old one" in lines(widget)[1]


async def test_by_losses_constraints_come_first() -> None:
    widget = table()
    async with hosting(widget, size=(140, 12), set_up=lambda: widget.set_entries(HANGING)):
        widget.set_sort("lost", True)
        assert order(widget).startswith("newagent")
        drawn = lines(widget)
        assert "4 ‼1 ↓2" in drawn[1]
        assert "↳" not in drawn[2], "a stranger stands above it"
        assert "sub-agent of Old one" in drawn[2]
        widget.update_entries([HANGING[0]._replace(lost=0, compactions=0)])
        row = next(line for line in lines(widget) if "Old one" in line and "sub-agent" not in line)
        assert "–" in row, "never compacted"
        gone = HANGING[0]._replace(lost=0, constraints=0, weakened=0, compactions=0, unknown=1)
        widget.update_entries([gone])
        row = next(line for line in lines(widget) if "Old one" in line and "sub-agent" not in line)
        assert " ?1 " in row, "its beginning is missing"
        widget.update_entries(
            [HANGING[0]._replace(lost=0, constraints=0, weakened=0, compactions=1, unknown=7)]
        )
        row = next(line for line in lines(widget) if "Old one" in line and "sub-agent" not in line)
        assert " ?7 " in row, "nobody can tell, which is not nothing"
        widget.update_entries(
            [HANGING[0]._replace(lost=0, constraints=0, weakened=0, compactions=1, uncertain=4)]
        )
        row = next(line for line in lines(widget) if "Old one" in line and "sub-agent" not in line)
        assert " 0 ±4 " in row, "they may be lost"


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (40, {"title", "lost"}),
        (60, {"title", "comp.", "lost", "findings"}),
        (80, {"title", "~tokens", "comp.", "lost", "active", "findings"}),
        (100, {"title", "messages", "~tokens", "comp.", "lost", "active", "findings"}),
    ],
)
async def test_a_narrow_list_drops_dates_before_losses_and_findings(width: int, shown: set[str]) -> None:
    widget = table()
    async with hosting(widget, size=(width, 8), set_up=lambda: widget.set_entries(ENTRIES)):
        assert set(lines(widget)[0].replace("▾", "").replace("▴", "").split()) == shown


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("abcdefghx")),
)
def test_families_keep_everyone_and_stand_together(ids: list[str], parents: dict[str, str]) -> None:
    ordered = families(ids, parents)
    assert sorted(ordered) == sorted(ids)
    assert families(ordered, parents) == ordered
    under = standing_under(ordered, parents)
    ring = [name for name in ids if _goes_round(name, parents)]
    for name in ids:
        if name not in ring:
            assert (name in under) == (parents.get(name) in ids)
    assert families(ids, {}) == ids


def _goes_round(name: str, parents: dict[str, str]) -> bool:
    seen = [name]
    while (parent := parents.get(seen[-1], "")) and parent not in seen:
        seen.append(parent)
    return bool(parent)


async def test_ages_are_drawn_again_while_nothing_else_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = calls_of(monkeypatch, ConversationTable, "set_interval")
    drawn = calls_of(monkeypatch, ConversationTable, "refresh")
    async with hosting(table(), size=(120, 10)):
        beats = [clock[-1] for clock in clocks if clock[-2] == AGE_SECONDS]
        assert len(beats) == 1
        drawn.clear()
        beats[0]()
        assert drawn


def test_column_names_are_unique() -> None:
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)
