"""A choice by number or letter ("2", "let's go with B"), told by what it stood for in the list that the agent gave."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inspector.quality.facts.exact_values import values_of
from inspector.quality.facts.fact import Statement
from inspector.quality.facts.lexicon import Rules
from inspector.quality.facts.sentences import LONGEST

#: A longer message says what it wants in words of its own.
SHORT = 80
STRENGTH = 7
_LABELS = re.compile(r"\d{1,2}|(?<![A-Za-z])[A-Ha-h](?![A-Za-z])")
_MARKS = re.compile(r"[*_]{2,}")
_CELLS = re.compile(r"\s*\|\s*")


def chosen(text: str, before: str, rules: Rules) -> tuple[Statement, ...]:
    """What a user's safe text chooses of the list in the message before it, a statement for each point: its words are
    the point's, its span is the whole text. Empty where it chooses nothing, or the list has not all of it."""
    body = text.strip()
    if not body or len(body) > SHORT:
        return ()
    for language in rules.languages:
        found = language.choices.match(body)
        if found is None:
            continue
        points = points_of(_LABELS.findall(found["labels"]), [before])
        return tuple(
            _statement(point, (0, len(text)), f"{language.name}.choice", rules) for point in points.values()
        )
    return ()


def _statement(point: str, span: tuple[int, int], rule: str, rules: Rules) -> Statement:
    said = _CELLS.sub(", ", _MARKS.sub("", " ".join(point.split())).strip("| "))[:LONGEST]
    values = values_of(said, rules)
    things = tuple(dict.fromkeys(rules.stemmer.words(said, [value.span for value in values])))
    return Statement("decision", said, span, values, rule, (0, 0), STRENGTH, things)


def points_of(labels: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """What each label stood for in the nearest message that lists all of them; `texts` come nearest first."""
    for text in texts:
        found = {label: point for label in labels if (point := _point(label, text))}
        if found and len(found) == len(set(labels)):
            return found
    return {}


def _point(label: str, text: str) -> str:
    lead = r"^[ \t>*|#`-]*(?:[A-Za-z]+[ \t]+)?[*_`#]*"
    found = re.search(
        rf"{lead}{re.escape(label.upper())}[*_`]*[ \t]*[.):：、|–—-][ \t]*(?P<point>\S.+)$",
        text,
        re.MULTILINE,
    )
    return found["point"] if found else ""
