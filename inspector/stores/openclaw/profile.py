"""The rules of OpenClaw's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="openclaw",
        summary="OpenClaw: as pi, with a larger reserve; it compacts at the end of a turn.",
        share=1.0,
        reserve=20_000,
        why_threshold="the window less a reserve of 20,000, as its code has it; on a window of 200,000, 182,000 at the "
        "end of a turn fired, within a turn it did not. Observed",
        turns_end=True,
        tail_tokens=20_000,
        keeps_crossing=True,
        why_tail="it keeps 20,000 tokens as pi does, but as the provider counts them, mostly fewer by the estimate, as "
        "the code of 2026.9.6 has it. Observed",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real one came of a stand-in. Observed",
    ),
)
