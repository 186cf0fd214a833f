"""Scoring: the bundled corpus, the baselines, a summarizer's row, and what happens if one fails."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.answers.attempting import PromptWording
from inspector.answers.corpus import CorpusConversation, read_corpus
from inspector.answers.scoring import (
    CONTEXT_LENGTH,
    Judge,
    PlannedScore,
    ScoreRow,
    baseline_rows,
    corpus_folder,
    plan_scores,
    profile_rows,
)
from inspector.core.errors import BadInput, UsageProblem
from inspector.engines.base import Settings
from inspector.quality.facts.fact import KINDS
from tests.examples import fewer
from tests.program import Run

SETTINGS = Settings(context_length=CONTEXT_LENGTH)
#: A command that copies every line of the user. It fails on prompts with a given word.
COPY = """
import re, sys
prompt = sys.stdin.read()
if len(sys.argv) > 1 and sys.argv[1] in prompt:
    sys.exit("no model today")
turns = prompt.partition("<messages>")[2].partition("</messages>")[0]
records = re.split(r"(?m)^\\[(USER|ASSISTANT|TOOL)[^\\]]*\\]: ", turns)
print("\\n".join(text for role, text in zip(records[1::2], records[2::2]) if role == "USER"))
"""


@pytest.fixture(scope="module")
def corpus() -> tuple[CorpusConversation, ...]:
    return read_corpus(corpus_folder())


@pytest.fixture(scope="module")
def planned(corpus: tuple[CorpusConversation, ...]) -> list[PlannedScore]:
    """Return a quarter of the corpus, in both languages."""
    return plan_scores([Judge(conversation) for conversation in corpus[2::4]], SETTINGS, PromptWording())


@pytest.fixture(scope="module")
def baselines(planned: list[PlannedScore]) -> dict[str, ScoreRow]:
    return {row.label: row for row in baseline_rows(planned)}


def test_the_corpus_matches_its_readme(corpus: tuple[CorpusConversation, ...]) -> None:
    assert len(corpus) == 12
    assert [one.language for one in corpus].count("zh") == 2
    assert {one.domain for one in corpus} == {"coding", "data", "operations", "writing"}
    assert sum(one.path.stat().st_size for one in corpus) < 1_500_000
    truth = [statement for one in corpus for statement in one.truth]
    assert {statement.kind for statement in truth} == set(KINDS)
    assert any(not statement.still_holds for statement in truth)
    assert all(statement.hurts.endswith((".", "。")) for statement in truth)
    for one in corpus:
        assert 30 <= len(one.messages) <= 120
        assert len(one.truth) >= 10
        calls = [call.id for message in one.messages for call in message.tool_calls]
        results = [message.wire["tool_call_id"] for message in one.messages if message.role == "tool"]
        assert calls == results


def test_one_rule_is_old_and_never_repeated(corpus: tuple[CorpusConversation, ...]) -> None:
    calendar = next(one for one in corpus if one.name == "booking-calendar")
    users = [index for index, message in enumerate(calendar.messages) if message.role == "user"]
    rule = next(statement for statement in calendar.truth if statement.message == users[1])
    assert rule.importance == 3
    assert len(calendar.messages) - users[1] > 80
    assert not any("into the past" in message.text for message in calendar.messages[users[1] + 1 :])


def test_a_full_copy_keeps_everything(baselines: dict[str, ScoreRow]) -> None:
    row = baselines["everything"]
    assert row.kept().value == 1.0
    assert {scored.fate.outcome for scored in row.statements} == {"verbatim"}
    assert row.ratio == 1.0


def test_truncation_keeps_only_the_head_and_the_tail(baselines: dict[str, ScoreRow]) -> None:
    statements = baselines["truncation"].statements
    for scored in statements:
        if scored.region != "middle":
            assert scored.fate.outcome == "verbatim"
        assert scored.fate.where != "summary"
    middle = [scored for scored in statements if scored.region == "middle"]
    assert len(middle) > 30
    assert sum(scored.fate.alive for scored in middle) < len(middle) / 10


def test_every_profile_has_a_row(corpus: tuple[CorpusConversation, ...]) -> None:
    shortest = min(corpus, key=lambda one: len(one.messages))
    rows = profile_rows([Judge(shortest)], SETTINGS, lambda what, done, total: None)
    by_label = {row.label: row for row in rows}
    assert {"documented", "hermes-0.20", "claude-code", "codex", "pi"} <= set(by_label)
    assert "truncation" not in by_label
    left_alone = by_label["openclaw"]
    assert (left_alone.compacted, left_alone.kept().of, left_alone.ratio) == ((), 0, None)
    assert left_alone.conversations[0].problem


@given(data=st.data())
@fewer()
def test_one_more_true_quote_never_scores_lower(planned: list[PlannedScore], data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(planned))
    quotes = [f"- {' '.join(statement.quote.split())}" for statement in one.judge.conversation.truth]
    some = data.draw(st.lists(st.sampled_from(quotes), unique=True, max_size=len(quotes) - 1))
    another = data.draw(st.sampled_from([quote for quote in quotes if quote not in some]))
    less, more = (
        ScoreRow("", "summarizer", "", (_scored(one, lines),)) for lines in (some, [*some, another])
    )
    assert more.kept().count >= less.kept().count


def _scored(one: PlannedScore, lines: list[str]) -> Any:
    summary = "## Constraints & Preferences\n" + "\n".join(lines)
    return one.scored(one.after(summary), summary)


def test_a_profile_without_a_summary_is_refused(corpus: tuple[CorpusConversation, ...]) -> None:
    with pytest.raises(UsageProblem, match="truncation writes no summary"):
        plan_scores([Judge(corpus[0])], SETTINGS.with_(profile="truncation"), PromptWording())


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Write a corpus of two conversations."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in ("bakery-newsletter", "zh-canteen-report"):
        (folder / f"{name}.json").write_bytes((corpus_folder() / f"{name}.json").read_bytes())
    return folder


@pytest.fixture
def copying(tmp_path: Path) -> str:
    script = tmp_path / "copy.py"
    script.write_text(COPY)
    return shlex.join([sys.executable, str(script)])


def test_a_command_that_copies_the_users_lines_beats_truncation(
    program: Run, small: Path, copying: str
) -> None:
    done = program("score", copying, "--corpus", str(small), "--no-profiles", "--send", "--json")
    assert done.returncode == 0, done.stderr
    copy, truncation, everything = json.loads(done.stdout)["rows"]
    assert (copy["kind"], truncation["label"], everything["label"]) == (
        "summarizer",
        "truncation",
        "everything",
    )
    assert copy["all_kept"]["low"] > truncation["all_kept"]["high"]
    assert truncation["ratio"] < copy["ratio"] < everything["ratio"]


def test_a_second_run_repeats_only_failed_calls(program: Run, small: Path, copying: str) -> None:
    words = ("score", f"{copying} Hilda", "--corpus", str(small), "--no-profiles", "--send")
    first = program(*words, "--json")
    assert first.returncode == 0
    row = json.loads(first.stdout)["rows"][0]
    assert [bool(score["problem"]) for score in row["scores"]] == [True, False]
    assert "no model today" in row["problems"][0]
    assert {fate["fate"] for fate in row["scores"][0]["fates"]} == {"unknown"}
    assert row["uncertain"] >= 15
    second = program(*words)
    assert "1 prompt of" in second.stderr
    assert "1 summary of an earlier run used again" in second.stderr
    assert "Its statements count as uncertain." in second.stdout
    again = program(*words, "--again")
    assert "2 prompts of" in again.stderr


def test_nothing_is_sent_without_consent(program: Run, small: Path, copying: str) -> None:
    done = program("score", copying, "--corpus", str(small), "--no-profiles")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Nothing was sent" in done.stderr


def test_a_profile_that_never_compacts_is_refused(program: Run, small: Path, copying: str) -> None:
    done = program("score", copying, "--corpus", str(small), "--profile", "openclaw", "--send")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "openclaw compacts no conversation of this corpus: all messages of the list would stay."
        in done.stderr
    )


def test_a_command_that_always_fails_is_an_error(program: Run, small: Path, copying: str) -> None:
    done = program("score", f"{copying} messages", "--corpus", str(small), "--no-profiles", "--send")
    assert done.returncode == 1
    assert "No conversation got a summary" in done.stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"quote": "never said"}, "is not in message 1 word for word"),
        ({"message": 9}, "names message 9, and there are 2"),
        ({"kind": "rule"}, "has the kind 'rule'"),
        ({"importance": 4}, "has the importance 4"),
        ({"hurts": None}, "has no usable 'hurts'"),
    ],
)
def test_a_wrong_truth_is_refused(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    statement = {
        "quote": "port 80",
        "message": 1,
        "kind": "value",
        "importance": 1,
        "hurts": "x.",
        "still_holds": True,
    }
    messages = [{"role": "user", "content": "hi"}, {"role": "user", "content": "use port 80"}]
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"messages": messages, "truth": [{**statement, **change}]}))
    with pytest.raises(BadInput, match="statement 1") as refused:
        read_corpus(tmp_path)
    assert sentence in str(refused.value)


def test_a_folder_without_conversations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no JSON file"):
        read_corpus(tmp_path)
    with pytest.raises(BadInput, match="There is no folder"):
        read_corpus(tmp_path / "missing")
