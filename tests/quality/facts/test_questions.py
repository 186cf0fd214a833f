"""Questions made by rule from facts with an exact value, and answers judged by that value."""

from __future__ import annotations

import pytest

from inspector.answers.answers import Answers
from inspector.answers.fact_reading import facts_without_fates
from inspector.commands.sources import open_source
from inspector.quality.facts.fact import Fact, Fate
from inspector.quality.facts.questions import (
    GAP,
    RecallQuestion,
    agreement,
    answers_in,
    is_right,
    prompt_of,
    questions_of,
)

CONVERSATIONS = ("Move checkout to orders-v2", "Nightly orders import loses rows", "小程序首页改版")


def facts(name: str) -> tuple[Fact, ...]:
    inspection, _ = Answers(open_source(None, True), {}, None).opened(name)
    return facts_without_fates(inspection)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_no_question_tells_an_answer(name: str) -> None:
    questions = questions_of(facts(name), 40)
    assert len(questions) > 3
    asked = prompt_of(questions, "").partition("</conversation>")[2]
    for question in questions:
        assert GAP in question.text
        for line in asked.strip().splitlines():
            # A part of a longer word or number is no answer.
            words = line.replace("(", " ").replace(",", " ").split()
            assert question.value.text not in words, line


def test_there_are_no_more_than_wanted_and_one_a_value() -> None:
    questions = questions_of(facts(CONVERSATIONS[0]), 3)
    assert len(questions) == 3
    assert len({question.value.canon for question in questions}) == 3


def asked(text: str) -> RecallQuestion:
    return next(one for one in questions_of(facts(CONVERSATIONS[0]), 60) if one.value.text == text)


@pytest.mark.parametrize(
    ("value", "answer", "right"),
    [
        ("14.21.0", "14.21.0", True),
        ("14.21.0", "`14.21.0`.", True),
        ("14.21.0", "stripe-node 14.21.0", True),
        ("14.21.0", "14.22.0", False),
        ("14.21.0", "14.21.0 or 14.22.0", False),
        ("14.21.0", "unknown", False),
        ("14.21.0", "", False),
        ("200 ms", "200 ms", True),
        ("200 ms", "400 ms", False),
        ("200 ms", "somewhere between 200 ms and 400 ms", False),
    ],
)
def test_an_answer_is_right_where_it_gives_the_value(value: str, answer: str, right: bool) -> None:
    assert is_right(asked(value), answer) is right


def test_answers_are_found_by_their_numbers() -> None:
    text = "Here they are:\n1. one\n 2) two\n**3.** three\n1. once more\n7: far"
    assert answers_in(text, 4) == ("one", "two", "three", "")


def test_agreement_counts_decided_answers() -> None:
    lost, there, open_ = Fate(1, "lost"), Fate(1, "verbatim"), Fate(1, "uncertain")
    found = agreement(
        [(lost, False), (lost, True), (there, True), (there, True), (there, False), (open_, True)]
    )
    assert (found.both, found.neither, found.unanswered, found.answered, found.open) == (2, 1, 1, 1, 1)
    assert found.share == 3 / 5
    assert agreement([]).share is None
