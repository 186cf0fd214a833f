"""Situations that people reported in public, read from small invented inputs; skipped where these are absent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

CASES = (
    Path(os.environ.get("COMPACTION_INSPECTOR_RECORDINGS") or ROOT.parent / "shared" / "recordings").parent
    / "cases"
)


def run(home: Path, *words: str) -> Any:
    env = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    command = [sys.executable, "-m", "inspector", *words, "--json"]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout), done.stderr


def case(name: str) -> str:
    path = CASES / name
    if not path.exists():
        pytest.skip(f"the case {name} is absent")
    return str(path)


def rules(findings: list[dict[str, Any]]) -> set[str]:
    return {finding["rule"] for finding in findings}


def test_a_reported_size_that_cannot_be_true_is_doubted(tmp_path: Path) -> None:
    path = case("03b-pretokens-cumulative-small.jsonl")
    (compaction,), _ = run(tmp_path, "compactions", path)
    assert compaction["cost"]["amount"] == pytest.approx(0.096, abs=0.001)
    assert "reported-size-doubted" in rules(run(tmp_path, "findings", path)[0])


@pytest.mark.parametrize(
    ("folder", "branches", "compactions", "requests"),
    [("27-codex-fork", 1, 0, 4), ("38-pi-fork", 1, 0, 4), ("53-pi-fork-losses", 3, 1, None)],
)
def test_copied_history_counts_once(
    folder: str, branches: int, compactions: int, requests: int | None, tmp_path: Path
) -> None:
    path = case(folder)
    rows, _ = run(tmp_path, "conversations", path)
    (parent,) = [row for row in rows if row["kind"] == "conversation"]
    assert [row["parent"] for row in rows if row["kind"] == "branch"] == [parent["id"]] * branches
    assert sum(row["compactions"] for row in rows) == compactions
    if requests is not None:
        found = [run(tmp_path, "requests", path, row["id"])[0] for row in rows]
        assert sum(len(one["requests"] if isinstance(one, dict) else one) for one in found) == requests
    losses, _ = run(tmp_path, "losses", path)
    assert len(losses) == compactions


def test_a_context_that_shrank_is_reported(tmp_path: Path) -> None:
    found, _ = run(tmp_path, "findings", case("20b-silent-fall.jsonl"))
    (fall,) = [finding for finding in found if finding["rule"] == "context-shrank"]
    assert "Request 7 sent 42,003 tokens, 42,000 fewer" in fall["text"]


def test_a_compaction_that_did_not_shrink_is_reported(tmp_path: Path) -> None:
    path = case("28-codex-larger.jsonl")
    (compaction,), _ = run(tmp_path, "compactions", path)
    assert (compaction["tokens_before_reported"], compaction["tokens_after_reported"]) == (244_538, 258_400)
    assert "did-not-shrink" in rules(run(tmp_path, "findings", path)[0])


def test_failed_attempts_are_shown(tmp_path: Path) -> None:
    path = case("41-claude-failed-compact.jsonl")
    found, _ = run(tmp_path, "compactions", path)
    assert [entry["kind"] for entry in found] == ["failed"] * 3
    assert all("Conversation too long" in entry["error"] for entry in found)
    assert "compaction-failed" in rules(run(tmp_path, "findings", path)[0])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("17-fast-mode", "1 request in fast mode"),
        ("17b-web-search", "50 web searches"),
        ("50-output-placeholder", "~"),
    ],
)
def test_what_the_costs_lack_is_said(name: str, words: str, tmp_path: Path) -> None:
    _, messages = run(tmp_path, "requests", case(f"{name}.jsonl"))
    assert words in messages


def test_placeholders_are_replaced_by_the_visible_text(tmp_path: Path) -> None:
    found, _ = run(tmp_path, "requests", case("50-output-placeholder.jsonl"))
    requests = found["requests"] if isinstance(found, dict) else found
    assert all(request["output_estimated"] and request["output_tokens"] > 4_000 for request in requests)


def test_usage_and_model_are_those_of_one_line(tmp_path: Path) -> None:
    found, _ = run(tmp_path, "requests", case("18b-midstream-fallback.jsonl"))
    (request,) = found["requests"] if isinstance(found, dict) else found
    assert request["model"] == "claude-opus-5"
    assert request["cost"]["amount"] == pytest.approx(0.228, abs=0.001)


def test_every_spelling_of_a_bedrock_model_is_priced(tmp_path: Path) -> None:
    found, _ = run(tmp_path, "requests", case("19d-arn.jsonl"))
    (request,) = found["requests"] if isinstance(found, dict) else found
    assert request["cost"] is not None


def test_a_record_behind_nuls_is_read(tmp_path: Path) -> None:
    (compaction,), _ = run(tmp_path, "compactions", case("55-nul-both.jsonl"))
    assert compaction["summary"]


def test_misses_that_cost_much_have_their_price(tmp_path: Path) -> None:
    found, _ = run(tmp_path, "findings", case("11-cache-prefix.jsonl"))
    (missed,) = [finding for finding in found if finding["rule"] == "prefix-missed"]
    assert "5.21 US dollars" in missed["text"]
    assert "76%" in missed["text"]


def test_messages_that_are_stored_twice_are_named_with_their_cost(tmp_path: Path) -> None:
    found, _ = run(tmp_path, "findings", case("43-hermes-reinserted.db"))
    (twice,) = [finding for finding in found if finding["rule"] == "messages-twice"]
    assert "tokens with every request" in twice["text"]
