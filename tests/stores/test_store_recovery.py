"""Lists and boundaries of conversations that the writer compacted are recovered unchanged."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspector.stores.hermes.store import HermesStore
from tests.examples import fewer
from tests.stores.writer import Writer, create, ids, talk

Step = tuple[int, int, int, int, int, bool, bool]

STEPS = st.lists(
    st.tuples(
        st.integers(5, 8),  # turns before it
        st.integers(0, 5),  # head
        st.integers(1, 12),  # tail
        st.integers(0, 2),  # not merged, 0.13, 0.19
        st.integers(0, 3),  # messages undone afterwards
        st.booleans(),  # rotates
        st.booleans(),  # to-do list
    ),
    min_size=1,
    max_size=5,
)


def write(path: Path, steps: list[Step], copy_step: float, step: float, schema: int = 22) -> Writer:
    writer = Writer(create(path, schema), copy_step=copy_step, step=step)
    writer.begin(system_prompt="You are an agent.")
    turn = 0
    for number, (turns, head, tail, merged, undone, rotates, todo) in enumerate(steps):
        writer.say(talk(turns, turn))
        turn += turns
        start = len(writer.live) - tail
        # Like the releases: a start after or among a call's results moves back to the call.
        while "tool" in (writer.live[start]["role"], writer.live[start - 1]["role"]):
            start -= 1
        while writer.live[head]["role"] == "tool":
            head += 1
        writer.compact(
            head,
            start,
            f"## Goal\nsummary {number}",
            rotate=rotates or schema < 14,
            merged=("", "0.13", "0.19")[merged],
            prune=number % 2 == 0,
            todo=todo,
        )
        writer.say(talk(1, turn))
        turn += 1
        if schema >= 14:
            writer.undo(undone)
    writer.end()
    return writer


def check(path: Path, writer: Writer) -> None:
    store = HermesStore(path)
    conversation = store.open(writer.tip)
    assert ids(conversation.generations) == writer.lists
    assert [item.live for item in conversation.generations] == [False] * len(writer.truth) + [True]
    found = store.compactions(conversation)
    assert [(c.session, c.before, c.after, c.head_end, c.tail_start, c.summary) for c in found] == [
        (t.session, t.before, t.after, t.head_end, t.tail_start, t.summary) for t in writer.truth
    ]
    # If a group before the tail is the whole middle, 0.13 does not show which of both it belonged to.
    assert all(c.exact or "without a call" in c.note for c in found)
    assert store.count_compactions(writer.tip) == len(writer.truth)
    store.close()


@fewer()
@example([(5, 0, 1, 2, 0, False, False)] * 5, 1e-6)
@example([(5, 3, 12, 1, 3, True, True), (5, 0, 2, 0, 0, False, False)], 1e-6)
@given(STEPS, st.sampled_from([1e-6, 1.0, 0.0]))
def test_every_list_and_boundary_is_found(steps: list[Step], copy_step: float) -> None:
    """Also if the times of the copies do not show that they were inserted together."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        check(path, write(path, steps, copy_step, step=1.0))


@fewer()
@given(STEPS)
def test_without_any_times(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        check(path, write(path, steps, copy_step=0.0, step=0.0))


@pytest.mark.slow
@settings(max_examples=500)
@given(STEPS, st.sampled_from([1e-6, 1.0, 0.0]))
def test_every_list_and_boundary_is_found_in_many(steps: list[Step], copy_step: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        check(path, write(path, steps, copy_step, step=1.0))


@pytest.mark.parametrize("schema", [6, 11, 13])
def test_rotations_of_older_schemas(tmp_path: Path, schema: int) -> None:
    steps = [(5, 3, 6, 0, 0, True, False), (4, 3, 4, 1, 0, True, True), (4, 2, 9, 0, 0, True, False)]
    path = tmp_path / "state.db"
    check(path, write(path, steps, 1e-6, 1.0, schema))


def test_an_older_summary_in_the_head_of_a_resumed_session(tmp_path: Path) -> None:
    """After a restart the head is protected again, and may contain the summary of the list before."""
    path = tmp_path / "state.db"
    writer = Writer(create(path))
    writer.begin()
    writer.say(talk(6))
    writer.compact(1, 20, "first")
    writer.say(talk(5, 10))
    writer.compact(3, 14, "second")
    writer.say(talk(4, 20))
    writer.compact(5, 12, "third")
    writer.end()
    check(path, writer)


def test_an_older_summary_in_the_tail(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path))
    writer.begin()
    writer.say(talk(4))
    writer.compact(3, 12, "first")
    writer.say(talk(3, 10))
    writer.compact(1, 3, "second")
    writer.say(talk(2, 20))
    writer.end()
    check(path, writer)


def test_pictures_calls_and_arguments_changed_in_copies(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path))
    writer.begin()
    writer.say(talk(5))
    long = {"command": "x" * 900, "list": ["y" * 300, 1, None]}

    def call(name: str, arguments: str) -> dict[str, Any]:
        return {"id": name, "type": "function", "function": {"name": "terminal", "arguments": arguments}}

    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    writer.say(
        [
            {"role": "user", "content": [{"type": "text", "text": "look"}, picture]},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [call("a", json.dumps(long)), call("b", "{}")],
            },
            {"role": "tool", "content": "one", "tool_call_id": "a"},
            {"role": "tool", "content": "no call", "tool_call_id": "nobody"},
            {"role": "assistant", "content": "", "tool_calls": [call("c", "not json" * 90)]},
            {"role": "user", "content": " done? "},
            {"role": "assistant", "content": None},
        ]
    )
    start = len(writer.live) - 7
    writer.compact(3, start, "summary")
    copies = writer.rows[-7:]
    short = {"command": "x" * 200 + "...[truncated]", "list": ["y" * 200 + "...[truncated]", 1, None]}
    gone = [
        {"type": "text", "text": "look"},
        {"type": "text", "text": "[Attached image — stripped after compression]"},
    ]
    writer.db.execute(
        "UPDATE messages SET content = ? WHERE id = ?", ("\0json:" + json.dumps(gone), copies[0])
    )
    kept = json.dumps([call("a", json.dumps(short, ensure_ascii=False))])
    writer.db.execute("UPDATE messages SET tool_calls = ? WHERE id = ?", (kept, copies[1]))
    writer.db.execute("DELETE FROM messages WHERE id = ?", (copies[3],))
    writer.db.execute(
        "UPDATE messages SET content = '(tool call removed)', tool_calls = NULL WHERE id = ?", (copies[4],)
    )
    writer.db.execute("UPDATE messages SET content = 'done?' WHERE id = ?", (copies[5],))
    writer.rows.remove(copies[3])
    writer.truth[-1].after -= 1
    writer.say(talk(1, 50))
    writer.end()
    check(path, writer)


@pytest.mark.parametrize("copy_step", [1e-6, 1.0])
def test_repeated_messages(tmp_path: Path, copy_step: float) -> None:
    """Times decide with which message the tail began; without times it is the longest tail, with a note."""
    path = tmp_path / "state.db"
    writer = Writer(create(path, 11), copy_step=copy_step)
    writer.begin()
    again = [{"role": "user", "content": "continue"}, {"role": "assistant", "content": "ok"}]
    writer.say(talk(4) + again * 4)
    tail = len(writer.live) - 2
    writer.compact(3, tail, "summary", rotate=True)
    writer.say(again * 3)
    writer.end()
    store = HermesStore(path)
    (found,) = store.compactions(store.open(writer.tip))
    assert (found.head_end, found.summary) == (3, "summary")
    if copy_step < 1e-3:
        assert (found.exact, found.tail_start, found.note) == (True, tail, "")
    else:
        assert (found.exact, found.tail_start) == (False, len(talk(4)))
        assert "repeat" in found.note


def test_a_fallback_decides_between_several_tails(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 11))
    writer.begin()
    again = [{"role": "user", "content": "continue"}, {"role": "assistant", "content": "ok"}]
    writer.say(talk(4) + again * 4)
    tail = len(writer.live) - 4
    # In the words of 0.13, whose fallback counts the whole middle.
    writer.compact(
        3,
        tail,
        f"Summary generation was unavailable. {tail - 3} message(s) were removed.",
        rotate=True,
        merged="0.13",
    )
    writer.say(again * 3)
    writer.end()
    store = HermesStore(path)
    (found,) = store.compactions(store.open(writer.tip))
    assert (found.tail_start, found.fallback, found.exact) == (tail, True, True)


def test_lists_that_do_not_fit_are_marked_as_inferred(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 11))
    writer.begin()
    writer.say(talk(6))
    writer.compact(3, 16, "summary", rotate=True)
    # The child was rewritten: the last three copies of the tail are gone.
    writer.db.executemany("DELETE FROM messages WHERE id = ?", [(row,) for row in writer.rows[-3:]])
    del writer.rows[-3:]
    writer.say(talk(1, 30))
    writer.end()
    store = HermesStore(path)
    (found,) = store.compactions(store.open(writer.tip))
    assert (found.head_end, found.tail_start, found.after, found.exact) == (3, 16, 9, False)
    assert found.note


@pytest.mark.parametrize(("merged", "at", "after"), [("", 0, 13), ("", 4, 13), ("0.19", 4, 12)])
def test_a_message_of_hermes_that_was_not_stored_before_does_not_hide_the_tail(
    tmp_path: Path, merged: str, at: int, after: int
) -> None:
    """Hermes 0.19 asks the model to check its work, and stores this message only in the list after a compaction."""
    path = tmp_path / "state.db"
    writer = Writer(create(path))
    writer.begin()
    writer.say(talk(6))
    tail = len(writer.live) - 8
    plain = writer.compacted

    def with_question(*values: Any) -> list[dict[str, Any]]:
        new = plain(*values)
        place = len(new) - 8 + at
        return [*new[:place], {"role": "user", "content": "[System: Check the berths.]"}, *new[place:]]

    writer.compacted = with_question  # type: ignore[method-assign]
    writer.compact(3, tail, "summary", merged=merged)
    writer.say(talk(1, 30))
    writer.end()
    store = HermesStore(path)
    (found,) = store.compactions(store.open(writer.tip))
    assert (found.head_end, found.tail_start, found.after, found.exact) == (3, tail, after, False)
    assert "messages of Hermes" in found.note


@pytest.mark.parametrize("rows", ["none", "no summary"])
def test_a_child_without_a_summary(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 11))
    writer.begin()
    writer.say(talk(6))
    writer.compact(3, 20, "summary", rotate=True)
    gone = writer.rows if rows == "none" else writer.rows[3:4]
    writer.db.executemany("DELETE FROM messages WHERE id = ?", [(row,) for row in gone])
    writer.db.close()
    store = HermesStore(path)
    (found,) = store.compactions(store.open(writer.tip))
    assert (found.summary, found.summary_at, found.exact) == (None, None, False)
    assert found.note
    if rows != "none":
        assert (found.head_end, found.tail_start, found.after) == (3, 20, 7)
