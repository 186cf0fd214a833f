"""Compression and cost, and all measures together."""

from __future__ import annotations

from typing import Any

from inspector.core.conversations import Compaction
from inspector.quality.measures.conversation_measures import measures_of
from inspector.quality.measures.cost import compression_measure, cost_measure
from inspector.quality.measures.definitions import DEFINITIONS
from inspector.quality.measures.measure import MeasuredCompaction, Share, total


def compacted(index: int = 1, **changes: Any) -> MeasuredCompaction:
    """Return a compaction of three messages: a summary replaces the middle message."""
    values: dict[str, Any] = {
        "index": index, "session": "s", "before": 3, "after": 3, "head_end": 1, "tail_start": 2, "head_after": 1,
        "tail_after": 2, "summary_at": 1, "summary": "Move the shop.", "merged": False, "fallback": False,
        "tokens_before": 1_000, "tokens_after": 300, "at": 0.0,
    }  # fmt: skip
    return MeasuredCompaction(Compaction(**(values | changes)), middle_tokens=700, summary_tokens=40)


def test_compression_and_cost() -> None:
    made = compacted()
    found = compression_measure(made)
    assert found.share == Share(700, 1_000)
    assert dict(found.parts) == {"middle": Share(660, 700)}
    assert dict(cost_measure(made).numbers) == {"input": 700, "output": 40, "spent": 740, "saved": 700}
    assert dict(cost_measure(compacted(fallback=True)).numbers)["spent"] == 0
    assert compression_measure(compacted(tokens_after=1_200)).share == Share(-200, 1_000)


def test_all_of_a_conversation() -> None:
    found = measures_of([compacted(index=n) for n in (1, 2)])
    assert [measure.id for measure in found.of(2)] == [i for i in DEFINITIONS if "survival" not in i]
    share, numbers = found.whole("cost")
    assert (share, numbers["spent"]) == (None, 1_480)
    assert found.whole("compression")[0] == Share(1_400, 2_000)
    assert [measure.compaction for measure in found.curve("compression")] == [1, 2]
    assert measures_of([]).whole("cost") == (None, {})


def test_shares_add_up() -> None:
    assert total([Share(1, 2), None, Share(0, 3, 4)]) == Share(1, 5, 4)
    assert total([None]) is None
    assert Share(0, 0).value is None
