"""Markdown as lines of text: headings, lists, quotes, code and inline styles without their marks."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from inspector.core.text import safe
from widgets.base.text_lines import Span, TextLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

#: Longer texts are shown as they are, in characters.
MAX_MARKDOWN = 30_000
#: Signs of Markdown in a text: a heading, a code block, a list, a table, bold words, inline code, a link.
_SIGNS = re.compile(
    r"^(?:#{1,6} \S|```|~~~|[ \t]*[-*+] \S|[ \t]*\d{1,3}[.)] \S|>[ \t]?\S|\|.{0,200}\|[ \t]*$)"
    r"|\*\*\S|`[^`\n]{1,200}`|\]\(\S",
    re.M,
)
_INLINE = {"strong_open": "strong", "em_open": "accent", "link_open": "key", "s_open": "kept"}


def is_markdown(text: str) -> bool:
    """Whether a text has marks of Markdown, and is short enough to be shown without them."""
    return len(text) <= MAX_MARKDOWN and _SIGNS.search(text) is not None


def markdown_lines(text: str) -> tuple[TextLine, ...]:
    """Return Markdown as lines. HTML and tables stay as written."""
    lines = _Lines(safe(text).split("\n"))
    for token in _parser().parse("\n".join(lines.source)):
        lines.add(token)
    return tuple(lines.lines) or (TextLine(""),)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Tables and HTML are read as paragraphs, so that their text stays as it is.
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
            case "inline":
                self._inline(token.children or ())
            case "fence" | "code_block":
                self._gap(token)
                code = token.content.rstrip("\n").split("\n")
                self.lines += [
                    TextLine(line, "string", prefix=f"{self._indent()}│ ", prefix_style="rest")
                    for line in code
                ]

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

    def _inline(self, tokens: Sequence[Token]) -> None:
        """Add the lines of a run of words with their styles."""
        parts: list[str] = []
        spans: list[Span] = []
        open_styles: list[tuple[str, int]] = []
        links: list[str] = []
        length = 0

        def flush() -> None:
            nonlocal parts, spans, length
            ended = [
                *spans,
                *(Span(start, length, style) for style, start in open_styles if style and start < length),
            ]
            style = "heading" if self._heading else ""
            prefix = self._indent() + self._mark
            prefix_style = "muted" if self._mark else "rest"
            self.lines.append(TextLine("".join(parts), style, tuple(ended), prefix, prefix_style))
            self._mark = ""
            parts, spans, length = [], [], 0
            open_styles[:] = [(style, 0) for style, _ in open_styles]

        for token in tokens:
            if token.type in ("softbreak", "hardbreak"):
                flush()
                continue
            text = token.content
            if token.nesting > 0:
                open_styles.append((_INLINE.get(token.type, ""), length))
                links.append(str(token.attrs.get("href", "")))
                continue
            if token.nesting < 0:
                style, start = open_styles.pop()
                if style:
                    spans.append(Span(start, length, style))
                href = links.pop()
                # A link keeps its target, unless that is its text.
                text = f" ({href})" if href and href != "".join(parts)[start:] else ""
            elif token.type == "code_inline":
                spans.append(Span(length, length + len(text), "string"))
            parts.append(text)
            length += len(text)
        flush()
