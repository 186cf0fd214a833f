"""The history of a phrase over the compactions of a conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers.tracing import PhrasePlace, Trace, steps_of
from inspector.commands.cli import commands
from inspector.core.conversations import ConversationRow
from inspector.core.errors import UsageProblem
from inspector.core.places import Place
from inspector.quality.aftermath import AftermathEvent
from inspector.stores.detect import open_store
from tests.stores.writer import Writer, create, insert, session, talk


@pytest.fixture
def database(fixtures_dir: Path) -> str:
    return str(fixtures_dir / "hermes-0.19-in-place.db")


def traced(*words: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(commands, ["trace", *words, "--json"])
    assert result.exit_code == 0, result.output
    return list(json.loads(result.stdout))


def test_a_rule_is_followed_from_its_message_to_its_loss(database: str) -> None:
    rule = "Source files are read-only: never write into s3://orders-raw/."
    (entry,) = (one for one in traced(database, "NEVER write  into s3://orders-raw/") if one["fact"])
    assert entry["fact"] == rule
    assert entry["said"][0]["role"] == "user"
    fates = [(fate["compaction"], fate["fate"], fate["where"]) for fate in entry["fates"]]
    assert fates[0] == (1, "verbatim", "head")
    assert {fate for _, fate, _ in fates[1:]} <= {"lost", "uncertain", "weakened", "value lost"}


def test_a_trace_says_whether_the_live_list_has_the_phrase(database: str) -> None:
    named = (database, "Nightly orders import loses rows")
    (gone,) = traced(*named, "never write into s3://orders-raw/")
    (there,) = traced(*named, "orders")
    assert gone["now"] == []
    assert {"message", "index", "role"} == set(there["now"][0])
    printed = CliRunner().invoke(commands, ["trace", *named, "never write into s3://orders-raw/"]).stdout
    assert printed.rstrip().endswith("now: not word for word in the live list")


def test_a_phrase_outside_any_statement_is_never_called_lost(database: str) -> None:
    for entry in traced(database, "the shop opens at"):
        if entry["fact"] is None:
            assert {fate["fate"] for fate in entry["fates"]} <= {"verbatim", "uncertain", "unknown"}


def test_one_conversation_can_be_named(database: str) -> None:
    named = traced(database, "Nightly orders import loses rows", "2,500 rows")
    assert [entry["title"] for entry in named] == ["Nightly orders import loses rows"]


def test_many_messages_of_one_conversation_hide_no_other(tmp_path: Path) -> None:
    db = create(tmp_path / "state.db")
    for name, count in (("quiet", 1), ("loud", 300)):
        session(db, name, title=name)
        for number in range(count):
            insert(db, name, {"role": "user", "content": f"The foghorn {number} is loud."}, 1.7e9 + number)
    db.close()
    found = traced(str(tmp_path / "state.db"), "the foghorn")
    assert [entry["title"] for entry in found] == ["loud", "quiet"]


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "foghorn"),
        ("search", "foghorn"),
        ("check", "--fail-on", "constraint-lost"),
        ("check", "--fail-on", "constraint-lost", "--format", "github"),
        ("check", "--fail-on", "constraint-lost", "--format", "junit"),
    ],
)
def test_conversations_with_one_title_are_told_apart(tmp_path: Path, words: tuple[str, ...]) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    for tip in ("20260301_080000_aa11", "20260301_080000_bb22"):
        writer.tip, writer.live, writer.rows = tip, [], []
        writer.begin(title="Survey of all piers")
        writer.say([{"role": "user", "content": "Never sound the foghorn at night."}, *talk(12)])
        writer.compact(0, 44, "## Goal\nFind it")
    writer.end()
    command, *options = words
    result = CliRunner().invoke(commands, [command, str(tmp_path), *options])
    assert "Survey of all piers (20260301_080000_a)" in result.output
    assert "Survey of all piers (20260301_080000_b)" in result.output


def test_the_text_is_in_the_order_of_the_conversation(database: str) -> None:
    result = CliRunner().invoke(commands, ["trace", database, "2,500 rows"])
    origin, kept = result.stdout.index("said at #0"), result.stdout.index("compaction 1:")
    assert origin < kept


def test_a_phrase_matches_whole_words(database: str) -> None:
    assert traced(database, "orders-raw/")
    assert not traced(database, "rders-raw/")
    assert not traced(database, "orders-ra")


def test_an_absent_phrase_is_noted(database: str) -> None:
    answer = CliRunner().invoke(commands, ["trace", database, "no such words at all"]).stdout
    assert answer.startswith("No message has these whole words in its text.")
    assert isinstance(CliRunner().invoke(commands, ["trace"]).exception, UsageProblem)


def test_a_phrase_that_stayed_was_never_summarized(database: str) -> None:
    store = open_store(Path(database))
    conversation = store.open(store.resolve("Nightly orders import loses rows"))
    last = store.messages(conversation.live, len(conversation.live) - 1, len(conversation.live))[0]
    words = " ".join(last.text.split()[2:6])
    store.close()
    text = CliRunner().invoke(commands, ["trace", database, "Nightly orders import loses rows", words]).stdout
    assert "said at" in text
    assert "no compaction has summarized it" in text


def test_a_repetition_in_other_words_is_a_step_and_a_message_with_the_phrase_is_one_step() -> None:
    row = ConversationRow("s", "s", "Bells", "", "", ("s",), 1, 1, 0.0, 0.0)
    said = (PhrasePlace(1, 0, 10, "user"), PhrasePlace(2, 3, 13, "user"))
    events = tuple(
        AftermathEvent(1, "said again", Place(2, at, 10 + at), Place(1, 0, 10), "No bells, I said.", 9)
        for at in (3, 5)
    )
    steps = steps_of(Trace(row, "no bells", said, "", (), events))
    assert [(step.index, step.text) for step in steps if step.generation == 2 and step.compaction is None][
        :2
    ] == [(3, "said again at #3 of generation 2 by the user"), (3, "no compaction has summarized it")]
    assert (5, "said again at #5 of generation 2") in [(step.index, step.text) for step in steps]


def test_a_trace_ignores_the_mark_at_the_end_of_the_phrase(database: str) -> None:
    rule = "never write into s3://orders-raw/"
    plain, marked = (traced(database, text) for text in (rule, f"{rule}!"))
    assert plain
    assert [(one["said"], one["fates"]) for one in plain] == [(one["said"], one["fates"]) for one in marked]
