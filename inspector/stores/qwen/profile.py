"""The rules of Qwen Code's compactions, for what-ifs."""

from inspector.engines.observed.rules import STAND_IN, Observed

PROFILES = (
    Observed(
        name="qwen",
        summary="Qwen Code: the list becomes a summary with files that it read lately. The open call stays.",
        share=1.0,
        reserve=33_000,
        share_at_most=0.85,
        why_threshold="0.85 of the window, or the window minus 33,000 tokens if that is smaller. Read in its code. "
        "Observed on a window of 200,000: 150,300 tokens did not start a compaction, 168,500 did. "
        "/compress starts a manual compaction",
        tail_tokens=0,
        keeps_call=True,
        why_tail="the open call stays with its result, and at most 5 files of 5,000 tokens come back. Observed in 3 "
        "real compactions",
        summary_tokens=2_000,
        why_summary=STAND_IN,
    ),
)
