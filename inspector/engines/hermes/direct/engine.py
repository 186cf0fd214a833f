"""The engine of releases from 0.20.0 on: sizes alone do not determine what they do with a list, so it holds the
list."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from operator import is_
from typing import Any, NamedTuple, TypeVar

from inspector.core.messages import Message
from inspector.engines.base import Budgets, DerivationStep, Output, Plan, Settings
from inspector.engines.hermes.assembly import pruned_wire
from inspector.engines.hermes.direct import boundaries, pruning
from inspector.engines.hermes.direct.assembly import Kept, assembled, demoted, role_of
from inspector.engines.hermes.direct.estimates import message_tokens, rough_tokens
from inspector.engines.hermes.direct.handoffs import echoes_after, is_handoff, last_user, without_handoff
from inspector.engines.hermes.direct.restating import unfinished
from inspector.engines.hermes.estimates import call_id, check_serializable
from inspector.engines.hermes.policies import SUMMARY_FLOOR, SUMMARY_RATIO, Policies
from inspector.engines.hermes.pruning import RELEASE_ERRORS
from inspector.engines.hermes.release import ALL_STAYS, ReleaseEngine, not_compacted, too_few
from inspector.engines.hermes.summary_input import summary_input
from inspector.engines.remeasuring import Remeasuring
from inspector.engines.sizes import Refusal
from inspector.engines.summary_input import Mask, SummaryInput

Wire = Mapping[str, Any]
T = TypeVar("T")
#: Rough estimates of messages by their identity, with the messages so that they stay alive.
Counted = dict[int, tuple[Wire, int]]
_MOST_COUNTED = 100_000


class DirectIndex:
    """A list with its texts, and what each message counts for in the release's rough estimate. `counted` has the
    estimates of messages of earlier lists, by their identity."""

    def __init__(
        self, messages: Iterable[Message], policies: Policies, counted: Counted | None = None
    ) -> None:
        self.messages = tuple(messages)
        self.wires = [message.wire for message in self.messages]
        self.policies = policies
        counted = {} if counted is None else counted
        if len(counted) > _MOST_COUNTED:
            counted.clear()
        self._rough = {}
        for wire in self.wires:
            known = counted.get(id(wire))
            if known is None:
                known = counted[id(wire)] = wire, rough_tokens(wire)
            self._rough[id(wire)] = known[1]
        self._until = list(accumulate(map(self.rough, self.wires), initial=0))

    def __len__(self) -> int:
        return len(self.messages)

    def tokens(self, index: int) -> int:
        """Walk tokens of one message as it is; 0 where the release fails on it."""
        return self._counted(self.wires[index])

    def pruned_tokens(self, index: int) -> int:
        """Walk tokens of one message fully pruned."""
        return self._counted(pruned_wire(self.messages[index], None, self.policies))

    def _counted(self, wire: Wire) -> int:
        try:
            return message_tokens(wire, self.policies)
        except RELEASE_ERRORS:
            return 0

    def rough(self, wire: Wire) -> int:
        """Rough size of a message; messages that are in the unchanged list were counted before."""
        known = self._rough.get(id(wire))
        return rough_tokens(wire) if known is None else known

    def total(self) -> int:
        """The release's rough estimate of the whole list, without the system prompt, in tokens."""
        return self._until[-1]

    def rough_until(self, stop: int) -> int:
        """The same of the first `stop` messages."""
        return self._until[min(stop, len(self))]


class _Window(NamedTuple):
    """Decisions of a plan about the list without blank echoes; `kept` maps to the list with them.

    `head_end`, `cut` and `tail_start` index it: the head, the summarized messages, and the tail, which a later
    handoff moves.
    """

    pruned: Sequence[Wire]
    kept: Sequence[int]
    boundary: int
    head_end: int
    tail_start: int
    summarized_from: int
    middle: Sequence[Wire]
    steps: tuple[DerivationStep, ...]

    def place(self, index: int) -> int:
        """Index in the earlier list of a message of the shorter list."""
        return self.kept[index] if index < len(self.kept) else len(self.pruned) + index - len(self.kept)


class _Fails(Exception):
    """The release fails, or has nothing to do: the reason, the refusal, and what it raises."""

    def __init__(self, reason: str, refusal: Refusal, raises: str = "") -> None:
        super().__init__(reason, refusal, raises)


class DirectReplayable(Remeasuring):
    """Runs conversations under a release from 0.20.0 on. A run compacts the same messages again and again: each is
    counted once."""

    def __init__(self, engine: DirectEngine) -> None:
        super().__init__(DirectEngine(engine.policies, counted={}))

    def decisive(self, settings: Settings, budgets: Budgets) -> Hashable:
        """The derived numbers, and the messages that are protected."""
        return (
            budgets.threshold_tokens,
            budgets.tail_token_budget,
            budgets.tail_ceiling_tokens,
            budgets.round_tokens,
            budgets.max_summary_tokens,
            budgets.hygiene_tokens,
            bool(budgets.unbound),
            settings.protect_first_n,
            settings.protect_last_n,
            settings.min_tail_user_messages,
        )


class DirectEngine(ReleaseEngine):
    """A release from 0.20.0 on, whose plan depends on texts."""

    def __init__(self, policies: Policies, counted: Counted | None = None) -> None:
        super().__init__(policies)
        self._counted = counted
        #: The last list that was pruned, how, and the result.
        self._last: tuple[Sequence[Wire], tuple[Budgets, int], list[Wire]] | None = None

    def replayable(self) -> DirectReplayable:
        """How to run conversations."""
        return DirectReplayable(self)

    def measure(self, messages: Iterable[Message]) -> DirectIndex:
        """The list itself, counted."""
        return DirectIndex(messages, self.policies, self._counted)

    def plan(
        self, token_index: DirectIndex, settings: Settings, compactions: int = 0, system_tokens: int = 0
    ) -> Plan:
        """Plan a compaction now, after `compactions` earlier ones. `system_tokens` count for the gauge only."""
        numbers = self.budgets(settings)
        length, total = len(token_index), token_index.total() + system_tokens
        try:
            window = self._window(token_index.wires, settings, numbers, compactions)
            role, merged = self._role(window)
        except _Fails as failure:
            return not_compacted(
                self.name, numbers, length, token_index.total(), system_tokens, *failure.args
            )
        rough = token_index.rough
        middle = sum(map(rough, window.middle))
        budget = max(SUMMARY_FLOOR, min(int(middle * SUMMARY_RATIO), numbers.max_summary_tokens))
        head_end, tail_start = window.place(window.head_end), window.place(window.tail_start)
        head, tail = (
            sum(map(rough, part)) for part in (window.pruned[:head_end], window.pruned[tail_start:])
        )
        if numbers.unbound:
            kept = demoted([Kept(at, wire) for at, wire in enumerate(window.pruned[tail_start:])])
            tail = sum(rough(wire) for _, wire in kept)
        changed = [
            index
            for index, (old, new) in enumerate(zip(token_index.wires, window.pruned, strict=True))
            if old is not new
        ]
        return Plan(
            profile=self.name,
            budgets=numbers,
            length=length,
            compacts=True,
            reason="",
            head_end=head_end,
            tail_start=tail_start,
            prune_before=window.boundary,
            pruned=tuple(changed),
            summarized_from=window.place(window.summarized_from),
            summary_budget=budget,
            role=role,
            merged=merged,
            head_tokens=head,
            middle_tokens=middle,
            tail_tokens=tail,
            tokens_before=total,
            tokens_after=head + budget + tail + system_tokens,
            summary_tokens=budget,
            steps=window.steps,
        )

    def prune(self, messages: Sequence[Message], plan: Plan) -> tuple[Wire, ...]:
        """Every message after pruning."""
        wires = [message.wire for message in messages]
        if not plan.compacts:
            return tuple(wires)
        return tuple(self._pruned(wires, plan.budgets, plan.prune_before))

    def _pruned(self, wires: Sequence[Wire], numbers: Budgets, boundary: int) -> list[Wire]:
        """The pruned list. A run plans a list and then prunes it: the second time the result is known."""
        last, how = self._last, (numbers, boundary)
        if last and last[1] == how and len(last[0]) == len(wires) and all(map(is_, last[0], wires)):
            return last[2]
        found = pruning.prune(wires, self.policies, numbers, boundary)
        if self._counted is not None:
            self._last = wires, how, found
        return found

    def pruned_wire(self, message: Message, caller: Message | None) -> Wire:
        """One message as pruning leaves it, `caller` being the assistant message whose call it answers."""
        return pruned_wire(message, caller, self.policies)

    def assemble(self, messages: Sequence[Message], plan: Plan, summary: str) -> tuple[Output, ...]:
        """The list after, with `summary` as the handoff's text."""
        pruned = self.prune(messages, plan)
        if not plan.compacts:
            return tuple(Output(wire, index) for index, wire in enumerate(pruned))
        echoes = self._echoes(pruned)
        head = [Kept(index, pruned[index]) for index in range(plan.head_end) if index not in echoes]
        tail = [
            Kept(index, pruned[index]) for index in range(plan.tail_start, len(pruned)) if index not in echoes
        ]
        stays = self._kept(demoted(tail)) if plan.budgets.unbound else self._kept(tail)
        request = self._request(messages) if self.policies.restates else None
        headless = plan.head_end == 0
        return tuple(assembled(self._kept(head), stays, headless, summary, self.policies, request))

    def _request(self, messages: Sequence[Message]) -> Kept | None:
        wires = [message.wire for message in messages]
        at = unfinished(wires, self.policies)
        return None if at is None else Kept(at, wires[at])

    def summary_input(self, messages: Sequence[Message], plan: Plan, focus: str, mask: Mask) -> SummaryInput:
        """Input of the summary model."""
        pruned = self.prune(messages, plan)
        head, tail = plan.regions()
        echoes = self._echoes(pruned)
        kept = [index for index in range(len(pruned)) if index not in echoes]
        left = [pruned[index] for index in kept]
        places = [sum(index < end for index in kept) for end in (head, tail)]
        first = int(bool(left) and left[0].get("role") == "system")
        handoffs = [index for index in range(first, places[1]) if is_handoff(left[index], self.policies)]
        turns, _ = self._middle(left, places[0], places[1], handoffs)
        size = sum(map(rough_tokens, turns))
        return summary_input(messages, pruned, turns, plan, size, self.policies, focus, mask)

    def _echoes(self, pruned: Sequence[Wire]) -> range:
        return echoes_after(pruned, last_user(pruned, 0, self.policies), self.policies)

    def _kept(self, part: Iterable[tuple[int, Wire]]) -> list[Kept]:
        """The messages of a part that stay: handoffs leave it, the messages that they were merged with stay."""
        found = ((index, without_handoff(wire, self.policies)) for index, wire in part)
        return [Kept(index, wire) for index, wire in found if wire is not None]

    def _role(self, window: _Window) -> tuple[str, bool]:
        left = [window.pruned[index] for index in window.kept]
        head = self._kept(enumerate(left[: window.head_end]))
        tail = self._kept(enumerate(left[window.tail_start :]))
        _phase("mends tool pairs", lambda: _pair(kept.wire for kept in (*head, *tail)))
        chosen = role_of(head, tail, window.head_end == 0)
        return ("", True) if chosen.target is not None else (chosen.role, False)

    def _window(
        self, wires: Sequence[Wire], settings: Settings, numbers: Budgets, compactions: int
    ) -> _Window:
        policies, budget = self.policies, numbers.tail_token_budget
        size = boundaries.head_size(wires, policies, settings.protect_first_n, compactions)
        if len(wires) <= size + 4:
            raise _Fails(too_few(len(wires), size), "too few")
        boundary = _phase(
            "prunes", lambda: pruning.prune_boundary(wires, policies, numbers, settings.protect_last_n)
        )
        pruned = _phase("prunes", lambda: self._pruned(wires, numbers, boundary))
        echoes = self._echoes(pruned)
        kept = [index for index in range(len(pruned)) if index not in echoes]
        left = [pruned[index] for index in kept]
        size = boundaries.head_size(left, policies, settings.protect_first_n, compactions)
        head_end = boundaries.past_results(left, size)
        search = boundaries.TailCut(left, policies, settings, head_end, budget, numbers.tail_ceiling_tokens)
        cut = _phase("looks for the tail", search.find)
        cut = boundaries.bridged(left, head_end, cut, last_user(left, 0, policies))
        if head_end >= cut:
            raise _Fails(ALL_STAYS, "fits")
        first = int(bool(left) and left[0].get("role") == "system")
        stop = cut if compactions else len(left)
        handoffs = [index for index in range(first, stop) if is_handoff(left[index], policies)]
        middle, tail_start = self._middle(left, head_end, cut, handoffs)
        if not middle:
            raise _Fails("an earlier summary is all that could be summarized", "fits")
        _phase("writes out the middle", lambda: _write_out(middle, policies))
        steps = [DerivationStep("head", size, f"the first {size} messages are protected"), *search.steps]
        if cut != search.cut:
            why = "what the agent did before the last user message goes with it"
            steps.append(DerivationStep("bridge", cut, why, bound=True))
        if tail_start != cut:
            steps.append(
                DerivationStep("handoff", tail_start, "the tail starts behind the newest handoff", bound=True)
            )
        start = max(head_end, handoffs[-1] + 1) if handoffs and handoffs[-1] < cut else head_end
        return _Window(pruned, kept, boundary, head_end, tail_start, start, middle, tuple(steps))

    def _middle(
        self, left: Sequence[Wire], head_end: int, cut: int, handoffs: Sequence[int]
    ) -> tuple[list[Wire], int]:
        """The messages for the summary model, and the start of the tail: handoffs go into the summary before."""
        if not handoffs:
            return list(left[head_end:cut]), cut
        newest = handoffs[-1]
        before = [
            own if index in handoffs else left[index]
            for index in range(head_end, newest)
            if (own := without_handoff(left[index], self.policies)) is not None
        ]
        own = without_handoff(left[newest], self.policies)
        middle = [*before, *([own] if own is not None else []), *left[newest + 1 : cut]]
        return middle, max(cut, newest + 1)


def _write_out(middle: Iterable[Wire], policies: Policies) -> None:
    for wire in middle:
        check_serializable(wire, policies)


def _pair(wires: Iterable[Wire]) -> None:
    for wire in wires:
        if wire.get("role") == "assistant":
            for call in wire.get("tool_calls") or []:
                hash(call_id(call))
        elif wire.get("role") == "tool":
            hash(wire.get("tool_call_id"))


def _phase(words: str, work: Callable[[], T]) -> T:
    try:
        return work()
    except RELEASE_ERRORS as error:
        name = type(error).__name__
        raise _Fails(
            f"the release fails while it {words}: {name}", "fails", f"{name} in this list"
        ) from error
