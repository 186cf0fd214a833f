"""The rules of DeepSeek Harness' compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="dsh",
        summary="DeepSeek Harness: the older part of the list becomes a checkpoint, the newest stays.",
        share=1.0,
        reserve=73_728,
        share_at_most=0.678464,
        why_threshold="0.8 of the window, or the window less the output limit and 65,536 if that is less, as the code "
        "of 0.2.1 has it: 678,464 of the usual window of 1,000,000 with an output of 256,000, and 126,272 of 200,000 "
        "with 8,192. 3 real compactions agree. Long results are shortened first, and that may be enough. Observed",
        tail_tokens=0,
        tail_of_window=0.119,
        why_tail="0.16 of the window less the output limit, with the message that exceeds it and with the call of its "
        "results, as the code of 0.2.1 has it. 2 of 3 real cuts are equal, of the third by one round. Observed",
        keeps_crossing=True,
        keeps_pairs=True,
        shortens=(8_192, 5_159),
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries; the real ones came of a stand-in. Observed",
    ),
)
