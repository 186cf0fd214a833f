"""The rules of OpenClaw's compactions, for what-ifs."""

from inspector.engines.base import Marks
from inspector.engines.observed.rules import STAND_IN, Observed
from inspector.stores.pi.profile import KEEPS_AGAIN_FROM

PROFILES = (
    Observed(
        name="openclaw",
        summary="OpenClaw: like pi, with a larger reserve. It compacts at the end of a turn.",
        share=1.0,
        reserve=20_000,
        why_threshold="the window minus a reserve of 20,000 tokens, read in its code. Observed on a window of "
        "200,000: 182,000 tokens started a compaction at the end of a turn, but not within a turn",
        turns_end=True,
        tail_tokens=20_000,
        keeps_crossing=True,
        drops_kept_until=KEEPS_AGAIN_FROM,
        why_tail="20,000 tokens as in pi, but counted by the provider. The estimate mostly counts fewer. Read in the "
        "code of 2026.9.6. Observed. Before 2026-03-26 like pi of that time",
        summary_tokens=2_000,
        why_summary=STAND_IN,
        marks=(
            Marks(
                "Requests have a breakpoint at the last tool, at the part of the system prompt that stays the same, "
                "at the newest message of the user and at the last message. Measured with 2026.9.6 on Anthropic's "
                "API.",
                ("the tools", "the unchanging part of the system prompt"),
                last=1,
                newest_user=True,
            ),
        ),
    ),
)
