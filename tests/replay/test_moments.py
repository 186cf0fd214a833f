"""Moments: stepping to the end shows the live list, stepping back undoes stepping forward."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.inspection import Inspection
from inspector.answers.recordings import read_recording
from inspector.answers.shown_settings import settings_of
from inspector.core.conversations import Compaction
from inspector.core.errors import StoreError
from inspector.engines.base import Settings
from inspector.replay.moments import PHASES, Moment, Moments, Stretch
from inspector.replay.recording import Recording
from inspector.replay.transcript import MessagePlace, Transcript
from inspector.stores.detect import open_store

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BUNDLED = [
    ("hermes-0.13-rotating", "Move checkout to orders-v2"),
    ("hermes-0.19-in-place", "Nightly orders import loses rows"),
]


def compaction(index: int, before: int, head: int, tail: int, put_in: int) -> Compaction:
    after = head + 1 + put_in + before - tail
    return Compaction(
        index, "s", before, after, head, tail, head, head + 1 + put_in, head, "sum", False, False, 0, 0, 0.0
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[Transcript, list[Compaction], list[int]]:
    """Make any conversation with some compactions; some generations have no new message."""
    lengths: list[int] = []
    compactions: list[Compaction] = []
    places: list[MessagePlace] = []
    ends: list[int] = []
    live = 0
    for index in range(1, draw(st.integers(1, 5)) + 1):
        length = draw(st.integers(1 if index == 1 else 0, 12))
        for offset in range(length):
            places.append(MessagePlace(index, live + offset, len(places), draw(st.integers(0, 2))))
        live += length
        lengths.append(live)
        ends.append(len(places))
        head = draw(st.integers(0, live))
        tail = draw(st.integers(head, live))
        compactions.append(compaction(index, live, head, tail, draw(st.integers(0, 2))))
        live = compactions[-1].after
    last = draw(st.booleans())
    if last:
        places.append(MessagePlace(len(lengths) + 1, live, len(places), 0))
        live += 1
    lengths.append(live)
    return Transcript(tuple(places), tuple(ends)), compactions, lengths


def live(parts: tuple[Stretch, ...]) -> list[int]:
    return [part.live + offset for part in parts if part.live >= 0 for offset in range(len(part))]


@given(histories())
def test_every_moment_shows_its_whole_list_in_order(
    history: tuple[Transcript, list[Compaction], list[int]],
) -> None:
    transcript, compactions, lengths = history
    moments = Moments(transcript, compactions, lengths)
    phases = sum(len(moments.phases(number)) for number in range(1, len(lengths)))
    assert len(moments) == len(transcript) + phases
    assert phases >= 3 * len(compactions)
    for number in range(1, len(moments) + 1):
        at = moments.moment(number)
        assert at.number == number
        assert live(moments.layout(at)) == list(range(at.length))
    assert moments.moment(len(moments)).length == lengths[-1]
    assert moments.moment(len(moments)).generation == len(lengths)


@given(histories())
def test_a_moment_has_exactly_the_messages_up_to_it(
    history: tuple[Transcript, list[Compaction], list[int]],
) -> None:
    transcript, compactions, lengths = history
    moments = Moments(transcript, compactions, lengths)
    for number in range(1, len(moments) + 1):
        at = moments.moment(number)
        parts = moments.layout(at)
        assert all(part.generation <= at.generation for part in parts)
        copies = sum(c.after - c.before + c.tail_start - c.head_end for c in compactions[: at.generation - 1])
        assert sum(len(part) for part in parts) == at.step + copies


@given(histories(), st.data())
def test_stepping_back_undoes_stepping_forward(
    history: tuple[Transcript, list[Compaction], list[int]], data: st.DataObject
) -> None:
    moments = Moments(*history)
    at = moments.moment(data.draw(st.integers(1, len(moments))))
    after = moments.next(at, "message", 1)
    if after is not None:
        assert moments.next(after, "message", -1) == at
    for unit in ("call", "turn", "compaction"):
        there = moments.next(at, unit, 1)
        if there is not None:
            assert there.number > at.number
            back = moments.next(there, unit, -1)
            assert back is None or back.number <= at.number
            again = moments.next(back or moments.moment(1), unit, 1)
            assert again is not None
            assert again.number <= there.number


@given(histories())
def test_steps_and_messages_lead_to_their_moments(
    history: tuple[Transcript, list[Compaction], list[int]],
) -> None:
    transcript = history[0]
    moments = Moments(*history)
    for step, place in enumerate(transcript.places, 1):
        at = moments.of_step(step)
        assert (at.step, at.generation, at.length) == (step, place.generation, place.index + 1)
        assert at.phase in ("message", "before")
        assert moments.of_message(place.generation, place.index) == at


def recorded(name: str, title: str) -> tuple[Inspection, Recording]:
    store = open_store(FIXTURES / f"{name}.db")
    inspection = Inspection.open(store, title)
    return inspection, read_recording(inspection, store.info.profile)


@pytest.mark.parametrize(("name", "title"), BUNDLED)
def test_a_reading_is_watched_over_all_lists_and_can_be_left(name: str, title: str) -> None:
    inspection, _ = recorded(name, title)
    progress: list[int] = []
    read_recording(inspection, inspection.store.info.profile, progress.append)
    lengths = [len(generation) for generation in inspection.conversation.generations]
    assert progress == [done for done in range(sum(lengths)) if done % 64 == 0]

    def enough(done: int) -> None:
        if done > lengths[0]:
            raise StoreError("enough")

    with pytest.raises(StoreError, match="enough"):
        read_recording(inspection, inspection.store.info.profile, enough)


@pytest.mark.parametrize(("name", "title"), BUNDLED)
def test_the_end_of_a_recording_is_its_live_list(name: str, title: str) -> None:
    inspection, found = recorded(name, title)
    moments = found.moments
    last = moments.moment(10**9)
    assert (last.generation, last.length) == (len(inspection.conversation.generations), len(found.lists[-1]))
    assert live(moments.layout(last)) == list(range(last.length))
    wanted = Settings(profile=inspection.store.info.profile)
    assert found.plan(last, wanted) == inspection.plan(inspection.conversation.live, wanted)


@pytest.mark.parametrize(("name", "title"), BUNDLED)
def test_before_a_recorded_compaction_the_plan_is_the_recorded_one(name: str, title: str) -> None:
    inspection, found = recorded(name, title)
    model = inspection.conversation.row.model
    length = {"openai/gpt-4o": 128_000, "deepseek/deepseek-r1": 64_000}.get(model, 200_000)
    wanted = Settings(profile=inspection.store.info.profile, context_length=length)
    moments, at = found.moments, found.moments.moment(1)
    seen: list[Moment] = []
    while (there := moments.next(at, "compaction", 1)) is not None:
        at = there
        plan, made = found.plan(at, wanted), inspection.compactions()[len(seen)]
        assert (at.phase, at.compaction) == ("before", made.index)
        assert (plan.head_end, plan.tail_start) == (made.head_end, made.tail_start)
        seen.append(at)
        phases = [moments.moment(at.number + offset) for offset in range(1, 5)]
        assert [phase.phase for phase in phases] == list(PHASES)
        assert (phases[-1].generation, phases[-1].length) == (made.index + 1, made.after)
    assert len(seen) == len(found.events)


def test_there_is_no_moment_where_nothing_was_said() -> None:
    moments = Moments(Transcript((), ()), [], [0])
    assert len(moments) == 0
    with pytest.raises(IndexError):
        moments.moment(1)


def test_phases_without_a_change_are_skipped() -> None:
    """Claude Code prunes nothing, and summarizes the whole list."""
    store = open_store(FIXTURES / "agents" / "claude-code")
    shown = set()
    for row in store.conversations():
        inspection = Inspection.open(store, row.id)
        moments = read_recording(inspection, settings_of(inspection, {}).settings.profile).moments
        for recorded in inspection.compactions():
            phases = moments.phases(recorded.index)
            assert ("kept" in phases) is (recorded.remaining > 0)
            shown.update(phases)
    assert "pruned" not in shown
    assert {"summarized", "after"} <= shown
