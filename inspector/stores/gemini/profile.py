"""The rules of Gemini CLI's compactions, for what-ifs."""

from inspector.engines.base import Marks
from inspector.engines.observed.rules import STAND_IN, Observed

PROFILES = (
    Observed(
        name="gemini",
        summary="Gemini CLI: the older part of the list becomes a snapshot of the state. The newest part stays.",
        share=0.5,
        reserve=0,
        why_threshold="half of the window, read in its code. Observed on a window of 1,048,576: 471,859 tokens did "
        "not start a compaction, 525,788 did. `model.compressionThreshold` changes the threshold. "
        "/compact starts a manual compaction",
        tail_tokens=0,
        tail_of_window=1.0,
        tail_share=0.3,
        begins_with_user=True,
        why_tail="the newest 0.3 of the list's characters, from a message of the user on. Read in its code. It also "
        "cuts tool results to 50,000 tokens in all, which is not modelled. Observed in 2 real compactions",
        summary_tokens=2_000,
        why_summary=STAND_IN,
        marks=(Marks("Requests have no breakpoints; the provider caches by itself. Observed on 0.61.0."),),
    ),
)
