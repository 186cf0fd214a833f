"""A list with one line for each entry, of values of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from widgets.lists.line_list import LineList

Entry = TypeVar("Entry")


class EntryList(LineList, Generic[Entry]):
    """Shows entries. A subclass draws the line of one."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        #: The entries on screen.
        self.entries: tuple[Entry, ...] = ()

    def key(self, entry: Entry) -> object:
        """Key of an entry when the entries change; the entry itself by default."""
        return entry

    @property
    def entry(self) -> Entry | None:
        """The entry under the cursor."""
        return self.entries[self.cursor] if self.cursor < len(self.entries) else None

    @property
    def row_count(self) -> int:
        """Number of entries."""
        return len(self.entries)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Show these; the cursor stays on its entry where that is still there, else it goes to the first."""
        fresh = tuple(entries)
        if fresh == self.entries:
            return
        here = None if self.entry is None else self.key(self.entry)
        self.entries = fresh
        self.resized()
        self.move_cursor(self._row_of(here), notify=False)
        self.refresh()

    def _row_of(self, key: object) -> int:
        return next((row for row, entry in enumerate(self.entries) if self.key(entry) == key), 0)
