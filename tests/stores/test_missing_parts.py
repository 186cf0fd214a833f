"""A session with a missing or unreadable part says so: it never looks complete."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from inspector.answers.answers import Answers
from inspector.answers.fact_results import losses_and_answer
from inspector.answers.store_losses import LOSSES_UNKNOWN
from inspector.stores.detect import open_folder
from tests.recipes import recipe
from tests.stores import agent_sessions, test_opencode_newer
from tests.stores.test_other_agents import as_form, opencode
from tests.stores.writer import Writer, create, talk

PARENTS = "Lines are missing in the file at 1 place"
UNREADABLE = "1 line of the transcript cannot be read"
NO_RECORD = "holds no complete record"


class Case(NamedTuple):
    """A session, the damage to its folder, and a part of the sentence about it."""

    write: Callable[[Path], object]
    damage: Callable[[Path], object]
    sentence: str


def cut(name: str) -> Callable[[Path], object]:
    """Return a damage that leaves the first half of the file whose name matches."""

    def damage(folder: Path) -> None:
        file = next(folder.rglob(name))
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    return damage


def rewrite(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: next(folder.rglob(name)).write_bytes(content)


def remove(name: str) -> Callable[[Path], object]:
    return lambda folder: next(folder.rglob(name)).unlink()


def without_line(number: int) -> Callable[[Path], object]:
    """Return a damage that removes a line of the only transcript, counted from 0."""

    def damage(folder: Path) -> None:
        file = next(folder.rglob("*.jsonl"))
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))

    return damage


def without_line_ends(folder: Path) -> None:
    """Make the only transcript one line, which is no record."""
    file = next(folder.rglob("*.jsonl"))
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r"))


def execute(statement: str) -> Callable[[Path], object]:
    """Return a damage to the rows of the only database."""

    def damage(folder: Path) -> None:
        with closing(sqlite3.connect(next(folder.rglob("*.db")))) as database:
            assert database.execute(statement).rowcount == 1
            database.commit()

    return damage


def unlisted(folder: Path) -> None:
    """Make the first message of the only JSON document null."""
    file = next(folder.rglob("*.json"))
    document = json.loads(file.read_bytes())
    document["messages"][0] = None
    file.write_text(json.dumps(document), encoding="utf-8")


def claude(folder: Path) -> None:
    session = recipe("claude_lines").Session("5e550000-0000-4000-8000-0000000000aa", "/home/dev/quay")
    for number in range(4):
        session.user(f"Paint quay {number}.")
        session.answer([{"type": "text", "text": f"Quay {number} is painted."}])
    (folder / f"{session.session}.jsonl").write_text(session.text(), encoding="utf-8")


def pi(folder: Path) -> None:
    session = recipe("other_lines").PiSession("p1", 3)
    for number in range(4):
        session.user(f"Paint quay {number}.")
    (folder / "p1.jsonl").write_text(session.text(), encoding="utf-8")


def hermes(folder: Path) -> None:
    writer = Writer(create(folder / "state.db"))
    writer.begin()
    writer.say([{"role": "user", "content": "Never touch the red buoy."}, *talk(8)])
    writer.compact(1, len(writer.live) - 2, "## Goal\nMoor the boats.", rotate=True)
    writer.say(talk(2, start=8))
    writer.end()


def without_first_session(folder: Path) -> None:
    """Delete the first session, as Hermes does: it keeps the sessions that continue it."""
    with closing(sqlite3.connect(folder / "state.db")) as database:
        database.executescript(
            "DELETE FROM messages WHERE session_id = 's0'; UPDATE sessions SET parent_session_id = NULL;"
            "DELETE FROM sessions WHERE id = 's0'"
        )


def opencode_2(folder: Path) -> None:
    with closing(test_opencode_newer.database(folder)) as database:
        test_opencode_newer.store_messages(database, test_opencode_newer.reef())


def of_opencode(form: str) -> Callable[[Path], object]:
    return lambda folder: as_form(folder, form, opencode())


WRITERS = agent_sessions.WRITERS
FIRST = "WHERE id = (SELECT min(id) FROM"
CASES = {
    "Claude Code, a line": Case(claude, without_line(4), PARENTS),
    "Claude Code, the line ends": Case(claude, without_line_ends, NO_RECORD),
    "pi, the line ends": Case(pi, without_line_ends, NO_RECORD),
    "Hermes, the first session": Case(hermes, without_first_session, "The first list begins with a summary"),
    "pi, a line": Case(pi, without_line(3), PARENTS),
    "Qwen Code, a line": Case(WRITERS["qwen"], without_line(3), PARENTS),
    "OpenHands, an event": Case(WRITERS["openhands"], remove("event-00004-*"), "1 event of the session is missing"),
    "Kimi CLI, the list": Case(WRITERS["kimi"], remove("context.jsonl"), "files are missing: context.jsonl"),
    "Kimi CLI, the list before": Case(WRITERS["kimi"], remove("context_1.jsonl"), "The beginning of the session"),
    "Cline, the session": Case(WRITERS["cline"], rewrite("*.messages.json", b"zzz"), "not in a session format"),
    "Cline, the list after": Case(WRITERS["cline"], cut("*.compaction.json"), "The list after its compaction"),
    "Cline's editor, the screen": Case(agent_sessions.cline_task, remove("ui_messages.json"), "ui_messages.json"),
    "opencode, an export": Case(of_opencode("export"), cut("*.json"), NO_RECORD),
    "opencode, a message of an export": Case(of_opencode("export"), unlisted, UNREADABLE),
    "opencode, a message": Case(of_opencode("folder"), cut("message/*/*.json"), UNREADABLE),
    "opencode, a part": Case(of_opencode("folder"), cut("part/*/*.json"), UNREADABLE),
    "opencode, an old part": Case(of_opencode("oldest folder"), cut("part/*/*/*.json"), UNREADABLE),
    "opencode, a row of a message": Case(
        of_opencode("database"), execute(f"UPDATE message SET data = '{{\"ro' {FIRST} message)"), UNREADABLE
    ),
    "opencode, a row of a part": Case(
        of_opencode("database"), execute(f"UPDATE part SET data = 5 {FIRST} part)"), UNREADABLE
    ),
    "opencode 2, a row": Case(
        opencode_2, execute(f"UPDATE session_message SET data = NULL {FIRST} session_message)"), UNREADABLE
    ),
}  # fmt: skip


def sentences(folder: Path) -> list[str]:
    """Return the sentences about missing parts of a folder."""
    store = open_folder(folder, keep=False)
    opened = [store.open(row.id) for row in store.conversations()]
    of_conversations = [note for one in opened if one.has_unread for note in one.notes]
    return [*of_conversations, *store.left_out, *store.notes]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_missing_part_is_named(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path)
    assert not any(case.sentence in sentence for sentence in sentences(tmp_path))
    case.damage(tmp_path)
    assert any(case.sentence in sentence for sentence in sentences(tmp_path))


@pytest.mark.parametrize(
    "damaged", [lambda content: content.replace(b"\n", b"\r"), lambda content: b"no JSON\n"]
)
def test_losses_are_unknown_if_a_file_is_left_out(damaged: Callable[[bytes], bytes], tmp_path: Path) -> None:
    claude(tmp_path)
    pi(tmp_path)
    answers = Answers(open_folder(tmp_path, keep=False), {}, None)
    assert losses_and_answer(answers, ())[1] == "No loss is known."
    file = tmp_path / "p1.jsonl"
    file.write_bytes(damaged(file.read_bytes()))
    answers = Answers(open_folder(tmp_path, keep=False), {}, None)
    assert losses_and_answer(answers, ())[1] == LOSSES_UNKNOWN
    (row,) = answers.rows(())
    assert losses_and_answer(answers, [row.id])[1] == "No loss is known."


@pytest.mark.parametrize("words", ["quay", "lantern"])
def test_a_search_says_that_it_may_lack_messages(words: str, tmp_path: Path) -> None:
    claude(tmp_path)
    without_line(4)(tmp_path)
    store = open_folder(tmp_path, keep=False)
    assert not store.notes
    assert bool(list(store.search(words))) is (words == "quay")
    assert [note for note in store.notes if note.startswith("1 conversation is not complete: ")]
