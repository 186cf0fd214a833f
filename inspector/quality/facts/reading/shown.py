"""Preferences that are shown, not said: what a user does or asks for again and again.

One message shows little: a command, a wish about one answer, a word to be exchanged for another. Each is kept as a
sign. Signs of two messages that show the same thing are a preference.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.core.scan.words import has_unspaced
from inspector.quality.facts.exact_values import canon
from inspector.quality.facts.fact import Fact, Saying, Sign, Span, SpokenMessage, Value
from inspector.quality.facts.reading.sentences import MOST, Sentence
from inspector.quality.facts.rules.languages import languages_of
from inspector.quality.facts.rules.lexicon import Language, Rules

#: So many messages must show the same.
TIMES = 2
#: How sure a preference is that was only shown, beside rules from 1 to 10.
STRENGTH = 5
_LINE = 200
#: So many characters before a command are searched for what takes it back ("instead of npm install").
_BEFORE = 40


def signs_of(
    text: str, spoken: Sequence[Sentence], rules: Rules, spoken_in: Callable[[str], Rules]
) -> Iterator[Sign]:
    """What the safe text of a user's message shows; `spoken` are its sentences, `spoken_in` tells by which rules each
    is read."""
    for sentence in spoken:
        if not sentence.pasted:
            span = (sentence.start, sentence.end)
            yield from _of_sentence(text, span, spoken_in(text[slice(*span)]))
    yield from _tools(text[:MOST], rules, own=True)


def signs_of_calls(calls: Sequence[tuple[str, str]], rules: Rules) -> Iterator[Sign]:
    """Which of several tools that do the same the agent ran, by the arguments of its calls."""
    seen: set[tuple[str, str]] = set()
    for _, arguments in calls:
        for sign in _tools(arguments, rules, own=False):
            if (sign.rule, sign.chosen) not in seen:
                seen.add((sign.rule, sign.chosen))
                yield replace(sign, text="", span=(0, 0), cue=(0, 0))


def _of_sentence(text: str, span: Span, rules: Rules) -> Iterator[Sign]:
    body = text[slice(*span)]
    for language in rules.languages:
        if language.pairs and not has_unspaced(body):
            continue
        for wish in language.wishes:
            found = wish.find.search(body)
            if found is not None and not (wish.unless is not None and wish.unless.search(body)):
                yield _sign(wish.id, (wish.id, ""), body, span, found.span(), rules)
        for swap in language.swaps:
            for found in swap.finditer(body):
                old, new = (_word(found[name]) for name in ("old", "new"))
                if old and new and old != new and not rules.stemmer.stop.intersection((old, new)):
                    yield _sign(f"{language.name}.swap", (new, old), body, span, found.span(), rules)


def _word(text: str) -> str:
    return canon(text.strip("\"'`“”‘’「」 "))


def _sign(rule: str, what: tuple[str, str], body: str, span: Span, cue: Span, rules: Rules) -> Sign:
    at = span[0]
    things = tuple(dict.fromkeys(rules.stemmer.words(body)))
    return Sign(rule, *what, " ".join(body.split()), span, (cue[0] + at, cue[1] + at), things)


def _tools(text: str, rules: Rules, own: bool) -> Iterator[Sign]:
    """Each tool whose commands a text has, once."""
    # Looking for words is much cheaper than trying every command at every place.
    if not any(word in text for word in rules.tool_words):
        return
    seen: set[str] = set()
    for found in rules.tool.finditer(text):
        family, tool = rules.tools[" ".join(found.group().split())]
        if tool in seen or (own and _taken_back(text, found.start(), languages_of(rules, text))):
            continue
        seen.add(tool)
        start = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        if end - start > _LINE:
            start, end = found.start(), min(end, found.start() + _LINE)
        cue = (found.start() - start, found.end() - start)
        yield _sign(family, (tool, ""), text[start:end], (start, end), cue, rules)


def _taken_back(text: str, at: int, languages: Sequence[Language]) -> bool:
    before = text[max(text.rfind("\n", 0, at) + 1, at - _BEFORE) : at]
    # A shown line of somebody else's text ("> npm install") shows nothing of the speaker.
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith(">") or any(
        pattern.search(before) is not None
        for language in languages
        for pattern in (language.negations, language.instead)
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """A sign and where it was given."""

    saying: Saying
    sign: Sign


def shown(steps: Sequence[SpokenMessage]) -> Iterator[Fact]:
    """The preferences that a conversation shows: the same sign in two messages of the user at least.

    What a stated rule, choice or wish covers is left to that. A tool counts where the agent ran another one that does
    the same and the user never did.
    """
    by_what: dict[tuple[str, str, str], list[_Shown]] = defaultdict(list)
    of_user: dict[str, set[str]] = defaultdict(set)
    of_agent: dict[str, set[str]] = defaultdict(set)
    for step in steps:
        saying, facts = step.saying, step.facts
        stated = [
            statement.span
            for statement in facts.statements
            if statement.kind != "value" and not (statement.asked or statement.told)
        ]
        for sign in facts.signs:
            if saying.role != "user":
                of_agent[sign.rule].add(sign.chosen)
                continue
            of_user[sign.rule].add(sign.chosen)
            if not any(a < sign.span[1] and sign.span[0] < b for a, b in stated):
                by_what[sign.rule, sign.chosen, sign.other].append(_Shown(saying, sign))
    for (rule, chosen, other), found in by_what.items():
        if len({one.saying.step for one in found}) < TIMES:
            continue
        if rule.startswith("any."):
            rivals = of_agent[rule] - {chosen}
            if rivals and of_user[rule] == {chosen}:
                yield _fact(rule, chosen, other, found, f"the agent ran {', '.join(sorted(rivals))}")
        else:
            yield _fact(rule, chosen, other, found, "")


def _fact(rule: str, chosen: str, other: str, found: Sequence[_Shown], against: str) -> Fact:
    """The preference that signs show; its words are those of the sign that says most."""
    best = max(range(len(found)), key=lambda at: (len(found[at].sign.things), -at))
    older = [one for one in found if one.saying.generation < found[best].saying.generation]
    saying, sign = found[best].saying, found[best].sign
    others = [one for at, one in enumerate(found) if at != best and one.saying.step != saying.step]
    steps = {one.saying.step for one in found}
    values: tuple[Value, ...] = ()
    if chosen != rule:
        form = "word" if other else "tool"
        values = (Value(chosen, form, chosen, "", True, sign.cue),)
    why = f"shown in {len(steps)} messages"
    fact = Fact(
        key=_key(rule, chosen, other),
        kind="preference",
        text=sign.text,
        value=chosen if values else sign.text.strip(" .。;；"),
        values=values,
        # A tool stands for itself wherever it is named.
        things=() if values and not other else sign.things,
        rule=rule,
        strength=STRENGTH,
        cue=sign.cue,
        role="user",
        sayings=(
            replace(saying, span=sign.span),
            *(replace(one.saying, span=one.sign.span) for one in others),
        ),
        uses=len(steps) - 1,
        rank=0.0,
        why=f"{why}; {against}" if against else why,
    )
    before = _fact(rule, chosen, other, older, against) if older else None
    if before is None:
        return fact
    every = {one.step: one for one in reversed(fact.sayings)}
    return replace(
        fact,
        earlier=tuple(
            replace(
                fact,
                text=one.text,
                value=one.value,
                values=one.values,
                things=one.things,
                cue=one.cue,
                sayings=(one.first, *(every[step] for step in sorted(every) if step != one.first.step)),
            )
            for one in (*before.earlier, before)
        ),
    )


def _key(rule: str, chosen: str, other: str) -> str:
    name = f"shown {rule} {chosen} {other}"
    return hashlib.blake2b(name.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()
