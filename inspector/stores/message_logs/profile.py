"""The rules of Anthropic's compaction API, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="anthropic-api",
        summary="Anthropic's compaction API: at a number of input tokens, a summary replaces all earlier messages.",
        share=0.0,
        reserve=-150_000,
        why_threshold="150,000 input tokens by default, and at least 50,000 (compact_20260112). Read in its "
        "documentation. Observed in no session",
        tail_tokens=0,
        why_tail="messages before the last compaction block are dropped. Read in its documentation. Not seen",
        summary_tokens=3_000,
        why_summary="assumed to be as long as Claude Code's summaries. Observed in no session",
    ),
)
