"""The rules of GitHub Copilot CLI's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="copilot",
        summary="GitHub Copilot CLI: one message with the user's words and a summary takes the place of all before.",
        share=0.8,
        reserve=0,
        why_threshold="the real program was run: on a window of 200,000, 144,000 did not fire and 163,500 did; "
        "0.8 fits. Observed, not read in code. /compact fires by hand",
        tail_tokens=0,
        why_tail="the summary is written while one more request is sent; its answer stays with its results. Observed: "
        "7 of 7 real cuts are equal",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
        keeps_user=20_000,
        keeps_call=True,
        background=True,
    ),
)
