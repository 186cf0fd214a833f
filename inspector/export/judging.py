"""Judgements of a model, as JSON and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from inspector.answers.fact_results import Aftermath
from inspector.answers.judging import JudgedStatement, Judgement
from inspector.core.conversations import ConversationRow
from inspector.core.shares import plural
from inspector.core.text import safe_title
from inspector.export.console import StyledLines, say
from inspector.export.document import Document, fields_of
from inspector.export.fact_results import event_document, print_aftermath
from inspector.export.facts import fate_part, life_document, print_lives
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.facts.fact import OUTCOMES, ConversationFacts, Life
from inspector.quality.judgement import Decided, wrong_words_note


def judgement_documents(row: ConversationRow, judgements: Iterable[Judgement]) -> Document:
    """The answer of `judge`, without what was sent."""
    listed = list(judgements)
    return {
        **fields_of(row, "conversation=id title:line"),
        "facts": [_statement(judged, judgement) for judgement in listed for judged in judgement.statements],
        "judgements": [
            fields_of(judgement, "compaction model pieces answered dropped unproven wrong_words agreement")
            for judgement in listed
        ],
    }


def decided_lives(undecided: Mapping[int, Sequence[Life]], facts: ConversationFacts) -> list[Life]:
    """Return the facts that the rules left undecided, by compaction, with their fates now, also by earlier answers of
    other models.

    `facts` are the facts of the conversation with the fates of models.
    """
    now = {(life.fact.key, life.compaction): life for life in facts.lives}
    return [
        now[life.fact.key, life.compaction].seen(number)
        for number, lives in undecided.items()
        for life in sorted(lives, key=lambda life: life.compaction)
        # The user may dismiss a fact while the model answers.
        if (life.fact.key, life.compaction) in now
    ]


def decided_document(row: ConversationRow, lives: Sequence[Life], unused: Decided) -> Document:
    """The answer of `judge --uncertain`, without what was sent."""
    return {
        **fields_of(row, "conversation=id title:line"),
        "asked": len({life.fact.key for life in lives}),
        "asked_fates": len(lives),
        **fields_of(unused, "unproven wrong_words"),
        "decided": sum(bool(life.fate.model) for life in lives),
        "facts": list(map(life_document, lives)),
    }


def print_decided(lives: Sequence[Life], unused: Decided) -> None:
    """Print the facts that a model was asked about, with their fates now, and count what is not used."""
    if not lives:
        return
    for _, group in StyledLines().each(groupby(lives, key=attrgetter("fate.compaction")), ""):
        print_lives(group)
    decided = [life for life in lives if life.fate.model]
    fates = Counter(life.outcome for life in decided)
    counts = ", ".join(f"{fates[fate]:,} {fate}" for fate in OUTCOMES if fates[fate])
    # Earlier answers of other models count too.
    models = ", ".join(sorted({life.fate.decided_by for life in decided}))
    facts = len({life.fact.key for life in lives})
    asked = f", with {len(lives):,} fates" if len(lives) > facts else ""
    sentence = (
        f"{plural(facts, 'fact')} that the rules leave uncertain{asked}; {models or 'the model'} decided "
    )
    sentence += f"{len(decided):,}{f': {counts}' if counts else ''}."
    if unused.unproven:
        sentence += f" Not used, because their evidence is not in the text: {unused.unproven:,}."
    StyledLines().add((sentence + wrong_words_note(unused.wrong_words), "dim"))


def repeats_document(row: ConversationRow, events: Sequence[AftermathEvent], dropped: int) -> Document:
    """The answer of `judge --repeats`, without what was sent."""
    return {
        **fields_of(row, "conversation=id title:line"),
        "repeats": list(map(event_document, events)),
        "dropped": dropped,
    }


def print_repeats(
    row: ConversationRow, events: Sequence[AftermathEvent], dropped: int, answered: int, asked: int
) -> None:
    """Print what the user said again, as models found it, and count the pairs that are not used.

    `asked` is the number of prompts. Without `answered` prompts, nothing is known.
    """
    if events:
        print_aftermath([(row, Aftermath(0, 0, tuple(events)))])
    elif answered:
        missing = f" in {answered:,} of {asked:,} answers; the others are missing" if answered < asked else ""
        found = "no usable repetition" if dropped else "nothing that the user had to say again"
        say(f"The model found {found}{missing}.")
    if dropped:
        say(f"Not used, because a quote is not in the messages: {plural(dropped, 'pair')}.")


def _statement(judged: JudgedStatement, judgement: Judgement) -> Document:
    return {
        "source": f"model {judgement.model}",
        **fields_of(judged.statement, "category=kind text=quote role importance"),
        "compaction": judgement.compaction,
        **fields_of(judged, "message index fate=statement.fate where evidence:null=statement.evidence"),
    }


def print_judgements(judgements: Sequence[Judgement]) -> None:
    """Print the statements of each compaction, the dropped statements, and the agreement with the rules."""
    lines = StyledLines()
    for judgement in judgements:
        lines.add((f"Compaction {judgement.compaction}, judged by {judgement.model}", "bold"))
        missing = judgement.pieces - judgement.answered
        if missing > 0:
            text = f"no usable answer for {missing:,} of {plural(judgement.pieces, 'piece')}"
            lines.add((text, "red"), indent=2)
        if not judgement.answered:
            continue
        for judged in judgement.statements:
            statement = judged.statement
            where = f" in the {judged.where}" if judged.where else ""
            fate, style = fate_part(statement.fate, statement.kind, f"{statement.fate}{where}")
            lines.add((f"{fate}importance {statement.importance}", style), indent=2)
            lines.add((safe_title(statement.quote, 400), ""), indent=6)
        agreed = judgement.agreement
        counts = (
            f"{plural(len(judgement.statements), 'statement')}. Dropped, because their quote is not in the text: "
            f"{judgement.dropped:,}. Uncertain, because their fate has no evidence: {judgement.unproven:,}. "
            f"Found by the rules too: {agreed.both:,}; of {agreed.both - agreed.open:,} decided by both, "
            f"{agreed.same:,} are on the same side of kept and lost. By the model alone: {agreed.only_model:,}. "
            f"By the rules alone: {agreed.only_rules:,}.{wrong_words_note(judgement.wrong_words)}"
        )
        lines.add((counts, "dim"), indent=2)
