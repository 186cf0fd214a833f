"""The rules of Kimi CLI's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="kimi",
        summary="Kimi CLI: the list becomes a summary, the last two messages stay with their results.",
        share=1.0,
        reserve=50_000,
        share_at_most=0.85,
        why_threshold="50,000 tokens less than the window, or 0.85 of it, whichever is less, as its code has it; on a "
        "window of 200,000, 135,000 did not fire and 151,500 did. Observed. /compact fires by hand",
        tail_tokens=0,
        keeps_last=2,
        why_tail="3 real compactions kept the last 2 messages of user and model with results. Observed",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
    ),
)
