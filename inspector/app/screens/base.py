"""What the parts of the conversation screen share: the conversation, the place in it, and the plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.message import Message as TextualMessage

from inspector.answers.inspection import Inspection
from inspector.app.conversation.rows import GenerationRows
from inspector.app.saved_state import SavedState
from inspector.app.working import WorkingScreen
from inspector.core.conversations import Compaction
from inspector.engines.base import Plan, Settings
from inspector.stores.base import Store
from widgets.panes.diff_pane import DiffView

if TYPE_CHECKING:
    from inspector.app.work import Opened
    from inspector.config.settings import ResolvedSettings
    from inspector.replay.moments import Moment

_SYSTEM_FIRST = b"\x03"


class GoTo(TextualMessage):
    """Show a generation with the cursor on a row (the last one where None)."""

    def __init__(self, number: int, row: int | None) -> None:
        super().__init__()
        self.number = number
        self.row = row


class ConversationBase(WorkingScreen):
    """The state of the conversation screen: one cursor, one Settings value, and what was read so far."""

    def __init__(
        self,
        store: Store,
        name: str,
        place: SavedState,
        flags: dict[str, Any],
        config: Path | None,
        message: int | None = None,
        find: str = "",
    ) -> None:
        super().__init__()
        self.store = store
        self.conversation_name = name
        self.place = place
        self.flags = flags
        self.config = config
        self.wanted_message = message
        self.wanted_text = find
        self.inspection: Inspection | None = None
        #: What opening brought, before its message is handled.
        self.read_early: Opened | None = None
        self.resolved: ResolvedSettings | None = None
        self.settings = Settings()
        #: What undo goes back to: settings, or how large summaries were taken to be.
        self.undone: list[Settings | float | str] = []
        self.number = 1
        self.rows: GenerationRows | None = None
        self.plan: Plan | None = None
        self.compactions: tuple[Compaction, ...] | None = None
        #: Where a replay stands; None where whole lists are shown.
        self.moment: Moment | None = None
        self.prompts: dict[str, str] = {}
        self.exact_total: int | None = None
        self.encoding = ""
        self._diffs: dict[tuple[int, int], DiffView | None] = {}
        self._neighbours: dict[int, GenerationRows] = {}

    @property
    def root(self) -> str:
        """What the conversation is remembered under: its tip, and so its id, changes when it is compacted."""
        return self.inspection.conversation.row.root if self.inspection is not None else ""

    def recorded(self, index: int) -> Compaction | None:
        """The recorded compaction of that index: it ended generation `index` and made the next one.

        None for one that has not come yet at the moment of a replay.
        """
        at = self.moment
        if at is not None and index >= at.generation and index != at.compaction:
            return None
        return next((c for c in self.compactions or () if c.index == index), None)

    @property
    def compactions_then(self) -> tuple[Compaction, ...]:
        """The recorded compactions that had been made at the moment on screen; all of them outside a replay."""
        at, found = self.moment, self.compactions or ()
        return found if at is None else tuple(c for c in found if c.index < at.generation)

    def prompt_of(self, number: int) -> str:
        """The system prompt that goes before a generation's messages; empty where the list has its own."""
        if self.inspection is None:
            return ""
        generation = self.inspection.generation(number)
        return "" if generation.roles[:1] == _SYSTEM_FIRST else self.prompts.get(generation.session, "")

    def offset_of(self, number: int) -> int:
        """The rows before the first message of a generation: 1 where there is a system prompt."""
        return 1 if self.prompt_of(number) else 0
