"""When an agent checks the size of its list, and which size it compares. The rules of a release as data."""

from __future__ import annotations

from typing import NamedTuple


class Loop(NamedTuple):
    """The checks of one release. Each compares a size in tokens with the threshold.

    `requests`: before each request, its size as the provider would report it. `background`: the summary is written
    while one more request is sent, and is used when the results of that request arrive. `turns_end`: only before a
    message of the user and at the end. Within a turn, only a list that no longer fits into the window is compacted.
    `reports`: the agent knows system prompt and tools only from a reported size. Until an answer follows the last
    compaction, it counts only the messages.

    The other checks belong to Hermes. `results`: after a round of tool results, the reported prompt of the previous
    call. `turns`: after a user message, the rough size of the request; up to three compactions in a row. `calls`:
    also before each call, the rough size of the request; up to three compactions in a turn.

    `guards_turns`: the check after a user message uses the guards (see `guards`). `large_turns`: this check includes
    short lists whose messages alone reach the threshold. `defers`: a rough size over the threshold is ignored while
    the list has grown little since a reported prompt under it. `awaits`: it is also ignored between a compaction and
    the next report. `reasoning`: the size includes the reasoning before the last message of the user, which the
    provider leaves out, at this factor of its tokens.
    """

    requests: bool = False
    results: bool = False
    turns: bool = False
    calls: bool = False
    guards_turns: bool = False
    large_turns: bool = False
    defers: bool = False
    awaits: bool = False
    background: bool = False
    turns_end: bool = False
    reports: bool = False
    reasoning: float = 0.0


#: Checks of an agent that compares each request before it is sent.
BEFORE_REQUESTS = Loop(requests=True)

#: Maximum compactions in a row after one user message, and before the calls of one turn.
MOST_IN_A_TURN = 3
#: Minimum saved share of the first compaction for a second one after the same user message.
LEAST_PROGRESS = 0.05


class Deferral(NamedTuple):
    """State for the decision of a release to ignore a rough size over the threshold. Sizes are in tokens, 0 if unknown.

    `reported` is the last reported prompt, `fitting` a rough size that is known to fit, `compacted` the rough size
    after the last compaction. `awaiting`: no prompt was reported since this compaction.
    """

    reported: int = 0
    fitting: int = 0
    compacted: int = 0
    awaiting: bool = False

    def after_compaction(self, rough: int) -> Deferral:
        """Return the state after a compaction to `rough` tokens."""
        return self._replace(compacted=rough, awaiting=True)

    def after_response(self, prompt: int, threshold: int) -> Deferral:
        """Return the state after the provider reported a prompt."""
        fitting = self.fitting
        if prompt >= threshold:
            fitting = 0
        elif self.awaiting and self.compacted > 0:
            fitting = self.compacted
        return self._replace(reported=prompt, fitting=fitting, awaiting=False)

    def at(self, rough: int, threshold: int, awaits: bool) -> tuple[bool, Deferral]:
        """Return whether a rough size over the threshold is ignored, and the state afterwards."""
        if awaits and self.awaiting:
            return True, self
        fitting = self.fitting or self.compacted
        if not 0 < self.reported < threshold or fitting <= 0:
            return False, self
        if max(0, rough - fitting) > max(4_096, int(threshold * 0.05)):
            return False, self
        return True, self._replace(fitting=max(fitting, rough))
