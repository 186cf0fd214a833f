"""Cached facts, facts at risk in the live list, exports of facts, and the work for them."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.answers import fact_reading, kept_facts, message_facts
from inspector.answers.fact_reading import pruned_by, read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.kept_facts import cached_facts, keep_facts, message_key
from inspector.answers.losses import lost_rules
from inspector.config.cache import Cache, CacheEntry, stamp_of
from inspector.core.messages import Message
from inspector.engines.base import Settings
from inspector.export.facts import carried_document
from inspector.quality.facts.carry import checklist, escaped, memories
from inspector.quality.facts.extract import extract
from inspector.quality.facts.fact import Contradiction, ConversationFacts, Fact, Fate, Life, Outcome
from inspector.quality.facts.gather import gather
from inspector.quality.facts.lives import PlacedFates
from inspector.quality.facts.risk import RiskIndex, in_summary
from inspector.quality.losses import losses_of
from inspector.replay.transcript import message_paths, transcript_of
from inspector.stores.detect import open_store
from tests.app.running import add
from tests.counting import Readings, calls_of, lines_run
from tests.quality.facts.made_facts import facts, steps
from tests.quality.made import compaction_evidence
from tests.stores.writer import Writer, create, talk

QUESTIONS: tuple[PlacedFates, ...] = ("every", "changes", "none")
ONE = Message({"role": "user", "content": "Keep the port at 8443; it lives in deploy/nginx/site.conf."})


def test_facts_of_a_message_are_kept_between_runs(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "cache.db"
    key, facts_of_one = message_key(ONE), extract(ONE)
    first = Cache(path)
    assert cached_facts(first, [key]) == {}
    keep_facts(first, {key: facts_of_one})
    first.close()
    second = Cache(path)
    assert cached_facts(second, [key]) == {key: facts_of_one}
    assert second.problem == ""
    second.close()


def test_the_key_follows_text_speaker_and_calls() -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": "{}"}}
    others = [
        Message({"role": "assistant", "content": ONE.text}),
        Message({"role": "user", "content": "other"}),
        Message({"role": "user", "content": ONE.text, "tool_calls": [call]}),
        Message(dict(ONE.wire), by_program=True),
    ]
    keys = {message_key(one) for one in (ONE, *others)}
    assert len(keys) == 5
    assert message_key(Message(dict(ONE.wire), id=7)) in keys


@pytest.mark.parametrize("value", [b"\x00\xff", zlib.compress(b"no facts"), 7])
def test_a_malformed_value_is_no_facts(tmp_path: Path, value: Any) -> None:
    cache, key = Cache(tmp_path / "cache.db"), message_key(ONE)
    cache.put("facts", {key: CacheEntry(stamp_of(), value)})
    assert cached_facts(cache, [key]) == {}


def test_facts_from_the_cache_are_the_same(fixtures_dir: Path, tmp_path: Path) -> None:
    store = open_store(fixtures_dir / "hermes-0.13-rotating.db")
    inspection = Inspection.open(store, "Move checkout to orders-v2")
    cache = Cache(tmp_path / "cache.db")
    fresh, cold = read_facts(inspection), read_facts(inspection, cache)
    warm = read_facts(inspection, cache)
    assert fresh.facts == cold.facts == warm.facts
    assert not any("facts" in path.name for path in fixtures_dir.iterdir())
    cache.close()
    store.close()


def test_facts_are_followed_again_if_a_list_or_a_number_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = calls_of(monkeypatch, fact_reading, "fates_of")
    cache = Cache(tmp_path / "cache.db")
    writer = Writer(create(tmp_path / "state.db", fts=False))
    writer.begin()
    writer.say([{"role": "user", "content": f"Never change file {number}."} for number in range(20)])
    writer.compact(3, 19, "## Goal\nNever change file 5.")
    path = writer.end()

    def read(placed_fates: PlacedFates = "every") -> tuple[int, ConversationFacts]:
        """Open the store again; return how often facts are followed, and the result."""
        followed.clear()
        store = open_store(path)
        inspection = Inspection.open(store, "s0")
        found = read_facts(inspection, cache, placed_fates=placed_fates).facts
        assert found == read_facts(inspection, placed_fates=placed_fates).facts
        store.close()
        return len(followed) - 1, found

    first = read()
    assert (first[0], [life.outcome for life in first[1].lives].count("verbatim")) == (1, 1)
    assert read() == (0, first[1])
    assert [read(places)[0] for places in QUESTIONS] == [0, 0, 0], "all questions share the fates"
    add(path, "Never change file 5.")
    assert [len(life.fact.sayings) for life in read()[1].lives].count(2) == 1
    assert read()[0] == 0, "no list has the new message"
    add(path, "Never change file 30.")
    assert [read()[0] for _ in range(2)] == [1, 0]
    with sqlite3.connect(path) as database:
        database.execute("UPDATE messages SET content = replace(content, 'file 5', 'file 7')")
    assert [read()[0] for _ in range(2)] == [1, 0]
    cache.close()


@pytest.mark.parametrize(
    ("most", "walks"), [(10_000, ["every"]), (0, ["every", "changes", "none", "none"])], ids=["short", "long"]
)
def test_questions_about_a_short_conversation_share_one_walk(
    most: int, walks: list[PlacedFates], fixtures_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_facts, "_MAX_PLACED", most)
    followed = calls_of(monkeypatch, fact_reading, "fates_of")
    store, cache = open_store(fixtures_dir / "hermes-0.13-rotating.db"), Cache(tmp_path / "cache.db")
    inspection = Inspection.open(store, "Move checkout to orders-v2")
    found = [(places, read_facts(inspection, cache, placed_fates=places)) for places in QUESTIONS * 2]
    assert [asked.placed_fates for asked, *_ in followed] == walks
    for places, reading in found:
        assert reading.facts == read_facts(inspection, placed_fates=places).facts
    cache.close()
    store.close()


def test_reading_can_be_watched_and_ended(fixtures_dir: Path) -> None:
    class Enough(Exception):
        pass

    progress: list[tuple[str, int, int]] = []

    def watch(what: str, done: int, total: int) -> None:
        progress.append((what, done, total))
        if what == "fates":
            raise Enough

    store = open_store(fixtures_dir / "hermes-0.13-rotating.db")
    inspection = Inspection.open(store, "Move checkout to orders-v2")
    with pytest.raises(Enough):
        read_facts(inspection, watch=watch)
    assert {what for what, _, _ in progress} == {"messages", "fates"}
    assert all(0 <= done <= total for _, done, total in progress)
    store.close()


def test_every_message_is_removed_or_in_the_live_list(fixtures_dir: Path) -> None:
    """Every removed message left with the compaction that had it in its middle; the others are in the live list."""
    store = open_store(fixtures_dir / "hermes-0.19-in-place.db")
    for row in store.conversations():
        inspection = Inspection.open(store, row.id)
        compactions = inspection.compactions()
        transcript = transcript_of(inspection.conversation, compactions)
        pruned = pruned_by(inspection, Settings(profile="hermes-0.19", context_length=64_000))
        paths = message_paths(transcript, compactions, pruned)
        assert set(paths.removed_by) | set(paths.live) == set(range(len(transcript)))
        assert not set(paths.removed_by) & set(paths.live)
        live = store.messages(inspection.conversation.live)
        for step, index in paths.live.items():
            place = transcript.places[step]
            (message,) = store.messages(inspection.generation(place.generation), place.index, place.index + 1)
            assert message.role == live[index].role
        assert all(paths.pruned_by[step] <= paths.removed_by.get(step, 99) for step in paths.pruned_by)
    store.close()


@pytest.mark.usefixtures("empty_cache", "halves_engine")
def test_pruning_is_planned_once_for_each_settings(
    fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(fixtures_dir / "hermes-0.19-in-place.db")
    readings = Readings(store, monkeypatch)

    def read_for(settings: Settings) -> int:
        """Open a conversation again; return the lists that are read for pruned messages."""
        inspection = Inspection.open(store, "Nightly orders import loses rows")
        before = readings.lists
        pruned = pruned_by(inspection, settings)
        lists = readings.lists - before
        compared = [one for one in inspection.compared(settings) if one.planned.compacts]
        assert pruned == {one.recorded.index: tuple(one.planned.pruned) for one in compared}
        return lists

    settings = Settings(profile="hermes-0.19", context_length=64_000)
    other = settings.with_(protect_last_n=40)
    assert [read_for(one) for one in (settings, settings, other, settings)] == [3, 0, 3, 3]
    # The engine of another package may change.
    assert [read_for(settings.with_(profile="halves")) for _ in range(2)] == [3, 3]
    store.close()


def test_facts_at_risk_are_in_no_other_place() -> None:
    found = facts("Never push to main.", "Port 8443 stays.", "Never push to main.", "Keep the alias.")
    index = RiskIndex.of(found, {0: 2, 1: 3, 2: 9, 3: 4})
    assert len(index) == 3
    assert [(entry.fact.text, entry.places) for entry in index.at_risk(0, 8)] == [
        ("Port 8443 stays.", (3,)),
        ("Keep the alias.", (4,)),
    ]
    everything = index.at_risk(0, 10)
    assert [entry.fact.text for entry in everything] == [
        "Port 8443 stays.",
        "Keep the alias.",
        "Never push to main.",
    ]
    assert [entry.once for entry in everything] == [True, True, False]
    assert [entry.fact.text for entry in index.at_risk(4, 9)] == ["Keep the alias."]
    for head, tail in ((0, 0), (0, 4), (3, 5), (0, 10), (9, 2)):
        assert index.count(head, tail) == len(index.at_risk(head, tail))


def test_a_fact_that_only_the_summary_repeats_is_at_risk() -> None:
    texts = "Never push to main.", "Keep the alias.", "Port 8443 stays."
    by_text = {fact.text: fact for fact in facts(*texts)}
    rule, alias, port = (by_text[text] for text in texts)

    def life(fact: Fact, outcome: Outcome, **changed: Any) -> Life:
        return Life(fact, 1, (Fate(1, outcome, "summary"),), **changed)

    other = Contradiction("Port 9443 stays.", "9443", port.first)
    lives = (life(rule, "verbatim"), life(alias, "uncertain"), life(port, "verbatim", contradicted=other))
    # Only the alias was said again after the compaction, in message 7.
    index = RiskIndex.of((rule, alias, port), {alias.first.step: 7}, in_summary(lives, 1, 3))
    assert [(entry.fact.text, entry.places) for entry in index.at_risk(2, 9)] == [
        ("Never push to main.", (3,)),
        ("Keep the alias.", (7,)),
    ]
    assert not in_summary(lives, 1, None)
    assert not in_summary(lives, 2, 3)


def test_a_checklist_is_markdown_by_kind_in_order() -> None:
    found = facts("Never push to *main*.", "I like small commits.", "pool_size 6 per pod")
    assert checklist(found, "Keep:").splitlines() == [
        "Keep:",
        "",
        "**Constraints**",
        "",
        "- [ ] Never push to \\*main\\*.",
        "",
        "**How the user wants it**",
        "",
        "- [ ] I like small commits.",
        "",
        "**Exact values**",
        "",
        "- [ ] pool\\_size 6 per pod",
    ]
    assert checklist((), "Keep:") == ""
    assert escaped("a\n[b](c) <i>") == "a \\[b\\](c) \\<i\\>"


def test_memories_have_the_form_of_mem0() -> None:
    (one,) = memories(facts("Never push to main."), "c1", "pi", user="ann")
    assert one["messages"] == [{"role": "user", "content": "Never push to main."}]
    assert (one["user_id"], one["run_id"], one["agent_id"], one["infer"]) == ("ann", "c1", "pi", False)
    assert one["metadata"]["category"] == "constraint"
    (other,) = memories(facts(("assistant", "Under load p99 was 322 ms.")), "c1", "pi")
    assert "user_id" not in other
    assert other["messages"][0]["role"] == "assistant"


def test_plain_json_has_speaker_and_place() -> None:
    (one,) = facts("Port 8443 stays.")
    document = carried_document(one)
    assert (document["category"], document["value"], document["message"], document["said"]) == (
        "constraint",
        "8443",
        100,
        1,
    )


def test_a_plan_looks_at_each_fact_once() -> None:
    rules = [f"Never let worker-{n} have more than {n} connections to shard {n}." for n in range(300)]
    index = RiskIndex.of(gather(steps(*rules)), {n: 3 * n for n in range(300)})
    assert len(index) == 300
    assert lines_run(index.at_risk, 30, 800) <= 5 * 300
    assert lines_run(index.count, 30, 800) <= 5 * 300


def test_a_long_conversation_is_read_once_and_its_facts_are_found_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(create(tmp_path / "state.db", fts=False))
    writer.begin()
    writer.say(talk(100))
    writer.compact(3, 360, "## Goal\nFind it")
    writer.say(talk(20, start=100))
    store = open_store(writer.end())
    inspection = Inspection.open(store, "s0")
    inspection.compactions()
    cache = Cache(tmp_path / "cache.db")
    extracted = calls_of(monkeypatch, message_facts, "extract")
    # Each list is read for its messages. The first run also reads rules files, and twice the part that the compaction
    # left: for its key, and to follow facts.
    for found, lists in ((480, 2 + 2 + 2), (0, 2)):
        readings = Readings(store, monkeypatch)
        read_facts(inspection, cache)
        assert (readings.lists, readings.messages) == (lists, 0)
        # The same words of the same speaker are one fact.
        assert len(extracted) <= found
        extracted.clear()
    cache.close()
    store.close()


def test_equal_facts_are_in_the_order_of_the_conversation() -> None:
    messages = steps("Never do a.", "Never do b.", "Never do c.")
    assert [fact.text for fact in gather(messages)] == ["Never do a.", "Never do b.", "Never do c."]
    moved = [replace(one, saying=replace(one.saying, step=2 - n)) for n, one in enumerate(messages)]
    assert [fact.text for fact in gather(list(reversed(moved)))] == [
        "Never do c.",
        "Never do b.",
        "Never do a.",
    ]


def test_a_longer_repetition_of_the_agent_is_one_fact() -> None:
    short, long = (
        "`drain()` doesn't wait for the writer.",
        "`drain()` doesn't wait for the last writer of the queue.",
    )
    (both,) = facts(("assistant", short), ("assistant", long))
    assert both.text == long
    assert len(both.sayings) == 2
    assert len(facts(("assistant", f"**{short}**"), ("assistant", short))) == 1
    assert len(facts(("assistant", short), ("assistant", "`flush()` doesn't wait for the last writer."))) == 2


@pytest.mark.parametrize(
    ("again", "is_one"),
    [
        ("I told you already: never ring the old bell!", True),
        ("No, never ring the old bell.", True),
        ("again: never ring the old bell", True),
        ("As I said, never ring the old bell.", True),
        ("I told you that you may ring the old bell.", False),
    ],
)
def test_a_statement_after_words_of_a_reminder_is_the_same_fact(again: str, is_one: bool) -> None:
    found = facts("Never ring the old bell.", again)
    assert ([len(fact.sayings) for fact in found] == [2]) is is_one
    assert found[0].text == "Never ring the old bell." or not is_one


def test_points_of_a_plan_rank_after_single_statements_of_that_length() -> None:
    plan = "Do as planned:\n\n" + "\n".join(
        f"- Add a shelf of {size} boxes to hall {size}" for size in range(2, 30)
    )
    alone = "The keys of hall one hang behind the door."
    assert facts(plan, alone)[0].text == alone


def test_longer_statements_rank_before_shorter_ones() -> None:
    brief = "The harbour office opens late."
    long = "The harbour office opens at noon on market days, since the clerk brings the parcels to the island first."
    ranks = {one.text: one.rank for one in facts(brief, long)}
    assert ranks[long] > ranks[brief]
    # A rule is short, and still ranks before other facts of the same length.
    assert facts(brief, "Never move the old shelf.")[0].text == "Never move the old shelf."
    # Pairs of characters are not words.
    chinese = {one.text: one.rank for one in facts("仓库的钥匙在门后面的盒子里。", long)}
    assert chinese["仓库的钥匙在门后面的盒子里。"] < chinese[long]


def test_a_plan_after_a_line_that_asks_for_it_is_pasted() -> None:
    rule = "Never rename the exported classes."
    plan = f"# Split the loader\n\n## Steps\n- {rule}"
    for text, pasted in ((f"Implement the following plan:\n\n{plan}", True), (plan, False)):
        assert [one.pasted for one in facts(text) if one.text == rule] == [pasted]


def test_a_fact_is_pasted_until_its_speaker_says_it_in_their_own_words() -> None:
    rule = "Never push straight to main."
    assert [one.pasted for one in facts(f"> {rule}")] == [True]
    assert [one.pasted for one in facts(rule)] == [False]
    for texts in ((f"> {rule}", rule), (rule, f"> {rule}")):
        (both,) = facts(*texts)
        assert len(both.sayings) == 2
        assert not both.pasted


def test_only_rules_in_the_users_own_words_are_lost() -> None:
    for text, expected in (("Never push straight to main.", 1), ("> Never push straight to main.", 0)):
        (fact,) = facts(text)
        life = Life(fact, 1, (Fate(1, "lost"),), died=1)
        assert len(lost_rules(ConversationFacts((fact,), (life,)), ()).get(1, ())) == expected


def test_a_rule_is_found_as_lost_only_where_losses_count_it() -> None:
    (fact,) = facts("Never push more than 34 commits at once.")
    (other,) = facts("Now push at most 47 commits at once.")
    later = replace(other.first, step=9, generation=3)
    lost = Life(fact, 1, (Fate(1, "lost"), Fate(2, "lost")), died=1)
    ends = {
        "lost": lost,
        "said again": replace(lost, back=later),
        "changed later": replace(lost, contradicted=Contradiction(other.text, other.value, later)),
        "maybe in a later summary": replace(lost, fates=(Fate(1, "lost"), Fate(2, "uncertain"))),
        "in a later summary": replace(lost, fates=(Fate(1, "lost"), Fate(2, "paraphrased"))),
    }
    for end, life in ends.items():
        found = lost_rules(ConversationFacts((fact,), (life,)), ())
        assert sum(map(len, found.values())) == sum(one.total for one in losses_of([life])), end


@pytest.mark.parametrize(
    ("rule", "outcome", "found"),
    [
        ("以后不要加2个彩色图标。", "lost", 0),
        ("以后不要加2个彩色图标。", "value lost", 1),
        ("以后不要加2个彩色图标。", "contradicted", 1),
        ("以后不要改 lib/moor.py。", "lost", 1),
    ],
)
def test_a_chinese_rule_is_lost_for_sure_only_by_a_name_or_a_changed_value(
    rule: str, outcome: Outcome, found: int
) -> None:
    every = facts("请写码头的页面。", "再写潮汐的表格。", rule)
    fact = next(one for one in every if one.kind == "constraint")
    life = Life(fact, 1, (Fate(1, outcome),), died=1)
    summarized = replace(compaction_evidence(1).recorded, summary="用户要码头和潮汐的页面。")
    assert len(lost_rules(ConversationFacts(every, (life,)), [summarized]).get(1, ())) == found


def test_a_rule_from_the_middle_of_the_work_is_lost_where_it_outlasts_its_request() -> None:
    before = ("Rebuild the mooring page.", "Show the tides as a table.")
    middle = {
        "Don't use a wind rose.": 0,
        "Don't use a wind rose anymore.": 1,
        "And never use a wind rose.": 1,
        "Don't show the chart until I say so.": 1,
        "Don't touch lib/moor.py.": 1,
        "Don't use the look of https://harbour.example/old.": 0,
        "Because there must always be somebody at the berth.": 0,
        "Update your notes so that you always use the small icons.": 0,
        "不要加彩色图标。": 0,
        "以后不要加彩色图标。": 1,
    }
    for rule, expected in middle.items():
        every = facts(*before, rule, "Now write the page of the berths.")
        fact = next(one for one in every if one.text.rstrip(".。") == rule.rstrip(".。"))
        lost = lost_rules(ConversationFacts(every, (Life(fact, 1, (Fate(1, "lost"),), died=1),)), ())
        assert len(lost.get(1, ())) == expected, rule
    # The first request lasts.
    every = facts("Don't use a wind rose.", *before)
    fact = next(one for one in every if one.kind == "constraint")
    assert lost_rules(ConversationFacts(every, (Life(fact, 1, (Fate(1, "lost"),), died=1),)), ())


def test_names_that_no_fact_is_about_make_no_difference(fixtures_dir: Path) -> None:
    """Facts of pruned results need every name with its place; other facts do not."""
    store = open_store(fixtures_dir / "hermes-0.13-rotating.db")
    compared = 0
    for row in store.conversations():
        inspection = Inspection.open(store, row.id)
        if nothing_pruned := {recorded.index: () for recorded in inspection.compactions()}:
            assert read_facts(inspection).facts == read_facts(inspection, pruned=nothing_pruned).facts
            compared += 1
    store.close()
    assert compared == 2


def test_a_message_with_only_names_is_still_the_answer(tmp_path: Path) -> None:
    """The last message of the agent is its answer, even if it has no fact and only mentions a name."""
    cause = "The root cause is that the lamp relay keeps its old schedule after a restart."
    messages = [
        ("user", "Why is the lamp dark?"),
        ("assistant", cause),
        ("assistant", "See `lamp/relay_7.py`."),
    ]
    messages += [("user", f"Now polish the brass of lantern number {n}.") for n in range(1, 8)]
    writer = Writer(create(tmp_path / "state.db", fts=False))
    writer.begin()
    writer.say([{"role": role, "content": text} for role, text in messages])
    writer.compact(0, 10, "## Goal\nPolish")
    store = open_store(writer.end())
    inspection = Inspection.open(store, "s0")
    for pruned in (None, {1: ()}):
        assert cause not in [fact.text for fact in read_facts(inspection, pruned=pruned).facts.facts]
    store.close()


def test_a_single_task_ranks_after_a_lasting_wish() -> None:
    errand, request = "Check the tables of the tide page.", "Add the tables of the tide page."
    assert [one.text for one in facts(errand, request)] == [request, errand]


def test_another_statement_about_a_file_is_another_fact() -> None:
    first = "The list of boats in `fleet.csv` still misses the two that came from the island yard."
    other = "The clerk of the harbour office reads `fleet.csv` each morning before the gates open."
    assert {one.text for one in facts(first, other)} == {first, other}
    assert len(facts("see `fleet.csv`, the fleet", "again: `fleet.csv`, the fleet")) == 1
