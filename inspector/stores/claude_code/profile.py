"""The rules of Claude Code's compactions, for what-ifs.

The events are 102 compactions of 2.0.8 to 2.1.232 in public transcripts.
"""

from msgspec.structs import replace

from inspector.engines.base import Limits, Marks
from inspector.engines.observed.rules import Observed

_PROMPT = "the first line of the system prompt, with the tools before it", "the system prompt"
_MARKS = (
    Marks(
        "Requests have two breakpoints in the system prompt and one at each of the last two messages. Measured with "
        "2.0.76 to 2.1.68 on Anthropic's API.",
        _PROMPT,
        last=2,
        until=(2, 1, 68),
    ),
    Marks(
        "Requests have two breakpoints in the system prompt (2.1.90 has one) and one at the last message. Measured "
        "with 2.1.69 to 2.1.331 on Anthropic's API.",
        _PROMPT,
        last=1,
    ),
)


def _written(limits: Limits) -> tuple[str, str]:
    lines = (
        f"# {limits.comment}: Claude Code leaves {limits.reserve:,} tokens of this window free",
        f"export CLAUDE_CODE_AUTO_COMPACT_WINDOW={limits.threshold + limits.reserve}",
    )
    return "the environment of Claude Code", "\n".join(lines) + "\n"


_NEWEST = Observed(
    name="claude-code",
    summary="Claude Code 2.1.217 and later: the list becomes a summary of nine sections. The last answer stays.",
    share=1.0,
    reserve=33_000,
    why_threshold="the window minus 33,000 tokens. Observed on 2.1.331 with a window of 200,000: 166,854 tokens did "
    "not start a compaction, 166,913 did; after a single answer, 176,991 did. 42 real compactions of 2.1.25 and "
    "later started at 167,038 tokens or more. Not read in code. /compact starts a manual compaction",
    tail_tokens=0,
    why_tail="the last answer with its results. Observed: 2.1.331 sends them after an automatic compaction. Nothing "
    "stays after a compaction that the API forced",
    summary_tokens=3_000,
    why_summary="97 real summaries have 4,200 to 24,500 characters; the median is 12,000. Observed",
    keeps_answer=True,
    marks=_MARKS,
    written=_written,
)
_2_1 = replace(
    _NEWEST,
    name="claude-code-2.1.216",
    summary="Claude Code 2.1.21 to 2.1.216: the whole list becomes a summary. Files that it read come back.",
    why_threshold="the window minus 33,000 tokens. 42 real compactions of 2.1.25 and later on windows of 200,000 "
    "started at 167,038 tokens or more. Observed, not read in code. /compact starts a manual compaction",
    why_tail="no message stays after 92 of 97 boundaries. Observed",
    keeps_answer=False,
    agent="claude-code",
    until=(2, 1, 216),
    since=(2, 1, 25),
)
_2_0 = replace(
    _2_1,
    name="claude-code-2.1.20",
    summary="Claude Code up to 2.1.20: like the next releases, but it compacts 12,000 tokens earlier.",
    reserve=45_000,
    why_threshold="the window minus 45,000 tokens. 45 real compactions of 2.0.8 to 2.1.20 on windows of 200,000 "
    "started at 155,031 tokens or more. The same reserve is assumed for other windows. Observed, not read in "
    "code. /compact starts a manual compaction",
    agent="claude-code",
    until=(2, 1, 20),
    since=(2, 0, 8),
)

PROFILES = (_NEWEST, _2_1, _2_0)
