"""The results of runs of a whole conversation under other settings.

The engine's own plan decides each compaction. Only the size of the summary is modelled. Runs leave out the messages
that an agent adds to repair tool pairs. `course.py` has the conversation, and `run.py` runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from inspector.engines.base import Budgets, Settings
from inspector.replay.event import Event


class Metrics(Struct, frozen=True):
    """Cost of a run and its effect on the messages.

    Tokens are in the agent's own count if the scale of the course has it, else rough. `input_tokens` is the sum of all
    prompts. `summarized_share` is the share of the characters of all messages that was summarized at least once,
    `resummarized_share` at least twice. `user_steps` is the mean number of steps that a user message stayed verbatim.
    `facts` counts the facts of the conversation, `facts_at_risk` the facts whose messages were all summarized, and
    `constraints_at_risk` the constraints among these. The three are None if the facts are unknown. `cost` is the cost
    of all calls and compactions in US dollars, None if usage or prices are unknown.
    """

    compactions: int
    calls: int
    peak_tokens: int
    mean_tokens: int
    input_tokens: int
    summarized_share: float
    resummarized_share: float
    user_steps: float
    facts: int | None = None
    facts_at_risk: int | None = None
    constraints_at_risk: int | None = None
    cost: float | None = None

    @property
    def facts_at_risk_share(self) -> float | None:
        """Return the share of all facts that is at risk; 0 without facts."""
        if self.facts is None or self.facts_at_risk is None:
            return None
        return self.facts_at_risk / self.facts if self.facts else 0.0


def stuck(run: WhatIf) -> str:
    """Return a sentence if a run gives up, compacts at every call, or never has anything to summarize, else ""."""
    peak = f"the peak is {run.metrics.peak_tokens:,} tokens in a window of {run.settings.context_length:,}"
    if run.gives_up is not None:
        return f"The agent would give up compacting at step {run.gives_up:,}; {peak}."
    if run.every_call is not None:
        return f"From step {run.every_call:,} on the agent would compact at every call; {peak}."
    return "" if run.events else kept_all(run)


def kept_all(run: WhatIf) -> str:
    """Return a sentence with the first step at which a due compaction would take nothing; "" if there is none."""
    if run.refused is None:
        return ""
    return f"A compaction is due at step {run.refused:,}, but all messages of the list would stay."


class WhatIf(Struct, frozen=True):
    """A run: its compactions, the tokens of the list after each step, and its metrics.

    `gives_up` is the first step at which the guards refused a due compaction, or at which a list that no longer fits
    into the window had nothing to summarize. `refused` is the first step at which any list had nothing to summarize.
    `every_call` is the step of the first of several consecutive calls that each compacted. Each is None if this never
    happened. `removed` has the messages of the transcript that each compaction removed, in order.
    """

    settings: Settings
    budgets: Budgets
    events: tuple[Event, ...]
    tokens: tuple[int, ...]
    metrics: Metrics
    gives_up: int | None = None
    every_call: int | None = None
    removed: tuple[Sequence[int], ...] = ()
    refused: int | None = None

    @property
    def removed_by(self) -> dict[int, int]:
        """Each removed message with the compaction that removed it, counted from 0."""
        return {message: number for number, messages in enumerate(self.removed) for message in messages}


class Range(NamedTuple):
    """The lowest and highest number of compactions, input tokens, cost and facts at risk with summaries of half and
    twice the size.

    Costs are in US dollars, None if unknown. `facts_at_risk` is None if the facts were not read.
    """

    compactions: tuple[int, int]
    input_tokens: tuple[int, int]
    cost: tuple[float, float] | None = None
    facts_at_risk: tuple[int, int] | None = None

    def overlaps(self, other: Range) -> bool:
        """Return whether two runs may cost the same; input tokens are compared if a cost is unknown."""
        if self.cost is None or other.cost is None:
            return _meet(self.input_tokens, other.input_tokens)
        return _meet(self.cost, other.cost)


def _meet(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Return whether two ranges overlap."""
    return first[0] <= second[1] and second[0] <= first[1]


def range_of(runs: Sequence[WhatIf]) -> Range:
    """Return the range of several runs of a conversation under the same settings."""
    compactions = [run.metrics.compactions for run in runs]
    tokens = [run.metrics.input_tokens for run in runs]
    costs = [run.metrics.cost for run in runs if run.metrics.cost is not None]
    facts = [run.metrics.facts_at_risk for run in runs if run.metrics.facts_at_risk is not None]
    return Range(
        (min(compactions), max(compactions)),
        (min(tokens), max(tokens)),
        (min(costs), max(costs)) if costs else None,
        (min(facts), max(facts)) if facts else None,
    )
