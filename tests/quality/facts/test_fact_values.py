"""Meaning of a fate: readable, gone, or neither."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from inspector.core.signs import FATE_SIGNS
from inspector.export.facts import print_facts
from inspector.quality.facts.fact import (
    OUTCOMES,
    Contradiction,
    ConversationFacts,
    Fact,
    Fate,
    Life,
    Outcome,
    Saying,
)
from inspector.quality.measures import Share, survival
from tests.quality.made import compaction

SAYING = Saying(0, 1, 3, 13, "s", "user", (0, 20), 1)
FACT = Fact(
    "k", "constraint", "Never push to main.", "main", (), (), "r", 9, (0, 5), "user", (SAYING,), 0, 1.0
)


def life(outcome: Outcome, key: str = "k") -> Life:
    return Life(replace(FACT, key=key), 1, (Fate(1, outcome),))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_fate_is_read_gone_weakened_or_neither(outcome: Outcome) -> None:
    fate = Fate(1, outcome)
    assert fate.alive + fate.gone + (not fate.settled) + (outcome == "weakened") == 1
    assert outcome in FATE_SIGNS


def test_shares_of_survival_count_uncertain_facts_apart() -> None:
    lives = tuple(life(outcome, outcome) for outcome in OUTCOMES)
    shares = survival(ConversationFacts(tuple(one.fact for one in lives), lives), [compaction(1)]).shares
    assert shares[lives[0].kind] == (Share(2, 6, 1),)


def test_a_fact_that_earlier_compactions_kept_ends_at_the_compaction_that_loses_it() -> None:
    def course(key: str, first: int, *outcomes: Outcome) -> Life:
        fates = tuple(Fate(number, one) for number, one in enumerate(outcomes, first))
        return Life(replace(FACT, key=key), first, fates)

    lives = (
        course("kept", 1, "verbatim", "paraphrased", "verbatim"),
        course("died", 1, "verbatim", "lost", "lost"),
        course("never", 1, "lost", "lost", "lost"),
        course("back", 1, "lost", "paraphrased", "value lost"),
        course("weak", 1, "verbatim", "weakened", "weakened"),
        course("unsure", 1, "verbatim", "verbatim", "uncertain", "uncertain"),
        course("unread", 1, "paraphrased", "unknown", "unknown"),
        # Stated again: the third compaction summarized it too, and lists it with its facts.
        course("again", 1, "verbatim", "verbatim", "lost"),
        course("again", 3, "lost"),
    )
    ended = ConversationFacts(tuple(one.fact for one in lives), lives).ended()
    assert {number: {one.fact.key for one in found} for number, found in ended.items()} == {
        2: {"died", "weak", "unread"},
        3: {"back", "unsure"},
    }
    assert {one.fact.key: one.outcome for found in ended.values() for one in found} == {
        "died": "lost",
        "back": "value lost",
        "weak": "weakened",
        "unsure": "uncertain",
        "unread": "unknown",
    }


def test_a_rule_withdrawn_before_the_compaction_is_no_loss_and_afterwards_is_one() -> None:
    later = replace(SAYING, step=9, generation=2)
    lost = life("lost")
    assert lost.lost
    assert not lost.superseded
    changed = replace(lost, contradicted=Contradiction("Push to main.", "", later))
    assert changed.lost, "what is said after the compaction does not make its loss undone"
    before = replace(lost, contradicted=Contradiction("Push to main.", "", replace(later, generation=1)))
    assert before.superseded
    assert not before.lost
    assert not life("weakened").lost
    assert not life("uncertain").lost


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_fate_is_printed(outcome: Outcome, capsys: pytest.CaptureFixture[str]) -> None:
    from inspector.answers.facts import FollowedFacts

    print_facts(FollowedFacts("c", (life(outcome),), False, "hermes"))
    assert f"{FATE_SIGNS[outcome]} constraint" in capsys.readouterr().out
