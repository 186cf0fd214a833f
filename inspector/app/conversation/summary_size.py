"""How large a what-if takes summaries to be."""

from __future__ import annotations

from inspector.replay.recording import Recording
from inspector.replay.whatif import SummaryModel
from widgets.panes.knob_values import LARGEST_SHARE


def summary_model(recording: Recording, size: float | None) -> SummaryModel:
    """As recorded (None), a share of their budget, or so many tokens: what the knob says."""
    if size is None:
        return recording.model
    return SummaryModel(size) if size <= LARGEST_SHARE else SummaryModel(tokens=round(size))
