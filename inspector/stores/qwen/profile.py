"""The rules of Qwen Code's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="qwen",
        summary="Qwen Code: the list becomes a summary with files read lately; the open call stays.",
        share=1.0,
        reserve=33_000,
        share_at_most=0.85,
        why_threshold="0.85 of the window, or 33,000 less than the window where that is less, as its code has it; on a "
        "window of 200,000, 150,300 did not fire and 168,500 did. Observed. /compress fires by hand",
        tail_tokens=0,
        keeps_call=True,
        why_tail="in 3 real compactions the open call with its result stayed, and files came back: at most 5 of 5,000 "
        "tokens. Observed",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
    ),
)
