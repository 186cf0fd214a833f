"""The answers of hooks: what an agent gets before and after a compaction, and that a failure never disturbs it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers import hooking
from inspector.core.errors import InspectorError
from inspector.core.messages import Message
from inspector.quality.facts.passages import ListText
from tests.program import Run

claude_code, codex, hermes, pi = (
    partial(hooking.answer, agent) for agent in ("claude-code", "codex", "hermes", "pi")
)
RULES = "Never push to the main branch. The service listens on port 8123. Write a parser for the logs."
NAMES = ["hook_event_name", "session_id", "transcript_path", "source", "messages"]
VALUES = st.one_of(
    st.none(), st.integers(), st.sampled_from(["PreCompact", "SessionStart", "compact", "/none"])
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setattr("inspector.answers.hooking.state_dir", lambda: folder)
    return folder


def transcript(folder: Path, texts: Sequence[str] = (RULES,)) -> Path:
    """Write a transcript of Claude Code with some texts of the user."""
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(texts):
        common = {
            "parentUuid": f"a{number - 1}" if number else None, "isSidechain": False, "userType": "external",
            "cwd": "/home/dev/app", "sessionId": "s1", "version": "2.1.331", "gitBranch": "main",
            "timestamp": f"2026-03-01T10:{number % 60:02}:00.000Z",
        }  # fmt: skip
        lines.append(
            {**common, "type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": text}}
        )
        answer = {
            "id": f"msg{number}", "type": "message", "role": "assistant", "model": "claude-opus-4-5",
            "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 5, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 90},
        }  # fmt: skip
        lines.append(
            {
                **common,
                "type": "assistant",
                "uuid": f"a{number}",
                "parentUuid": f"u{number}",
                "message": answer,
            }
        )
    path = folder / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def event(name: str, path: Path, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s1", "transcript_path": str(path), **more}


def test_rules_reach_the_summarizer_within_the_budget(tmp_path: Path) -> None:
    texts = [RULES, *(f"Keep the value {n} in the file conf/part{n}.toml." for n in range(200))]
    path = transcript(tmp_path, texts)
    text = claude_code(event("PreCompact", path, trigger="auto"))
    assert "- Never push to the main branch." in text
    assert len(text) <= hooking.BUDGET + 1
    assert len(claude_code(event("PreCompact", path), budget=300)) <= 301
    assert len(claude_code(event("PreCompact", path), budget=10**6)) <= hooking.MAX_BUDGET + 1


def test_standing_rules_follow_only_a_compaction(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    text = claude_code(event("SessionStart", path, source="compact"))
    assert "Never push to the main branch." in text
    assert "parser" not in text
    assert claude_code(event("SessionStart", path, source="startup")) == ""


def test_a_loss_is_reported_once_by_the_next_hook_with_output(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    claude_code(event("SessionStart", path, source="compact"))
    assert claude_code(event("PostCompact", path, compact_summary="A parser was written.")) == ""
    answer = json.loads(claude_code(event("PostToolUse", path)))
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert "8123" in context
    # The standing rules repeat it, so it is not lost.
    assert "push" not in context
    assert claude_code(event("UserPromptSubmit", path)) == ""


def test_without_losses_nothing_is_reported(tmp_path: Path) -> None:
    path = transcript(tmp_path)
    claude_code(
        event("PostCompact", path, compact_summary=f"<analysis>Hm.</analysis>The user's words: {RULES}")
    )
    assert claude_code(event("UserPromptSubmit", path)) == ""
    # The analysis is no part of the summary.
    claude_code(event("PostCompact", path, compact_summary=f"<analysis>{RULES}</analysis>Work goes on."))
    assert claude_code(event("UserPromptSubmit", path)) != ""


def test_the_status_line_has_the_distance_and_the_rules(tmp_path: Path) -> None:
    window = {
        "context_window_size": 200_000,
        "current_usage": {"input_tokens": 7_000, "cache_read_input_tokens": 120_000, "output_tokens": 0},
    }
    line = claude_code(event("Status", transcript(tmp_path), context_window=window))
    assert "127,000/167,000 · 40,000 to compaction" in line
    assert "1 rule at risk" in line
    assert claude_code({"hook_event_name": "Status"}) == "\n"


def history(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


def test_hermes_gets_the_losses_of_a_compression_once() -> None:
    def call(*texts: str) -> str:
        extra = {"conversation_history": history(*texts)}
        return hermes({"hook_event_name": "pre_llm_call", "session_id": "h1", "extra": extra})

    summary = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n## Goal\nA parser."
    assert call(RULES) == ""
    answer = call(summary, "go on")
    assert "Never push to the main branch." in json.loads(answer)["context"]
    assert call(summary, "go on", "and on") == ""


def test_hermes_gets_a_rule_stated_between_two_compressions() -> None:
    def call(*texts: str) -> str:
        extra = {"conversation_history": history(*texts)}
        return hermes({"hook_event_name": "pre_llm_call", "session_id": "h2", "extra": extra})

    first, second = (
        f"[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n## Goal\n{RULES}{end}"
        for end in ("", " Again.")
    )
    rule = "Never print the password of the lamp."
    assert call(RULES) == ""
    assert call(first, "go on") == ""
    assert call(first, "go on", rule) == ""
    answer = call(second, "next")
    assert rule in json.loads(answer)["context"]
    # The same without a rule before the first summary.
    other = {"hook_event_name": "pre_llm_call", "session_id": "h3"}
    assert hermes({**other, "extra": {"conversation_history": history(first, rule)}}) == ""
    assert hermes({**other, "extra": {"conversation_history": history(second)}}) != ""


def test_hermes_passes_rules_to_the_summarizer() -> None:
    answer = hermes({"hook_event_name": "on_pre_compress", "messages": history(RULES)})
    assert "- Never push to the main branch." in answer


def test_unknown_events_print_nothing(tmp_path: Path) -> None:
    assert claude_code(event("Stop", tmp_path / "none")) == ""
    assert hermes({"hook_event_name": "post_llm_call"}) == ""


@given(st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_any_event_is_answered_or_refused_with_a_message(event: dict[str, Any]) -> None:
    for answer in (claude_code, hermes):
        message = "."
        try:
            assert isinstance(answer(event), str)
        except InspectorError as error:
            message = str(error)
        assert message


def run(text: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspector", "hook", *words],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"hook_event_name": "PreCompact", "transcript_path": "/none"}']
)
def test_a_failure_ends_with_1_and_says_nothing_to_the_agent(text: str) -> None:
    done = run(text, "claude-code")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("compaction-inspector: ")
    assert "Traceback" not in done.stderr


def test_a_hook_reads_and_writes_utf_8_in_every_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    rule = "不要修改 legacy/ 目录。"
    event = {"hook_event_name": "on_pre_compress", "messages": history(rule)}
    done = subprocess.run(
        [sys.executable, "-m", "inspector", "hook", "hermes"],
        input=json.dumps(event, ensure_ascii=False).encode(),
        capture_output=True,
        check=True,
    )
    assert rule in done.stdout.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes standard input")
def test_a_hook_without_standard_input_is_a_failure() -> None:
    command = f"{shlex.quote(sys.executable)} -m inspector hook hermes <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")


def test_the_settings_are_printed() -> None:
    block = json.loads(run("", "claude-code", "--print-settings").stdout)
    assert set(block["hooks"]) == {
        "PreCompact",
        "SessionStart",
        "PostCompact",
        "PostToolUse",
        "UserPromptSubmit",
    }
    assert block["hooks"]["SessionStart"][0]["matcher"] == "compact"
    assert "pre_llm_call" in run("", "hermes", "--print-settings").stdout


def test_an_event_that_only_reports_reads_no_transcript(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def read(path: Path) -> None:
        raise AssertionError("the transcript was read")

    monkeypatch.setattr(hooking, "facts_of_transcript", read)
    assert claude_code(event("PostToolUse", tmp_path)) == ""


def test_losses_are_judged_against_every_text() -> None:
    facts = hooking.facts_of_messages([Message({"role": "user", "content": RULES})])
    texts = [
        ListText("summary", 0, "summary", "Never push to the main branch."),
        ListText("tail", 1, "user", "Port 8123."),
    ]
    assert "push" not in hooking.lost_statements(facts, texts)


def test_codex_gets_the_standing_rules_only_after_a_compaction(tmp_path: Path) -> None:
    path = str(transcript(tmp_path))
    event = {"hook_event_name": "SessionStart", "source": "compact", "transcript_path": path}
    assert "Never push to the main branch." in codex(event)
    assert codex({**event, "source": "startup"}) == ""


def test_pi_gets_rules_missing_in_the_summary_and_the_kept_messages() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": RULES}]}]
    event = {
        "hook_event_name": "session_compact",
        "messages": messages,
        "kept": [],
        "summary": "A parser is written.",
    }
    assert "Never push to the main branch. (lost)" in pi(event)
    assert pi({**event, "summary": RULES}) == ""
    assert pi({**event, "kept": messages}) == ""


def test_a_value_that_only_a_tool_printed_does_not_keep_a_rule() -> None:
    messages = [{"role": "user", "content": "Allow at most 3 retries, only on 502."}]
    kept = [{"role": "toolResult", "content": [{"type": "text", "text": "trace 00502: 3 tries left"}]}]
    event = {
        "hook_event_name": "session_compact",
        "messages": messages,
        "kept": kept,
        "summary": "Retries were discussed.",
    }
    assert "only on 502. (lost)" in pi(event)


@pytest.mark.parametrize(
    "words", [("nobody",), ("claude-code", "--budget", "5"), ("claude-code", "--no-such"), ()]
)
def test_wrong_options_never_block_the_agent(program: Run, words: tuple[str, ...]) -> None:
    done = program("hook", *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Error: " in done.stderr
