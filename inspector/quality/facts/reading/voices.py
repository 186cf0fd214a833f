"""Whose words a message holds: its speaker's, a program's in the user's name, or the user's in a tool's result."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.quality.facts.fact import Span
from inspector.quality.facts.rules.lexicon import Rules

#: So many characters of a message are read; the rest is data that somebody pasted.
MOST = 60_000


def own_words(text: str, rules: Rules) -> list[Span]:
    """Where the user speaks in a message of the user's: not where a program put its blocks and notes."""
    note = rules.voices.note.search(text)
    text = text[: note.start()] if note is not None else text
    if rules.voices.starts.match(text) is not None:
        return [found.span("said") for found in rules.voices.own.finditer(text[:MOST])]
    spans: list[Span] = []
    at = 0
    for start, end in _blocks(text[:MOST], rules):
        spans += [(at, start), *(m.span("said") for m in rules.voices.own.finditer(text, start, end))]
        at = end
    spans = [part for span in (*spans, (at, min(len(text), MOST))) for part in _unwrapped(text, span, rules)]
    return [span for span in spans if text[slice(*span)].strip()]


def _unwrapped(text: str, span: Span, rules: Rules) -> Iterator[Span]:
    """What stands before, in and behind the tags around what is said to the agent."""
    at, end = span
    for tag in rules.voices.wrap.finditer(text, at, end):
        yield at, tag.start()
        at = tag.end()
    yield at, end


def _blocks(text: str, rules: Rules) -> Iterator[Span]:
    """The blocks that a program wrote. One that never ends goes on to the end."""
    at = 0
    while (opened := rules.voices.block.search(text, at)) is not None:
        mark = f"</{opened['tag']}>"
        close = text.find(mark, opened.end())
        at = close + len(mark) if close >= 0 else len(text)
        yield opened.start(), at


def said_in_result(text: str, rules: Rules) -> list[Span]:
    """Where a tool's result hands on what the user said: why a call was refused, what was noted beside an answer."""
    if rules.voices.hint.match(text) is None:
        return []
    head = text[:MOST]
    return [
        m.span("said") for spoken in rules.voices.spoken for m in spoken.finditer(head) if m["said"].strip()
    ]


def answered_in_result(text: str, rules: Rules) -> list[tuple[Span, Span]]:
    """The questions in a tool's result that the user answered, each with the answer."""
    if rules.voices.hint.match(text) is None:
        return []
    head = text[:MOST]
    return [
        (m.span("asked"), m.span("said"))
        for answers in rules.voices.answers
        for m in answers.finditer(head)
        if m["said"].strip()
    ]
