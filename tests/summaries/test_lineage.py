"""Items followed through all summaries of a conversation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.summaries import lineage as lineage_module
from inspector.summaries.diff import diff_summaries
from inspector.summaries.headings import meaning
from inspector.summaries.lineage import Cell, Column, Lineage, LineageRow, follow
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import Item, Section, Summary
from tests.counting import calls_of, lines_run
from tests.summaries.grown import grown

BODIES = (
    """## Goal
Move the shop to orders-v2.
## Constraints & Preferences
- Keep stripe-node pinned to 14.21.0.
- Never post in the channel without asking the owner first.
## Progress
### Done
1. Read services/checkout/client.py, two calls to replace
2. Patched deploy/pgbouncer.ini with a pool of six
### In Progress
- Writing the new client with retries on gateway errors
### Blocked
- The dark error page misses the contrast of AA
## Next Steps
- Canary at five percent for a day, announce the date in the channel of the team
""",
    """## Goal
Move the shop to orders-v2.
## Constraints & Preferences
- Keep stripe-node pinned to 14.21.0.
## Completed Actions
1. Patched deploy/pgbouncer.ini with a pool of six
2. Read services/checkout/client.py, two calls to replace
3. Writing the new client with retries on gateway errors
4. The dark error page misses the contrast of AA
## Remaining Work
- Canary at five percent for a day
- Announce the date in the channel of the team
""",
    """## Goal
Move the shop to orders-v2 by March.
## Constraints & Preferences
- Keep stripe-node pinned to 14.21.0.
- Never post in the channel without asking the owner first.
## Completed Actions
1. Patched deploy/pgbouncer.ini with a pool of six; read services/checkout/client.py, two calls to replace
2. Writing the new client with retries on gateway errors
## Remaining Work
- Announce the date in the channel of the team
""",
)


def columns(*bodies: str | None) -> list[Column]:
    return [
        Column(number, None if body is None else parse_summary(body)) for number, body in enumerate(bodies, 1)
    ]


def states(lineage: Lineage, start: str) -> list[str]:
    """Return the states of the row whose first wording starts with a text."""
    (row,) = [row for row in lineage.rows if first_text(row).startswith(start)]
    return ["" if cell is None else cell.state for cell in row.cells]


def first_text(row: LineageRow) -> str:
    cell = row.cells[row.first]
    assert cell is not None
    return cell.text


FOLLOWED = follow(columns(*BODIES))


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("Keep stripe-node", ["new", "kept", "kept"]),
        ("Never post", ["new", "dropped", "back"]),
        ("Read services", ["new", "renumbered", "merged"]),
        ("Patched deploy", ["new", "renumbered", "merged"]),
        ("Writing the new", ["new", "done", "renumbered"]),
        ("The dark error", ["new", "done", "dropped"]),
        ("Canary at", ["new", "split", "dropped"]),
        ("Announce the date", ["", "split", "kept"]),
        ("Move the shop", ["new", "kept", "reworded"]),
    ],
)
def test_the_fate_of_an_item(start: str, expected: list[str]) -> None:
    assert states(FOLLOWED, start) == expected


def test_parts_and_wholes_name_each_other() -> None:
    canary, announce, read, patched = (
        next(row for row in FOLLOWED.rows if first_text(row).startswith(start))
        for start in ("Canary at", "Announce the date", "Read services", "Patched deploy")
    )
    assert cell_of(canary, 1).others == (announce.number,)
    assert cell_of(announce, 1).others == (canary.number,)
    assert {cell_of(read, 2).is_listed, cell_of(patched, 2).is_listed} == {True, False}
    assert cell_of(read, 2).others == (patched.number,)
    assert cell_of(patched, 2).others == (read.number,)


def cell_of(row: LineageRow, column: int) -> Cell:
    cell = row.cells[column]
    assert cell is not None
    return cell


def test_rows_are_grouped_by_the_meaning_of_their_sections() -> None:
    names = [name for name, _ in FOLLOWED.groups]
    assert names == ["Goal", "Constraints & Preferences", "Completed Actions", "Remaining Work"]
    done = dict(FOLLOWED.groups)["Completed Actions"]
    assert [first_text(row)[:7] for row in done] == ["Read se", "Patched", "Writing", "The dar"]
    moved = cell_of(done[2], 1)
    assert (moved.from_section, moved.section) == ("Progress / In Progress", "Completed Actions")


def test_another_number_is_another_item_when_it_comes_back() -> None:
    one = "## Goal\nBuild it.\n## Critical Context\n- The pool of connections has 40 places for each pod\n"
    none = "## Goal\nBuild it.\n"
    other = one.replace("40 places", "90 places")
    assert states(follow(columns(one, none, one)), "The pool") == ["new", "dropped", "back"]
    rows = follow(columns(one, none, other)).rows
    assert [[c.state if c else "" for c in row.cells] for row in rows if "pool" in row.text] == [
        ["new", "dropped", ""],
        ["", "", "new"],
    ]


def test_a_column_without_a_summary_changes_nothing() -> None:
    with_gap = follow(columns(BODIES[0], None, *BODIES[1:]))
    assert [row.cells[1] for row in with_gap.rows] == [None] * len(with_gap.rows)
    assert [(row.cells[0], *row.cells[2:]) for row in with_gap.rows] == [row.cells for row in FOLLOWED.rows]


def test_nothing_to_follow() -> None:
    assert follow(()) == Lineage()
    assert follow(columns(None)).rows == ()
    assert follow(columns("")).groups == ()


def test_an_items_row_is_found() -> None:
    summary = FOLLOWED.columns[1].summary
    assert summary is not None
    for at, (_, item) in enumerate(summary.items()):
        assert cell_of(FOLLOWED.row_of(1, at), 1).text == item.text
    with pytest.raises(KeyError):
        FOLLOWED.row_of(1, 999)


names = st.sampled_from(["Goal", "Done", "Completed Actions", "In Progress", "Blocked", "Next Steps", "Own"])
VOCABULARY = "port retry limit vendor pool canary index batch 40 90 never not schema"
words = st.sampled_from(VOCABULARY.split())
texts = st.lists(words, min_size=1, max_size=7).map(" ".join)
items = st.builds(Item, texts, st.sampled_from(["bullet", "number"]), st.sampled_from(["-", "1.", "2."]))
sections = st.builds(
    lambda name, entries: Section((name,), 2, tuple(entries)), names, st.lists(items, max_size=5)
)
summaries = st.lists(sections, max_size=5).map(lambda found: Summary(tuple(found)))
lives = st.lists(summaries, max_size=5).map(lambda found: [Column(n, s) for n, s in enumerate(found, 1)])


@given(lives)
def test_every_item_is_in_exactly_one_row(life: list[Column]) -> None:
    lineage = follow(life)
    for at, column in enumerate(life):
        assert column.summary is not None
        there = [cell for row in lineage.rows if (cell := row.standing(at)) is not None]
        texts = [item.text for _, item in column.summary.items()]
        assert sorted(cell.item for cell in there if cell.item is not None) == list(range(len(texts)))
        assert all(cell.item is not None and cell.text == texts[cell.item] for cell in there)


#: States of an item in `diff_summaries`, and the allowed states of its cell.
AGREES = {
    "kept": {"kept", "renumbered", "moved", "done", "merged", "split"},
    "reworded": {"reworded", "split", "merged", "moved", "done"},
    "moved": {"moved", "done", "kept", "renumbered", "reworded", "split", "merged"},
    "added": {"new", "back", "split", "merged"},
    "removed": {"dropped", "merged", "split"},
}


@given(summaries, summaries)
def test_neighbours_agree_with_the_difference_of_two(old: Summary, new: Summary) -> None:
    lineage = follow([Column(1, old), Column(2, new)])
    found = diff_summaries(old, new)
    changes = [(item.text, item.was, item.change) for section in found.sections for item in section.items]
    cells = [cell for row in lineage.rows if (cell := row.cells[1]) is not None]
    assert len(changes) == len(cells)
    for change, allowed in AGREES.items():
        mine = sorted((text, was or "") for text, was, how in changes if how == change)
        cell_texts = sorted((cell.text, cell.was or "") for cell in cells if cell.state in allowed)
        for entry in set(mine):
            assert mine.count(entry) <= cell_texts.count(entry), (change, entry)
    assert sum(cell.is_listed for cell in cells) == len(list(new.items()))


@given(lives)
def test_only_numbers_renumber(life: list[Column]) -> None:
    """Entries with other numbers are the same items."""
    renumbered = [Column(column.compaction, _renumbered(column)) for column in life]
    before, after = follow(life), follow(renumbered)
    same = {"renumbered": "kept"}
    assert [
        [None if c is None else (same.get(c.state, c.state), c.item, c.others) for c in row.cells]
        for row in before.rows
    ] == [
        [None if c is None else (same.get(c.state, c.state), c.item, c.others) for c in row.cells]
        for row in after.rows
    ]


def _renumbered(column: Column) -> Summary:
    assert column.summary is not None
    return Summary(
        tuple(
            Section(
                s.path,
                s.level,
                tuple(
                    Item(i.text, i.kind, f"{at + 7 * column.compaction}." if i.kind == "number" else "-")
                    for at, i in enumerate(s.items)
                ),
            )
            for s in column.summary.sections
        )
    )


@given(lives)
def test_the_same_summaries_give_the_same_lineage(life: list[Column]) -> None:
    assert follow(life) == follow(life)


@given(summaries, st.integers(2, 4))
def test_a_summary_repeated_keeps_everything(summary: Summary, times: int) -> None:
    lineage = follow([Column(number, summary) for number in range(1, times + 1)])
    assert all(cell is not None and cell.state == "kept" for row in lineage.rows for cell in row.cells[1:])


@given(lives)
def test_a_row_ends_once_and_comes_back_only_after_it(life: list[Column]) -> None:
    for row in follow(life).rows:
        gone = True
        for cell in row.cells:
            if cell is None:
                assert gone
                continue
            if gone:
                assert cell.state in ("new", "back", "split", "merged")
                assert cell.is_listed
            gone = not cell.is_listed
            assert gone == (cell.state == "dropped") or cell.state in ("merged", "split")


@given(lives)
def test_a_moved_item_is_in_a_section_of_another_meaning(life: list[Column]) -> None:
    for row in follow(life).rows:
        for cell in row.cells:
            if cell is not None and cell.from_section:
                assert meaning(cell.from_section) != meaning(cell.section)
            if cell is not None and cell.state == "done":
                assert meaning(cell.section) == "done"


def test_work_grows_with_the_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    life = [Column(number, parse_summary(body)) for number, body in enumerate(grown(8), 1)]
    matchings = calls_of(monkeypatch, lineage_module, "match_items")
    work = [lines_run(follow, life[:columns]) for columns in (4, 8)]
    assert work[1] <= 2.6 * work[0]
    # Each summary is matched with the summary before it, and with dropped items.
    assert len(matchings) <= 2 * (4 + 8)


def test_chinese_is_matched_by_its_characters() -> None:
    one = "## Critical Context\n- 接口缓存 300 秒就够了，不要更长，因为促销价每 5 分钟更新一次。\n- 版本号 3.8.2。\n"
    two = "## Critical Context\n- 接口缓存 300 秒（促销价每 5 分钟更新）。\n- 版本号 3.8.2。\n"
    assert [[cell.state for cell in row.cells if cell] for row in follow(columns(one, two)).rows] == [
        ["new", "reworded"],
        ["new", "kept"],
    ]
