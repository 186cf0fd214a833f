"""The rules of OpenHands' condensations, for what-ifs."""

from inspector.engines.observed.rules import STAND_IN, Observed

PROFILES = (
    Observed(
        name="openhands",
        summary="OpenHands: it compacts after a number of events. The first message and the newest half stay.",
        share=0.8,
        reserve=0,
        why_threshold="it counts events (240 by default), not tokens. This is not modelled: 0.8 of the window is "
        "assumed. Observed with 12 events",
        tail_tokens=0,
        keeps_head=1,
        keeps_half=True,
        why_tail="half as many events stay as are allowed, with the system prompt, the first message and the "
        "summary. Observed: equal in 3 real condensations",
        summary_tokens=2_000,
        why_summary=STAND_IN,
    ),
)
