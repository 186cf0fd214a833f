"""Texts of a conversation stay texts in a report: they never become markup, a link or the end of a block."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.core.text import safe
from inspector.export.report.gathering import gather_report
from inspector.export.report.rendering import (
    fenced,
    html_templates,
    line,
    markdown_templates,
    render,
)
from inspector.export.report.values import Report
from inspector.quality.catalogue import RULES
from inspector.quality.facts.fact import KINDS, OUTCOMES
from inspector.quality.finding import SEVERITIES
from inspector.stores.detect import open_store
from inspector.summaries.summary import CHANGES
from tests.examples import fewer
from tests.export.conftest import MADE_AT
from tests.export.pages import assert_harmless, parsed, shown, tokens
from tests.stores.writer import Writer, create, talk

EVIL = (
    "</span></p></details></section></style></title><script>alert(1)</script><img src=x onerror=alert(1)>"
    "\"' onload='x' <!-- --> ]]> &lt;b&gt; <a href=javascript:alert(1)>x</a> <svg/onload=alert(1)>"
)
MARKUP = (
    "```\n# Heading\n````\n~~~\n<b>x</b>\n[x](javascript:x) ![i](http://a.example/x.png) <http://a.example>\n"
    "| a | b |\n| --- | --- |\n***\n[r]: http://a.example\n1. one\n> quote\n\t code\n&copy; \\\n===\n---"
)
_PIECES = st.sampled_from([
    "<", ">", "&", '"', "'", "`", "```", "~~~", "*", "**", "_", "__", "[", "](", ")", "!", "|", "\\", "#", "# ", "- ",
    "1. ", "1) ", "> ", "=", "===", "---", "~~", "$", "{", "}", "\n", "\n\n", "\r", "\t", " ", "  \n", ":", "://",
    "www.", "+ ", "@", "a", "x", "<script>", "</", "/>", "<!--", "-->", "&amp;", "&#60;", "&lt", "]]>", "\x1b[1m",
    "\x00", "\u202e", "\u2028", "\ud800", "好", "é", "http://a.example", "[^1]", "[x]: y", "<a@b.example>", "---\n",
    "\n```\n", "%", "^",
])  # fmt: skip
texts = st.lists(_PIECES, max_size=14).map("".join) | st.text(max_size=30) | st.sampled_from([EVIL, MARKUP])


def one_line(text: str) -> str:
    return " ".join(safe(text).split())


def filled(templates: Environment, source: str, **values: object) -> str:
    return templates.from_string(source).render(**values)


@given(texts, texts)
def test_a_text_in_an_element_is_unchanged(text: str, attribute: str) -> None:
    source = '<p title="{{ attribute }}">{{ text }}<b>{{ attribute }}</b></p>{{ text }}'
    page = parsed(filled(html_templates(), source, text=text, attribute=attribute))
    assert page.text == safe(text) + safe(attribute) + safe(text)
    (paragraph,) = page.children
    assert paragraph.attributes == {"title": safe(attribute)}
    assert [child.name for child in paragraph.children] == ["b"]


def test_only_the_template_has_markup() -> None:
    macro = "{% macro bold(text) %}<b>{{ text }}</b>{% endmacro %}"
    assert filled(html_templates(), f"{macro}{{{{ bold(text) }}}}", text="<i>") == "<b>&lt;i&gt;</b>"
    assert filled(html_templates(), "{{ a }} {{ b }} {{ c }}", a=0.5, b=2.0, c=1000) == "0.5 2 1000"
    bold = "{% macro bold(text) %}**{{ text }}**{% endmacro %}"
    assert filled(markdown_templates(), f"{bold}{{{{ bold(text) }}}}", text="*i*") == r"**\*i\***"


def test_a_template_of_markdown_joins_no_texts_to_markup() -> None:
    """A text joined with markup in an expression would be escaped like HTML."""
    templates = markdown_templates()
    source, _, _ = templates.loader.get_source(templates, "markdown.j2")  # type: ignore[union-attr]
    assert not re.search(r"\{\{[^}]*~", source)


@given(texts)
def test_a_text_in_a_line_of_markdown_is_unchanged(text: str) -> None:
    escaped = line(text)
    assert "\n" not in escaped
    for before, after in (("", ""), ("- ", ""), ("- **x** ", " (y)"), ("- x\n    - → ", ""), ("Text ", ".")):
        found = tokens(f"{before}{escaped}{after}\n")
        kinds = {token.type for token in found}
        assert kinds <= {
            "paragraph_open", "paragraph_close", "inline", "text", "text_special", "bullet_list_open", "softbreak",
            "bullet_list_close", "list_item_open", "list_item_close", "strong_open", "strong_close",
        }, (text, kinds)  # fmt: skip
        assert (one_line(text) or "(nothing)") in shown(found)


@given(texts, texts)
def test_a_cell_of_a_table_stays_in_its_cell(one: str, other: str) -> None:
    source = "| a | b |\n| --- | --- |\n| {{ one or '–' }} | {{ other or '–' }} |\n| x | y |\n"
    found = tokens(filled(markdown_templates(), source, one=one, other=other))
    cells = [found[at + 1].content for at, token in enumerate(found) if token.type == "td_open"]
    assert len(cells) == 4
    assert cells[2:] == ["x", "y"]
    assert not {token.type for token in found} & {
        "html_inline",
        "html_block",
        "link_open",
        "image",
        "code_inline",
    }


@given(texts)
def test_a_fence_ends_after_its_text(text: str) -> None:
    found = tokens(f"before\n\n{fenced(text)}\n\nafter\n")
    assert [token.type for token in found if token.type in ("fence", "heading_open", "html_block")] == [
        "fence"
    ]
    (fence,) = [token for token in found if token.type == "fence"]
    assert fence.content == safe(text) + "\n" or not text
    assert [token.content for token in found if token.type == "inline"] == ["before", "after"]


_WORDS = {
    *KINDS,
    *OUTCOMES,
    *SEVERITIES,
    *CHANGES,
    *RULES,
    "summary",
    "head",
    "tail",
    "bullet",
    "number",
    "paragraph",
    "code",
}


def spoiled(value: Any, texts: Callable[[], str]) -> Any:
    """Replace every text in a value, except empty texts and words of the program."""
    if isinstance(value, str):
        return value if not value or value in _WORDS else texts()
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(spoiled(one, texts) for one in value)
    if isinstance(value, tuple):
        return tuple(spoiled(one, texts) for one in value)
    if isinstance(value, Struct):
        names = value.__struct_fields__
        return replace(value, **{name: spoiled(getattr(value, name), texts) for name in names})
    return value


def outline(markdown: str) -> list[tuple[str, int]]:
    """Return the blocks of a document that no text may change: headings, fences, tables with their rows."""
    kinds = (
        "heading_open",
        "fence",
        "table_open",
        "tr_open",
        "td_open",
        "hr",
        "bullet_list_open",
        "list_item_open",
    )
    return [(token.tag + token.type, token.level) for token in tokens(markdown) if token.type in kinds]


@fewer(by=12)
@given(st.lists(texts, min_size=1, max_size=12))
def test_a_report_of_hostile_texts(report_of: Callable[[str], Report], found: list[str]) -> None:
    report = report_of("Move checkout to orders-v2")
    at = iter(range(10**9))
    bad = spoiled(report, lambda: found[next(at) % len(found)])
    assert_harmless(parsed(render(bad, "html")))
    document = tokens(render(bad, "markdown"))
    assert not {token.type for token in document} & {
        "html_inline",
        "html_block",
        "link_open",
        "image",
        "blockquote_open",
    }
    headings = [token.tag for token in document if token.type == "heading_open"]
    assert headings == [t.tag for t in tokens(render(report, "markdown")) if t.type == "heading_open"]


def test_the_outline_of_a_document_does_not_depend_on_its_texts(report_of: Callable[[str], Report]) -> None:
    report = report_of("Nightly orders import loses rows")
    # Neither text is empty, and each has one item for the summaries.
    calm = outline(render(spoiled(report, lambda: "- calm"), "markdown"))
    assert outline(render(spoiled(report, lambda: f"- {EVIL}"), "markdown")) == calm


@pytest.fixture
def hostile(tmp_path: Path) -> Report:
    """Make a database in which every text is hostile."""
    both = f"{EVIL}\n{MARKUP}"
    writer = Writer(create(tmp_path / "state.db"), tip="s0")
    writer.begin(title=EVIL, model=f"gpt-4o{EVIL}", system_prompt=both, source=EVIL)
    call = {"id": "c", "type": "function", "function": {"name": EVIL, "arguments": both}}
    writer.say([{"role": "user", "content": f"Never open more than 40 connections to <b>db</b>.\n{EVIL}"}])
    writer.say(talk(6))
    writer.say(
        [{"role": "user", "content": both}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    )
    writer.say([{"role": "tool", "content": both * 20, "tool_call_id": "c", "tool_name": EVIL}])
    writer.say([{"role": "user", "content": f"Always keep <b>config.py</b> at 3.2.1 {EVIL}"}])
    writer.compact(0, 26, f"## Goal{EVIL}\n- {EVIL} first 12\n- stays {EVIL}\n\n{MARKUP}")
    writer.say(talk(6, start=6))
    writer.compact(
        0, 20, f"## Goal{EVIL}\n- {EVIL} first 13\n- stays {EVIL}\n## Next\n- {MARKUP}", rotate=True
    )
    writer.say(talk(2, start=20))
    store = open_store(writer.end())
    return gather_report(Answers(store, {}, None), "s0", MADE_AT)


def test_a_hostile_database(hostile: Report) -> None:
    page = parsed(render(hostile, "html"))
    assert_harmless(page)
    assert len(hostile.compactions) == 2
    assert sum(hostile.compactions[0].facts.counts["constraint"].values()) > 0
    assert "<script>alert(1)</script>" in page.text
    found = tokens(render(hostile, "markdown"))
    assert not {token.type for token in found} & {"html_inline", "html_block", "link_open", "image"}
    assert "<script>alert(1)</script>" in shown(found)
