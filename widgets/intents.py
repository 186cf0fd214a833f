"""Messages of panes to their screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from inspector.engines.base import Settings
    from inspector.quality.facts.fact import Fact
    from inspector.quality.finding import Finding


class Intent(Message):
    """A request of a pane to its screen."""


@dataclass
class GoTo(Intent):
    """Show a message of a generation.

    `generation` counts from 1, `index` is the message's place in its list (None: the end of the list). `find` is a
    text to mark there, `pane` the pane to bring up with the focus ("": the message list gets it).
    """

    generation: int
    index: int | None
    find: str = ""
    pane: str = ""

    @property
    def place(self) -> tuple[int, int | None, str]:
        """Generation, index and the text to mark."""
        return self.generation, self.index, self.find


@dataclass
class ShowPane(Intent):
    """Bring up a pane with the focus."""

    pane: str


@dataclass
class ChooseCompaction(Intent):
    """Choose a compaction by its index and show the list after it."""

    index: int


@dataclass
class StepCompaction(Intent):
    """Choose the next compaction (1) or the previous one (-1)."""

    by: int


class Change(Intent):
    """Change fields of the screen's state: the layout of the cache, the view of a pane."""

    def __init__(self, **changes: Any) -> None:
        super().__init__()
        self.changes = changes


@dataclass
class UseSettings(Intent):
    """Take settings and a size of summaries (see `knob_values.SUMMARY_SIZE`) as a pair."""

    tuning: tuple[Settings, float | None]


@dataclass
class GoToStep(Intent):
    """Go to a step of the replay: the moment after a message, counted from 1."""

    step: int


@dataclass
class ReadRows(Intent):
    """Read messages of other lists: ranges of indexes by generation."""

    wanted: dict[int, range]


@dataclass
class CopyText(Intent):
    """Copy a text to the clipboard; `what` names it in the notification."""

    text: str
    what: str


@dataclass
class DeleteAttempt(Intent):
    """Delete an attempt by its id."""

    attempt: int


@dataclass
class DismissFinding(Intent):
    """Dismiss or restore all findings with the cause of `finding`."""

    finding: Finding


@dataclass
class DismissFact(Intent):
    """Dismiss a fact, because it is not a rule or not important, or restore it."""

    fact: Fact


@dataclass
class TraceText(Intent):
    """Show the history of a text."""

    text: str


@dataclass
class CopyFacts(Intent):
    """Copy facts as a checklist; `at_risk` means that no compaction has taken them yet."""

    facts: Sequence[Fact]
    at_risk: bool
