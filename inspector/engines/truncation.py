"""The baseline to compare with: keep head and tail, drop the middle, write no summary."""

from __future__ import annotations

from inspector.engines.hermes.engine import SizesEngine
from inspector.engines.hermes.policies import Policies

#: The boundaries are the documented ones of an unpruned list.
TRUNCATION = SizesEngine(
    Policies(
        name="truncation",
        release="no release",
        summary="Naive truncation: head and tail stay, the middle is dropped without a summary.",
        counts_system=True,
        soft_ceiling=1.0,
        tail_floor="protect_last_n",
        anchor_user=False,
        prunes=False,
        deduplicates=False,
        shrinks_arguments=False,
        summarizes=False,
    )
)
