"""Observed rules of other agents' compactions, with the evidence for each number.

The values are in `inspector/stores/<agent>/profile.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from inspector.engines.base import Limits, Marks

#: Why the size of an agent's summaries is assumed: its compactions were only seen with a stand-in for the model.
STAND_IN = (
    "assumed to be as long as other agents' summaries. Observed compactions had a stand-in for the model"
)


class Observed(Struct, frozen=True):
    """The rules of an agent, or of its releases up to `until`.

    `agent` is the owner of the profile `name`, by default the agent of this name. `since` is the oldest release with an
    observed compaction, None if unknown. Each `why_*` is the evidence of a number.

    Threshold: `share` of the window minus `reserve` tokens, at most `share_at_most` of the window. `reserves_output`:
    `reserve` and the output limit stay free under any threshold setting. `shortens`: at the threshold, results of more
    characters than the first number are shortened to the second, and the list is compacted only if that is not enough.

    Size of the tail: `tail_tokens`, or `tail_of_window` of the window if that is more; no tail if both are 0. With
    `tail_of_room` it is this share of the usual threshold, but at least `tail_least` and at most `tail_tokens`. It is
    never more than `tail_share` of the list. `around`: the agent's estimate adds these tokens for each message and for
    each of its parts.

    Start of the tail. `keeps_crossing`: the message that exceeds the size stays too. `keeps_pairs`: results at the
    start keep their call. `drops_kept_until`: before this time (seconds since the epoch), a message that the previous
    compaction kept does not stay again, however short it is. `begins_with_user`: the tail begins with a message of the
    user. `summarizes_short`: a list that fits into the tail is summarized as a whole. `keeps_half`: the new list
    (prompt, head, summary, tail) has half as many messages as the list before.

    Other kept messages. `keeps_head`: the first messages. `keeps_last`: the last messages of user and model, with their
    results. `keeps_answer`: the last answer with its results. `keeps_call`: the same, but only if results follow it.
    `keeps_user`: the user's messages up to this number of tokens, the newest first; with `keeps_context` also the
    instructions at the start, which are the first system messages in a row. `keeps_question`: the user's newest
    message.

    `background`, `turns_end` and `reasoning` are fields of `Loop`. `counts_tools`: the agent's estimate has the system
    prompt and the tools, so `Loop.reports` is false. `summary_tokens` is the usual size of a summary.
    `marks` are the cache breakpoints, oldest releases first; empty if they are unknown. `written` returns a file of the
    agent and the lines that set limits there; None if no setting is known that changes when the agent compacts.
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
    keeps_context: bool = False
    keeps_crossing: bool = False
    keeps_pairs: bool = False
    drops_kept_until: float = 0.0
    around: int = 0
    reserves_output: bool = False
    background: bool = False
    turns_end: bool = False
    counts_tools: bool = False
    reasoning: float = 0.0
    shortens: tuple[int, int] | None = None
    keeps_answer: bool = False
    agent: str = ""
    until: tuple[int, ...] | None = None
    since: tuple[int, ...] | None = None
    marks: tuple[Marks, ...] = ()
    written: Callable[[Limits], tuple[str, str]] | None = None

    def marks_of(self, release: tuple[int, ...] | None) -> Marks | None:
        """Return the breakpoints of a release, by default of the newest with these rules; None if unknown."""
        release = release or self.until
        fits = (mark for mark in self.marks if mark.until is None or (release and release <= mark.until))
        return next(fits, None)

    @property
    def tail_is_set(self) -> bool:
        """Whether the tail is a number of tokens, which users of the agent may set."""
        return self.tail_share == 1 and bool(self.tail_tokens or self.tail_of_window)

    @property
    def owner(self) -> str:
        """Name of the agent."""
        return self.agent or self.name
