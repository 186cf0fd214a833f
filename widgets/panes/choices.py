"""What a user chooses in several panes, for the screen to act on."""

from __future__ import annotations

from textual.message import Message

from widgets.lists.fact_list import FactPlace


class CompactionChosen(Message):
    """The user chose a compaction, numbered from 1, by its column: every pane shall show it."""

    def __init__(self, compaction: int) -> None:
        super().__init__()
        self.compaction = compaction


class PlaceChosen(Message):
    """The user wants to see where words stand."""

    def __init__(self, place: FactPlace) -> None:
        super().__init__()
        self.place = place
