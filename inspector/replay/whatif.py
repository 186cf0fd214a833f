"""What other settings would have done with a whole conversation.

The engine's own plan decides each compaction. Modelled is only the summary's size; mended tool pairs are not counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any

from inspector.core.conversations import ROLE_CODES
from inspector.core.rough import IMAGE_TOKENS, list_tokens
from inspector.engines.base import Budgets, Settings
from inspector.engines.failures import failures_named
from inspector.engines.guards import Guard, compacted, guard_of, nothing_done, responded
from inspector.engines.replayable import ReadList, Replayable, least_firing
from inspector.engines.sizes import Compacted, MessageSize
from inspector.quality.facts.risk import FactSteps
from inspector.replay.clearing import Cleared, Freed
from inspector.replay.context_scale import ContextScale
from inspector.replay.event import Event
from inspector.replay.pricing import CostBasis
from inspector.replay.transcript import calls

_USER = ROLE_CODES["user"]
#: Characters around a summary's body in the list, besides the engine's prefix: end marker, mapping.
_AROUND = 130
#: Compactions at so many calls in a row are no longer told from compacting at every call.
_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class SummaryModel:
    """How large a summary is. `ratio` is its size as a share of its budget, `tokens` its size whatever the budget is
    (None: by the ratio); `recorded` are the sizes of the summary messages that were really written, the first for the
    first compaction (None where there is none)."""

    ratio: float = 1.0
    tokens: int | None = None
    recorded: tuple[MessageSize | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a run cost and what it did to the messages. Tokens are rough; shares are of the characters said.

    `input_tokens` are those of all prompts together; `summarized_share` went through a summary at least once,
    `resummarized_share` at least twice; `user_steps` is for how many steps a user message stayed verbatim, on
    average. `facts` is how many facts were said, `facts_at_risk` how many of them (`constraints_at_risk`: of the hard
    constraints) stand in no message of the last list, as every message that said them went through a summary; None
    where the facts are not known. `cost` is that of all calls and compactions in US dollars, None where usage or prices
    are not known.
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
        """The share of all facts that is at risk; 0 where nothing was said."""
        if self.facts is None or self.facts_at_risk is None:
            return None
        return self.facts_at_risk / self.facts if self.facts else 0.0


def stuck(run: WhatIf) -> str:
    """What a run that cannot keep its list small is stuck with, in a few words that name the step and the window; empty
    for any other run."""
    peak = f"the peak is {run.metrics.peak_tokens:,} tokens in a window of {run.settings.context_length:,}"
    if run.gives_up is not None:
        return f"The agent would give up compacting at step {run.gives_up:,}; {peak}."
    if run.every_call is not None:
        return f"From step {run.every_call:,} on the agent would compact at call after call; {peak}."
    return ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A run: its compactions, the tokens of the list after each step, and its metrics.

    `gives_up` is the step at which the agent would have compacted and had given it up, `every_call` the one from
    which on
    it compacted at several calls in a row; None where it never came to that. `left` tells with which compaction
    (counted from 0) each message of the transcript left the list.
    """

    settings: Settings
    budgets: Budgets
    events: tuple[Event, ...]
    tokens: tuple[int, ...]
    metrics: Metrics
    gives_up: int | None = None
    every_call: int | None = None
    left: Mapping[int, int] = field(default_factory=dict)


class Course:
    """A conversation made ready to be run under any settings of one engine. `said` are its messages, each once;
    sizes are those of the rough estimate, as the engine counts it.

    `scale` leads from rough sizes to those that the agent reports, which fire and are told. `cleared` are results that
    are cleared on the way, as they were recorded. `facts` are those said in it, `costs` what its calls cost, None where
    they are not known: then no run counts them.
    """

    def __init__(
        self,
        rules: Replayable[Any],
        said: ReadList,
        system_tokens: int,
        scale: ContextScale | None = None,
        cleared: Sequence[Cleared] = (),
    ) -> None:
        self.rules = rules
        self.said = said
        self.system = system_tokens
        self.scale = scale or ContextScale()
        self.cleared = cleared
        self.facts: FactSteps | None = None
        self.costs: CostBasis | None = None
        self.calls = calls(said.roles)
        #: Characters of each message, and of all before it.
        self.sizes = said.chars
        self.chars = list(accumulate(self.sizes, initial=0))
        self.images = list(accumulate(said.images, initial=0))
        self.users = [index for index, role in enumerate(said.roles) if role == _USER]
        #: Characters said until each call.
        self.call_chars = [self.chars[step] for step in self.calls]
        #: What the list weighs at each call as long as nothing was compacted, in tokens.
        self.plain = [list_tokens(self.chars[step], self.images[step]) + system_tokens for step in self.calls]

    def with_facts(self, facts: FactSteps | None) -> Course:
        """The same conversation with what is known of its facts."""
        if facts is self.facts:
            return self
        other = copy(self)
        other.facts = facts
        return other

    def with_costs(self, costs: CostBasis | None) -> Course:
        """The same conversation with what is known of its costs."""
        if costs is self.costs:
            return self
        other = copy(self)
        other.costs = costs
        return other

    def budgets(self, settings: Settings) -> Budgets:
        """The derived numbers of settings. Raises EngineError where the engine fails."""
        with failures_named(self.rules.engine):
            return self.rules.engine.budgets(settings)

    def run(self, settings: Settings, model: SummaryModel | None = None) -> WhatIf:
        """Run the conversation from its start."""
        return _Run(self, settings, model or SummaryModel()).go()

    def measured(self, settings: Settings, model: SummaryModel | None = None) -> WhatIf:
        """The same run without the tokens after each step, for those who only want its metrics."""
        return _Run(self, settings, model or SummaryModel(), steps=False).go()


class _Run:
    """One run: the list as it would be, and what became of every message."""

    def __init__(self, course: Course, settings: Settings, model: SummaryModel, steps: bool = True) -> None:
        self.course = course
        self.settings = settings
        self.model = model
        self.budgets = course.budgets(settings)
        self.steps = steps
        self.list = course.said.live(settings, self.budgets, course.system)
        #: Characters and pictures of the list less those that were said until its last compaction.
        self.chars = self.images = 0
        self.freed = Freed(course.cleared)
        self.events: list[Event] = []
        self.guard: Guard = guard_of(settings.profile)
        #: In the order in which they left; so many had left before the last compaction.
        self.left: dict[int, int] = {}
        self.left_before = 0
        self.gives_up: int | None = None
        #: The tokens of the last summary.
        self.summary = 0
        #: The calls, by number, before which the list was compacted.
        self.fired: list[int] = []
        self.tokens: list[int] = []
        self.prompts: list[int] = []

    def go(self) -> WhatIf:
        """Every call of the model in turn."""
        course = self.course
        limit = least_firing(course.rules, self.settings, self.budgets)
        limit = None if limit is None else course.scale.rough(limit)
        at = 0
        while at < len(course.calls):
            reach = len(course.calls) if limit is None else self._first_over(limit, at)
            if reach > at:
                self._prompt(at, reach)
                at = reach
                if at == len(course.calls):
                    break
            step = course.calls[at]
            if self._fire(step):
                self.fired.append(at)
            else:
                self._prompt(at, at + 1)
            at += 1
        self._fill(len(course.said))
        return WhatIf(
            self.settings,
            self.budgets,
            tuple(self.events),
            tuple(self.tokens),
            self._metrics(),
            self.gives_up,
            self._every_call(),
            self.left,
        )

    def _every_call(self) -> int | None:
        run = zip(self.fired, self.fired[_IN_A_ROW - 1 :], strict=False)
        first = next((start for start, end in run if end - start == _IN_A_ROW - 1), None)
        return None if first is None else self.course.calls[first]

    def _tokens_at(self, step: int) -> int:
        chars = self.chars + self.course.chars[step] - self.freed.at(step)
        return list_tokens(chars, self.images + self.course.images[step]) + self.course.system

    def _first_over(self, limit: int, at: int) -> int:
        """The first call from `at` on whose prompt reaches the limit; the number of calls where none does."""
        if self.freed:
            # What is cleared makes the list smaller.
            over = (
                n for n in range(at, len(self.course.calls)) if self._tokens_at(self.course.calls[n]) >= limit
            )
            return next(over, len(self.course.calls))
        if self.course.images[-1] == 0 and not self.images:
            # Characters grow with the calls: so many of them make the tokens that the limit needs.
            least = 4 * (limit - self.course.system) - 3 - self.chars
            return bisect_left(self.course.call_chars, least, at)
        return bisect_left(self.course.calls, True, at, key=lambda step: self._tokens_at(step) >= limit)

    def _prompt(self, start: int, stop: int) -> None:
        moved = self.events or self.course.cleared
        found = self._sizes(self.course.calls[start:stop]) if moved else self.course.plain[start:stop]
        found = self._reported(found)
        self.prompts += found
        for tokens in found:
            before = self.guard
            self.guard = responded(before, tokens, self.budgets.threshold_tokens)
            if self.guard is before:
                # All but the last of a stretch are under the threshold: nothing more changes.
                break

    def _fill(self, step: int) -> None:
        if self.steps:
            self.tokens += self._reported(self._sizes(range(len(self.tokens) + 1, step + 1)))

    def _reported(self, sizes: list[int]) -> list[int]:
        scale = self.course.scale
        return [scale.reported(size) for size in sizes] if scale.requests else sizes

    def _sizes(self, steps: Sequence[int]) -> list[int]:
        """The tokens of the list after each of these steps; `_tokens_at`, many at once."""
        chars, images = self.course.chars, self.course.images
        more = self.chars + 3
        rest = self.images * IMAGE_TOKENS + self.course.system
        if self.freed:
            return [self._tokens_at(step) for step in steps]
        if images[-1] == 0:
            return [(chars[step] + more) // 4 + rest for step in steps]
        return [(chars[step] + more) // 4 + images[step] * IMAGE_TOKENS + rest for step in steps]

    def _fire(self, step: int) -> bool:
        """Compact the list after `step` messages, where the guards and the plan let it."""
        before = self._tokens_at(step)
        if self.guard.blocked():
            if self.gives_up is None:
                self.gives_up = step
            return False
        self.list.extend(step)
        length, self.summary = len(self.list), 0
        done = self.list.compact(self._summary)
        if not isinstance(done, Compacted):
            self.guard = nothing_done(self.guard, done)
            return False
        self._fill(step)
        self.left_before = len(self.left)
        self.left.update(dict.fromkeys(done.left, len(self.events)))
        self.chars = self.list.total_chars - self.course.chars[step]
        self.images = self.list.total_images - self.course.images[step]
        cleared = self.freed.at(step) // 4
        self.freed = Freed(self.course.cleared, step)
        after = self._tokens_at(step)
        self.guard = compacted(self.guard, before, after - self.course.system)
        reported = self.course.scale.reported
        fires = self.course.rules.fires(reported(before), self.settings, self.budgets) or ""
        self.events.append(
            Event(
                step,
                fires,
                length,
                len(self.list),
                done.head_end,
                done.tail_start,
                before + cleared,
                after,
                summary=self.summary,
                cleared=cleared,
            )
        )
        prompt = reported(after)
        if self.steps:
            self.tokens[-1] = prompt
        self.prompts.append(prompt)
        self.guard = responded(self.guard, prompt, self.budgets.threshold_tokens)
        return True

    def _summary(self, budget: int) -> MessageSize:
        """The size of the next summary message, whose budget is so many tokens."""
        number, around = len(self.events), self.course.rules.summary_prefix + _AROUND
        size = self.model.recorded[number] if number < len(self.model.recorded) else None
        if size is None:
            tokens = budget * self.model.ratio if self.model.tokens is None else self.model.tokens
            chars = int(tokens) * 4 + around
            size = MessageSize(chars // 4 + 10, chars, 0)
        self.summary = max(0, size.chars - around) // 4
        return size

    def _metrics(self) -> Metrics:
        course, left, count = self.course, self.left, len(self.events)
        said = course.chars[-1] or 1
        sizes = course.sizes
        once = sum(map(sizes.__getitem__, left))
        twice = sum(map(sizes.__getitem__, islice(left, self.left_before)))
        end = len(course.said)
        gone = [event.step for event in self.events]
        stays = sum(gone[left[index]] if index in left else end for index in course.users) - sum(course.users)
        prompts = self.prompts or [0]
        return Metrics(
            compactions=count,
            calls=len(self.prompts),
            peak_tokens=max(prompts),
            mean_tokens=sum(prompts) // len(prompts),
            input_tokens=sum(prompts),
            summarized_share=once / said,
            resummarized_share=twice / said,
            user_steps=stays / len(course.users) if course.users else 0.0,
            cost=None if course.costs is None else course.costs.cost(self.events),
            **at_risk(course.facts, left),
        )


def at_risk(facts: FactSteps | None, left: Mapping[int, int]) -> dict[str, int]:
    """What the metrics say of facts when the messages of `left` went through a summary; nothing where none is known."""
    if facts is None:
        return {}
    gone = facts.gone(left)
    return {"facts": len(facts), "facts_at_risk": gone.facts, "constraints_at_risk": gone.constraints}
