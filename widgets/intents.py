"""Messages with which a pane asks its screen for something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from inspector.engines.base import Settings
    from inspector.quality.facts.fact import Fact
    from inspector.quality.finding import Finding


class GoTo(Message):
    """Show a message of a generation.

    `generation` counts from 1, `index` is the message's place in its list (None: the end of the list). `find` is a
    text to mark there, `pane` the pane to bring up with the focus ("": the message list gets it).
    """

    def __init__(self, generation: int, index: int | None, find: str = "", pane: str = "") -> None:
        super().__init__()
        self.generation = generation
        self.index = index
        self.find = find
        self.pane = pane

    @property
    def place(self) -> tuple[int, int | None, str]:
        """Generation, index and the text to mark."""
        return self.generation, self.index, self.find


class ShowPane(Message):
    """Bring up a pane with the focus."""

    def __init__(self, pane: str) -> None:
        super().__init__()
        self.pane = pane


class ChooseCompaction(Message):
    """Choose a compaction by its index and show the list after it."""

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index


class StepCompaction(Message):
    """Choose the next compaction (1) or the previous one (-1)."""

    def __init__(self, by: int) -> None:
        super().__init__()
        self.by = by


class Change(Message):
    """Change fields of the screen's state: the layout of the cache, the view of a pane."""

    def __init__(self, **changes: Any) -> None:
        super().__init__()
        self.changes = changes


class UseSettings(Message):
    """Take settings and a size of summaries (see `knob_values.SUMMARY_SIZE`) as a pair."""

    def __init__(self, tuning: tuple[Settings, float | None]) -> None:
        super().__init__()
        self.tuning = tuning


class GoToStep(Message):
    """Go to a step of the replay: the moment after a message, counted from 1."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self.step = step


class ReadRows(Message):
    """Read messages for another list than the one on screen: ranges of indexes by generation."""

    def __init__(self, wanted: dict[int, range]) -> None:
        super().__init__()
        self.wanted = wanted


class CopyText(Message):
    """Copy a text to the clipboard; `what` names it in the notification."""

    def __init__(self, text: str, what: str) -> None:
        super().__init__()
        self.text = text
        self.what = what


class DeleteAttempt(Message):
    """Delete an attempt by its id."""

    def __init__(self, attempt: int) -> None:
        super().__init__()
        self.attempt = attempt


class DismissFinding(Message):
    """Dismiss the findings of one cause, or restore them; `finding` is one of them."""

    def __init__(self, finding: Finding) -> None:
        super().__init__()
        self.finding = finding


class DismissFact(Message):
    """Dismiss a fact, because it is not a rule or not important, or restore it."""

    def __init__(self, fact: Fact) -> None:
        super().__init__()
        self.fact = fact


class TraceText(Message):
    """Show the history of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class CopyFacts(Message):
    """Copy facts as a checklist; `at_risk` means that no compaction has taken them yet."""

    def __init__(self, facts: Sequence[Fact], at_risk: bool) -> None:
        super().__init__()
        self.facts = tuple(facts)
        self.at_risk = at_risk
