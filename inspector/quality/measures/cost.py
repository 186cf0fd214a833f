"""Compression and tokens spent."""

from __future__ import annotations

from inspector.quality.measures.measure import Measure, MeasuredCompaction, Share


def compression_measure(compaction: MeasuredCompaction) -> Measure:
    """Measure how much shorter the list became; below 0 if it became longer. Nothing is known without the list
    before."""
    recorded = compaction.recorded
    if not recorded.before:
        return Measure("compression", recorded.index)
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
    """Measure the tokens that the summary call read and wrote, and the tokens saved. A fallback text counts as 0.
    Nothing is known without the list before."""
    recorded = compaction.recorded
    if not recorded.before:
        return Measure("cost", recorded.index)
    read, wrote = (compaction.middle_tokens, compaction.summary_tokens) if recorded.written else (0, 0)
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
