"""Facts by scope: of a compaction, pruned, dismissed, or at risk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.quality.facts.fact import ConversationFacts, Life
from inspector.quality.facts.risk import AtRisk
from inspector.quality.losses import KINDS_LOST, LostFacts, counts
from widgets.panes.losses_view import AT_RISK, DISMISSED, PRUNED, FactScope

if TYPE_CHECKING:
    from inspector.answers.fact_reading import FactsReading

#: Number of lost facts of a compaction, best rank first, that mark their rows in the list; a user's fact always does.
_MARKED = 30
_RANK = "Facts are ordered by their use in the whole conversation."


def scopes(
    reading: FactsReading,
    ended: Mapping[int, Sequence[Life]],
    losses: Mapping[int, LostFacts] | None = None,
    last: int | None = None,
    then: Callable[[Life], Life] = lambda life: life,
) -> tuple[FactScope, ...]:
    """Return a scope for each compaction that summarized facts or ended earlier facts, one for pruned results, and one
    for dismissed facts.

    `ended` is the result of ConversationFacts.ended, `losses` that of `lost_facts`. In a replay only compactions up to
    `last` are known, and `then` returns a life as it was known.
    """
    facts, losses = reading.facts, losses or {}
    numbers = sorted({*(life.compaction for life in facts.lives), *ended, *losses})
    by_scope: list[tuple[int | str, Iterable[Life]]] = [
        (number, lives_at(number, facts, ended, losses.get(number)))
        for number in numbers
        if last is None or number <= last
    ]
    for name, lives in ((PRUNED, facts.pruned), (DISMISSED, facts.dismissed)):
        by_scope.append((name, [life for life in lives if last is None or life.compaction <= last]))
    return tuple(
        scope_of(
            name,
            [then(life) for life in worst_first(lives, losses.get(name) if isinstance(name, int) else None)],
            last is not None,
            losses.get(name) if isinstance(name, int) else None,
        )
        for name, lives in by_scope
        if lives
    )


def lives_at(
    compaction: int,
    facts: ConversationFacts,
    ended: Mapping[int, Sequence[Life]],
    losses: LostFacts | None,
) -> tuple[Life, ...]:
    """Return the facts that a compaction summarized, those of earlier compactions that it ended, and other losses."""
    lives = (*facts.of(compaction), *ended.get(compaction, ()))
    keys = {life.fact.key for life in lives}
    others = () if losses is None else losses.worst
    return (*lives, *(life for life in others if life.fact.key not in keys))


def scope_of(
    name: int | str, lives: Sequence[Life], partial: bool, losses: LostFacts | None = None
) -> FactScope:
    """Return the scope of a compaction, PRUNED or DISMISSED; `partial`: at a step of the replay."""
    if name == PRUNED:
        note = "Facts in tool results that were pruned."
    elif name == DISMISSED:
        note = "Facts that you dismissed; nothing counts them. d restores one."
    elif partial:
        note = "Facts of the removed messages, and facts lost later, up to this step."
    else:
        note = _counted(lives, losses)
    note = f"{note} {_RANK}" if partial else note
    return FactScope(str(name), tuple(lives), note, partial=partial)


def risk_scope(entries: Sequence[AtRisk], generation: int, partial: bool = False) -> FactScope:
    """Return the facts that a compaction of the list would remove now; `partial`: at a step of the replay."""
    note = (
        "Facts that a compaction now would remove under these settings. Those in one message only come first."
    )
    return FactScope(AT_RISK, tuple(entries), note, generation, partial)


def worst_first(lives: Iterable[Life], losses: LostFacts | None = None) -> list[Life]:
    """Order facts by their harm: lost and weakened facts, undecided facts, then facts that the list still has.

    Of lost and weakened facts, those that count as losses come first, in the order of `losses`. Of the others, facts
    that may count come first, constraints before statements, and lost before weakened. Otherwise the order stays.
    """
    places = {life.fact.key: place for place, life in enumerate(counted(losses))}
    return sorted(lives, key=lambda life: _harm(life, places))


def counted(losses: LostFacts | None) -> list[Life]:
    """Return the lost and weakened facts of a compaction that count, the worst first."""
    return [] if losses is None else [life for life in losses.worst if is_harmed(life)]


def counted_words(losses: LostFacts | None) -> str:
    """Return the number of facts that count: "8", or "8 lost and 1 weakened"."""
    if losses is None or not losses.weakened:
        return f"{0 if losses is None else losses.total:,}"
    return f"{losses.total:,} lost and {losses.weakened:,} weakened"


def reasons_apart(lives: Iterable[Life], losses: LostFacts | None) -> str:
    """Return why the other lost and weakened facts after a compaction do not count: "results, plain statements"."""
    keys = {life.fact.key for life in counted(losses)}
    apart = [life for life in lives if life.fact.key not in keys]
    of_kind = [life for life in apart if not counts(life)]
    reasons = (
        ("pasted text", any(life.fact.pasted for life in of_kind)),
        ("plain statements", any(life.fact.kind == "statement" and not life.fact.pasted for life in of_kind)),
        (
            "results or requests",
            any(life.fact.kind != "statement" and not life.fact.pasted for life in of_kind),
        ),
        (
            "facts said again or changed later",
            any(life.back or life.contradicted for life in apart if counts(life)),
        ),
        (
            "facts lost before, or in a later list again",
            any(not (life.back or life.contradicted) for life in apart if counts(life)),
        ),
    )
    return ", ".join(reason for reason, holds in reasons if holds)


def _counted(lives: Sequence[Life], losses: LostFacts | None) -> str:
    """Return sentences about the facts of a compaction that count, or may count, as losses: the lost ones are first."""
    number = len(counted(losses))
    sentences = []
    if number == 0 and any(map(is_harmed, lives)):
        sentences = ["None counts as a loss: only your rules, decisions and values do."]
    elif number == 1:
        sentences = ["The first one counts as a loss: a rule, a decision or a value."]
    elif number:
        sentences = [f"The first {counted_words(losses)} count as losses: your rules, decisions and values."]
    if losses is not None and losses.uncertain:
        sentences.append(f"Of the uncertain facts, {losses.uncertain:,} may count too.")
    return " ".join(sentences)


def is_harmed(life: Life) -> bool:
    """Return whether a fact is gone or weakened."""
    return life.fate.gone or life.fate.outcome == "weakened"


def _harm(life: Life, places: Mapping[str, int]) -> tuple[int, ...]:
    fate, kind = life.fate, life.fact.kind
    if not is_harmed(life):
        return (2 if fate.alive else 1,)
    may_count = not life.superseded and counts(life)
    return 0, places.get(life.fact.key, len(places)), not may_count, KINDS_LOST.index(kind), not fate.gone


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
