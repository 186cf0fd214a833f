"""A run in progress: the live list, and the compactions that the engine makes of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import itemgetter

from msgspec.structs import replace

from inspector.core.conversations import ASSISTANT, TOOL
from inspector.core.rough import IMAGE_TOKENS, list_tokens
from inspector.engines.base import Settings
from inspector.engines.guards import Guard, compacted, guard_of, refused, responded, unchanged
from inspector.engines.loop import LEAST_PROGRESS, MOST_IN_A_TURN, Deferral
from inspector.engines.sizes import Compacted, MessageSize
from inspector.replay.check_points import Check
from inspector.replay.clearing import Freed
from inspector.replay.course import Course, Period
from inspector.replay.event import Event
from inspector.replay.run_metrics import metrics_of
from inspector.replay.summary_model import SummaryModel
from inspector.replay.whatif import WhatIf

#: `Event.fires` of a manual compaction.
MANUAL = "manual"
#: Minimum number of messages of a list that a gateway compacts between turns.
_HYGIENE_LEAST = 4
#: Characters of a summary message without its body and the engine's prefix: the end marker, and the keys of the
#: message as Python prints them.
AROUND = 130
#: If the list is compacted before this many consecutive calls, the agent compacts at every call.
_IN_A_ROW = 3


def run_course(
    course: Course, settings: Settings, model: SummaryModel | None = None, steps: bool = True
) -> WhatIf:
    """Run a conversation from its start. Without the tokens after each step (`steps`) this is faster."""
    return Run(course, settings, model or SummaryModel(), steps).run()


def half_and_double(
    course: Course, settings: Settings, model: SummaryModel, steps: bool = True
) -> tuple[WhatIf, WhatIf]:
    """Run twice, with summaries of half and of twice the size. `steps` is as in `run_course`."""
    half, twice = (
        run_course(course, settings, replace(model, factor=model.factor * by), steps) for by in (0.5, 2.0)
    )
    return half, twice


class Run:
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
        #: Maximum tokens that the size of a check has beyond the scaled size of its list.
        self.most_beyond = sum(
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
        #: The messages that each compaction removed, in order.
        self.removed: list[Sequence[int]] = []
        #: As in WhatIf.
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
            metrics_of(course, self.events, self.prompts, self.removed, course.facts),
            self.gives_up,
            self._every_call(),
            tuple(self.removed),
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
            if loop.turns_end and self.course.is_sized(step):
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
        reported = least - self.most_beyond - (self.extra - self.beyond)
        if scale.requests:
            reported = int((reported - scale.beside) / scale.scale)
        rough = min(reported, least - scale.tools) - course.system - 2
        chars = 4 * (rough - (self.images + course.images[-1]) * IMAGE_TOKENS)
        next_manual = bisect_left(course.manual, at)
        stop = course.manual[next_manual] if next_manual < len(course.manual) else len(course.checks)
        if course.gateway and self.budgets.hygiene_messages:
            step = self.added + self.budgets.hygiene_messages - len(self.list)
            stop = min(stop, bisect_left(course.checks, step, at, key=itemgetter(0)))
        return min(stop, self.next_period, bisect_left(course.check_chars, chars - self.chars, at))

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
        return self._scaled(self._list_tokens(step), step)

    def _scaled(self, tokens: int, step: int) -> int:
        """Return the reported tokens of a request of this rough size after `step` messages."""
        scale = self.course.scale
        # If the recorded sizes shrink inside a list, the computed size of a shorter list could be less than its tools.
        return max(scale.least, scale.reported(tokens, step) - self.beyond + self.extra)

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
            if course.messages.roles[step - 1] == TOOL:
                self.began = False
                self._compact(step, self._compared(step))
            return
        if course.loop.turns_end and not turn_ends:
            limit = max(limit, self.settings.context_length)
        tokens = self._compared(step)
        if tokens >= limit and self._shorten(step):
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
        if course.loop.reports and ASSISTANT not in course.messages.roles[self.compacted : step]:
            return min(size, self._list_tokens(step) - course.system)
        return size

    def _shorten(self, step: int) -> bool:
        """Shorten long results if the agent does that before it compacts. Return whether any was shortened."""
        self._fill(step)
        self.list.extend(step)
        self.added = step
        if not self.list.shorten():
            return False
        self._measure(step)
        return True

    def _measure(self, step: int) -> None:
        """Store the size of the list after `step` messages."""
        self.chars = self.list.total_chars - self.course.chars[step]
        self.images = self.list.total_images - self.course.images[step]

    def _turn(self, step: int) -> None:
        """Check the rough size after a user message."""
        course, loop, threshold = self.course, self.course.loop, self.threshold
        protected = self.settings.protect_first_n + self.settings.protect_last_n
        if len(self.list) + step - self.added <= protected + 1 and not (
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
        before = self._list_tokens(step)
        sent = self._scaled(before, step)
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
        self.removed.append(done.removed)
        if course.reasoning:
            self.left_reasoning += sum(course.reasoning[index] for index in done.removed)
        if course.scale.excess:
            self.beyond += sum(map(course.scale.beyond, done.removed))
            kept = course.scale.excess[step] - self.beyond
            self.extra = self.model.extra(len(self.events), step, kept)
        self._measure(step)
        cleared = self.freed.at(step) // 4
        self.freed = Freed(course.cleared, step)
        after = self._list_tokens(step)
        prompt = self._scaled(after, step)
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
