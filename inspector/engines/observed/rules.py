"""The form of observed rules of other agents' compactions: evidence for each number, not a release's promise.

Each agent's own package has its rules (`inspector/stores/<agent>/profile.py`).
"""

from __future__ import annotations

from dataclasses import dataclass


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
