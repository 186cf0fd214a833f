"""Sizes as an agent reports them, worked out from its requests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.engines.base import Settings
from inspector.replay.context_scale import ContextScale, Reported, context_scale
from inspector.stores.detect import open_store
from tests.conftest import ROOT
from tests.recipes import recipe

lines = recipe("claude_lines")


@given(
    st.integers(0, 80_000), st.floats(0.6, 2.5), st.lists(st.integers(0, 150_000), min_size=1, max_size=30)
)
def test_what_requests_were_made_of_is_found_again(beside: int, scale: float, sizes: list[int]) -> None:
    sizes.sort()
    made = ContextScale(beside, scale, 1)
    found = context_scale(Reported(1, size, made.reported(size)) for size in sizes)
    # A request that reports nothing was broken off.
    told = [size for size in sizes if made.reported(size) > 0]
    assert found.requests == len(told)
    if told and told[-1] - told[0] >= 10_000:
        assert found.scale == pytest.approx(scale, abs=1e-3)
        assert found.beside == pytest.approx(beside, abs=200)


@given(st.integers(0, 80_000), st.floats(0.6, 2.5), st.integers(0, 400_000))
def test_the_least_rough_size_that_reaches_a_reported_one(beside: int, scale: float, limit: int) -> None:
    made = ContextScale(beside, scale, 1)
    least = made.rough(limit)
    assert made.reported(least) >= limit - 1
    assert least == 0 or made.reported(least - 1) < limit + 1


def test_nothing_is_modelled_without_requests() -> None:
    none = context_scale([])
    assert (none.reported(7), none.rough(7), none.sentence()) == (7, 7, "")


def test_a_list_without_its_beginning_and_one_that_hardly_grew_say_little() -> None:
    whole = [Reported(2, 1_000, 31_300), Reported(2, 101_000, 161_300)]
    late = [Reported(1, 0, 150_000), Reported(1, 900, 153_000)]
    assert context_scale([*late, *whole]) == ContextScale(30_000, 1.3, 4)


def test_a_run_fires_where_the_agent_would(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.cached = 40_000
    for number in range(60):
        made.user(f"Question {number}: " + "x" * 10_000)
        made.answer(lines.text("So it is."), written=3_400)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (row,) = store.conversations()
    inspection = Inspection.open(store, row.id)
    recording = read_recording(inspection, "claude-code")
    run = recording.course.run(Settings(profile="claude-code", context_length=200_000, threshold=0.835))
    first = run.events[0]
    assert recording.course.scale.beside > 30_000
    # 167,000 less the 40,000 that were there before the first question, 3,400 a question.
    assert 36 <= first.step // 2 <= 39
    (told,) = recording.told([first])
    assert 167_000 <= told.tokens_before <= 172_000
    assert run.tokens[first.step - 1] == told.tokens_after < 60_000


def test_a_store_that_keeps_no_requests_is_not_modelled() -> None:
    store = open_store(ROOT / "fixtures" / "hermes-0.13-rotating.db")
    inspection = Inspection.open(store, "Numbers for the weekly report")
    assert read_recording(inspection, "hermes-0.13").course.scale == ContextScale()
