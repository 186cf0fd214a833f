"""A recorded conversation as steps (see `Transcript`), and the recorded sizes that a what-if starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.conversations import ASSISTANT, SYSTEM, USER, Compaction, Conversation, Microcompaction
from inspector.core.rough import text_tokens
from inspector.core.shares import plural
from inspector.engines.base import Plan, Settings, TokenIndex
from inspector.engines.capabilities import prunes
from inspector.engines.failures import failures_named
from inspector.engines.loop import BEFORE_REQUESTS, Loop
from inspector.engines.replayable import ReadList, Replayable
from inspector.engines.sizes import MessageSize
from inspector.quality.facts.risk import FactSteps
from inspector.replay.clearing import Cleared, Freed, before_clearing, cleared_results
from inspector.replay.context_scale import ContextScale, Reported, context_scale
from inspector.replay.course import Course
from inspector.replay.earlier import EarlierSettings
from inspector.replay.event import Event
from inspector.replay.fitting import Firing, Sums, fitted
from inspector.replay.moments import Moment, Moments
from inspector.replay.pricing import CostBasis
from inspector.replay.run import AROUND, MANUAL
from inspector.replay.run_metrics import metrics_of
from inspector.replay.summary_model import Extra, SummaryModel, WrittenSummary, new_chars
from inspector.replay.transcript import Transcript, calls, message_paths, transcript_of
from inspector.replay.whatif import Metrics

#: Share of the threshold below which compactions came for another reason. Without a recorded trigger they count as
#: manual.
FAR_BELOW = 0.5
#: A recorded size before a compaction is ignored if it is larger than the last request times this factor.
_LARGEST_GROWTH = 1.5


class Recording(Struct, frozen=True):
    """A conversation as it was recorded, and the course that a what-if runs.

    `events` are the recorded compactions. `tokens[n]` is the size of the list after n + 1 messages of the transcript,
    as the agent reports sizes if it reports any (`course.scale`), else rough. `model` has the sizes of the recorded
    summaries, and their median share of the budget.

    `lists` has the messages of each generation, as the engine reads them. `systems` has the tokens of the system prompt
    of each generation. `moments` are the steps of the replay.
    """

    transcript: Transcript
    events: tuple[Event, ...]
    tokens: tuple[int, ...]
    course: Course
    model: SummaryModel
    moments: Moments
    lists: tuple[ReadList, ...]
    systems: tuple[int, ...]

    def with_costs(self, costs: CostBasis | None) -> Recording:
        """Return the recording with its costs."""
        return replace(self, course=self.course.with_costs(costs))

    def token_index(self, at: Moment) -> TokenIndex:
        """Return the token index of the list at a moment."""
        return self.lists[at.generation - 1].token_index(at.length)

    def plan(self, at: Moment, settings: Settings, token_index: TokenIndex | None = None) -> Plan:
        """Plan a compaction of the list at a moment. `token_index` is the index of this list, if the caller has it.

        Raises EngineError if the engine fails.
        """
        engine, compactions = self.course.rules.engine, at.generation - 1
        if token_index is None:
            token_index = self.token_index(at)
        with failures_named(engine):
            return engine.plan(token_index, settings, compactions, self.systems[at.generation - 1])


class SizeRecords(NamedTuple):
    """The records of a store about sizes, in addition to the messages.

    `requests` have reported sizes. `sums` are the totals of sessions without such requests. `microcompactions` cleared
    old results. `threshold` (in tokens) and `loop` are the agent's, None if unknown. `gateway`: the messages
    came through a gateway. `earlier` has the settings before the current settings. `passed` has the agent's own
    earlier settings, each with its threshold in tokens.
    """

    requests: Sequence[Reported] = ()
    sums: Sequence[SessionUsage] = ()
    microcompactions: Sequence[Microcompaction] = ()
    threshold: int | None = None
    loop: Loop | None = None
    gateway: bool = False
    earlier: Sequence[EarlierSettings] = ()
    passed: Sequence[tuple[EarlierSettings, int]] = ()


class SessionUsage(NamedTuple):
    """The number of calls of a session, and the tokens of all their prompts.

    If `length` is set, `tokens` is the prompt of one call: the call made when the live list had `length` messages.
    """

    session: str
    calls: int
    tokens: int
    length: int | None = None


def recording_of(
    conversation: Conversation,
    compactions: Sequence[Compaction],
    rules: Replayable[Any],
    lists: Sequence[ReadList],
    systems: Sequence[int],
    evidence: SizeRecords,
    clears: bool,
) -> Recording:
    """Prepare a conversation for replay under the rules of an engine.

    `lists` has the messages of each generation, read by these rules. `systems` has the tokens of the system prompt of
    each generation. `clears`: runs clear the same tool results as the agent. Raises EngineError if the engine fails.
    """
    transcript = transcript_of(conversation, compactions)
    stretches = []
    for generation, places in groupby(transcript.places, key=lambda place: place.generation):
        indexes = [place.index for place in places]
        stretches.append((lists[generation - 1], indexes[0], indexes[-1] + 1))
    sized = _Sized(conversation, compactions, transcript, lists, systems, evidence)
    scale, loop = sized.scale()
    cleared = cleared_results(transcript, lists, evidence.microcompactions, evidence.requests, scale)
    sized.measure(scale, cleared, compactions, bool((loop or rules.loop).reasoning))
    events = tuple(
        sized.event(recorded, transcript.ends[recorded.index - 1])
        for recorded in compactions
        if recorded.index <= len(transcript.ends)
    )
    scale = sized.with_excess(scale)
    automatic = [event.step for event in events if event.fires != MANUAL]
    course = Course(
        rules,
        rules.join(stretches),
        systems[0],
        scale,
        cleared=cleared if clears else (),
        gateway=evidence.gateway,
        loop=loop,
        ahead=sized.ahead(),
        recorded_calls=sized.calls(),
        manual=[event.step for event in events if event.fires == MANUAL],
        compacted_at=automatic if evidence.requests else (),
        earlier=[(sized.step(earlier.generation, earlier.length), earlier) for earlier in evidence.earlier],
        reasoning=sized.reasoning(),
    )
    return Recording(
        transcript,
        events,
        tuple(sized.at(place.generation, place.index + 1) for place in transcript.places),
        course,
        _summary_model(sized, compactions, events, scale, rules, _ratio(compactions, lists, rules)),
        Moments(transcript, compactions, [len(listed) for listed in lists], prunes(rules.engine)),
        tuple(lists),
        tuple(systems),
    )


def _summary_model(
    sized: _Sized,
    compactions: Sequence[Compaction],
    events: Sequence[Event],
    scale: ContextScale,
    rules: Replayable[Any],
    ratio: float,
) -> SummaryModel:
    """Return the sizes of the recorded summaries. `ratio` is their median share of the budget."""
    summaries, extras = sized.summaries(compactions, events, scale, rules)
    if not summaries and any(recorded.encrypted for recorded in compactions):
        # The reported size includes a summary that cannot be read. A run adds one of the size of the budget.
        with failures_named(rules.engine):
            budget = rules.engine.budgets(Settings(profile=rules.engine.name)).max_summary_tokens
        added = round(scale.scale * (ratio * budget + text_tokens(rules.summary_prefix + AROUND)))
        extras = tuple(
            extra._replace(tokens=extra.tokens - added, beyond=extra.beyond - added) for extra in extras
        )
    return SummaryModel(ratio, recorded=summaries, extras=extras)


class _Sized:
    """Sizes of the recorded lists in tokens: reported sizes at requests, modelled sizes between requests.

    Call `scale` first, then `measure`, then the other methods.
    """

    def __init__(
        self,
        conversation: Conversation,
        compactions: Sequence[Compaction],
        transcript: Transcript,
        lists: Sequence[ReadList],
        systems: Sequence[int],
        evidence: SizeRecords,
    ) -> None:
        self.conversation = conversation
        self.transcript = transcript
        self.lists = lists
        self.evidence = evidence
        #: For each list, the rough tokens of its system prompt and its first 0, 1, ... messages. `measure` subtracts
        #: cleared results.
        self.rough = [
            [size + system for size in listed.growth()] for listed, system in zip(lists, systems, strict=True)
        ]
        #: For each list, the number of its first messages that the compaction before it left: the summary and copies.
        self.copied = [0] + [0] * (len(lists) - 1)
        for compaction in compactions:
            if compaction.index < len(lists):
                self.copied[compaction.index] = compaction.after
        #: The sizes before compactions that the agent reports.
        self.before = [
            Reported(
                done.index, self.rough[done.index - 1][done.before], done.tokens_before_reported, done.before
            )
            for done in compactions
            if done.tokens_before_reported and done.before and done.whole
        ]
        #: For each list, the characters that clearing freed. `measure` fills this and the next two attributes.
        self.freed: list[Freed] = []
        #: For each list, the tokens of its first 0, 1, ... messages.
        self.sizes: list[list[int]] = []
        #: The same as the agent compares them with its threshold: the last reported size and an estimate of later
        #: messages.
        self.compared: list[list[int]] = []

    def scale(self) -> tuple[ContextScale, Loop | None]:
        """Return the scale that fits the records best, and the loop of the agent.

        The loop is None if the records agree with the loop of the engine.
        """
        if self.evidence.requests:
            requests = before_clearing(self.evidence.requests, self.evidence.microcompactions)
            return context_scale(requests), None
        if self.before:
            basis = f"the sizes that the agent reports before {plural(len(self.before), 'compaction')}"
            return context_scale(self.before)._replace(basis=basis), None
        firings = list(self._firings())
        threshold, loop = self.evidence.threshold, self.evidence.loop
        if threshold is None or loop is None:
            return ContextScale(), None
        fit = fitted(list(self._sums()), firings, threshold, loop)
        # No price is below 0, and without a compaction the loop does not change it.
        if not loop.requests and fit.price >= 1 and len(self.lists) > 1:
            fits = (
                fitted(list(self._sums(before)), firings, threshold, BEFORE_REQUESTS)
                for before in (False, True)
            )
            other = min(fits, key=attrgetter("price"))
            if other.price <= fit.price - 1:
                return other.scale, BEFORE_REQUESTS
        return fit.scale, None

    def _calls(self, generation: int) -> list[int]:
        """Return the number of messages that a list had at each answered call."""
        roles = self.lists[generation - 1].roles
        first = self.copied[generation - 1]
        return [
            length
            for length in range(max(1, first), len(roles))
            if roles[length] == ASSISTANT and roles[length - 1] != ASSISTANT
        ]

    def _sums(self, before: bool = False) -> Iterator[Sums]:
        """Yield the calls of each session. `before`: the first call of each later list is sized by the list before."""
        for usage in self.evidence.sums:
            if usage.length is not None:
                live = self.rough[-1]
                if 0 < usage.length < len(live):
                    yield Sums(1, usage.tokens, (live[usage.length],))
                continue
            rough: list[int] = []
            for generation in self.conversation.generations:
                if generation.session == usage.session:
                    number = generation.number
                    sizes = [self.rough[number - 1][length] for length in self._calls(number)]
                    if before and number > 1 and sizes:
                        sizes[0] = self.rough[number - 2][-1]
                    rough += sizes
            yield Sums(usage.calls, usage.tokens, rough)

    def _firings(self) -> Iterator[Firing]:
        """Yield the rough sizes around each recorded compaction; see Firing."""
        for number in range(1, len(self.lists)):
            rough, roles = self.rough[number - 1], self.lists[number - 1].roles
            calls = self._calls(number)
            *_, last_but_one, last = (0, 0, *(rough[length] for length in calls))
            if len(rough) > 1:
                next_roles, first = self.lists[number].roles, self.copied[number]
                answered = first < len(next_roles) and next_roles[first] == ASSISTANT
                last_turn = bool(calls) and roles[calls[-1] - 1] == USER
                yield Firing(
                    coming=rough[-1],
                    last=last,
                    before=last_but_one,
                    turn=roles[len(rough) - 2] == USER,
                    answered=answered,
                    last_turn=last_turn,
                )

    def measure(
        self,
        scale: ContextScale,
        cleared: Sequence[Cleared],
        compactions: Sequence[Compaction],
        adds_results: bool,
    ) -> None:
        """Compute the size of each list after each of its messages: reported at requests, modelled between requests.

        `adds_results`: at a check, the agent adds the last results to the size that it reports.
        """
        starts = [0, *self.transcript.ends]
        requests: dict[int, dict[int, Reported]] = {}
        for request in self.evidence.requests:
            if request.tokens > 0:
                requests.setdefault(request.generation, {})[request.length] = request
        # For each compacted list, its length in messages when the compaction began, and the size reported then.
        at_end = {
            item.index: (item.began, item.tokens_before_reported or 0, item.overflow) for item in compactions
        }
        self.freed = [Freed(cleared, start) for start in starts]
        for number, rough in enumerate(self.rough, 1):
            freed, start, copied = self.freed[number - 1], starts[number - 1], self.copied[number - 1]
            steps = [start + max(0, length - copied) for length in range(len(rough))]
            uncleared = [size - freed.at(step) // 4 for size, step in zip(rough, steps, strict=True)]
            self.rough[number - 1] = uncleared
            reported = [request for _, request in sorted(requests.get(number, {}).items())]
            modelled = list(map(scale.reported, uncleared))
            sizes = list(modelled)
            compared = sizes
            for at, request in enumerate(reported):
                first = 0 if at == 0 else request.length
                end = reported[at + 1].length if at + 1 < len(reported) else len(sizes)
                for length in range(first, end):
                    sizes[length] = max(0, request.tokens + modelled[length] - modelled[request.length])
            if reported:
                sizes[0] = modelled[0] if number == 1 else sizes[0]
                compared = _compared(reported, uncleared, sizes)
                began, size, overflow = at_end.get(number, (None, 0, False))
                length = len(sizes) - 1 if began is None else began
                last = max((request.tokens for request in reported if request.length <= length), default=0)
                # A single result may be too large for the window.
                if last <= size and (overflow or size <= _LARGEST_GROWTH * last):
                    # The reported size includes an answer whose recorded text is a placeholder.
                    sizes[length] = size
                    compared[length] = max(size, compared[length] if adds_results else 0)
            self.sizes.append(sizes)
            self.compared.append(compared)

    def ahead(self) -> tuple[int, ...]:
        """Return by how many tokens the agent's estimate exceeds the size, after the first 0, 1, ... messages.

        Empty without reported requests.
        """
        if not self.evidence.requests:
            return ()
        places = [(place.generation - 1, place.index + 1) for place in self.transcript.places]
        return (0, *(self.compared[number][length] - self.sizes[number][length] for number, length in places))

    def reasoning(self) -> list[int]:
        """Return the reported reasoning tokens of each message of the transcript; empty without any."""
        tokens = [0] * len(self.transcript)
        for request in self.evidence.requests:
            place = self.step(request.generation, request.length)
            if place < len(tokens):
                tokens[place] += request.reasoning
        return tokens if any(tokens) else []

    def calls(self) -> list[int]:
        """Return the steps of the recorded requests, and of a call that is due at the end; empty without requests."""
        steps = {
            self.step(request.generation, request.length)
            for request in self.evidence.requests
            if request.tokens > 0
        }
        last_call = calls([place.role for place in self.transcript.places])[-1:]
        steps.update(step for step in last_call if steps and step == len(self.transcript))
        return sorted(steps - {0})

    def step(self, generation: int, length: int) -> int:
        """Return the number of messages of the transcript when a list had `length` messages."""
        return [0, *self.transcript.ends][generation - 1] + max(0, length - self.copied[generation - 1])

    def at(self, generation: int, length: int) -> int:
        """Return the tokens of the first `length` messages of a list."""
        return self.sizes[generation - 1][length]

    def with_excess(self, scale: ContextScale) -> ContextScale:
        """Return the scale with `excess`: the tokens of the first 0, 1, ... messages beyond their scaled rough size."""
        if not self.evidence.requests:
            return scale
        excess, total = [0], 0.0
        for place in self.transcript.places:
            sizes, rough = self.sizes[place.generation - 1], self.rough[place.generation - 1]
            grown = sizes[place.index + 1] - sizes[place.index]
            total += grown - scale.scale * (rough[place.index + 1] - rough[place.index])
            excess.append(round(total))
        return scale._replace(excess=excess)

    def _threshold(self, step: int) -> int:
        """Return the threshold of the agent after `step` messages, in tokens; 0 if unknown."""
        for earlier, threshold in self.evidence.passed:
            if step <= self.step(earlier.generation, earlier.length):
                return threshold
        return self.evidence.threshold or 0

    def event(self, recorded: Compaction, step: int) -> Event:
        """Return a recorded compaction as an event."""
        index = recorded.index
        before = self.sizes[index - 1][-1]
        if not recorded.before:
            # The list before is not recorded.
            before = recorded.tokens_before_reported or 0
        # The model may change right at the compaction, so the threshold of the last request counts too.
        lengths = [request.length for request in self.evidence.requests if request.generation == index]
        last = self.step(index, max(lengths)) if lengths else step
        threshold = min(self._threshold(step), self._threshold(last))
        is_unknown = recorded.trigger is None and not recorded.overflow
        is_early = is_unknown and recorded.before > 0 and before < FAR_BELOW * threshold
        by_hand = is_early or recorded.trigger == "manual"
        cleared = self.freed[index - 1].at(step) // 4
        after = self.sizes[index] if index < len(self.sizes) else None
        return Event(
            step=step,
            fires=MANUAL if by_hand or recorded.failed_request or recorded.broken else "agent",
            before=recorded.before,
            after=recorded.after,
            head_end=recorded.head_end,
            tail_start=recorded.tail_start,
            tokens_before=before,
            tokens_after=recorded.tokens_after
            if after is None
            else after[min(recorded.after, len(after) - 1)],
            rough_before=recorded.tokens_before,
            rough_after=recorded.tokens_after,
            fallback=recorded.fallback,
            summary=0 if recorded.fallback else text_tokens(len(recorded.summary or "")),
            cleared=cleared,
            overflow=recorded.overflow,
        )

    def summaries(
        self,
        compactions: Sequence[Compaction],
        events: Sequence[Event],
        scale: ContextScale,
        rules: Replayable[Any],
    ) -> tuple[tuple[WrittenSummary, ...], tuple[Extra, ...]]:
        """Return the recorded summaries of known size, and the tokens sent with each in addition to its text."""
        removed_by = message_paths(self.transcript, compactions).removed_by
        counts = Counter(removed_by.values())
        beyond = [0] * len(events)
        for message, number in removed_by.items():
            beyond[number - 1] += scale.beyond(message)
        reported = {request.generation for request in self.evidence.requests if request.tokens}
        written, extras, previous = [], [], ""
        for number, (event, beyond_until) in enumerate(zip(events, accumulate(beyond), strict=True)):
            size, body = _summary_size(compactions[number], self.lists), compactions[number].summary or ""
            if size is not None:
                fresh = new_chars(previous, body)
                written.append(WrittenSummary(event.step, counts[number + 1], size, fresh))
            previous = body
            if scale.excess and number + 2 in reported:
                more = event.tokens_after - scale.reported(event.rough_after, event.step) + beyond_until
                again = self._said_again(compactions[number], scale, rules) if event.fires == MANUAL else 0
                extras.append(Extra(event.step, more, scale.excess[event.step] - beyond_until + more, again))
        return tuple(written), tuple(extras)

    def _said_again(self, recorded: Compaction, scale: ContextScale, rules: Replayable[Any]) -> int:
        """Return the tokens of the instructions that a plan keeps, but that the agent left out and sent again with the
        next turn. Early releases of Codex do this after a manual compaction."""
        before, after = self.lists[recorded.index - 1], self.lists[recorded.index]
        if recorded.after >= len(after) or after.roles[recorded.after] != SYSTEM:
            return 0
        with failures_named(rules.engine):
            plan = rules.engine.plan(before.token_index(len(before)), Settings(profile=rules.engine.name))
        left_out = plan.kept - {index for index, _ in recorded.kept}
        again = {index for index in left_out if before.roles[index] == SYSTEM}
        beyond = sum(
            scale.beyond(message)
            for message, place in enumerate(self.transcript.places)
            if place.generation == recorded.index and place.index in again
        )
        return round(scale.scale * sum(before.chars[index] for index in again) / 4) + beyond


def _compared(requests: Sequence[Reported], rough: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """Return the agent's estimate of the next request after the first 0, 1, ... messages, in tokens.

    It is the size of the last request and its answer as reported, and the rough size of later messages.
    """
    compared = list(sizes)
    for at, request in enumerate(requests):
        answered = request.length + 1
        last = requests[at + 1].length if at + 1 < len(requests) else len(rough) - 1
        for length in range(answered, last + 1):
            answer = max(request.output, rough[answered] - rough[request.length])
            compared[length] = request.tokens + answer + rough[length] - rough[answered]
    return compared


def recorded_metrics(
    recording: Recording, compactions: Sequence[Compaction], facts: FactSteps | None = None
) -> Metrics:
    """Return the metrics of the recorded compactions, computed as those of a what-if. `facts`: None if unknown."""
    course, transcript = recording.course, recording.transcript
    after = {event.step: event.tokens_after for event in recording.events}
    prompts = [after.get(step, recording.tokens[step - 1]) for step in course.calls] or [0]
    removed: list[list[int]] = [[] for _ in recording.events]
    for message, number in sorted(message_paths(transcript, compactions).removed_by.items()):
        removed[number - 1].append(message)
    return metrics_of(course, recording.events, prompts, removed, facts)


def _summary_size(recorded: Compaction, lists: Sequence[ReadList]) -> MessageSize | None:
    """Return the size of a summary message. A merged summary has the size that its message grew by.

    None if the summary is encrypted or not recorded, or if the message before the merge is unknown.
    """
    if recorded.encrypted or recorded.index >= len(lists) or recorded.summary_at is None:
        return None
    before, after = lists[recorded.index - 1], lists[recorded.index]
    if recorded.summary_at >= len(after):
        return None
    size = after.size(recorded.summary_at)
    if not recorded.merged:
        return size
    place = recorded.tail_start + recorded.summary_at - recorded.tail_after
    if not 0 <= place < len(before):
        return None
    merged_into = before.size(place)
    chars = max(len(recorded.summary or ""), size.chars - merged_into.chars)
    return MessageSize(max(chars // 4, size.walk - merged_into.walk), chars, 0)


def _ratio(compactions: Sequence[Compaction], lists: Sequence[ReadList], rules: Replayable[Any]) -> float:
    """Return the median size of the recorded summaries as a share of their budget; 1 if there are none."""
    engine = rules.engine
    settings = Settings(profile=engine.name)
    shares = []
    for recorded in compactions:
        if recorded.summary is None or recorded.fallback:
            continue
        listed = lists[recorded.index - 1]
        with failures_named(engine):
            plan = engine.plan(listed.token_index(len(listed)), settings, recorded.index - 1)
        if plan.compacts and plan.summary_budget:
            shares.append(len(recorded.summary) / 4 / plan.summary_budget)
    shares.sort()
    return shares[len(shares) // 2] if shares else 1.0
