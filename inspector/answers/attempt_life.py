"""A life: all summaries of a conversation from one compaction on made again, each from the previous new summary.

It shows what a summarizer does over many compactions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.answers.attempting import Order, PromptWording, ask_for, counted, recorded_list, sending_of
from inspector.answers.fact_reading import facts_under_summaries, pruned_by
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
    """Instructions for a life: from compaction `first` on, by one summarizer, with one wording.

    `done` has the existing attempts of the life by compaction. `life` is its number, None for a new life.
    """

    summarizer: Summarizer
    wording: PromptWording
    first: int
    budget: int | None = None
    done: Mapping[int, Attempt] = field(default_factory=dict)
    life: int | None = None


def life_of(attempts: Sequence[Attempt], life: int) -> dict[int, Attempt]:
    """Return the finished attempts of a life by compaction, up to the first missing compaction."""
    finished = {
        item.place.compaction: item for item in attempts if item.life == life and item.state == "finished"
    }
    consecutive: dict[int, Attempt] = {}
    for number in sorted(finished):
        if consecutive and number - 1 not in consecutive:
            break
        consecutive[number] = finished[number]
    return consecutive


def life_sending(inspection: Inspection, settings: Settings, order: LifeOrder) -> Sending:
    """Return what a life would send: the first prompt as it is, later prompts estimated with the recorded summaries.

    Raises UsageProblem for an unknown compaction.
    """
    inspection.compaction(order.first)
    masker = Masker(order.wording.masking)
    orders = []
    for recorded in inspection.compactions():
        if recorded.index >= order.first and recorded.index not in order.done:
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
    """Make the missing attempts of a life in order, and return all attempts.

    The first failure ends the life; a later call can continue it there. Raises NotAllowed, and exceptions of `watch`.
    """
    row = inspection.conversation.row
    numbers = [compaction.index for compaction in inspection.compactions() if compaction.index >= order.first]
    life, attempts = order.life, []
    earlier: str | None = None
    for turn, number in enumerate(numbers, 1):
        attempt = order.done.get(number)
        if attempt is None:
            listed = recorded_list(inspection, settings, number)
            ask = ask_for(listed, settings, order.wording, order.budget, earlier)
            label = f"{order.summarizer.name}, compaction {number} ({turn} of {len(numbers)}): characters"
            report = counted(watch, label, 4 * ask.budget)
            attempt = make_attempt(
                kept, ask, order.summarizer, allowance, report, life=life, begins=life is None,
                title=row.title, agent=row.agent,
            )  # fmt: skip
            life = attempt.life
        attempts.append(attempt)
        if attempt.state != "finished":
            break
        earlier = attempt.summary
    return attempts


class CurvePoint(Struct, frozen=True):
    """The facts after a compaction.

    Of the `of` facts with a known fate, `recorded` can be read with the recorded summaries, `made` with the new ones.
    `recorded_tokens` and `tokens` are the rough sizes of the summaries; None for a summary that cannot be read.
    """

    compaction: int
    of: int
    recorded: int
    made: int
    recorded_tokens: int | None
    tokens: int


def life_curve(
    inspection: Inspection, settings: Settings, life: Mapping[int, Attempt]
) -> tuple[CurvePoint, ...]:
    """Return the survival of facts over a life with recorded and with new summaries.

    Facts with an unknown fate are left out.
    """
    recorded = {item.index: item for item in inspection.compactions() if item.index in life}
    pruned = pruned_by(inspection, settings)
    summaries = {index: item.summary or "" for index, item in recorded.items()}
    new_summaries = {index: life[index].summary for index in recorded}
    recorded_facts, new_facts = facts_under_summaries(inspection, (summaries, new_summaries), pruned)
    points = []
    for number in recorded:
        before, after = _fates_at(recorded_facts, number), _fates_at(new_facts, number)
        both = [key for key, fate in before.items() if fate.settled and key in after and after[key].settled]
        recorded_alive = sum(before[key].alive for key in both)
        new_alive = sum(after[key].alive for key in both)
        size = text_tokens(len(summaries[number])) if summaries[number] else None
        points.append(CurvePoint(number, len(both), recorded_alive, new_alive, size, life[number].tokens))
    return tuple(points)


def _fates_at(facts: ConversationFacts, compaction: int) -> dict[str, Fate]:
    """Return the fate of each fact taken until a compaction, after this compaction."""
    latest: dict[str, Life] = {life.fact.key: life for life in facts.lives if life.compaction <= compaction}
    fates = {key: life.fate_at(compaction) for key, life in latest.items()}
    return {key: fate for key, fate in fates.items() if fate is not None}
