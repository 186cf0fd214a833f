"""An agent that shortens long results first compacts only if that is not enough, in runs and in the recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.answers.answers import Answers
from inspector.answers.replaying import replay
from inspector.stores.detect import open_store
from tests.recipes import recipe

lines = recipe("more_lines")


def session(*sizes: int) -> Any:
    """Make a session with results of these sizes; each request reports the size of its list. It is compacted at
    100,000 - 8,192 - 65,536 tokens."""
    made = lines.DshSession("session-5e55d500", max_tokens=8_192)
    made.user("Look at the logs.")
    sent = 6_000
    for number, size in enumerate(sizes):
        made.answer("", lines.Call(f"c{number}", "bash", {}, "x" * size), sent=sent, read=0)
        sent += size // 4 + 30
    made.answer("Done.", sent=sent)
    return made


def events(made: Any, folder: Path, **flags: object) -> list[int]:
    store = open_store(made.write(folder))
    (row,) = store.conversations()
    return [event.step for event in replay(Answers(store, flags, None), row.id).run.events]


def test_a_list_is_compacted_where_shortening_is_not_enough(tmp_path: Path) -> None:
    # The long result reaches the threshold. Without 13,000 of its characters the list is below it for two more calls.
    made = session(*[8_000] * 9, 18_000, 8_000, 8_000, 8_000)
    assert events(made, tmp_path)[0] == 23


def test_results_that_are_not_long_stay(tmp_path: Path) -> None:
    assert events(session(*[8_000] * 13), tmp_path)[0] == 21


def test_a_configured_tail_decides_which_results_stay(tmp_path: Path) -> None:
    made = session(*[8_000] * 13)
    store = open_store(made.write(tmp_path))
    (row,) = store.conversations()
    (event,) = replay(Answers(store, {"tail_tokens": 5_000}, None), row.id).run.events
    # The third result from the end reaches 5,000 tokens and stays with its call.
    assert (event.step, event.tail_start) == (21, 15)


def test_the_recorded_cut_shows_a_tail_that_is_set(tmp_path: Path) -> None:
    made = session(*[8_000] * 10)
    made.compact("The logs are harmless.", before=26_000, keep=7)
    made.answer("Done.", sent=13_000)
    store = open_store(made.write(tmp_path))
    (row,) = store.conversations()
    found = replay(Answers(store, {}, None), row.id)
    assert found.resolved.settings.tail_tokens == 5_000
    assert found.resolved.sources["tail_tokens"] == "shown by the recorded compactions (5,000 tokens)"
    assert [event.tail_start for event in found.run.events] == [15]
