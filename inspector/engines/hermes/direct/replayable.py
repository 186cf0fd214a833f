"""Runs of whole conversations under a release from 0.20.0 on. All runs share the rows of the conversation."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from inspector.core.conversations import ROLE_CODES
from inspector.core.messages import Message
from inspector.engines.base import Budgets, Settings
from inspector.engines.hermes.assembly import pruned_wire
from inspector.engines.hermes.direct.estimates import message_tokens
from inspector.engines.hermes.direct.rows import ROUGH, Row, rows_of
from inspector.engines.hermes.direct.window import NotCompacted, window
from inspector.engines.hermes.message_stats import OTHER
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.pruning import RELEASE_ERRORS
from inspector.engines.hermes.release import ReleaseReplayable
from inspector.engines.remeasuring import merged_message, summary_message
from inspector.engines.sizes import Compacted, MessageSize, Refusal, results_without_call

Wire = Mapping[str, Any]
#: Index of a summary, which is not a message of the transcript.
_SUMMARY = -1


class DirectIndex:
    """A list with its texts."""

    def __init__(self, rows: Sequence[Row], policies: Policies) -> None:
        self.rows = rows
        self.policies = policies
        self._until = list(accumulate((row.rough for row in rows), initial=0))

    def __len__(self) -> int:
        return len(self.rows)

    def tokens(self, index: int) -> int:
        """Walk tokens of one message as it is; 0 if the release fails on it."""
        return self._counted(self.rows[index].wire)

    def pruned_tokens(self, index: int) -> int:
        """Walk tokens of one message fully pruned."""
        return self._counted(pruned_wire(Message(self.rows[index].wire), None, self.policies))

    def _counted(self, wire: Wire) -> int:
        try:
            return message_tokens(wire, self.policies)
        except RELEASE_ERRORS:
            return 0

    def total(self) -> int:
        """The release's rough estimate of the whole list, without the system prompt, in tokens."""
        return self._until[-1]

    def rough_until(self, stop: int) -> int:
        """Return the rough estimate of the first `stop` messages."""
        return self._until[min(stop, len(self))]


class DirectReplayable(ReleaseReplayable):
    """Runs conversations under a release whose plan depends on texts."""

    def read(self, messages: Iterable[Message]) -> DirectList:
        """A row for each message of a list."""
        return DirectList(self.policies, rows_of(messages, self.policies))

    def join(self, parts: Iterable[tuple[DirectList, int, int]]) -> DirectList:
        """A list made of stretches of others."""
        return DirectList(
            self.policies, [row for part, start, stop in parts for row in part.rows[start:stop]]
        )


class DirectList:
    """A list as rows. The release adds up whole tokens of its messages: each has four characters for a token."""

    def __init__(self, policies: Policies, rows: list[Row]) -> None:
        self.policies = policies
        self.rows = rows
        self.chars = array("q", (4 * row.rough for row in rows))
        self.images = array("q", bytes(8 * len(rows)))
        self.roles = bytes(_code(row.role) for row in rows)

    def __len__(self) -> int:
        return len(self.rows)

    def size(self, index: int) -> MessageSize:
        """Return the size of one message."""
        return MessageSize(self.rows[index].rough, self.chars[index], 0)

    def growth(self) -> list[int]:
        """The rough estimate of the first 0, 1, ... messages, in tokens."""
        return list(accumulate((row.rough for row in self.rows), initial=0))

    def token_index(self, stop: int) -> DirectIndex:
        """Data for a plan of the first `stop` messages."""
        return DirectIndex(self.rows[:stop], self.policies)

    def live(self, settings: Settings, budgets: Budgets, system_tokens: int) -> DirectLiveList:
        """An empty list that grows by these messages."""
        return DirectLiveList(self, settings, budgets)


def _code(role: object) -> int:
    return ROLE_CODES.get(role, OTHER) if isinstance(role, str) else OTHER


class DirectLiveList:
    """Current rows of a run, and the transcript index of each."""

    total_images = 0

    def __init__(self, source: DirectList, settings: Settings, budgets: Budgets) -> None:
        self.source, self.settings, self.budgets = source, settings, budgets
        self.rows: list[Row] = []
        #: The index of each message among those said; _SUMMARY for a summary.
        self.said: list[int] = []
        self.high = self.compactions = self.total_chars = 0

    def __len__(self) -> int:
        return len(self.rows)

    def extend(self, stop: int) -> None:
        """The messages that were said until `stop` come to the list."""
        start, self.high = self.high, stop
        self.rows += self.source.rows[start:stop]
        self.said += range(start, stop)
        self.total_chars += sum(self.source.chars[start:stop])

    def adopt(self, settings: Settings, budgets: Budgets) -> None:
        """Compact under these settings from now on."""
        self.settings, self.budgets = settings, budgets

    def shorten(self) -> bool:
        """Nothing is shortened before a compaction."""
        return False

    def compact(self, summary: Callable[[int, int], MessageSize]) -> Compacted | Refusal:
        """Compact the list as the release plans it now, or return why it refuses."""
        try:
            found = window(self.rows, self.source.policies, self.settings, self.budgets, self.compactions)
        except NotCompacted as refused:
            return refused.refusal
        length, rows = len(self.rows), found.pruned
        head = min(found.place(found.head_end), length)
        tail = max(head, min(found.place(found.tail_start), length))
        if head >= tail:
            return "fits"
        left = [at for at in self.said[head:tail] if at != _SUMMARY]
        size = summary(found.budget(self.budgets), len(left))
        stays = tail + results_without_call(_code(row.role) for row in rows[tail:])
        left += self.said[tail:stays]
        after = list(rows[stays:])
        came: list[int] = []
        before = list(rows[:head])
        if not found.role and after:
            after[0] = self._row(merged_message(Message(after[0].wire), size))
        else:
            # A summary to merge has no tail message to go into.
            before.append(self._row(summary_message(found.role or "assistant", size)))
            came.append(_SUMMARY)
        self.rows = before + after
        self.said = [*self.said[:head], *came, *self.said[stays:]]
        self.total_chars = 4 * sum(map(ROUGH, self.rows))
        self.compactions += 1
        return Compacted(head, tail, left)

    def _row(self, message: Message) -> Row:
        return Row(message.wire, self.source.policies)
