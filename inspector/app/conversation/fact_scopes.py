"""Facts by scope: of a compaction, pruned, dismissed, or at risk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.quality.facts.fact import Life
from inspector.quality.facts.risk import AtRisk
from inspector.quality.losses import KINDS_LOST, counts
from widgets.panes.losses_view import AT_RISK, DISMISSED, PRUNED, FactScope

if TYPE_CHECKING:
    from inspector.answers.fact_reading import FactsReading

#: Number of lost facts of a compaction, best rank first, that mark their rows in the list; a user's fact always does.
_MARKED = 30
_RANK = "Facts are ordered by their use in the whole conversation."


def scopes(
    reading: FactsReading,
    ended: Mapping[int, Sequence[Life]],
    last: int | None = None,
    then: Callable[[Life], Life] = lambda life: life,
) -> tuple[FactScope, ...]:
    """Return a scope for each compaction that summarized facts or ended earlier facts, one for pruned results, and one
    for dismissed facts.

    `ended` is the result of ConversationFacts.ended. In a replay only compactions up to `last` are known, and `then`
    returns a life as it was known.
    """
    facts = reading.facts
    numbers = sorted({*(life.compaction for life in facts.lives), *ended})
    by_scope: list[tuple[int | str, Iterable[Life]]] = [
        (number, (*facts.of(number), *ended.get(number, ())))
        for number in numbers
        if last is None or number <= last
    ]
    for name, lives in ((PRUNED, facts.pruned), (DISMISSED, facts.dismissed)):
        by_scope.append((name, [life for life in lives if last is None or life.compaction <= last]))
    return tuple(
        scope_of(name, [then(life) for life in worst_first(lives)], partial=last is not None)
        for name, lives in by_scope
        if lives
    )


def scope_of(name: int | str, lives: Sequence[Life], partial: bool) -> FactScope:
    """Return the scope of a compaction, PRUNED or DISMISSED; `partial`: at a step of the replay."""
    if name == PRUNED:
        note = "Facts in tool results that were pruned."
    elif name == DISMISSED:
        note = "Facts that you dismissed; nothing counts them. d restores one."
    elif partial:
        note = "Facts of the removed messages, and facts lost later, up to this step."
    else:
        note = _counted(lives)
    note = f"{note} {_RANK}" if partial else note
    return FactScope(str(name), tuple(lives), note, partial=partial)


def risk_scope(entries: Sequence[AtRisk], generation: int, partial: bool = False) -> FactScope:
    """Return the facts that a compaction of the list would remove now; `partial`: at a step of the replay."""
    note = (
        "Facts that a compaction now would remove under these settings. Those in one message only come first."
    )
    return FactScope(AT_RISK, tuple(entries), note, generation, partial)


def worst_first(lives: Iterable[Life]) -> list[Life]:
    """Order facts by their harm: lost and weakened facts, undecided facts, then facts that the list still has.

    Of lost and weakened facts, those that count as losses come first, constraints before statements, and lost before
    weakened. Otherwise the order stays.
    """
    return sorted(lives, key=_harm)


def _counted(lives: Sequence[Life]) -> str:
    """Return sentences about the facts of a compaction that count, or may count, as losses: the lost ones are first."""
    lost = [life for life in lives if _is_harmed(life)]
    number = sum(map(is_counted, lost))
    sentences = []
    if lost and number == 0:
        sentences = ["None counts as a loss: only your rules, decisions and values do."]
    elif number == 1:
        sentences = ["The first one counts as a loss: a rule, a decision or a value."]
    elif lost:
        sentences = [f"The first {number:,} count as losses: your rules, decisions and values."]
    if may := sum(life.fate.outcome == "uncertain" and is_counted(life) for life in lives):
        sentences.append(f"Of the uncertain facts, {may:,} may count too.")
    return " ".join(sentences)


def is_counted(life: Life) -> bool:
    """Return whether a fact counts as a loss if it is lost."""
    return not life.superseded and counts(life)


def _harm(life: Life) -> tuple[int, ...]:
    fate, kind = life.fate, life.fact.kind
    if not _is_harmed(life):
        return (2 if fate.alive else 1,)
    return 0, not is_counted(life), KINDS_LOST.index(kind), not fate.gone


def _is_harmed(life: Life) -> bool:
    return life.fate.gone or life.fate.outcome == "weakened"


def lost_rows(reading: FactsReading) -> dict[int, frozenset[int]]:
    """By generation the messages with facts that were lost when they were summarized."""
    rows: dict[int, set[int]] = {}
    for number in {life.compaction for life in reading.facts.lives}:
        for rank, life in enumerate(reading.facts.of(number)):
            if not life.lost or (rank >= _MARKED and life.fact.role != "user"):
                continue
            for saying in life.fact.sayings:
                if saying.compaction == number and not saying.pruned:
                    rows.setdefault(saying.generation, set()).add(saying.index)
    return {generation: frozenset(indexes) for generation, indexes in rows.items()}


class LivesByMessage:
    """The facts that compactions summarized, by the message that says them."""

    def __init__(self, reading: FactsReading) -> None:
        self._places = reading.indexes_by_step
        self._steps: dict[int, dict[int, int]] = {}
        self._lives: dict[int, dict[str, Life]] = defaultdict(dict)
        for life in reading.facts.lives:
            for saying in life.fact.sayings:
                if saying.compaction == life.compaction and not saying.pruned:
                    last = life.fates[-1].compaction if life.fates else life.compaction
                    self._lives[saying.step].setdefault(life.fact.key, life.seen(last))

    def of(self, generation: int, index: int) -> tuple[Life, ...]:
        """The facts of a message, as they are after the last compaction, best rank first."""
        if not 0 < generation <= len(self._places):
            return ()
        steps = self._steps.get(generation)
        if steps is None:
            steps = {place: step for step, place in self._places[generation - 1].items()}
            self._steps[generation] = steps
        lives = self._lives.get(steps.get(index, -1), {})
        return tuple(sorted(lives.values(), key=lambda life: -life.fact.rank))
