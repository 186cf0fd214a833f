"""Compression and tokens spent, and shares."""

from __future__ import annotations

from typing import Any

from inspector.core.conversations import Compaction
from inspector.quality.measures import Share, Survival, compression_of, tokens_spent


def compacted(**changes: Any) -> Compaction:
    """Return a compaction of three messages: a summary replaces the middle message."""
    values: dict[str, Any] = {
        "index": 1, "session": "s", "before": 3, "after": 3, "head_end": 1, "tail_start": 2, "head_after": 1,
        "tail_after": 2, "summary_at": 1, "summary": "Move the shop.", "merged": False, "fallback": False,
        "tokens_before": 1_000, "tokens_after": 300, "at": 0.0,
    }  # fmt: skip
    return Compaction(**(values | changes))


def test_compression() -> None:
    assert compression_of(compacted()) == Share(700, 1_000)
    assert compression_of(compacted(tokens_after=1_200)) == Share(-200, 1_000)
    assert compression_of(compacted(before=0)) is None
    reported = {"tokens_before_reported": 900, "tokens_after_reported": 90}
    assert compression_of(compacted(encrypted=True, **reported)) == Share(810, 900)
    assert compression_of(compacted(encrypted=True)) is None


def test_tokens_spent() -> None:
    assert tokens_spent(compacted(), 700) == 704
    assert tokens_spent(compacted(fallback=True), 700) == 0
    assert tokens_spent(compacted(before=0), 700) is None
    assert tokens_spent(compacted(encrypted=True), 700) is None


def test_the_last_shares_are_unknown_after_an_encrypted_summary() -> None:
    shares = {"value": (Share(1, 2), None)}
    assert Survival((compacted(), compacted(index=2)), shares).last == {"value": Share(1, 2)}
    assert Survival((compacted(), compacted(index=2, encrypted=True)), shares).last == {"value": None}
    assert Survival().last == {}


def test_shares_add_up() -> None:
    assert Share(1, 2) + Share(0, 3, 4) == Share(1, 5, 4)
    assert Share(0, 0).value is None
