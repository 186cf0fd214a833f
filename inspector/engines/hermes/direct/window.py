"""The kept and the summarized messages (releases from 0.20.0 on, `compress`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from inspector.engines.base import Budgets, DerivationStep, Settings
from inspector.engines.hermes.budgets import summary_budget
from inspector.engines.hermes.direct import boundaries, pruning
from inspector.engines.hermes.direct.assembly import role_of
from inspector.engines.hermes.direct.rows import (
    HANDOFF,
    MENDED,
    ROUGH,
    WRITTEN,
    DirectRow,
    echoes_after,
    last_user,
)
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.pruning import RELEASE_ERRORS
from inspector.engines.hermes.release import ALL_STAYS, too_few
from inspector.engines.sizes import Refusal

T = TypeVar("T")


class Window(NamedTuple):
    """Decisions of a plan about the list without blank echoes. `kept` maps its indexes to the list with them.
    `head_end` and `tail_start` are indexes of the shorter list; a later handoff moves `tail_start`. `role` is the role
    of the summary, "" if the summary is merged into a message of the tail.
    """

    pruned: Sequence[DirectRow]
    kept: Sequence[int]
    boundary: int
    head_end: int
    tail_start: int
    summarized_from: int
    middle: Sequence[DirectRow]
    role: str
    steps: tuple[DerivationStep, ...]

    def place(self, index: int) -> int:
        """Return the index of a message of the shorter list in the whole list."""
        return self.kept[index] if index < len(self.kept) else len(self.pruned) + index - len(self.kept)

    def budget(self, numbers: Budgets) -> int:
        """Return the maximum tokens of the summary."""
        return summary_budget(sum(map(ROUGH, self.middle)), numbers)


class NotCompacted(Exception):
    """The release fails or has nothing to do: the reason, the refusal, and the exception that it raises."""

    def __init__(self, reason: str, refusal: Refusal, raises: str = "") -> None:
        super().__init__(reason, refusal, raises)
        self.refusal: Refusal = refusal


def window(
    rows: Sequence[DirectRow], policies: Policies, settings: Settings, numbers: Budgets, compactions: int
) -> Window:
    """Decide what stays and what is summarized. Raises NotCompacted."""
    budget = numbers.tail_token_budget
    size = boundaries.head_size(rows, settings.protect_first_n, compactions)
    if len(rows) <= size + 4:
        raise NotCompacted(too_few(len(rows), size), "too few")
    boundary, pruned = _phase(
        "prunes", lambda: pruning.pruned(rows, policies, numbers, settings.protect_last_n)
    )
    remaining, kept = without_echoes(pruned)
    size = boundaries.head_size(remaining, settings.protect_first_n, compactions)
    search = boundaries.TailCut(remaining, policies, settings, size, budget, numbers.tail_ceiling_tokens)
    head_end = search.head_end
    cut = _phase("looks for the tail", search.find)
    cut = search.bridged(last_user(remaining, 0))
    if head_end >= cut:
        raise NotCompacted(ALL_STAYS, "fits")
    first = int(bool(remaining) and remaining[0].role == "system")
    stop = cut if compactions else len(remaining)
    handoffs = [index for index, found in enumerate(map(HANDOFF, remaining[first:stop]), first) if found]
    middle, tail_start = middle_of(remaining, head_end, cut, handoffs)
    if not middle:
        raise NotCompacted("an earlier summary is all that could be summarized", "fits")
    _phase("serializes the middle", lambda: all(map(WRITTEN, middle)))
    steps = [DerivationStep("head", size, f"the first {size} messages are protected"), *search.steps]
    if cut != search.cut:
        why = "what the agent did before the last user message goes with it"
        steps.append(DerivationStep("bridge", cut, why, bound=True))
    if tail_start != cut:
        steps.append(
            DerivationStep("handoff", tail_start, "the tail starts after the newest handoff", bound=True)
        )
    start = max(head_end, handoffs[-1] + 1) if handoffs and handoffs[-1] < cut else head_end
    head, tail = _phase(
        "repairs tool pairs",
        lambda: [
            list(filter(None, map(MENDED, part))) for part in (remaining[:head_end], remaining[tail_start:])
        ],
    )
    chosen = role_of(head, tail, head_end == 0)
    role = chosen.role if chosen.target is None else ""
    return Window(pruned, kept, boundary, head_end, tail_start, start, middle, role, tuple(steps))


def without_echoes(pruned: Sequence[DirectRow]) -> tuple[Sequence[DirectRow], Sequence[int]]:
    """Return the list without blank echoes, and the indexes of its messages in the whole list."""
    echoes = echoes_in(pruned)
    if not echoes:
        return pruned, range(len(pruned))
    kept = [index for index in range(len(pruned)) if index not in echoes]
    return [pruned[index] for index in kept], kept


def echoes_in(pruned: Sequence[DirectRow]) -> range:
    return echoes_after(pruned, last_user(pruned, 0))


def middle_of(
    remaining: Sequence[DirectRow], head_end: int, cut: int, handoffs: Sequence[int]
) -> tuple[list[DirectRow], int]:
    """Return the messages for the summary model, and the start of the tail. Handoffs become part of the previous
    summary."""
    if not handoffs:
        return list(remaining[head_end:cut]), cut
    newest = handoffs[-1]
    before = [
        remainder if index in handoffs else remaining[index]
        for index in range(head_end, newest)
        if (remainder := remaining[index].remainder) is not None
    ]
    remainder = remaining[newest].remainder
    middle = [*before, *([remainder] if remainder is not None else []), *remaining[newest + 1 : cut]]
    return middle, max(cut, newest + 1)


def _phase(words: str, work: Callable[[], T]) -> T:
    try:
        return work()
    except RELEASE_ERRORS as error:
        name = type(error).__name__
        raise NotCompacted(
            f"the release fails while it {words}: {name}", "fails", f"{name} in this list"
        ) from error
