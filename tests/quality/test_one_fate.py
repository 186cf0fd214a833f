"""One fate everywhere: a fact that any answer calls lost is lost in every answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.facts import Wanted, facts_reading, follow_facts
from inspector.answers.losses import facts_of
from inspector.answers.measures import measure
from inspector.export.facts import fact_documents
from inspector.export.report.parts import facts_part
from inspector.quality.facts.fact import (
    KINDS,
    OUTCOMES,
    REQUESTS,
    Contradiction,
    ConversationFacts,
    Fact,
    Fate,
    Kind,
    Life,
    Saying,
)
from inspector.quality.losses import KINDS_LOST, is_lost, lives_after, losses_of
from inspector.quality.measures import Survival, survival
from inspector.stores.detect import open_store
from tests.conftest import ROOT
from tests.quality.made import compaction

GONE = ("lost", "value lost", "contradicted")
#: A link counts only if it was still needed.
KINDS_WITH_CUE = tuple(kind for kind in KINDS_LOST if kind != "statement")
SAYING = Saying(0, 1, 3, 13, "s", "user", (0, 20), 1)
FACT = Fact("k", "constraint", "Never push.", "main", (), (), "r", 9, (0, 5), "user", (SAYING,), 0, 1.0)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[ConversationFacts, int]:
    """Facts of a conversation, each with a life for some compactions, and the number of compactions."""
    last = draw(st.integers(1, 4))
    lives = []
    for number in range(draw(st.integers(0, 6))):
        fact = replace(FACT, key=f"fact {number}", kind=draw(st.sampled_from(KINDS)))
        first = draw(st.integers(1, last))
        fates = [Fate(at, draw(st.sampled_from(OUTCOMES))) for at in range(first, last + 1)]
        back = SAYING if draw(st.booleans()) else None
        other = Contradiction("x", "y", SAYING) if draw(st.integers(0, 3)) == 0 else None
        starts = sorted({first, *draw(st.lists(st.integers(first, last), max_size=2))})
        lives += [Life(fact, start, tuple(fates[start - first :]), None, back, other) for start in starts]
    return ConversationFacts(tuple({life.fact.key: life.fact for life in lives}.values()), tuple(lives)), last


@given(conversations())
def test_a_fact_that_one_answer_calls_lost_is_lost_in_all(made: tuple[ConversationFacts, int]) -> None:
    facts, last = made
    counted = [life for life in facts.lives if life.fact.kind in KINDS_WITH_CUE]
    lost = {life.fact.key for life in lives_after(counted, last) if is_lost(life)}
    assert sum(entry.total for entry in losses_of(facts.lives)) == len(lost)
    documents = [life.seen(last) for life in counted]
    assert {life.fact.key for life in documents if is_lost(life)} == lost
    of_kind = {kind: sum(life.fact.key in lost and life.fact.kind == kind for life in lives_after(counted, last))
               for kind in KINDS_WITH_CUE}  # fmt: skip
    counts = facts_part(facts, last, 10).counts
    for kind in KINDS_WITH_CUE:
        assert sum(counts[kind][outcome] for outcome in GONE) == of_kind[kind]
        weakened = sum(life.outcome == "weakened" for life in lives_after(counted, last) if life.kind == kind)
        assert _missing(survival(facts, [compaction(last)]), kind) == of_kind[kind] + weakened


@pytest.mark.parametrize("database", ["hermes-0.13-rotating.db", "hermes-0.19-in-place.db"])
def test_the_answers_about_a_store_agree(database: str) -> None:
    answers = Answers(open_store(ROOT / "fixtures" / database), {}, None)
    for row in answers.store.conversations():
        inspection, _, reading = facts_reading(answers, row.id)
        compactions = inspection.compactions()
        if not compactions:
            continue
        last = compactions[-1].index
        chosen = Wanted(kinds=KINDS_LOST, fates=GONE)
        listed = fact_documents(follow_facts(answers, row.id, chosen))
        lost = {entry["key"] for entry in listed}
        assert all(entry["is_lost"] for entry in listed)
        needed = {life.fact.key for life in facts_of(inspection).lives if life.needed}
        own = {
            entry["key"]
            for entry in listed
            if entry["role"] == "user"
            and not entry["pasted"]
            and (
                entry["key"] in needed
                or not (entry["category"] == "statement" or entry["rule"].endswith(REQUESTS))
            )
        }
        losses = losses_of(facts_of(inspection).lives)
        assert sum(entry.total for entry in losses) == len(own)
        assert sum(entry.total + entry.others for entry in losses) <= len(lost)
        table = measure(answers, row.id).measures.survival
        weak = [life for life in lives_after(reading.facts.lives, last) if life.outcome == "weakened"]
        for kind in KINDS_LOST:
            keys = {life.fact.key for life in reading.facts.lives if life.fact.kind == kind}
            assert _missing(table, kind) == len(lost & keys) + sum(life.kind == kind for life in weak)


def _missing(table: Survival, kind: Kind) -> int:
    """Return the number of facts of a kind that the last list does not have."""
    share = table.shares[kind][-1]
    return 0 if share is None else share.of - share.count
