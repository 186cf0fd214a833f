"""What is looked for of a fact in a list: its wording, its exact values and names, its words, what binds in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from inspector.core.scan.exact import PATTERNS
from inspector.quality.facts.fact import Fact, Span, Value
from inspector.quality.facts.lexicon import Rules
from inspector.quality.facts.passage_index import plain
from inspector.quality.facts.sentences import clauses

#: A part of a fact's text is most of the fact from so many characters on.
SHORTEST = 24
# Names of code: in code marks, or written as no word is (RestoreLogs, restore_logs, main(), notes.md, #175).
_NAMES = re.compile(
    r"`(?P<code>[^`\s][^`\n]{0,120})`|(?P<name>(?<![\w`])(?:"
    rf"{PATTERNS['file']}|"
    r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+[A-Z]\w*|"
    r"[A-Za-z]+(?:_[A-Za-z0-9]+)+|\w+\(\)|#\d+)(?![\w`]))"
)
_EDGES = " .。!！;；,，:：?？-()[]"
# What is called or assigned in code: `save(path, mode)`, `retries = 3`.
_HEAD = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?:\(|\s*:?=[^=])")
# Names in other code: `Retries int`, `type Store struct`.
_CODED = re.compile(r"\b(?:[A-Za-z]+[a-z0-9]+[A-Z]\w*|[A-Za-z]+(?:_[A-Za-z0-9]+)+|[A-Z]+[a-z]+[A-Z]\w*)\b")
_SHORTEST_NAME = 4
# A command with its options.
_COMMAND = re.compile(r"`[^`\n]*\s--?[A-Za-z][^`\n]*`")
_CODE = re.compile(r"`[^`\n]+`")
# Terms that are set apart: in quotes, in bold.
_TERMS = re.compile(r"\"(?P<quoted>[^\"\n]{3,60})\"|\*\*(?P<bold>[^*\n]{3,60})\*\*")
# A file that heads a point: what stands behind it is said of something in it.
_HEADING = re.compile(
    r"\W{0,4}(?:\d{1,2}[.)]\s*)?[*_]*`[^`\n]+`[*_]*(?:\s\([^()\n]*\))?[*_]*\s*(?:[—–:→]|-)\s"
)
_FILES = frozenset({"path", "file"})
# So far from a value stands the word that it belongs to, and what parts them.
_BESIDE = 40
_PARTING = re.compile(r"[,;:.()，。；：（）]\s?")
# The place in a file behind its name.
_LINE = re.compile(r":\d+(?:-\d+)?\Z")


@dataclass(frozen=True, slots=True)
class Probe:
    """What is looked for of a fact.

    `wordings` are plain texts that are the fact, `partly` those that are most of it (each beside the text that it was
    made of). `values` and `names` are its exact things, `terms` those that it can be told without (what is set apart in
    quotes or bold, what was not chosen), `beside` the stems of the words right before and behind each value, `things`
    the stems of its other words, `reason` those of its reason. `alone`: its value is the fact wherever it is named;
    `owned`: the user said it. `denies`, `binds`, `guesses`: it says no, it is a rule, it is a guess.
    """

    wordings: tuple[tuple[str, str], ...]
    partly: tuple[tuple[str, str], ...]
    values: tuple[Value, ...]
    names: tuple[str, ...]
    terms: tuple[str, ...]
    beside: tuple[frozenset[str], ...]
    things: frozenset[str]
    reason: frozenset[str]
    alone: bool
    owned: bool
    denies: bool
    binds: bool
    guesses: bool


def probe_of(fact: Fact, rules: Rules) -> Probe:
    """What is to be looked for of a fact."""
    text = fact.text
    base = fact.first.span[0]
    placed = [(value, _within(value, base, text)) for value in fact.values]
    taken = [span for _, span in placed if span is not None]
    # Where in a file something stands moves with every change; what is said of it stays.
    lines = _spans(text, rules, "locators")
    # A choice may be told without what was not chosen; a rule may not.
    other = [] if fact.kind in ("constraint", "preference") else _spans(text, rules, "contrast")
    heading = _HEADING.match(text)
    head = [heading.span()] if heading is not None else []
    # A command is not what stands in it.
    commands = [found.span() for found in _CODE.finditer(text) if _COMMAND.fullmatch(found.group())]
    values, beside, terms = [], [], []
    for value, span in placed:
        canon = _LINE.sub("", value.canon) if value.distinctive else value.canon
        if span is not None and _inside(span, lines):
            continue
        apart = [*commands, *(head if value.form in _FILES else other)]
        if span is not None and value.distinctive and _inside(span, apart):
            terms.append(canon)
        else:
            values.append(replace(value, canon=canon))
            beside.append(beside_of(text, span, rules) if span is not None else frozenset[str]())
    names: list[str] = []
    gone = [*taken, *lines]
    if fact.role == "assistant" and fact.kind == "link":
        # "The issue is that ...": what gives a finding away is not what was found.
        gone.append((fact.cue[0] - base, fact.cue[1] - base))
    for found in _NAMES.finditer(text):
        if found.span() in commands or not any(a < found.end() and found.start() < b for a, b in taken):
            # The words of a name such as pool_size are words of the fact too.
            if found["code"] or "_" not in found["name"]:
                gone.append(found.span())
            name = _name_in(found["code"]) if found["code"] else found["name"]
            (terms if _inside(found.span(), other) else names).append(name.lower().strip("()"))
    if not (values or names):
        # Where nothing else is exact, it is what the fact is known by.
        names, terms = terms, []
    terms += [
        term.lower()
        for found in _TERMS.finditer(text)
        if not any(a < found.end() and found.start() < b for a, b in gone)
        and " " in (term := (found["quoted"] or found["bold"]).strip(_EDGES))
        and len(term) * 2 < len(text)
    ]
    things = frozenset(rules.stemmer.words(text, gone)) or frozenset(fact.things)
    things = things - rules.asking or things
    reason = _reason(text, gone, rules)
    things = things - reason if len(things - reason) >= max(2, len(reason)) else things
    wordings = [whole for whole in (_bare(text), *_led(text, rules)) if len(whole[0]) > 1]
    return Probe(
        tuple(wordings),
        tuple(_parts(fact, wordings[0][0] if wordings else "")),
        tuple(values),
        tuple(dict.fromkeys(name for name in names if len(name) > 1)),
        tuple(dict.fromkeys(term for term in terms if len(term) > 1)),
        tuple(beside),
        things,
        reason,
        bool(fact.values)
        and all(value.form in ("tool", "word") for value in fact.values)
        and not fact.things,
        fact.role == "user",
        _says(text, rules, "negations") and fact.kind in ("constraint", "preference"),
        fact.kind in ("constraint", "preference") and fact.strength >= 6,
        _says(text, rules, "hedges") and fact.role == "assistant",
    )


def beside_of(text: str, span: Span, rules: Rules) -> frozenset[str]:
    """The stems of the words right before and right behind a value in its clause."""
    before = _PARTING.split(text[max(0, span[0] - _BESIDE) : span[0]])[-1]
    behind = _PARTING.split(text[span[1] : span[1] + _BESIDE])[0]
    return frozenset([*list(rules.stemmer.words(before))[-1:], *list(rules.stemmer.words(behind))[:1]])


def _spans(text: str, rules: Rules, what: str) -> list[Span]:
    return [found.span() for language in rules.languages for found in getattr(language, what).finditer(text)]


def _inside(span: Span, spans: list[Span]) -> bool:
    return any(a <= span[0] and span[1] <= b for a, b in spans)


def _name_in(code: str) -> str:
    """What a piece of code is known by: the name that it calls or assigns, the only name of code in several words, else
    all of it."""
    head = _HEAD.match(code)
    if head is not None and len(head["name"]) >= _SHORTEST_NAME:
        return head["name"]
    coded = _CODED.findall(code) if " " in code and _COMMAND.fullmatch(f"`{code}`") is None else []
    return coded[0] if len(coded) == 1 else code


def _within(value: Value, base: int, text: str) -> Span | None:
    """Where a value stands in the fact's own text, from which white space may have gone."""
    start, end = value.span[0] - base, value.span[1] - base
    if start >= 0 and text[start:end] == value.text:
        return start, end
    at = text.find(value.text)
    return (at, at + len(value.text)) if at >= 0 else None


def _bare(text: str) -> tuple[str, str]:
    return plain(text).strip(_EDGES), text


def _led(text: str, rules: Rules) -> Iterator[tuple[str, str]]:
    """The text without the number of its point, and without words before it that say nothing."""
    for language in rules.languages:
        label = language.labels.match(text)
        if not language.pairs and label is not None and label.end():
            yield _bare(text[label.end() :])
        if not language.pairs and (filler := language.lead.match(text)) is not None and filler.end():
            yield _bare(text[filler.end() :])


def _parts(fact: Fact, whole: str) -> Iterator[tuple[str, str]]:
    """The text without its first or last clause, where every value and most of it is left."""
    if len(whole) < SHORTEST:
        return
    spans = clauses(fact.text, 0, len(fact.text))
    for part in (fact.text[spans[1][0] :], fact.text[: spans[-2][1]]) if len(spans) > 1 else ():
        text = _bare(part)
        kept = all(plain(value.text) in text[0] for value in fact.values)
        if kept and len(text[0]) >= max(SHORTEST, len(whole) / 2):
            yield text


def _reason(text: str, gone: list[Span], rules: Rules) -> frozenset[str]:
    """The stems of what gives the reason, "because ..." to the end; empty where none is given."""
    for language in rules.languages:
        found = language.because.search(text)
        if found is not None:
            return frozenset(rules.stemmer.words(text, [*gone, (0, found.end())]))
    return frozenset()


def _says(text: str, rules: Rules, what: str) -> bool:
    return any(getattr(language, what).search(text) is not None for language in rules.languages)
