"""The rules of DeepSeek Harness' compactions, for what-ifs."""

from inspector.engines.observed.rules import STAND_IN, Observed

PROFILES = (
    Observed(
        name="dsh",
        summary="DeepSeek Harness: the older part of the list becomes a checkpoint. The newest part stays.",
        share=0.8,
        reserve=65_536,
        reserves_output=True,
        why_threshold="0.8 of the window, read in the code of 0.2.1. Long results are shortened first, and that may "
        "be enough. Observed: 4 of 4 recorded compactions agree",
        tail_tokens=0,
        tail_of_window=0.16,
        why_tail="0.16 of the window minus the output limit. The message that exceeds it stays too, and so does the "
        "call of results at the start. Read in the code of 0.2.1. Observed: 3 of 3 real tails are equal",
        keeps_crossing=True,
        keeps_pairs=True,
        around=4,
        shortens=(8_192, 5_159),
        summary_tokens=2_000,
        why_summary=STAND_IN,
    ),
)
