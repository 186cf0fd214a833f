"""A row of choices with one active choice, such as the views of a pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import Struct
from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from widgets.base.inked import Inked
from widgets.base.strips import Row


class Mode(Struct, frozen=True):
    """A choice: its name, what is written (a count with it, say), and what it does for the tooltip.

    `short` is written in a bar without room for the label, `shortest` in one without room for `short`.
    """

    name: str
    label: str
    help: str = ""
    short: str = ""
    shortest: str = ""

    def labels(self) -> tuple[str, str, str]:
        """The label, the longest first."""
        short = self.short or self.label
        return self.label, short, self.shortest or short


class ModeBar(Inked):
    """Posts ModeChosen for clicks and for `step`; the chosen one has a filled dot."""

    DEFAULT_CSS = """
    ModeBar {
        height: 1;
    }
    """

    @dataclass
    class ModeChosen(Message):
        """A choice was made."""

        widget: ModeBar
        mode: str

        @property
        def control(self) -> ModeBar:
            """The bar."""
            return self.widget

    def __init__(self, modes: Sequence[Mode] = (), *, title: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = title
        #: The choices, and the name of the active one.
        self.modes = tuple(modes)
        self.mode = self.modes[0].name if self.modes else ""

    def set_modes(self, modes: Sequence[Mode], mode: str | None = None) -> None:
        """Offer these choices and take `mode` ("": none); else the chosen one stays where it is still offered.

        Posts nothing.
        """
        shown = (self.modes, self.mode)
        self.modes = tuple(modes)
        names = [choice.name for choice in self.modes]
        wanted = self.mode if mode is None else mode
        self.mode = wanted if wanted in names or mode == "" else (names[0] if names else "")
        if (self.modes, self.mode) != shown:
            self.refresh()

    def choose(self, mode: str) -> None:
        """Take a choice and post it; does nothing if it is active or not offered."""
        if mode != self.mode and any(choice.name == mode for choice in self.modes):
            self.mode = mode
            self.refresh()
            self.post_message(self.ModeChosen(self, mode))

    def step(self, by: int) -> None:
        """Take the next choice, cyclically."""
        names = [choice.name for choice in self.modes]
        if names:
            place = names.index(self.mode) + by if self.mode in names else 0
            self.choose(names[place % len(names)])

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width, row = self.size.width, Row()
        if self._title:
            row.add(f"{self._title}  ", self.ink("muted"))
        # A narrow bar drops the second blank of the gaps, then the empty dots, then takes the short labels.
        room, count = width - row.width, len(self.modes)
        needed = sum(cell_len(mode.label) + 4 for mode in self.modes)
        gap, empty = ("  ", "○ ") if needed <= room else (" ", "○ " if needed - count <= room else "")

        def cells(level: int) -> int:
            """Cells of the row with one blank between labels and one dot."""
            return sum(cell_len(mode.labels()[level]) + 1 for mode in self.modes) + 1

        level = next((level for level in (0, 1) if cells(level) <= room), 2)
        for mode in self.modes:
            chosen = mode.name == self.mode
            label = f"{'● ' if chosen else empty}{mode.labels()[level]}"
            style = self.ink("strong" if chosen else "muted") + Style(meta={"mode": mode.name})
            row.add(label, style).add(gap, Style())
        return row.strip(width, self.base_style)

    def on_click(self, event: events.Click) -> None:
        """A click takes a choice."""
        if "mode" in event.style.meta:
            event.stop()
            self.choose(event.style.meta["mode"])

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the choice under the pointer."""
        pointed = event.style.meta.get("mode")
        helps = {mode.name: mode.help or mode.label for mode in self.modes}
        self.tooltip = None if pointed is None else helps.get(pointed)
