"""The rules of Anthropic's compaction API, for what-ifs."""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="anthropic-api",
        summary="Anthropic's compaction API: from a number of input tokens on, a summary replaces all before.",
        share=0.0,
        reserve=-150_000,
        why_threshold="150,000 input tokens by default and at least 50,000 (compact_20260112), as its documents say. "
        "Documented; Observed in no session",
        tail_tokens=0,
        why_tail="messages before the last compaction block are dropped, as its documentation says. Not seen",
        summary_tokens=3_000,
        why_summary="taken to be of the size of Claude Code's summaries. Observed in no session",
    ),
)
