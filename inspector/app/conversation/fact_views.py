"""Facts as the pane shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from inspector.core.places import place_name
from inspector.quality.facts.fact import Fact, Fate, Life, Saying
from inspector.quality.facts.risk import AtRisk
from inspector.quality.losses import KINDS_LOST
from widgets.lists.fact_list import FactPlace, FactView
from widgets.panes.losses_view import FactScope

if TYPE_CHECKING:
    from inspector.answers.fact_reading import FactsReading

#: So many facts of a compaction, best rank first, mark their rows in the list; those of users always do.
_MARKING = 30
#: The longest text that is looked for in a message, in characters.
_LONGEST = 80
AT_RISK = "risk"
PRUNED = "pruned"
_ONLY_WHOLE = (
    "How often facts are used later is not known yet; their order is that of the whole conversation."
)


def scopes(reading: FactsReading, ended: Mapping[int, Sequence[Life]]) -> tuple[FactScope, ...]:
    """A scope for every compaction that summarized facts or ended those of earlier ones (see
    ConversationFacts.ended), and one for pruned tool results where they hold any."""
    numbers = sorted({*(life.compaction for life in reading.facts.lives), *ended})
    found = [
        scope_of(
            number,
            tuple(map(life_view, worst_first((*reading.facts.of(number), *ended.get(number, ()))))),
        )
        for number in numbers
    ]
    if reading.facts.pruned:
        found.append(scope_of(PRUNED, tuple(map(life_view, worst_first(reading.facts.pruned)))))
    return tuple(found)


def scope_of(name: int | str, views: tuple[FactView, ...], then: bool = False) -> FactScope:
    """The scope of a compaction, or of pruned tool results; `then`: as it was at a moment of the replay."""
    if name == PRUNED:
        note = "What tool results said whose texts were pruned."
        return FactScope(PRUNED, PRUNED, PRUNED, views, f"{note} {_ONLY_WHOLE}" if then else note)
    note = "What its messages said, and what earlier summaries had kept until it: what is gone first."
    if then:
        note = f"What its messages said, and what is gone since it, as far as this step. {_ONLY_WHOLE}"
    return FactScope(str(name), f"compaction {name}", str(name), views, note)


def risk_scope(entries: Sequence[AtRisk], generation: int, then: bool = False) -> FactScope:
    """What the next compaction of the live list would put through the summary; `then`: of the list at a moment."""
    where = "the list at this step" if then else "the live list"
    return FactScope(
        AT_RISK,
        "at risk",
        "at risk",
        tuple(_risk_view(entry, generation, where, then) for entry in entries),
        "What a compaction now, under the settings on screen, would put through the summary: said once first.",
    )


def worst_first(lives: Iterable[Life]) -> list[Life]:
    """What is gone, then what is weakened, then what is left; otherwise in their order."""
    return sorted(lives, key=_harm)


def gravest_first(lives: Iterable[Life]) -> list[Life]:
    """As losses are listed: constraints first, kind by kind, each the worst first. What is counted in no list of
    losses, how things hang together, comes last."""
    order = {kind: place for place, kind in enumerate(KINDS_LOST)}
    return sorted(worst_first(lives), key=lambda life: order.get(life.fact.kind, len(order)))


def _harm(life: Life) -> int:
    fate = life.fate
    return 0 if fate.gone else 1 if fate.outcome == "weakened" else 3 if fate.alive else 2


def key_of(life: Life) -> str:
    """What a life is known by among the views of all scopes."""
    after = "" if life.seen_after is None else f">{life.seen_after}"
    return f"{life.fact.key}@{life.compaction}{'p' if life.pruned else ''}{after}"


def life_view(life: Life, then: bool = False) -> FactView:
    """A fact, and what a compaction made of it; `then`: what was known of it at a moment of the replay."""
    fact, fate = life.fact, life.fate
    return FactView(
        key=key_of(life),
        kind=fact.kind,
        text=fact.text,
        values=life.values,
        role=fact.role,
        outcome=fate.outcome,
        where=fate.where or "",
        compaction=life.compaction,
        source=_source(fact, life.saying),
        survivor=survivor_place(fact, fate),
        excerpt=fate.excerpt,
        history=(_told(fact, then), _course(life)),
        notes=tuple(_notes(life)),
        rule=fact.explained,
    )


def _risk_view(entry: AtRisk, generation: int, where: str, then: bool) -> FactView:
    fact = entry.fact
    index = entry.places[0]
    return FactView(
        key=f"{fact.key}@risk",
        kind=fact.kind,
        text=fact.text,
        values=entry.values,
        role=fact.role,
        outcome="at risk",
        source=FactPlace(generation, index, wanted(fact.text), f"{place_name(index)} of {where}"),
        history=() if then else (_told(fact),),
        rule=fact.explained,
    )


def _source(fact: Fact, saying: Saying) -> FactPlace:
    label = place_name(saying.index, generation=saying.generation)
    return FactPlace(saying.generation, saying.index, wanted(fact.text), label)


def survivor_place(fact: Fact, fate: Fate) -> FactPlace | None:
    """Where a fact stands in the list after a compaction, with words of it that stand there; None for nowhere."""
    if fate.index is None:
        return None
    around = fate.excerpt.casefold()
    texts = (fact.text, *(value.text for value in fact.values))
    # Told in other words, a number of it shows the place best, else its longest word.
    parts = sorted(fact.text.split(), key=lambda part: (not any(map(str.isdigit, part)), -len(part)))
    words = next((t for t in (*texts, *parts) if t and t.casefold() in around), fate.excerpt.strip("… "))
    generation = fate.compaction + 1
    where = f"{fate.where}, " if fate.where else ""
    label = where + place_name(fate.index, generation=generation)
    return FactPlace(generation, fate.index, wanted(words), label)


def wanted(text: str) -> str:
    """What of a text can be looked for: the start of its first line."""
    return text.strip().split("\n", 1)[0][:_LONGEST].rstrip()


def _told(fact: Fact, then: bool = False) -> str:
    said = "Said once" if fact.once else f"Said {len(fact.sayings):,} times"
    if then:
        return f"{said} so far."
    times = "once" if fact.uses == 1 else f"{fact.uses:,} times"
    return f"{said}, used {times} later." if fact.uses else f"{said}, not used later."


def _course(life: Life) -> str:
    parts = []
    for fate in life.fates:
        where = f" in the {fate.where}" if fate.where else ""
        parts.append(f"{fate.compaction}: {fate.outcome}{where}")
    return f"After compaction {'; '.join(parts)}."


def _notes(life: Life) -> Iterable[tuple[str, str]]:
    changed = next((fate for fate in life.fates if fate.changed), None)
    if changed is not None:
        text = f"The summary of compaction {changed.compaction} says {changed.changed}, which nobody said."
        yield text, "error"
    if life.back is not None:
        yield f"Said again in {_where(life.back)}.", "moved"
    if life.contradicted is not None:
        other = life.contradicted
        yield f"Said otherwise in {_where(other.saying)}: {other.text}", "warning"


def _where(saying: Saying) -> str:
    return f"{place_name(saying.index, generation=saying.generation)} by the {saying.role}"


def lost_rows(reading: FactsReading) -> dict[int, frozenset[int]]:
    """By generation the messages whose facts the compaction that summarized them lost, values or all."""
    found: dict[int, set[int]] = {}
    for number in {life.compaction for life in reading.facts.lives}:
        for rank, life in enumerate(reading.facts.of(number)):
            if not life.lost or (rank >= _MARKING and life.fact.role != "user"):
                continue
            for saying in life.fact.sayings:
                if saying.compaction == number and not saying.pruned:
                    found.setdefault(saying.generation, set()).add(saying.index)
    return {generation: frozenset(indexes) for generation, indexes in found.items()}
