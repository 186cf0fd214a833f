"""The facts that a list lost, weakened or contradicts, and the rules that it still has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.quality.act import Act
from inspector.quality.aftermath import Step
from inspector.quality.facts.fact import HARMED, KEPT, ConversationFacts, Fact, Life, Saying
from inspector.quality.prohibitions import Prohibition, allows, prohibitions_of


class ForbiddingRule(NamedTuple):
    """A rule of the user's that forbids something exact, with its fate in a list."""

    fact: Fact
    fate: str
    forbidden: tuple[Prohibition, ...]


class HarmedFacts:
    """The facts that a list lost, weakened or contradicts, by generation, and the rules that it still has."""

    def __init__(self, facts: ConversationFacts) -> None:
        #: The first life of each fact, by its key.
        self._lives: dict[str, Life] = {}
        for life in facts.lives:
            first = self._lives.get(life.fact.key)
            if first is None or life.compaction < first.compaction:
                self._lives[life.fact.key] = life
        self._by_generation: dict[int, list[tuple[Life, str]]] = {}
        by_key = {fact.key: fact for fact in facts.facts} | {
            key: life.fact for key, life in self._lives.items()
        }
        self._forbidding = [
            (fact, forbidden)
            for fact in sorted(by_key.values(), key=lambda fact: -fact.rank)
            if fact.is_users_own
            and fact.kind in ("constraint", "preference", "decision")
            and fact.concise
            and (forbidden := prohibitions_of(fact.text))
        ]
        self._rules: dict[int, list[ForbiddingRule]] = {}
        #: Messages of the user and questions of the agent, each with its step.
        self._said: list[tuple[int, str]] = []

    def note(self, step: int, text: str) -> None:
        """Note the next message of the user or question of the agent. It may allow what a rule forbids."""
        self._said.append((step, text))

    def state(self, fact: Fact, at: Step | Saying) -> str:
        """Return the fate of a fact in the list of a step, "verbatim" if a kept message has it, "" if unknown."""
        earlier = [saying for saying in fact.sayings if saying.generation < at.generation]
        if any(saying.compaction is None or saying.compaction >= at.generation for saying in earlier):
            return "verbatim"
        life = self._lives.get(fact.key)
        fate = None if life is None else life.fate_at(at.generation - 1)
        return "" if fate is None else fate.outcome

    def fate(self, fact: Fact, at: Step | Saying) -> str:
        """Return the fate of a fact in the list of a step, or "" if the list has it or no compaction judged it."""
        life = self._lives.get(fact.key)
        fate = None if life is None or _taken_back(life, at) else life.fate_at(at.generation - 1)
        return "" if fate is None or fate.outcome in KEPT else fate.outcome

    def died(self, fact: Fact) -> int | None:
        """Return the first compaction after which a fact was gone."""
        life = self._lives.get(fact.key)
        return None if life is None else life.died

    def about(self, names: Sequence[str], at: Step, left: int | None) -> tuple[Fact, str] | None:
        """Return the harmed fact of the highest rank that names one of `names` (paths or addresses), with its fate.

        The compaction `left`, or one before it, removed the fact. A rule that names a file does not count: it does not
        give the content of the file.
        """
        for life, fate in self._of(at.generation):
            fact = life.fact
            if fact.binds or _taken_back(life, at) or (left is not None and life.compaction > left):
                continue
            values = [value.text for value in fact.values if len(value.text) > 3]
            if any(_names_it(value, name) for value in values for name in names):
                return fact, fate
        return None

    def broken_rules(self, at: Step, acts: Sequence[Act]) -> Iterator[tuple[ForbiddingRule, Act]]:
        """Yield each rule from before the last compaction that an act of a step breaks, with the first such act.

        The list lost it, weakened it or still has it. A rule that the user repeated in the same list, took back or may
        have lifted since does not count.
        """
        for rule in self._rules_of(at):
            breaks = (act for act in acts if any(one.forbids(act) for one in rule.forbidden))
            if (act := next(breaks, None)) is not None and not self._is_off(rule, act, at):
                yield rule, act

    def _rules_of(self, at: Step) -> Sequence[ForbiddingRule]:
        if at.generation not in self._rules:
            rules = (
                ForbiddingRule(fact, self.state(fact, at), forbidden) for fact, forbidden in self._forbidding
            )
            self._rules[at.generation] = [rule for rule in rules if rule.fate in (*KEPT, *HARMED)]
        return self._rules[at.generation]

    def _is_off(self, rule: ForbiddingRule, act: Act, at: Step) -> bool:
        """Return whether a rule is repeated in the list of a step, taken back, or may be lifted."""
        life = self._lives.get(rule.fact.key)
        sayings = [saying for saying in rule.fact.sayings if saying.step < at.step]
        taken_back = life is not None and _taken_back(life, at)
        if not sayings or taken_back or any(saying.generation == at.generation for saying in sayings):
            return True
        last = max(saying.step for saying in sayings)
        return any(last < step < at.step and allows(text, rule.forbidden, act) for step, text in self._said)

    def _of(self, generation: int) -> list[tuple[Life, str]]:
        """Return the lives of the harmed facts of a list with their fates, best rank first."""
        if generation not in self._by_generation:
            harmed = [(life, fate) for life in self._lives.values() if (fate := _harm(life, generation))]
            self._by_generation[generation] = sorted(harmed, key=lambda entry: -entry[0].fact.rank)
        return self._by_generation[generation]


def _names_it(value: str, path: str) -> bool:
    return path == value or path.endswith("/" + value.removeprefix("./"))


def _harm(life: Life, generation: int) -> str:
    """Return the fate of a fact in a list, or "" if the list does not harm it."""
    fate = life.fate_at(generation - 1)
    return "" if fate is None or fate.outcome not in HARMED else fate.outcome


def _taken_back(life: Life, at: Step | Saying) -> bool:
    """Return whether the user contradicted a fact before a step, or in it."""
    return life.contradicted is not None and life.contradicted.saying.step <= at.step
