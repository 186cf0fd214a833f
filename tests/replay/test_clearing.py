"""Results that were cleared without a summary make lists smaller, in the recording and in runs of the same agent."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.engines.base import Settings
from inspector.replay.clearing import Cleared, Freed
from inspector.replay.recording import Recording
from inspector.replay.run import run_course
from inspector.stores.detect import open_store
from tests.recipes import recipe

lines = recipe("claude_lines")
#: Characters and tokens of each result.
RESULT, TOKENS = 20_000, 5_000


def reading(made: Any, rounds: int, first: int = 0) -> list[str]:
    """Return rounds of a call, its long result and an answer, with their reported sizes."""
    calls = []
    for number in range(first, first + rounds):
        made.user(f"Read berth {number}.")
        calls.append(f"toolu_{number:04}")
        made.answer(lines.call(calls[-1], "Read", file_path=f"berth_{number}.py"), written=60)
        made.result(calls[-1], "x" * RESULT)
        made.answer(lines.text("Read."), written=TOKENS)
    return calls


def harbor() -> Any:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.cached = 30_000
    return made


def recording(folder: Path, made: Any, profile: str) -> Recording:
    store = open_store(made.write(folder / "a.jsonl"))
    (row,) = store.conversations()
    return read_recording(Inspection.open(store, row.id), profile)


def fired(found: Recording, profile: str) -> list[int]:
    settings = Settings(profile=profile, context_length=200_000, threshold=0.835)
    return [event.step for event in run_course(found.course, settings).events]


def test_its_earlier_release_clears_too(tmp_path: Path) -> None:
    made = harbor()
    calls = reading(made, 20)
    made.microcompact(calls[:10], saved=10 * TOKENS)
    found = recording(tmp_path, made, "claude-code-2.1.20")
    assert found.course.cleared == recording(tmp_path, made, "claude-code").course.cleared != ()


@pytest.mark.parametrize("recorded", [True, False])
def test_a_run_of_the_same_agent_clears_as_recorded(tmp_path: Path, recorded: bool) -> None:
    """Without a line about it, the reported sizes of requests show it too."""
    made = harbor()
    calls = reading(made, 20)
    if recorded:
        made.microcompact(calls[:10], saved=10 * TOKENS)
    made.cached -= 10 * TOKENS
    reading(made, 15, first=20)
    found = recording(tmp_path, made, "claude-code")
    cleared = found.course.cleared
    assert len({one.message for one in cleared}) == len(cleared) >= 10
    assert {one.step for one in cleared} <= {80, 81}
    assert sum(one.chars for one in cleared) == pytest.approx(10 * RESULT, rel=0.05)
    # 30,000 and 20 results are 130,000, 10 of them cleared 80,000: 17 more make 167,000.
    assert fired(found, "claude-code") == []
    assert max(found.tokens) == pytest.approx(made.cached, rel=0.03)
    reading(made, 5, first=35)
    found = recording(tmp_path, made, "claude-code")
    (step,) = fired(found, "claude-code")
    assert 36 <= step // 4 <= 38
    settings = Settings(profile="claude-code", context_length=200_000, threshold=0.835)
    (event,) = run_course(found.course, settings).events
    assert 167_000 <= event.tokens_before <= 173_000
    assert event.cleared == pytest.approx(10 * TOKENS, rel=0.05)


def test_another_engine_clears_nothing_and_the_recording_does(tmp_path: Path) -> None:
    made = harbor()
    calls = reading(made, 20)
    made.microcompact(calls[:10], saved=10 * TOKENS)
    made.cached -= 10 * TOKENS
    reading(made, 15, first=20)
    found = recording(tmp_path, made, "truncation")
    assert found.course.cleared == ()
    assert max(before - after for before, after in pairwise(found.tokens)) > 40_000
    assert fired(found, "truncation")


def test_results_cleared_at_a_compaction_did_not_prevent_it(tmp_path: Path) -> None:
    made = harbor()
    calls = reading(made, 28)
    made.microcompact(calls[:20], saved=20 * TOKENS)
    made.compact(lines.nine_sections(primary=["Read the berths"]), before=172_000)
    reading(made, 2, first=28)
    found = recording(tmp_path, made, "claude-code")
    assert found.course.cleared == ()
    assert len(fired(found, "claude-code")) == 1


@given(
    st.lists(st.builds(Cleared, st.integers(0, 60), st.integers(0, 60), st.integers(0, 500))),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_tokens_freed_until_a_step(cleared: list[Cleared], since: int, step: int) -> None:
    cleared.sort()
    expected = sum(one.chars for one in cleared if one.message >= since and one.step <= step)
    assert Freed(cleared, since).at(step) == expected
