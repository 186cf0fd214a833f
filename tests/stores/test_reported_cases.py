"""Situations that people reported in public, read from small invented inputs; skipped where these are absent."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.program import Run

CASES = (
    Path(os.environ.get("COMPACTION_INSPECTOR_RECORDINGS") or ROOT.parent / "shared" / "recordings").parent
    / "cases"
)


def run(program: Run, *words: str) -> Any:
    done = program(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def case(name: str) -> str:
    path = CASES / name
    if not path.exists():
        pytest.skip(f"the case {name} is absent")
    return str(path)


def rules(findings: list[dict[str, Any]]) -> set[str]:
    return {finding["rule"] for finding in findings}


def test_an_impossible_reported_size_is_doubted(program: Run) -> None:
    path = case("03b-pretokens-cumulative-small.jsonl")
    (compaction,), _ = run(program, "compactions", path)
    assert compaction["cost"]["amount"] == pytest.approx(0.096, abs=0.001)
    assert "reported-size-doubted" in rules(run(program, "findings", path)[0])


@pytest.mark.parametrize(
    ("folder", "branches", "compactions", "requests"),
    [("27-codex-fork", 1, 0, 4), ("38-pi-fork", 1, 0, 4), ("53-pi-fork-losses", 3, 1, None)],
)
def test_copied_history_counts_once(
    folder: str, branches: int, compactions: int, requests: int | None, program: Run
) -> None:
    path = case(folder)
    rows, _ = run(program, "conversations", path)
    (parent,) = [row for row in rows if row["kind"] == "conversation"]
    assert [row["parent"] for row in rows if row["kind"] == "branch"] == [parent["id"]] * branches
    assert sum(row["compactions"] for row in rows) == compactions
    if requests is not None:
        found = [run(program, "requests", path, row["id"])[0] for row in rows]
        assert sum(len(one["requests"] if isinstance(one, dict) else one) for one in found) == requests
    losses, _ = run(program, "losses", path)
    assert len(losses) == compactions


def test_a_context_that_shrank_is_reported(program: Run) -> None:
    found, _ = run(program, "findings", case("20b-silent-fall.jsonl"))
    (fall,) = [finding for finding in found if finding["rule"] == "context-shrank"]
    assert "Request 7 sent 42,003 tokens, 42,000 fewer" in fall["text"]


def test_a_compaction_that_did_not_shrink_is_reported(program: Run) -> None:
    path = case("28-codex-larger.jsonl")
    (compaction,), _ = run(program, "compactions", path)
    assert (compaction["tokens_before_reported"], compaction["tokens_after_reported"]) == (244_538, 258_400)
    assert "did-not-shrink" in rules(run(program, "findings", path)[0])


def test_failed_attempts_are_shown(program: Run) -> None:
    path = case("41-claude-failed-compact.jsonl")
    found, _ = run(program, "compactions", path)
    assert [entry["kind"] for entry in found] == ["failed"] * 3
    assert all("Conversation too long" in entry["error"] for entry in found)
    assert "compaction-failed" in rules(run(program, "findings", path)[0])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("17-fast-mode", "1 request in fast mode"),
        ("17b-web-search", "50 web searches"),
        ("50-output-placeholder", "~"),
    ],
)
def test_missing_costs_are_noted(name: str, words: str, program: Run) -> None:
    _, messages = run(program, "requests", case(f"{name}.jsonl"))
    assert words in messages


def test_placeholders_are_replaced_by_the_visible_text(program: Run) -> None:
    found, _ = run(program, "requests", case("50-output-placeholder.jsonl"))
    requests = found["requests"] if isinstance(found, dict) else found
    assert all(request["output_estimated"] and request["output_tokens"] > 4_000 for request in requests)


def test_usage_and_model_are_from_the_same_line(program: Run) -> None:
    found, _ = run(program, "requests", case("18b-midstream-fallback.jsonl"))
    (request,) = found["requests"] if isinstance(found, dict) else found
    assert request["model"] == "claude-opus-5"
    assert request["cost"]["amount"] == pytest.approx(0.228, abs=0.001)


def test_every_spelling_of_a_bedrock_model_is_priced(program: Run) -> None:
    found, _ = run(program, "requests", case("19d-arn.jsonl"))
    (request,) = found["requests"] if isinstance(found, dict) else found
    assert request["cost"] is not None


def test_a_record_after_nul_bytes_is_read(program: Run) -> None:
    (compaction,), _ = run(program, "compactions", case("55-nul-both.jsonl"))
    assert compaction["summary"]


def test_expensive_misses_have_their_price(program: Run) -> None:
    found, _ = run(program, "findings", case("11-cache-prefix.jsonl"))
    (missed,) = [finding for finding in found if finding["rule"] == "prefix-missed"]
    assert "5.21 US dollars" in missed["text"]
    assert "76%" in missed["text"]


def test_messages_that_are_stored_twice_are_named_with_their_cost(program: Run) -> None:
    found, _ = run(program, "findings", case("43-hermes-reinserted.db"))
    (twice,) = [finding for finding in found if finding["rule"] == "messages-twice"]
    assert "tokens with every request" in twice["text"]
