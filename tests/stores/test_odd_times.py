"""Impossible times are dropped, with a note on the message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.stores.alone import opened

FIXTURES = ROOT / "fixtures"


@pytest.mark.parametrize("time", [300_000_000_000_000_000, 10**400, "9999-99-99T00:00:00Z", -5])
def test_an_impossible_time_is_dropped_with_a_note(time: object, tmp_path: Path) -> None:
    source = next((FIXTURES / "agents" / "claude-code" / "-home-dev").glob("e8d41b6f*.jsonl"))
    lines = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    message = next(line for line in lines if line["type"] == "user" and not line.get("isMeta"))
    message["timestamp"] = time
    path = tmp_path / source.name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    store, conversation, _ = opened(path)
    messages = [message for generation in conversation.generations for message in store.messages(generation)]
    assert {message.note for message in messages if message.timestamp == 0} == {
        "Its recorded time is not a valid date, so it is not shown."
    }
    assert all(not message.note for message in messages if message.timestamp)
