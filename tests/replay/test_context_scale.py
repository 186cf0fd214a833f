"""Sizes in the agent's own count, derived from its requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.engines.base import Settings
from inspector.engines.hermes.releases import RELEASES
from inspector.replay.context_scale import ContextScale, Reported, context_scale
from inspector.replay.fitting import Firing, Sums, fitted
from inspector.replay.run import run_course
from inspector.stores.detect import open_store
from tests.recipes import recipe

lines = recipe("claude_lines")


@given(
    st.integers(0, 80_000), st.floats(0.6, 2.5), st.lists(st.integers(0, 150_000), min_size=1, max_size=30)
)
def test_scale_and_offset_of_requests_are_recovered(beside: int, scale: float, sizes: list[int]) -> None:
    sizes.sort()
    made = ContextScale(beside, scale, 1)
    found = context_scale(Reported(1, size, made.reported(size)) for size in sizes)
    # A request without a report was aborted.
    reported = [size for size in sizes if made.reported(size) > 0]
    assert found.requests == len(reported)
    if reported and reported[-1] - reported[0] >= 10_000:
        assert found.scale == pytest.approx(scale, abs=1e-3)
        assert found.beside == pytest.approx(beside, abs=200)


def test_nothing_is_modelled_without_requests() -> None:
    none = context_scale([])
    assert none.reported(7) == 7
    assert none.sentence().startswith("Tokens are rough")


def test_a_list_without_its_beginning_or_growth_is_weak_evidence() -> None:
    whole = [Reported(2, 1_000, 31_300), Reported(2, 101_000, 161_300)]
    late = [Reported(1, 0, 150_000), Reported(1, 900, 153_000)]
    assert context_scale([*late, *whole]) == ContextScale(30_000, 1.3, 4, least=30_000)


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
    run = run_course(
        recording.course, Settings(profile="claude-code", context_length=200_000, threshold=0.835)
    )
    first = run.events[0]
    assert recording.course.scale.beside > 30_000
    # 167,000 less the 40,000 that were there before the first question, 3,400 a question.
    assert 36 <= first.step // 2 <= 39
    assert 167_000 <= first.tokens_before <= 172_000
    assert run.tokens[first.step - 1] == first.tokens_after < 60_000


def test_sums_of_sessions_and_compactions_give_scale_and_offset() -> None:
    """The release compares the last reported prompt, which has 15,000 tokens of tools that no message shows."""
    true = ContextScale(15_000, 1.15, 100, 15_000)
    sizes = [list(range(5_000, 74_500, 700)), list(range(30_000, 74_300, 700))]
    sums = [Sums(len(rough), sum(map(true.reported, rough)), rough) for rough in sizes]
    firings = [Firing(rough[-1] + 500, rough[-1], rough[-2], False) for rough in sizes]
    threshold = true.reported(sizes[0][-1]) - 50
    firings = [one for one in firings if true.reported(one.last) >= threshold > true.reported(one.before)]
    fit = fitted(sums, firings, threshold, RELEASES["hermes-0.13"].loop)
    assert fit.scale.scale == pytest.approx(1.15, abs=0.01)
    assert fit.scale.beside == pytest.approx(15_000, abs=400)
    assert fit.explained == len(firings)


def test_without_sums_the_compactions_alone_give_an_offset() -> None:
    firings = [Firing(88_000, 87_500, 87_000, False)]
    loop = RELEASES["hermes-0.13"].loop
    assert 12_500 <= fitted([], firings, 100_000, loop).scale.beside < 13_000
    assert fitted([], [], 100_000, loop).scale == ContextScale()


def test_a_fit_tries_hundreds_of_scales_without_reading_the_calls_again() -> None:
    class Calls(list[int]):
        reads = 0

        def __iter__(self) -> Iterator[int]:
            Calls.reads += 1
            return super().__iter__()

    rough = Calls(range(5_000, 74_500, 700))
    fitted([Sums(len(rough), 5_000_000, rough)], [], 100_000, RELEASES["hermes-0.13"].loop)
    assert Calls.reads <= 2


def test_sums_of_calls_that_no_message_shows_are_no_evidence() -> None:
    sums = [Sums(90, 90 * 80_000, [40_000] * 30)]
    assert fitted(sums, [], 100_000, RELEASES["hermes-0.13"].loop).scale == ContextScale()


@pytest.mark.parametrize("timed", [True, False])
def test_a_log_that_times_whole_exchanges_has_the_reported_sizes(tmp_path: Path, timed: bool) -> None:
    messages: list[dict[str, Any]] = []
    records = []
    for number in range(12):
        messages.append({"role": "user", "content": f"Read berth {number}. " + "x" * 20_000})
        answer = {"role": "assistant", "content": [{"type": "text", "text": f"Berth {number}."}]}
        usage = {"input_tokens": 8_000 + 5_100 * (number + 1), "output_tokens": 50}
        record: dict[str, Any] = {
            "request": {"model": "claude-opus-4-5", "messages": list(messages)},
            "response": {
                "id": f"m{number}",
                "type": "message",
                "stop_reason": "end_turn",
                "usage": usage,
                **answer,
            },
        }
        if timed:
            record["timestamp"] = f"2026-04-01T10:00:{number:02}Z"
        records.append(json.dumps(record))
        messages.append(answer)
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(records) + "\n")
    store = open_store(path)
    (row,) = store.conversations()
    found = read_recording(Inspection.open(store, row.id), "anthropic-api")
    if timed:
        assert [found.tokens[2 * number] for number in range(12)] == [8_000 + 5_100 * n for n in range(1, 13)]
    else:
        # The list of a request without a time is unknown.
        assert found.course.scale.requests == 0
    store.close()
