"""Parse a report: HTML with the standard library's parser, Markdown with markdown-it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

_VOID = {"meta", "br", "hr", "col", "img", "input", "link"}
#: Elements that a report may have. None of them runs or loads anything.
_ELEMENTS = """
html head meta title style body header main footer nav section h1 h2 h3 h4 h5 p a b code pre span mark ins del small
ul ol li dl dt dd div table caption thead tbody tr th td figure figcaption details summary
svg desc g defs pattern line rect circle path polygon polyline text
"""
_ATTRIBUTES = """
lang charset http-equiv content name class id href dir style title scope open role viewbox preserveaspectratio
aria-label aria-labelledby aria-hidden x y x1 x2 y1 y2 cx cy r rx d width height points fill text-anchor
stroke-dasharray patternunits patterntransform
"""
ELEMENTS, ATTRIBUTES = set(_ELEMENTS.split()), set(_ATTRIBUTES.split())


@dataclass
class Element:
    """An element with its text, including the text of its children."""

    name: str
    attributes: dict[str, str | None]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str = "") -> Iterator[Element]:
        """Return all elements of a name: this element and everything below it."""
        if not name or self.name == name:
            yield self
        for child in self.children:
            yield from child.all(name)

    def by_id(self, identity: str) -> Element:
        """Return the element with an id."""
        (found,) = [one for one in self.all() if one.attributes.get("id") == identity]
        return found


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.stack = [self.root]
        self.declarations: list[str] = []

    def handle_decl(self, decl: str) -> None:
        self.declarations.append(decl)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data!r}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data!r}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice: {attrs}"
        element = Element(tag, dict(attrs))
        self.stack[-1].children.append(element)
        if tag not in _VOID:
            self.stack.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].name == tag, f"</{tag}> closes <{self.stack[-1].name}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        for element in self.stack:
            element.text += data


def parsed(html: str) -> Element:
    """Return the tree of a page; fail if its elements are not balanced."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert parser.stack == [parser.root], f"not closed: {[one.name for one in parser.stack[1:]]}"
    assert parser.declarations in (["DOCTYPE html"], [])
    return parser.root


def assert_harmless(page: Element) -> None:
    """Check that nothing runs or loads, and that every link stays in the page."""
    ids = [one.attributes["id"] for one in page.all() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    for one in page.all():
        if one is page:
            continue
        assert one.name in ELEMENTS, one.name
        assert set(one.attributes) <= ATTRIBUTES, one.attributes
        if "href" in one.attributes:
            href = one.attributes["href"] or ""
            assert href[:1] == "#", href
            assert href[1:] in ids, href
        if "fill" in one.attributes:
            fill = one.attributes["fill"] or ""
            assert fill.startswith("url(#"), fill
            assert fill[5:-1] in ids, fill
        for word in ("url(", "expression", "@import"):
            assert word not in (one.attributes.get("style") or "")


_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(markdown: str) -> list[Token]:
    """Return all tokens of a document, also inside lines, as a renderer that allows HTML reads it."""
    found: list[Token] = []
    for token in _MARKDOWN.parse(markdown):
        found.append(token)
        found += token.children or []
    return found


def shown(found: list[Token]) -> str:
    """Return the visible text, line by line."""
    lines = []
    for token in found:
        if token.type == "inline":
            lines.append("".join(child.content for child in token.children or []))
        elif token.type == "fence":
            lines.append(token.content)
    return "\n".join(lines)
