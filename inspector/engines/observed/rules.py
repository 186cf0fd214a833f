"""Observed rules of other agents' compactions, as data: evidence for each number, not a release's promise.

The events are taken from public transcripts: 99 compactions of Claude Code (2.0.76 to 2.1.232), 81 of Codex
(0.125 to 0.146), 16 of opencode (1.16 to 1.18) and 8 of pi.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Observed:
    """An agent's rules. `share` of the window less `reserve` tokens fires, or `share_at_most` of it if that is less;
    `why_threshold` is the evidence.

    `agent` is whose they are, "" for the agent of that name; `until` is the last release that was seen to have them,
    None where the newest has.

    The last messages of a list stay if they fit into `tail_tokens`, or `tail_of_window` of the window, and into
    `tail_share` of the list; none where both are 0. `keeps_crossing`: the message that exceeds it stays too.
    `keeps_pairs`: a tail that would begin with results begins with their call. `around` tokens are counted for each
    message, and as many for each of its parts. `reserves_output`: the output limit is taken off the window, before
    `tail_of_window` and before `reserve`, which no setting of the threshold changes. `shortens`: at the threshold,
    results of more characters than the first number are shortened to the second; the list is compacted if that is
    not enough.
    `summarizes_short`: if a whole list fits, nothing of it stays. `begins_with_user`: the tail begins with a message of
    the user. `keeps_half`: with prompt, head and summary, half as many messages stay as there were.

    `background` and `turns_end` say when the agent looks at the size of its list (see `Loop`).

    `keeps_head` is the number of first messages that stay. `keeps_last` is the number of last messages of user and
    model that stay with their results. `keeps_answer`: the last answer stays with its results; `keeps_call`: it stays
    if results follow it. `keeps_user`: the user's messages stay, up to that many tokens, the newest first;
    `keeps_question`: their newest message stays. `summary_tokens` is the usual size of a summary.
    """

    name: str
    summary: str
    share: float
    reserve: int
    why_threshold: str
    tail_tokens: int
    why_tail: str
    summary_tokens: int
    why_summary: str
    share_at_most: float = 1.0
    tail_of_window: float = 0.0
    tail_share: float = 1.0
    summarizes_short: bool = False
    begins_with_user: bool = False
    keeps_half: bool = False
    keeps_head: int = 0
    keeps_last: int = 0
    keeps_call: bool = False
    keeps_question: bool = False
    keeps_user: int = 0
    keeps_crossing: bool = False
    keeps_pairs: bool = False
    around: int = 0
    reserves_output: bool = False
    background: bool = False
    turns_end: bool = False
    shortens: tuple[int, int] | None = None
    keeps_answer: bool = False
    agent: str = ""
    until: tuple[int, ...] | None = None

    @property
    def tail_is_set(self) -> bool:
        """Whether a number of tokens stays, which users of the agent may set."""
        return self.tail_share == 1 and bool(self.tail_tokens or self.tail_of_window)

    @property
    def owner(self) -> str:
        """Whose rules they are."""
        return self.agent or self.name


CLAUDE_CODE = Observed(
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
CLAUDE_CODE_2_1 = replace(
    CLAUDE_CODE,
    name="claude-code-2.1",
    summary="Claude Code 2.1.21 to 2.1.216: the whole list becomes a summary; files it read come back.",
    why_threshold="42 real events of 2.1.25 and later on windows of 200,000, the least at 167,038. Observed, not read "
    "in code. /compact fires by hand",
    why_tail="92 of 97 boundaries name no message that stays. Observed",
    keeps_answer=False,
    agent="claude-code",
    until=(2, 1, 216),
)
CLAUDE_CODE_2_0 = replace(
    CLAUDE_CODE_2_1,
    name="claude-code-2.0",
    summary="Claude Code 2.0.76 to 2.1.20: as later, but it fires 12,000 tokens earlier.",
    reserve=45_000,
    why_threshold="42 real events of 2.0.76 to 2.1.20 on windows of 200,000, the least at 155,031; on another window "
    "it is taken to leave the same 45,000. Observed, not read in code. /compact fires by hand",
    agent="claude-code",
    until=(2, 1, 20),
)
OPENCODE = Observed(
    name="opencode",
    summary="opencode: the list becomes a summary, the newest turns stay.",
    share=1.0,
    reserve=32_000,
    why_threshold="the window less the model's output limit, at most 32,000: 1.18.33 goes on "
    "at 191,700 and compacts at 191,900 of 200,000 with an output of 8,192. With an input limit of the model, that "
    "limit less 20,000. A session records neither limit. Measured on a release that ran; /compact fires by hand",
    tail_tokens=15_000,
    why_tail="a quarter of what is usable, 2,000 to 15,000 (in earlier releases 8,000), as its source has it; each of "
    "16 real events names where its tail starts. Three lists that fitted were summarized whole",
    summarizes_short=True,
    summary_tokens=1_700,
    why_summary="a real summarizing call wrote 1,641 tokens of text. Observed",
)
PI = Observed(
    name="pi",
    summary="pi: all but the newest 20,000 tokens become a summary.",
    share=1.0,
    reserve=16_384,
    why_threshold="the window less a reserve of 16,384: 0.87.1 goes on at 183,577 and compacts at 183,578 of 200,000, "
    "each plus a short result. Observed on a release that ran. /compact fires by hand",
    tail_tokens=20_000,
    why_tail="the newest messages, including the message that exceeds 20,000; never a result first. Equal to the "
    "function of 0.87.1 on 1,000 random lists. Observed",
    keeps_crossing=True,
    summary_tokens=2_000,
    why_summary="taken to be of the size that the other agents' are; 8 real ones were seen",
)
CODEX = Observed(
    name="codex",
    summary="Codex: messages of the user stay word for word, the rest becomes a summary that only the provider reads.",
    share=0.90 / 0.95,
    reserve=0,
    why_threshold="90% of the model's window; the session records 95% of it: gpt-5.5 of 0.169.0 goes on at "
    "244,700 and compacts at 244,900. 75 earlier events were at 188,000 to 250,000 of a window of 258,400. Measured on "
    "a release that ran; model_auto_compact_token_limit has priority, /compact fires by hand",
    tail_tokens=0,
    why_tail="what replaces the list holds messages of the user and the developer alone, as 75 real events show; of "
    "the user's the newest that fit into 20,000, as its source has it",
    summary_tokens=3_000,
    why_summary="some 14,000 tokens are left with what the user wrote; the summary itself cannot be read. Observed",
    keeps_user=20_000,
)
