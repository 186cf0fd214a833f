"""Runs of a whole conversation under other settings.

The engine's own plan decides each compaction. Only the size of the summary is modelled. Runs leave out the messages
that an agent adds to repair tool pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence, Set
from copy import copy
from enum import IntEnum
from itertools import accumulate, islice
from operator import itemgetter
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.core.conversations import ROLE_CODES
from inspector.core.rough import IMAGE_TOKENS, list_tokens
from inspector.engines.base import Budgets, Settings
from inspector.engines.failures import failures_named
from inspector.engines.guards import Guard, compacted, guard_of, refused, responded, unchanged
from inspector.engines.loop import LEAST_PROGRESS, MOST_IN_A_TURN, Deferral, Loop
from inspector.engines.replayable import ReadList, Replayable, least_firing
from inspector.engines.sizes import Compacted, MessageSize
from inspector.quality.facts.risk import FactSteps
from inspector.replay.clearing import Cleared, Freed
from inspector.replay.context_scale import ContextScale
from inspector.replay.earlier import EarlierSettings
from inspector.replay.event import Event
from inspector.replay.pricing import CostBasis
from inspector.replay.summary_model import SummaryModel
from inspector.replay.transcript import calls

_USER, _ASSISTANT, _TOOL = (ROLE_CODES[name] for name in ("user", "assistant", "tool"))
#: Roles of messages of the user, the tools and the model.
_RECORDED_ROLES = frozenset({_USER, _TOOL, _ASSISTANT})
#: `Event.fires` of a manual compaction.
MANUAL = "manual"
#: A threshold that no list reaches.
_NEVER = 1 << 60
#: Minimum number of messages of a list that a gateway compacts between turns.
_HYGIENE_LEAST = 4
#: Characters of a summary message without its body and the engine's prefix: the end marker, and the keys of the
#: message as Python prints them.
AROUND = 130
#: If the list is compacted before this many consecutive calls, the agent compacts at every call.
_IN_A_ROW = 3


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
    happened. `removed_by` maps each removed message of the transcript to the compaction that removed it (counted from
    0).
    """

    settings: Settings
    budgets: Budgets
    events: tuple[Event, ...]
    tokens: tuple[int, ...]
    metrics: Metrics
    gives_up: int | None = None
    every_call: int | None = None
    removed_by: Mapping[int, int] = field(default_factory=dict)
    refused: int | None = None


class Check(IntEnum):
    """A point at which an agent may check the size of its list."""

    RESULTS = 0
    TURN = 1
    BETWEEN = 2
    MANUAL = 3
    REQUEST = 4
    CALL = 5
    DUE = 6


def check_points(
    roles: Sequence[int],
    calls_at: Sequence[int],
    manual: Sequence[int] = (),
    compacted_at: Sequence[int] = (),
) -> list[tuple[int, Check]]:
    """Return the points at which an agent may check its list, in order, with the number of messages until then.

    RESULTS is after a round of tool results. TURN is after a user message, and BETWEEN is before one. MANUAL is at a
    manual compaction. CALL is at a call of the model (`calls_at`), and DUE is at a call at the end of the list. REQUEST
    is at another recorded compaction (`compacted_at`), or before messages that the agent inserted before a call.
    """
    moments: list[tuple[int, Check]] = []
    length, calls, manual_steps = len(roles), frozenset(calls_at), frozenset(manual)
    compactions = frozenset(compacted_at)
    requests = ({_without_inserted(roles, step, compactions) for step in calls_at} | compactions) - calls
    for step in range(1, length + 1):
        last, coming = roles[step - 1], roles[step] if step < length else None
        if last == _TOOL and coming != _TOOL:
            moments.append((step, Check.RESULTS))
        elif last == _USER:
            moments.append((step, Check.TURN))
        if coming == _USER:
            moments.append((step, Check.BETWEEN))
        if step in manual_steps:
            moments.append((step, Check.MANUAL))
        if step in requests:
            moments.append((step, Check.REQUEST))
        if step in calls:
            moments.append((step, Check.DUE if coming is None else Check.CALL))
    return moments


def _past(reasoning: Sequence[int], roles: Sequence[int]) -> list[int]:
    """Return, after the first 0, 1, ... messages, the reasoning tokens before the last message of the user."""
    past, before = [0], 0
    for tokens, total, role in zip(reasoning, accumulate(reasoning), roles, strict=True):
        before = total - tokens if role == _USER else before
        past.append(before)
    return past


def _without_inserted(roles: Sequence[int], step: int, compactions: Set[int]) -> int:
    """Return the step before the messages that the agent itself inserted before the request at `step`.

    It is not before a recorded compaction (`compactions` has their steps).
    """
    while step > 1 and step not in compactions and roles[step - 1] not in _RECORDED_ROLES:
        step -= 1
    return step


class Range(NamedTuple):
    """The lowest and highest number of compactions, input tokens and cost with summaries of half and twice the size.

    Costs are in US dollars, None if unknown.
    """

    compactions: tuple[int, int]
    input_tokens: tuple[int, int]
    cost: tuple[float, float] | None = None

    def overlaps(self, other: Range) -> bool:
        """Return whether two runs may cost the same; input tokens are compared if a cost is unknown."""
        if self.cost is None or other.cost is None:
            return _meet(self.input_tokens, other.input_tokens)
        return _meet(self.cost, other.cost)


def _meet(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Return whether two ranges overlap."""
    return first[0] <= second[1] and second[0] <= first[1]


class Period(NamedTuple):
    """Settings that a run uses until a step, their budgets, and the lowest size in tokens that fires a compaction."""

    until: int
    settings: Settings
    budgets: Budgets
    threshold: int


class Course:
    """A conversation, ready to run under any settings of one engine.

    `messages` has each message once; their sizes are rough tokens as the engine estimates them. `scale` converts rough
    sizes to reported sizes. Runs return reported sizes and compare them with the threshold at requests. `cleared` has
    the recorded clearings of tool results. `gateway`: a gateway checks the list between turns. `loop` has the points at
    which the agent checks the list, None for the loop of the engine. `ahead[n]` is the agent's own estimate of the
    request after n messages minus the reported size of this request, in tokens. `recorded_calls` has the steps of
    calls; if it is empty, the messages show the calls. `manual` has the steps of manual compactions, `compacted_at` the
    steps of other recorded compactions. `earlier` has the settings before the current settings, each with its last
    step. `reasoning` has the reasoning tokens of each message, empty if unknown. `facts` and `costs` are None if
    unknown; then runs leave these metrics out.
    """

    def __init__(
        self,
        rules: Replayable[Any],
        messages: ReadList,
        system_tokens: int,
        scale: ContextScale | None = None,
        cleared: Sequence[Cleared] = (),
        gateway: bool = False,
        loop: Loop | None = None,
        ahead: Sequence[int] = (),
        recorded_calls: Sequence[int] = (),
        manual: Sequence[int] = (),
        compacted_at: Sequence[int] = (),
        earlier: Sequence[tuple[int, EarlierSettings]] = (),
        reasoning: Sequence[int] = (),
    ) -> None:
        self.ahead = ahead
        # A repeated request has the same step as the first, so its settings were in force for no message.
        furthest = accumulate((step for step, _ in earlier), max, initial=0)
        self.earlier = [entry for entry, before in zip(earlier, furthest, strict=False) if entry[0] > before]
        self.rules = rules
        self.messages = messages
        self.system = system_tokens
        self.scale = scale or ContextScale()
        self.cleared = cleared
        self.gateway = gateway
        self.loop = loop or rules.loop
        #: Tokens of reasoning that only the agent counts: of each message, and of all before the last message of the
        #: user after the first 0, 1, ... messages. Empty if there are none.
        self.reasoning = [int(self.loop.reasoning * tokens) for tokens in reasoning if self.loop.reasoning]
        self.past_reasoning = _past(self.reasoning, messages.roles) if self.reasoning else []
        self.facts: FactSteps | None = None
        self.costs: CostBasis | None = None
        self._largest: int | None = None
        self.calls = list(recorded_calls) or calls(messages.roles)
        self.checks = check_points(messages.roles, self.calls, manual, compacted_at)
        kinds = [check for _, check in self.checks]
        self.manual = [place for place, check in enumerate(kinds) if check is Check.MANUAL]
        #: Number of calls, and number of user messages, before each check.
        self.calls_before = list(accumulate((check >= Check.CALL for check in kinds), initial=0))
        self.turns_before = list(accumulate((check is Check.TURN for check in kinds), initial=0))
        #: Characters of each message, and of all messages before it.
        self.sizes = messages.chars
        self.chars = list(accumulate(self.sizes, initial=0))
        self.images = list(accumulate(messages.images, initial=0))
        self.check_chars = [self.chars[step] for step, _ in self.checks]
        self.users = [index for index, role in enumerate(messages.roles) if role == _USER]

    def with_facts(self, facts: FactSteps | None) -> Course:
        """Return the course with these facts."""
        return self._with(facts=facts)

    def with_costs(self, costs: CostBasis | None) -> Course:
        """Return the course with these costs."""
        return self._with(costs=costs)

    def _with(self, **values: Any) -> Course:
        """Return the course with other attributes."""
        if all(getattr(self, name) is value for name, value in values.items()):
            return self
        changed = copy(self)
        vars(changed).update(values)
        return changed

    def rough(self, step: int) -> int:
        """Return the rough tokens of a request with the first `step` messages and the system prompt."""
        return list_tokens(self.chars[step], self.images[step]) + self.system

    def largest(self) -> int:
        """Return the largest size in tokens that a check compares with the threshold, in a run without compactions."""
        if self._largest is None:
            steps = [step for step, _ in self.checks] or [0]
            self._largest = max(
                max(self.compared(step, self.reported(step)), self.rough(step) + self.scale.tools)
                for step in steps
            )
        return self._largest

    def compared(self, step: int, reported: int, left: int = 0) -> int:
        """Return the agent's own estimate of a request after `step` messages, from its reported size.

        `left` is the reasoning of removed messages, in tokens.
        """
        past = max(0, self.past_reasoning[step] - left) if self.past_reasoning else 0
        return reported + past + (self.ahead[step] if self.ahead else 0)

    def reported(self, step: int) -> int:
        """Return the reported tokens of a request with the first `step` messages."""
        return self.scale.reported(self.rough(step), step)

    def budgets(self, settings: Settings) -> Budgets:
        """Return the derived numbers of settings. Raises EngineError if the engine fails."""
        with failures_named(self.rules.engine):
            return self.rules.engine.budgets(settings)

    def periods(self, settings: Settings) -> list[Period]:
        """Return the settings of a run in the order of their use. Raises EngineError if an engine fails."""
        periods = []
        earlier = [(step, changed.of(settings)) for step, changed in self.earlier]
        for until, chosen in [*earlier, (_NEVER, settings)]:
            budgets = self.budgets(chosen)
            least = least_firing(self.rules, chosen, budgets)
            periods.append(Period(until, chosen, budgets, _NEVER if least is None else least))
        return periods

    def run(self, settings: Settings, model: SummaryModel | None = None, steps: bool = True) -> WhatIf:
        """Run the conversation from its start. Without the tokens after each step (`steps`) this is faster."""
        return _Run(self, settings, model or SummaryModel(), steps).run()

    def half_and_double(
        self, settings: Settings, model: SummaryModel, steps: bool = True
    ) -> tuple[WhatIf, WhatIf]:
        """Run twice, with summaries of half and of twice the size. `steps` is as in `run`."""
        half, twice = (
            self.run(settings, replace(model, factor=model.factor * by), steps) for by in (0.5, 2.0)
        )
        return half, twice


def range_of(runs: Sequence[WhatIf]) -> Range:
    """Return the range of several runs of a conversation under the same settings."""
    compactions = [run.metrics.compactions for run in runs]
    tokens = [run.metrics.input_tokens for run in runs]
    costs = [run.metrics.cost for run in runs if run.metrics.cost is not None]
    return Range(
        (min(compactions), max(compactions)),
        (min(tokens), max(tokens)),
        (min(costs), max(costs)) if costs else None,
    )


class _Run:
    """A run in progress: the live list, and the messages that left the list."""

    def __init__(self, course: Course, settings: Settings, model: SummaryModel, steps: bool) -> None:
        self.course = course
        self.model = model
        self.periods = course.periods(settings)
        self.settings, self.budgets, self.threshold = self.periods[0][1:]
        #: The first check under the settings of the next period.
        self.next_period = self._end_of(self.periods[0])
        #: Whether the agent writes a summary in the background.
        self.began = False
        self.steps = steps
        self.list = course.messages.live(self.settings, self.budgets, course.system)
        #: Number of messages of the conversation that were added to the list.
        self.added = 0
        #: Characters and pictures of the list, minus the characters and pictures of all messages that were added to it.
        self.chars = self.images = 0
        #: Reported tokens beyond the scaled size: of the removed messages, and of the last summary.
        self.beyond = self.extra = 0
        #: The most tokens that the size of a check has beyond the scaled size of its list.
        self.most = sum(
            max(tokens, default=0) for tokens in (course.scale.excess, course.ahead, course.past_reasoning)
        )
        #: Reasoning tokens of the messages that left the list.
        self.left_reasoning = 0
        self.freed = Freed(course.cleared)
        self.events: list[Event] = []
        #: Number of messages of the conversation before the last compaction.
        self.compacted = 0
        self.guard: Guard = guard_of(settings.profile)
        self.deferral = Deferral()
        #: Number of compactions before the calls of this turn.
        self.attempts = 0
        #: The last reported prompt, and the prompt that a gateway stored; 0 if missing.
        self.prompt = self.stored = 0
        #: Messages in the order of leaving the list, each with the compaction that removed it.
        self.removed_by: dict[int, int] = {}
        self.gives_up: int | None = None
        self.refused: int | None = None
        #: The tokens of the last summary, and the characters of its message.
        self.summary = self.written = 0
        #: Numbers of the calls before which the list was compacted, counted from 0.
        self.fired: list[int] = []
        self.tokens: list[int] = []
        self.prompts: list[int] = []

    def run(self) -> WhatIf:
        """Run all checks in order. Consecutive checks that cannot find a list over the threshold run together."""
        course = self.course
        at, end = 0, len(course.checks)
        while at < end:
            reach = self._first_large(at)
            if reach > at:
                self._pass(at, reach)
            if reach < end:
                while reach == self.next_period:
                    self._enter()
                self._check(*course.checks[reach])
            at = reach + 1
        self._fill(len(course.messages))
        return WhatIf(
            self.settings,
            self.budgets,
            tuple(self.events),
            tuple(self.tokens),
            metrics_of(course, self.events, self.prompts, self.removed_by, course.facts),
            self.gives_up,
            self._every_call(),
            self.removed_by,
            self.refused,
        )

    def _end_of(self, period: Period) -> int:
        """Return the number of the first check after a period."""
        return bisect_right(self.course.checks, period.until, key=itemgetter(0))

    def _enter(self) -> None:
        """Continue under the settings of the next period."""
        self.periods.pop(0)
        self.settings, self.budgets, self.threshold = self.periods[0][1:]
        self.next_period = self._end_of(self.periods[0])
        self.list.adopt(self.settings, self.budgets)

    def _check(self, step: int, check: Check) -> None:
        """Check the list at one point, and make the call at this point."""
        loop, threshold = self.course.loop, self.threshold
        if check is Check.RESULTS:
            # After a round of results the last reported prompt counts.
            if loop.results and self.prompt >= threshold and self._allowed(step):
                self._compact(step, self.prompt)
        elif check is Check.TURN:
            self.attempts = 0
            if loop.turns and self._rough(step) >= threshold:
                self._turn(step)
        elif check is Check.BETWEEN:
            self._between(step)
            if loop.turns_end:
                self._request(step, turn_ends=True)
        elif check is Check.MANUAL:
            self._compact(step, self._reported(step), MANUAL)
        elif check is Check.REQUEST:
            if loop.requests:
                self._request(step, turn_ends=step == len(self.course.messages))
        else:
            if loop.requests:
                self._request(step)
            elif loop.calls and check is Check.CALL and self._rough(step) >= threshold:
                self._call(step)
            self._respond(self._reported(step))

    def _first_large(self, at: int) -> int:
        """Return the first check from `at` on that may find a list over a threshold. The checks before it cannot."""
        course, scale = self.course, self.course.scale
        least = self.threshold
        if course.gateway and self.budgets.hygiene_tokens:
            least = min(least, self.budgets.hygiene_tokens)
        if self.prompt >= least or self.began:
            return at
        reported = least - self.most - (self.extra - self.beyond)
        if scale.requests:
            reported = int((reported - scale.beside) / scale.scale)
        rough = min(reported, least - scale.tools) - course.system - 2
        chars = 4 * (rough - (self.images + course.images[-1]) * IMAGE_TOKENS)
        hand = bisect_left(course.manual, at)
        last = course.manual[hand] if hand < len(course.manual) else len(course.checks)
        if course.gateway and self.budgets.hygiene_messages:
            many = self.added + self.budgets.hygiene_messages - len(self.list)
            last = min(last, bisect_left(course.checks, many, at, key=itemgetter(0)))
        return min(last, self.next_period, bisect_left(course.check_chars, chars - self.chars, at))

    def _pass(self, start: int, stop: int) -> None:
        """Run the checks from `start` to `stop`, and their calls, if no check compacts."""
        course = self.course
        calls = course.calls[course.calls_before[start] : course.calls_before[stop]]
        if course.turns_before[stop] > course.turns_before[start]:
            self.attempts = 0
        if calls:
            prompts = self._sizes(calls)
            self._respond(prompts[0])
            self._respond(prompts[-1])
            self.prompts[-2:] = prompts

    def _every_call(self) -> int | None:
        """Return the step of the first of several consecutive calls that each compacted."""
        fired = list(dict.fromkeys(self.fired))
        run = zip(fired, fired[_IN_A_ROW - 1 :], strict=False)
        first = next((start for start, end in run if end - start == _IN_A_ROW - 1), None)
        return None if first is None else self.course.calls[first]

    # Sizes.

    def _list_tokens(self, step: int) -> int:
        """Return the rough tokens of the list after `step` messages, with the system prompt."""
        chars = self.chars + self.course.chars[step] - self.freed.at(step)
        return list_tokens(chars, self.images + self.course.images[step]) + self.course.system

    def _rough(self, step: int) -> int:
        """Return the rough tokens of the next request after `step` messages, with system prompt and tools."""
        return self._list_tokens(step) + self.course.scale.tools

    def _reported(self, step: int) -> int:
        """Return the reported tokens of the next request after `step` messages."""
        scale = self.course.scale
        # If the recorded sizes shrink inside a list, the computed size of a shorter list could be less than its tools.
        return max(scale.least, scale.reported(self._list_tokens(step), step) - self.beyond + self.extra)

    def _sizes(self, steps: Sequence[int]) -> list[int]:
        """Return the reported tokens of the next request after each step, as `_reported` does."""
        course, scale = self.course, self.course.scale
        if self.freed or course.images[-1]:
            return list(map(self._reported, steps))
        chars, more, system = course.chars, self.chars + 3, course.system
        rest = self.images * IMAGE_TOKENS + system
        sizes = [(chars[step] + more) // 4 + rest for step in steps]
        if scale.requests:
            factor, beside = scale.scale, scale.beside - self.beyond + self.extra
            sizes = [int(factor * size + 0.5) + beside for size in sizes]
        if scale.excess:
            excess = scale.excess
            sizes = [size + excess[step] for size, step in zip(sizes, steps, strict=True)]
        return [max(scale.least, size) for size in sizes] if min(sizes, default=0) < scale.least else sizes

    def _fill(self, step: int) -> None:
        """Store the tokens of the list after each step, up to `step`."""
        if self.steps:
            self.tokens += self._sizes(range(len(self.tokens) + 1, step + 1))

    # Checks.

    def _request(self, step: int, turn_ends: bool = False) -> None:
        """Check the size of the next request."""
        course, limit = self.course, self.threshold
        if self.began:
            # The summary is used at the next tool results. If the turn ends first, it is started again.
            if course.messages.roles[step - 1] == _TOOL:
                self.began = False
                self._compact(step, self._compared(step))
            return
        if course.loop.turns_end and not turn_ends:
            limit = max(limit, self.settings.context_length)
        if self._compared(step) < limit:
            return
        self._shorten(step)
        tokens = self._compared(step)
        if tokens < limit or not self._allowed(step):
            return
        self.began = course.loop.background
        if not self.began:
            self._compact(step, tokens)

    def _compared(self, step: int) -> int:
        """Return the agent's own estimate of the next request after `step` messages."""
        course = self.course
        size = course.compared(step, self._reported(step), self.left_reasoning)
        if course.loop.reports and _ASSISTANT not in course.messages.roles[self.compacted : step]:
            return min(size, self._list_tokens(step) - course.system)
        return size

    def _shorten(self, step: int) -> None:
        """Shorten long results if the agent does that before it compacts."""
        self._fill(step)
        self.list.extend(step)
        self.added = step
        if self.list.shorten():
            self._measure(step)

    def _measure(self, step: int) -> None:
        """Store the size of the list after `step` messages."""
        self.chars = self.list.total_chars - self.course.chars[step]
        self.images = self.list.total_images - self.course.images[step]

    def _turn(self, step: int) -> None:
        """Check the rough size after a user message."""
        course, loop, threshold = self.course, self.course.loop, self.threshold
        few = self.settings.protect_first_n + self.settings.protect_last_n + 1
        if len(self.list) + step - self.added <= few and not (
            loop.large_turns and self._list_tokens(step) - course.system >= threshold
        ):
            return
        rough = self._rough(step)
        if self._deferred(rough):
            return
        for _ in range(MOST_IN_A_TURN):
            if rough < threshold or (loop.guards_turns and not self._allowed(step)):
                return
            length = len(self.list) + step - self.added
            self._compact(step, rough)
            before, rough = rough, self._rough(step)
            shrank = loop.large_turns and rough < before * (1 - LEAST_PROGRESS)
            if len(self.list) >= length and not shrank:
                return

    def _call(self, step: int) -> None:
        """Check the rough size before a call."""
        while self.attempts < MOST_IN_A_TURN:
            rough = self._rough(step)
            if rough < self.threshold or self._deferred(rough) or not self._allowed(step):
                return
            self.attempts += 1
            self._compact(step, rough)

    def _between(self, step: int) -> None:
        """Check the list between turns, as a gateway does."""
        hygiene, most = self.budgets.hygiene_tokens, self.budgets.hygiene_messages
        length = len(self.list) + step - self.added
        if not self.course.gateway or not hygiene or length < _HYGIENE_LEAST:
            return
        tokens = self.stored or self._list_tokens(step) - self.course.system
        if tokens >= hygiene or 0 < most <= length:
            self._compact(step, tokens, "hygiene")

    def _deferred(self, rough: int) -> bool:
        """Return whether a rough size over the threshold is ignored for now."""
        loop = self.course.loop
        if not loop.defers:
            return False
        ignored, self.deferral = self.deferral.at(rough, self.threshold, loop.awaits)
        return ignored

    def _allowed(self, step: int) -> bool:
        """Return whether the guards let the agent compact. Stores the step of the first refusal."""
        blocked = bool(self.guard.blocked())
        if blocked and self.gives_up is None:
            self.gives_up = step
        return not blocked

    def _respond(self, prompt: int) -> None:
        """Update the state of the run by the reported size of a prompt."""
        self.prompts.append(prompt)
        self.prompt = self.stored = prompt
        if self.guard.judged_by == "usage":
            self.guard = responded(self.guard, prompt, self.budgets.threshold_tokens)
        if self.course.loop.defers:
            self.deferral = self.deferral.after_response(prompt, self.threshold)

    def _compact(self, step: int, tokens: int, fires: str = "agent") -> None:
        """Compact the list after `step` messages. `tokens` is the size that was compared with the threshold."""
        course = self.course
        before, sent = self._list_tokens(step), self._reported(step)
        self.list.extend(step)
        self.added = step
        length, chars, self.summary = len(self.list), self.list.total_chars, 0
        done = self.list.compact(self._summary)
        if not isinstance(done, Compacted):
            self.guard = refused(self.guard, done)
            if fires != MANUAL:
                self.refused = step if self.refused is None else self.refused
                if self.gives_up is None and sent > self.settings.context_length:
                    self.gives_up = step
            return
        if not done.removed and (len(self.list), self.list.total_chars) == (length, chars):
            # Only the old summary was summarized, and the new one replaces it.
            self.guard = unchanged(self.guard, tokens, self._list_tokens(step) - course.system)
            self.fired.append(len(self.prompts))
            return
        self._fill(step)
        self.removed_by.update(dict.fromkeys(done.removed, len(self.events)))
        if course.reasoning:
            self.left_reasoning += sum(course.reasoning[index] for index in done.removed)
        if course.scale.excess:
            self.beyond += sum(map(course.scale.beyond, done.removed))
            kept = course.scale.excess[step] - self.beyond
            self.extra = self.model.extra(len(self.events), step, kept)
        self._measure(step)
        cleared = self.freed.at(step) // 4
        self.freed = Freed(course.cleared, step)
        after, prompt = self._list_tokens(step), self._reported(step)
        self.guard = compacted(self.guard, tokens, after - course.system)
        if course.loop.defers:
            self.deferral = self.deferral.after_compaction(self._rough(step))
        self.stored = 0
        # A compaction by hand replaces a compaction that the agent began.
        self.began = False
        self.fired.append(len(self.prompts))
        self.compacted = step
        self.events.append(
            Event(
                step=step,
                fires=fires,
                before=length,
                after=len(self.list),
                head_end=done.head_end,
                tail_start=done.tail_start,
                tokens_before=sent,
                tokens_after=prompt,
                rough_before=before + cleared,
                rough_after=after,
                summary=self.summary,
                cleared=cleared,
            )
        )
        if self.steps and step:
            self.tokens[step - 1] = prompt

    def _summary(self, budget: int, messages: int) -> MessageSize:
        """Return the size of the next summary message.

        `budget` is in tokens. `messages` is the number of messages that are summarized for the first time.
        """
        around = self.course.rules.summary_prefix + AROUND
        size = self.model.written(len(self.events), self.added, messages, self.written)
        if size is None:
            tokens = budget * self.model.ratio if self.model.tokens is None else self.model.tokens
            chars = int(tokens * self.model.factor) * 4 + around
            size = MessageSize(chars // 4 + 10, chars, 0)
        self.summary = max(0, size.chars - around) // 4
        self.written = size.chars
        return size


def metrics_of(
    course: Course,
    events: Sequence[Event],
    prompts: Sequence[int],
    removed_by: Mapping[int, int],
    facts: FactSteps | None,
) -> Metrics:
    """Return the metrics of a run. `prompts` has the tokens of all calls.

    `removed_by` maps each removed message to the compaction that removed it, in the order of compactions.
    """
    total_chars, sizes = course.chars[-1] or 1, course.sizes
    # Messages that left before the last compaction were summarized at least twice.
    early = bisect_left(list(removed_by.values()), len(events) - 1)
    steps, end = [event.step for event in events], len(course.messages)
    stays = sum(steps[removed_by[index]] if index in removed_by else end for index in course.users)
    stays -= sum(course.users)
    calls, prompts = len(prompts), prompts or [0]
    return Metrics(
        compactions=len(events),
        calls=calls,
        peak_tokens=max(prompts),
        mean_tokens=sum(prompts) // len(prompts),
        input_tokens=sum(prompts),
        summarized_share=sum(map(sizes.__getitem__, removed_by)) / total_chars,
        resummarized_share=sum(map(sizes.__getitem__, islice(removed_by, early))) / total_chars,
        user_steps=stays / len(course.users) if course.users else 0.0,
        cost=None if course.costs is None else course.costs.cost(events),
        **at_risk(facts, removed_by),
    )


def at_risk(facts: FactSteps | None, removed: Mapping[int, int]) -> dict[str, int]:
    """Return the metrics of facts if these messages were summarized; empty if the facts are unknown."""
    if facts is None:
        return {}
    counts = facts.gone(removed)
    return {"facts": len(facts), "facts_at_risk": counts.facts, "constraints_at_risk": counts.constraints}
