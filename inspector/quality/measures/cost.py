"""Compression, pruning of the kept messages, and tokens spent."""

from __future__ import annotations

from inspector.core.messages import Message
from inspector.quality.measures.measure import Evidence, Measure, MeasuredCompaction, Share


def compression_measure(compaction: MeasuredCompaction) -> Measure:
    """Measure how much shorter the list became; below 0 if it became longer."""
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
    """Measure the tokens that the summary call read and wrote, and the tokens saved. A fallback text counts as 0."""
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


def pruned_measure(compaction: MeasuredCompaction) -> Measure:
    """Measure the kept messages whose results or arguments pruning shortened.

    The message into which a summary was merged is longer, and does not count.
    """
    recorded, before, after = compaction.recorded, compaction.before, compaction.after
    shift = recorded.tail_after - recorded.tail_start
    copies = [(at, at) for at in range(min(recorded.head_end, recorded.head_after))]
    copies += [(at, at + shift) for at in range(recorded.tail_start, len(before))]
    stayed = [(old, new) for old, new in copies if new < len(after) and new != recorded.summary_at]
    evidence = tuple(
        Evidence(
            before[old].text or "; ".join(call.name for call in before[old].tool_calls),
            False,
            compaction.place(old),
            compaction.place_after(new),
            compaction.region(new),
            "",
            before[old].role,
        )
        for old, new in stayed
        if _length(after[new]) < _length(before[old])
    )
    return Measure(
        "stayed-pruned",
        recorded.index,
        Share(len(evidence), len(stayed)) if stayed else None,
        evidence=evidence,
    )


def _length(message: Message) -> int:
    return len(message.text) + sum(len(call.arguments) for call in message.tool_calls)
