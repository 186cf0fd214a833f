"""What one sentence says: its statements, by the phrases that give them away, by what it asks, by its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.exact_values import values_of
from inspector.quality.facts.fact import Kind, Span, Statement, Value
from inspector.quality.facts.lexicon import Cue, Language, Rules
from inspector.quality.facts.sentences import Sentence, clauses

_TOKENS = re.compile(r"[^\s,.;:!?()\"“”*`]+")
_ASKED = re.compile(r"[?？]\W*$")
# A question with an example behind it.
_ASKED_SUCH = re.compile(r"[?？][*_]*\s*[(（][^()（）]*[)）]\W*$")
# What the agent's own words give as values; the rest of its chatter is about code that it reads.
_MEASURED = frozenset({"quantity", "percent", "version", "address", "date", "ratio"})
# What it also gives where it answers, rather than works: what was made, and where.
_MADE = frozenset({"digest", "ticket", "url", "uuid"})
_EXACT = frozenset({"number", "quantity", "percent", "ratio", "time", "date", "weekday"})
_WEAK = ("number", "name", "option", "identifier", "weekday")
# How sure it is that what the agent gives is a fact, where that is less sure: a date mostly says when it spoke.
_OF_AGENT = {"number": 3, "quantity": 4, "percent": 4, "ratio": 4, "url": 2, "date": 1}
# A bare number in a clause of more words is beside the point.
_WORDY = 12
# In what was pasted a rule is one that is put first ("Commands must be ..."); further on it tells how something works.
_LEAD = 3
_WORD = re.compile(r"\w")
_LETTER = re.compile(r"[^\W\d_]")
#: A user's sentence with fewer words that speak of anything says nothing without a phrase that gives it away.
_FEWEST = 2
_FEWEST_PAIRS = 6
#: What points back at something ("that's ...") says nothing alone in fewer words that speak of anything.
_ALONE = 3
_ALONE_PAIRS = 9
#: What the agent says between two calls, or thinks aloud, counts where a phrase is so sure, and something is named.
WORKING, THINKING = 7, 8
_NAMING = re.compile(r"\"[^\"\n]+\"|\*\*[^*\n]+\*\*|`[^`\n]+`|\w\(\)|[a-z]_[a-z]|[a-z][A-Z]|\d")
#: A message of more characters says itself what the numbers and letters in it stand for.
_SHORT = 80
#: A phrase that is less sure is no wish or choice in what asks for something that is done and over.
_LASTING = 7
#: What somebody shows rather than says is a rule where a phrase is so sure.
_SHOWN = 7
_LABEL = re.compile(r"\W{0,4}\*\*[^*\n]+(?::\*\*|\*\*:)")
#: How the agent ticks off what it did: the state of a moment.
_DONE = re.compile(r"[\W_]{0,4}?[✅☑✔🎉🚀]")
_POINT = re.compile(r"\d{1,2}[.)、]\s")
_SEMICOLON = re.compile(r";\s+|；")
# Data behind words: JSON, a log with its time, a commit.
_DATA = re.compile(r"\s*(?:\{\s*\"|\[\s*\{|\* commit [0-9a-f]{7})")
# What stands before the next line of a quoted text.
_QUOTED = re.compile(r"\n\s*(?:>\s?)+")
_DIGIT = re.compile(r"\d|://")
# What people write in two ways.
_WRITTEN = str.maketrans("’ёЁ", "'еЕ")


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence to be looked at, or a part of one: its span in `text`, who says it, whether it is a question or was
    pasted, whether the sentence names something, whether it stands over a list."""

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
        return self.text[slice(*self.span)]


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
    asked = _ASKED.search(body) is not None and not _requested(body, rules)
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
    line = _Line(text, (first, end), role, rules, sentence.pasted, asked, values, over=sentence.over)
    best = _best_cue(line, body, hedged=False)
    if best is None:
        return [] if sentence.pasted else _of_own(line, body)
    cue, (a, b) = best
    if (
        cue.kind != "constraint"
        and cue.strength < _LASTING
        and not sentence.pasted
        and _is_errand(body, rules)
    ):
        return _of_own(line, body)
    if _leads_over(line, body) or (len(text) > _SHORT and _only_chooses(body, rules)):
        return []
    span = _clause_around(line, start + a) if cue.clause else line.span
    return [
        _statement(line, cue.kind, span, cue.id, (start + a, start + b), cue.strength),
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
    line = _Line(text, span, "assistant", rules, False, False, values, working, named)
    hedged = _hedged(body, rules)
    best = _best_cue(line, body, hedged)
    if best is None:
        return [] if hedged else _of_values(line)
    cue, (a, b) = best
    if cue.strength < WORKING and (label := _LABEL.match(body)) is not None and a < label.end():
        # "**Merged by**: kim" does not say what was done.
        return []
    said = _statement(line, cue.kind, span, cue.id, (start + a, start + b), cue.strength)
    bare = body.strip("*_ ")
    # "Found the root cause!" announces it.
    return [] if bare.endswith("!") and not (values or _NAMING.search(bare)) else [said]


def _opens(body: str) -> bool:
    """Whether a sentence ends with a colon, in bold too."""
    return body.rstrip("*_").endswith((":", "："))


def _leads_over(line: _Line, body: str) -> bool:
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


def _of_own(line: _Line, body: str) -> list[Statement]:
    """What a user's own sentence says without any phrase that gives it away: it asks for something, or tells it."""
    language = _language_of(body, line.rules)
    if language is None or language.nods.fullmatch(body) is not None:
        return []
    kind: Kind
    if not line.asked and _inquires(body, line.rules):
        line = replace(line, asked=True)
    if not line.asked and _asks(line, (line.span[1] - len(body), line.span[1]), language):
        kind, rule, strength = "decision", "errand" if _is_errand(body, line.rules) else "request", 5
    elif line.asked:
        kind, rule, strength = "link", "question", 3
    else:
        kind, rule, strength = ("value" if line.values else "link"), "told", 4
    statement = _statement(line, kind, line.span, f"{language.name}.{rule}", (0, 0), strength)
    passing = all(value.unit in line.rules.fleeting for value in line.values)
    if rule == "told" and passing and language.showing.search(body):
        return []
    alone = _ALONE_PAIRS if language.pairs else _ALONE
    few = len(statement.things) < alone
    if _opens(body) and not _DATA.match(line.text, line.span[1]):
        bare = body.isupper() or (not _NAMING.search(body) and len(statement.things) <= alone)
        if (few or not line.values) if rule == "told" else bare:
            # It leads over to something else.
            return []
    if rule == "told" and not line.values and few and language.pointing.match(body):
        # It points back at something.
        return []
    fewest = _FEWEST_PAIRS if language.pairs else _FEWEST
    if rule == "told" and line.over and not line.values and len(statement.things) <= alone:
        # It names what stands below it.
        return []
    answers = bool(line.values) and line.text.strip() == body
    # A numbered point is something of which they will speak again.
    least = fewest if line.values or _POINT.match(line.text, line.span[0]) else alone
    if rule == "told" and not answers and len(statement.things) < least:
        named = line.rules.quantities.intersection(statement.things)
        if not named and all(_says_little(value, statement) for value in line.values):
            # "Boots clean.", "Clicks: 840", "remind the plan": nothing to keep.
            return []
    if line.text.strip() != body and not _unvalued(line, body):
        # A name in a list of names; a whole answer may be a name.
        return []
    # A bare number without any word is of nothing.
    valued = any(value.distinctive or statement.things for value in statement.values)
    return [statement] if valued or len(statement.things) >= fewest else []


def _says_little(value: Value, statement: Statement) -> bool:
    """Whether a value beside hardly a word is of nothing: a bare number or name, a file without any word."""
    return (value.form in _WEAK and not value.unit) or (value.form == "file" and not statement.things)


def _unvalued(line: _Line, body: str) -> bool:
    """Whether anything but values stands in a sentence."""
    for value in line.values:
        body = body.replace(value.text, "")
    return _LETTER.search(body) is not None


def _asks(line: _Line, span: Span, language: Language) -> bool:
    """Whether a part of a sentence asks for something, as it begins or in a clause ("On the start page, add ...")."""
    if language.pairs:
        return language.asks.search(line.text, *span) is not None
    return any(
        language.asks.match(line.text, a, b) is not None for a, b in (span, *clauses(line.text, *span))
    )


def _language_of(body: str, rules: Rules) -> Language | None:
    """The language of a sentence: one of pairs where it has such characters, else the first of the others; the only one
    where there is but one."""
    unspaced = has_unspaced(body)
    return next((one for one in rules.languages if one.pairs is unspaced or len(rules.languages) == 1), None)


def _of_rest(line: _Line, taken: Span) -> list[Statement]:
    """What the other clauses of a user's sentence say, of which one was taken: those with a value of their own."""
    found = []
    for span in _groups(line):
        if taken[0] < span[1] and span[0] < taken[1]:
            continue
        own = [value for value in line.values if span[0] <= value.span[0] < span[1]]
        statement = _statement(line, "value", span, "", (0, 0), 0)
        strength, rule = _worth(statement, own, line) if own else (0, "")
        language = _language_of(line.text[slice(*span)], line.rules)
        if strength > line.pasted and language is not None and _asks(line, span, language):
            statement, rule = replace(statement, kind="decision"), f"{language.name}.request"
        if strength > line.pasted:
            found.append(replace(statement, rule=rule, strength=strength))
    return found


def placed(values: Sequence[Value], by: int) -> tuple[Value, ...]:
    """Values with their spans further on."""
    return tuple(
        Value(v.text, v.form, v.canon, v.unit, v.distinctive, (v.span[0] + by, v.span[1] + by))
        for v in values
    )


def _requested(body: str, rules: Rules) -> bool:
    """Whether a question is a request that is put politely."""
    return any(_stands(language, language.requests, body) for language in rules.languages)


def _inquires(body: str, rules: Rules) -> bool:
    """Whether a sentence only asks to be told something ("show me where ..."), with or without its mark."""
    return any(_stands(language, language.inquiries, body) for language in rules.languages)


def _stands(language: Language, phrases: re.Pattern[str], body: str) -> bool:
    """Whether a sentence begins with one of some phrases, in a language of pairs has one anywhere."""
    if language.pairs:
        return has_unspaced(body) and phrases.search(body) is not None
    return phrases.match(body) is not None


def _is_errand(body: str, rules: Rules) -> bool:
    """Whether a sentence asks for something that is done and over ("run the tests")."""
    return any(_stands(language, language.errands, body) for language in rules.languages)


def _words_in(body: str) -> frozenset[str]:
    return frozenset(_TOKENS.findall(body.lower()))


def _hedged(body: str, rules: Rules) -> bool:
    words = _words_in(body)
    for language in rules.languages:
        if language.pairs:
            if has_unspaced(body) and language.hedges.search(body):
                return True
        elif words & language.hedge_keys and language.hedges.search(body):
            return True
    return False


def _guessed(body: str, rules: Rules) -> bool:
    """Whether all that is hedged in a sentence is that it is a guess."""
    for language in rules.languages:
        if not language.pairs or has_unspaced(body):
            body = language.guesses.sub("", body)
    return not _hedged(body, rules)


def _best_cue(line: _Line, body: str, hedged: bool) -> tuple[Cue, Span] | None:
    """The surest cue in a sentence. A decision with its reason beats a constraint."""
    words = _words_in(body)
    best: tuple[tuple[int, int], Cue, Span] | None = None
    guessed = hedged and line.working < THINKING and _guessed(body, line.rules)
    for language in line.rules.languages:
        known = language.keys.get(line.role, {})
        if language.pairs:
            keys = [key for key in known if key in body] if has_unspaced(body) else []
        else:
            keys = [key for key in words if key in known]
        for number in {number for key in keys for number in known[key]}:
            cue = language.cues[number]
            if hedged and not (cue.hedged and guessed):
                continue
            # Between two calls what names nothing must be the root of something.
            sure = line.working if line.named or line.working == THINKING else THINKING
            if line.working and (cue.strength < sure or (line.working == THINKING and not line.named)):
                continue
            if line.pasted and cue.strength < _SHOWN:
                continue
            order = (-cue.strength - (2 if cue.needs == "reason" else 0), cue.order)
            if best is not None and order >= best[0]:
                continue
            at = _match(cue, line, body, language)
            if at is not None:
                best = (order, cue, at)
    return None if best is None else best[1:]


def _match(cue: Cue, line: _Line, body: str, language: Language) -> Span | None:
    if (
        (cue.needs == "value" and not line.values)
        or (cue.needs == "number" and not any(value.form in _EXACT for value in line.values))
        or (cue.needs == "name" and not line.named)
    ):
        return None
    blocked: list[Span] | None = None
    for found in cue.find.finditer(body):
        a, b = found.span()
        if cue.at_start and not (_starts(body, a, language) and _WORD.search(body, b)):
            continue
        if line.pasted and len(body[:a].split()) > _LEAD:
            continue
        if cue.needs == "reason" and language.reasons.search(body, b) is None:
            return None
        if blocked is None:
            blocked = [taken.span() for taken in cue.unless.finditer(body)] if cue.unless else []
        if not any(a < d and c < b for c, d in blocked):
            return a, b
    return None


def _starts(body: str, at: int, language: Language) -> bool:
    """Whether a clause starts there: the sentence, or what stands behind a comma, or a word such as "then"."""
    before = body[:at].rstrip().lower()
    if not before or before[-1] in ",;:—–-*•`¡¿，；：、":
        return True
    return before.rsplit(" ", 1)[-1] in language.openers


def _clause_around(line: _Line, at: int) -> Span:
    """The clause that a place is in, with those behind it that say nothing by themselves ("400 ms and 800 ms"), and
    with what stands behind its colon."""
    a, b = next((span for span in reversed(_groups(line)) if span[0] <= at), line.span)
    return (a, line.span[1]) if line.text[b : b + 1] in (":", "：") else (a, b)


def _groups(line: _Line) -> list[Span]:
    """The clauses of a sentence, those without words of their own joined to the one before."""
    groups: list[Span] = []
    spoken = 0
    for a, b in clauses(line.text, *line.span):
        own = len(set(line.rules.stemmer.words(line.text[a:b])))
        if groups and (own < 2 or not spoken):
            groups[-1] = (groups[-1][0], b)
            spoken += own
        else:
            groups.append((a, b))
            spoken = own
    return [(_past_join(line, a, b), b) for a, b in groups]


def _past_join(line: _Line, start: int, end: int) -> int:
    """The start of a clause behind the word that joins it to the one before."""
    for language in line.rules.languages:
        join = language.joins.match(line.text, start, end)
        if join is not None:
            rest = line.text[join.end() : end]
            return end - len(rest.lstrip()) if rest.strip() else start
    return start


def _of_values(line: _Line) -> list[Statement]:
    """A sentence of the agent's that gives an exact value of something, and not one that it hopes for."""
    if any(language.hopes.search(line.body) for language in line.rules.languages):
        return []
    own = [value for value in line.values if _meant(value, line)]
    statement = _statement(line, "value", line.span, "", (0, 0), 0)
    strength, rule = _worth(statement, own, line)
    return [replace(statement, rule=rule, strength=strength)] if strength else []


def _apart(text: str, span: Span) -> Iterable[Span]:
    """What stands between semicolons: sentences of their own."""
    at, end = span
    for mark in _SEMICOLON.finditer(text, at, end):
        yield at, mark.start()
        at = mark.end()
    yield at, end


def _meant(value: Value, line: _Line) -> bool:
    """Whether the agent gives a value, rather than talks of code or counts tests and lines in passing."""
    if value.form in _EXACT and ("`" in line.body or value.unit in line.rules.fleeting):
        return False
    # Between two calls the agent counts that there is nothing of it; that is no measure of anything.
    if line.working and value.canon == "0":
        return False
    if value.form not in _MADE and line.text.count("`", line.span[0], value.span[0]) % 2:
        return False
    return value.form != "quantity" or _DIGIT.search(value.text) is not None


def _worth(statement: Statement, own: Sequence[Value], line: _Line) -> tuple[int, str]:
    """How sure it is that a clause's value is a fact (0: it is none), and the rule: the form of its best value."""
    named = bool(line.rules.quantities.intersection(statement.things))
    best = (0, "")
    for value in own:
        if line.role == "assistant" and not _given(value, line, named):
            continue
        if value.form in ("number", "time") and len(statement.things) > _WORDY:
            continue
        if value.form in _EXACT and not statement.things:
            continue
        strength = 6 if value.form not in _WEAK else 5 if named else 3
        if line.pasted and value.form in (*_WEAK, "path", "file"):
            strength -= 2
        if line.role == "assistant":
            strength = _OF_AGENT.get(value.form, strength)
        if strength > best[0]:
            best = (strength, f"value.{value.form}")
    return best


def _given(value: Value, line: _Line, named: bool) -> bool:
    """Whether the agent gives a value: one that was measured, or, where it answers, what it made."""
    if value.form in _MADE or value.form == "version":
        return not line.working
    return value.form in _MEASURED or (value.form == "number" and named)


def _statement(line: _Line, kind: Kind, span: Span, rule: str, cue: Span, strength: int) -> Statement:
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
