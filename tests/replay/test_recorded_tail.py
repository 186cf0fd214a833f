"""The tail inferred from recorded lists if the user's setting is not recorded."""

from __future__ import annotations

import pytest

from inspector.replay.recorded_tail import RecordedTail, recorded_tail

TRIED = (20_000, 10_000, 2_000)


def cut(start: int, size: int = 1_000) -> RecordedTail:
    """Cut a list of 30 messages of one size; the message that reaches the tail's tokens stays."""
    return RecordedTail(start, 30 * size, lambda tokens: max(0, 30 - -(-tokens // size)))


def test_a_cut_shows_the_tokens_that_lead_to_it() -> None:
    assert cut(20).tokens() == range(9_001, 10_001)
    assert not cut(31).tokens()


@pytest.mark.parametrize(
    ("cuts", "tail"),
    [
        ([20, 20], None), ([28, 28], 2_000), ([10, 10, 20], 20_000), ([25], 4_001),
        # For these cuts the usual tail explains as much as any other tail.
        ([20, 10], None), ([], None),
    ],
)  # fmt: skip
def test_another_tail_is_used_if_it_explains_more(cuts: list[int], tail: int | None) -> None:
    assert recorded_tail([cut(start) for start in cuts], 10_000, TRIED) == tail
