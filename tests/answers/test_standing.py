"""Standing rules: which lists have a file of rules, and a statement that survives in one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.commands.cli import commands
from inspector.stores.detect import open_store
from tests.recipes import recipe

lines = recipe("claude_lines")
RULE = "Never berth a ship of the line beside the fish market."
REMINDER = (
    "<system-reminder>\n# claudeMd\nContents of /x/CLAUDE.md (project instructions):\n{}\n</system-reminder>"
)


def written(tmp_path: Path, after: str) -> Path:
    """A session that loads CLAUDE.md, is compacted, and loads it again with the text `after` ("": not again)."""
    made = lines.Session("5e55a000-0000-4000-8000-000000000009")
    made.user(REMINDER.format(f"- {RULE}"))
    made.user(RULE)
    made.answer(lines.text("I will."))
    made.compact(lines.nine_sections(primary=["Draw the harbour"]), before=155_000)
    if after:
        made.user(REMINDER.format(after))
    made.user("Go on with the drawing.")
    made.answer(lines.text("Yes."))
    path: Path = made.write(tmp_path / "a.jsonl")
    return path


def asked(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(CliRunner().invoke(commands, ["rules", str(path), "--json"]).stdout))


@pytest.mark.parametrize(("after", "live"), [(f"- {RULE}", True), ("", False)])
def test_a_file_is_in_the_lists_that_have_its_text(tmp_path: Path, after: str, live: bool) -> None:
    (entry,) = asked(written(tmp_path, after))
    assert entry["path"] == "/x/CLAUDE.md"
    assert entry["kind"] == "rules file"
    assert entry["in_context"] is live
    assert entry["in_lists"] == ([1, 2] if live else [1])
    text = CliRunner().invoke(commands, ["rules", str(tmp_path / "a.jsonl")]).stdout
    assert ("in the list now" if live else "not in the recorded list since compaction 1") in text


@pytest.mark.parametrize(("after", "where"), [(f"- {RULE}", "rules file"), ("- Keep it short.", None)])
def test_a_statement_that_the_rules_file_has_is_not_lost(
    tmp_path: Path, after: str, where: str | None
) -> None:
    store = open_store(written(tmp_path, after))
    (row,) = store.conversations()
    lives = [life for life in read_facts(Inspection.open(store, row.id)).facts.of(1) if life.text == RULE]
    assert lives
    assert all(life.fate.alive == (where is not None) for life in lives)
    if where is not None:
        assert lives[0].fate.where == where


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ({"content": "- Keep it short."}, False),
        ({"old_string": "- Short.", "new_string": "- Keep it short."}, True),
    ],
)
def test_a_file_that_the_agent_wrote_anew_has_nothing_of_its_earlier_text(
    tmp_path: Path, arguments: dict[str, str], kept: bool
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000009")
    made.user(RULE)
    path = f"{made.cwd}/CLAUDE.md"
    for name, changed in (("first", {"content": f"- {RULE}"}), ("second", arguments)):
        made.answer(lines.call(name, "Write", file_path=path, **changed))
        made.result(name, "written")
    made.compact(lines.nine_sections(primary=["Draw the harbour"]), before=155_000)
    made.user("Go on with the drawing.")
    store = open_store(Path(made.write(tmp_path / "a.jsonl")))
    (row,) = store.conversations()
    lives = [life for life in read_facts(Inspection.open(store, row.id)).facts.of(1) if life.text == RULE]
    assert [life.fate.where for life in lives] == ["rules file" if kept else None]


def test_a_conversation_without_such_files_says_so(fixtures_dir: Path) -> None:
    done = CliRunner().invoke(commands, ["rules", str(fixtures_dir / "hermes-0.13-rotating.db")])
    assert done.stdout == "No rule file was recorded.\n"
