"""The rules of goose's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="goose",
        summary="goose: the list becomes a summary, the newest message of the user stays.",
        share=0.8,
        reserve=0,
        why_threshold="more than 0.8 of the window, as its code has it; GOOSE_AUTO_COMPACT_THRESHOLD changes it. Not "
        "seen. /compact fires by hand",
        tail_tokens=0,
        why_tail="the newest message of the user is said again after the summary, as its code has it. Not seen",
        summary_tokens=2_000,
        why_summary="taken to be of the size of other agents' summaries. Not seen",
        keeps_question=True,
    ),
)
