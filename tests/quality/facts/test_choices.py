"""A choice by number or letter, listed with the chosen text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.quality.facts.extract import agreed, chosen, facts_of, replied, sent_back
from inspector.quality.facts.fact import Fact, MessageFacts, Saying, SpokenMessage
from inspector.quality.facts.fate import fate
from inspector.quality.facts.gather import gather
from inspector.stores.detect import open_store
from tests.quality.facts.made_facts import searchable
from tests.stores.writer import create, insert, session

NUMBERS = "Which way?\n\n1. Keep the cache in memory\n2. **Move it to Redis 7.2**\n3. Drop it\n"
LETTERS = "- **A) Ask first**\n- **B) Add `--yes`** to skip it\n\nThoughts?"
OPTIONS = "**Option 1: Paint them in spring**\n\n1. Buy the paint\n\n**Option 2: Paint them now**\n"
ROWS = "| # | file | what |\n|---|---|---|\n| 5 | cart.py | unused wrapper |\n"


@pytest.mark.parametrize(
    ("text", "before", "points"),
    [
        ("2", NUMBERS, ["Move it to Redis 7.2"]),
        ("option 2 please", NUMBERS, ["Move it to Redis 7.2"]),
        ("let's do 1 and 3", NUMBERS, ["Keep the cache in memory", "Drop it"]),
        ("1+2", NUMBERS, ["Keep the cache in memory", "Move it to Redis 7.2"]),
        ("b", LETTERS, ["Add `--yes` to skip it"]),
        ("yes, let's go with B", LETTERS, ["Add `--yes` to skip it"]),
        ("fix 5", ROWS, ["cart.py, unused wrapper"]),
        ("选2", "1. 用内存缓存\n2. 用 Redis 缓存", ["用 Redis 缓存"]),
        ("就用第2个", "1. 用内存缓存\n2. 用 Redis 缓存", ["用 Redis 缓存"]),
        ("yes, option 1", f"Done:\n1. **All boats counted** (7)\n\n{OPTIONS}", ["Paint them in spring"]),
        ("2", f"Done:\n1. Nets\n2. Boats\n\n{NUMBERS}", ["Move it to Redis 7.2"]),
        ("okay do 2 first", f"Layer 2: Moor the ferries\n\n{NUMBERS}", ["Move it to Redis 7.2"]),
        ("Option 2 seems best", OPTIONS, ["Paint them now"]),
        # The message has more than a choice, or the list has no such entry.
        ("1. it happened twice", NUMBERS, []),
        ("2 tests fail", NUMBERS, []),
        ("do a review", LETTERS, []),
        ("4", NUMBERS, []),
        ("2", "No list here.", []),
        ("！！！1", NUMBERS, []),
        ("", NUMBERS, []),
        # The message only asks about a number.
        ("Fix 2, I don't understand how the share is counted", NUMBERS, []),
    ],
)
def test_a_message_chooses_from_the_list_before_it(text: str, before: str, points: list[str]) -> None:
    found = chosen(text, before)
    assert [one.text for one in found] == [f"{text} ← {point}" for point in points]
    assert {(one.kind, one.span) for one in found} <= {("decision", (0, len(text)))}


def test_a_list_that_the_user_sends_back_is_the_agents() -> None:
    points = [
        "Never moor a ferry at the old pier.",
        "Each boat has two life vests.",
        "The flag must be up by 06:00.",
    ]
    text = "Build this. " + " ".join(points)
    statements = facts_of(text, "user").statements
    before = "We could do this:\n" + "\n".join(f"{at}. **{point}**" for at, point in enumerate(points))
    assert [one.text for one in sent_back(statements, [before, "Later."]) if not one.pasted] == [
        "Build this."
    ]
    assert sent_back(statements, [before.replace("vests", "belts")]) == statements


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("The ferry must leave before noon... should it say before?", []),
        ("The ferry must leave before noon. Paint it.", ["The ferry must leave before noon.", "Paint it."]),
        ("Paint it? The ferry must leave before noon.", ["The ferry must leave before noon."]),
        (
            "The pier is old. The ferry must leave before noon — that is wrong, it leaves at ten.",
            ["The pier is old.", "that is wrong, it leaves at ten."],
        ),
        ("Shall the old pier be painted red?", []),
    ],
)
def test_a_sentence_of_the_agent_that_the_user_asks_about_is_the_agents(text: str, own: list[str]) -> None:
    before = (
        "**Draft.** The pier is old. The ferry must leave before noon.\nShall the old pier be painted red?"
    )
    statements = sent_back(facts_of(text, "user").statements, [before])
    assert [one.text for one in statements if not (one.pasted or one.asked)] == own


def test_a_list_that_is_sent_back_with_escaped_signs_is_the_agents() -> None:
    before = "1. Ferry-to-ferry calls, by radio\n2. Day-boats wait in the (old) berth\n3. Sea-marks are painted red"
    text = before.replace("-", "\\-").replace("(", "\\(").replace(")", "\\)")
    assert all(one.pasted for one in sent_back(facts_of(text, "user").statements, [before]))


def test_a_question_that_the_user_sends_back_is_no_answer() -> None:
    before = (
        "1. Ferry calls: how do the boats find the old berth by night?\n2. Which lamp burns by night?\n"
        "3. Who sails the red boat?"
    )
    text = (
        "1. Ferry calls: how do the boats find the old berth by night? (by the lamp)\n2. The red one\n3. Ada"
    )
    found = replied((), text, before)
    assert [one.text for one in found] == [
        "The red one ← Which lamp burns by night?",
        "Ada ← Who sails the red boat?",
    ]


@pytest.mark.parametrize("text", ["yes", "Yes, go ahead!", "ok, do it", "no", "好的", " sure "])
def test_an_agreement_is_listed_with_the_question(text: str) -> None:
    before = "The pipeline leaves it empty.\n\n**Want me to fill `domain` in the pipeline?**"
    (one,) = agreed(text, before)
    assert one.text == f"{text.strip()} ← Want me to fill `domain` in the pipeline?"
    assert (one.kind, one.rule) == ("decision", "any.answer")
    assert text[slice(*one.span)] == text.strip()


def test_the_last_question_of_the_last_paragraph_is_answered() -> None:
    asked = "Shall I paint the harbour crane first? It takes a day."
    (one,) = agreed("yes", f"All boats were counted.\n\n{asked}")
    assert one.text == "yes ← Shall I paint the harbour crane first?"
    assert not agreed("yes", f"{asked}\n\nThe boats come later.")


@pytest.mark.parametrize(
    "question",
    [
        "Does the list of boats look right?",
        "Ready to paint the harbour crane?",
        "这份港口船只清单对吗？",
    ],
)
def test_approval_is_no_fact_and_a_complaint_is(question: str) -> None:
    for text in ("yes", "Yes, continue", "ok", "好的"):
        assert not agreed(text, question)
    (one,) = agreed("no", question)
    assert one.text == f"no ← {question}"


@pytest.mark.parametrize("text", ["2048", "the lake", "Option-A"])
def test_a_very_short_answer_is_listed_with_the_question(text: str) -> None:
    (one,) = agreed(text, "Two sizes fit.\n\nWhich batch size shall the trainer take?")
    assert one.text == f"{text} ← Which batch size shall the trainer take?"
    assert (one.kind, one.rule) == ("decision", "any.answer")


@pytest.mark.parametrize("text", ["/clear", "continue", "why?", "thanks a lot", "hello", "stop!"])
def test_a_request_to_continue_is_no_answer(text: str) -> None:
    assert not agreed(text, "Which batch size shall the trainer take?")


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("yes, but keep the lock file", "Want me to fill `domain` in the pipeline?"),
        ("thanks", "Want me to fill `domain` in the pipeline?"),
        ("yes", "I filled `domain` in the pipeline."),
        ("yes", "Shall I go on?"),
        ("yes", ""),
    ],
)
def test_a_longer_or_unrelated_text_is_no_agreement(text: str, before: str) -> None:
    assert not agreed(text, before)


def test_numbered_answers_have_the_numbered_questions() -> None:
    before = (
        "Please decide:\n\n1. **Berths:** Should the port use two berths, or three?\n\n"
        "2. **Cranes:** I recommend electric cranes. Acceptable?\n3. Should the lamp of the pier follow the clock?"
    )
    text = "1. All three.\n2. Recommended\n3. Always on. make sure to weigh all crates"
    found = replied(facts_of(text, "user").statements, text, before)
    assert [one.text for one in found] == [
        "All three ← Berths: Should the port use two berths, or three?",
        "Recommended ← Cranes: I recommend electric cranes. Acceptable?",
        "Always on ← Should the lamp of the pier follow the clock?",
        "make sure to weigh all crates",
    ]
    assert replied((), text, "1. Berths?\n2. Cranes?") == ()


def test_numbered_answers_in_chinese_need_no_space() -> None:
    before = "请决定：\n1. 码头要不要开放夜间停靠？\n2. 潮汐表的优先级怎么定？\n3. 夜里要不要挂灯？"
    text = "1、对，开放\n2、最高\n3、我自己挂灯\n3、都要起航"
    found = replied(facts_of(text, "user").statements, text, before)
    assert [one.text for one in found if one.rule == "any.answer"] == [
        "对，开放 ← 码头要不要开放夜间停靠？", "最高 ← 潮汐表的优先级怎么定？",
    ]  # fmt: skip


PORT = "1. Do you want `list_piers` as a new call?\n2. Should the map show films of the pier now?\n3. Is the fee fixed?"
SECTIONS = (
    "### **1. Goal**\n- Should the harbour **stay open** in winter?\n- Or only on Sundays?\n\n"
    "### 2. Charts\n1. `north.md`\n2. `south.md`\n\nAre these the charts that the pilots read?\n"
    "### 3. Order\nShall the crew read the charts before the painting?\n"
)


@pytest.mark.parametrize(
    ("before", "text", "found"),
    [
        # A question before the answer belongs to it; a question alone does not answer.
        (PORT, "1) you decide\n2) Is it much more work? if not lets do it\n3) what is usual?",
         ["you decide ← Do you want `list_piers` as a new call?",
          "Is it much more work? if not lets do it ← Should the map show films of the pier now?", "what is usual?"]),
        # Numbers may lack their marks, and all answers may be on one line.
        (SECTIONS, "[Thu 2026-04-02 07:15 GMT+2] 1. stay open. then paint it. 2 yes. 3 read first, then paint.",
         ["stay open ← Goal: Should the harbour stay open in winter?", "then paint it.",
          "yes ← Charts: Are these the charts that the pilots read?",
          "read first, then paint ← Order: Shall the crew read the charts before the painting?"]),
        ("", "1. Moor at the mole. 2. Paint the pier. 3 lamps go there. 4 boats leave it.",
         ["Moor at the mole.", "Paint the pier.", "lamps go there.", "boats leave it."]),
        ("", "1. Wait for the tide. 2 hours are enough.", ["Wait for the tide.", "2 hours are enough."]),
    ],
)  # fmt: skip
def test_numbers_of_answers_are_no_values(before: str, text: str, found: list[str]) -> None:
    statements = replied(facts_of(text, "user").statements, text, before)
    assert [one.text for one in statements] == found


def test_a_numbered_list_after_a_list_of_tasks_has_no_answers() -> None:
    before = "My plan:\n1. Which old planks of the mole should be changed?\n2. Paint the whole pier with red paint\n"
    assert replied((), "1. work with great care\n2. read the charts", before) == ()
    assert len(replied((), "1. yes\n2. no", before)) == 2


def test_an_answer_to_a_long_question_is_lost_only_if_nothing_is_about_it() -> None:
    before = (
        "1. Should the port of the old town accept tankers from the northern islands during winter storms, or close?\n"
        "2. Should the cranes of the inner pier be painted by the summer crew or by the shipyard of the neighbours?"
    )
    text = "1. Yes, recommended\n2. Go with the crew"
    saying = Saying(0, 1, 0, 1, "s", "user", (0, 0), 1)
    found = gather([SpokenMessage(saying, 0, MessageFacts(replied((), text, before)))])
    (tankers,) = (fact for fact in found if "tankers" in fact.text)
    for summary, outcome in (
        ("- Tankers: the port stays open in winter storms", "uncertain"),
        ("- Crane list is written", "lost"),
    ):
        assert fate(tankers, searchable(summary), 1).outcome == outcome


def fact_texts(folder: Path, *messages: tuple[str, str]) -> tuple[Fact, ...]:
    """Return the facts of a conversation of these messages, each a role and a text."""
    lines = []
    for number, (role, text) in enumerate(messages):
        lines.append({
            "type": role, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "s",
            "timestamp": f"2026-03-12T08:00:0{number}Z", "version": "2.1.0", "cwd": "/shop", "isSidechain": False,
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        })  # fmt: skip
    path = folder / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    store = open_store(path)
    facts = read_facts(Inspection.open(store, store.conversations()[0].id)).facts.facts
    store.close()
    return facts


def test_a_choice_is_a_fact_of_the_conversation(tmp_path: Path) -> None:
    facts = fact_texts(
        tmp_path, ("user", "How shall we keep the cart?"), ("assistant", NUMBERS), ("user", "2")
    )
    (fact,) = (one for one in facts if one.rule == "any.choice")
    assert (fact.text, fact.role, fact.first.index) == ("2 ← Move it to Redis 7.2", "user", 2)


def test_a_program_in_the_users_name_says_and_answers_nothing(tmp_path: Path) -> None:
    """The facts of a message are kept by its text. A user may write the same words as a program."""
    rule, question = "Never moor at pier 7.", "Want me to fill `domain` in the pipeline?"
    path = tmp_path / "state.db"
    database = create(path, 25)
    session(database, "s0")
    said = [("user", rule, "hidden"), ("assistant", question, None), ("user", "yes", "auto_continue")]
    for number, (role, text, kind) in enumerate([*said, ("user", rule, None)]):
        insert(database, "s0", {"role": role, "content": text}, float(number), display_kind=kind)
    database.close()
    store = open_store(path)
    facts = read_facts(Inspection.open(store, "s0")).facts.facts
    store.close()
    assert [(one.text, one.first.index) for one in facts] == [(rule, 3)]


def test_a_text_copied_from_an_earlier_answer_is_pasted(tmp_path: Path) -> None:
    points = (
        "Never moor a ferry at the old pier.\nEach boat must have two vests.\nThe flag must be up by 06:00."
    )
    asked = ("user", "What are the rules?")
    facts = fact_texts(
        tmp_path, asked, ("assistant", points), asked, ("assistant", "As above."), ("user", f"Odd:\n{points}")
    )
    rules = {one.text: one.pasted for one in facts if one.role == "user" and one.kind == "constraint"}
    assert rules == dict.fromkeys(points.split("\n"), True)


@pytest.mark.parametrize(
    ("said", "length", "is_pasted"),
    [
        ("I will ask the pilot for the notes and paste them in.", 20, True),
        ("I will ask the pilot for the notes and paste them in.", 3, False),
        ("The pilot has notes. Do not paste them.", 20, False),
    ],
)
def test_a_long_text_that_the_user_announces_is_pasted(
    tmp_path: Path, said: str, length: int, is_pasted: bool
) -> None:
    notes = "\n\n".join(f"You prefer the berth number {number + 20} in winter." for number in range(length))
    facts = fact_texts(tmp_path, ("user", said), ("assistant", "Go on."), ("user", notes))
    assert {fact.pasted for fact in facts if "You prefer the berth" in fact.text} == {is_pasted}


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ('- All user messages:\n  - "2"', "lost"),
        ('- All user messages:\n  - "2" (the move to Redis)', "verbatim"),
        ("- Move the cart to Redis 7.2", "paraphrased"),
    ],
)
def test_a_choice_is_kept_only_with_what_was_chosen(after: str, outcome: str) -> None:
    saying = Saying(0, 1, 0, 1, "s", "user", (0, 0), 1)
    (chose,) = gather([SpokenMessage(saying, 0, MessageFacts(chosen("2", NUMBERS)))])
    assert fate(chose, searchable(after), 1).outcome == outcome


def test_the_place_of_a_choice_is_the_place_of_its_letter() -> None:
    saying = Saying(0, 1, 0, 1, "s", "user", (0, 0), 1)
    (chose,) = gather([SpokenMessage(saying, 0, MessageFacts(chosen("2", NUMBERS)))])
    after = '- Read 12 pages in 2 days\n- All user messages:\n  - "2" (the move to Redis)'
    at = after.index('2" (')
    assert fate(chose, searchable(after), 1).span == (at, at + 1)


def test_a_kept_message_that_only_chooses_does_not_keep_the_choice() -> None:
    saying = Saying(0, 1, 0, 1, "s", "user", (0, 0), 1)
    both = gather([SpokenMessage(saying, 0, MessageFacts(chosen("1 and 2", NUMBERS)))])
    after = searchable("The cart is slow.", tail=["1 and 2"])
    assert [fate(one, after, 1).outcome for one in both] == ["lost", "lost"]
