"""Facts that the agent can no longer read, counted at the compaction that removed them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field

from inspector.quality.facts.extract import approves_task, asked_and_answered
from inspector.quality.facts.fact import KEPT, REQUESTS, ConversationFacts, Fate, Kind, Life
from inspector.quality.facts.lives import is_replaced

#: Kinds that count as a loss, the most severe first. A plain statement only counts if it was still needed.
KINDS_LOST: tuple[Kind, ...] = ("constraint", "preference", "decision", "value", "statement")
#: Fields of LossCounts with the facts that no loss counts.
APART = ("pasted", "others", "plain", "uncertain_apart")


class LossCounts(Struct, frozen=True):
    """Counts of the losses of a compaction: lost facts by kind (of KINDS_LOST), weakened and uncertain facts.

    Uncertain facts are not losses; `uncertain_constraints` is the number of the user's constraints among them.
    `contradicted` is the number of lost facts that the summary contradicts, `standing` the number of lost facts that
    are worded as lasting rules. Four numbers count the facts that no loss counts. `pasted`: lost facts of pasted texts,
    plans and programs. `others`: lost results of the agent, which it can find again, and requests that were mostly done
    by then. `plain`: other lost statements of the user. `uncertain_apart`: uncertain facts of the user among these.
    """

    compaction: int
    lost: Mapping[Kind, int] = field(default_factory=dict)
    weakened: int = 0
    uncertain: int = 0
    pasted: int = 0
    others: int = 0
    plain: int = 0
    uncertain_apart: int = 0
    contradicted: int = 0
    standing: int = 0
    uncertain_constraints: int = 0

    @property
    def total(self) -> int:
        """Lost facts of all kinds."""
        return sum(self.lost.values())

    @property
    def apart(self) -> tuple[int, int, int, int]:
        """The numbers of facts that no loss counts, as in APART."""
        pasted, others, plain, uncertain = (getattr(self, name) for name in APART)
        return pasted, others, plain, uncertain


class LostFacts(LossCounts, frozen=True):
    """The losses of a compaction. `worst` are the lost and weakened facts, and uncertain facts that the user said
    again, as they were after it, the worst first."""

    worst: tuple[Life, ...] = ()


def is_lost(life: Life) -> bool:
    """Return whether a fact is lost: gone at the fate that the life shows (`Life.fate`), and not said again, taken
    back or changed later.

    Every answer uses this test.
    """
    return bool(life.fates) and life.fate.gone and life.back is None and life.contradicted is None


def counts(life: Life) -> bool:
    """Return whether the loss of a fact counts: it must be in the user's own words.

    Labels ("Notes:") and answers to a question such as "do it now?" or "should I add it?" do not count. Requests and
    plain statements count only if they were still needed.
    """
    fact = life.fact
    plain = fact.rule.endswith(REQUESTS) or fact.kind == "statement"
    once = "now?" in asked_and_answered(fact)[0] or approves_task(fact)
    return fact.is_users_own and not (once or fact.text.endswith((":", "：")) or (plain and not life.needed))


def lives_after(lives: Iterable[Life], compaction: int) -> tuple[Life, ...]:
    """Return each fact that this or an earlier compaction summarized, once, as it is after this compaction."""
    last = {life.fact.key: life for life in lives if life.compaction <= compaction}
    return tuple(life.seen(compaction) for life in last.values() if life.fate_at(compaction) is not None)


def grave(lost: Mapping[Kind, int], weakened: int) -> tuple[int, ...]:
    """Return the sort key of losses: counts by kind, constraints first, then the weakened facts."""
    return (*(lost.get(kind, 0) for kind in KINDS_LOST), weakened)


def losses_of(lives: Iterable[Life], said_again: Collection[str] = ()) -> tuple[LostFacts, ...]:
    """Return each compaction that lost or weakened facts for good, or may have, oldest first.

    A fact counts once, at the first compaction after which it was gone (or weakened). A fact is not a loss if today's
    list has it, if it was said again or taken back, or if its fate is uncertain. `said_again` has the texts of the
    facts that the user said again in other words: they count, even plain statements, and are the worst.
    """
    by_fact: dict[str, list[Life]] = defaultdict(list)
    for life in lives:
        if life.fact.kind != "statement" or life.fact.role == "user":
            by_fact[life.fact.key].append(life)
    gone: dict[int, list[Life]] = defaultdict(list)
    weak: dict[int, list[Life]] = defaultdict(list)
    unsure: dict[int, list[Life]] = defaultdict(list)
    pasted: Counter[int] = Counter()
    others: Counter[int] = Counter()
    plain: Counter[int] = Counter()
    unsure_apart: Counter[int] = Counter()
    for same in by_fact.values():
        # From its beginning on, the latest life has the same fates as the earlier ones.
        life = max(same, key=lambda item: item.compaction)
        today = life.fates[-1] if life.fates else None
        if today is None or life.back is not None or life.contradicted is not None:
            continue
        if not (counts(life) or life.text in said_again):
            if is_lost(life.seen(today.compaction)):
                apart = pasted if life.fact.pasted else plain if life.fact.kind == "statement" else others
                apart[_since(same, life, lambda fate: fate.gone)] += 1
            elif today.outcome == "uncertain" and life.fact.role == "user":
                unsure_apart[_since(same, life, lambda fate: fate.outcome == "uncertain")] += 1
        elif is_lost(life.seen(today.compaction)):
            since = _since(same, life, lambda fate: fate.gone)
            gone[since].append(_until(same, since))
        elif today.outcome == "weakened":
            since = _since(same, life, lambda fate: fate.outcome == "weakened")
            weak[since].append(_until(same, since))
        elif today.outcome == "uncertain":
            unsure[_since(same, life, lambda fate: fate.outcome == "uncertain")].append(life)
    return tuple(
        _lost_facts(
            number,
            gone.get(number, ()),
            weak.get(number, ()),
            unsure.get(number, ()),
            (pasted[number], others[number], plain[number], unsure_apart[number]),
            said_again,
        )
        for number in sorted({*gone, *weak, *unsure, *pasted, *others, *plain, *unsure_apart})
    )


def is_unknown(life: Life) -> bool:
    """Return whether the fate of a fact is unknown: an unreadable summary replaced it."""
    return (
        life.fact.kind != "statement"
        and bool(life.fates)
        and life.fates[-1].outcome == "unknown"
        and life.back is None
        and life.contradicted is None
    )


def _since(same: Sequence[Life], last: Life, alike: Callable[[Fate], bool]) -> int:
    """Return the first compaction after which a fact always has one of these fates."""
    first = min(same, key=lambda item: item.compaction)
    since = last.fates[-1].compaction
    for fate in reversed(first.fates):
        if not alike(fate):
            break
        since = fate.compaction
    return since


def _until(same: Sequence[Life], compaction: int) -> Life:
    """Return the last life of a fact that begins with a compaction or before it."""
    return max((life for life in same if life.compaction <= compaction), key=lambda item: item.compaction)


def _lost_facts(
    number: int,
    gone: Sequence[Life],
    weak: Sequence[Life],
    unsure: Sequence[Life],
    apart: tuple[int, int, int, int],
    said_again: Collection[str],
) -> LostFacts:
    counts: dict[Kind, int] = {}
    for kind in KINDS_LOST:
        count = sum(life.fact.kind == kind for life in gone)
        if count:
            counts[kind] = count
    weakened = {id(life) for life in weak}
    worst = sorted(
        (*gone, *weak, *(life for life in unsure if life.text in said_again)),
        key=lambda life: (
            life.text not in said_again,
            not (life.fact.standing or life.needed),
            KINDS_LOST.index(life.fact.kind),
            -life.fact.strength,
            id(life) in weakened,
            -life.fact.rank,
            life.fact.key,
        ),
    )
    return LostFacts(
        number,
        counts,
        len(weak),
        len(unsure),
        *apart,
        sum(life.seen(number).outcome == "contradicted" for life in gone),
        sum(life.fact.standing for life in gone),
        sum(life.fact.binds for life in unsure),
        tuple(life.seen(number) for life in worst),
    )


def stale_statement(life: Life, facts: ConversationFacts) -> str:
    """Return the last statement of the same speaker that a lost one replaced and that the list still has, or ""."""
    earlier = [fact for fact in facts.facts if fact.role == life.role and is_replaced(fact, life.fact)]
    if not earlier:
        return ""
    # A fact without fates was never summarized: the list has its message.
    fates = {other.fact.key: other.fates[-1].outcome for other in facts.lives if other.fates}
    stale = [fact for fact in earlier if fates.get(fact.key, "verbatim") in KEPT]
    return max(stale, key=lambda fact: fact.first.step).text if stale else ""
