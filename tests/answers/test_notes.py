"""Notes about conversations."""

from __future__ import annotations

from pathlib import Path

from inspector.answers.answers import about
from inspector.stores.detect import open_store
from tests.recipes import recipe


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
