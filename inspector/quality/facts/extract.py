"""The facts of one message, by the rules. Pure: the same message and rules always give the same facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inspector.core.handoff import read_handoff
from inspector.core.messages import Message
from inspector.core.text import safe
from inspector.engines.hygiene import TODO_START
from inspector.quality.facts.lexicon import Cue, Language, Rules, has_pairs
from inspector.quality.facts.scan import names_in, values_of, words_of
from inspector.quality.facts.sentences import MOST, Sentence, clauses, sentences
from inspector.quality.facts.values import Mention, MessageFacts, Said, Span, Value

#: Names that are kept of one message: of what a person or the agent wrote, and of what a tool printed.
NAMES = 60
TOOL_NAMES = 12
_LINE = 200
_TOKENS = re.compile(r"[^\s,.;:!?()\"“”]+")
_ASKED = re.compile(r"[?？]\W*$")
# What the agent's own words give as values; the rest of its chatter is about code that it reads.
_MEASURED = frozenset(
    {"quantity", "percent", "version", "address", "digest", "date", "ticket", "url", "ratio", "uuid"}
)
_EXACT = frozenset({"number", "quantity", "percent", "ratio", "time", "date"})


def extract(message: Message, rules: Rules) -> MessageFacts:
    """What a message says: its facts and the names that it uses. Spans are in `safe(message.text)`.

    The summary in a handoff says nothing itself, nor does the to-do list that a compaction put back.
    """
    text = message.text
    role = message.role
    if role == "user" and text.startswith(TODO_START):
        return MessageFacts()
    text = safe(text)
    if text.startswith("[") or (text[:1].isspace() and text.lstrip().startswith("[")):
        handoff = read_handoff(message.content, role, bool(message.wire.get("tool_calls")))
        if handoff is not None:
            return _of_tail(text, safe(handoff.tail_text), role, rules)
    calls = [safe(call.arguments[:20_000]) for call in message.tool_calls]
    return facts_of(text, role, rules, calls)


def _of_tail(text: str, own: str, role: str, rules: Rules) -> MessageFacts:
    """The facts of the tail message that a summary was merged into, in the place of its own text."""
    at = text.rfind(own) if own.strip() else -1
    if at < 0:
        return MessageFacts()
    found = facts_of(own, role, rules)
    return MessageFacts(
        tuple(_moved(said, at) for said in found.said),
        tuple(Mention(m.value, m.text, _shift(m.text_span, at), m.pasted) for m in found.mentions),
    )


def _moved(said: Said, by: int) -> Said:
    return Said(
        said.kind, said.text, _shift(said.span, by),
        tuple(Value(v.text, v.form, v.canon, v.unit, v.distinctive, _shift(v.span, by)) for v in said.values),
        said.rule, _shift(said.cue, by), said.strength, said.things, said.pasted, said.asked,
    )  # fmt: skip


def _shift(span: Span, by: int) -> Span:
    return (span[0] + by, span[1] + by) if span != (0, 0) else span


def facts_of(text: str, role: str, rules: Rules, calls: Sequence[str] = ()) -> MessageFacts:
    """What a safe text says when `role` says it; `calls` are the arguments of the calls it makes."""
    if role == "tool":
        return MessageFacts((), tuple(_mentions(text, (), rules, TOOL_NAMES)))
    if role not in ("user", "assistant"):
        return MessageFacts()
    said: list[Said] = []
    spoken = []
    for sentence in sentences(text):
        said.extend(_of_sentence(text, sentence, role, rules))
        if not sentence.pasted:
            spoken.append((sentence.start, sentence.end))
    mentions = list(_mentions(text[:MOST], spoken, rules, NAMES))
    known = {mention.value.canon for mention in mentions}
    for arguments in calls:
        for value, _ in names_in(arguments, rules, NAMES):
            if value.canon not in known:
                known.add(value.canon)
                mentions.append(Mention(value, "", (0, 0)))
    return MessageFacts(tuple(said), tuple(mentions))


def _mentions(text: str, spoken: Sequence[Span], rules: Rules, limit: int) -> Iterable[Mention]:
    for value, at in names_in(text, rules, limit):
        sentence = next((span for span in spoken if span[0] <= at < span[1]), None)
        start, end = sentence or _line(text, at)
        if end - start > _LINE:
            start, end = max(start, at - _LINE // 3), min(end, at + len(value.text) + _LINE // 2)
        placed = Value(value.text, value.form, value.canon, "", True, (at, at + len(value.text)))
        yield Mention(placed, " ".join(text[start:end].split()), (start, end), sentence is None)


def _line(text: str, at: int) -> Span:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _of_sentence(text: str, sentence: Sentence, role: str, rules: Rules) -> list[Said]:
    start, end = sentence.start, sentence.end
    for language in rules.languages:
        if not language.pairs and (label := language.labels.match(text, start, end)):
            start = label.end()
            break
    body = text[start:end]
    asked = _ASKED.search(body) is not None
    values = _placed(values_of(body, rules), start)
    best = _best_cue(body, role, values, rules)
    if best is not None:
        cue, at, language = best
        if role == "assistant" and (asked or sentence.pasted or language.hedges.search(body)):
            return []
        span = _clause_around(text, (start, end), start + at[0], rules) if cue.clause else (start, end)
        found = [
            _said(
                text,
                cue.kind,
                span,
                values,
                cue.id,
                (start + at[0], start + at[1]),
                cue.strength,
                rules,
                sentence.pasted,
                asked,
            )
        ]
        if not cue.clause or role == "assistant":
            return found
        return found + _of_values(text, (start, end), values, role, rules, sentence.pasted, asked, span)
    return _of_values(text, (start, end), values, role, rules, sentence.pasted, asked, None)


def _placed(values: Sequence[Value], by: int) -> tuple[Value, ...]:
    return tuple(
        Value(v.text, v.form, v.canon, v.unit, v.distinctive, (v.span[0] + by, v.span[1] + by))
        for v in values
    )


def _best_cue(
    body: str, role: str, values: Sequence[Value], rules: Rules
) -> tuple[Cue, Span, Language] | None:
    """The surest cue in a sentence. A decision needs its reason to beat a constraint."""
    best: tuple[tuple[int, int], Cue, Span, Language] | None = None
    words: set[str] | None = None
    for language in rules.languages:
        if language.pairs:
            if language.loose is None or not has_pairs(body):
                continue
            keys: Iterable[str] = set(_overlapping(language, body))
        else:
            words = set(_TOKENS.findall(body.lower())) if words is None else words
            keys = words & language.keys.keys()
        tried: set[int] = set()
        for key in keys:
            for number in language.keys[key]:
                if number in tried:
                    continue
                tried.add(number)
                cue = language.cues[number]
                at = _match(cue, body, role, values, language)
                if at is None:
                    continue
                order = (-cue.strength - (2 if cue.needs == "reason" else 0), cue.order)
                if best is None or order < best[0]:
                    best = (order, cue, at, language)
    return None if best is None else best[1:]


def _overlapping(language: Language, body: str) -> Iterable[str]:
    return (key for key in language.keys if key in body)


def _match(cue: Cue, body: str, role: str, values: Sequence[Value], language: Language) -> Span | None:
    if role not in cue.roles or (cue.needs == "value" and not values):
        return None
    blocked = [found.span() for found in cue.unless.finditer(body)] if cue.unless else []
    for found in cue.find.finditer(body):
        a, b = found.span()
        if any(a < d and c < b for c, d in blocked):
            continue
        if cue.at_start and not _starts(body, a):
            continue
        if cue.needs == "reason" and language.reasons.search(body, b) is None:
            continue
        return a, b
    return None


def _starts(body: str, at: int) -> bool:
    """Whether a clause starts there: the sentence, or what stands behind a comma and the like, "and" or "then"."""
    before = body[:at].rstrip().lower()
    return (
        not before
        or before[-1] in ",;:—–-(*•`，；："
        or before.endswith((" and", " then", " but", "please", " also"))
    )


def _clause_around(text: str, sentence: Span, at: int, rules: Rules) -> Span:
    """The clause that a place is in, with those behind it that say nothing by themselves ("400 ms and 800 ms")."""
    found = _groups(text, sentence, rules)
    return next((span for span in reversed(found) if span[0] <= at), sentence)


def _groups(text: str, sentence: Span, rules: Rules) -> list[Span]:
    """The clauses of a sentence, those without words of their own joined to the one before."""
    groups: list[Span] = []
    for a, b in clauses(text, *sentence):
        own = set(words_of(text[a:b], rules)) if groups else None
        if own is not None and len(own) < 2:
            groups[-1] = (groups[-1][0], b)
        elif len(groups) == 1 and not any(True for _ in words_of(text[slice(*groups[0])], rules)):
            groups[0] = (groups[0][0], b)
        else:
            groups.append((a, b))
    return [(_past_join(text, a, b, rules), b) for a, b in groups]


def _past_join(text: str, start: int, end: int, rules: Rules) -> int:
    """The start of a clause behind the word that joins it to the one before."""
    for language in rules.languages:
        join = language.joins.match(text, start, end)
        if join is not None:
            rest = text[join.end() : end]
            return end - len(rest.lstrip()) if rest.strip() else start
    return start


def _of_values(
    text: str,
    sentence: Span,
    values: Sequence[Value],
    role: str,
    rules: Rules,
    pasted: bool,
    asked: bool,
    taken: Span | None,
) -> list[Said]:
    """A fact for each clause that gives an exact value of something."""
    if not values or (role == "assistant" and (asked or pasted or _hedged(text[slice(*sentence)], rules))):
        return []
    found = []
    for span in _groups(text, sentence, rules):
        if taken is not None and span[0] < taken[1] and taken[0] < span[1]:
            continue
        own = [value for value in values if span[0] <= value.span[0] < span[1]]
        if role == "assistant":
            # In backticks it talks of code; a number in words is a way of speaking ("the three places").
            own = [
                value
                for value in own
                if text.count("`", sentence[0], value.span[0]) % 2 == 0
                and (value.form != "quantity" or not value.text[0].isalpha() or not value.text[0].islower())
            ]
        if not own:
            continue
        said = _said(text, "value", span, values, "", (0, 0), 0, rules, pasted, asked)
        strength, rule = _worth(said, own, role, rules)
        if strength:
            found.append(_said(text, "value", span, values, rule, (0, 0), strength, rules, pasted, asked))
    return found


def _hedged(body: str, rules: Rules) -> bool:
    return any(
        language.hedges.search(body) is not None
        for language in rules.languages
        if not language.pairs or has_pairs(body)
    )


def _worth(said: Said, own: Sequence[Value], role: str, rules: Rules) -> tuple[int, str]:
    """How sure it is that a clause's value is a fact (0: it is none), and the rule: the form of its best value."""
    named = bool(rules.quantities.intersection(said.things))
    best = (0, "")
    for value in own:
        if role == "assistant" and value.form not in _MEASURED and not (value.form == "number" and named):
            continue
        if value.form in ("number", "time") and (not said.things or len(said.things) > 12):
            continue
        if value.form in _EXACT and not said.things:
            continue
        strength = 6 if value.form not in ("number", "name", "option") else 5 if named else 3
        if said.pasted and value.form in ("number", "name", "option", "path", "file"):
            strength -= 2
        if role == "assistant" and value.form == "number":
            strength = 3
        if strength > best[0]:
            best = (strength, f"value.{value.form}")
    return best


def _said(
    text: str,
    kind: str,
    span: Span,
    values: Sequence[Value],
    rule: str,
    cue: Span,
    strength: int,
    rules: Rules,
    pasted: bool,
    asked: bool,
) -> Said:
    a, b = span
    own = tuple(value for value in values if a <= value.span[0] < b)
    gone = [(value.span[0] - a, value.span[1] - a) for value in own]
    words = text[a:b]
    things = tuple(dict.fromkeys(words_of(words, rules, gone)))
    return Said(kind, " ".join(words.split()), span, own, rule, cue, strength, things, pasted, asked)  # type: ignore[arg-type]
