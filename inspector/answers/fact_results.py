"""Results from the facts of a conversation: the losses of its compactions, the aftermath, and the facts for findings.

Following the facts takes longest, so one pass computes all results, and all are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.each import StoreQuestion, ask_each
from inspector.answers.facts import note_dismissed
from inspector.answers.inspection import Inspection, ends_of
from inspector.answers.kept_results import AnswerKind, keep
from inspector.answers.last_request import missing_request
from inspector.answers.losses import FactEvidence, fact_evidence, facts_of, read_aftermath, with_broken_rules
from inspector.answers.store_losses import (
    LIST_MISSING,
    LOSSES,
    ConversationLosses,
    ListedLoss,
    decide_uncertain,
    in_all,
    left_out,
    losses_of_facts,
    model_decisions,
    nothing_listed,
    part_unread,
    sort_worst_first,
    uncertain_losses,
    unknown_losses,
    unseen_compactions,
)
from inspector.core.conversations import ConversationRow
from inspector.core.shares import plural
from inspector.quality.about_facts import gone_words
from inspector.quality.aftermath import AftermathEvent


class Aftermath(Struct, frozen=True):
    """The repeated work after the compactions of a conversation.

    `unseen` of its compactions have a list before them that the store lacks in whole or in part. `has_unread`: a part
    of the conversation cannot be read.
    """

    compactions: int
    unseen: int
    events: tuple[AftermathEvent, ...]
    has_unread: bool = False


#: Said of events about a statement that the list still has.
KEPT_AND_IGNORED = (
    "Where the list still has a statement, its compaction is not the cause, and other settings do not help. A "
    "permission, a hook or a test can enforce a rule."
)
#: Said of events that rules alone looked for.
BY_WORDS = (
    "The rules recognize a repeated statement by its words. `judge --repeats` lets a model of your own find what the "
    "user said again in other words."
)
AFTERMATH: AnswerKind[Aftermath] = AnswerKind("aftermath", Aftermath)
EVIDENCE: AnswerKind[FactEvidence] = AnswerKind("fact evidence", FactEvidence)


@lru_cache(maxsize=2)
def work_out(
    inspection: Inspection,
) -> tuple[ConversationLosses, FactEvidence, Aftermath]:
    """Compute and store the losses of a conversation, the evidence for findings, and the aftermath. Reads its lists;
    raises StoreErrors.

    They are not stored if the store has more messages by now than were opened. The results of the last two
    conversations stay in memory, in case they cannot be stored.
    """
    kinds: tuple[AnswerKind[Any], ...] = (LOSSES, EVIDENCE, AFTERMATH)
    places = [kind.of(inspection.store, inspection.conversation.id) for kind in kinds]
    facts = facts_of(inspection)
    events = read_aftermath(inspection, facts)
    evidence = fact_evidence(inspection, facts, events)
    gaps = {number: [gap.sentence(number) for gap in items] for number, items in evidence.gaps.items()}
    for recorded in inspection.compactions():
        if (index := missing_request(inspection, recorded)) is not None:
            gaps.setdefault(recorded.index, []).append(gone_words(recorded.index, index))
    opened = inspection.conversation
    # Damage of a message is known after the message was read.
    again = inspection.store.open(opened.id)
    losses = replace(
        losses_of_facts(inspection, with_broken_rules(inspection, facts, events), events, gaps),
        has_unread=opened.has_unread or again.has_unread,
    )
    unseen = unseen_compactions(inspection)
    aftermath = Aftermath(len(inspection.compactions()), unseen, events, losses.has_unread)
    results = losses, evidence, aftermath
    if ends_of(again) == ends_of(opened):
        keep(zip(places, results, strict=True))
    return results


def read_losses(answers: Answers, conversation: str) -> ConversationLosses:
    """Return the losses of a conversation, computed if they are not stored. Raises StoreErrors."""
    return LOSSES.of(answers.store, conversation).stored() or work_out(_opened(answers, conversation))[0]


def read_conversation_aftermath(answers: Answers, conversation: str) -> Aftermath:
    """Return the aftermath of a conversation, computed if it is not stored. Raises StoreErrors."""
    return AFTERMATH.of(answers.store, conversation).stored() or work_out(_opened(answers, conversation))[2]


def read_fact_evidence(inspection: Inspection) -> FactEvidence:
    """Return the facts for the rules of findings, computed if they are not stored. Raises StoreErrors."""
    return EVIDENCE.of(inspection.store, inspection.conversation.id).stored() or work_out(inspection)[1]


def _opened(answers: Answers, conversation: str) -> Inspection:
    return Inspection(answers.store, answers.store.open(conversation))


def list_losses(answers: Answers, names: Sequence[str] = ()) -> list[ListedLoss]:
    """Return the losses of the named conversations, or of all, the worst compaction first.

    Raises UnknownConversation and StoreErrors.
    """
    return losses_and_answer(answers, names)[0]


def losses_and_answer(answers: Answers, names: Sequence[str]) -> tuple[list[ListedLoss], str]:
    """Return the result of `list_losses`, and the answer for an empty list."""
    losses: list[ConversationLosses] = []
    listed: list[ListedLoss] = []
    titles: list[str] = []
    for row, result in ask_each(answers, answers.rows(names), StoreQuestion(read_losses, kept=LOSSES)):
        losses.append(result)
        listed += (ListedLoss(row, loss, result.foreign) for loss in result.compactions)
        titles.append(row.title or row.id)
    answers.note(in_all(losses, titles))
    note_dismissed(answers, sum(loss.dismissed for loss in losses))
    unknown = [*unknown_losses(losses), *uncertain_losses(losses)]
    for sentence in (
        *unknown,
        *left_out(losses),
        *decide_uncertain(losses),
        *model_decisions(sum(loss.by_model for loss in losses)),
    ):
        answers.note(sentence)
    lacking = answers.unread or (answers.store.notes if not names else ())
    return sort_worst_first(listed), nothing_listed(losses, bool(unknown or lacking))


def list_aftermath(answers: Answers, names: Sequence[str]) -> list[tuple[ConversationRow, Aftermath]]:
    """Return the aftermath of the named conversations, or of all, each with the row of its conversation.

    Raises UnknownConversation and StoreErrors.
    """
    rows = answers.rows(names)
    question = StoreQuestion(read_conversation_aftermath, kept=AFTERMATH)
    results = {row.id: result for row, result in ask_each(answers, rows, question)}
    if unseen := sum(result.unseen for result in results.values()):
        after = plural(unseen, "compaction")
        answers.note(f"The repeated work after {after} is unknown in whole or in part: {LIST_MISSING}.")
    if partial := sum(result.has_unread for result in results.values()):
        answers.note(f"{part_unread(partial)}, so more may have been done again.")
    if results and not any(event.model for result in results.values() for event in result.events):
        answers.note(BY_WORDS)
    if any(event.is_kept for result in results.values() for event in result.events):
        answers.note(KEPT_AND_IGNORED)
    return [(row, results[row.id]) for row in rows if row.id in results]
