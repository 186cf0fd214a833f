"""Observed rules of other agents' compactions, with the evidence for each number.

The values are in `inspector/stores/<agent>/profile.py`.
"""

from __future__ import annotations

from msgspec import Struct

from inspector.engines.base import Marks

#: Why an agent's summaries have an assumed length, if its compactions were only seen with a stand-in for the model.
STAND_IN = (
    "assumed to be as long as other agents' summaries. Observed compactions had a stand-in for the model"
)


class Observed(Struct, frozen=True):
    """The rules of an agent, or of its releases up to `until`. `agent` is the owner, by default the agent `name`.
    `since` is the oldest release with an observed compaction, if that is known.

    Threshold: `share` of the window less `reserve` tokens, at most `share_at_most` of the window. `why_threshold` is
    the evidence. `reserves_output`: the output limit is subtracted from the window first, and `reserve` is subtracted
    under any threshold setting. `shortens`: at the threshold, results of more characters than the first number are
    shortened to the second, and the list is compacted only if that is not enough.

    Tail: the last messages of at most `tail_tokens` tokens, or `tail_of_window` of the window, and `tail_share` of the
    list; no tail if the first two are 0. `tail_of_room`: at most this share of the usual threshold, but at least
    `tail_least` tokens. `keeps_crossing`: the message that exceeds it stays too. `keeps_pairs`:
    results at its start keep their call. `begins_with_user`: it begins with a message of the user. `around`: tokens
    added for each message and for each of its parts. `summarizes_short`: a list that fits into the tail is summarized
    whole. `keeps_half`: prompt, head, summary and the last messages are half as many as before.

    Other kept messages: the first `keeps_head`; the last `keeps_last` of user and model with their results; the last
    answer with its results (`keeps_answer`, or `keeps_call` if results follow it); the user's messages up to
    `keeps_user` tokens, the newest first; the user's newest message (`keeps_question`).

    `background`, `turns_end` and `reasoning` are fields of `Loop`. `summary_tokens` is the usual size of a summary.
    `marks` are the cache breakpoints, oldest releases first; empty if they are unknown.
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
    tail_of_room: float = 0.0
    tail_least: int = 0
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
    reasoning: float = 0.0
    shortens: tuple[int, int] | None = None
    keeps_answer: bool = False
    agent: str = ""
    until: tuple[int, ...] | None = None
    since: tuple[int, ...] | None = None
    marks: tuple[Marks, ...] = ()

    def marks_of(self, release: tuple[int, ...] | None) -> Marks | None:
        """Return the breakpoints of a release, by default of the newest with these rules; None if unknown."""
        release = release or self.until
        fits = (one for one in self.marks if one.until is None or (release and release <= one.until))
        return next(fits, None)

    @property
    def tail_is_set(self) -> bool:
        """Whether the tail is a number of tokens, which users of the agent may set."""
        return self.tail_share == 1 and bool(self.tail_tokens or self.tail_of_window)

    @property
    def owner(self) -> str:
        """Name of the agent."""
        return self.agent or self.name
