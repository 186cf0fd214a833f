"""Every rule of every language finds what it is for, and leaves alone what only looks like it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inspector.quality.facts.rules
from inspector.config.fact_rules import LANGUAGES, OTHERS, load_rules, read_rules
from inspector.core.errors import BadInput
from inspector.quality.facts.rules.compiling import rules_from
from tests.quality.facts.made_facts import facts, said

#: A sentence for each rule, which that rule must be the one to find.
EXAMPLES = {
    "en.hard-rule": "Hard rule: the billing tables belong to finance.",
    "en.never": "Never push straight to main.",
    "en.do-not": "Please do not touch anything under legacy/invoices/.",
    "en.from-now-on": "From now on the changelog gets an entry each time.",
    "en.must": "The cluster must stay readable.",
    "en.always": "Always run the linter.",
    "en.only": "Deploy only after the review.",
    "en.only-first": "Only Anna may approve releases.",
    "en.bound": "Retries: at most 3.",
    "en.no-x": "No reindex during the day.",
    "en.keep": "Keep the old alias.",
    "en.stays": "Amounts are rounded half a cent up.",
    "en.condition": "Roll back when a node is slow.",
    "en.first": "Run it in shadow for two nights first.",
    "en.polite": "I'd rather you left the schema alone.",
    "en.prefer": "I like small commits.",
    "en.answer-style": "Please answer in short bullets.",
    "en.correction": "I told you the tables are plural.",
    "en.want-by": "I want to know by 05:15 when it happens.",
    "en.decided-because": "We chose Postgres over Redis because ticket SEC-3610 forbids Redis.",
    "en.agent-decided": "I went with a bounded queue because the writer is slow.",
    "en.decided": "Let's go with the second design.",
    "en.use": "Use pgbouncer in transaction mode.",
    "en.assigned": "The job runs on Airflow 2.10.4.",
    "en.should": "It should also allow a list of names.",
    "en.agent-rule": "The writer must hold the lock.",
    "en.agent-root": "The root cause is a swapped argument.",
    "en.agent-cause": "The second command takes a different code path.",
    "en.agent-finding": "`drain()` doesn't wait for the last writer.",
    "en.agent-advises": "I recommend `drain_all()` for the queue.",
    "en.agent-renamed": "The writer is renamed to `drain_all()`.",
    "en.agent-did": "Increased the cap of the pool to 40.",
    "zh.hard-rule": "任何情况下都先备份。",
    "zh.never": "严禁直接推送主分支。",
    "zh.do-not": "不要改动支付页面。",
    "zh.from-now-on": "以后都用新的模板。",
    "zh.must": "首屏必须更快。",
    "zh.always": "文件名一律用小写。",
    "zh.only": "图表只在“我的”页面用。",
    "zh.bound": "响应时间在 1.8 秒以内。",
    "zh.condition": "发布之前先问我。",
    "zh.keep": "旧接口保留。",
    "zh.polite": "麻烦别删日志。",
    "zh.prefer": "我喜欢简短的提交说明。",
    "zh.correction": "我说过表名用复数。",
    "zh.decided-because": "选择 Postgres，因为 Redis 丢过数据。",
    "zh.agent-decided": "我采用轮询，因为推送不稳定。",
    "zh.agent-rule": "写入 `ledger` 之前必须先拿到锁。",
    "zh.agent-cause": "这意味着缓存里是旧表。",
    "zh.agent-root": "失败的原因是缓存没有更新。",
    "zh.agent-finding": "旧接口并不返回 304 状态。",
    "zh.agent-advises": "队列建议用 `drain_all()`。",
    "zh.agent-renamed": "队列函数已重命名为 `drain_all()`。",
    "zh.agent-did": "超时已改为 30 秒。",
    "zh.decided": "我们决定用第二个方案。",
    "zh.assigned": "版本号 3.8.2。",
}
#: Who says an example that is not a user's.
SPEAKERS = {rule: "assistant" for rule in EXAMPLES if ".agent-" in rule}

#: Sentences that say no rule, choice or wish.
PLAIN = (
    "It must be the cache.",
    "No tests were run.",
    "I never saw this page before.",
    "Why don't we look at the log?",
    "I don't know where it is.",
    "No problem, thanks.",
    "No, that is something else.",
    "The function would never return.",
    "As always, good work.",
    "It looks like the cache is cold.",
    "What a nice day for a release!",
    "能不能看一下日志？",
    "为什么总是失败？",
    "用户看到了空白页。",
)


def every_rule() -> list[dict[str, Any]]:
    return [rule for name in LANGUAGES for rule in read_rules(name).get("rules", ())]


def test_every_rule_has_an_example() -> None:
    assert sorted(EXAMPLES) == sorted(rule["id"] for rule in every_rule())


@pytest.mark.parametrize("rule", sorted(EXAMPLES))
def test_a_rule_finds_its_example(rule: str) -> None:
    kinds = {entry["id"]: entry["kind"] for entry in every_rule()}
    text = EXAMPLES[rule]
    found = [(one.rule, one.kind) for one in said(text, SPEAKERS.get(rule, "user"))]
    assert (rule, kinds[rule]) in found
    one = next(one for one in said(text, SPEAKERS.get(rule, "user")) if one.rule == rule)
    assert text[slice(*one.span)] == one.text
    assert one.span[0] <= one.cue[0] < one.cue[1] <= one.span[1]


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_like_a_rule_is_none(text: str) -> None:
    assert [one for one in said(text) if not one.told] == []


@pytest.mark.parametrize("rule", sorted(set(EXAMPLES) - set(SPEAKERS)))
def test_the_agent_lays_down_no_rules_of_a_user(rule: str) -> None:
    assert not any(one.rule == rule for one in said(EXAMPLES[rule], "assistant"))
    assert not any(one.binds for one in facts(("assistant", EXAMPLES[rule])))


def test_the_files_are_the_languages() -> None:
    (folder,) = inspector.quality.facts.rules.__path__
    assert sorted(path.stem for path in Path(folder).glob("*.yaml")) == sorted((*LANGUAGES, *OTHERS))
    assert load_rules() is load_rules()


def test_the_version_follows_the_data() -> None:
    documents = [read_rules(name) for name in LANGUAGES]
    version = rules_from(documents).version
    assert rules_from(documents).version == version
    documents[1]["rules"][0]["phrases"].append("by order of the queen")
    assert rules_from(documents).version != version
    # Files that are read later count by their text.
    others = {"de": lambda: read_rules("de")}
    assert rules_from(documents, others, "one").version != rules_from(documents, others, "other").version


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"kind": "wish"}, "has the kind wish"),
        ({"strength": 11}, "has the strength 11"),
        ({"needs": "luck"}, "needs luck"),
        ({"roles": ["narrator"]}, "is for narrator"),
        ({"phrases": []}, "has no phrases"),
        ({"phrases": [False]}, "quote words such as no and on"),
        ({"unless": [True]}, "taken back by something that is no text"),
    ],
)
def test_a_rule_that_cannot_be_used_is_a_sentence(change: dict[str, Any], told: str) -> None:
    shared, english = read_rules("any"), read_rules("en")
    english["rules"] = [english["rules"][0] | change]
    with pytest.raises(BadInput, match=told) as caught:
        rules_from([shared, english])
    assert "en.hard-rule" in str(caught.value)


def test_other_data_that_cannot_be_used_is_a_sentence() -> None:
    shared, english = read_rules("any"), read_rules("en")
    with pytest.raises(BadInput, match="language any"):
        rules_from([english])
    with pytest.raises(BadInput, match="quote it"):
        rules_from([shared, english | {"stop": [True]}])
    with pytest.raises(BadInput, match="no regular expression"):
        rules_from([shared | {"values": [{"name": "broken", "pattern": "("}]}, english])
    with pytest.raises(BadInput, match="language xx cannot be read"):
        read_rules("xx")


def test_another_language_is_a_data_file() -> None:
    german = {
        "language": "de", "words": "spaces", "labels": "", "stop": ["die", "der", "das"],
        "rules": [{"id": "de.never", "kind": "constraint", "strength": 9, "phrases": ["niemals", "auf keinen Fall"]}],
        "units": [["s", "Sekunden"]],
    }  # fmt: skip
    rules = rules_from([read_rules("any"), german])
    from inspector.quality.facts.reading.extract import facts_of

    found = facts_of(
        "Die Tabellen auf keinen Fall löschen, auch nicht nach 30 Sekunden.", "user", rules
    ).statements
    assert [(one.rule, one.values[0].unit) for one in found] == [("de.never", "s")]


def test_a_message_that_is_sent_again_at_more_length_is_one_fact() -> None:
    begun = "before we go on, can you also check the open comments?"
    longer = "before we go on, can you also check the open comments, and answer them with the commits?"
    (one,) = facts(begun, ("tool", "interrupted"), longer)
    assert one.text == longer
    assert [saying.step for saying in one.sayings] == [2, 0]
    rule = "Never restart the web server by yourself."
    later = [("assistant", "All right, that is done now.")] * 6
    assert len(facts(rule, *later, "Never restart the web server by yourself without the drain script.")) == 2


def test_what_the_agent_measured_and_tells_again_in_fewer_words_is_one_fact() -> None:
    whole = "The suite of the importer has 172 tests at 93.4% coverage of its modules."
    short = "172 tests, 93.4% coverage."
    (one,) = facts(("assistant", whole), "thanks", ("assistant", short))
    assert one.text == whole
    assert len(one.sayings) == 2
    other = "The suite of the exporter has 180 tests at 93.4% coverage of its modules."
    assert len(facts(("assistant", whole), "thanks", ("assistant", other))) == 2


def test_a_round_share_of_the_agents_is_no_measure() -> None:
    assert not facts(("assistant", "The importer is 80% done and the pier is lit."))
    assert facts(("assistant", "The importer loses 0.21% of the rows."))


def test_what_leads_over_to_the_points_of_a_plan_comes_behind_them() -> None:
    points = [f"- Add `area_{number}` with its 40 rows to the table of regions." for number in range(20)]
    lead = "Extend `RegionImporter` with these new columns:"
    plan = facts("\n".join([lead, *points]))
    assert plan[-1].text == lead
    assert facts("\n".join([lead, *points[:3]]))[-1].rank > plan[-1].rank
