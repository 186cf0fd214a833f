"""Navigation between lists: by generation, by compaction, to a message that a pane names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.app.conversation.resources import COMPACTIONS
from inspector.app.conversation.state import Opened, recorded
from inspector.core.conversations import Compaction

if TYPE_CHECKING:
    from inspector.app.conversation.host import Host
    from widgets.intents import GoTo


class Navigation:
    """Assigns the generation, the row and the chosen compaction."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def show_generation(self, number: int) -> None:
        """Show a whole list with the cursor at its end; the compaction that made it is the chosen one."""
        opened = self._host.loaded.opened
        if opened is not None:
            self._host.change(
                generation=number,
                row=end_of(opened, number),
                compaction=chosen_with(opened, number),
                moment=None,
                playing=False,
            )

    def step_compaction(self, direction: int) -> None:
        """Choose the next or previous compaction and show the list after it; before the first compaction its list."""
        host, state, opened = self._host, self._host.state, self._host.loaded.opened
        if opened is None:
            return
        last, chosen = len(opened.generations) - 1, state.compaction
        compactions = host.loaded.latest(COMPACTIONS)
        before_first = state.generation <= chosen
        wanted = chosen if direction > 0 and before_first else chosen + direction
        if direction < 0 and chosen == 1 and not before_first:
            first = recorded(compactions, 1, None)
            row = opened.offset(1) + (first.head_end if first is not None else 0)
            host.change(generation=1, row=row)
        elif 0 < wanted <= last:
            host.change(generation=wanted + 1, compaction=wanted, row=row_after(opened, compactions, wanted))
        else:
            where = "after" if direction > 0 else "before"
            host.app.notify(f"No compaction {where} this list.", timeout=1.5)

    def choose_compaction(self, index: int) -> None:
        """Choose a compaction by its number, and show its summary in the list after it. A replay ends, unless the panes
        show that compaction already."""
        host, state, opened = self._host, self._host.state, self._host.loaded.opened
        if opened is None or not 0 < index < len(opened.generations):
            return
        if state.moment is None or index != min(state.compaction, state.moment.generation - 1):
            row = row_after(opened, host.loaded.latest(COMPACTIONS), index)
            host.change(compaction=index, generation=index + 1, row=row, moment=None, playing=False)

    def go_to(self, place: GoTo) -> None:
        """Show a message of a list. A replay that shows another list ends."""
        host, state, opened = self._host, self._host.state, self._host.loaded.opened
        if opened is None or not 0 < place.generation <= len(opened.generations):
            return
        offset, length = opened.offset(place.generation), len(opened.generations[place.generation - 1])
        row = offset + (length - 1 if place.index is None else place.index)
        changes: dict[str, Any] = {"find": place.find} if place.find else {}
        if state.moment is None or place.generation != state.generation:
            host.change(generation=place.generation, row=row, moment=None, playing=False, **changes)
        elif host.messages.rows is not None:
            host.change(row=host.messages.rows.row_of(row - offset), **changes)


def end_of(opened: Opened, number: int) -> int:
    """The last row of a generation's list."""
    return max(0, len(opened.generations[number - 1]) + opened.offset(number) - 1)


def chosen_with(opened: Opened, number: int) -> int:
    """Return the number of the compaction to choose with a list: the compaction that made it, or the first one for the
    first list; 0 for none."""
    return max(1, number - 1) if len(opened.generations) > 1 else 0


def row_after(opened: Opened, compactions: tuple[Compaction, ...] | None, index: int) -> int:
    """The row of a compaction's summary in the list after it; its end where there is none."""
    made = recorded(compactions, index, None)
    if made is None or made.summary_at is None:
        return end_of(opened, index + 1)
    return made.summary_at + opened.offset(index + 1)
