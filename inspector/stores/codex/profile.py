"""The rules of Codex's compactions, for what-ifs.

The events are 81 compactions of 0.125 to 0.146, and 26 of 0.64 to 0.144, in public transcripts.
"""

from inspector.engines.base import Limits, Marks
from inspector.engines.observed.rules import Observed


def _written(limits: Limits) -> tuple[str, str]:
    return "config.toml", f"model_auto_compact_token_limit = {limits.threshold}  # {limits.comment}\n"


PROFILES = (
    Observed(
        name="codex",
        summary="Codex: messages of the user stay word for word. The rest becomes a summary that only the provider "
        "can read.",
        share=0.90 / 0.95,
        reserve=0,
        why_threshold="90% of the model's window; a session records 95% of it. To the size that it reports, Codex adds "
        "the last results and the reasoning before the user's last message, at 1.22 times its tokens. Observed on "
        "0.169.0: 244,700 tokens did not start a compaction, 244,900 did. 24 of 26 real compactions of 0.64 to 0.144 "
        "come at 98% of the threshold or more. model_auto_compact_token_limit has priority",
        reasoning=1.22,
        tail_tokens=0,
        why_tail="the new list has only messages of the user and the developer. Observed in 75 real compactions. The "
        "newest messages of the user stay, up to 20,000 tokens. Read in its source. The instructions of the "
        "developer at the start stay too, in 28 of 31 real compactions. Observed",
        summary_tokens=3_000,
        why_summary="the new list has some 14,000 tokens, with the user's messages. The summary itself cannot be "
        "read. Observed",
        keeps_user=20_000,
        keeps_context=True,
        marks=(Marks("Requests have no breakpoints; the provider caches by itself. Observed on 0.169.0."),),
        written=_written,
    ),
)
