"""Numbers for people, strips, wrapping, the layout of long text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from widgets.base import human
from widgets.base.readable import pretty_json, readable
from widgets.base.strips import Row, find_spans, fit, one_line
from widgets.base.text_layout import PIECE, TextLayout
from widgets.base.wrapping import breaks
from widgets.panes.knob_values import parse
from widgets.panes.side_by_side import side_by_side

TEXT = st.text(alphabet="ab c  日本é🎉́-", max_size=120)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (42, "42"),
        (999, "999"),
        (2_100, "2.1k"),
        (61_000, "61.0k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (128_000, "128k"),
        (999_500, "1.0M"),
        (1_240_000, "1.2M"),
        (-2_100, "-2.1k"),
    ],
)
def test_tokens(count: int, text: str) -> None:
    assert human.tokens(count) == text


@given(st.integers(0, 9_000_000))
def test_tokens_stay_narrow(count: int) -> None:
    assert len(human.tokens(count)) <= 6


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (78_412, 100_000, "78%"),
        (1, 1_000, "<1%"),
        (0, 10, "0%"),
        (999, 1_000, "99%"),
        (659, 1_000, "66%"),
        (999, 100_000, "<1%"),
        (-70, 1_000, "−7%"),
        (1, 1, "100%"),
        (5, 0, "–"),
    ],
)
def test_percent(part: int, whole: int, text: str) -> None:
    assert human.percent(part, whole) == text


@pytest.mark.parametrize(
    ("age", "text"),
    [(2, "now"), (40, "40 s ago"), (300, "5 min ago"), (3 * 3600, "3 h ago"), (5 * 86400, "5 d ago")],
)
def test_ago(age: int, text: str) -> None:
    assert human.ago(1e9 - age, 1e9) == text


def test_ago_tells_a_date_when_it_is_long_and_a_dash_when_unknown() -> None:
    assert human.ago(1e9 - 86_400 * 60, 1e9).startswith("2001-0")
    assert human.ago(0) == "–"
    assert human.ago(1e30, 1e9) == "–"


@given(TEXT, st.integers(1, 60), st.booleans())
def test_fit_takes_exactly_its_cells(text: str, width: int, right: bool) -> None:
    assert cell_len(fit(text, width, right=right)) == width


def test_fit_never_halves_a_wide_character() -> None:
    assert fit("日本語", 4) == "日 …"
    assert fit("日本語", 6) == "日本語"
    assert fit("ab", 4, right=True) == "  ab"


@given(st.text(max_size=60), st.text(min_size=1, max_size=4))
def test_find_spans_are_in_order_and_inside(text: str, query: str) -> None:
    end = 0
    for start, stop in find_spans(text, query):
        assert end <= start < stop <= len(text)
        end = stop


def test_find_ignores_case() -> None:
    assert list(find_spans("Test the TEST", "test")) == [(0, 4), (9, 13)]
    assert list(find_spans("anything", "")) == []


def test_a_row_is_as_wide_as_asked_and_merges_equal_styles() -> None:
    bold = Style(bold=True)
    row = Row().add("日本", bold).add("語", bold).add("x" * 50, Style())
    assert row.strip(20, Style()).cell_length == 20
    assert len(row.segments) == 2
    assert Row().add("a", bold).strip(5, Style(dim=True)).text == "a    "


def test_one_line_is_safe() -> None:
    assert one_line("a\nb\x1b[0m\tc") == "a b␛[0m   c"
    assert one_line("abc", 3) == "abc"


def test_a_line_that_is_cut_says_so() -> None:
    assert one_line("abcdef", 3) == "ab…"


@given(TEXT, st.integers(2, 40))
def test_rows_hold_the_whole_text_and_fit(text: str, width: int) -> None:
    edges = [0, *(breaks(text, width) or ()), len(text)]
    rows = [text[start:stop] for start, stop in pairwise(edges)]
    assert "".join(rows) == text
    assert all(cell_len(row.rstrip(" ")) <= width for row in rows)
    assert all(rows) or not text


def test_words_stay_whole_where_they_can() -> None:
    text = "the quick brown fox jumps"
    assert [*(breaks(text, 12) or ())] == [10, 20]


def _layout(texts: list[str], width: int) -> TextLayout:
    return TextLayout(len(texts), width, texts.__getitem__, lambda line: 0)


@given(st.lists(TEXT, min_size=1, max_size=8), st.integers(2, 30))
def test_the_layout_shows_every_character_once(texts: list[str], width: int) -> None:
    layout = _layout(texts, width)
    layout.advance(10)
    assert layout.done
    seen = [""] * len(texts)
    for row in range(layout.rows):
        line, start, stop = layout.place(row)
        assert start == len(seen[line])
        seen[line] += texts[line][start:stop]
        assert layout.row_of(line, start) == row
    assert seen == texts


def test_a_long_line_is_laid_out_in_pieces() -> None:
    text = "x" * (PIECE * 3 + 5)
    layout = _layout([text, "end"], 100)
    layout.advance(0)
    assert not layout.done
    assert 0 < layout.rows < 200
    layout.advance(0, line=1)
    assert layout.done
    assert layout.place(layout.rows - 1) == (1, 0, 3)
    line, start, stop = layout.place(layout.rows - 2)
    assert (line, stop) == (0, len(text))
    assert layout.row_of(0, start) == layout.rows - 2
    with pytest.raises(IndexError):
        layout.place(layout.rows)


def test_json_is_indented_and_hostile_json_left_alone() -> None:
    assert pretty_json('{"a": [1]}') == '{\n  "a": [\n    1\n  ]\n}'
    assert pretty_json("not json") is None
    assert pretty_json("[" * 100_000) is None
    assert pretty_json("{broken}") is None
    coloured = list(readable('{"key": "value", "n": 12}'))
    assert [(span.style, line.text[span.start : span.end]) for line in coloured for span in line.spans] == [
        ("key", '"key"'),
        ("string", '"value"'),
        ("key", '"n"'),
        ("number", "12"),
    ]


def test_side_by_side_pairs_equal_lines() -> None:
    rows = [line.text for line in side_by_side("a\nb\nc", "a\nc\nd", 40)]
    assert [row[:3].rstrip() for row in rows] == ["  a", "− b", "  c", ""]
    assert rows[2].split("│")[1].strip() == "c"
    assert rows[3].split("│")[1].split() == ["+", "d"]


@given(TEXT, TEXT, st.integers(30, 90))
def test_side_by_side_is_never_too_wide(old: str, new: str, width: int) -> None:
    assert all(cell_len(line.text) <= width for line in side_by_side(old, new, width))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("150k", 150_000),
        ("1.5M", 1_500_000),
        ("150,000", 150_000),
        ("50%", 0.5),
        ("0.35", 0.35),
        ("x", None),
        ("", None),
    ],
)
def test_typed_numbers(text: str, value: float | None) -> None:
    assert parse(text) == value
