"""All measures of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from inspector.core.conversations import Compaction
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.measures.cost import compression_measure, cost_measure
from inspector.quality.measures.definitions import DEFINITIONS
from inspector.quality.measures.measure import Measure, MeasuredCompaction, Share, total
from inspector.quality.measures.survival import survival_measures


class ConversationMeasures(Struct, frozen=True):
    """Every measure of every compaction, by compaction and in the order of DEFINITIONS."""

    measures: tuple[Measure, ...] = ()

    def of(self, compaction: int) -> tuple[Measure, ...]:
        """Return the measures of a compaction."""
        return tuple(measure for measure in self.measures if measure.compaction == compaction)

    def curve(self, identity: str) -> tuple[Measure, ...]:
        """Return one measure of all compactions."""
        return tuple(measure for measure in self.measures if measure.id == identity)

    def whole(self, identity: str) -> tuple[Share | None, Mapping[str, int]]:
        """Return one measure of the whole conversation: (share, tokens by name).

        The share sums all compactions. Survival counts every fact after each compaction, so its share is that of the
        last one.
        """
        curve = self.curve(identity)
        numbers: dict[str, int] = {}
        for measure in curve:
            for name, tokens in measure.numbers:
                numbers[name] = numbers.get(name, 0) + tokens
        share = (
            curve[-1].share if curve and identity.startswith("survival-") else total(m.share for m in curve)
        )
        return share, numbers


def measures_of(
    compactions: Iterable[MeasuredCompaction], facts: ConversationFacts | None = None
) -> ConversationMeasures:
    """Measure every compaction, oldest first. Survival needs the facts."""
    measured = list(compactions)
    measures = [
        measure
        for compaction in measured
        for measure in (compression_measure(compaction), cost_measure(compaction))
    ]
    if facts is not None:
        measures += survival_measures(facts, [compaction.recorded.index for compaction in measured])
    encrypted = {one.recorded.index: one.recorded for one in measured if one.recorded.encrypted}
    return ConversationMeasures(
        _ordered(
            [
                _after_encrypted(measure, encrypted[measure.compaction])
                if measure.compaction in encrypted
                else measure
                for measure in measures
            ]
        )
    )


def _after_encrypted(measure: Measure, recorded: Compaction) -> Measure:
    """Return a measure after an encrypted summary: evidence for facts that stayed word for word, without a share.

    Sizes are the sizes that the agent reported.
    """
    read = tuple(entry for entry in measure.evidence if entry.is_kept)
    before, after = recorded.tokens_before_reported, recorded.tokens_after_reported
    share = None
    if measure.id == "compression" and before and after is not None:
        share = Share(before - after, before)
    return Measure(measure.id, measure.compaction, share, evidence=read)


def _ordered(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    order = {identity: at for at, identity in enumerate(DEFINITIONS)}
    return tuple(sorted(measures, key=lambda measure: (measure.compaction, order[measure.id])))
