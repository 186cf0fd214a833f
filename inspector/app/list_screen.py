"""A screen with one list, and a panel about its selected row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.widgets import Static

from inspector.app.job_screen import JobScreen
from widgets.bars.key_line import KeyLine
from widgets.bars.notes_bar import NotesBar
from widgets.bars.title_bar import TitleBar
from widgets.lists.entry_list import Entry, EntryList
from widgets.lists.line_list import LineList


class ListScreen(JobScreen, Generic[Entry]):
    """Shows entries, or a sentence while there is none. A subclass explains the selected one."""

    DEFAULT_CSS: ClassVar[str] = """
    ListScreen {
        layout: vertical;
        LineList { height: 1fr; }
        #none { height: 1fr; content-align: center middle; color: $foreground 70%; }
        #panel { height: auto; max-height: 50%; padding: 0 1; background: $panel; }
    }
    """

    def __init__(self, entries: EntryList[Entry]) -> None:
        super().__init__()
        self.list = entries

    def compose(self) -> ComposeResult:
        """The list, the sentence in its place, the panel, keys."""
        yield TitleBar(id="title")
        yield self.list
        yield Static("", id="none", markup=False)
        yield Static("", id="panel", markup=False)
        yield NotesBar(id="note")
        yield KeyLine()

    def explained(self, entry: Entry) -> Sequence[Text]:
        """The lines of the panel about an entry."""
        raise NotImplementedError

    def show(self, entries: Sequence[Entry], none: str) -> None:
        """Show entries; `none` is the sentence for an empty list."""
        sentence = self.query_one("#none", Static)
        self.list.display, sentence.display = bool(entries), not entries
        sentence.update(none)
        self.list.set_entries(entries)
        self._explain()

    @on(LineList.Selected)
    def _explain(self) -> None:
        panel, entry = self.query_one("#panel", Static), self.list.entry
        lines = [] if entry is None else self.explained(entry)
        panel.display = bool(lines)
        panel.update(Text("\n").join(lines))
