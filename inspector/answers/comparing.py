"""Compare two folders of sessions: kept facts, repeated work, and costs of their compactions."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct, field

from inspector.answers.answers import Answers, about
from inspector.answers.bills import bills_of
from inspector.answers.fact_results import read_conversation_aftermath
from inspector.answers.losses import aftermath_by_rules, facts_of
from inspector.answers.requests import requests_of
from inspector.core.errors import InspectorError
from inspector.quality.aftermath import done_again
from inspector.quality.facts.fact import KINDS, Kind
from inspector.quality.measures import Share


class Side(Struct, frozen=True):
    """One folder of sessions.

    `kept` has by kind the share of summarized facts that the list after the compaction still has, without facts of
    pasted texts. Facts with an uncertain or unknown fate are not in it; `open` counts them. `aftermath` counts what was
    done again by kind. `cost` is of `priced` compactions, in US dollars. `unread` are sentences about conversations
    that could not be read, in whole or in part.
    """

    label: str
    conversations: int = 0
    compactions: int = 0
    kept: dict[Kind, Share] = field(default_factory=dict)
    open: int = 0
    aftermath: dict[str, int] = field(default_factory=dict)
    hurt: Share = field(default_factory=lambda: Share(0, 0))
    cost: float = 0.0
    priced: int = 0
    unread: tuple[str, ...] = ()

    @property
    def all_kept(self) -> Share:
        """Return the share of kept facts of all kinds."""
        return sum(self.kept.values(), Share(0, 0))


class FolderComparison(Struct, frozen=True):
    """Two folders of sessions compared."""

    first: Side
    second: Side

    @property
    def unread(self) -> tuple[str, ...]:
        """The sentences about what could not be read, each once. A conversation can be in both folders."""
        return tuple(dict.fromkeys([*self.first.unread, *self.second.unread]))

    @property
    def differs(self) -> tuple[str, ...]:
        """The names of the shares whose intervals do not overlap."""
        first, second = self.first, self.second
        shares: list[tuple[str, Share, Share]] = [
            (kind, first.kept[kind], second.kept[kind])
            for kind in KINDS
            if kind in first.kept and kind in second.kept
        ]
        shares += [
            ("facts", first.all_kept, second.all_kept),
            ("followed by repeated work", first.hurt, second.hurt),
        ]
        return tuple(name for name, share, other in shares if share.differs(other))


def side_of(answers: Answers, label: str) -> Side:
    """Return the figures of one folder. Conversations that cannot be read are named, and in `answers.unread` too.

    Raises StoreErrors of the store.
    """
    counts: Counter[tuple[Kind, bool]] = Counter()
    aftermath: Counter[str] = Counter()
    conversations = compactions = hurt = undecided = priced = 0
    cost = 0.0
    partial: list[str] = []
    for row in answers.store.conversations():
        conversations += 1
        try:
            inspection, resolved = answers.opened(row.id)
            recorded = inspection.compactions()
            # A model may have judged only one of the folders.
            facts = facts_of(inspection, by_rules=True)
            events = read_conversation_aftermath(answers, row.id).events
            if any(event.model for event in events):
                events = aftermath_by_rules(inspection, facts)
            bills = bills_of(inspection, requests_of(inspection, resolved)) if recorded else {}
        except InspectorError as error:
            answers.unread.append(about(row, str(error)))
            continue
        if inspection.conversation.has_unread:
            partial += (about(row, note) for note in inspection.conversation.notes)
        compactions += len(recorded)
        for life in facts.lives:
            if life.fact.pasted:
                continue
            fate = life.fates[0] if life.fates else None
            if fate is None or not fate.settled:
                undecided += 1
            else:
                counts[life.kind, fate.alive] += 1
        aftermath.update(event.kind for event in done_again(events))
        hurt += len({event.compaction for event in events if not event.named})
        priced += len(bills)
        cost += sum(bill.cost.amount for bill, _ in bills.values())
    by_kind = {
        kind: Share(counts[kind, True], counts[kind, True] + counts[kind, False])
        for kind in KINDS
        if counts[kind, True] + counts[kind, False]
    }
    return Side(
        label,
        conversations,
        compactions,
        by_kind,
        undecided,
        dict(aftermath),
        Share(hurt, compactions),
        cost,
        priced,
        tuple(dict.fromkeys([*answers.store.notes, *partial, *answers.unread])),
    )


def compare(first: Answers, second: Answers, labels: tuple[str, str]) -> FolderComparison:
    """Compare two stores. Raises StoreErrors."""
    return FolderComparison(side_of(first, labels[0]), side_of(second, labels[1]))
