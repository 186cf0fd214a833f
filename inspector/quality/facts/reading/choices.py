"""What the user chose: by number or letter ("2", "let's go with B"), told by what that stood for in the list that the
agent gave, or by answering a question of the agent's, also with a "yes" alone, told with that question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.exact_values import placed, values_of
from inspector.quality.facts.fact import Fact, Span, Statement
from inspector.quality.facts.reading.sentences import LONGEST, sentences
from inspector.quality.facts.rules.languages import languages_of, rules_of
from inspector.quality.facts.rules.lexicon import Rules

#: A longer message says what it wants in words of its own.
SHORT = 80
STRENGTH = 7
#: A choice has no more words that speak of anything, and a question that is worth an answer no fewer.
_FEW = 3
#: An answer of no more words says nothing alone.
_WORDS = 2
#: What stands between an answer and its question, or a choice and its point, and how the rules of such facts end.
ARROW = " ← "
ANSWER, CHOICE = ".answer", ".choice"
#: So much of a long question is shown, its end.
_ASKED = 240
_LABELS = re.compile(r"\d{1,2}|(?<![A-Za-z])[A-Ha-h](?![A-Za-z])")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_MARKS = re.compile(r"[*_]{2,}")
_CELLS = re.compile(r"\s*\|\s*")


def chosen(text: str, before: str, rules: Rules) -> tuple[Statement, ...]:
    """What a user's safe text chooses of the list in the message before it, a statement for each point: its words are
    the user's and the point's, its span is the whole text. Empty where it chooses nothing, or the list has not all of
    it."""
    body = text.strip()
    if not body or len(body) > SHORT:
        return ()
    for language in languages_of(rules, body):
        found = language.choices.match(body)
        if found is None or language.inquiries.match(body, found.end()):
            continue
        points = points_of(_LABELS.findall(found["labels"]), [before])
        return tuple(
            _statement(body, point, (0, len(text)), f"{language.name}{CHOICE}", rules)
            for point in points.values()
        )
    return ()


def agreed(text: str, before: str, rules: Rules) -> tuple[Statement, ...]:
    """What a user's safe text says that only agrees or refuses ("yes", "go ahead") or answers in a word ("1024"),
    told with the last question of the last paragraph of the message before it. Empty where it says more, or nothing was
    asked."""
    nods = any(language.agrees.fullmatch(text) for language in languages_of(rules, text, before))
    if not nods and not only_answers(text, rules):
        return ()
    last = max((found.end() for found in _PARAGRAPH.finditer(before.rstrip())), default=0)
    questions = [
        one
        for one in sentences(before)
        if one.start >= last and before[one.start : one.end].rstrip("*_) \n").endswith(("?", "？"))
    ]
    asked = max(questions, key=lambda sentence: sentence.start, default=None)
    if asked is None:
        return ()
    question = _MARKS.sub("", before[asked.start : asked.end])
    rules = rules_of(before, rules)
    if len(set(rules.stemmer.words(question))) < _FEW or _approves(text, question, rules):
        return ()
    said = (len(text) - len(text.lstrip()), len(text.rstrip()))
    return (_answer(text, said, question, rules),)


def _approves(text: str, question: str, rules: Rules) -> bool:
    """Whether somebody says that all is well, or that the agent may go on, where nothing else was asked."""
    tongues = languages_of(rules, text, question)
    nods = any(
        (one.agrees.fullmatch(text) or one.nods.fullmatch(text.strip())) is not None for one in tongues
    )
    asked = any(one.approvals.search(question) is not None for one in tongues)
    return nods and asked and not any(one.negations.search(text) for one in tongues)


def only_answers(text: str, rules: Rules) -> bool:
    """Whether a user's text is a word or two that mean nothing but beside a question."""
    body = text.strip()
    if not 0 < len(body) <= SHORT or body.startswith(("/", "!", "[", "<")) or body.endswith(("?", "？", "!")):
        return False
    return len(body.split()) <= _WORDS and not has_unspaced(body) and rules.voices.onward.match(body) is None


def only_chooses(statement: Statement) -> bool:
    """Whether what a user says beside a choice is no more than that ("option 2 seems best")."""
    numbers = all(value.form == "number" for value in statement.values)
    return statement.rule.endswith(".told") and numbers and len(statement.things) <= _FEW


def _statement(body: str, point: str, span: Span, rule: str, rules: Rules) -> Statement:
    said = _CELLS.sub(", ", _MARKS.sub("", " ".join(point.split())).strip("| "))[:LONGEST]
    values = values_of(said, rules)
    things = tuple(dict.fromkeys(rules.stemmer.words(said, [value.span for value in values])))
    return Statement("decision", _beside(body, said), span, values, rule, (0, 0), STRENGTH, things)


def answered(
    text: str, asked: Span, said: Span, own: Sequence[Statement], rules: Rules
) -> Sequence[Statement]:
    """What an answer to a question says: a short one the choice that it is, its words the answer and the question, its
    span the answer's; another one `own`, what its sentences say, where that says more than a tale of one sentence."""
    body = " ".join(text[slice(*said)].split())
    if rules.voices.onward.match(body):
        return ()
    tale = len(own) == 1 and own[0].told and not own[0].asked
    if not body or body.endswith(("?", "？")) or (len(body) > SHORT and not tale):
        return own
    return [_answer(text, said, text[slice(*asked)], rules)]


def _answer(text: str, said: Span, asked: str, rules: Rules) -> Statement:
    """The choice that an answer is: its words the answer and the question, its span the answer's."""
    body, question = " ".join(text[slice(*said)].split()), " ".join(asked.split())
    if len(question) > _ASKED:
        question = "…" + question[-_ASKED:].partition(" ")[2]
    values = placed(values_of(text[slice(*said)], rules), said[0])
    things = tuple(dict.fromkeys(rules.stemmer.words(f"{question} {body}")))
    return Statement(
        "decision", _beside(body, question), said, values, f"any{ANSWER}", (0, 0), STRENGTH, things
    )


def _beside(said: str, meant: str) -> str:
    """What the user said in a few words, and what gives them their meaning."""
    return f"{' '.join(said.split()).replace(ARROW, ' - ')}{ARROW}{meant}"


def asked_and_answered(fact: Fact) -> tuple[str, str]:
    """The question that a fact answers and the answer; "" and the fact's text where it answers none, of a choice the
    point that was chosen."""
    if not fact.rule.endswith((ANSWER, CHOICE)):
        return "", fact.text
    said, _, meant = fact.text.partition(ARROW)
    return ("", meant) if fact.rule.endswith(CHOICE) else (meant, said)


def points_of(labels: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """What each label stood for in the nearest message that lists all of them; `texts` come nearest first."""
    for text in texts:
        found = {label: point for label in labels if (point := _point(label, text))}
        if found and len(found) == len(set(labels)):
            return found
    return {}


def _point(label: str, text: str) -> str:
    """What a label stands for: the point that a word stands before ("Option 1: ..."), else the last that has it, since
    what may be chosen of stands at the end."""
    lead = r"^[ \t>*|#`-]*(?P<word>[A-Za-z]+[ \t]+)?[*_`#]*"
    found = list(
        re.finditer(
            rf"{lead}{re.escape(label.upper())}[*_`]*[ \t]*[.):：、|–—-][ \t]*(?P<point>\S.+)$",
            text,
            re.MULTILINE,
        )
    )
    best = max(found, key=lambda one: (one["word"] is not None, one.start()), default=None)
    return "" if best is None else best["point"]
