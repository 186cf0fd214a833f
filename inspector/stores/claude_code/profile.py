"""The rules of Claude Code's compactions, for what-ifs.

The events are 99 compactions of 2.0.76 to 2.1.232 in public transcripts.
"""

from msgspec.structs import replace

from inspector.engines.observed.rules import Observed

_NEWEST = Observed(
    name="claude-code",
    summary="Claude Code from 2.1.217 on: the list becomes a summary of nine sections, the last answer stays.",
    share=1.0,
    reserve=33_000,
    why_threshold="the window less 33,000: 2.1.331 goes on at 166,854 and compacts at 166,913 of 200,000, and after a "
    "single answer at 176,991; 42 real events of 2.1.25 and later come at 167,038 or more. Observed, not read in code. "
    "/compact fires by hand",
    tail_tokens=0,
    why_tail="the last answer with its results, as 2.1.331 sends it after an automatic compaction; after one that the "
    "API forced nothing stays. Observed",
    summary_tokens=3_000,
    why_summary="97 real summaries of 4,200 to 24,500 characters, the median 12,000. Observed",
    keeps_answer=True,
)
_2_1 = replace(
    _NEWEST,
    name="claude-code-2.1",
    summary="Claude Code 2.1.21 to 2.1.216: the whole list becomes a summary; files it read come back.",
    why_threshold="42 real events of 2.1.25 and later on windows of 200,000, the least at 167,038. Observed, not read "
    "in code. /compact fires by hand",
    why_tail="92 of 97 boundaries name no message that stays. Observed",
    keeps_answer=False,
    agent="claude-code",
    until=(2, 1, 216),
)
_2_0 = replace(
    _2_1,
    name="claude-code-2.0",
    summary="Claude Code 2.0.76 to 2.1.20: as later, but it fires 12,000 tokens earlier.",
    reserve=45_000,
    why_threshold="42 real events of 2.0.76 to 2.1.20 on windows of 200,000, the least at 155,031; on another window "
    "it is taken to leave the same 45,000. Observed, not read in code. /compact fires by hand",
    agent="claude-code",
    until=(2, 1, 20),
)

PROFILES = (_NEWEST, _2_1, _2_0)
