"""What other settings would have done with a whole conversation, by arithmetic over sketches of its messages.

The engine's own plan decides each compaction. Modelled is only the summary's size; mended tool pairs are not counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from inspector.core.rough import IMAGE_TOKENS, list_tokens
from inspector.engines.base import Budgets, Plan, Settings
from inspector.engines.hermes.engine import HermesEngine
from inspector.engines.hermes.measures import measures_of
from inspector.engines.hermes.sketches import ASSISTANT, USER, Numbers, Sketch
from inspector.engines.thrift import Guard, compacted, guard_of, nothing_done, responded
from inspector.replay.transcript import calls

#: Characters around a summary's body in the list: prefix where the release's is unknown, end marker, mapping.
_PREFIX, _AROUND = 60, 130


@dataclass(frozen=True, slots=True)
class SummaryModel:
    """How large a summary is. `ratio` is its size as a share of its budget; `recorded` are the sizes of the summary
    messages that were really written, the first for the first compaction (None where there is none)."""

    ratio: float = 1.0
    recorded: tuple[Numbers | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """A compaction that would have happened after `step` messages. Boundaries index the list then; `before` and
    `after` are its lengths in messages, tokens are rough, the system prompt included."""

    step: int
    fires: str
    before: int
    after: int
    head_end: int
    tail_start: int
    tokens_before: int
    tokens_after: int
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a run cost and what it did to the messages. Tokens are rough; shares are of the characters said.

    `input_tokens` are those of all prompts together; `summarized_share` went through a summary at least once,
    `resummarized_share` at least twice; `user_steps` is for how many steps a user message stayed verbatim, on
    average.
    """

    compactions: int
    calls: int
    peak_tokens: int
    mean_tokens: int
    input_tokens: int
    summarized_share: float
    resummarized_share: float
    user_steps: float


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A run: its compactions, the tokens of the list after each step, its metrics, and where it gave up."""

    settings: Settings
    budgets: Budgets
    events: tuple[Event, ...]
    tokens: tuple[int, ...]
    metrics: Metrics
    gave_up_at: int | None = None


class Course:
    """A conversation made ready to be run under any settings of one engine."""

    def __init__(self, engine: HermesEngine, sketches: Sequence[Sketch], system_tokens: int) -> None:
        self.engine = engine
        self.sketches = tuple(sketches)
        self.system = system_tokens
        self.calls = calls([found.role for found in self.sketches])
        self.chars = list(accumulate((found.now.chars for found in self.sketches), initial=0))
        self.images = list(accumulate((found.now.images for found in self.sketches), initial=0))

    def run(self, settings: Settings, model: SummaryModel | None = None) -> WhatIf:
        """Run the conversation from its start."""
        return _Run(self, settings, model or SummaryModel()).go()


class _Run:
    """One run: the list as it would be, and what became of every message."""

    def __init__(self, course: Course, settings: Settings, model: SummaryModel) -> None:
        self.course = course
        self.settings = settings
        self.model = model
        self.budgets = course.engine.budgets(settings)
        self.base: list[tuple[int, Sketch]] = []
        self.base_chars = self.base_images = 0
        self.start = 0
        self.events: list[Event] = []
        self.guard: Guard = guard_of(settings.profile)
        self.left: dict[int, int] = {}
        self.gave_up_at: int | None = None
        self.tokens: list[int] = []
        self.prompts: list[int] = []

    def go(self) -> WhatIf:
        """Every call of the model in turn."""
        limit = min(self.budgets.threshold_tokens, self.budgets.hygiene_tokens)
        course = self.course
        at = 0
        while at < len(course.calls):
            reach = self._first_over(limit, at)
            self._prompt(at, reach)
            at = reach
            if at == len(course.calls):
                break
            step = course.calls[at]
            if not self._fire(step):
                self._prompt(at, at + 1)
            at += 1
        self._fill(len(course.sketches))
        return WhatIf(
            self.settings,
            self.budgets,
            tuple(self.events),
            tuple(self.tokens),
            self._metrics(),
            self.gave_up_at,
        )

    def _tokens_at(self, step: int) -> int:
        chars = self.base_chars + self.course.chars[step] - self.course.chars[self.start]
        images = self.base_images + self.course.images[step] - self.course.images[self.start]
        return list_tokens(chars, images) + self.course.system

    def _first_over(self, limit: int, at: int) -> int:
        """The first call from `at` on whose prompt reaches the limit; the number of calls where none does."""
        return bisect_left(self.course.calls, True, at, key=lambda step: self._tokens_at(step) >= limit)

    def _prompt(self, start: int, stop: int) -> None:
        found = self._sizes(self.course.calls[start:stop])
        self.prompts += found
        for tokens in found:
            before = self.guard
            self.guard = responded(before, tokens, self.budgets.threshold_tokens)
            if self.guard is before:
                # All but the last of a stretch are under the threshold: nothing more changes.
                break

    def _fill(self, step: int) -> None:
        self.tokens += self._sizes(range(len(self.tokens) + 1, step + 1))

    def _sizes(self, steps: Sequence[int]) -> list[int]:
        """The tokens of the list after each of these steps; `_tokens_at`, many at once."""
        course = self.course
        chars, images = course.chars, course.images
        more = self.base_chars - chars[self.start] + 3
        rest = (self.base_images - images[self.start]) * IMAGE_TOKENS + course.system
        if images[-1] == 0:
            return [(chars[step] + more) // 4 + rest for step in steps]
        return [(chars[step] + more) // 4 + images[step] * IMAGE_TOKENS + rest for step in steps]

    def _fire(self, step: int) -> bool:
        """Compact the list after `step` messages, where the guards and the plan let it."""
        before = self._tokens_at(step)
        if self.guard.blocked():
            if self.gave_up_at is None:
                self.gave_up_at = step
            return False
        entries = self.base + list(enumerate(self.course.sketches[self.start : step], self.start))
        measures = measures_of([found for _, found in entries], self.course.engine.policies)
        plan = self.course.engine.plan(measures, self.settings, len(self.events), self.course.system)
        if not plan.compacts:
            self.guard = nothing_done(self.guard)
            return False
        self._fill(step)
        self._replace(entries, plan)
        self.start = step
        after = self._tokens_at(step)
        messages_after = after - self.course.system
        self.guard = compacted(self.guard, before, messages_after)
        head, tail = plan.regions()
        fires = "agent" if before >= self.budgets.threshold_tokens else "hygiene"
        length = len(entries)
        self.events.append(Event(step, fires, length, len(self.base), head, tail, before, after))
        self.tokens[-1] = after
        self.prompts.append(after)
        self.guard = responded(self.guard, after, self.budgets.threshold_tokens)
        return True

    def _replace(self, entries: list[tuple[int, Sketch]], plan: Plan) -> None:
        head, tail = plan.regions()
        changed = frozenset(plan.pruned)
        for index, _ in entries[head:tail]:
            if index >= 0:
                self.left[index] = len(self.events)
        summary = self._summary(plan)
        kept = [
            self._kept(entry, at in changed, at >= plan.prune_before)
            for at, entry in enumerate(entries[:head])
        ]
        behind = [
            self._kept(entry, at in changed, at >= plan.prune_before)
            for at, entry in enumerate(entries[tail:], tail)
        ]
        if plan.merged and behind:
            index, first = behind[0]
            now = first.now
            merged = Numbers(now.walk + summary.walk, now.chars + summary.chars, now.images)
            behind[0] = (index, first._replace(now=merged, short=None, handoff=True))
        else:
            role = USER if plan.role == "user" else ASSISTANT
            kept.append((-1, Sketch(role, False, summary, handoff=True, speaks=role == ASSISTANT)))
        self.base = kept + behind
        self.base_chars = sum(found.now.chars for _, found in self.base)
        self.base_images = sum(found.now.images for _, found in self.base)

    @staticmethod
    def _kept(entry: tuple[int, Sketch], changed: bool, repeated: bool) -> tuple[int, Sketch]:
        index, found = entry
        if not changed:
            return entry
        # Behind the pruned part only back-references change anything; before it they come first too.
        now = (
            found.repeated
            if repeated and found.repeated is not None
            else found.short or found.repeated or found.now
        )
        return index, found._replace(now=now, short=None, repeated=None, same=None, erasable=False)

    def _summary(self, plan: Plan) -> Numbers:
        number = len(self.events)
        recorded = self.model.recorded[number] if number < len(self.model.recorded) else None
        if recorded is not None:
            return recorded
        body = int(plan.summary_budget * self.model.ratio) * 4
        wordings = self.course.engine.policies.wordings
        chars = body + (wordings[0].length if wordings else _PREFIX) + _AROUND
        return Numbers(chars // 4 + 10, chars, 0)

    def _metrics(self) -> Metrics:
        sketches, count = self.course.sketches, len(self.events)
        said = self.course.chars[-1] or 1
        once = sum(sketches[index].now.chars for index in self.left)
        twice = sum(sketches[index].now.chars for index, at in self.left.items() if count - at >= 2)
        end = len(sketches)
        stays = [
            (self.events[self.left[index]].step if index in self.left else end) - index
            for index, found in enumerate(sketches)
            if found.role == USER
        ]
        prompts = self.prompts or [0]
        return Metrics(
            compactions=count,
            calls=len(self.prompts),
            peak_tokens=max(prompts),
            mean_tokens=sum(prompts) // len(prompts),
            input_tokens=sum(prompts),
            summarized_share=once / said,
            resummarized_share=twice / said,
            user_steps=sum(stays) / len(stays) if stays else 0.0,
        )


def metrics_of(run: WhatIf) -> Mapping[str, float]:
    """The metrics of a run by name, for tables and heat maps."""
    found = run.metrics
    return {name: getattr(found, name) for name in Metrics.__dataclass_fields__}
