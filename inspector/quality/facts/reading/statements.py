"""What one sentence says: its statements, by the phrases that give them away, by what it asks, by its values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.exact_values import placed, values_of
from inspector.quality.facts.fact import Kind, Span, Statement, Value
from inspector.quality.facts.reading.cues import best_cue
from inspector.quality.facts.reading.given import WEAK, of_values, worth
from inspector.quality.facts.reading.line import (
    THINKING,
    WORKING,
    Line,
    asks,
    clause_around,
    groups,
    statement_of,
)
from inspector.quality.facts.reading.manner import inquires, is_errand, is_hedged, language_of, requested
from inspector.quality.facts.reading.sentences import LONGEST, Sentence
from inspector.quality.facts.rules.lexicon import Language, Rules

_ASKED = re.compile(r"[?？]\W*$")
# A question with an example behind it.
_ASKED_SUCH = re.compile(r"[?？][*_]*\s*[(（][^()（）]*[)）]\W*$")
_LETTER = re.compile(r"[^\W\d_]")
#: A user's sentence with fewer words that speak of anything says nothing without a phrase that gives it away.
_FEWEST = 2
_FEWEST_PAIRS = 6
#: What points back at something ("that's ...") says nothing alone in fewer words that speak of anything.
_ALONE = 3
_ALONE_PAIRS = 9
# Bold and quotes set a name apart; around a clause they only stress it.
_NAMING = re.compile(
    r"\"[^\"\s]+(?: [^\"\s]+){0,3}\"|\*\*[^*\s]+(?: [^*\s]+){0,3}\*\*"
    r"|`[^`\n]+`|\w\(\)|[a-z]_[a-z]|[a-z][A-Z]|\d"
)
#: A message of more characters says itself what the numbers and letters in it stand for.
_SHORT = 80
#: A phrase that is less sure is no wish or choice in what asks for something that is done and over.
_LASTING = 7
_LABEL = re.compile(r"\W{0,4}\*\*[^*\n]+(?::\*\*|\*\*:)")
#: How the agent ticks off what it did: the state of a moment.
_DONE = re.compile(r"[\W_]{0,4}?[✅☑✔🎉🚀]")
# At least two points of up to three words below a sentence: names of which it speaks.
_BARE_ITEMS = re.compile(
    r"[^\S\n]*\\?\n(?:[^\S\n]*\\?\n)?(?:[^\S\n]*[-*•][^\S\n]+\S+(?:[^\S\n]\S+){0,2}[^\S\n]*(?:\n|\Z)){2,}"
)
_POINT = re.compile(r"\d{1,2}[.)、]\s")
_SEMICOLON = re.compile(r";\s+|；")
# What any exact value has.
_DIGIT = re.compile(r"\d|://")
# Data behind words: JSON, a log with its time, a commit.
_DATA = re.compile(r"\s*(?:\{\s*\"|\[\s*\{|\* commit [0-9a-f]{7})")
# What people write in two ways.
_WRITTEN = str.maketrans("’ёЁ", "'еЕ")


def statements_of(
    text: str, sentence: Sentence, role: str, rules: Rules, working: int = 0
) -> list[Statement]:
    """What a sentence says. `working`: how sure a phrase must be where the agent says it between two calls, or thinks
    aloud; 0 where it answers."""
    start, end = sentence.start, _before_data(text, sentence)
    first = start
    for language in rules.languages:
        if label := language.labels.match(text, start, end):
            # The number of a list is how somebody will speak of the point later.
            first = label.start("number") if label.groupdict().get("number") else label.end()
            start = label.end()
            break
    body = _spelled(text[start:end], rules)
    asked = _ASKED.search(body) is not None and not requested(body, rules)
    if role == "assistant":
        # The agent thinks aloud: its questions, and what it says before it does something, are no facts.
        if asked or _ASKED_SUCH.search(body) or sentence.pasted or _opens(body) or _DONE.match(body):
            return []
        if working == THINKING and any(language.backward.match(body) for language in rules.languages):
            return []
        named = _NAMING.search(body) is not None
        parts = list(_apart(text, (first, end)))
        return [found for part in parts for found in _of_agent(text, part, rules, working, named)]
    values = placed(values_of(body, rules), start)
    line = Line(text, (first, end), role, rules, sentence.pasted, asked, values, over=sentence.over)
    best = best_cue(line, body, hedged=False)
    if _opens(body) and not sentence.pasted and (items := _BARE_ITEMS.match(text, end)) is not None:
        # What is said of some names is said with them, as many as a fact has room for.
        stop = items.end() if items.end() - first <= LONGEST else text.rfind("\n", end, first + LONGEST)
        stop = len(text[:stop].rstrip(" \n\\"))
        line = replace(line, span=(first, stop), values=placed(values_of(text[start:stop], rules), start))
        if best is not None:
            cue, (a, b) = best
            return [statement_of(line, cue.kind, line.span, cue.id, (start + a, start + b), cue.strength)]
        return _of_own(line, text[start:stop])
    if best is None:
        return [] if sentence.pasted else _of_own(line, body)
    cue, (a, b) = best
    if (
        cue.kind != "constraint"
        and cue.strength < _LASTING
        and not sentence.pasted
        and is_errand(body, rules)
    ):
        return _of_own(line, body)
    if _leads_over(line, body) or (len(text) > _SHORT and _only_chooses(body, rules)):
        return []
    span = clause_around(line, start + a) if cue.clause else line.span
    return [
        statement_of(line, cue.kind, span, cue.id, (start + a, start + b), cue.strength),
        *(_of_rest(line, span) if cue.clause else ()),
    ]


def _spelled(body: str, rules: Rules) -> str:
    """A sentence as the phrases of its language are written, character by character."""
    return body if rules.others is not None else body.translate(_WRITTEN)


def _of_agent(text: str, span: Span, rules: Rules, working: int, named: bool) -> list[Statement]:
    """What a part of the agent's sentence says: by a phrase that gives it away, else by its values. `named`: something
    is named in the sentence."""
    start, end = span
    body = _spelled(text[start:end], rules)
    if any(
        language.narrates.match(body)
        for language in rules.languages
        if not language.pairs or has_unspaced(body)
    ):
        return []
    values = placed(values_of(body, rules), start) if _DIGIT.search(body) else ()
    if values and (point := _POINT.match(body)):
        # The number of a point measures nothing.
        values = tuple(value for value in values if value.span[0] >= start + point.end())
    line = Line(text, span, "assistant", rules, False, False, values, working, named)
    hedged = is_hedged(body, rules)
    best = best_cue(line, body, hedged)
    if best is None:
        return [] if hedged else of_values(line)
    cue, (a, b) = best
    if cue.strength < WORKING and (label := _LABEL.match(body)) is not None and a < label.end():
        # "**Merged by**: kim" does not say what was done.
        return []
    said = statement_of(line, cue.kind, span, cue.id, (start + a, start + b), cue.strength)
    bare = body.strip("*_ ")
    # "Found the root cause!" announces it.
    return [] if bare.endswith("!") and not (values or _NAMING.search(bare)) else [said]


def _opens(body: str) -> bool:
    """Whether a sentence ends with a colon, in bold too."""
    return body.rstrip("*_").endswith((":", "："))


def _leads_over(line: Line, body: str) -> bool:
    """Whether a rule says nothing but that what stands below it is one ("Every query MUST:", "HARD RULES:")."""
    if not _opens(body) or _NAMING.search(body.strip("*_")):
        return False
    return body.isupper() or (not has_unspaced(body) and len(set(line.rules.stemmer.words(body))) <= _ALONE)


def _only_chooses(body: str, rules: Rules) -> bool:
    """Whether a sentence is a choice by number or letter alone: what it stood for is elsewhere in the same text."""
    bare = body.translate({ord("("): " ", ord(")"): " "}).strip()
    found = (language.choices.match(bare) for language in rules.languages)
    return any(one is not None and one.end() >= len(bare) for one in found)


def _before_data(text: str, sentence: Sentence) -> int:
    """The end of a sentence, or of its part before data that somebody pasted behind it."""
    for data in _DATA.finditer(text, sentence.start, sentence.end):
        if text.count("`", sentence.start, data.start()) % 2 == 0:
            return data.start()
    return sentence.end


def _of_own(line: Line, body: str) -> list[Statement]:
    """What a user's own sentence says without any phrase that gives it away: it asks for something, or tells it."""
    language = language_of(body, line.rules)
    if language is None or language.nods.fullmatch(body) is not None:
        return []
    kind: Kind
    if not line.asked and inquires(body, line.rules):
        line = replace(line, asked=True)
    if not line.asked and asks(line, (line.span[1] - len(body), line.span[1]), language):
        kind, rule, strength = "decision", "errand" if is_errand(body, line.rules) else "request", 5
    elif line.asked:
        kind, rule, strength = "link", "question", 3
    else:
        kind, rule, strength = ("value" if line.values else "link"), "told", 4
    statement = statement_of(line, kind, line.span, f"{language.name}.{rule}", (0, 0), strength)
    if _goes_on(line, body, statement, language) or (
        rule == "told" and _tells_nothing(line, body, statement, language)
    ):
        return []
    if line.text.strip() != body and not _unvalued(line, body):
        # A name in a list of names; a whole answer may be a name.
        return []
    # A bare number without any word is of nothing.
    valued = any(value.distinctive or statement.things for value in statement.values)
    fewest = _FEWEST_PAIRS if language.pairs else _FEWEST
    return [statement] if valued or len(statement.things) >= fewest else []


def _goes_on(line: Line, body: str, statement: Statement, language: Language) -> bool:
    """Whether a sentence leads over to something else: what it tells or asks stands behind its colon."""
    if not _opens(body) or _DATA.match(line.text, line.span[1]):
        return False
    alone = _ALONE_PAIRS if language.pairs else _ALONE
    if statement.rule.endswith(".told"):
        return len(statement.things) < alone or not line.values
    return body.isupper() or (not _NAMING.search(body) and len(statement.things) <= alone)


def _tells_nothing(line: Line, body: str, statement: Statement, language: Language) -> bool:
    """Whether a sentence that asks for nothing tells nothing either: it shows something, points back at something,
    names what stands below it, or has hardly a word ("Boots clean.", "Clicks: 840", "remind the plan")."""
    if all(value.unit in line.rules.fleeting for value in line.values) and language.showing.search(body):
        return True
    words = len(statement.things)
    alone, fewest = (_ALONE_PAIRS, _FEWEST_PAIRS) if language.pairs else (_ALONE, _FEWEST)
    if not line.values and (
        (words < alone and language.pointing.match(body)) or (line.over and words <= alone)
    ):
        return True
    if line.values and line.text.strip() == body:
        # It is all that somebody answers.
        return False
    # A numbered point is something of which they will speak again.
    least = fewest if line.values or _POINT.match(line.text, line.span[0]) else alone
    named = line.rules.quantities.intersection(statement.things)
    return words < least and not named and all(_says_little(value, statement) for value in line.values)


def _says_little(value: Value, statement: Statement) -> bool:
    """Whether a value beside hardly a word is of nothing: a bare number or name, a file without any word."""
    return (value.form in WEAK and not value.unit) or (value.form == "file" and not statement.things)


def _unvalued(line: Line, body: str) -> bool:
    """Whether anything but values stands in a sentence."""
    for value in line.values:
        body = body.replace(value.text, "")
    return _LETTER.search(body) is not None


def _of_rest(line: Line, taken: Span) -> list[Statement]:
    """What the other clauses of a user's sentence say, of which one was taken: those with a value of their own."""
    found = []
    for span in groups(line):
        if taken[0] < span[1] and span[0] < taken[1]:
            continue
        own = [value for value in line.values if span[0] <= value.span[0] < span[1]]
        statement = statement_of(line, "value", span, "", (0, 0), 0)
        strength, rule = worth(statement, own, line) if own else (0, "")
        language = language_of(line.text[slice(*span)], line.rules)
        if strength > line.pasted and language is not None and asks(line, span, language):
            statement, rule = replace(statement, kind="decision"), f"{language.name}.request"
        if strength > line.pasted:
            found.append(replace(statement, rule=rule, strength=strength))
    return found


def _apart(text: str, span: Span) -> Iterable[Span]:
    """What stands between semicolons: sentences of their own."""
    at, end = span
    for mark in _SEMICOLON.finditer(text, at, end):
        yield at, mark.start()
        at = mark.end()
    yield at, end
