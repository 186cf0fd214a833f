"""How large a what-if takes summaries to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widgets.panes.knob_values import LARGEST_SHARE

if TYPE_CHECKING:
    from inspector.replay.recording import Recording
    from inspector.replay.summary_model import SummaryModel


def summary_model(recording: Recording, size: float | None) -> SummaryModel:
    """Return the model of the knob: as recorded (None), a share of the budget, or a number of tokens."""
    from inspector.replay.summary_model import SummaryModel

    if size is None:
        return recording.model
    return SummaryModel(size) if size <= LARGEST_SHARE else SummaryModel(tokens=round(size))
