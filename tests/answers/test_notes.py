"""Notes about conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.answers.answers import about
from inspector.stores.detect import open_store
from tests.program import Run
from tests.recipes import recipe
from tests.stores.writer import Writer, create, talk


def test_the_title_in_a_note_has_no_secret(tmp_path: Path) -> None:
    key = "8412345678:" + "AAHk3lq9XwZ7vYtR2bNmP4sQ6uJ8dF1gH0k"
    session = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000009")
    session.user(f"My bot token is {key}.")
    (row,) = open_store(Path(session.write(tmp_path / "a.jsonl"))).conversations()
    assert key in row.title
    note = about(row, "one line cannot be read.")
    assert key[:12] not in note
    assert note.startswith("My bot token is [masked")
    assert note.endswith(": one line cannot be read.")


def test_a_part_that_cannot_be_read_is_named_by_every_answer_about_losses(
    program: Run, fixtures_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The second run uses stored results without reading, and names it too."""
    (whole,) = (fixtures_dir / "agents" / "claude-code").rglob("3f1c7a52*.jsonl")
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[5] = lines[5][:80] + "\n"
    folder = tmp_path_factory.mktemp("sessions")
    damaged = folder / "damaged.jsonl"
    damaged.write_text("".join(lines), encoding="utf-8")
    part = "A part of 1 conversation is missing or cannot be read (`findings` names it)"
    for _ in range(2):
        assert f"{part}, so more may be lost." in program("losses", str(damaged)).stderr
        assert f"{part}, so more may have been done again." in program("aftermath", str(damaged)).stderr
        checked = program("check", str(damaged), "--fail-on", "error:99")
        assert checked.returncode == 3
        assert f"{part}, so more may be lost." in checked.stdout
    line = "1 line of the transcript cannot be read and is left out."
    listed = program("conversations", str(damaged), "--json")
    assert json.loads(listed.stdout)[0]["unknown"] == 1
    assert line in listed.stderr
    assert line in program("trace", str(damaged), "port").stderr
    assert line in program("check", str(damaged), "--against", str(whole)).stdout
    exported = program("export", str(damaged), "--to", str(folder.with_suffix(".db")))
    assert f"{part}." in exported.stderr
    assert "Wrote 1 conversation to" in exported.stdout


def test_a_damaged_message_is_named_by_the_second_run_too(program: Run, tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db", fts=False))
    writer.begin()
    writer.say([{"role": "tool", "content": "".join(f"line {number}\n" for number in range(3_000))}])
    writer.say(talk(4))
    writer.compact(0, 10, "## Goal\nFind it")
    writer.say(talk(2, start=4))
    path = writer.end()
    data = bytearray(path.read_bytes())
    page = data.index(b"line 1500\n") // 4_096 * 4_096
    # The number of the next page of the message.
    data[page : page + 4] = (2**31 - 1).to_bytes(4, "big")
    path.write_bytes(data)
    for _ in range(2):
        assert "A part of 1 conversation is missing or cannot be read" in program("losses", str(path)).stderr
        assert (
            "A part of 1 conversation is missing or cannot be read" in program("aftermath", str(path)).stderr
        )
        assert program("check", str(path), "--fail-on", "error:99").returncode == 3
