"""The rules of goose's compactions, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="goose",
        summary="goose: the list becomes a summary. The newest message of the user stays.",
        share=0.8,
        reserve=0,
        why_threshold="more than 0.8 of the window, read in its code. GOOSE_AUTO_COMPACT_THRESHOLD changes it. Not "
        "seen. /compact starts a manual compaction",
        tail_tokens=0,
        why_tail="the newest message of the user follows the summary again. Read in its code. Not seen",
        summary_tokens=2_000,
        why_summary="assumed to be as long as other agents' summaries. Not seen",
        keeps_question=True,
    ),
)
