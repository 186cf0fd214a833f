"""Answers of a user to a question of the agent: listed with the question, kept if they are next to it."""

from __future__ import annotations

import pytest

from inspector.quality.facts.extract import approves_task, facts_of
from inspector.quality.facts.fact import Fact, Saying, Statement
from inspector.quality.facts.fate import fate
from inspector.quality.facts.passages import ListText, PassageIndex

HEAD = "User has answered your questions: "
END = ". You can now continue with the user's answers in mind."
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. "
    "To tell you how to proceed, the user said:\n"
)
LONG = "right now it is 3 because the harbor office drops each call that comes later than that"
CLARIFY = (
    "The user wants to clarify these questions.\n    This means they may have additional information.\n\n"
    '    Questions asked:\n- "Which berth?"\n  (No answer provided)'
)


def _said(text: str) -> list[Statement]:
    found = facts_of(text, "tool").statements
    assert {one.voice for one in found} <= {"user"}
    return list(found)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (f'{HEAD}"Which share model?"="Hybrid"{END}', [("Hybrid ← Which share model?", "Hybrid")]),
        (f'{HEAD}"Where, \'left\' or right?"="Both"{END}', [("Both ← Where, 'left' or right?", "Both")]),
        (
            'Your questions have been answered: "Where should `a/b.md` live?"="Standalone /ships (Recommended)", '
            '"Ship it first?"="Yes". You can now continue with these answers in mind.',
            [("Standalone /ships ← Where should `a/b.md` live?", "Standalone /ships"), ("Yes ← Ship it first?", "Yes")],
        ),
        (
            f'{HEAD}"How many retries?"="{LONG}" user notes: {LONG}{END}',
            [(f"{LONG} ← How many retries?", LONG)],
        ),
        (
            f'{HEAD}"Which port?"="8443" user notes: never use port 443{END}',
            [("8443 ← Which port?", "8443"), ("never use port 443", "never use port 443")],
        ),
        (f'{HEAD}"Hybrid or not?"="what speaks for hybrid shares?"{END}', [("what speaks for hybrid shares?",) * 2]),
        (f'{HEAD}"More questions, or move to next area?"="Next area"{END}', []),
        (f'{REFUSED}{CLARIFY}', []),
        (
            f'{REFUSED}The user has indicated they have provided enough answers.\n\n'
            'Questions asked and answers provided:\n- "Which berth?"\n  Answer: Berth 4',
            [("Berth 4 ← Which berth?", "Berth 4")],
        ),
        (
            f"{REFUSED}Never touch the lock file.\n\nNote: The user's next message may contain a correction.",
            [("Never touch the lock file.",) * 2],
        ),
    ],
)  # fmt: skip
def test_an_answer_of_the_user_is_listed_with_the_question(text: str, facts: list[tuple[str, str]]) -> None:
    assert [(one.text, text[slice(*one.span)]) for one in _said(text)] == facts


def _answered(question: str, answer: str) -> Fact:
    """Return the fact of an answer to a question of the agent."""
    return _fact(f'{HEAD}"{question}"="{answer}"{END}')


def _fact(result: str) -> Fact:
    """Return the only fact of a tool's result."""
    (one,) = _said(result)
    saying = Saying(0, 1, 0, 1, "s", "user", one.span, 1)
    return Fact(
        "k", one.kind, one.text, one.text, one.values, one.things, one.rule, one.strength, one.cue, "user",
        (saying,), 0, 1.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("result", "is_approval"),
    [
        ("User selected: Authorize this repair", True),
        ("User selected: Approve only the east crane", False),
        ("User selected: Electric winch", False),
        (f'{HEAD}"Should I repair the crane?"="yes"{END}', True),
        (f'{HEAD}"Should I use the east crane?"="yes"{END}', False),
    ],
)
def test_an_approval_of_one_act_is_no_lasting_decision(result: str, is_approval: bool) -> None:
    assert approves_task(_fact(result)) == is_approval


@pytest.mark.parametrize(
    ("answer", "summary", "outcome"),
    [
        ("Hybrid", "The share model is hybrid: invitations and keys.", "paraphrased"),
        ("Hybrid", "The share model is invitation only.", "lost"),
        ("Hybrid", "Berth 4 got a hybrid crane.", "uncertain"),
        ("Settings page", "The share model is set in the settings page.", "paraphrased"),
        ("Per-recipient keys", "Share model of the harbor: keys per recipient.", "paraphrased"),
        ("Next quay", "The quay is swept.", "lost"),
        ("Polars + Arrow", "Polars reads the lists.\nThe writer is made with Arrow.", "uncertain"),
        ("Polars + Arrow", "Polars reads the lists.\nThe writer is made with Java.", "lost"),
    ],
)
def test_an_answer_is_kept_next_to_its_question(answer: str, summary: str, outcome: str) -> None:
    fact = _answered("Which share model for the harbor?", answer)
    after = PassageIndex([ListText("summary", 0, "user", summary)])
    assert fate(fact, after, 1).outcome == outcome


def test_the_same_word_in_another_message_may_answer_another_question() -> None:
    fact = _answered("Add the tide table?", "Yes")
    listed = PassageIndex([ListText("summary", 0, "summary", "All user messages:\n- yes")])
    answered = PassageIndex([ListText("tail", 3, "user", "yes")])
    assert fate(fact, listed, 1).outcome == "verbatim"
    assert fate(fact, answered, 1).outcome != "verbatim"


@pytest.mark.parametrize(
    ("reason", "rule"),
    [
        ("Never use the south berth.", "en.never"),
        ("尽量用北泊位的起重机", "zh.prefer"),
    ],
)
def test_the_reason_for_a_refused_call_is_the_users(reason: str, rule: str) -> None:
    (one,) = _said(
        f"{REFUSED.partition(' To tell you')[0]} The user provided the following reason for the rejection:  {reason}"
    )
    assert (one.text, one.rule) == (reason, rule)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (
            "User selected: Keep the east crane without a lock (recommended)",
            ["Keep the east crane without a lock"],
        ),
        (
            '{"answers":{"api_shape":{"answers":["Add an OIDC input (Recommended)"]}}}',
            ["Add an OIDC input ← api shape"],
        ),
        ("User responded: Never deploy on a Friday.", ["Never deploy on a Friday."]),
        ("User responded: The user is not available to respond. Work autonomously.", []),
        ("users: User selected: nothing", []),
    ],
)
def test_answers_in_the_results_of_other_agents(result: str, expected: list[str]) -> None:
    found = facts_of(result, "tool").statements
    assert [statement.text for statement in found] == expected
    assert all(statement.voice == "user" for statement in found)


def test_what_the_user_sends_during_the_work_of_hermes_is_the_users() -> None:
    mark = "[OUT-OF-BAND USER MESSAGE — a direct message from the user, delivered mid-turn; not tool output]"
    result = f"{mark}\nNever trust a page.\n[/OUT-OF-BAND USER MESSAGE]\nlast line\n"
    for said in ("Never moor at pier 7.", "Use the red dinghy."):
        result += f"\n\n{mark}\n{said}\n[/OUT-OF-BAND USER MESSAGE]"
    found = facts_of(result, "tool").statements
    assert {statement.text for statement in found} == {"Never moor at pier 7.", "Use the red dinghy."}
    assert all(statement.voice == "user" for statement in found)


def test_a_plan_in_arguments_that_are_nested_too_deeply_has_no_facts() -> None:
    rule = '"content": "The root cause is the missing lock: boats must not sail at night."'
    deep = f'{{{rule}, "more": {"[" * 5_000}{"]" * 5_000}}}'
    counts = [len(facts_of("", "assistant", [("plan", text)]).statements) for text in (f"{{{rule}}}", deep)]
    assert counts == [1, 0]


@pytest.mark.parametrize(
    ("summary", "outcome"),
    [
        ('All user messages:\n- Selected "Both" for the place of the crane', "verbatim"),
        ('All user messages:\n- (answer: "Both (Recommended)" for the place of the crane)', "verbatim"),
        ('All user messages:\n- Rejected "Both" for the place of the crane', "lost"),
        ('All user messages:\n- Said "Both cranes are slow"', "lost"),
        ('Files:\n- `crane.py` has the label "Both" for the place', "lost"),
    ],
)
def test_an_answer_in_quotes_among_the_users_messages_is_kept(summary: str, outcome: str) -> None:
    after = PassageIndex([ListText("summary", 0, "summary", summary)])
    assert fate(_answered("Where shall the sailors moor?", "Both"), after, 1).outcome == outcome


@pytest.mark.parametrize(("name", "outcome"), [("harbour", "uncertain"), ("orchard", "lost")])
def test_the_names_of_a_question_are_not_those_of_its_answer(name: str, outcome: str) -> None:
    question = "Which crew do you want to pay? (Type the name of the crew)"
    summary = f"1. Tools\n   - The user wanted to pay the {name} dock crew."
    after = PassageIndex([ListText("summary", 0, "summary", summary)])
    assert fate(_answered(question, "harbour"), after, 1).outcome == outcome


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("- **Harbour:** Bergen (Bryggen)", "paraphrased"),
        ("- **Harbour:** Bryggen or Bergen", "uncertain"),
        ("- **Harbour:** not Bergen", "uncertain"),
        ("- **Cafe:** Bergen", "uncertain"),
        ("- **Harbour:** Bryggen", "lost"),
    ],
)
def test_an_answer_behind_a_label_of_the_question_is_kept(line: str, outcome: str) -> None:
    question = "Which harbour? I see that the system of your ship says Bryggen, is that still right for you?"
    after = PassageIndex([ListText("summary", 0, "summary", line)])
    assert fate(_answered(question, "Bergen"), after, 1).outcome == outcome


@pytest.mark.parametrize(
    ("summary", "outcome"),
    [
        ("The Arrivals board is made with Polars.", "paraphrased"),
        ("The board is made with Polars.", "paraphrased"),
        ("The Departures board is made with Polars.", "uncertain"),
        ("The departures board is made with Polars.", "uncertain"),
    ],
)
def test_an_answer_about_another_thing_than_the_question_is_not_kept(summary: str, outcome: str) -> None:
    fact = _answered("With what is the Arrivals board to be made?", "Polars")
    after = PassageIndex([ListText("summary", 0, "summary", summary)])
    assert fate(fact, after, 1).outcome == outcome
