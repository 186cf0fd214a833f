"""Standing rules: lists that have a file of rules, and statements that survive in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.answers import standing_lives
from inspector.answers.fact_reading import read_facts
from inspector.answers.fact_results import KEPT_AND_IGNORED
from inspector.answers.inspection import Inspection
from inspector.commands.cli import commands
from inspector.stores.detect import open_store
from tests.counting import calls_of
from tests.recipes import recipe

lines = recipe("claude_lines")
TRAILER = "Never add Co-Authored-By lines to commits."
RULE = "Never berth a ship of the line beside the fish market."
REMINDER = (
    "<system-reminder>\n# claudeMd\nContents of /x/CLAUDE.md (project instructions):\n{}\n</system-reminder>"
)


def written(tmp_path: Path, after: str) -> Path:
    """Write a session that loads CLAUDE.md, is compacted, and loads it again with the text `after` ("": not again)."""
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
    assert ("in the live list" if live else "not in the recorded live list since compaction 1") in text


def test_a_title_is_masked_unless_the_user_asks_for_it(tmp_path: Path) -> None:
    token = "918273645:AA" + "hZ3kQ9vT" * 4 + "b"
    made = lines.Session("5e55a000-0000-4000-8000-000000000010")
    made.user(f"Berth the bot {token}")
    made.user(REMINDER.format(f"- {RULE}"))
    made.answer(lines.text("I will."))
    path = str(made.write(tmp_path / "a.jsonl"))
    for options, title in (
        ([], "Berth the bot [masked: a Telegram bot token]"),
        (["--no-mask"], f"Berth the bot {token}"),
    ):
        (entry,) = json.loads(CliRunner().invoke(commands, ["rules", path, "--json", *options]).stdout)
        assert entry["title"] == title


@pytest.mark.parametrize(("count", "end"), [(13, "and 1 more line"), (14, "and 2 more lines")])
def test_further_lines_of_a_file_are_counted(tmp_path: Path, count: int, end: str) -> None:
    written(tmp_path, "\n".join(f"- Berth {number} is free." for number in range(count)))
    text = CliRunner().invoke(commands, ["rules", str(tmp_path / "a.jsonl")]).stdout
    assert text.rstrip().endswith(end)


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
    ("words", "kept"),
    [(RULE, True), ("Every ship of the line is berthed far from the fish market.", False)],
)
@pytest.mark.parametrize("form", ["hook", "skill", "reminder"])
def test_text_of_a_program_keeps_a_rule_only_verbatim(
    tmp_path: Path, words: str, kept: bool, form: str
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000009")
    made.user(RULE)
    made.answer(lines.text("I will."))
    if form == "reminder":
        made.user(f"<system-reminder>{words}</system-reminder>Draw it.")
    kept_lines = [made.lines[-1]["uuid"]] if form == "reminder" else []
    made.compact(lines.nine_sections(primary=["Draw the harbour"]), before=155_000, kept=kept_lines)
    if form == "hook":
        made.attach(type="hook_success", hookEvent="SessionStart", content=words)
    elif form == "skill":
        made.attach(type="invoked_skills", skills=[{"name": "berth", "path": "/x/berth", "content": words}])
    made.user("Go on.")
    store = open_store(Path(made.write(tmp_path / "a.jsonl")))
    (row,) = store.conversations()
    (life,) = (life for life in read_facts(Inspection.open(store, row.id)).facts.of(1) if life.text == RULE)
    assert (life.fate.outcome, life.fate.where) == (("verbatim", "tail") if kept else ("lost", None))


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ({"content": "- Keep it short."}, False),
        ({"old_string": "- Short.", "new_string": "- Keep it short."}, True),
    ],
)
def test_a_file_that_the_agent_rewrote_has_nothing_of_its_earlier_text(
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
    assert [(life.fate.where, life.fate.outcome) for life in lives] == [
        ("rules file", "uncertain") if kept else (None, "lost")
    ]


@pytest.mark.parametrize(("again", "outcome"), [(False, "lost"), (True, "verbatim")])
def test_a_written_file_that_lists_record_keeps_a_rule_only_in_these_lists(
    tmp_path: Path, again: bool, outcome: str
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000009")
    reminder = REMINDER.replace("/x/", f"{made.cwd}/")
    made.user(reminder.format("- Keep it short."))
    made.user(RULE)
    change = {"old_string": "short.", "new_string": f"short.\n- {RULE}"}
    made.answer(lines.call("first", "Edit", file_path=f"{made.cwd}/CLAUDE.md", **change))
    made.result("first", "edited")
    made.compact(lines.nine_sections(primary=["Draw the harbour"]), before=155_000)
    if again:
        made.user(reminder.format(f"- Keep it short.\n- {RULE}"))
    made.user("Go on with the drawing.")
    store = open_store(Path(made.write(tmp_path / "a.jsonl")))
    (row,) = store.conversations()
    (life,) = (one for one in read_facts(Inspection.open(store, row.id)).facts.of(1) if one.text == RULE)
    assert life.fate.outcome == outcome


def test_a_conversation_without_rules_files_has_a_note(fixtures_dir: Path) -> None:
    done = CliRunner().invoke(commands, ["rules", str(fixtures_dir / "hermes-0.13-rotating.db")])
    assert done.stdout == "No rule file was recorded.\n"


def in_a_workspace(path: Path) -> Path:
    """Make a session of OpenClaw: the agent writes two files, OpenClaw warns that it cut a third, then it compacts."""

    def call(name: str, file: str) -> dict[str, Any]:
        arguments = {"path": f"/srv/pier/{file}", "content": "- Be brief."}
        return {"type": "toolCall", "id": name, "name": "write", "arguments": arguments}

    warning = "[Bootstrap truncation warning]\nFiles were cut.\n- AGENTS.md: 20000 raw -> {} injected (~50% removed)."
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Say what this is.\n\n" + warning.format(12_000)},
        {"role": "assistant", "content": [call("c1", "IDENTITY.md"), call("c2", "memory/USER.md")]},
        {"role": "toolResult", "toolCallId": "c1", "toolName": "write", "content": "written"},
        {"role": "toolResult", "toolCallId": "c2", "toolName": "write", "content": "written"},
        {"role": "user", "content": "Go on.\n\n" + warning.format(9_000)},
    ]
    entries: list[dict[str, Any]] = [{"type": "custom", "customType": "openclaw:bootstrap"}]
    entries += [{"type": "message", "message": message} for message in messages]
    entries.append(
        {
            "type": "compaction",
            "summary": "The pier is drawn.",
            "firstKeptEntryId": "e5",
            "tokensBefore": 90_000,
        }
    )
    time = "2026-04-01T10:00:00.000Z"
    lines_of = [{"type": "session", "version": 3, "id": "5e55", "cwd": "/srv/pier"}]
    lines_of += [
        {**entry, "id": f"e{place}", "parentId": f"e{place - 1}" if place else None, "timestamp": time}
        for place, entry in enumerate(entries)
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in lines_of))
    return path


def test_files_that_openclaw_sends_and_cuts_are_named(tmp_path: Path) -> None:
    path = in_a_workspace(tmp_path / "a.jsonl")
    entries = {entry["path"]: entry for entry in asked(path)}
    cut, own, other = (
        entries[f"/srv/pier/{name}"] for name in ("AGENTS.md", "IDENTITY.md", "memory/USER.md")
    )
    assert cut["cut"] == {"characters": 20_000, "sent": 9_000}
    assert (cut["in_lists"], cut["how"], cut["text"]) == ([], ["sent"], "")
    assert (own["in_context"], own["sent_by"], own["cut"]) == (False, "OpenClaw", None)
    assert (other["in_context"], other["sent_by"]) == (False, None)
    text = " ".join(CliRunner().invoke(commands, ["rules", str(path)]).stdout.split())
    assert "OpenClaw cut it: 9,000 of its 20,000 characters were sent" in text
    assert text.count("but OpenClaw sends this file of its workspace with each request") == 2
    found = json.loads(CliRunner().invoke(commands, ["findings", str(path), "--json"]).stdout)
    (finding,) = (entry for entry in found if entry["rule"] == "rules-file-cut")
    assert "sent 9,000 of the 20,000 characters of AGENTS.md" in finding["text"]
    assert (finding["severity"], finding["generation"], finding["index"]) == ("warning", 2, 1)


def noted(path: Path, *calls: tuple[str, dict[str, Any], str]) -> Path:
    """A session of OpenClaw: the user says a rule, the agent calls tools (name, input, result), and it compacts."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": RULE}]
    for at, (name, arguments, result) in enumerate(calls):
        call = {"type": "toolCall", "id": f"c{at}", "name": name, "arguments": arguments}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "toolResult", "toolCallId": f"c{at}", "toolName": name, "content": result})
    messages.append({"role": "user", "content": "Go on."})
    entries: list[dict[str, Any]] = [{"type": "custom", "customType": "openclaw:bootstrap"}]
    entries += [{"type": "message", "message": message} for message in messages]
    kept = f"e{len(entries) - 1}"
    entries.append(
        {"type": "compaction", "summary": "The pier is drawn.", "firstKeptEntryId": kept, "tokensBefore": 9}
    )
    time = "2026-04-01T10:00:00.000Z"
    head = {"type": "session", "version": 3, "id": "5e55", "cwd": "/srv/pier"}
    chain = [
        {**entry, "id": f"e{place}", "parentId": f"e{place - 1}" if place else None, "timestamp": time}
        for place, entry in enumerate(entries)
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in [head, *chain]))
    return path


IN_TOOLS = (
    "edit",
    {"file": "TOOLS.md", "edits": [{"oldText": "Notes", "newText": f"- {RULE}"}]},
    "Replaced.",
)


@pytest.mark.parametrize(
    ("calls", "where"),
    [
        ([IN_TOOLS], "rules file"),
        ([("write", {"path": "/srv/pier/MEMORY.md", "content": f"- {RULE}"}, "Written.")], "memory"),
        ([("read", {"path": "./SOUL.md"}, f"- {RULE}")], "rules file"),
        ([("write", {"path": "/srv/pier/memory/2026-04-01.md", "content": f"- {RULE}"}, "Written.")], None),
        ([("write", {"path": "/srv/shed/MEMORY.md", "content": f"- {RULE}"}, "Written.")], None),
        ([(*IN_TOOLS[:2], '{\n "status": "error"\n}')], None),
        (
            [IN_TOOLS, ("edit", {"path": "TOOLS.md", "oldText": RULE, "newText": "Be brief."}, "Replaced.")],
            None,
        ),
        ([IN_TOOLS, ("read", {"path": "/srv/pier/TOOLS.md"}, "- Be brief.")], None),
    ],
)
def test_a_file_keeps_a_rule_as_far_as_openclaw_sends_it(
    tmp_path: Path, calls: list[tuple[str, dict[str, Any], str]], where: str | None
) -> None:
    store = open_store(noted(tmp_path / "a.jsonl", *calls))
    (row,) = store.conversations()
    (life,) = (life for life in read_facts(Inspection.open(store, row.id)).facts.of(1) if life.text == RULE)
    assert (life.fate.where, life.fate.alive) == (where, where is not None)
    assert life.fate.index is None, "no message of the list after has it"


def test_a_rule_that_the_agent_noted_in_other_words_is_not_lost(tmp_path: Path) -> None:
    words = "- No berth near the fish for big ships."
    edit = {"oldText": "Notes", "newText": words}
    calls: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("edit", {"path": "TOOLS.md", **edit}, "Replaced."),
        ("read", {"path": "TOOLS.md"}, words),
        ("edit", {"path": "notes/TOOLS.md", **edit}, "Replaced."),
    )
    for number, (call, outcome) in enumerate(zip(calls, ("uncertain", "uncertain", "lost"), strict=True)):
        store = open_store(noted(tmp_path / f"{number}.jsonl", call))
        (row,) = store.conversations()
        (life,) = (one for one in read_facts(Inspection.open(store, row.id)).facts.of(1) if one.text == RULE)
        assert life.outcome == outcome


def test_files_that_are_named_without_their_folder_are_listed(tmp_path: Path) -> None:
    note = ("read", {"path": "memory/2026-04-01.md"}, "- Draw.")
    path = noted(tmp_path / "a.jsonl", IN_TOOLS, note, ("read", {"file": "MEMORY.md"}, "- Be brief."))
    assert [(entry["path"], entry["kind"], entry["text"], entry["sent_by"]) for entry in asked(path)] == [
        ("/srv/pier/TOOLS.md", "rules file", f"- {RULE}", "OpenClaw"),
        ("/srv/pier/memory/2026-04-01.md", "memory", "- Draw.", None),
        ("/srv/pier/MEMORY.md", "memory", "- Be brief.", "OpenClaw"),
    ]


@pytest.mark.parametrize(
    ("after", "retold", "event"),
    [
        ("", "", ("against a rule", TRAILER, "lost")),
        (f"- {TRAILER}", "", None),
        ("", TRAILER, ("against a kept rule", TRAILER, "verbatim")),
    ],
)
def test_an_act_against_a_file_that_left_the_list_is_an_event_and_a_loss(
    tmp_path: Path,
    after: str,
    retold: str,
    event: tuple[str, str, str] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-000000000009")
    made.user(REMINDER.format(f"- Draw with care.\n- {TRAILER}"))
    made.user("Draw the harbour.")
    made.answer(lines.text("Drawn."))
    made.compact(lines.nine_sections(primary=["Draw the harbour.", retold]), before=155_000)
    if after:
        made.user(REMINDER.format(after))
    made.answer(lines.call("c1", "Bash", command="git commit -m 'Draw' -m 'Co-Authored-By: Ana'"))
    made.result("c1", "ok")
    path = str(made.write(tmp_path / "a.jsonl"))
    found = calls_of(monkeypatch, standing_lives, "fates_of")
    answers = [CliRunner().invoke(commands, [name, path, "--json"]) for name in ("aftermath", "losses")]
    events, losses = (json.loads(answer.stdout) for answer in answers)
    assert len(found) == (event is not None)
    assert (KEPT_AND_IGNORED in answers[0].stderr) == (event is not None and event[2] == "verbatim")
    assert [(one["kind"], one["fact"], one["fate"]) for one in events] == [event] * (event is not None)
    assert [(loss["lost"], [fact["text"] for fact in loss["facts"]]) for loss in losses] == [
        ({"constraint": 1}, [TRAILER])
    ] * (event is not None and event[2] == "lost")


def test_a_line_that_cannot_be_read_may_hide_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    whole = path.read_text(encoding="utf-8").splitlines()
    run = CliRunner().invoke(commands, ["rules", str(path)])
    assert "cannot be read" not in run.stderr
    path.write_text("\n".join((whole[0][:200], *whole[1:])) + "\n", encoding="utf-8")
    run = CliRunner().invoke(commands, ["rules", str(path)])
    assert run.stdout == "No rule file was recorded.\n"
    assert "so more files may have been loaded" in " ".join(run.stderr.split())
