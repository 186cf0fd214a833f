"""Tables as text: only titles and texts become shorter, at any width."""

from __future__ import annotations

import io
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from inspector.export.console import StyledLines, Table
from inspector.export.conversations import shortest_names

WORDS = st.text("ab 小程序 ,.", max_size=60)
ROWS = st.lists(st.tuples(WORDS, st.integers(0, 10**9), WORDS, st.integers(0, 10**6)), max_size=5)


@given(ROWS, st.integers(1, 160))
def test_numbers_are_never_cut_and_lines_use_the_width(
    rows: list[tuple[str, int, str, int]], room: int
) -> None:
    table = Table("title", ">tokens", "text", ">rest", spare=("rest",), cut=("title",))
    for title, tokens, text, rest in rows:
        table.add(title, f"{tokens:,}", text, f"{rest:,}")
    names, *lines = table.lines(room)
    output = "\n".join(lines)
    assert all(f"{tokens:,}" in output for _, tokens, _, _ in rows)
    # The required columns, and eighteen cells for each flexible column.
    least = 18 + 2 + max([6, *(len(f"{tokens:,}") for _, tokens, _, _ in rows)]) + 2 + 18
    assert max(map(cell_len, (names, *lines))) <= max(room, least)
    if room >= 160:
        assert "rest" in names
        assert all(f"{rest:,}" in output for *_, rest in rows)


def test_texts_are_folded_and_titles_cut() -> None:
    table = Table("title", ">n", "text", cut=("title",))
    table.add("A title that is longer than its column", 1_000, "and a text that needs two lines or three")
    assert table.lines(44) == [
        "title                  n  text",
        "A title that is l…  1000  and a text that",
        "                          needs two lines or",
        "                          three",
    ]


def test_optional_columns_are_removed_first() -> None:
    table = Table(">a", ">b", ">c", spare=("c", "a"))
    table.add("11111", "22222", "33333")
    assert table.lines(19) == ["    a      b      c", "11111  22222  33333"]
    assert table.lines(18) == ["    a      b", "11111  22222"]
    assert table.lines(11) == ["    b", "22222"]
    assert table.lines(2) == ["    b", "22222"]


@given(st.sets(st.text("ab1-", min_size=1, max_size=20), max_size=8))
def test_a_short_id_is_unambiguous(ids: set[str]) -> None:
    for one, short in shortest_names(sorted(ids)).items():
        assert one.startswith(short)
        assert short == one or [other for other in ids if other.startswith(short)] == [one]


PARTS = st.lists(
    st.tuples(st.text("ab小 ,\n", min_size=1, max_size=30), st.sampled_from(["", "bold", "green"])),
    min_size=1,
    max_size=3,
)


@given(st.lists(st.tuples(PARTS, st.sampled_from([0, 4])), max_size=4), st.sampled_from([True, False]))
def test_styled_lines_equal_those_of_rich(
    lines: list[tuple[list[tuple[str, str]], int]], colours: bool
) -> None:
    def shown(draw: Callable[[Console], None]) -> list[str]:
        file = io.StringIO()
        draw(Console(file=file, width=24, force_terminal=colours, color_system="256", highlight=False))
        # Rich turns a style on and off at every fold.
        return Text.from_ansi(file.getvalue()).plain.split("\n")

    def ours(console: Console) -> None:
        styled = StyledLines(console)
        for parts, indent in lines:
            styled.add(*parts, indent=indent)

    def theirs(console: Console) -> None:
        for parts, indent in lines:
            line = Text.assemble(*parts)
            console.print(Padding(line, (0, 0, 0, indent), expand=False) if indent else line)

    assert [line.rstrip() for line in shown(ours)] == [line.rstrip() for line in shown(theirs)]


def test_a_styled_line_looks_like_in_rich() -> None:
    looks = []
    for draw in (
        lambda console: StyledLines(console).add(("kept ", "green"), ("in the head", "dim")),
        lambda console: console.print(Text.assemble(("kept ", "green"), ("in the head", "dim"))),
    ):
        console = Console(file=io.StringIO(), width=40, force_terminal=True, color_system="256")
        draw(console)
        assert isinstance(console.file, io.StringIO)
        looks.append(console.file.getvalue())
    assert looks[0] == looks[1]
    assert "\x1b[32mkept" in looks[0]
