"""Shares in reports read as they do on screen."""

from __future__ import annotations

import pytest

from inspector.core.shares import kept_of
from inspector.export.report.wording import share_percent, share_words
from inspector.quality.measures.measure import Share


@pytest.mark.parametrize(
    ("share", "short", "long"),
    [
        (None, "–", ""),
        (Share(0, 0), "–", ""),
        (Share(6, 9), "67%", "67% (6 of 9)"),
        (Share(999, 1_000), "99%", "99% (999 of 1,000)"),
        (Share(1, 1_000), "<1%", "<1% (1 of 1,000)"),
        (Share(20_000, 20_000), "100%", "100%"),
    ],
)
def test_all_is_said_of_all_alone(share: Share | None, short: str, long: str) -> None:
    assert (share_percent(share), share_words(share)) == (short, long)


def test_what_a_summary_keeps_is_told_of_all_facts_and_what_cannot_be_told_apart() -> None:
    assert kept_of(2, 4, 1) == "2/4 ↓1"
    assert kept_of(5, 11, 1, 4) == "5/11 ↓1 ±4"
    assert kept_of(0, 3) == "0/3"
