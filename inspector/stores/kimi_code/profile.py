"""The rules of Kimi Code's compactions, for what-ifs."""

from inspector.engines.observed.rules import STAND_IN, Observed

PROFILES = (
    Observed(
        name="kimi-code",
        summary="Kimi Code: messages of the user stay word for word. The rest becomes a summary.",
        share=1.0,
        reserve=50_000,
        share_at_most=0.85,
        why_threshold="0.85 of the window, or the window minus 50,000 tokens if that is smaller. Read in its code. "
        "Observed on 2.1.0 with a window of 200,000: 135,000 tokens did not start a compaction, 151,500 did. "
        "compaction_trigger_ratio and reserved_context_size in config.toml change it. "
        "/compact starts a manual compaction",
        tail_tokens=0,
        why_tail="the new list has only messages of the user, up to 20,000 tokens: all of them, or the newest 18,000 "
        "and the oldest 2,000 tokens. Read in its code. Observed in 16 real compactions of 0.25 to 2.1; 0.20 kept the "
        "newest messages. In a what-if the newest 20,000 tokens stay",
        summary_tokens=2_000,
        why_summary=STAND_IN,
        keeps_user=20_000,
    ),
)
