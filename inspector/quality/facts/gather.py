"""Gather the facts of a conversation from its messages: join sayings, count uses and rank."""

from __future__ import annotations

import hashlib
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.scan.words import folded, has_unspaced
from inspector.quality.facts.fact import ERRAND, STANDING, Fact, Mention, Saying, SpokenMessage, Statement
from inspector.quality.limits import CROWDED

#: Points for the speaker, for the kind of a statement, and for each degree of strength of an agent's statement.
ROLE = {"user": 100.0, "assistant": 5.0, "tool": 15.0}
KIND = {"constraint": 30.0, "preference": 28.0, "decision": 26.0, "value": 14.0, "statement": 12.0}
_SURE = 3.0
#: Points that a pasted statement, a question and an errand lose.
_PASTED, _ASKED, _ERRAND = 45.0, 40.0, 30.0
_VALUE = "value "
#: Minimum content words of an agent's statement that is joined with a longer statement.
_MIN_JOINED_WORDS = 3
#: Points that a remark, a rule and a sure rule lose in a message with more than CROWDED statements.
_CROWDED, _CROWDED_RULE, _CROWDED_SURE = 42.0, 32.0, 10.0
_SUREST = 9
#: Words and values of a statement without a penalty for being short, and the largest penalty.
_LONG, _LONG_OF_AGENT = 20, 8
_BRIEF = 45.0
#: Pairs of characters that count as a word, in scripts without spaces.
_PAIRS_A_WORD = 3
#: Messages of the user after which an agent's statement is old, and the points that it loses.
_FAR, _OLD = 6, 12.0
#: Points of an agent's statement for each user message before it is old: in an answer, and on the way to an answer.
_ANSWERED, _ON_THE_WAY = 8.0, 4.0
#: Maximum findings and decisions of the agent, and maximum values, to list for a compaction.
FOUND_BY_AGENT, VALUES_OF_AGENT = 3, 4
#: Minimum later messages that use a name that only a tool printed, to make it a fact.
TOOL_USES = 3
#: Forms of such names. Other forms ("utf-8") often name nothing.
_LINKS = frozenset({"path", "url", "ticket", "digest", "uuid", "setting"})
_EMPHASIS = re.compile(r"[*_]{2,}|(?<!\w)[*_]|[*_](?!\w)")
#: Words of a user before a repeated statement: "I told you already: ...", "No, ...", "as I said, ...".
_REMINDER = re.compile(
    r"(?:(?:no|(?:once )?again|reminder|as i (?:already )?(?:said|told you|mentioned)"
    r"|(?:i|we)(?:['’]ve| have)? (?:already )?(?:told|said|asked|mentioned|explained|wrote)"
    r"(?: (?:it|this|that|you|already|before|again))*)(?: ?[,:…] ?| to | that )"
    r"|我(?:已经|早就|刚才|之前)?(?:说|讲|强调)过?了?[,，:：]\s*)+"
)
#: Maximum content words of a user's statement that only gives a name.
_MAX_NAMING_WORDS = 3


class _Gathered(Struct):
    """A fact while its sayings are collected.

    `statement` has the words to show, `best` is its index in `sayings`. `crowded`: the message of its first saying has
    many statements.
    """

    statement: Statement
    sayings: list[tuple[Saying, Statement]]
    best: int = 0
    crowded: bool = False

    def by(self, role: str) -> bool:
        """Return whether only this role said the fact."""
        return all(saying.role == role for saying, _ in self.sayings)

    @property
    def values(self) -> set[tuple[str, str]]:
        """The canonical values of the statement, with their units."""
        return {(value.canon, value.unit) for value in self.statement.values}


def gather(steps: Sequence[SpokenMessage]) -> tuple[Fact, ...]:
    """Return every fact, best rank first. Facts of equal rank are in the order of the conversation."""
    used = _Uses(steps)
    course = _Course(steps)
    by_key: dict[str, _Gathered] = {}
    owned = _owned(steps)
    for step in steps:
        crowded = len(step.facts.statements) > CROWDED
        for statement in step.facts.statements:
            role = statement.voice or step.saying.role
            key = _key(statement, role, owned)
            if key:
                _add(by_key, key, statement, replace(step.saying, role=role, span=statement.span), crowded)
    _join_shorter(by_key)
    _join_values(by_key)
    every = [(_fact(key, gathered, used, course), gathered) for key, gathered in by_key.items()]
    # A pasted value counts only after a use.
    facts = [
        fact
        for fact, gathered in every
        if not course.passed(gathered, fact.uses) and (fact.uses or not _is_pasted_value(gathered))
    ]
    stated = {value.canon for fact in facts for value in fact.values if value.distinctive}
    facts += _printed(used, stated)
    return tuple(
        _chosen(sorted(facts, key=lambda fact: (-fact.rank, fact.first.step, fact.first.span, fact.key)))
    )


def _weight(statement: Statement, role: str) -> float:
    """Return how much a statement counts, by its speaker, its kind and its strength."""
    kind = _SURE * statement.strength if role == "assistant" else KIND[statement.kind] + statement.strength
    errand = _ERRAND * statement.rule.endswith(ERRAND)
    return ROLE.get(role, 0.0) + kind - _PASTED * statement.pasted - _ASKED * statement.asked - errand


def _add(by_key: dict[str, _Gathered], key: str, statement: Statement, saying: Saying, crowded: bool) -> None:
    """Collect a saying under the key of its fact. The saying with the largest weight gives the words to show."""
    entry = by_key.get(key)
    if entry is None:
        by_key[key] = _Gathered(statement, [(saying, statement)], crowded=crowded)
        return
    entry.sayings.append((saying, statement))
    if _weight(statement, saying.role) > _weight(entry.statement, entry.sayings[entry.best][0].role):
        entry.statement, entry.best = statement, len(entry.sayings) - 1


def _join(by_key: dict[str, _Gathered], key: str, into: str) -> None:
    for saying, statement in by_key.pop(key).sayings:
        _add(by_key, into, statement, saying, by_key[into].crowded)


def _join_shorter(by_key: dict[str, _Gathered]) -> None:
    """Join a statement of the agent with a longer statement that has all its words and values."""
    words_of: dict[str, frozenset[str]] = {}
    keys_with: dict[str, list[str]] = defaultdict(list)
    for key, gathered in by_key.items():
        words = frozenset(gathered.statement.things)
        if len(words) >= _MIN_JOINED_WORDS and gathered.by("assistant"):
            words_of[key] = words
            for word in words:
                keys_with[word].append(key)
    for key in sorted(words_of, key=lambda key: (len(words_of[key]), key)):
        # Every longer statement has the rarest word too.
        for other in min((keys_with[word] for word in words_of[key]), key=len):
            if (
                other in by_key
                and words_of[key] < words_of[other]
                and by_key[key].values <= by_key[other].values
            ):
                _join(by_key, key, other)
                break


def _join_values(by_key: dict[str, _Gathered]) -> None:
    """Join statements of the agent that share a value and a word into the longest statement."""
    keys_with: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, gathered in by_key.items():
        if gathered.statement.rule.startswith("value.") and gathered.by("assistant"):
            for value in gathered.values:
                keys_with[value].append(key)
    for keys in keys_with.values():
        longest: list[str] = []
        left = (key for key in keys if key in by_key)
        for key in sorted(left, key=lambda key: (-len(by_key[key].statement.things), key)):
            words = frozenset(by_key[key].statement.things)
            alike = (
                other
                for other in longest
                if by_key[key].values <= by_key[other].values
                and not words.isdisjoint(by_key[other].statement.things)
            )
            into = next(alike, None)
            if into is None:
                longest.append(key)
            else:
                _join(by_key, key, into)


def _chosen(ranked: Iterable[Fact]) -> Iterator[Fact]:
    """Yield every fact, but only the best few of the agent's facts for each compaction that took them."""
    counts: Counter[tuple[int | None, bool]] = Counter()
    for fact in ranked:
        if fact.role == "assistant":
            is_value = fact.kind == "value"
            groups = {(saying.compaction, is_value) for saying in fact.sayings}
            if all(counts[group] >= (VALUES_OF_AGENT if is_value else FOUND_BY_AGENT) for group in groups):
                continue
            counts.update(groups)
        yield fact


def _owned(steps: Sequence[SpokenMessage]) -> frozenset[str]:
    """Return the distinctive values in a user's rule, choice or wish. A later mention is a use of that fact."""
    return frozenset(
        value.canon
        for step in steps
        if step.saying.role == "user"
        for statement in step.facts.statements
        if statement.kind not in ("value", "statement") and not (statement.pasted or statement.asked)
        for value in statement.values
        if value.distinctive
    )


def _key(statement: Statement, role: str, owned: frozenset[str]) -> str:
    """Return the key of a fact: the name of a value, else the words. Empty if the statement is not kept."""
    if statement.asked and role != "user":
        return ""
    if statement.kind == "value":
        named = [value for value in statement.values if value.distinctive]
        alone = len(statement.values) == 1 and len(statement.things) <= _MAX_NAMING_WORDS
        if named and (role != "user" or statement.pasted or alone):
            if named[0].canon in owned:
                return ""
            return _VALUE + named[0].canon
        if statement.asked:
            return ""
    words = folded(_EMPHASIS.sub("", statement.text))
    return (words[match.end() :] or words) if role == "user" and (match := _REMINDER.match(words)) else words


def _is_pasted_value(gathered: _Gathered) -> bool:
    return gathered.statement.kind == "value" and all(statement.pasted for _, statement in gathered.sayings)


def _fact(key: str, gathered: _Gathered, used: _Uses, course: _Course) -> Fact:
    """Return the fact of collected sayings, with its uses and its rank."""
    statement = gathered.statement
    best = gathered.sayings[gathered.best][0]
    others = [saying for at, (saying, _) in enumerate(gathered.sayings) if at != gathered.best]
    steps = {saying.step for saying, _ in gathered.sayings}
    again = sum(not other.pasted for _, other in gathered.sayings) - (not statement.pasted)
    uses = again + used.of(statement, min(steps), steps)
    rank = (
        _weight(statement, best.role)
        - _brevity(statement, best.role)
        - _crowding(statement) * (gathered.crowded and not statement.pasted)
        + course.weight(gathered) * (best.role == "assistant")
        + min(6.0, 2.0 * len(statement.values))
        + min(10.0, 3.0 * (len(steps) - 1))
        + min(12.0, 1.5 * uses)
    )
    fact = Fact(
        key=_name(key),
        **_stated(statement),
        strength=_strength(statement, gathered.crowded),
        role=best.role,
        sayings=(best, *others),
        uses=uses,
        rank=round(rank, 2),
        pasted=all(other.pasted for saying, other in gathered.sayings if saying.role == best.role),
    )
    older = [(saying, other) for saying, other in gathered.sayings if saying.generation < best.generation]
    return replace(fact, earlier=tuple(_earlier(fact, older))) if older else fact


def _brevity(statement: Statement, role: str) -> float:
    """Return the penalty of a short statement: fragments, go-aheads and passing remarks are short."""
    words = len(statement.things) / (_PAIRS_A_WORD if has_unspaced(statement.text) else 1)
    long = _LONG if role == "user" else _LONG_OF_AGENT
    return _BRIEF * (math.log1p(long) - math.log1p(min(words + len(statement.values), long)))


def _crowding(statement: Statement) -> float:
    """Return the penalty of a statement in a crowded message. A final colon only introduces other statements."""
    if statement.uncued or statement.text.endswith((":", "：")):
        return _CROWDED
    return _CROWDED_SURE if statement.strength >= _SUREST else _CROWDED_RULE


def _strength(statement: Statement, crowded: bool) -> int:
    """Return the strength of a fact.

    A crowded message is mostly a document, so its rules may be for something else. A sure rule that begins with its cue
    ("never push") is for its reader.
    """
    leads = statement.strength >= _SUREST and statement.cue[0] == statement.span[0]
    return min(statement.strength, STANDING - 1) if crowded and not leads else statement.strength


def _stated(statement: Statement) -> dict[str, Any]:
    """Return the fields of a fact that its statement gives."""
    names = ("kind", "text", "values", "things", "rule", "cue")
    return {"value": _value(statement), **{name: getattr(statement, name) for name in names}}


def _value(statement: Statement) -> str:
    values = ", ".join(dict.fromkeys(value.text for value in statement.values))
    return values or statement.text.strip(" .。;；")


def _earlier(fact: Fact, older: list[tuple[Saying, Statement]]) -> Iterator[Fact]:
    """Yield a version of the fact for each saying that was the best until then."""
    best = -math.inf
    for saying, statement in sorted(older, key=lambda pair: pair[0].step):
        if (weight := _weight(statement, saying.role)) <= best:
            continue
        best = weight
        sayings = (saying, *(other for other in fact.sayings if other != saying))
        yield replace(
            fact, **_stated(statement), strength=statement.strength, role=saying.role, sayings=sayings
        )


def _name(key: str) -> str:
    return hashlib.blake2b(key.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()


class _Course:
    """The course of a conversation: how old a saying was at its compaction, and whether it is in an answer.

    The agent's next findings mostly replace what it said on its way to an answer.
    """

    def __init__(self, steps: Sequence[SpokenMessage]) -> None:
        self._tasks: dict[int, int] = {}
        ends: dict[int, int] = {}
        last: dict[tuple[int, int], int] = {}
        for step in steps:
            saying = step.saying
            self._tasks[saying.step] = ends[saying.generation] = step.task
            if saying.role == "assistant":
                last[saying.generation, step.task] = saying.step
        self._answers = frozenset(last.values())
        self._generations, self._ends = [*ends], [*ends.values()]

    def weight(self, gathered: _Gathered) -> float:
        """Return the bonus of the agent's words for being late and in an answer; negative for old words."""
        return max(
            (_FAR - self._age(saying)) * (_ANSWERED if saying.step in self._answers else _ON_THE_WAY) - _OLD
            for saying, _ in gathered.sayings
        )

    def passed(self, gathered: _Gathered, uses: int) -> bool:
        """Return whether a fact was old at its compaction.

        Only the agent said it, on its way to an answer or as a value without a later use.
        """
        return all(
            saying.role == "assistant"
            and (saying.step not in self._answers or (statement.kind == "value" and not uses))
            and self._age(saying) >= _FAR
            for saying, statement in gathered.sayings
        )

    def _age(self, saying: Saying) -> int:
        """Return the number of user messages after a saying in the list that its compaction took, up to _FAR."""
        at = (
            len(self._ends)
            if saying.compaction is None
            else bisect_right(self._generations, saying.compaction)
        )
        return min(max(self._ends[at - 1] - self._tasks[saying.step], 0), _FAR)


class _Uses:
    """Index of the uses of names and values. For a name in a pruned result it has every mention."""

    def __init__(self, steps: Sequence[SpokenMessage]) -> None:
        self.named: dict[str, list[tuple[SpokenMessage, Mention]]] = defaultdict(list)
        self.valued: dict[tuple[str, str], list[tuple[int, frozenset[str]]]] = defaultdict(list)
        pruned = {m.value.canon for step in steps if step.saying.pruned for m in step.facts.mentions}
        for step in steps:
            for mention in step.facts.mentions:
                if _spoken(step, mention) or mention.value.canon in pruned:
                    self.named[mention.value.canon].append((step, mention))
            for statement in step.facts.statements:
                things = frozenset(statement.things)
                for value in statement.values:
                    if not value.distinctive:
                        self.valued[value.canon, value.unit].append((step.saying.step, things))

    def of(self, statement: Statement, first: int, own: set[int]) -> int:
        """Return the number of later messages, without `own`, that use a value of a statement."""
        steps: set[int] = set()
        things = frozenset(statement.things)
        for value in statement.values:
            if value.distinctive:
                steps.update(
                    step.saying.step
                    for step, mention in self.named.get(value.canon, ())
                    if step.saying.step > first and _spoken(step, mention)
                )
            else:
                steps.update(
                    at
                    for at, others in self.valued[value.canon, value.unit]
                    if at > first and things & others
                )
        return len(steps - own)


def _printed(used: _Uses, stated: set[str]) -> Iterable[Fact]:
    """Yield a fact for each name in a pruned tool result that only calls use, and use often."""
    for canon, mentions in used.named.items():
        if (
            canon in stated
            or len(mentions) < 2
            or any(_spoken(step, mention) and not mention.called for step, mention in mentions)
        ):
            continue
        if mentions[0][1].value.form not in _LINKS or not any(step.saying.pruned for step, _ in mentions):
            continue
        first = mentions[0][0]
        uses = sum(
            _spoken(step, mention) and step.saying.step > first.saying.step for step, mention in mentions
        )
        if uses >= TOOL_USES:
            yield _named(canon, mentions, uses)


def _spoken(step: SpokenMessage, mention: Mention) -> bool:
    """Return whether a person or the agent uses a name in a mention, not a paste or a tool."""
    return step.saying.role == "assistant" or (step.saying.role == "user" and not mention.pasted)


def _named(canon: str, mentions: Sequence[tuple[SpokenMessage, Mention]], uses: int) -> Fact:
    """Return the fact of a name that a tool printed."""
    step, mention = next((pair for pair in mentions if pair[0].saying.pruned), mentions[0])
    sayings = [
        replace(other.saying, span=found.text_span)
        for other, found in mentions
        if not found.called and other is not step
    ]
    return Fact(
        key=_name(f"value {canon}"),
        kind="value",
        text=mention.text,
        value=mention.value.text,
        values=(mention.value,),
        things=(),
        rule=f"value.{mention.value.form}",
        strength=5,
        cue=(0, 0),
        role=step.saying.role,
        sayings=(replace(step.saying, span=mention.text_span), *sayings),
        uses=uses,
        rank=round(ROLE["tool"] + KIND["value"] + min(20.0, 1.5 * uses), 2),
        pruned=True,
        pasted=all(found.pasted for other, found in mentions if other.saying.role == step.saying.role),
    )


def values_said(facts: Iterable[Fact]) -> frozenset[tuple[str, str]]:
    """Return every value of the facts, with its unit. A summary with one of these values contradicts no fact."""
    return frozenset((value.canon, value.unit) for fact in facts for value in fact.values)
