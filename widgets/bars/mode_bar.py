"""A row of choices, one of them active: the views of a pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from widgets.base.inked import Inked
from widgets.base.strips import Row


@dataclass(frozen=True, slots=True)
class Mode:
    """A choice: its name, what is written (a count with it, say), and what it does for the tooltip."""

    name: str
    label: str
    help: str = ""


class ModeBar(Inked):
    """Posts ModeChosen for clicks and for `step`; the chosen one has a filled dot."""

    DEFAULT_CSS = """
    ModeBar {
        height: 1;
        background: $surface;
        color: $foreground;
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

    def __init__(
        self,
        modes: Sequence[Mode] = (),
        *,
        title: str = "",
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._title = title
        self._modes = tuple(modes)
        self._mode = self._modes[0].name if self._modes else ""
        self._places: list[tuple[int, int, Mode]] = []

    @property
    def modes(self) -> tuple[Mode, ...]:
        """What is offered."""
        return self._modes

    @property
    def mode(self) -> str:
        """The chosen one."""
        return self._mode

    def set_modes(self, modes: Sequence[Mode], mode: str | None = None) -> None:
        """Offer these choices and take `mode` ("": none); else the chosen one stays where it is still offered.

        Posts nothing.
        """
        shown = (self._modes, self._mode)
        self._modes = tuple(modes)
        names = [choice.name for choice in self._modes]
        wanted = self._mode if mode is None else mode
        self._mode = wanted if wanted in names or mode == "" else (names[0] if names else "")
        if (self._modes, self._mode) != shown:
            self.refresh()

    def choose(self, mode: str) -> None:
        """Take a choice and post it; does nothing where it is active or not offered."""
        if mode != self._mode and any(choice.name == mode for choice in self._modes):
            self._mode = mode
            self.refresh()
            self.post_message(self.ModeChosen(self, mode))

    def step(self, by: int) -> None:
        """Take the next choice, cyclically."""
        names = [choice.name for choice in self._modes]
        if names:
            place = names.index(self._mode) + by if self._mode in names else 0
            self.choose(names[place % len(names)])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One row."""
        return 1

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width, row = self.size.width, Row()
        if self._title:
            row.add(f"{self._title}  ", self.ink("muted"))
        self._places = []
        needed = row.width + sum(len(mode.label) + 4 for mode in self._modes)
        # A narrow bar drops the gaps, then the empty dots.
        gap, empty = (
            ("  ", "○ ") if needed <= width else (" ", "○ " if needed - len(self._modes) <= width else "")
        )
        for mode in self._modes:
            start, chosen = row.width, mode.name == self._mode
            label = f"{'● ' if chosen else empty}{mode.label}"
            row.add(label, self.ink("strong" if chosen else "muted"))
            self._places.append((start, row.width, mode))
            row.add(gap, Style())
        return row.strip(width, self.base_style)

    def _mode_at(self, x: int) -> Mode | None:
        return next((mode for start, stop, mode in self._places if start <= x < stop), None)

    def on_click(self, event: events.Click) -> None:
        """A click takes a choice."""
        offset = event.get_content_offset(self)
        mode = None if offset is None else self._mode_at(offset.x)
        if mode is not None:
            event.stop()
            self.choose(mode.name)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the choice under the pointer."""
        offset = event.get_content_offset(self)
        mode = None if offset is None else self._mode_at(offset.x)
        self.tooltip = (mode.help or mode.label) if mode is not None else None
