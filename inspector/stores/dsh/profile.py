"""The rules of DeepSeek Harness' compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="dsh",
        summary="DeepSeek Harness: the older part of the list becomes a checkpoint, the newest stays.",
        share=0.8,
        reserve=0,
        why_threshold="its thresholdRatio is 0.8; on a window of 200,000, 128,000 did not fire and 144,000 with a "
        "result of 5,200 more did, for a reason that was not looked into. Observed",
        tail_tokens=0,
        tail_of_window=0.16,
        why_tail="its retainRatio is 0.16 of the window; 3 real compactions kept a tail of the size that was set. "
        "Observed",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
    ),
)
