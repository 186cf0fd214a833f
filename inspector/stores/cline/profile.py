"""The rules of Cline's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="cline",
        summary="Cline: all but the newest 20,000 tokens become a summary.",
        share=0.9,
        reserve=0,
        why_threshold="0.9 of the window, read in its code. It compares its own estimate. Compactions were not seen. "
        "Observed with a limit of 60,000: 56,000 reported tokens did not start a compaction",
        tail_tokens=20_000,
        why_tail="20,000 tokens, read in its code. Not seen",
        summary_tokens=2_000,
        why_summary="assumed to be as long as other agents' summaries. Not seen",
    ),
)
