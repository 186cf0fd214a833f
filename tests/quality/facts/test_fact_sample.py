"""The sample that was read and labelled: its score, and that what was judged is still what is shown."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.stores.detect import open_store
from tests.quality.facts.test_fact_truth import FIXTURES, RECORDINGS, SHOWN

SAMPLE = Path(__file__).with_name("sample.json")
#: The least share of the first facts of a compaction that a user would want kept.
LEAST = 0.8


def labelled() -> list[dict[str, Any]]:
    return list(json.loads(SAMPLE.read_text(encoding="utf-8"))["facts"])


def test_most_of_the_sample_is_worth_keeping() -> None:
    facts = labelled()
    assert len(facts) == 200
    assert {entry["label"] for entry in facts} == {"good", "bad"}
    assert all(entry["why"] for entry in facts)
    assert sum(entry["label"] == "good" for entry in facts) / len(facts) >= LEAST


def check_shown(name: str, path: Path) -> None:
    by_conversation: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in labelled():
        if entry["db"] == name:
            by_conversation[entry["conversation"]].append(entry)
    assert by_conversation
    store = open_store(path)
    for conversation, entries in by_conversation.items():
        reading = read_facts(Inspection.open(store, conversation))
        shown = {
            (life.compaction, life.fact.role, life.fact.kind, life.fact.text, life.fact.value)
            for number in {entry["compaction"] for entry in entries}
            for life in reading.facts.of(number)[:SHOWN]
        }
        for entry in entries:
            assert (entry["compaction"], entry["role"], entry["kind"], entry["text"], entry["value"]) in shown
    store.close()


@pytest.mark.parametrize("name", FIXTURES)
def test_the_facts_of_a_fixture_are_those_that_were_judged(name: str, fixtures_dir: Path) -> None:
    check_shown(name, fixtures_dir / f"{name}.db")


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_facts_of_a_recording_are_those_that_were_judged(
    name: str, recordings: Callable[[str], Path]
) -> None:
    check_shown(name, recordings(name))
