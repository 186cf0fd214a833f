"""Statements of the agent by their time: early in the work, or in the answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.quality.facts.gather import FOUND_BY_AGENT, VALUES_OF_AGENT, gather
from tests.quality.facts.made_facts import facts, steps

CAUSE = "The root cause is that the lamp relay keeps its old schedule after a restart."
NUMBER = "Relay latency p95 112 ms"
REST = tuple(f"Now polish the brass of lantern number {n}." for n in range(1, 7))


def texts(*messages: str | tuple[str, str]) -> list[str]:
    return [fact.text for fact in facts(*messages)]


def test_an_intermediate_result_is_overtaken_after_many_later_requests() -> None:
    begun = ("Why is the lamp dark?", ("assistant", CAUSE), ("assistant", "I go on."))
    assert CAUSE in texts(*begun)
    assert CAUSE in texts(*begun, *REST[:5])
    assert CAUSE not in texts(*begun, *REST)


def test_an_answer_stays_and_ranks_after_later_answers() -> None:
    later = "The root cause is that the horn valve keeps its old spring after a winter."
    messages = ("Why is the lamp dark?", ("assistant", CAUSE), *REST, ("assistant", later))
    found = texts(*messages)
    assert found.index(later) < found.index(CAUSE)


def test_a_number_of_the_agents_is_overtaken_in_an_answer_too() -> None:
    messages = ("How fast is the relay?", ("assistant", NUMBER))
    assert NUMBER in texts(*messages)
    assert NUMBER not in texts(*messages, *REST)
    assert NUMBER in texts(*messages, "Is a latency of 112 ms fine for a relay?", *REST)


def test_statements_of_the_user_are_never_overtaken() -> None:
    assert "The relay has 3 lamps." in texts("The relay has 3 lamps.", *REST)
    assert CAUSE in texts(CAUSE, ("assistant", CAUSE), ("assistant", "I go on."), *REST)


def test_a_repeated_statement_has_the_age_of_its_last_mention() -> None:
    assert CAUSE in texts(
        "Why?", ("assistant", CAUSE), ("assistant", "I go on."), *REST, ("assistant", CAUSE)
    )


@given(st.integers(0, 6), st.integers(0, 6))
def test_only_messages_before_the_compaction_make_it_old(before: int, behind: int) -> None:
    """The list of a compaction ends at the compaction, however long the conversation continues."""
    messages = steps("Why?", ("assistant", CAUSE), ("assistant", "I go on."), *REST[:before], *REST[:behind])
    cut = 3 + before
    moved = [
        replace(one, saying=replace(one.saying, generation=1 + (n >= cut), compaction=1 if n < cut else None))
        for n, one in enumerate(messages)
    ]
    assert any(fact.text == CAUSE for fact in gather(moved)) is (before < 6)


def test_a_compaction_lists_the_most_important_statements_of_the_agent() -> None:
    causes = [
        f"The root cause of fault {n} is that `relay_{n}` keeps its schedule." for n in range(FOUND_BY_AGENT)
    ]
    advice = [f"I recommend `lamp_{n}`." for n in range(3)]
    values = [f"Relay latency in harbour_{n}: p95 {112 + n} ms" for n in range(VALUES_OF_AGENT + 2)]
    messages = steps(*(("assistant", text) for text in (*advice, *causes, *values)), "Keep relay_7 dark.")
    found = [fact.text for fact in gather(messages)]
    assert {*causes, "Keep relay_7 dark."} <= set(found)
    assert not set(advice) & set(found)
    # Values have separate places.
    assert len(set(values) & set(found)) == VALUES_OF_AGENT
    # Another compaction has separate places.
    moved = [
        replace(one, saying=replace(one.saying, compaction=2 if n < 3 else 1))
        for n, one in enumerate(messages)
    ]
    assert {fact.text for fact in gather(moved)} == {*found, *advice}


def test_a_value_repeated_with_another_word_is_one_fact() -> None:
    port = "The harbour page is live on port 8080."
    listed = texts("Is it live?", ("assistant", port), ("assistant", "Live now, at port 8080."))
    assert [text for text in listed if "8080" in text] == [port]
    other = "The latency of the dam is 8080 ms."
    listed = texts("Is it live?", ("assistant", "The harbour took 8080 ms."), ("assistant", other))
    assert len([text for text in listed if "8080" in text]) == 2


def test_a_sure_rule_keeps_its_strength_in_a_crowded_message() -> None:
    brief = "\n".join([f"- Berth {number} has a lamp." for number in range(40)])
    found = {one.text: one for one in facts(f"Do NOT move the buoys.\n{brief}\n- The crew should rest.")}
    assert found["Do NOT move the buoys."].standing
    assert not found["The crew should rest."].standing
