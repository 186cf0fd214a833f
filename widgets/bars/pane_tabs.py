"""The tabs of the panes: key and name, in two lines or with shorter names where room is short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec import Struct
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from widgets.base.inked import Inked
from widgets.base.strips import Row

#: From this many lines on the screen spares two for tabs.
HIGH = 30


class PaneTab(Struct, frozen=True):
    """A tab: its name, the key that brings it up, where its tooltip comes from, a shorter name ("" for none)."""

    name: str
    key: str
    help: Callable[[], str] | None = None
    short: str = ""


class PaneTabs(Inked):
    """Posts Chosen when a tab is clicked. The screen's keys move through them.

    One line where the names fit in some way, two where they do not and the screen is high enough.
    """

    DEFAULT_CSS = """
    PaneTabs {
        height: auto;
        background: $panel;
    }
    """

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        tab: str

    #: The name of the chosen tab.
    active: reactive[str] = reactive("", init=False)

    def __init__(self, tabs: Sequence[PaneTab]) -> None:
        super().__init__()
        self._tabs = tuple(tabs)
        self.set_reactive(PaneTabs.active, self._tabs[0].name if self._tabs else "")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line or two."""
        needed = sum(len(tab.key) + len(tab.name) + 2 for tab in self._tabs) + 1
        return 2 if needed > width and viewport.height >= HIGH else 1

    def labels(self, width: int, tabs: Sequence[PaneTab] | None = None) -> list[str]:
        """Labels of tabs (default: all) in `width` cells; the active tab keeps its name as long as others do."""
        tabs = self._tabs if tabs is None else tabs
        full = [f" {tab.key} {tab.name}" for tab in tabs]
        short = [f" {tab.key} {tab.short or tab.name}" for tab in tabs]
        tight = [f" {tab.key}{tab.short or tab.name}" for tab in tabs]
        keys = [f" {tab.key}" for tab in tabs]
        # Names are shortened one after the other, those first that give the most.
        order = sorted(range(len(tabs)), key=lambda at: len(short[at]) - len(full[at]))
        some = [
            [short[at] if at in order[:count] else full[at] for at in range(len(tabs))]
            for count in range(len(tabs) + 1)
        ]
        labels = full
        steps = [(names, full) for names in some]
        steps += [(short, short), (tight, full), (tight, short), (keys, full)]
        for others, actives in steps:
            labels = [
                f"{named} " if tab.name == self.active else other
                for tab, named, other in zip(tabs, actives, others, strict=True)
            ]
            if sum(map(len, labels)) <= width:
                break
        return labels

    def render_line(self, y: int) -> Strip:
        """Draw a line."""
        width, row = self.size.width, Row()
        half = -(-len(self._tabs) // max(1, self.size.height))
        tabs = self._tabs[y * half : (y + 1) * half]
        for tab, label in zip(tabs, self.labels(width, tabs), strict=True):
            click = Style(meta={"tab": tab.name})
            if tab.name == self.active:
                row.add(label, self.ink("tab") + click)
            else:
                key = len(tab.key) + 1
                row.add(label[:key], self.ink("accent") + click).add(label[key:], self.ink("column") + click)
        return row.add("", Style()).strip(width, self.base_style)

    def on_click(self, event: events.Click) -> None:
        """A click chooses a tab."""
        if "tab" in event.style.meta:
            event.stop()
            self.post_message(self.Chosen(event.style.meta["tab"]))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the pane under the pointer."""
        tab = next((tab for tab in self._tabs if tab.name == event.style.meta.get("tab")), None)
        self.tooltip = f"{tab.name}: {tab.help()}" if tab is not None and tab.help else None
