"""Facts: their fates, facts at risk, and facts to carry over."""

from __future__ import annotations

from inspector.answers.facts import FactsAtRisk, FollowedFacts
from inspector.export.documents.document import Document, fields_of
from inspector.quality.facts.carry import plain
from inspector.quality.facts.fact import Fate, Life, Saying
from inspector.quality.losses import is_lost


def fact_documents(answer: FollowedFacts) -> list[Document]:
    """The answer of `facts`."""
    return [life_document(life) for life in answer.facts]


def life_document(life: Life) -> Document:
    """A fact and what became of it."""
    fact, saying = life.fact, life.saying
    return {
        "category": fact.kind,
        **fields_of(fact, "text", "value", "role"),
        **fields_of(saying, "session", "message"),
        "compaction": life.compaction,
        **_fate(life.fate),
        "is_lost": is_lost(life),
        "fates": list(map(fate_after, life.fates)),
        "rank": life.rank,
        "score": fact.rank,
        **fields_of(fact, "rule", "why"),
        "values": list(life.values),
        **fields_of(saying, "span", "generation", "index"),
        "sayings": [_place(other) for other in fact.sayings],
        "uses": fact.uses,
        "died": life.died,
        "back": None if life.back is None else _place(life.back),
        "contradicted": None
        if life.contradicted is None
        else _place(life.contradicted.saying) | fields_of(life.contradicted, "text", "value"),
        "pruned": life.pruned,
        "key": fact.key,
    }


def _fate(fate: Fate) -> Document:
    return {
        "fate": fate.outcome,
        "where": fate.where,
        "found": None if fate.index is None else {"index": fate.index, "span": list(fate.span or (0, 0))},
        **fields_of(fate, "excerpt", "changed"),
    }


def fate_after(fate: Fate) -> Document:
    """The fate after one compaction, with the words that show it."""
    return {
        "compaction": fate.compaction, "fate": fate.outcome, "where": fate.where, "evidence": fate.excerpt
    }  # fmt: skip


def _place(saying: Saying) -> Document:
    return fields_of(saying, "session", "message", "role", "generation", "index", "span", "compaction")


def risk_documents(answer: FactsAtRisk) -> list[Document]:
    """The answer of `facts --at-risk`."""
    return [
        plain(entry.fact)
        | {
            "compaction": answer.compaction,
            "fate": None,
            "where": None,
            **fields_of(entry, "once", "places"),
            "rank": rank,
            "score": entry.fact.rank,
            "uses": entry.fact.uses,
        }
        for rank, entry in enumerate(answer.facts, 1)
    ]
