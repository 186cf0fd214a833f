"""A list with its texts, as the token index of a release from 0.20.0 on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from inspector.core.messages import Message
from inspector.engines.hermes.assembly import pruned_wire
from inspector.engines.hermes.direct.estimates import message_tokens
from inspector.engines.hermes.direct.rows import Row
from inspector.engines.hermes.policies import Policies
from inspector.engines.hermes.pruning import RELEASE_ERRORS

Wire = Mapping[str, Any]


class DirectIndex:
    """A list with its texts."""

    def __init__(self, rows: Sequence[Row], policies: Policies) -> None:
        self.rows = rows
        self.policies = policies
        self._until = list(accumulate((row.rough for row in rows), initial=0))

    def __len__(self) -> int:
        return len(self.rows)

    def tokens(self, index: int) -> int:
        """Walk tokens of one message as it is; 0 where the release fails on it."""
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
        """The same of the first `stop` messages."""
        return self._until[min(stop, len(self))]
