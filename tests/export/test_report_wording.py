"""Shares in reports read as they do on screen."""

from __future__ import annotations

import pytest

from inspector.export.report.wording import share_percent, share_words, survival_words
from inspector.quality.facts.survival import KindSurvival
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
    kinds = (KindSurvival("constraint", 2, 1, 1, 0), KindSurvival("value", 3, 0, 0, 4))
    assert survival_words(kinds, "constraint") == "2/4 ↓1"
    assert survival_words(kinds, "value") == "3/7 ±4"
    assert survival_words(kinds, "link") == "–"
    assert survival_words(kinds) == "5/11 ↓1 ±4"
    assert survival_words(()) == "–"
