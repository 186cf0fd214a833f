"""The rules of pi's compactions, for what-ifs.

The events are 8 compactions in public transcripts.
"""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="pi",
        summary="pi: all but the newest 20,000 tokens become a summary.",
        share=1.0,
        reserve=16_384,
        why_threshold="the window less a reserve of 16,384: 0.87.1 goes on at 183,577 and compacts at 183,578 of "
        "200,000, each plus a short result. Observed on a release that ran. /compact fires by hand",
        tail_tokens=20_000,
        why_tail="the newest messages, including the message that exceeds 20,000; never a result first. Equal to the "
        "function of 0.87.1 on 1,000 random lists. Observed",
        keeps_crossing=True,
        summary_tokens=2_000,
        why_summary="taken to be of the size that the other agents' are; 8 real ones were seen",
    ),
)
