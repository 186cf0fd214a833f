"""Summaries of a conversation compared two by two."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from inspector.answers.answers import Answers
from inspector.core.errors import UnknownConversation
from inspector.summaries.diff import diff_summaries
from inspector.summaries.parse import parse_summary
from inspector.summaries.summary import SummaryDiff


@dataclass(frozen=True, slots=True)
class ComparedSummaries:
    """The summaries of compactions `first` and `last`, compared."""

    first: int
    last: int
    diff: SummaryDiff


def compare_summaries(
    answers: Answers, name: str, first: int | None, last: int | None
) -> list[ComparedSummaries]:
    """The summaries of compactions `first` and `last` as one step; every two successive ones where neither is given.
    Raises UnknownConversation where there is no such summary."""
    inspection, _ = answers.opened(name)
    summaries = {c.index: c.summary for c in inspection.compactions() if c.summary is not None}
    both = first is None and last is None
    pairs = list(pairwise(sorted(summaries))) if both else [_pair(summaries, first, last)]
    return [
        ComparedSummaries(a, b, diff_summaries(parse_summary(summaries[a]), parse_summary(summaries[b])))
        for a, b in pairs
    ]


def _pair(summaries: Collection[int], first: int | None, last: int | None) -> tuple[int, int]:
    indexes = sorted(summaries)
    if len(indexes) < 2:
        raise UnknownConversation("There are not two summaries in this conversation to compare.")
    b = last if last is not None else indexes[-1]
    a = first if first is not None else max((i for i in indexes if i < b), default=indexes[0])
    for index in (a, b):
        if index not in summaries:
            known = ", ".join(map(str, indexes))
            raise UnknownConversation(f"Compaction {index} left no summary here; those that did: {known}.")
    return a, b
