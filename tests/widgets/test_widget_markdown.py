"""Markdown as lines: marks go, words stay, and hostile text is safe."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.core.text import is_safe
from tests.widgets.widget_host import HOSTILE, hosting, shown
from widgets.base.inked import INKS
from widgets.base.markdown_lines import MAX_MARKDOWN, is_markdown, markdown_lines
from widgets.lists.message_list import MessageRow
from widgets.panes.message_pane import MessagePane, MessageView

TEXT = (
    "# Plan\n\n- **never** drop `orders`\n  1. back up\n\n```sql\nselect *\n```\n\n> see [docs](http://x)\n"
)


def test_marks_become_styles() -> None:
    lines = [(line.prefix + line.text, line.style) for line in markdown_lines(TEXT)]
    assert lines == [
        ("Plan", "heading"),
        ("", ""),
        ("• never drop orders", ""),
        ("  1. back up", ""),
        ("", ""),
        ("│ sql", "rest"),
        ("│ select *", "string"),
        ("", ""),
        ("▏ see docs (http://x)", ""),
    ]
    item = markdown_lines(TEXT)[2]
    assert [(item.text[s.start : s.end], s.style) for s in item.spans] == [
        ("never", "strong"),
        ("orders", "string"),
    ]


def test_cells_of_a_wide_table_stand_below_each_other() -> None:
    long = "Removed the static import and wrapped it in a function that falls back to nothing"
    table = f"| Issue | Fix | File |\n|---|---|---|\n| Crash | {long} | `a.ts` |\n| Swipe | | b.ts |\n"
    lines = markdown_lines(table)
    assert [(line.prefix, line.text) for line in lines] == [
        ("", "Crash"),
        ("  ", f"Fix: {long}"),
        ("  ", "File: a.ts"),
        ("", "Swipe"),
        ("  ", "File: b.ts"),
    ]
    assert [lines[2].text[span.start : span.end] for span in lines[2].spans] == ["File: ", "a.ts"]


def test_a_table_has_columns_and_keeps_every_cell() -> None:
    table = "| file | `n` |\n|---|--:|\n| a.py | 12 |\n| longer **name** | 日本 |\n"
    assert [(line.text, line.style) for line in markdown_lines(table)] == [
        ("file        │ n", "strong"),
        ("────────────┼──────", "rest"),
        ("a.py        │ 12", ""),
        ("longer name │ 日本", ""),
    ]
    more = "| a | b |\n|---|---|\n| c | d | e |"
    assert [line.text for line in markdown_lines(more)] == more.split("\n")


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (TEXT, True),
        ("Which day was the strongest?", False),
        ("2 * 3 * 4", False),
        ("a_b_c and snake_case", False),
        ("```\nx\n```", True),
        ("#1 is first", False),
        ("- a\n" * MAX_MARKDOWN, False),
    ],
)
def test_plain_text_is_no_markdown(text: str, markdown: bool) -> None:
    assert is_markdown(text) is markdown


@example("~~~a")
@example("```a\nb\n```")
@given(st.text(st.sampled_from("ab \n#*_`[]()<>!-1.\\\x1b\u202e|&~"), max_size=200))
def test_every_word_stays_and_lines_are_safe(text: str) -> None:
    lines = markdown_lines(text)
    for line in lines:
        assert is_safe(line.text)
        assert "\n" not in line.text
        assert all(0 <= s.start <= s.end <= len(line.text) and s.style in INKS for s in line.spans)
    assert sorted(c for c in text if c in "ab") == sorted(c for line in lines for c in line.text if c in "ab")


async def test_m_shows_the_text_as_written_and_a_hit_in_its_marks_brings_it_up() -> None:
    pane = MessagePane()
    view = MessageView(MessageRow("1", "user", TEXT), TEXT, markdown=markdown_lines(TEXT), raw="{}")
    async with hosting(pane, size=(60, 24), set_up=lambda: pane.set_message((view, ""))) as host:
        assert "• never drop orders" in shown(pane)
        pane.body.focus()
        await host.press("m")
        assert pane.mode == "plain"
        assert "- **never** drop `orders`" in shown(pane)
        await host.press("M")
        pane.set_message((view, "**never**"))
        assert pane.mode == "plain"
        hostile = MessageView(
            MessageRow("2", "user", HOSTILE), HOSTILE, markdown=markdown_lines(f"# {HOSTILE}\n- {HOSTILE}")
        )
        pane.set_message((hostile, ""))
        await host.settle()
        assert "\x1b" not in shown(pane)
