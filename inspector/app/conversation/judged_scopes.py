"""Scopes of facts that a model of the user found."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.answers.judging import JudgedStatement, Judgement
from inspector.core.text import safe_line
from inspector.quality.facts.fact import BY_MODEL, ConversationFacts, Fact, Fate, Life, Saying
from inspector.quality.judgement import matched, wrong_words_note
from widgets.panes.losses_view import FactScope

_NAME = 40


def judged_scope(judgement: Judgement, facts: ConversationFacts) -> FactScope:
    """The scope of a judgement: its statements as facts, each with the fate by the rules."""
    lives = [life.by_rules() for life in facts.of(judgement.compaction)]
    rules = matched([statement.statement for statement in judgement.statements], lives)
    entries = tuple(
        _life(one, judgement, number, life)
        for number, (one, life) in enumerate(zip(judgement.statements, rules, strict=True), 1)
    )
    return FactScope(f"{BY_MODEL}{safe_line(judgement.model, _NAME)}", entries, _note(judgement))


def _note(judgement: Judgement) -> str:
    agreed = judgement.agreement
    dropped = f" Quotes that are not in the text: {judgement.dropped:,}." if judgement.dropped else ""
    return (
        f"Facts by {safe_line(judgement.model, _NAME)}. The rules found {agreed.both:,} of them; of "
        f"{agreed.both - agreed.open:,} decided by both, {agreed.same:,} agree on kept or lost. By the rules alone: "
        f"{agreed.only_rules:,}.{dropped}{wrong_words_note(judgement.wrong_words)}"
    )


def _life(one: JudgedStatement, judgement: Judgement, rank: int, rules: Life | None) -> Life:
    statement, compaction = one.statement, judgement.compaction
    by_rules = "the rules do not have it" if rules is None else f"the rules say {rules.outcome}"
    saying = Saying(-1, compaction, one.index or 0, one.message or 0, "", statement.role, (0, 0), compaction)
    fact = Fact(
        key=f"{BY_MODEL}{judgement.model} {compaction} {rank}", kind=statement.kind, text=statement.quote,
        value=statement.quote, values=(), things=(), rule=f"{BY_MODEL}{judgement.model}",
        strength=statement.importance, cue=(0, 0), role=statement.role, sayings=(saying,), uses=0,
        rank=float(statement.importance), why=f"importance {statement.importance}; {by_rules}",
    )  # fmt: skip
    fate = Fate(compaction, statement.fate, one.where, one.evidence_index, None, statement.evidence)
    return Life(fact, compaction, (fate,), compaction if fate.gone else None, rank=rank)


def judged_scopes(
    judgements: Sequence[Judgement], facts: ConversationFacts
) -> dict[int, tuple[FactScope, ...]]:
    """The scopes of judgements by compaction."""
    by_compaction: dict[int, tuple[FactScope, ...]] = {}
    for judgement in judgements:
        if judgement.answered:
            scope = judged_scope(judgement, facts)
            by_compaction[judgement.compaction] = (*by_compaction.get(judgement.compaction, ()), scope)
    return by_compaction
