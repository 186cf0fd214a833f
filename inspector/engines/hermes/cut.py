"""The cuts of a plan."""

from __future__ import annotations

from typing import NamedTuple

from inspector.engines.sizes import Refusal


class Cut(NamedTuple):
    """The fields of a `Plan` that decide the list after it. If `reason` is not empty, the list is not compacted, and
    the other fields have no meaning."""

    reason: str = ""
    refusal: Refusal | None = None
    raises: str = ""
    head_end: int = 0
    tail_start: int = 0
    prune_before: int = 0
    summarized_from: int = 0
    summary_budget: int = 0
    role: str = ""
    merged: bool = False

    def regions(self, length: int) -> tuple[int, int]:
        """head_end and tail_start inside a list of that length, as `Plan.regions`."""
        head = min(self.head_end, length)
        return head, max(head, min(self.tail_start, length))
