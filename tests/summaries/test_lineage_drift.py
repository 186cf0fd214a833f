"""Drift of summaries from the first summary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.quality.facts.rules import load_stemmer
from inspector.summaries.drift import Drift, drift_of
from inspector.summaries.exact import turns_of
from inspector.summaries.lineage import Column, follow
from inspector.summaries.parse import parse_summary
from tests.summaries.test_lineage import BODIES, columns, lives

STEMMER = load_stemmer()


def drift(*bodies: str | None) -> Drift:
    return drift_of(follow(columns(*bodies)), STEMMER)


def turns(was: str, now: str) -> list[tuple[str, str, str, str]]:
    return [(turn.kind, turn.how, turn.was, turn.now) for turn in turns_of(was, now)]


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("at most 3 retries", "at most 5 retries", [("number", "changed", "3", "5")]),
        ("limit is 87, never more", "limit is small, never more", [("number", "gone", "87", "")]),
        ("1,000 rows of 2.50", "1000 rows of 2.5", []),
        ("pool of 6", "pool of 6 for each of 2 pods", []),
        ("waits 200 ms, 400 ms", "waits (200/400 ms)", []),
        ("pin it to 14.21.0", "pin it to 14.22.0", [("version", "changed", "14.21.0", "14.22.0")]),
        ("pin v2.1.0", "pin 2.1.0", []),
        ("edit jobs/reader.py", "edit jobs/writer.py", [("path", "changed", "jobs/reader.py", "jobs/writer.py")]),
        ("edit jobs/reader.py", "edit `jobs/reader.py`, then test", []),
        ("because of SEC-2516", "because of SEC-9999", [("name", "changed", "SEC-2516", "SEC-9999")]),
        ("because of SEC-2516", "because of ticket SEC-2516 of 2024", []),
        ("do not touch it", "touch it", [("negation", "gone", "not", "")]),
        ("you don't have to", "you have to", [("negation", "gone", "don't", "")]),
        ("touch it", "never touch it", [("negation", "come", "", "never")]),
        ("do not touch it", "never touch it", []),
        ("不要改动配置", "改动配置", [("negation", "gone", "不要", "")]),
        ("nothing exact here", "other words", []),
    ],
)  # fmt: skip
def test_a_wording_that_contradicts_another(
    was: str, now: str, expected: list[tuple[str, str, str, str]]
) -> None:
    assert turns(was, now) == expected


@given(st.text(max_size=60))
def test_the_same_wording_says_the_same(text: str) -> None:
    assert turns_of(text, text) == ()
    assert turns_of(text, f"{text} {text}") == ()


def test_the_remaining_share_of_the_first_summary() -> None:
    found = drift(*BODIES)
    first, second, third = found.left
    assert (first.items, first.of_items, first.words) == (8, 8, first.of_words)
    # Only the rule about posting is gone; the two halves of the next step together have its words.
    assert (second.items, second.words) == (7, second.of_words - 10)
    # The blocked item went too, and the rule came back; the merged items both count.
    assert (third.items, third.of_items) == (7, 8)
    assert third.words < third.of_words


def test_nothing_is_left_where_nothing_stands() -> None:
    found = drift(BODIES[0], "## Notes\nEntirely other things were written down.")
    assert (
        (found.left[1].items, found.left[1].words)
        == (0, 0)
        < (found.left[1].of_items, found.left[1].of_words)
    )
    assert drift().left == ()
    assert (drift("", BODIES[0]).left[1].items, drift("", BODIES[0]).left[1].of_items) == (0, 0)


def test_an_item_that_says_something_else() -> None:
    rule = "## Constraints\n- Set the retry limit of the client to {} and never more than that\n## Goal\nX\n"
    (found,) = drift(rule.format("41"), rule.format("7")).changed_meanings
    assert (found.column, found.section, found.settled) == (1, "Constraints", True)
    assert [(turn.was, turn.now) for turn in found.turns] == [("41", "7")]
    assert drift(rule.format("41"), rule.format("41")).changed_meanings == ()


def test_a_state_that_moves_on_is_no_error() -> None:
    state = "## Active State\n- The load test of the checkout has {} of 48 requests a second\n"
    (found,) = drift(state.format("12"), state.format("30")).changed_meanings
    assert not found.settled


def test_parts_of_a_split_item_have_the_same_meaning_together() -> None:
    one = (
        "## Key Decisions\n- Keep the retry limit at 41 for the client, keep the pool at 60 for the server\n"
    )
    two = "## Key Decisions\n- Keep the retry limit at 41 for the client\n- keep the pool at 60 for the server\n"
    assert drift(one, two).changed_meanings == ()
    assert drift(two, one).changed_meanings == ()


STEP = "## Next Steps\n- Write the new client with retries\n"
DONE = "## Completed Actions\n1. WRITE services/client.py: new client, 3 retries [tool: write_file]\n"
REST = "## Completed Actions\n1. READ the plan of the week\n"


def test_a_next_step_that_was_done_long_ago() -> None:
    (found,) = drift(REST + STEP, DONE + STEP, DONE + STEP).stale
    assert (found.why, found.since, found.until, found.times) == ("done", 1, 2, 1)
    assert found.by is not None
    # Done in the newest summary is not long ago; done before it was listed is another step.
    assert drift(REST + STEP, DONE + STEP).stale == ()
    assert drift(DONE, REST, STEP, STEP).stale == ()


def test_a_next_step_that_is_never_done() -> None:
    (found,) = drift(STEP, STEP, STEP).stale
    assert (found.why, found.since, found.until, found.times) == ("listed", 0, 2, 3)
    assert drift(STEP, STEP).stale == ()
    other = STEP.replace("retries", "five retries and a breaker")
    assert drift(STEP, other, STEP).stale == ()
    # Entries of other sections may stay forever.
    assert drift(*[STEP.replace("Next Steps", "Key Decisions")] * 4).stale == ()


def test_length_against_budget() -> None:
    found = drift_of(
        follow([Column(1, parse_summary(STEP)), Column(2, None)]), STEMMER, (900, None), (600, 600)
    )
    assert [(at.tokens, at.budget, at.share) for at in found.lengths] == [(900, 600, 1.5), (None, 600, None)]


def test_a_fallback_text_is_not_the_first_summary() -> None:
    texts = ["Summary generation was unavailable.", STEP, "## Goal\nSomething else."]
    life = [Column(number, parse_summary(text), number == 1) for number, text in enumerate(texts, 1)]
    first, second = drift_of(follow(life), STEMMER).left
    assert (first.column, first.items) == (1, first.of_items)
    assert (second.column, second.items, second.of_items) == (2, 0, first.of_items)


@given(lives)
def test_shares_are_shares(life: list[Column]) -> None:
    found = drift_of(follow(life), STEMMER)
    for left in found.left:
        assert 0 <= left.items <= left.of_items
        assert 0 <= left.words <= left.of_words
    if found.left:
        assert found.left[0].items == found.left[0].of_items
        assert found.left[0].words == found.left[0].of_words
    for stale in found.stale:
        assert stale.since <= stale.until
