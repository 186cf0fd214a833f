"""A sentence that is looked at, its clauses, and the statements that are made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inspector.quality.facts.fact import Kind, Span, Statement, Value
from inspector.quality.facts.reading.sentences import clauses
from inspector.quality.facts.rules.lexicon import Language, Rules

#: What the agent says between two calls, or thinks aloud, counts where a phrase is so sure, and something is named.
WORKING, THINKING = 7, 8
# What stands before the next line of a quoted text, or of one that a terminal broke.
_QUOTED = re.compile(r"\\?\n\s*(?:>\s?)*")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence to be looked at, or a part of one: its span in `text` (half-open, in characters), who says it, whether
    it is a question or was pasted, whether the sentence names something, whether it stands over a list. `working`: how
    sure a phrase must be where the agent says it between two calls, or thinks aloud; 0 where it answers."""

    text: str
    span: Span
    role: str
    rules: Rules
    pasted: bool
    asked: bool
    values: tuple[Value, ...]
    working: int = 0
    named: bool = False
    over: bool = False

    @property
    def body(self) -> str:
        """The sentence itself."""
        return self.text[slice(*self.span)]


def statement_of(line: Line, kind: Kind, span: Span, rule: str, cue: Span, strength: int) -> Statement:
    """What a part of a sentence says: `span` and `cue` half-open in its text, `strength` from 1 to 10."""
    a, b = span
    own = tuple(value for value in line.values if a <= value.span[0] < b)
    gone = [(value.span[0] - a, value.span[1] - a) for value in own]
    words = line.text[a:b]
    things = tuple(dict.fromkeys(line.rules.stemmer.words(words, gone)))
    return Statement(
        kind,
        " ".join(_QUOTED.sub(" ", words).split()),
        span,
        own,
        rule,
        cue,
        strength,
        things,
        line.pasted,
        line.asked,
    )


def clause_around(line: Line, at: int) -> Span:
    """The clause that a place is in, with those behind it that say nothing by themselves ("400 ms and 800 ms"), and
    with what stands behind its colon."""
    a, b = next((span for span in reversed(groups(line)) if span[0] <= at), line.span)
    return (a, line.span[1]) if line.text[b : b + 1] in (":", "：") else (a, b)


def groups(line: Line) -> list[Span]:
    """The clauses of a sentence, those without words of their own joined to the one before."""
    found: list[Span] = []
    spoken = 0
    for a, b in clauses(line.text, *line.span):
        own = len(set(line.rules.stemmer.words(line.text[a:b])))
        if found and (own < 2 or not spoken):
            found[-1] = (found[-1][0], b)
            spoken += own
        else:
            found.append((a, b))
            spoken = own
    return [(_past_join(line, a, b), b) for a, b in found]


def _past_join(line: Line, start: int, end: int) -> int:
    """The start of a clause behind the word that joins it to the one before."""
    for language in line.rules.languages:
        join = language.joins.match(line.text, start, end)
        if join is not None:
            rest = line.text[join.end() : end]
            return end - len(rest.lstrip()) if rest.strip() else start
    return start


def asks(line: Line, span: Span, language: Language) -> bool:
    """Whether a part of a sentence asks for something, as it begins or in a clause ("On the start page, add ...")."""
    if language.pairs:
        return language.asks.search(line.text, *span) is not None
    return any(
        language.asks.match(line.text, a, b) is not None for a, b in (span, *clauses(line.text, *span))
    )
