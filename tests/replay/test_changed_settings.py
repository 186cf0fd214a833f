"""Settings that changed in a conversation: a run uses the recorded settings in force at each step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.answers import shown_settings
from inspector.answers.answers import Answers
from inspector.answers.recordings import read_recording
from inspector.answers.replaying import Replay, replay
from inspector.answers.sweeping import sweep_store
from inspector.replay.reproducing import reproduction
from inspector.replay.run import run_course
from inspector.replay.sweep import parse_axis
from inspector.stores.detect import open_store
from tests.counting import calls_of
from tests.examples import also
from tests.recipes import recipe

lines = recipe("claude_lines")
SMALL, LARGE = "claude-sonnet-4-5", "claude-opus-5"


def work(made: Any, rounds: int, tokens: int) -> None:
    """Add rounds of a question, a call with a result of `tokens` tokens, and an answer."""
    for number in range(rounds):
        made.user(f"Read berth {number} of {made.model}.")
        call = f"toolu_{len(made.lines):04}"
        made.answer(lines.call(call, "Read", file_path="berth.py"), written=60)
        made.result(call, "x" * 4 * tokens)
        made.answer(lines.text("Read."), written=tokens)


def session() -> Any:
    """Make two compactions at 167,000 tokens with a small-window model, then two at 967,000 with another model."""
    made = lines.Session("5e55a000-0000-4000-8000-00000000c4a6", version="2.1.40", model=SMALL)
    for model, rounds, tokens, before in [(SMALL, 15, 10_000, 168_000), (LARGE, 19, 50_000, 968_000)]:
        made.model = model
        for _ in range(2):
            work(made, rounds, tokens)
            made.compact("It goes on.", before=before)
    work(made, 3, 10_000)
    return made


def answers(folder: Path, **flags: object) -> tuple[Answers, str]:
    store = open_store(session().write(folder / "a.jsonl"))
    (row,) = store.conversations()
    return Answers(store, flags, None), row.id


def replayed(folder: Path, **flags: object) -> Replay:
    return replay(*answers(folder, **flags))


def test_each_part_is_run_under_its_own_settings(tmp_path: Path) -> None:
    found = replayed(tmp_path)
    assert (found.reproduces.recorded, found.reproduces.near, found.reproduces.more) == (4, 4, 0)
    assert found.resolved.settings.context_length == 1_000_000
    (sentence,) = found.reproduces.changed
    assert sentence.endswith(": threshold 0.835, context length 200,000.")
    assert len(found.run.events) == 4


def test_a_setting_that_a_user_chose_is_the_same_in_all_parts(tmp_path: Path) -> None:
    found = replayed(tmp_path, threshold=0.5)
    assert all(event.tokens_before >= 100_000 for event in found.run.events)
    assert any(event.tokens_before < 150_000 for event in found.run.events)
    assert any(event.tokens_before >= 500_000 for event in found.run.events)
    # With the same window everywhere, nothing would be compacted before half of it.
    whole = replayed(tmp_path / "again", threshold=0.5, context_length=400_000)
    assert all(event.tokens_before >= 200_000 for event in whole.run.events)


def test_a_threshold_that_was_higher_at_first_is_in_force_until_the_compaction_that_shows_it(
    tmp_path: Path,
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-00000000c4a8", version="2.1.40", model=LARGE)
    for tokens, before in [(20_000, 318_000), (10_000, 179_500), (10_000, 179_500)]:
        work(made, 15, tokens)
        made.compact("It goes on.", before=before)
    work(made, 3, 10_000)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (row,) = store.conversations()
    found = replay(Answers(store, {}, None), row.id)
    assert [round(event.tokens_before, -4) for event in found.run.events] == [320_000, 180_000, 180_000]
    (sentence,) = found.reproduces.changed
    assert sentence.endswith(": threshold 0.318.")
    store.close()
    chosen = replay(Answers(open_store(tmp_path / "a.jsonl"), {"threshold": 0.17}, None), row.id)
    assert max(event.tokens_before for event in chosen.run.events) < 200_000


def test_a_threshold_that_was_higher_under_another_model_with_the_same_limits_is_in_force(
    tmp_path: Path,
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-00000000c4a9", version="2.1.40", model=SMALL)
    for model, tokens, before in [
        (SMALL, 10_500, 188_000),
        (SMALL, 10_500, 188_000),
        ("claude-opus-4-5", 9_200, 167_500),
    ]:
        made.model = model
        work(made, 15, tokens)
        made.compact("It goes on.", before=before)
    work(made, 3, 10_000)
    found = replay(Answers(open_store(made.write(tmp_path / "a.jsonl")), {}, None), "5e55a000")
    (sentence,) = found.reproduces.changed
    assert sentence.endswith(": threshold 0.94.")
    assert len(found.run.events) == 3


def test_models_that_alternate_are_resolved_once_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-00000000c4a7")
    for number in range(40):
        made.user(f"Read berth {number}.")
        made.answer(lines.text("Read."), model=(SMALL, LARGE)[number % 2])
    asked = Answers(open_store(made.write(tmp_path / "a.jsonl")), {}, None)
    inspection, _ = asked.opened(asked.rows()[0].id)
    resolved = calls_of(monkeypatch, shown_settings, "resolve")
    assert len(list(shown_settings.earlier_settings(inspection, {}))) == 39
    assert len(resolved) <= 6


def test_a_run_reads_the_reported_sizes_once_and_not_at_every_check(tmp_path: Path) -> None:
    class Counted(list[int]):
        read = 0

        def __iter__(self) -> Iterator[int]:
            self.read += 1
            return super().__iter__()

    asked, name = answers(tmp_path)
    inspection, resolved = asked.opened(name)
    recording = read_recording(inspection, resolved.settings.profile)
    course = recording.course
    sizes = Counted(course.scale.excess)
    assert len(course.checks) > 100
    course.scale = course.scale._replace(excess=sizes)
    assert len(run_course(course, resolved.settings, recording.model).events) == 4
    assert sizes.read == 1


@pytest.mark.parametrize("share", also(0.3, 0.6))
def test_a_sweeps_cell_has_them_too(tmp_path: Path, share: float) -> None:
    asked, name = answers(tmp_path)
    swept = sweep_store(asked, [name], parse_axis("threshold", f"{share}"), parse_axis("target_ratio", "0.2"))
    single = replayed(tmp_path / "again", threshold=share)
    assert swept.cells["compactions"][0][0] == len(single.run.events)


def test_a_compaction_is_judged_by_the_threshold_of_its_time(tmp_path: Path) -> None:
    made = session()
    for line in made.lines:
        line.get("compactMetadata", {}).pop("trigger", None)
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (row,) = store.conversations()
    found = replay(Answers(store, {}, None), row.id)
    # 168,000 tokens are far below the last threshold, but not below the first one.
    assert [event.fires for event in found.recording.events] == ["agent"] * 4
    assert (found.reproduces.recorded, found.reproduces.near) == (4, 4)
    first, *others = found.recording.events
    early = first._replace(step=first.step - 12, tokens_before=120_000)
    (why, *_) = reproduction(found.recording.course, [early, *others], found.run).why_not
    assert why.startswith(
        "1 compaction came below the threshold of 167,000 tokens (the smallest at 120,000): "
    )
