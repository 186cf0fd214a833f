"""What the facts of a conversation come to: what its compactions lost, and what findings ask of them.

Both are of the same facts, which take longest to follow: whoever asks for one works out both, and both are kept.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from inspector.answers.inspection import Inspection
from inspector.answers.kept_results import Basis, KeptResults, basis_of
from inspector.answers.losses import FactEvidence, fact_evidence, facts_of
from inspector.answers.store_losses import ConversationLosses, keep_losses, losses_of_facts


@lru_cache(maxsize=2)
def work_out(inspection: Inspection, kept: KeptResults) -> tuple[ConversationLosses, FactEvidence]:
    """The losses of a conversation and what facts tell the rules, worked out and kept. Reads its lists; raises
    StoreErrors.

    Those of the last two are held, for where nothing can be kept.
    """
    facts = facts_of(inspection)
    losses, evidence = losses_of_facts(inspection, facts), fact_evidence(inspection, facts)
    keep_losses(inspection, losses, kept)
    kept.put(_basis(inspection), msgspec.to_builtins(evidence, str_keys=True))
    return losses, evidence


def read_fact_evidence(inspection: Inspection, kept: KeptResults) -> FactEvidence:
    """What facts tell the rules, worked out where it is not known. Raises StoreErrors."""
    document = kept.get(_basis(inspection))
    if document is None:
        return work_out(inspection, kept)[1]
    return msgspec.convert(document, FactEvidence, strict=False)


def _basis(inspection: Inspection) -> Basis:
    return basis_of(inspection.store, inspection.conversation.id, "fact evidence")
