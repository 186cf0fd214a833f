"""The rules of Kimi CLI's compactions, for what-ifs."""

from inspector.engines.observed.rules import STAND_IN, Observed

PROFILES = (
    Observed(
        name="kimi",
        summary="Kimi CLI: the list becomes a summary. The last two messages stay with their results.",
        share=1.0,
        reserve=50_000,
        share_at_most=0.85,
        why_threshold="0.85 of the window, or the window minus 50,000 tokens if that is smaller. Read in its code. "
        "Observed on a window of 200,000: 135,000 tokens did not start a compaction, 151,500 did. "
        "/compact starts a manual compaction",
        tail_tokens=0,
        keeps_last=2,
        why_tail="the last 2 messages of user and model stay with their results. Observed in 3 real compactions",
        summary_tokens=2_000,
        why_summary=STAND_IN,
    ),
)
