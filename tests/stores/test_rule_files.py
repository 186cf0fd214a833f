"""Files of standing rules that a conversation loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.answers.answers import Answers
from inspector.answers.standing import list_rules
from inspector.stores.detect import open_store
from inspector.stores.rule_files import RuleFile, rule_files, texts_after
from tests.recipes import recipe
from tests.stores.agent_sessions import SESSION, write_lines
from tests.stores.alone import opened
from tests.stores.kimi_code_session import KimiCodeSession
from tests.stores.test_reported_cases import case
from tests.stores.writer import Writer, create, talk

RULES = "- Never moor at berth 9.\n- Always write the log in English."


def files_in(path: Path | str) -> tuple[RuleFile, ...]:
    """Return the rule files of the only conversation in a file."""
    store = open_store(Path(path))
    (row,) = store.conversations()
    return rule_files(store, store.open(row.id))


def talked(session: Any, folder: Path) -> Path:
    """Add a question and its answer, and return the written file."""
    session.user("Moor the boat.")
    session.answer("Moored.", sent=9_000)
    path: Path = session.write(folder)
    return path


def test_a_file_that_the_agent_loaded_and_a_tool_read(tmp_path: Path) -> None:
    made = recipe("claude_lines")
    session = made.Session("5e55a000-0000-4000-8000-000000000009")
    contents = f"Contents of /home/me/CLAUDE.md (project instructions):\n{RULES}"
    session.user(f"<system-reminder>\n# claudeMd\n{contents}\n</system-reminder>")
    session.user("Moor the boat.")
    (found,) = files_in(session.write(tmp_path / "a.jsonl"))
    assert (found.path, found.text, found.generation, found.how) == ("/home/me/CLAUDE.md", RULES, 1, "loaded")


def test_a_file_that_the_agent_wrote(tmp_path: Path) -> None:
    made = recipe("claude_lines")
    session = made.Session("5e55a000-0000-4000-8000-000000000009")
    session.user("Note the rules.")
    for at, name in enumerate(
        ("CLAUDE.md", "memory/harbour.md", "docs/notes.md", "other/CLAUDE.md", ".other/CLAUDE.md")
    ):
        path = f"{session.cwd}/{name}"
        session.answer(made.call(f"call-{at}", "Write", file_path=path, content=RULES))
        session.result(f"call-{at}", "written")
    found = files_in(session.write(tmp_path / "a.jsonl"))
    assert [(one.how, one.is_memory) for one in found] == [("written", False), ("written", True)]
    assert all(one.text == RULES for one in found)
    assert [one.path for one in found] == [f"{session.cwd}/CLAUDE.md", f"{session.cwd}/memory/harbour.md"]


def test_a_file_has_its_whole_text_after_an_edit(tmp_path: Path) -> None:
    made = recipe("claude_lines")
    session = made.Session("5e55a000-0000-4000-8000-000000000009")
    session.user("Note the rules.")
    path = f"{session.cwd}/CLAUDE.md"
    texts = {"old_string": "in English.", "new_string": "in English.\n- Moor at berth 4."}
    session.answer(made.call("call-1", "Write", file_path=path, content=RULES))
    session.result("call-1", "written")
    session.answer(made.call("call-2", "Edit", file_path=path, **texts))
    session.result("call-2", "edited")
    session.answer(made.call("call-3", "Edit", file_path=path, old_string="unknown", new_string="- Go."))
    session.result("call-3", "edited")
    store = open_store(Path(session.write(tmp_path / "a.jsonl")))
    (row,) = store.conversations()
    found = rule_files(store, store.open(row.id))
    edited = f"{RULES}\n- Moor at berth 4."
    assert [one.text for one in texts_after(found)] == [edited, "- Go."]
    # A later list has copies of the messages.
    copies = [one._replace(message=one.message + 100, generation=2) for one in found[1:]]
    assert [one.text for one in texts_after([*found, *copies])] == [edited, "- Go."]
    (file,) = list_rules(Answers(store, {}, None), [row.id])
    assert file.text == f"{edited}\n- Go."


def test_codex_instructions(tmp_path: Path) -> None:
    text = f"# AGENTS.md instructions for /home/me/harbour\n\n<INSTRUCTIONS>\n{RULES}\n</INSTRUCTIONS>"

    def said(words: str) -> dict[str, object]:
        content = [{"type": "input_text", "text": words}]
        return {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}

    items = [{"type": "session_meta", "payload": {"id": "c1", "cwd": "/x"}}, said(text), said("Go.")]
    (found,) = files_in(write_lines(tmp_path / "a.jsonl", items))
    assert (found.path, found.text) == ("/home/me/harbour/AGENTS.md", RULES)


def test_codex_instructions_without_a_folder(tmp_path: Path) -> None:
    texts = (
        "<recommended_plugins>\nnone\n</recommended_plugins>",
        f"# AGENTS.md instructions\n\n<INSTRUCTIONS>\n{RULES}\n",
    )
    content = [{"type": "input_text", "text": text} for text in texts]
    go = [{"type": "input_text", "text": "Go."}]
    items = [
        {"type": "session_meta", "payload": {"id": "c1", "cwd": "/x"}},
        *(
            {"type": "response_item", "payload": {"type": "message", "role": "user", "content": parts}}
            for parts in (content, go)
        ),
    ]
    store = open_store(write_lines(tmp_path / "a.jsonl", items))
    (row,) = store.conversations()
    (found,) = rule_files(store, store.open(row.id))
    assert (row.title, found.path, found.text) == ("Go.", "/x/AGENTS.md", RULES)
    items[0] = {"type": "session_meta", "payload": {"id": "c1"}}
    store = open_store(write_lines(tmp_path / "without-folder.jsonl", items))
    (row,) = store.conversations()
    assert [file.path for file in rule_files(store, store.open(row.id))] == ["AGENTS.md"]


def test_a_nested_rule_file_and_a_file_of_a_hook(tmp_path: Path) -> None:
    made = recipe("claude_lines")
    session = made.Session("5e55a000-0000-4000-8000-000000000009")
    session.user("Moor the boat.")
    nested, path = f"# Rules\n\n{RULES}", "/home/me/.claude/rules/berths.md"
    content = {"path": path, "type": "User", "content": nested, "rawContent": f"---\nglobs: x\n---\n{nested}"}
    session.attach(type="nested_memory", path=path, content=content, displayPath="../rules/berths.md")
    loaded = (
        f"<session-restore>\n\n[ROOT AGENTS.md LOADED]\n\nThe following text is of a file:\n\n{RULES}\n\n"
        "</session-restore>"
    )
    session.attach(type="hook_additional_context", content=[loaded], hookName="SessionStart")
    found = files_in(session.write(tmp_path / "a.jsonl"))
    assert [(one.path, one.text) for one in found] == [(path, nested), (f"{session.cwd}/AGENTS.md", RULES)]


def test_the_custom_instructions_of_copilot_and_a_file_that_they_name(tmp_path: Path) -> None:
    made = recipe("more_lines")
    session = made.CopilotSession(SESSION)
    blocks = "\n\n".join(
        f"<custom_instruction>\n{text}\n</custom_instruction>" for text in (RULES, "- Be short.")
    )
    session.prompt(f"You are an agent.\n\n{blocks}\n\nMore.")
    session.user("Moor the boat.")
    path = "/home/me/.github/instructions/berths.instructions.md"
    numbered = "\n".join(f"{at}. {line}" for at, line in enumerate(RULES.splitlines(), start=1))
    session.answer("I look.", made.Call("call-1", "view", {"path": path}, numbered), sent=40_000)
    found = files_in(session.write(tmp_path))
    assert [(one.path, one.text, one.how) for one in found] == [
        ("custom instruction 1", RULES, "prompt"),
        ("custom instruction 2", "- Be short.", "prompt"),
        (path, RULES, "read"),
    ]


def test_the_system_prompt_of_kimi_code_has_the_files(tmp_path: Path) -> None:
    session = KimiCodeSession("5e55a000-0000-4000-8000-000000000009")
    files = {
        "/home/me/AGENTS.md": f"{RULES}\n```sh\nmoor\n```",
        "/home/me/pier/AGENTS.md": "- Count the berths.",
    }
    block = "\n".join(f"<!-- From: {path} -->\n{text}" for path, text in files.items())
    session.add(
        "config.update", systemPrompt=f"The instructions are:\n\n```````\n{block}\n```````\n\n# Skills\n"
    )
    found = files_in(talked(session, tmp_path))
    assert {one.path: one.text for one in found} == files
    assert {one.how for one in found} == {"prompt"}


def test_the_context_of_gemini_cli_has_the_files(tmp_path: Path) -> None:
    session = recipe("more_lines").GeminiSession(SESSION)
    paths = ["/home/me/.gemini/GEMINI.md", "/home/me/pier/GEMINI.md"]
    files = "\n".join(f"--- Context from: {p} ---\n{RULES}\n--- End of Context from: {p} ---" for p in paths)
    text = f"<session_context>\nMonday\n<loaded_context>\n{files}\n</loaded_context>\n</session_context>"
    session.context["content"] = [{"text": text}]
    found = files_in(talked(session, tmp_path))
    assert [(one.path, one.text, one.how) for one in found] == [(path, RULES, "loaded") for path in paths]


def test_many_files_without_an_end_take_linear_time(tmp_path: Path) -> None:
    """A pattern that looks for the end again at each start would take minutes."""
    session = recipe("more_lines").GeminiSession(SESSION)
    starts = ("--- Context from: a.md ---\n", "[BEGIN context from [a]]\n")
    whole = f"{starts[0]}{RULES}\n--- End of Context from: a.md ---"
    text = "".join(start * 40_000 for start in starts)
    session.context["content"] = [{"text": f"<session_context>\n{text}{whole}\n</session_context>"}]
    found = files_in(talked(session, tmp_path))
    assert [(one.path, one.text) for one in found] == [("a.md", RULES)]


def test_the_system_prompt_of_hermes_has_the_files(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"))
    files = (
        f"## AGENTS.md\n\n{RULES}\n\n## .cursorrules\n\nBe short.\n\n## .cursor/rules/pier.mdc\n\nNo paint."
    )
    line = "The following project context files have been loaded and should be followed:"
    bar = "\u2550" * 20
    end = f"{bar}\nMEMORY\n{bar}\n- berth 9\n\nConversation started: Monday"
    writer.begin(system_prompt=f"You moor.\n\n# Project Context\n\n{line}\n\n{files}\n\n{end}")
    writer.say(talk(1))
    found = files_in(writer.end())
    assert [(one.path, one.text, one.how) for one in found] == [
        ("AGENTS.md", RULES, "prompt"),
        (".cursorrules", "Be short.", "prompt"),
        (".cursor/rules/pier.mdc", "No paint.", "prompt"),
    ]


def test_a_reminder_of_dsh_has_the_files(tmp_path: Path) -> None:
    session = recipe("more_lines").DshSession(SESSION)
    rules = f"{RULES}\n<details>\nTides.\n</details>\n- Never moor at night."
    files = "\n\n".join(f"Instructions from: {p}\n\n{rules}\n" for p in ("AGENTS.md", "docs/CLAUDE.md"))
    session.user(f"<system-reminder>\nUse these.\n\n{files}\n</system-reminder>")
    found = files_in(talked(session, tmp_path))
    assert [(one.path, one.text, one.how) for one in found] == [
        (f"{session.cwd}/AGENTS.md", rules, "loaded"),
        (f"{session.cwd}/docs/CLAUDE.md", rules, "loaded"),
    ]


def test_the_system_prompt_of_openhands_has_the_files(tmp_path: Path) -> None:
    session = recipe("more_lines").OpenHandsSession(SESSION)
    session.user("Moor the boat.")
    prompt = session.events[0]
    prompt["dynamic_context"] = {
        "type": "text",
        "text": f"<REPO_CONTEXT>\n[BEGIN context from [agents]]\n{RULES}\n\n[END Context]\n</REPO_CONTEXT>",
    }
    session.answer("Moored.", sent=9_000)
    (found,) = files_in(session.write(tmp_path))
    assert (found.path, found.text, found.how) == ("context from [agents]", RULES, "prompt")


def test_the_reported_case(tmp_path: Path) -> None:
    store, conversation, _ = opened(Path(case("15-claudemd.jsonl")))
    found = rule_files(store, conversation)
    assert [(one.how, one.generation) for one in found] == [("loaded", 1), ("read", 1)]
    assert "Never add Co-Authored-By" in found[0].text
    # Neither is in the list after the compaction.
    assert max(one.generation for one in found) < len(conversation.generations)
