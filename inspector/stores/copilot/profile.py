"""The rules of GitHub Copilot CLI's compactions, for what-ifs."""

from inspector.engines.observed.rules import STAND_IN, Observed

PROFILES = (
    Observed(
        name="copilot",
        summary="GitHub Copilot CLI: one message with the user's words and a summary replaces all earlier messages.",
        share=0.8,
        reserve=0,
        why_threshold="0.8 of the window. Observed on a window of 200,000: 144,000 tokens did not start a "
        "compaction, 163,500 did; two real ones started at 160,095 and 160,540. One on a window of 128,000 started at "
        "112,275. Not read in code. /compact starts a manual compaction",
        tail_tokens=0,
        why_tail="the summary is written while one more request is sent. The answer to that request stays with its "
        "results. Observed: 7 of 7 real tails are equal",
        summary_tokens=2_000,
        why_summary=STAND_IN,
        keeps_user=20_000,
        keeps_call=True,
        background=True,
        counts_tools=True,
    ),
)
