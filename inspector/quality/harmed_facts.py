"""The facts that a list lost, weakened or contradicts."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.quality.aftermath import Step
from inspector.quality.facts.fact import HARMED, KEPT, ConversationFacts, Fact, Life, Saying
from inspector.quality.prohibitions import Prohibition, prohibitions_of


class HarmedFacts:
    """The facts that a list lost, weakened or contradicts, by generation."""

    def __init__(self, facts: ConversationFacts) -> None:
        #: The first life of each fact, by its key.
        self._lives: dict[str, Life] = {}
        for life in facts.lives:
            first = self._lives.get(life.fact.key)
            if first is None or life.compaction < first.compaction:
                self._lives[life.fact.key] = life
        self._by_generation: dict[int, list[tuple[Life, str]]] = {}
        self._rules: dict[int, list[tuple[Life, str, tuple[Prohibition, ...]]]] = {}

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

    def rules(self, at: Step) -> list[tuple[Fact, str, tuple[Prohibition, ...]]]:
        """Return the user's harmed rules that forbid something exact, without those taken back before a step."""
        generation = at.generation
        if generation not in self._rules:
            self._rules[generation] = [
                (life, fate, forbidden)
                for life, fate in self._of(generation)
                if (fact := life.fact).role == "user"
                and not fact.pasted
                and fact.kind in ("constraint", "preference", "decision")
                and fact.concise
                if (forbidden := prohibitions_of(fact.text))
            ]
        return [
            (life.fact, fate, forbidden)
            for life, fate, forbidden in self._rules[generation]
            if not _taken_back(life, at)
        ]

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
