"""Events of live conversations, from a store that grows between two looks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers.answers import Answers
from inspector.answers.live_events import ConversationState, LiveEvent, listed, look, look_at
from inspector.answers.upcoming import upcoming
from inspector.commands.cli import commands
from inspector.core.errors import StoreBusy
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores.writer import Writer, create, talk

BODY = "## Goal\nMove the checkout.\n\n## Completed Actions\n1. Read the client.\n2. Patched it.\n"
#: A constraint of the user, and a summary that may have it.
UNCERTAIN = "Read tide.csv and tell the highest tide of each day."
HALF = "## Goal\nThe highest tide of each day from tide.csv.\n"
RULE = {"role": "user", "content": "Never push to the main branch. The pool has 34 connections."}


def call(name: str, result: str, **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "content": result, "tool_call_id": "c1"},
        {"role": "assistant", "content": "Done."},
    ]


lines = recipe("claude_lines")


class Looking:
    """A store that is checked repeatedly, as the command does."""

    def __init__(self, path: Path, **flags: Any) -> None:
        self.path, self.flags = path, flags
        self.seen: dict[str, ConversationState] | None = None

    def __call__(self) -> list[LiveEvent]:
        store = open_store(self.path)
        events, self.seen = look(Answers(store, self.flags, None), self.seen)
        store.close()
        return events


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_compaction_its_losses_and_repeated_work_are_events(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 22, fts=False))
    writer.begin()
    writer.say([*talk(4), RULE, *call("read_file", "x = 1\n" * 40, path="src/pool.py"), *talk(40, start=8)])
    writer.db.commit()
    looking = Looking(path)
    assert looking() == []
    assert looking() == []
    writer.compact(3, len(writer.live) - 3, BODY)
    writer.say(
        [{"role": "user", "content": "Go on."}, *call("read_file", "x = 1\n" * 40, path="src/pool.py")]
    )
    writer.say(call("terminal", "ok", command="git push origin main"))
    writer.db.commit()
    events = looking()
    kinds = [event.kind for event in events]
    assert kinds[0] == "compacted"
    assert "lost" in kinds
    texts = [event.text for event in events if event.kind == "done again"]
    assert any("src/pool.py" in text for text in texts)
    assert any(text.startswith("against a rule: git push origin main") for text in texts)
    assert looking() == []


def test_only_work_after_the_listing_counts_as_repeated(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 22, fts=False))
    writer.begin()
    for number in range(2):
        writer.say(
            [
                *talk(4, start=8 * number),
                *call("read_file", f"x = {number}\n" * 40, path=f"src/pool{number}.py"),
            ]
        )
    writer.say(talk(40, start=20))
    writer.compact(3, len(writer.live) - 3, BODY)
    writer.say(call("read_file", "x = 0\n" * 40, path="src/pool0.py"))
    writer.db.commit()
    answers = Answers(open_store(path), {}, None)
    (row,) = answers.store.conversations()
    assert row.compactions is None
    assert look_at(answers, row, None)[0][-1].kind == "done again"
    assert look_at(answers, row, listed(row))[0] == []
    answers.store.close()
    writer.say(call("read_file", "x = 1\n" * 40, path="src/pool1.py"))
    writer.db.commit()
    answers = Answers(open_store(path), {}, None)
    (grown,) = answers.store.conversations()
    (again,) = look_at(answers, grown, listed(row))[0]
    earlier = "earlier at #35 of generation 1"
    assert again.text == f"read again: src/pool1.py, {earlier}, ~66 tokens"
    answers.store.close()


def test_a_conversation_that_becomes_readable_has_no_earlier_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 22, fts=False))
    writer.begin()
    writer.say(talk(40))
    writer.compact(3, len(writer.live) - 3, BODY)
    writer.say(talk(2, start=60))
    writer.db.commit()
    looking = Looking(path)

    def locked(*_: Any) -> None:
        raise StoreBusy("The database is locked.")

    with monkeypatch.context() as context:
        context.setattr(Answers, "opened", locked)
        assert [event.kind for event in looking()] == ["unreadable"]
    writer.say(talk(1, start=70))
    writer.db.commit()
    assert looking() == []


def test_a_conversation_near_its_threshold_is_an_event_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 22, fts=False))
    writer.begin()
    writer.say(talk(20))
    writer.db.commit()
    looking = Looking(path, context_length=64_000)
    assert looking() == []
    writer.say([{"role": "user", "content": "word " * 44_000}])
    writer.db.commit()
    (event,) = looking()
    assert event.kind == "near"
    assert event.tokens is not None
    assert event.threshold_tokens is not None
    writer.say(talk(2, start=30))
    writer.db.commit()
    assert looking() == []


def test_a_large_message_after_the_last_request_is_near_the_threshold(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.user("Read the berths.")
    made.answer(lines.text("So it is."), written=60_000)
    looking = Looking(made.write(tmp_path / "a.jsonl"))
    assert looking() == []
    made.user("x" * 480_000)
    made.write(tmp_path / "a.jsonl")
    (event,) = looking()
    assert event.kind == "near"
    assert event.text.startswith("over the threshold: ")
    store = open_store(looking.path)
    assert event.tokens == upcoming(Answers(store, {}, None), event.row.id).tokens
    store.close()


def test_the_command_with_once_checks_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 22, fts=False))
    writer.begin()
    writer.say([{"role": "user", "content": "word " * 60_000}])
    writer.end()
    words = ["watch", str(path), "--once", "--context-length", "64000"]
    assert "over the threshold" in CliRunner().invoke(commands, words).stdout
    (line,) = CliRunner().invoke(commands, [*words, "--json"]).stdout.splitlines()
    assert json.loads(line)["event"] == "near"


def test_the_command_names_files_that_it_leaves_out(tmp_path: Path) -> None:
    made = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000002")
    made.user("Moor the boats.")
    made.user("Paint them.")
    made.write(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes().replace(b"\n", b"\r"))
    ended = CliRunner().invoke(commands, ["watch", str(tmp_path), "--once"])
    assert ended.exit_code == 1
    assert "b.jsonl holds no complete record" in ended.stderr
    assert "The answer is incomplete" in str(ended.exception)


def test_facts_that_may_be_lost_are_an_event(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writer = Writer(create(path, 22, fts=False))
    writer.begin()
    writer.say([*talk(4), {"role": "user", "content": UNCERTAIN}, *talk(40, start=8)])
    writer.db.commit()
    looking = Looking(path)
    looking()
    writer.compact(3, len(writer.live) - 3, HALF)
    writer.say([{"role": "user", "content": "Go on."}])
    writer.db.commit()
    assert "lost: 1 uncertain" in [event.text for event in looking()]


def test_a_compaction_of_an_unknown_list_has_no_size_before(tmp_path: Path) -> None:
    lines = recipe("claude_lines")
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.compact(lines.nine_sections(primary=["Moor the boats."]))
    made.user("Go on.")
    made.write(tmp_path / "a.jsonl")
    answers = Answers(open_store(tmp_path / "a.jsonl"), {}, None)
    (row,) = answers.store.conversations()
    texts = [event.text for event in look_at(answers, row, None)[0]]
    assert [text for text in texts if text.startswith("compacted automatically: unknown to 1 message,")]


@pytest.mark.parametrize(
    ("after", "words"),
    [(None, "(reported: 155,000 before it)"), (9_000, "(reported: 155,000 before it and 9,000 after it)")],
)
def test_the_event_of_a_compaction_mixes_no_rough_and_reported_sizes(
    tmp_path: Path, after: int | None, words: str
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000001")
    made.user("Moor the boats.")
    made.compact(lines.nine_sections(primary=["Moor the boats."]), before=155_000, after=after)
    made.write(tmp_path / "a.jsonl")
    answers = Answers(open_store(tmp_path / "a.jsonl"), {}, None)
    (row,) = answers.store.conversations()
    (done,) = answers.opened(row.id)[0].compactions()
    (text,) = (event.text for event in look_at(answers, row, None)[0] if event.kind == "compacted")
    assert text.endswith(f", ~{done.tokens_before:,} to ~{done.tokens_after:,} tokens {words}")
