"""The texts of a list in sentences and lines: what of them is judged alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inspector.core.scan.exact import PATTERNS
from inspector.quality.facts.fact import Span, Where
from inspector.quality.facts.fates.quotes import Quotes
from inspector.quality.facts.rules.lexicon import Rules

#: The order in which regions are searched.
REGIONS: tuple[Where, ...] = ("summary", "head", "tail")
#: So many characters of one message are searched; the rest of a longer one is data.
MOST = 60_000
# A sentence that is longer is read in pieces, and of a longer line only its sentences: further apart, a number and a
# word have nothing to do with each other.
_LONG = 420
_LONG_LINE = 900
#: What parts the lines of a text, also where it was written as an escape.
LINES = re.compile(r"\\n|\n")
_ENDS = re.compile(r"(?:(?<=[.!?;])[\"')\]*`]*\s+|(?<=[。！？；])\s*)")
# Names of files and code of which no part is a word of the sentence: paths, snake_case of three words and more.
_MAY_BE_CODE = re.compile(r"[/_]|\.[a-z]|[a-z][A-Z]")
_CODED = re.compile(
    rf"{PATTERNS['file']}(?!\w)|"
    r"(?![A-Za-z]+(?:/[A-Za-z]+)+(?![\w./-]))[\w.@+~-]*/(?:[\w.@+/~-]|\(\w+\)/|\[\w+\])*|[A-Za-z0-9]+(?:_+[A-Za-z0-9]+){1,}|"
    r"\b[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+){3,}"
)
# Where the next word of a name begins.
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class ListText:
    """A text of the list after: a message of the head or tail, or the summary. `text` is safe; `offset` is where it
    starts in the safe text of its message (a merged summary is only a part of one)."""

    where: Where
    index: int
    role: str
    text: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, or a `line` of several, in which those that are quotes are blank. `span` is in the part's text.
    `quote`: it is a sentence of the user's, word for word."""

    part: int
    span: Span
    text: str
    words: frozenset[str]
    line: bool = False
    quote: bool = False


def passages_of(parts: Sequence[ListText], rules: Rules, said: Quotes) -> Iterator[Passage]:
    """Every sentence of some texts, and behind the sentences of a line the whole line. `said` are the user's
    sentences."""
    for number, part in enumerate(parts):
        for start, end in _lines(part.text[:MOST]):
            line: list[Passage] = []
            for a, b in _sentences(part.text, start, end):
                text = part.text[a:b]
                quote = part.where == "summary" and said.have(text)
                line.append(Passage(number, (a, b), text, frozenset(_words(text, rules)), quote=quote))
            yield from line
            if len(line) > 1 and end - start <= _LONG_LINE:
                own = frozenset[str]().union(*(one.words for one in line if not one.quote))
                quotes = [(one.span[0] - start, one.span[1] - start) for one in line if one.quote]
                yield Passage(number, (start, end), blanked(part.text[start:end], quotes), own, line=True)


def _words(text: str, rules: Rules) -> Iterable[str]:
    """The stems of a sentence, but for those of the names of files and of code: what a name is made of says nothing."""
    bare = _CODED.sub(" ", text) if _MAY_BE_CODE.search(text) else text
    return rules.stemmer.words(in_words(bare))


def blanked(text: str, spans: Iterable[Span]) -> str:
    """A text with spaces in some places."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def in_words(text: str) -> str:
    """A text with the words of its names apart: outputType is the output type."""
    return _HUMP.sub(" ", text)


def _lines(text: str) -> Iterable[Span]:
    at = 0
    for mark in LINES.finditer(text):
        if text[at : mark.start()].strip():
            yield at, mark.start()
        at = mark.end()
    if text[at:].strip():
        yield at, len(text)


def _sentences(text: str, start: int, end: int) -> Iterable[Span]:
    at = start
    for mark in _ENDS.finditer(text, start, end):
        yield from _cut(text, at, mark.start())
        at = mark.end()
    yield from _cut(text, at, end)


def _cut(text: str, start: int, end: int) -> Iterable[Span]:
    while end - start > _LONG:
        stop = text.rfind(" ", start + _LONG // 2, start + _LONG)
        stop = stop if stop > start else start + _LONG
        yield start, stop
        start = stop
    if end > start and not text[start:end].isspace():
        yield start, end
