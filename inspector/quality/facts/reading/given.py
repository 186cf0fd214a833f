"""The exact values that a sentence gives, and how sure it is that one is a fact."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from inspector.quality.facts.fact import Statement, Value
from inspector.quality.facts.reading.line import Line, statement_of

# What the agent's own words give as values; the rest of its chatter is about code that it reads.
_MEASURED = frozenset({"quantity", "version", "address", "date", "ratio"})
# What it also gives where it answers, rather than works: what was made, and where.
_MADE = frozenset({"digest", "ticket", "url", "uuid"})
#: Forms of values that count or date something.
EXACT = frozenset({"number", "quantity", "percent", "ratio", "time", "date", "weekday"})
#: Forms that say little without a word beside them.
WEAK = ("number", "name", "option", "identifier", "weekday")
# How sure it is that what the agent gives is a fact, where that is less sure: a date mostly says when it spoke.
_OF_AGENT = {"number": 3, "quantity": 4, "percent": 4, "ratio": 4, "url": 2, "date": 1}
# Units of how long the agent thinks that something takes, which stands in brackets ("(~20 min)").
_LONG = frozenset({"min", "h", "day", "week"})
_ESTIMATED = re.compile(r"[(（]\s*[~≈]?\s*\Z")
# A bare number in a clause of more words is beside the point.
_WORDY = 12


def of_values(line: Line) -> list[Statement]:
    """A sentence of the agent's that gives an exact value of something, and not one that it hopes for."""
    if any(language.hopes.search(line.body) for language in line.rules.languages):
        return []
    own = [value for value in line.values if _meant(value, line)]
    statement = statement_of(line, "value", line.span, "", (0, 0), 0)
    strength, rule = worth(statement, own, line)
    return [replace(statement, rule=rule, strength=strength)] if strength else []


def worth(statement: Statement, own: Sequence[Value], line: Line) -> tuple[int, str]:
    """How sure it is that a clause's value is a fact (0: it is none), and the rule: the form of its best value."""
    named = bool(line.rules.quantities.intersection(statement.things))
    best = (0, "")
    for value in own:
        if line.role == "assistant" and not _given(value, line, named):
            continue
        if value.form in ("number", "time") and len(statement.things) > _WORDY:
            continue
        if value.form in EXACT and not statement.things:
            continue
        strength = 6 if value.form not in WEAK else 5 if named else 3
        if line.pasted and value.form in (*WEAK, "path", "file"):
            strength -= 2
        if line.role == "assistant":
            strength = _OF_AGENT.get(value.form, strength)
        if strength > best[0]:
            best = (strength, f"value.{value.form}")
    return best


def _meant(value: Value, line: Line) -> bool:
    """Whether the agent gives a value, rather than talks of code or counts tests and lines in passing."""
    if value.form in EXACT and ("`" in line.body or value.unit in line.rules.fleeting):
        return False
    # Between two calls the agent counts that there is nothing of it; that is no measure of anything.
    if line.working and value.canon == "0":
        return False
    if value.form not in _MADE and line.text.count("`", line.span[0], value.span[0]) % 2:
        return False
    if value.unit in _LONG and _ESTIMATED.search(line.text[line.span[0] : value.span[0]]):
        return False
    return value.form != "quantity" or any(map(str.isdigit, value.text))


def _given(value: Value, line: Line, named: bool) -> bool:
    """Whether the agent gives a value: one that was measured, or, where it answers, what it made."""
    if value.form in _MADE or value.form == "version":
        return not line.working
    if value.form == "percent":
        # A round share is what people say ("95% done"), one with a decimal was measured.
        return "." in value.canon
    return value.form in _MEASURED or (value.form == "number" and named)
