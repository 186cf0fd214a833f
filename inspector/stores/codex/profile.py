"""The rules of Codex's compactions, for what-ifs.

The events are 81 compactions of 0.125 to 0.146 in public transcripts.
"""

from inspector.engines.observed.rules import Observed

PROFILES = (
    Observed(
        name="codex",
        summary="Codex: messages of the user stay word for word, the rest becomes a summary that only the provider "
        "reads.",
        share=0.90 / 0.95,
        reserve=0,
        why_threshold="90% of the model's window; the session records 95% of it: gpt-5.5 of 0.169.0 goes on at "
        "244,700 and compacts at 244,900. 75 earlier events were at 188,000 to 250,000 of a window of 258,400. "
        "Measured on a release that ran; model_auto_compact_token_limit has priority, /compact fires by hand",
        tail_tokens=0,
        why_tail="the new list has only messages of the user and the developer, as 75 real events show; of the "
        "user's messages the newest that fit into 20,000 tokens, read in its source",
        summary_tokens=3_000,
        why_summary="some 14,000 tokens are left with what the user wrote; the summary itself cannot be read. Observed",
        keeps_user=20_000,
    ),
)
