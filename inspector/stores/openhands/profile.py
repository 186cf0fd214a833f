"""The rules of OpenHands' condensations, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="openhands",
        summary="OpenHands: a number of events fires, the first message and the newest half stay.",
        share=0.8,
        reserve=0,
        why_threshold="it counts events (240 by default), not tokens, which is not modelled: 0.8 of the window is "
        "taken. Observed with 12 events",
        tail_tokens=0,
        keeps_head=1,
        keeps_half=True,
        why_tail="with the system prompt, the first message and the summary, half as many events stay as may be: equal "
        "in 3 real condensations. Observed",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
    ),
)
