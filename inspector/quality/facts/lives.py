"""Facts over several compactions: when each was lost, brought back or contradicted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from inspector.quality.facts.differences import forbidden_values
from inspector.quality.facts.fact import (
    KEPT,
    Contradiction,
    ConversationFacts,
    Fact,
    Fate,
    Life,
    Outcome,
    Saying,
    Span,
    SpokenMessage,
    Statement,
    Where,
)
from inspector.quality.facts.fate import Match, best_of, matches, placed_fate, settled, unfound
from inspector.quality.facts.gather import values_said
from inspector.quality.facts.passages import ListText, PassageIndex
from inspector.quality.facts.probe import Probe, probe_of
from inspector.quality.facts.values import NAMES, same_value

#: Minimum share of common words for two facts to be about the same thing.
SAME_THING = 0.6
PlacedFates = Literal["every", "changes", "none"]
_SPOKEN = ("user", "assistant")


def lives_of(
    facts: Sequence[Fact],
    steps: Iterable[SpokenMessage],
    ends: Sequence[int],
    lists_after: Mapping[int, PassageIndex],
    watch: Callable[[int], None] | None = None,
    unreadable: Collection[int] = (),
    placed_fates: PlacedFates = "every",
    follow_fates: Work | None = None,
) -> ConversationFacts:
    """Follow every summarized fact, given by rank, to the last compaction.

    `ends[k]` is the number of messages before compaction k + 1. `lists_after` has the list after each compaction.
    `watch` gets the number of followed facts from time to time. An exception from it ends the work. The summaries of
    `unreadable` compactions cannot be read, so they may have any fact that no message has.
    `placed_fates` selects the fates that have a place and an excerpt: every fate, the last fate and changes from the
    fate before, or only contradicted values. The places of a long conversation need more memory than everything else.
    `follow_fates` replaces `fates_of`.
    """
    later = _Later(steps)
    taken_by: dict[str, set[int]] = {}
    summarized: dict[str, Fact] = {}
    for fact in facts:
        for _, number in _taken(fact, lists_after):
            name, version = _version_of(fact, number)
            summarized[name] = version
            taken_by.setdefault(name, set()).add(number)
    asked = Following(summarized, taken_by, values_said(facts), unreadable, placed_fates)
    fates = (follow_fates or fates_of)(asked, lists_after, watch)
    lives: list[Life] = []
    pruned: list[Life] = []
    taken: Counter[int] = Counter()
    for fact in facts:
        # Fates take most of the memory, so `pop` keeps only one copy.
        fates_of_fact: dict[str, list[Fate]] = {}
        for apart, start in _taken(fact, lists_after):
            name, version = _version_of(fact, start)
            if name not in fates_of_fact:
                fates_of_fact[name] = fates.pop(name)
            fates_since = tuple(fate for fate in fates_of_fact[name] if fate.compaction >= start)
            life = _life(version, start, fates_since, ends, later)
            if apart:
                pruned.append(replace(life, pruned=True))
            else:
                taken[start] += 1
                lives.append(replace(life, rank=taken[start]))
    # Facts arrive by rank, so a stable sort keeps rank order within each compaction.
    lives.sort(key=lambda life: life.compaction)
    pruned.sort(key=lambda life: life.compaction)
    return ConversationFacts(tuple(facts), tuple(lives), tuple(pruned))


def _version_of(fact: Fact, compaction: int) -> tuple[str, Fact]:
    """Return a unique name for the version of a fact at a compaction, and that version."""
    version = fact.by(compaction)
    return (fact.key if version is fact else f"{fact.key} {version.first.step}"), version


class Following(Struct, frozen=True):
    """Input of `fates_of`: facts by name, and the compactions that took each.

    The other fields are as in lives_of. `fact_numbers` has every number (and unit) of any fact.
    """

    facts: Mapping[str, Fact]
    taken_by: Mapping[str, Collection[int]]
    fact_numbers: Collection[tuple[str, str]]
    unreadable: Collection[int]
    placed_fates: PlacedFates

    def is_placed(self, name: str, compaction: int, is_last: bool, changes: bool) -> bool:
        """Return whether a fate has a place and an excerpt if the fact is not contradicted.

        `is_last`: it is the fate in the last list. `changes`: it differs from the fate before.
        """
        if self.placed_fates != "changes":
            return self.placed_fates == "every"
        return is_last or changes or compaction in self.taken_by[name]

    def select_places(self, placed: Mapping[str, Sequence[Fate]]) -> dict[str, list[Fate]]:
        """Return fates that were followed with every place, with the places of these ones."""
        return {name: list(self._selected(name, fates)) for name, fates in placed.items()}

    def _selected(self, name: str, fates: Sequence[Fate]) -> Iterator[Fate]:
        before = None
        for at, fate in enumerate(fates, 1):
            state = fate.outcome, fate.where
            if fate.changed or self.is_placed(name, fate.compaction, at == len(fates), state != before):
                yield fate
            else:
                yield Fate(fate.compaction, *state)
            before = state


#: Function with the contract of fates_of.
Work = Callable[[Following, Mapping[int, PassageIndex], Callable[[int], None] | None], dict[str, list[Fate]]]


def fates_of(
    asked: Following, lists_after: Mapping[int, PassageIndex], watch: Callable[[int], None] | None = None
) -> dict[str, list[Fate]]:
    """Return the fates of each fact by name, from its first compaction on.

    The texts of a list are in layers, one for each compaction that added texts. So a text that stays is read once.
    """
    facts = asked.facts
    first = {name: min(asked.taken_by[name]) for name in facts}
    layers: list[_Layer] = []
    present: frozenset[ListKey] = frozenset()
    numbers = sorted(lists_after)
    followed: list[_Followed] = []
    waiting = sorted(facts, key=lambda name: -first[name])
    for turn, number in enumerate(numbers):
        listed = _ListAfter(number, lists_after[number], asked, number == numbers[-1])
        added = _Layer(listed.index.only({at for key, at in listed.places.items() if key not in present}))
        present = frozenset(listed.places)
        layers = [layer for layer in (*layers, added) if not present.isdisjoint(layer.keys)]
        old = len(followed)
        while waiting and first[waiting[-1]] <= number:
            name = waiting.pop()
            followed.append(_Followed(name, probe_of(facts[name]), {}, []))
        for done, follower in enumerate(followed):
            if watch is not None and done % 64 == 0:
                watch((turn * len(facts) + done) // len(numbers))
            follower.fates.append(listed.fate(follower, (added,) if done < old else layers))
    fates: dict[str, list[Fate]] = {name: [] for name in waiting}
    return fates | {follower.name: follower.fates for follower in followed}


class _Followed(Struct):
    """State of a fact during the walk: its matches in the texts of the current list, and its fates until now."""

    name: str
    probe: Probe
    matches: dict[ListKey, Match]
    fates: list[Fate]

    @property
    def state(self) -> tuple[Outcome, Where | None] | None:
        """Outcome and region of the latest fate; None before the first."""
        return (self.fates[-1].outcome, self.fates[-1].where) if self.fates else None


class _ListAfter:
    """The list after a compaction: its texts, their places by key, and the fates that many facts share in it."""

    def __init__(self, number: int, index: PassageIndex, asked: Following, is_last: bool) -> None:
        self.number, self.index, self.asked, self.is_last = number, index, asked, is_last
        self.places = {_key(part): at for at, part in reversed(list(enumerate(index.parts)))}
        self._unread = Fate(number, "unknown") if number in asked.unreadable else None
        # Most facts of a long conversation are gone.
        self._nothing: dict[Outcome, Fate] = {
            outcome: Fate(number, outcome) for outcome in ("lost", "uncertain")
        }
        self._unplaced: dict[tuple[Outcome, Where], Fate] = {}

    def fate(self, follower: _Followed, layers: Iterable[_Layer]) -> Fate:
        """Return the fate of a fact in the list, and keep its matches. `layers` have the texts to read."""
        here = {key: match for key, match in follower.matches.items() if key in self.places}
        for layer in layers:
            for part, match in matches(follower.probe, layer.index, self.asked.fact_numbers).items():
                if (key := layer.keys[part]) in self.places:
                    here[key] = match
        follower.matches = here
        if not here:
            return self._unread or self._nothing[unfound(follower.probe, self.index)]
        match, part = best_of([(match, self.places[key]) for key, match in here.items()])
        best = settled(match, follower.probe, self.index)
        if best is None:
            return self._unread or self._nothing["lost"]
        if self._unread is not None and best.outcome not in KEPT:
            return self._unread
        state = best.outcome, self.index.parts[part].where
        changes = follower.state != state
        if best.changed or self.asked.is_placed(follower.name, self.number, self.is_last, changes):
            return placed_fate(best, part, self.index, self.number)
        return self._unplaced.setdefault(state, Fate(self.number, *state))


class _Layer:
    """Texts that a compaction added to the list, with their keys."""

    def __init__(self, index: PassageIndex) -> None:
        self.index = index
        self.keys = [_key(part) for part in index.parts]


#: Identity of a text across lists: whether it is a summary, its role, its text and its offset.
ListKey = tuple[bool, str, str, int]


def _key(part: ListText) -> ListKey:
    return part.where == "summary", part.role, part.text, part.offset


def _taken(fact: Fact, lists_after: Container[int]) -> list[tuple[bool, int]]:
    """Return the compactions that took a fact, each once and oldest first.

    Compactions that summarized it are first (False), then any that pruned its result (True) if only results said it.
    """
    return sorted(
        {
            (saying.pruned, saying.compaction)
            for saying in fact.sayings
            if saying.compaction is not None
            and saying.compaction in lists_after
            and (not saying.pruned or _only_printed(fact))
        }
    )


def _only_printed(fact: Fact) -> bool:
    """Whether only pruned results said a fact, so that it was lost with them."""
    return fact.pruned and not any(saying.role in _SPOKEN for saying in fact.sayings)


def _life(fact: Fact, start: int, fates: tuple[Fate, ...], ends: Sequence[int], later: _Later) -> Life:
    """Return the life of a fact: its fates, and the sayings that repeat or contradict it later."""
    died = next((fate.compaction for fate in fates if fate.gone), None)
    back = None
    if died is not None:
        end = ends[died - 1] if died <= len(ends) else None
        back = later.again(fact, end) if end is not None else None
    if back is None:
        fates = _without_chance_matches(fact, fates)
    return Life(fact, start, fates, died, back, later.contrary(fact))


def _without_chance_matches(fact: Fact, fates: tuple[Fate, ...]) -> tuple[Fate, ...]:
    """Return the fates of a fact that nothing repeats. It stays lost until a summary clearly has it.

    It is also lost if a summary no longer has the user's words that the summary before quoted.
    """
    seen: list[Fate] = []
    for fate in fates:
        before = seen[-1] if seen else None
        gone = before is not None and fate.outcome == "uncertain"
        if (
            before is not None
            and gone
            and (before.outcome == "lost" or _is_no_longer_quoted(fact, before, fate))
        ):
            fate = Fate(fate.compaction, "lost", model=before.model)
        seen.append(fate)
    return tuple(seen)


def _is_no_longer_quoted(fact: Fact, before: Fate, fate: Fate) -> bool:
    """Return whether the summary before quoted a statement of the user, and only a summary may have it now."""
    was_quoted = before.outcome == "verbatim" and before.where == "summary"
    only_in_summary = fate.where in (None, "summary")
    # A summary may have a value without its statement, and an answer in the words of the question.
    has_own_words = fact.is_users_own and not fact.values and not probe_of(fact).answers
    return was_quoted and only_in_summary and has_own_words


class _Later:
    """Index of sayings by value and by word."""

    def __init__(self, steps: Iterable[SpokenMessage]) -> None:
        self.named: dict[str, list[tuple[Saying, Span]]] = defaultdict(list)
        self.valued: dict[tuple[str, str], list[tuple[Saying, Statement]]] = defaultdict(list)
        self.worded: dict[str, list[tuple[Saying, Statement]]] = defaultdict(list)
        for step in steps:
            for mention in step.facts.mentions:
                self.named[mention.value.canon].append((step.saying, mention.text_span))
            for statement in step.facts.statements:
                if statement.asked or statement.pasted:
                    continue
                pair = step.saying, statement
                for value in statement.values:
                    if not value.distinctive:
                        self.valued[value.canon, value.unit].append(pair)
                if len(statement.things) >= 2 and statement.values:
                    for word in set(statement.things):
                        self.worded[word].append(pair)

    def again(self, fact: Fact, end: int) -> Saying | None:
        """Return the first saying from step `end` on that repeats the fact.

        It also does if it has a name that is the fact, or all values of the fact and most of its words.
        """
        repeating = [saying for saying in fact.sayings if saying.step >= end]
        things = frozenset(fact.things)
        values = {(value.canon, value.unit) for value in fact.values}
        for value in fact.values:
            if value.distinctive:
                # A rule is not repeated by its names: the agent may name them as it breaks the rule.
                repeating += [
                    replace(saying, span=span)
                    for saying, span in self.named.get(value.canon, ())
                    if fact.kind == "value" and saying.step >= end and saying.role in _SPOKEN
                ]
            else:
                repeating += [
                    replace(saying, span=statement.span)
                    for saying, statement in self.valued.get((value.canon, value.unit), ())
                    if saying.step >= end
                    and values <= {(other.canon, other.unit) for other in statement.values}
                    and len(things.intersection(statement.things)) >= SAME_THING * len(things)
                ]
        return min(repeating, key=lambda saying: saying.step, default=None)

    def contrary(self, fact: Fact) -> Contradiction | None:
        """Return the first later statement that ends a fact: it has another value of the form for the same thing."""
        things = frozenset(fact.things)
        if len(things) < 2 or not fact.values or fact.kind == "statement":
            return None
        last = max(saying.step for saying in fact.sayings)
        rarest = min(
            (word for word in things if word in self.worded),
            key=lambda word: (len(self.worded[word]), word),
            default=None,
        )
        if rarest is None:
            return None
        # A word of hundreds of messages does not show that two messages are about the same thing.
        for saying, statement in self.worded[rarest][-400:]:
            if saying.step <= last or saying.role not in (("user",) if fact.role == "user" else _SPOKEN):
                continue
            others = _others(fact, statement, things)
            if others:
                return Contradiction(statement.text, others, replace(saying, span=statement.span))
        return None


def is_replaced(fact: Fact, later: Fact) -> bool:
    """Return whether a later fact has another value for the same thing."""
    things = frozenset(fact.things)
    comparable = len(things) > 1 and bool(fact.values) and fact.kind != "statement"
    return comparable and fact.first.step < later.first.step and bool(_others(fact, later, things))


def _others(fact: Fact, statement: Fact | Statement, things: frozenset[str]) -> str:
    """Return the other value of a statement about the same thing; "" for another subject or the same value.

    A constraint with another name is a further one: "never write below /srv/alpha/", "never write below /srv/beta/". So
    are two forbidden values: "never open port 8080", "never open port 9090".
    """
    if fact.kind == "constraint" and _named_in(fact) != _named_in(statement):
        return ""
    other_things = frozenset(statement.things)
    if len(things & other_things) < SAME_THING * len(things | other_things):
        return ""
    values = {(value.form, value.unit): value for value in fact.values}
    others = {(value.form, value.unit): value for value in statement.values}
    shared = values.keys() & others.keys()
    if len(values) != len(fact.values) or len(others) != len(statement.values) or not shared:
        return ""
    forbidden, also_forbidden = forbidden_values(fact.text), forbidden_values(statement.text)
    return ", ".join(
        others[form].text
        for form in sorted(shared)
        if not same_value(others[form], values[form])
        and not (values[form].canon in forbidden and others[form].canon in also_forbidden)
    )


def _named_in(said: Fact | Statement) -> frozenset[str]:
    """Return the normal forms of the files, pages, settings and other names in a statement."""
    return frozenset(value.canon for value in said.values if value.form in NAMES)
