"""Text for the screen: without anything that could control a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.core import text as text_module
from inspector.core.text import (
    distinct_titles,
    is_safe,
    opening_title,
    safe,
    safe_line,
    safe_title,
    unwrapped,
)
from tests.counting import calls_of, lines_run

#: Format characters that print a visible sign.
_PRINTING = {
    0x0600,
    0x0601,
    0x0602,
    0x0603,
    0x0604,
    0x0605,
    0x06DD,
    0x070F,
    0x0890,
    0x0891,
    0x08E2,
    0x110BD,
    0x110CD,
}
_NASTY = "\x00\x01\t\r\n\x0b\x1b[\x7f\x85\x9b\xad\u061c\u200b\u200d\u202e\u2028\u2066\ufe0f\ufeff\ud800\udfff\U000e0041"
texts = (
    st.text() | st.text(alphabet=_NASTY + " ab", max_size=60) | st.text(alphabet=st.characters(), max_size=40)
)


def _acts(character: str) -> bool:
    category = unicodedata.category(character)
    return (
        (category == "Cc" and character != "\n")
        or category in ("Cs", "Zl", "Zp")
        or (category == "Cf" and ord(character) not in _PRINTING)
    )


@given(texts)
@example("\r\r\n")
@example("\u200d\t\u202e\tx")
def test_safe_text_has_no_control_characters(text: str) -> None:
    result = safe(text)
    assert not [hex(ord(c)) for c in result if _acts(c)]
    assert result.encode("utf-8").decode("utf-8") == result
    assert safe(result) is result
    assert is_safe(text) == (result == text)


@given(texts, st.integers(0, 50))
def test_a_line_is_one_safe_line_within_its_limit(text: str, limit: int) -> None:
    for line in (safe_line(text, limit), safe_title(text, limit)):
        assert len(line) <= limit
        assert "\n" not in line
        assert "  " not in line
        assert line == line.strip()
        assert is_safe(line)
    assert safe_line(safe_line(text, limit), limit) == safe_line(text, limit)
    assert safe_title(safe_title(text, limit), limit) == safe_title(text, limit)


def test_every_code_point_outside_the_printing_ones_is_dealt_with() -> None:
    made = "".join(safe(chr(code)) for code in range(0x110000))
    assert sorted({hex(ord(character)) for character in made if _acts(character)}) == []


@given(st.text(alphabet=[chr(code) for code in range(0x20, 0x7F)] + ["\n"]))
def test_printable_ascii_is_the_same_object(text: str) -> None:
    assert safe(text) is text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x9b31mred", "·31mred"),
        ("a\x00b", "a␀b"),
        ("del\x7f", "del␡"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("ab\tc\n\td", "ab  c\n    d"),
        ("user\u202etxt.exe", "user⇄txt.exe"),
        ("\u2066isolate\u2069", "⇄isolate⇄"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\u26a0\ufe0f warning", "\u26a0 warning"),
        ("lone \ud83d half", "lone \ufffd half"),
        ("tag\U000e0041\U000e0042", "tag··"),
        ("line\u2028separator", "line\nseparator"),
        ("[/foo] {markup} stays", "[/foo] {markup} stays"),
        ("日本語 é ü 😀", "日本語 é ü 😀"),
        ("\u0601 is a printing sign", "\u0601 is a printing sign"),
    ],
)
def test_each_kind_of_character_is_replaced(raw: str, shown: str) -> None:
    assert safe(raw) == shown


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        (" \n\t\n ", ""),
        ("\n\n  first   line \nsecond", "first line"),
        ('{\n  "output": "ok"\n}', '"output": "ok"'),
        ("```python\nx", "```python"),
        ("---\n───\ntitle", "title"),
        ("?", "?"),
        ("...\n!!!", "..."),
        ("👍\nthanks", "👍"),
        ("\u200b\u200b\nbehind nothing", "behind nothing"),
        ("a\tb", "a b"),
    ],
)
def test_the_first_line_that_says_something(text: str, line: str) -> None:
    assert safe_line(text) == line


def test_a_cut_line_says_so() -> None:
    assert safe_line("x" * 1_000, 10) == "xxxxxxxxx…"
    assert safe_line("x" * 10, 10) == "xxxxxxxxxx"
    assert safe_line("word " * 3, 6) == "word…"


def test_a_title_keeps_every_line() -> None:
    assert safe_title("Fix\n  the\x1btests\n") == "Fix the␛tests"
    assert safe_title(None) == ""


@pytest.mark.parametrize("part", ["plain text with words\n", "x", "é", "\x1b[0m", "\tx", "a\u200b\u202e"])
def test_a_megabyte_costs_little(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    long = part * (1_000_000 // len(part))
    # The first calls compile the patterns.
    safe(long), safe_line(long), safe_title(long)
    # No Python loop runs over characters or lines.
    assert lines_run(safe, long) == lines_run(safe, part * 10)
    made_safe = calls_of(monkeypatch, text_module, "safe")
    assert lines_run(safe_line, long) <= lines_run(safe_line, part * 2_000)
    assert lines_run(safe_title, long) <= lines_run(safe_title, part * 2_000)
    assert all(len(window) <= 2_000 for (window,) in made_safe)
    assert made_safe


def test_a_megabyte_that_is_safe_is_not_copied() -> None:
    clean = "plain text with words\n" * 50_000
    assert safe(clean) is clean


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<returncode>0</returncode>\n<output>\nsix passed\n</output>", "six passed\n</output>"),
        ("<returncode>1</returncode>\n<output>\nno", "<returncode>1</returncode>\n<output>\nno"),
        (
            "<returncode>0</returncode>\n<output>\n</output>",
            "<returncode>0</returncode>\n<output>\n</output>",
        ),
        ("<b>bold</b> text", "<b>bold</b> text"),
        ("", ""),
    ],
)
def test_lines_around_an_output_are_left_out_where_more_is_said(text: str, rest: str) -> None:
    assert unwrapped(text) == rest


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Implement the following plan:\n\n# Cursor pagination for orders\n\n1. ...",
         "Implement the following plan: Cursor pagination for orders"),
        ("[Image #1]\nWhy is the button grey?", "Why is the button grey?"),
        ("[Image #1]", ""),
        ("<image name=[Image #2]>\n</image>fix this", "fix this"),
        ("请实现以下计划：\n分页", "请实现以下计划： 分页"),
        ("Fix it\nand the tests", "Fix it"),
        ("Steps:", "Steps:"),
        ("````markdown\n<!-- docs/tide.md -->\n\n# Tides\nHigh", "Tides"),
        ("You are an experienced sailor, who knows every tide.\n\nlook at the plan", "look at the plan"),
        ("You are a sailor.", "You are a sailor."), ("You are a sailor? I am\nnot", "You are a sailor? I am"),
        ("\x1b[31m# Red", "␛[31m# Red"),
    ],
)  # fmt: skip
def test_the_first_words_make_a_title(words: str, title: str) -> None:
    assert opening_title(words) == title
    assert opening_title(words, 5) == title[:4].rstrip() + "…" if len(title) > 5 else True


def test_tags_with_a_dash_are_left_out_before_a_text() -> None:
    text = "<system-reminder>\nThe tide is high.\n</system-reminder>"
    assert safe_line(unwrapped(text)) == opening_title(text) == "The tide is high."


@given(st.text(max_size=300), st.integers(-3, 60))
def test_a_title_of_first_words_is_one_safe_line(words: str, limit: int) -> None:
    title = opening_title(words, limit)
    assert is_safe(title)
    assert "\n" not in title
    assert len(title) <= max(0, limit)


def test_conversations_with_the_same_title_have_different_names() -> None:
    titles = {"aaaaaaaa-1": "Go", "aaaaaaaa-2": "Go", "bbbbbbbb-3": "Stop", "cccccccc-4": ""}
    assert distinct_titles(titles) == {
        "aaaaaaaa-1": "Go (aaaaaaaa-1)", "aaaaaaaa-2": "Go (aaaaaaaa-2)", "bbbbbbbb-3": "Stop",
        "cccccccc-4": "cccccccc-4",
    }  # fmt: skip
    assert distinct_titles({"0123456789": "Go", "abcdefghij": "Go"}) == {
        "0123456789": "Go (01234567)", "abcdefghij": "Go (abcdefgh)",
    }  # fmt: skip
