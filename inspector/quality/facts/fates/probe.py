"""What is looked for of a fact in a list: its wording, its exact values and names, its words, what binds in it."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from inspector.core.scan.exact import PATTERNS
from inspector.quality.facts.fact import Fact, Span, Value
from inspector.quality.facts.fates import nearly
from inspector.quality.facts.fates.passages import blanked, in_words
from inspector.quality.facts.fates.word_for_word import plain, unmarked
from inspector.quality.facts.reading.choices import asked_and_answered
from inspector.quality.facts.reading.given_commands import RULE as COMMAND_RULE
from inspector.quality.facts.reading.sentences import clauses
from inspector.quality.facts.rules.languages import rules_named, tongue_of
from inspector.quality.facts.rules.lexicon import Language, Rules

#: A passage that has none of a fact's exact things must have so much of its words to say anything of it: of a fact that
#: has such things, and of one that has none.
SPOKEN_OF = 0.4
MAYBE = 0.2
#: So much of the words of a fact without exact things may be the fact, be it a single word.
VAGUE = 0.25
#: A word of fewer says nothing.
FEW = 4
#: A part of a fact's text says it from so many characters on, and a third of it.
SHORTEST = 20
# Names of code: in code marks, or written as no word is (RestoreLogs, restore_logs, main(), notes.md, #175).
_NAMES = re.compile(
    r"`(?P<code>[^`\s][^`\n]{0,120})`|(?P<name>(?<![\w`])(?:"
    rf"{PATTERNS['file']}|"
    r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+[A-Z]\w*|"
    r"[A-Za-z]+(?:_[A-Za-z0-9]+)+|\w+\(\)|#\d+)(?![\w`]))"
)
# An answer of no more words is looked for beside what was asked.
_SHORT = 3
_EDGES = " .。!！;；,，:：?？-()[]"
# What is called or assigned in code: `save(path, mode)`, `retries = 3`.
_HEAD = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?:\(|\s*:?=[^=])")
# Names in other code: `Retries int`, `type Store struct`.
_CODED = re.compile(r"\b(?:[A-Za-z]+[a-z0-9]+[A-Z]\w*|[A-Za-z]+(?:_[A-Za-z0-9]+)+|[A-Z]+[a-z]+[A-Z]\w*)\b")
_SHORTEST_NAME = 4
# A command with its options.
_COMMAND = re.compile(r"`[^`\n]*\s--?[A-Za-z][^`\n]*`")
_CODE = re.compile(r"`[^`\n]+`")
# What a call in code marks is given: `save(path, mode)`.
_CALL = re.compile(r"`[\w.]+\((?P<given>[^`\n]*)\)[^`\n]*`")
# Terms that are set apart: in quotes, in bold.
_TERMS = re.compile(r"\"(?P<quoted>[^\"\n]{3,60})\"|\*\*(?P<bold>[^*\n]{3,60})\*\*")
# A file that heads a point: what stands behind it is said of something in it.
_HEADING = re.compile(
    r"\W{0,4}(?:\d{1,2}[.)]\s*)?[*_]*`[^`\n]+`[*_]*(?:\s\([^()\n]*\))?[*_]*\s*(?:[—–:→]|-)\s"
)
#: Forms of values that are files.
FILES = frozenset({"path", "file"})
# Files that any folder may have: the folder says which one.
_ANY = frozenset(
    {"page", "index", "route", "layout", "mod", "main", "__init__", "lib", "readme", "view", "views"}
)
# Values that are made of words, and so can be told in words.
_WORDED = frozenset({"path", "file", "identifier", "name", "setting", "option", "channel", "word", "tool"})
# Values that are given because somebody will need them as they are.
_GIVEN = frozenset({"url", "digest", "uuid"})
# So far from a value stands the word that it belongs to, and what parts them.
_BESIDE = 40
_PARTING = re.compile(r"[,;:.()，。；：（）]\s?")
# Two short words that may be written as one: each word of a text and the next.
_PAIR = re.compile(r"(?<![\w'-])(?P<one>[A-Za-z]{2,4})(?= (?P<other>[A-Za-z]{3,8})(?![\w'-]))")
# A number of so many digits is hardly told in words.
_TELLING = 2
#: A text in another script has so many of its letters at most in words in Latin ones.
LATIN = 0.7
# A word in Latin letters.
_LATIN = re.compile(r"[A-Za-z]{3,}")
# The place in a file behind its name.
_LINE = re.compile(r":\d+(?:-\d+)?\Z")
# Probes of all facts are held at once, and each empty set is one of its own.
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Probe:
    """What is looked for of a fact.

    `wordings` are plain texts that are the fact, `partly` those that are most of it, `groundless` those of these
    that lack its reason (each beside the text that it was made of). `values` and `names` are its exact things,
    `terms` those that it can be told without (what is set apart in quotes or bold, what was not chosen, what a
    call is given), `beside` the stems of the words right before and behind each value, `bounds` what bounds a
    value, with it ("up to 20"), `things` the stems of its other words. `joined` has two of these written as one
    ("by pass" as "bypass"), beside each of them, `reason` those of its reason, `answer` those of a short answer,
    which is there (as the first name) where all of them are. `alone`: its value is the fact wherever it is named,
    `placed`: so is the address that it tells; `owned`: the user said it, whose fingers may have slipped. `denies`,
    `binds`, `guesses`: it says no, it is a rule, it is a guess. `spelled` are the stems of all its words, those of
    its names among them, `exact` the numbers of the values that are not made of words. Of a short fact `spoken`
    are all words, in order; `denied`: one of them says no. `heads` are names of the file that heads a point
    ("`app/cart/page.tsx` - totals", the cart page), `wished`: the user wants something done. A passage that has
    none of its exact things says nothing of it with fewer than `least` of its words, and is not looked at with
    fewer than `enough`. `languages` are those of the fact, besides those that are always looked for, `tongue` is
    its own ("" where nothing tells), `telling`: it has a value that would stand in a text of any. `loans` are the
    stems of its words in Latin letters, where it is in another script: a summary in English has them too.
    """

    wordings: tuple[tuple[str, str], ...]
    partly: tuple[tuple[str, str], ...]
    groundless: tuple[tuple[str, str], ...]
    values: tuple[Value, ...]
    names: tuple[str, ...]
    terms: tuple[str, ...]
    beside: tuple[tuple[str, ...], ...]
    bounds: tuple[str, ...]
    things: tuple[str, ...]
    joined: tuple[tuple[str, str], ...]
    reason: frozenset[str]
    alone: bool
    placed: bool
    owned: bool
    denies: bool
    binds: bool
    guesses: bool
    least: float
    enough: int
    answer: frozenset[str] = _NOTHING
    spelled: tuple[str, ...] = ()
    exact: tuple[int, ...] = ()
    spoken: tuple[str, ...] = ()
    denied: bool = False
    heads: tuple[str, ...] = ()
    wished: bool = False
    languages: tuple[Language, ...] = field(default=(), compare=False)
    tongue: str = ""
    telling: bool = False
    loans: tuple[str, ...] = ()
    told: tuple[int, ...] = ()


def probe_of(fact: Fact, rules: Rules) -> Probe:
    """What is to be looked for of a fact."""
    asked, text = asked_and_answered(fact)
    if fact.rule == COMMAND_RULE:
        text = f"`{text}`"
    always, rules = rules, rules_named(fact.rule, fact.text, rules)
    base, owned = fact.first.span[0], fact.role == "user"
    placed = [(value, _within(value, base, text)) for value in fact.values]
    # Where in a file something stands moves with every change; what is said of it stays.
    lines = _spans(text, rules, "locators")
    # A choice may be told without what was not chosen; a rule may not.
    other = [] if fact.kind in ("constraint", "preference") else _spans(text, rules, "contrast")
    heading = _HEADING.match(text)
    head = [heading.span()] if heading is not None else []
    # A command is not what stands in it.
    commands = [found.span() for found in _CODE.finditer(text) if _COMMAND.fullmatch(found.group())]
    # A call is known by what it calls.
    calls = [found.span("given") for found in _CALL.finditer(text)]
    taken = [span for _, span in placed if span is not None and not _inside(span, calls)]
    values, beside, terms = [], [], []
    for value, span in placed:
        canon = _LINE.sub("", value.canon) if value.distinctive else value.canon
        if span is not None and _inside(span, lines):
            continue
        apart = [*commands, *calls, *other, *(head if value.form in FILES else ())]
        if span is not None and value.distinctive and _inside(span, apart):
            terms.append(canon)
        else:
            values.append(replace(value, canon=canon))
            beside.append(beside_of(text, span, rules) if span is not None else frozenset[str]())
    names: list[str] = []
    gone = [*taken, *lines, *calls]
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
    cue = fact.cue[0] - base, fact.cue[1] - base
    bounds = [
        plain(text[cue[0] : span[1]])
        for _, span in placed
        if fact.kind == "constraint" and span is not None and 0 <= span[0] - cue[1] <= 1 and cue[0] < cue[1]
    ]
    things = frozenset(rules.stemmer.words(text, gone)) or frozenset(fact.things)
    things = things - rules.asking or things
    answer = frozenset(rules.stemmer.words(text)) if asked and not values else _NOTHING
    short = bool(asked) and not values and len(answer) <= _SHORT
    if short:
        # An answer of a word or two stands anywhere: it is told beside what was asked.
        names, terms = [unmarked(text).strip(_EDGES)], []
        things = frozenset(rules.stemmer.words(asked)) - rules.asking - answer or answer
    unspelled = [span for value, span in placed if span is not None and value.form not in _WORDED]
    spelled = (
        frozenset(rules.stemmer.words(in_words(blanked(text, [*unspelled, *lines, *calls])))) - rules.asking
    )
    reason = _reason(text, gone, rules) if fact.kind == "decision" else _NOTHING
    things = things - reason if len(things - reason) >= max(2, len(reason)) else things
    if other and len(kept := things.intersection(rules.stemmer.words(text, [*gone, *other]))) > 2:
        things = kept
    # The only word of a fact does where a name is lost, not where a number is.
    only = len(things) < 2 and (not values or any(value.distinctive for value in values))
    vague = not (values or names) and len(things) >= FEW
    least = VAGUE * len(things) if vague else max(1 if only else 2, MAYBE * len(things))
    bare = short and len(answer) < _SHORT and len(text.split()) <= _SHORT
    spoken = nearly.spoken_words(text)
    wholes = () if bare else (wording_of(text), *_led(text, rules))
    wordings = [whole for whole in wholes if len(whole[0]) > 1]
    parts = list(_parts(fact, text, wordings[0][0] if wordings else "", rules))
    return Probe(
        tuple(wordings),
        tuple(part for part, grounded in parts if grounded),
        tuple(part for part, grounded in parts if not grounded),
        tuple(values),
        tuple(dict.fromkeys(name for name in names if len(name) > 1)),
        tuple(dict.fromkeys(term for term in terms if len(term) > 1)),
        tuple(map(tuple, beside)),
        tuple(bounds),
        # Probes of all facts are held at once, and a set takes six times as much.
        tuple(things),
        tuple(_joined(text, things, rules)) if owned else (),
        reason,
        bool(fact.values)
        and all(value.form in ("tool", "word") for value in fact.values)
        and not fact.things,
        fact.kind == "value"
        and len(things) < 2
        and bool(values)
        and all(one.form == "url" for one in values),
        owned,
        _denies(fact, text, rules),
        fact.kind in ("constraint", "preference") and fact.strength >= 6,
        _says(text, rules, "hedges") and fact.role == "assistant",
        least,
        max(
            math.ceil(least),
            0 if vague else math.ceil((SPOKEN_OF if values or names else MAYBE) * len(things)),
        ),
        answer if short else _NOTHING,
        () if short else tuple(spelled),
        tuple(number for number, value in enumerate(values) if value.form not in _WORDED),
        spoken if nearly.SHORTEST <= len(spoken) <= (nearly.MOST if owned else nearly.LONGEST) else (),
        _says(text, rules, "negations"),
        tuple(_heads(placed, head)),
        owned
        and fact.kind in ("constraint", "preference", "decision")
        and not _says(text, rules, "negations")
        and not _says(text, rules, "declines"),
        () if rules is always else rules.languages,
        _named_by(fact.rule) or tongue_of(text, always),
        any(map(_is_telling, fact.values)),
        tuple(dict.fromkeys(always.stemmer.words(_loans(text)))) if owned else (),
        tuple(n for n, one in enumerate(values) if one.form in _GIVEN and fact.rule == f"value.{one.form}"),
    )


def _loans(text: str) -> str:
    """The words in Latin letters of a text in another script; names in their parts."""
    found = _LATIN.findall(in_words(text))
    letters = sum(map(str.isalpha, text))
    return " ".join(found) if sum(map(len, found)) <= LATIN * letters else ""


def _is_telling(value: Value) -> bool:
    """Whether a value would stand in a text of any language that tells the fact: a name or a number of some length."""
    if value.form == "path":
        return "." in value.canon.rpartition("/")[2] or value.canon.startswith(("/", "~"))
    digits = sum(one.isdigit() for one in value.canon)
    return (value.distinctive and value.form != "name") or digits >= _TELLING


def _named_by(rule: str) -> str:
    """The language that a rule is of, "" for English, whose rules read what no file knows."""
    name = rule.partition(".")[0]
    return "" if name in ("any", "value", "en") else name


def _heads(placed: list[tuple[Value, Span | None]], head: list[Span]) -> Iterator[str]:
    """The file that heads a point, and what people call it where any folder has a file of its name."""
    for value, span in placed:
        if span is None or value.form not in FILES or not _inside(span, head):
            continue
        yield value.canon
        folders = [part for part in value.canon.split("/")[:-1] if part[:1] not in ("(", "[", ".", "")]
        last = value.canon.rpartition("/")[2]
        stem = last.partition(".")[0]
        # A folder that is named after what it fills in, and a short one, are many things.
        if (
            stem in _ANY
            and folders
            and value.canon.endswith(f"{folders[-1]}/{last}")
            and len(folders[-1]) > 3
        ):
            folder = folders[-1]
            yield from (
                f"{folder}/{last}",
                f"{folder} {stem}",
                f"{folder.replace('-', ' ')} {stem}",
                f"/{folder}",
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


def wording_of(text: str) -> tuple[str, str]:
    """A text as it is looked for word for word: plain, without marks at its ends, and as it is."""
    return plain(text).strip(_EDGES), text


def _led(text: str, rules: Rules) -> Iterator[tuple[str, str]]:
    """The text without the number of its point, and without words before it that say nothing. A single word that is
    left stands anywhere."""
    for language in rules.languages:
        for lead in () if language.pairs else (language.labels, language.lead):
            found = lead.match(text)
            if found is not None and found.end() and len(list(rules.stemmer.words(text[found.end() :]))) > 1:
                yield wording_of(text[found.end() :])


def _parts(fact: Fact, text: str, whole: str, rules: Rules) -> Iterator[tuple[tuple[str, str], bool]]:
    """The text without its first or last clause, where every value and most of it is left, and the clause of a rule
    that forbids something ("Fast path: no second lookup, all in memory"), each with whether it has the reason."""
    spans = clauses(text, 0, len(text)) if len(whole) >= SHORTEST else []
    if len(spans) < 2:
        return
    least = max(SHORTEST, len(whole) / 3)
    parts = [(spans[1][0], len(text), least), (0, spans[-2][1], least)]
    cue = fact.cue[0] - fact.first.span[0]
    if fact.kind == "constraint":
        parts += [(a, b, 0.0) for a, b in spans if cue == a and len(set(rules.stemmer.words(text[a:b]))) > 1]
    for start, end, length in parts:
        wording = wording_of(text[start:end])
        if len(wording[0]) >= length and all(plain(value.text) in wording[0] for value in fact.values):
            yield wording, not (_says(text[:start], rules, "because") or _says(text[end:], rules, "because"))


def _joined(text: str, things: frozenset[str], rules: Rules) -> Iterator[tuple[str, str]]:
    """The stem of two words of a text as one, with each of them that is one of its things."""
    for pair in _PAIR.finditer(text):
        one, other = pair.groups()
        first = rules.stemmer.stems(one)
        if len(one) > 2 and not first:
            continue  # "the"
        parts = things.intersection((*first, *rules.stemmer.stems(other)))
        if parts and (whole := rules.stemmer.stems(one + other)):
            yield from ((sys.intern(whole[0]), part) for part in sorted(parts))


def _denies(fact: Fact, text: str, rules: Rules) -> bool:
    """Whether a rule forbids something, or the user does so in capitals ("NOT the whole log")."""
    if fact.kind in ("constraint", "preference"):
        return _says(text, rules, "negations")
    if fact.role != "user" or text.isupper():
        return False
    return any(one.group().isupper() for tongue in rules.languages for one in tongue.negations.finditer(text))


def _reason(text: str, gone: list[Span], rules: Rules) -> frozenset[str]:
    """The stems of what gives the reason, "because ..." to the end; empty where none is given."""
    for language in rules.languages:
        found = language.because.search(text)
        if found is not None:
            return frozenset(rules.stemmer.words(text, [*gone, (0, found.end())]))
    return _NOTHING


def _says(text: str, rules: Rules, what: str) -> bool:
    return any(getattr(language, what).search(text) is not None for language in rules.languages)
