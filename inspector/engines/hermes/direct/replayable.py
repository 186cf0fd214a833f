"""Runs of whole conversations under a release from 0.20.0 on. All runs share the rows of the conversation."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

from inspector.core.messages import Message
from inspector.engines.base import Budgets, Settings
from inspector.engines.hermes.direct.estimates import message_tokens
from inspector.engines.hermes.direct.pruning import all_pruned
from inspector.engines.hermes.direct.rows import ROUGH, DirectRow, rows_of
from inspector.engines.hermes.direct.window import NotCompacted, window
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.pruning import RELEASE_ERRORS
from inspector.engines.hermes.release import ReleaseReplayable
from inspector.engines.remeasuring import LiveItems, ReadItems
from inspector.engines.sizes import Compacted, MessageSize, Refusal

Wire = Mapping[str, Any]


class DirectIndex:
    """A list with its texts."""

    def __init__(self, rows: Sequence[DirectRow], policies: Policies) -> None:
        self.rows = rows
        self.policies = policies
        self._until = list(accumulate((row.rough for row in rows), initial=0))

    def __len__(self) -> int:
        return len(self.rows)

    def tokens(self, index: int) -> int:
        """Return the walk tokens of one message before pruning; 0 if the release fails on it."""
        return self._counted(self.rows[index].wire)

    def pruned_tokens(self, index: int) -> int:
        """Return the walk tokens of one message after full pruning."""
        return self._counted(self._pruned[index].wire)

    @cached_property
    def _pruned(self) -> Sequence[DirectRow]:
        try:
            return all_pruned(self.rows, self.policies)
        except RELEASE_ERRORS:
            return self.rows

    def _counted(self, wire: Wire) -> int:
        try:
            return message_tokens(wire, self.policies)
        except RELEASE_ERRORS:
            return 0

    def total(self) -> int:
        """Return the release's rough estimate of the whole list, without the system prompt, in tokens."""
        return self._until[-1]

    def rough_until(self, stop: int) -> int:
        """Return the rough estimate of the first `stop` messages."""
        return self._until[min(stop, len(self))]


class DirectReplayable(ReleaseReplayable):
    """Runs conversations under a release whose plan depends on texts."""

    def read(self, messages: Iterable[Message]) -> DirectList:
        """Return a row for each message of a list."""
        return DirectList(self.policies, rows_of(messages, self.policies))

    def join(self, parts: Iterable[tuple[DirectList, int, int]]) -> DirectList:
        """Return a list made of ranges of other lists."""
        return DirectList(
            self.policies, [row for part, start, stop in parts for row in part.items[start:stop]]
        )


class DirectList(ReadItems[DirectRow]):
    """A list as rows. The release adds up whole tokens of its messages: each has four characters for a token."""

    def __init__(self, policies: Policies, rows: list[DirectRow]) -> None:
        super().__init__(rows, array("q", (4 * row.rough for row in rows)), array("q", bytes(8 * len(rows))))
        self.policies = policies

    def token_index(self, stop: int) -> DirectIndex:
        """Data for a plan of the first `stop` messages."""
        return DirectIndex(self.items[:stop], self.policies)

    def live(self, settings: Settings, budgets: Budgets, system_tokens: int) -> DirectLiveList:
        """Return an empty list that grows by these messages."""
        return DirectLiveList(self, settings, budgets, self.policies)


class DirectLiveList(LiveItems[DirectRow]):
    """Current rows of a run."""

    def __init__(self, source: DirectList, settings: Settings, budgets: Budgets, policies: Policies) -> None:
        super().__init__(source, settings, budgets)
        self.policies = policies

    def compact(self, summary: Callable[[int, int], MessageSize]) -> Compacted | Refusal:
        """Compact the list as the release plans it now, or return why it refuses."""
        try:
            plan = window(self.items, self.policies, self.settings, self.budgets, self.compactions)
        except NotCompacted as refused:
            return refused.refusal
        length = len(self)
        head = min(plan.place(plan.head_end), length)
        tail = max(head, min(plan.place(plan.tail_start), length))
        if head >= tail:
            return "fits"
        size_of = partial(summary, plan.budget(self.budgets))
        done = self._summarize(plan.pruned, head, tail, frozenset(), plan.role, not plan.role, size_of)
        self.total_chars = 4 * sum(map(ROUGH, self.items))
        return done

    def _item(self, wire: Wire, old: DirectRow | None = None) -> DirectRow:
        return DirectRow(wire, self.policies)
