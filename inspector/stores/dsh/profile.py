"""The rules of DeepSeek Harness' compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="dsh",
        summary="DeepSeek Harness: the older part of the list becomes a checkpoint, the newest stays.",
        share=0.8,
        reserve=65_536,
        reserves_output=True,
        why_threshold="0.8 of the window, as the code of 0.2.1 has it. Long results are shortened first, and that may "
        "be enough. Observed: 4 of 4 recorded places agree",
        tail_tokens=0,
        tail_of_window=0.16,
        why_tail="0.16 of the window less the output limit, with the message that reaches it and with the call of its "
        "results, as the code of 0.2.1 has it. Observed: 3 of 3 real cuts are equal",
        keeps_crossing=True,
        keeps_pairs=True,
        around=4,
        shortens=(8_192, 5_159),
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
    ),
)
