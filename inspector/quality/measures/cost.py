"""Compression achieved, and what it cost."""

from __future__ import annotations

from inspector.quality.measures.values import Measure, Passage, Share


def compression_measure(passage: Passage) -> Measure:
    """How much shorter the list got. Below 0 where it got longer."""
    recorded = passage.recorded
    before, after = recorded.tokens_before, recorded.tokens_after
    parts = []
    if passage.middle_tokens:
        parts.append(("middle", Share(passage.middle_tokens - passage.summary_tokens, passage.middle_tokens)))
    return Measure(
        "compression",
        recorded.index,
        Share(before - after, before) if before > 0 else None,
        parts=tuple(parts),
        numbers=(
            ("before", before),
            ("after", after),
            ("middle", passage.middle_tokens),
            ("summary", passage.summary_tokens),
        ),
    )


def cost_measure(passage: Passage) -> Measure:
    """What the summary call read and wrote, and what that saved. A fallback text cost nothing that is known."""
    recorded = passage.recorded
    written = recorded.summary is not None and not recorded.fallback
    read, wrote = (passage.middle_tokens, passage.summary_tokens) if written else (0, 0)
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
