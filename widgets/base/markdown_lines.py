"""Markdown as lines of text: headings, lists, quotes, code and inline styles without their marks."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from inspector.core.text import safe
from widgets.base.strips import width_of
from widgets.base.text_lines import Span, TextLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: Longer texts are shown as they are, in characters.
MAX_MARKDOWN = 30_000
#: Maximum width of a table with columns, in cells: about the width of a pane.
WIDEST_TABLE = 72
#: Signs of Markdown in a text: a heading, a code block, a list, a table, bold words, inline code, a link.
_SIGNS = re.compile(
    r"^(?:#{1,6} \S|```|~~~|[ \t]*[-*+] \S|[ \t]*\d{1,3}[.)] \S|>[ \t]?\S|\|.{0,200}\|[ \t]*$)"
    r"|\*\*\S|`[^`\n]{1,200}`|\]\(\S",
    re.M,
)
#: A text and its styles.
Run = tuple[str, tuple[Span, ...]]
_INLINE = {"strong_open": "strong", "em_open": "accent", "link_open": "key", "s_open": "kept"}


def is_markdown(text: str) -> bool:
    """Whether a text has marks of Markdown, and is short enough to be shown without them."""
    return len(text) <= MAX_MARKDOWN and _SIGNS.search(text) is not None


def markdown_lines(text: str) -> tuple[TextLine, ...]:
    """Return Markdown as lines. HTML stays as written."""
    lines = _Lines(safe(text).split("\n"))
    source = "\n".join(lines.source)
    tokens = _parser().enable("table").parse(source)
    tables = [lines.source[slice(*token.map)] for token in tokens if token.type == "table_open" and token.map]
    if any(_cells(row) > _cells(rows[1]) or "\\|" in row for rows in tables for row in rows):
        # The parser leaves out cells without a head.
        tokens = _parser().disable("table").parse(source)
    for token in tokens:
        lines.add(token)
    return tuple(lines.lines) or (TextLine(""),)


def _cells(row: str) -> int:
    return row.strip().removeprefix("|").removesuffix("|").count("|")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # HTML is read as paragraphs, so that its text stays as it is.
    return MarkdownIt("commonmark").disable(["html_block", "html_inline", "entity", "reference"])


class _Lines:
    """Builds lines from the tokens of a parser."""

    def __init__(self, source: list[str]) -> None:
        self.source = source
        self.lines: list[TextLine] = []
        #: Number of the next item of each open list; None for bullets.
        self._lists: list[int | None] = []
        self._quotes = 0
        self._mark = ""
        self._heading = False
        #: The cells of the rows of an open table.
        self._table: list[list[Run]] | None = None

    def add(self, token: Token) -> None:
        """Add the lines of a token."""
        match token.type:
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._mark = self._next_mark()
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "heading_open" | "heading_close":
                self._heading = token.nesting > 0
                self._gap(token)
            case "paragraph_open" | "hr":
                self._gap(token)
                if token.type == "hr":
                    self.lines.append(TextLine("─" * 20, "rest"))
            case "table_open":
                self._gap(token)
                self._table = []
            case "table_close":
                self._end_table()
            case "tr_open":
                if self._table is not None:
                    self._table.append([])
            case "inline":
                runs = _runs(token.children or ())
                if self._table:
                    self._table[-1].append(runs[0])
                else:
                    self._paragraph(runs)
            case "fence" | "code_block":
                self._gap(token)
                code = token.content.rstrip("\n").split("\n")
                prefix = f"{self._indent()}│ "
                if token.info:
                    self.lines.append(TextLine(token.info, "rest", prefix=prefix, prefix_style="rest"))
                self.lines += [TextLine(line, "string", prefix=prefix, prefix_style="rest") for line in code]

    def _gap(self, token: Token) -> None:
        """Keep an empty line before a block where the source has one."""
        start = token.map[0] if token.map else 0
        if self.lines and start and not self.source[start - 1].strip() and token.nesting >= 0:
            self.lines.append(TextLine(""))

    def _next_mark(self) -> str:
        number = self._lists[-1]
        if number is None:
            return "• "
        self._lists[-1] = number + 1
        return f"{number}. "

    def _indent(self) -> str:
        return "▏ " * self._quotes + "  " * max(0, len(self._lists) - (1 if self._mark else 0))

    def _paragraph(self, runs: Sequence[Run]) -> None:
        """Add a line for each run; the first one has the mark of its item."""
        for text, spans in runs:
            prefix = self._indent() + self._mark
            prefix_style = "muted" if self._mark else "rest"
            self.lines.append(TextLine(text, "heading" if self._heading else "", spans, prefix, prefix_style))
            self._mark = ""

    def _end_table(self) -> None:
        """Add the rows of a table, each column as wide as its widest cell; a line is below the first row.

        Rows of a wide table would wrap into each other. Its cells are below each other instead.
        """
        rows, self._table = self._table or [], None
        widths = [max(width_of(text) for text, _ in column) for column in zip(*rows, strict=False)]
        if len(rows) > 1 and sum(widths) + 3 * (len(widths) - 1) > WIDEST_TABLE:
            self._stack(rows)
            return
        for number, row in enumerate(rows):
            text, spans = "", list[Span]()
            for (cell, styled), width in zip(row, widths, strict=False):
                text += "│ " if text else ""
                spans += [Span(span.start + len(text), span.end + len(text), span.style) for span in styled]
                text += cell + " " * (width - width_of(cell) + 1)
            self.lines.append(
                TextLine(text.rstrip(), "" if number else "strong", tuple(spans), self._indent())
            )
            if number == 0:
                self.lines.append(
                    TextLine(
                        "┼".join("─" * (width + 1 + (at > 0)) for at, width in enumerate(widths)), "rest"
                    )
                )

    def _stack(self, rows: Sequence[Sequence[Run]]) -> None:
        """Add the cells of a table below each other: the first one of each row, and the others with their heading."""
        headings, *others = rows
        indent = self._indent()
        for row in others:
            for at, ((cell, spans), (heading, _)) in enumerate(zip(row, headings, strict=False)):
                if not at:
                    self.lines.append(TextLine(cell, "strong", spans, indent))
                elif cell:
                    lead = f"{heading}: " if heading else ""
                    moved = tuple(Span(s.start + len(lead), s.end + len(lead), s.style) for s in spans)
                    styled = (Span(0, len(lead), "muted"), *moved) if lead else moved
                    self.lines.append(TextLine(lead + cell, "", styled, f"{indent}  "))


def _runs(tokens: Sequence[Token]) -> list[Run]:
    """Words with their styles, a run for each line."""
    runs: list[Run] = []
    text = ""
    spans: list[Span] = []
    open_styles: list[tuple[str, int]] = []
    links: list[str] = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            ended = [
                Span(start, len(text), style) for style, start in open_styles if style and start < len(text)
            ]
            runs.append((text, (*spans, *ended)))
            text, spans, open_styles = "", [], [(style, 0) for style, _ in open_styles]
        elif token.nesting > 0:
            open_styles.append((_INLINE.get(token.type, ""), len(text)))
            links.append(str(token.attrs.get("href", "")))
        elif token.nesting < 0:
            style, start = open_styles.pop()
            if style:
                spans.append(Span(start, len(text), style))
            href = links.pop()
            # A link keeps its target, unless that is its text.
            text += f" ({href})" if href and href != text[start:] else ""
        else:
            if token.type == "code_inline":
                spans.append(Span(len(text), len(text) + len(token.content), "string"))
            text += token.content
    return [*runs, (text, tuple(spans))]
