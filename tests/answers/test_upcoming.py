"""The next compaction: distance, removed messages, facts at risk, the text to pin."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.facts import Wanted, facts_at_risk
from inspector.answers.requests import requests_of
from inspector.answers.upcoming import Upcoming, size_after, upcoming
from inspector.caching.costs import total
from inspector.commands.cli import commands
from inspector.commands.sources import open_source
from inspector.core.errors import UsageProblem
from inspector.quality.facts.carry import pin_text
from inspector.quality.facts.fact import Fact, Saying
from inspector.stores.detect import open_store
from tests.recipes import recipe

HARBOR, ORDERS = "Harbor importer: decimal commas", "Nightly orders import loses rows"


def asked(name: str, now: float | None = None, **flags: Any) -> Upcoming:
    return upcoming(Answers(open_source(None, True), flags, None), name, now)


def test_reported_sizes_are_used_if_the_agent_has_them() -> None:
    found = asked(HARBOR)
    assert found.reported
    assert found.growth
    assert found.requests_left == -(-(found.threshold_tokens - found.tokens) // found.growth)


def test_a_rule_that_an_earlier_compaction_lost_is_named_and_pinned() -> None:
    found = asked(HARBOR)
    rule = "Never change the public signature of parse_ship(), other teams call it."
    assert [(life.text, life.outcome) for life in found.lost] == [(rule, "lost")]
    assert f"- {rule}\n" in found.pin
    assert not {life.fact.key for life in found.lost} & {risk.fact.key for risk in found.at_risk}


@pytest.mark.parametrize(
    ("left", "words"), [(1, "about 1 request with 300 new tokens"), (2, "new tokens each")]
)
def test_the_requests_until_the_threshold_are_counted_in_words(left: int, words: str) -> None:
    found = replace(asked(HARBOR), tokens=10, threshold_tokens=1_000, growth=300, requests_left=left)
    assert f"{words} (" in found.sentences[0]


def test_removed_messages_and_facts_at_risk_are_those_of_the_plan() -> None:
    answers = Answers(open_source(None, True), {}, None)
    found = upcoming(answers, ORDERS)
    assert found.takes == tuple(range(found.takes[0], found.takes[-1] + 1))
    at_risk = facts_at_risk(answers, ORDERS, Wanted())
    assert [risk.fact.key for risk in found.at_risk] == [risk.fact.key for risk in at_risk.facts]
    assert all(set(risk.places) <= set(found.takes) for risk in found.at_risk)


@pytest.mark.parametrize(
    ("name", "threshold", "words"),
    [
        ("小程序首页改版", None, r"at 400 messages \(the list has \d+\)$"),
        ("小程序首页改版", 0.95, r"at 400 messages \(the list has \d+\) or [\d,]+ tokens$"),
        ("Move checkout to orders-v2", 0.95, ""),
    ],
)
def test_a_session_of_a_gateway_has_its_limits_too(name: str, threshold: float | None, words: str) -> None:
    answers = Answers(open_source(None, True), {"threshold": threshold}, None)
    found = upcoming(answers, name)
    gateway_lines = [
        line for line in found.sentences if line.startswith("the gateway compacts before a turn ")
    ]
    assert len(gateway_lines) == bool(words)
    assert not words or re.search(words, gateway_lines[0])


def test_a_notice_after_the_answer_does_not_open_a_task(tmp_path: Path) -> None:
    session = recipe("claude_lines").Session("5e55a000-0000-4000-8000-000000000001")
    session.user("Read the berths.")
    session.answer({"type": "text", "text": "There are nine."})
    session.attach(type="hook_additional_context", content=["Nine berths were checked."], hookName="Stop")
    store = open_store(session.write(tmp_path / "a.jsonl"))
    (row,) = store.conversations()
    assert store.messages(store.open(row.id).live)[-1].role == "system"
    assert upcoming(Answers(store, {}, None), row.id).at_boundary
    store.close()


def test_settings_change_the_distance() -> None:
    assert asked(ORDERS, context_length=200_000).threshold_tokens > asked(ORDERS).threshold_tokens


def test_a_cold_cache_costs_more_than_a_warm_cache() -> None:
    inspection = Answers(open_source(None, True), {}, None).opened(HARBOR)[0]
    last = max(request.at for request in inspection.store.requests(inspection.conversation))
    warm, cold = asked(HARBOR, last + 10), asked(HARBOR, last + 100_000)
    assert (warm.warm, cold.warm) == (True, False)
    assert warm.bill is not None
    assert cold.bill is not None
    assert warm.bill.cost.amount < cold.bill.cost.amount


@pytest.mark.parametrize(
    ("tokens", "rough", "after"),
    [
        (30_000, (250, 3_000), 32_750),  # nearly all is system prompt and tools
        (30_000, (10_000, 2_000), 22_000),
        (50_000, (100_000, 20_000), 10_000),  # the rough size is too large
        (10_000, (10_000, 4_000), 4_000),
    ],
)
def test_a_compaction_changes_the_list_and_not_the_prompt_around_it(
    tokens: int, rough: tuple[int, int], after: int
) -> None:
    assert size_after(tokens, *rough) == after


def test_a_compaction_of_a_short_list_costs_less_than_all_requests_of_the_conversation() -> None:
    name = "Buoys"
    bill = asked(name).bill
    answers = Answers(open_source(None, True), {}, None)
    paid = total(priced.cost for priced in requests_of(*answers.opened(name)).priced)
    assert bill is not None
    assert paid is not None
    assert bill.cost.amount < paid.amount


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini"])
def test_only_a_summary_with_the_prompt_of_the_conversation_is_read_from_the_cache(
    agent: str, fixtures_dir: Path
) -> None:
    answers = Answers(open_store(fixtures_dir / "agents" / agent), {"context_length": 200_000}, None)
    shared = agent in ("claude-code", "codex")
    seen = 0
    for row in answers.store.conversations():
        inspection = answers.opened(row.id)[0]
        last = max((request.at for request in inspection.requests()), default=0.0)
        found = upcoming(answers, row.id, last + 10)
        if found.warm and found.bill is not None:
            seen += 1
            assert found.bill.warm == shared
            assert any("warm cache" in sentence for sentence in found.sentences) == shared
    assert seen


def fact(text: str, kind: Any = "constraint", role: str = "user", rule: str = "en.never") -> Fact:
    saying = Saying(0, 1, 0, 1, "s", role, (0, 0), None)
    return Fact(text, kind, text, "", (), (), rule, 5, (0, 0), role, (saying,), 0, 1.0)


def test_the_pin_has_the_users_rules_first_and_no_other_rules() -> None:
    pin = pin_text(
        [fact("The port is 8443.", "value"), fact("It was the cache.", role="assistant"), fact("Never push.")]
    )
    assert pin.splitlines()[1:] == ["- Never push.", "- The port is 8443."]
    assert pin_text([fact("Run the tests.", "decision", rule="en.errand")]) == ""
    answered = pin_text([fact("No. ← Shall I paint the pier?", "decision")])
    assert answered.endswith("- The user answered “No.” to “Shall I paint the pier?”\n")
    assert pin_text([]) == ""


@given(st.lists(st.text(min_size=1, max_size=200), max_size=60), st.integers(50, 4_000))
def test_the_pin_never_exceeds_its_limit(texts: list[str], limit: int) -> None:
    assert len(pin_text([fact(text) for text in texts], limit)) <= limit + 1


def test_the_command_prints_text_and_json() -> None:
    runner = CliRunner()
    document = json.loads(runner.invoke(commands, ["next", "--demo", ORDERS, "--json"]).stdout)
    assert document["pin"].startswith("Keep these word for word")
    text = runner.invoke(commands, ["next", "--demo", ORDERS]).stdout
    assert f"{document['threshold_tokens']:,}" in text
    assert "to pin" in text


def test_a_pin_without_facts_is_explained_and_is_never_json() -> None:
    runner = CliRunner()
    empty = runner.invoke(commands, ["next", "--demo", "Check the load test scripts", "--pin"])
    assert (empty.stdout, empty.exit_code) == ("", 0)
    assert "Nothing to pin: a compaction now would summarize nothing" in empty.stderr
    assert isinstance(
        runner.invoke(commands, ["next", "--demo", ORDERS, "--pin", "--json"]).exception, UsageProblem
    )


@pytest.mark.parametrize("name", ["Plan the offsite in Ghent", "小程序首页改版"])
def test_conversations_without_requests_are_estimated(name: str) -> None:
    found = asked(name)
    assert not found.reported or found.growth is not None
    assert found.threshold_tokens > 0


def test_codex_may_compact_earlier_by_its_reasoning(tmp_path: Path) -> None:
    rollout = recipe("other_lines").CodexRollout("019f7a10-5d00-7cc3-8e10-4d8b0f9ac002")
    rollout.says("user", "Chart the reef.")
    rollout.says("assistant", "The reef is charted.")
    rollout.counts(40_000, 30_000)
    (path := tmp_path / "rollout.jsonl").write_text(
        rollout.text().replace('"reasoning_output_tokens": 0', '"reasoning_output_tokens": 1000'),
        encoding="utf-8",
    )
    store = open_store(path)
    answer = upcoming(Answers(store, {}, None), store.conversations()[0].id)
    assert answer.reasoning == 1_220
    assert any("at most ~1,220 tokens here" in line for line in answer.sentences)
