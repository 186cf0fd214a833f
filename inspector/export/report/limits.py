"""Maximum sizes of a report. Omitted parts are counted and named."""

from __future__ import annotations

#: Facts of one kind that are shown of a compaction, and all of a report together.
_GROUP, _GROUPS = 25, 500
_LEAST_GROUP = 5
#: Characters of a summary, and of all summaries together.
_SUMMARY, _SUMMARIES = 60_000, 800_000
_LEAST_SUMMARY = 4_000
#: Items of one section of a comparison, and all of a report together.
_ITEMS, _ALL_ITEMS = 40, 3_000
_LEAST_ITEMS = 8
#: Facts at risk of one kind, entries of the checklist, entries of a list of drift.
RISK, CHECKLIST, DRIFT = 25, 40, 15
#: Attempts that are shown of a compaction, the newest.
ATTEMPTS = 20
#: Findings of one rule about one compaction, or about the conversation.
FINDINGS = 10


def group_limit(compactions: int) -> int:
    """Facts of one kind that are shown of each compaction."""
    return max(_LEAST_GROUP, min(_GROUP, _GROUPS // max(1, compactions)))


def summary_limit(compactions: int) -> int:
    """Characters of each summary."""
    return max(_LEAST_SUMMARY, min(_SUMMARY, _SUMMARIES // max(1, compactions)))


def items_limit(compactions: int) -> int:
    """Items of each section of each comparison."""
    return max(_LEAST_ITEMS, min(_ITEMS, _ALL_ITEMS // max(1, 10 * compactions)))
