"""Where the most was lost: every compaction of a store by what nobody can read any more after it, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from inspector.answers.kept_results import KeptResults, basis_of
from inspector.answers.resolving import info_for
from inspector.core.conversations import ConversationRow
from inspector.quality.facts.fact import ConversationFacts, Kind, Life, Outcome, Where
from inspector.quality.losses import LostFacts, grave, losses_of, untold
from inspector.stores.base import Store

if TYPE_CHECKING:
    from inspector.answers.inspection import Inspection

QUESTION = "losses"


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that a compaction lost or weakened: what it says, where that was said, and what was left after it."""

    category: Kind
    text: str
    value: str
    role: str
    session: str
    message: int
    compaction: int
    fate: Outcome
    where: Where | None
    generation: int
    index: int


@dataclass(frozen=True, slots=True)
class CompactionLoss:
    """A compaction, when it was (seconds since the epoch, None where nobody knows), what it lost by kind, what it
    weakened, of how much nobody can tell, and the worst of what was lost and weakened."""

    compaction: int
    at: float | None
    lost: dict[Kind, int]
    weakened: int
    uncertain: int
    facts: tuple[LostFact, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """The larger, the worse."""
        return grave(self.lost, self.weakened)


@dataclass(frozen=True, slots=True)
class ConversationLosses:
    """What all compactions of a conversation lost, each told apart, oldest first; and of how many facts nobody can
    tell, as a summary that cannot be read took them."""

    compactions: tuple[CompactionLoss, ...] = ()
    unknown: int = 0

    @property
    def lost(self) -> dict[Kind, int]:
        """Lost facts by kind."""
        counts: Counter[Kind] = Counter()
        for one in self.compactions:
            counts.update(one.lost)
        return dict(counts)

    @property
    def total(self) -> int:
        """Lost facts of all kinds."""
        return sum(sum(one.lost.values()) for one in self.compactions)

    @property
    def weakened(self) -> int:
        """Facts that were weakened."""
        return sum(one.weakened for one in self.compactions)


@dataclass(frozen=True, slots=True)
class ListedLoss:
    """A compaction's losses, and whose they are."""

    row: ConversationRow
    agent: str
    loss: CompactionLoss


def losses_of_facts(inspection: Inspection, facts: ConversationFacts) -> ConversationLosses:
    """What the compactions of a conversation lost of its facts. Raises StoreErrors."""
    times = {recorded.index: recorded.at or None for recorded in inspection.compactions()}
    found = losses_of(facts.lives)
    losses = tuple(_loss(one, times.get(one.compaction)) for one in found)
    return ConversationLosses(losses, untold(facts.lives))


def _loss(found: LostFacts, at: float | None) -> CompactionLoss:
    facts = tuple(_lost_fact(life, found.compaction) for life in found.worst)
    return CompactionLoss(found.compaction, at, dict(found.lost), found.weakened, found.uncertain, facts)


def _lost_fact(life: Life, compaction: int) -> LostFact:
    fact, saying = life.fact, life.saying
    return LostFact(
        fact.kind, fact.text, fact.value, fact.role, saying.session, saying.message, compaction,
        life.outcome, life.fate.where, saying.generation, saying.index,
    )  # fmt: skip


def known_losses(store: Store, conversation: str, kept: KeptResults) -> ConversationLosses | None:
    """What is known from earlier about a conversation as it is now. Reads no message; raises StoreErrors."""
    document = kept.get(basis_of(store, conversation, QUESTION))
    return None if document is None else _unpacked(document)


def keep_losses(inspection: Inspection, losses: ConversationLosses, kept: KeptResults) -> None:
    """Keep the losses of a conversation. Raises StoreErrors."""
    basis = basis_of(inspection.store, inspection.conversation.id, QUESTION)
    kept.put(basis, asdict(losses))


def _unpacked(document: dict[str, Any]) -> ConversationLosses:
    return ConversationLosses(
        tuple(
            CompactionLoss(**{**one, "facts": tuple(LostFact(**fact) for fact in one["facts"])})
            for one in document["compactions"]
        ),
        document["unknown"],
    )


def listed_losses(store: Store, row: ConversationRow, kept: KeptResults) -> list[ListedLoss] | None:
    """The losses of a conversation as they are known from earlier; None where they are not. Raises StoreErrors."""
    known = known_losses(store, row.id, kept)
    return None if known is None else listed_of(store, row, known)


def listed_of(store: Store, row: ConversationRow, losses: ConversationLosses) -> list[ListedLoss]:
    """The losses of a conversation with whose they are. Raises StoreErrors."""
    agent = info_for(store, row.id).kind
    return [ListedLoss(row, agent, loss) for loss in losses.compactions]


def worst_first(losses: Iterable[ListedLoss]) -> list[ListedLoss]:
    """The worst compaction first; of equal ones the latest."""
    return sorted(losses, key=lambda one: (one.loss.order, one.loss.at or 0.0), reverse=True)
