"""Compression achieved, and what it cost."""

from __future__ import annotations

from inspector.quality.measures.measure import Measure, MeasuredCompaction, Share


def compression_measure(compaction: MeasuredCompaction) -> Measure:
    """How much shorter the list got. Below 0 where it got longer."""
    recorded = compaction.recorded
    before, after = recorded.tokens_before, recorded.tokens_after
    parts = []
    if compaction.middle_tokens:
        parts.append(
            ("middle", Share(compaction.middle_tokens - compaction.summary_tokens, compaction.middle_tokens))
        )
    return Measure(
        "compression",
        recorded.index,
        Share(before - after, before) if before > 0 else None,
        parts=tuple(parts),
        numbers=(
            ("before", before),
            ("after", after),
            ("middle", compaction.middle_tokens),
            ("summary", compaction.summary_tokens),
        ),
    )


def cost_measure(compaction: MeasuredCompaction) -> Measure:
    """What the summary call read and wrote, and what that saved. A fallback text cost nothing that is known."""
    recorded = compaction.recorded
    written = recorded.summary is not None and not recorded.fallback
    read, wrote = (compaction.middle_tokens, compaction.summary_tokens) if written else (0, 0)
    return Measure(
        "cost",
        recorded.index,
        numbers=(
            ("input", read),
            ("output", wrote),
            ("spent", read + wrote),
            ("saved", recorded.tokens_before - recorded.tokens_after),
        ),
    )
