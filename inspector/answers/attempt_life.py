"""A life: every later summary of a conversation made again, each from the previous new one.

It shows what a summarizer does over many compactions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.attempting import Order, Wording, ask_for, counted, recorded_list, sending_of
from inspector.answers.fact_reading import facts_with, pruned_by
from inspector.answers.inspection import Inspection
from inspector.core.errors import UsageProblem
from inspector.core.rough import text_tokens
from inspector.core.watching import OnProgress
from inspector.engines.base import Settings
from inspector.models.attempt import Attempt
from inspector.models.consent import Allowance, Sending
from inspector.models.kept import KeptAttempts
from inspector.models.making import make_attempt
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer
from inspector.quality.facts.fact import ConversationFacts, Fate, Life


class LifeOrder(Struct, frozen=True):
    """A life that is to be made: from compaction `first` on, by one summarizer, worded alike. `done` are the attempts
    of it that are there already, by compaction; `life` is its number, None for a new one."""

    summarizer: Summarizer
    wording: Wording
    first: int
    budget: int | None = None
    done: Mapping[int, Attempt] | None = None
    life: int | None = None

    def known(self, compaction: int) -> Attempt | None:
        """The attempt that is there already."""
        return (self.done or {}).get(compaction)


def life_of(attempts: Sequence[Attempt], life: int) -> dict[int, Attempt]:
    """The finished attempts of a life by compaction, up to the first that is missing."""
    mine = {one.place.compaction: one for one in attempts if one.life == life and one.state == "finished"}
    whole: dict[int, Attempt] = {}
    for number in sorted(mine):
        if whole and number - 1 not in whole:
            break
        whole[number] = mine[number]
    return whole


def life_sending(inspection: Inspection, settings: Settings, order: LifeOrder) -> Sending:
    """Return what a life would send: the first prompt as it is, later prompts estimated with the recorded summaries.

    Raises UnknownConversation for an unknown compaction.
    """
    inspection.compaction(order.first)
    masker = Masker(order.wording.masking)
    orders = []
    for recorded in inspection.compactions():
        if recorded.index >= order.first and order.known(recorded.index) is None:
            listed = recorded_list(inspection, settings, recorded.index)
            ask = ask_for(listed, settings, order.wording, order.budget, masker=masker)
            orders.append(Order(ask, order.summarizer))
    if not orders:
        raise UsageProblem(f"Every summary from compaction {order.first} on is already made again.")
    return replace(sending_of(orders, masker), growing=len(orders) > 1)


def make_life(
    inspection: Inspection,
    settings: Settings,
    order: LifeOrder,
    kept: KeptAttempts,
    allowance: Allowance,
    watch: OnProgress,
) -> list[Attempt]:
    """Make every attempt of a life that is not there yet, in order; it ends at the first that fails, and can be taken
    up there later. Raises NotAllowed, and what `watch` raises."""
    row = inspection.conversation.row
    numbers = [compaction.index for compaction in inspection.compactions() if compaction.index >= order.first]
    life, made = order.life, []
    earlier: str | None = None
    for turn, number in enumerate(numbers, 1):
        attempt = order.known(number)
        if attempt is None:
            listed = recorded_list(inspection, settings, number)
            ask = ask_for(listed, settings, order.wording, order.budget, earlier)
            what = f"{order.summarizer.name}, compaction {number} ({turn} of {len(numbers)}): characters"
            told = counted(watch, what, 4 * ask.budget)
            attempt = make_attempt(
                kept, ask, order.summarizer, allowance, told, life=life, begins=life is None,
                title=row.title, agent=row.agent,
            )  # fmt: skip
            life = attempt.life
        made.append(attempt)
        if attempt.state != "finished":
            break
        earlier = attempt.summary
    return made


class CurvePoint(Struct, frozen=True):
    """The state after a compaction: the number of facts taken until then with a known fate, and the numbers that can be
    read with the recorded and with the new summaries.

    `recorded_tokens` and `tokens` are the rough sizes of the summaries.
    """

    compaction: int
    of: int
    recorded: int
    made: int
    recorded_tokens: int
    tokens: int


def life_curve(
    inspection: Inspection, settings: Settings, life: Mapping[int, Attempt]
) -> tuple[CurvePoint, ...]:
    """Return the survival over the compactions of a life, recorded and made again, of the facts with both fates
    known."""
    recorded = {one.index: one for one in inspection.compactions() if one.index in life}
    pruned = pruned_by(inspection, settings)
    own = {index: one.summary or "" for index, one in recorded.items()}
    again = {index: life[index].summary for index in recorded}
    theirs, made = facts_with(inspection, (own, again), pruned)
    points = []
    for number in recorded:
        before, after = _fates_at(theirs, number), _fates_at(made, number)
        both = [key for key, fate in before.items() if fate.settled and key in after and after[key].settled]
        kept = sum(before[key].alive for key in both)
        still = sum(after[key].alive for key in both)
        size = text_tokens(len(own[number]))
        points.append(CurvePoint(number, len(both), kept, still, size, life[number].tokens))
    return tuple(points)


def _fates_at(facts: ConversationFacts, compaction: int) -> dict[str, Fate]:
    """Return the fate of each fact taken until a compaction, after this compaction."""
    latest: dict[str, Life] = {life.fact.key: life for life in facts.lives if life.compaction <= compaction}
    found = {key: life.fate_at(compaction) for key, life in latest.items()}
    return {key: fate for key, fate in found.items() if fate is not None}
