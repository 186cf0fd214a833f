"""Recordings of the real releases: recovered values equal their truth files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.core.rough import list_tokens, message_chars, message_images, text_tokens
from inspector.stores.detect import open_store

NAMES = {
    "hermes-0.13.0-rotating": ("hermes-0.13", 11),
    "hermes-0.13.0-failures": ("hermes-0.13", 11),
    "hermes-0.19.0-in-place": ("hermes-0.19", 22),
    "hermes-0.19.0-rotating": ("hermes-0.19", 22),
}


def truth(path: Path) -> list[dict[str, Any]]:
    sessions: list[dict[str, Any]] = json.loads(Path(f"{path}.truth.json").read_text())["sessions"]
    return sessions


@pytest.mark.parametrize("name", NAMES)
def test_compactions_equal_the_truth(name: str, recordings: Callable[[str], Path]) -> None:
    path = recordings(name)
    store = open_store(path)
    rows = {row.id: row for row in store.conversations()}
    assert set(rows) == {expected["tip"] for expected in truth(path)}
    for expected in truth(path):
        conversation = store.open(expected["tip"])
        assert len(conversation.live) == expected["live"] == rows[expected["tip"]].messages
        found = store.compactions(conversation)
        keys = ("session", "before", "after", "head_end", "tail_start", "fallback")
        assert [{key: getattr(item, key) for key in keys} for item in found] == [
            {key: event[key] for key in keys} for event in expected["events"]
        ]
        assert [item.tokens_before for item in found] == [event["tokens"] for event in expected["events"]]
        assert all(item.exact and item.summary and not item.note for item in found)


@pytest.mark.parametrize("name", NAMES)
def test_indexes_into_the_list_after_point_at_the_copies(
    name: str, recordings: Callable[[str], Path]
) -> None:
    path = recordings(name)
    store = open_store(path)
    for expected in truth(path):
        conversation = store.open(expected["tip"])
        for item in store.compactions(conversation):
            before = store.messages(conversation.generations[item.index - 1])
            after = store.messages(conversation.generations[item.index])
            assert item.head_after == item.head_end
            assert [m.role for m in after[: item.head_after]] == [m.role for m in before[: item.head_end]]
            assert after[item.after - 1].text.strip() == before[-1].text.strip()
            assert len(before) - item.tail_start == item.after - item.tail_after
            assert item.summary_at is not None
            assert item.summary is not None
            assert item.summary in after[item.summary_at].text
            assert item.tail_after == item.summary_at + (not item.merged)


@pytest.mark.parametrize("name", NAMES)
def test_profile_and_tokens(name: str, recordings: Callable[[str], Path]) -> None:
    path = recordings(name)
    store = open_store(path)
    profile, schema = NAMES[name]
    assert (store.info.profile, store.info.schema) == (profile, schema)
    assert store.info.profile_reason.endswith(".")
    for expected in truth(path):
        conversation = store.open(expected["tip"])
        bodies = list(store.iterate(conversation.live))
        rough = list_tokens(
            sum(message_chars(item.wire) for item in bodies),
            sum(message_images(item.wire) for item in bodies),
        ) + text_tokens(len(store.system_prompt(expected["tip"])))
        assert store.live_tokens(expected["tip"]) == rough  # type: ignore[attr-defined]
        count = store.count_compactions(expected["tip"])  # type: ignore[attr-defined]
        assert count == len(expected["events"])
