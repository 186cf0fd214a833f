"""The requests that wrote summaries, where an agent lists them with the others, and what the last other one had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction, Request


def summarizing(inspection: Inspection, calls: Iterable[Request]) -> Mapping[int, int]:
    """The requests that wrote summaries: the number of each and that of its compaction."""
    compactions = {compaction.index for compaction in inspection.compactions()}
    return {
        call.index: call.generation for call in calls if call.summarizes and call.generation in compactions
    }


def last_size(inspection: Inspection, recorded: Compaction) -> int | None:
    """The tokens of the last request before a compaction and of its answer, as they were reported; None where the store
    keeps no usage of it. Raises StoreErrors."""
    calls = [call for call in inspection.requests() if call.generation == recorded.index]
    own = summarizing(inspection, calls)
    return next((call.context + call.output for call in reversed(calls) if call.index not in own), None)
