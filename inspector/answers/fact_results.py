"""Results from the facts of a conversation: the losses of its compactions, the aftermath, and the facts for findings.

Following the facts takes longest, so one pass computes all results, and all are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from inspector.answers.aftermath import read_aftermath
from inspector.answers.answers import Answers
from inspector.answers.each import Question, ask_each
from inspector.answers.facts import note_dismissed
from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import Basis, KeptResults, basis_of, default_results
from inspector.answers.losses import FactEvidence, fact_evidence, facts_of
from inspector.answers.store_losses import (
    ConversationLosses,
    ListedLoss,
    keep_losses,
    known_losses,
    listed_of,
    losses_of_facts,
    worst_first,
)
from inspector.core.conversations import ConversationRow
from inspector.quality.aftermath import AftermathEvent
from inspector.stores.base import Store


@lru_cache(maxsize=2)
def work_out(
    inspection: Inspection, kept: KeptResults
) -> tuple[ConversationLosses, FactEvidence, tuple[AftermathEvent, ...]]:
    """The losses of a conversation, the evidence for findings, and its aftermath, worked out and kept. Reads its lists;
    raises StoreErrors.

    The results of the last two conversations are held in memory, in case the disk keeps nothing.
    """
    facts = facts_of(inspection)
    events = read_aftermath(inspection, facts)
    losses, evidence = losses_of_facts(inspection, facts, events), fact_evidence(inspection, facts, events)
    store, name = inspection.store, inspection.conversation.id
    keep_losses(store, name, losses, kept)
    kept.put(_basis(inspection), msgspec.to_builtins(evidence, str_keys=True))
    _keep_aftermath(store, name, (len(inspection.compactions()), events), kept)
    return losses, evidence, events


def read_aftermath_results(
    store: Store, conversation: str, kept: KeptResults
) -> tuple[int, tuple[AftermathEvent, ...]]:
    """The number of compactions of a conversation and its aftermath, kept from earlier runs. Raises StoreErrors."""
    known = known_aftermath(store, conversation, kept)
    if known is not None:
        return known
    inspection = Inspection(store, store.open(conversation))
    return len(inspection.compactions()), work_out(inspection, kept)[2]


def known_aftermath(
    store: Store, conversation: str, kept: KeptResults
) -> tuple[int, tuple[AftermathEvent, ...]] | None:
    """The same if it is kept, else None. Reads no message; raises StoreErrors."""
    document = kept.get(basis_of(store, conversation, "aftermath"))
    return (
        None if document is None else (document[0], msgspec.convert(document[1], tuple[AftermathEvent, ...]))
    )


def _keep_aftermath(
    store: Store, conversation: str, found: tuple[int, tuple[AftermathEvent, ...]], kept: KeptResults
) -> None:
    kept.put(basis_of(store, conversation, "aftermath"), [found[0], msgspec.to_builtins(found[1])])


def read_losses(store: Store, conversation: str, kept: KeptResults) -> ConversationLosses:
    """The losses of a conversation, worked out where they are not known. Raises StoreErrors."""
    known = known_losses(store, conversation, kept)
    if known is not None:
        return known
    return work_out(Inspection(store, store.open(conversation)), kept)[0]


def list_losses(answers: Answers, names: Sequence[str] = ()) -> list[ListedLoss]:
    """The losses of the named conversations, or of all, the worst compaction first. Raises UnknownConversation and
    StoreErrors."""
    store, kept, rows = answers.store, default_results(), chosen_rows(answers, names)
    question = Question(
        losses_there,
        known=lambda row: known_losses(store, row.id, kept),
        keep=lambda row, found: keep_losses(store, row.id, found, kept),
    )
    losses: list[ConversationLosses] = []
    listed: list[ListedLoss] = []
    for row, found in ask_each(answers, rows, question):
        losses.append(found)
        listed += listed_of(store, row, found)
    answers.note(in_all(losses))
    note_dismissed(answers, sum(found.dismissed for found in losses))
    unknown = sum(found.unknown for found in losses)
    if unknown:
        answers.note(
            f"The fate of {unknown:,} fact{'' if unknown == 1 else 's'} is unknown: the summaries are encrypted."
        )
    return worst_first(listed)


@dataclass(frozen=True, slots=True)
class ConversationAftermath:
    """The events of one conversation, in order. `compactions` is how many it had."""

    row: ConversationRow
    compactions: int
    events: tuple[AftermathEvent, ...]


def list_aftermath(answers: Answers, names: Sequence[str] = ()) -> list[ConversationAftermath]:
    """The aftermath of the named conversations, or of all. Raises UnknownConversation and StoreErrors."""
    store, kept, rows = answers.store, default_results(), chosen_rows(answers, names)
    question = Question(
        aftermath_there,
        known=lambda row: known_aftermath(store, row.id, kept),
        keep=lambda row, found: _keep_aftermath(store, row.id, found, kept),
    )
    found = {row.id: result for row, result in ask_each(answers, rows, question)}
    return [ConversationAftermath(row, *found[row.id]) for row in rows if row.id in found]


def chosen_rows(answers: Answers, names: Sequence[str]) -> list[ConversationRow]:
    """The rows of the named conversations, or of all. Raises UnknownConversation and StoreErrors."""
    chosen = {answers.store.resolve(name) for name in names}
    return [row for row in answers.store.conversations() if not names or row.id in chosen]


def losses_there(answers: Answers, conversation: str) -> ConversationLosses:
    """The losses of a conversation, with the kept results of the process that asks."""
    return read_losses(answers.store, conversation, default_results())


def aftermath_there(answers: Answers, conversation: str) -> tuple[int, tuple[AftermathEvent, ...]]:
    """The aftermath of a conversation, with the kept results of the process that asks."""
    return read_aftermath_results(answers.store, conversation, default_results())


def in_all(losses: Sequence[ConversationLosses]) -> str:
    """One sentence over a whole store: compactions, rules kept word for word, corrections."""
    compactions = sum(found.recorded for found in losses)
    rules, verbatim = sum(found.rules for found in losses), sum(found.verbatim for found in losses)
    kept = f"{verbatim / rules:.0%} of {rules:,} rules kept word for word" if rules else "no rule summarized"
    corrected = sum(found.corrected for found in losses)
    counted = f"{compactions:,} compaction{'' if compactions == 1 else 's'}"
    return f"{counted}: {kept}, {corrected:,} followed by a correction."


def read_fact_evidence(inspection: Inspection, kept: KeptResults) -> FactEvidence:
    """Return the facts for the rules of findings, computed if they are not kept. Raises StoreErrors."""
    document = kept.get(_basis(inspection))
    if document is None:
        return work_out(inspection, kept)[1]
    return msgspec.convert(document, FactEvidence, strict=False)


def _basis(inspection: Inspection) -> Basis:
    return basis_of(inspection.store, inspection.conversation.id, "fact evidence")
