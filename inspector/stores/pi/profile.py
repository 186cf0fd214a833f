"""The rules of pi's compactions, for what-ifs.

The events are 8 compactions in public transcripts.
"""

import json

from msgspec.structs import replace

from inspector.engines.base import Limits, Marks
from inspector.engines.observed.rules import Observed

#: The date from which pi keeps a message again that the previous compaction kept: 2026-03-26, from its source code.
KEEPS_AGAIN_FROM = 1_774_483_200.0


def _written(limits: Limits) -> tuple[str, str]:
    window, tail = limits.settings.context_length, limits.settings.tail_tokens
    keys = {"reserveTokens": window - limits.threshold}
    if tail is not None:
        keys["keepRecentTokens"] = tail
    comment = f"// {limits.comment} of a window of {window:,} (leave this line out)"
    return "settings.json", f"{comment}\n{json.dumps({'compaction': keys})}\n"


_NEWEST = Observed(
    name="pi",
    summary="pi 0.84.4 and later: all but the newest 20,000 tokens become a summary.",
    share=1.0,
    reserve=16_384,
    why_threshold="the window minus a reserve of 16,384 tokens. Observed on 0.87.1 with a window of 200,000: "
    "183,577 tokens and a short result did not start a compaction, 183,578 did. /compact starts a manual compaction",
    tail_tokens=20_000,
    why_tail="the newest messages, including the message that exceeds 20,000 tokens, but never a result first. "
    "Observed: equal to the functions of 0.87.1 and 1.6.0 on 1,000 random lists",
    keeps_crossing=True,
    summary_tokens=2_000,
    why_summary="assumed to be as long as other agents' summaries; 8 real summaries were seen",
    marks=(
        Marks(
            "Requests have a breakpoint at the last tool, at the system prompt and at the last message. Measured with "
            "0.87.1 on Anthropic's API.",
            ("the tools", "the system prompt"),
            last=1,
        ),
    ),
    written=_written,
)
PROFILES = (
    _NEWEST,
    replace(
        _NEWEST,
        name="pi-0.84",
        summary="pi up to 0.84.0: like later releases, but it compacts only at the end of a turn.",
        why_threshold="the window minus a reserve of 16,384 tokens, at the end of a turn. Observed on 0.30.2 to 0.84.0 "
        "with a window of 200,000: 185,616 tokens within a turn did not start a compaction. Read in the code of "
        "0.80.10. /compact starts a manual compaction",
        turns_end=True,
        drops_kept_until=KEEPS_AGAIN_FROM,
        why_tail=f"{_NEWEST.why_tail}. Before 2026-03-26, a message that the previous "
        "compaction kept does not stay again: seen in 12 cuts in public transcripts of OpenClaw",
        agent="pi",
        until=(0, 84, 0),
        since=(0, 30, 2),
    ),
)
