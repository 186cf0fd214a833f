"""Base of panes and their views: each shows one value, set before or after mounting."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.containers import Vertical
from textual.widget import Widget

from widgets.base.headline import Headline
from widgets.panes.text_view import TextView

View = TypeVar("View")


class Part(Vertical, Generic[View]):
    """Shows a value in its children. A subclass fills them in `show_view`, and in `fit` what depends on the size.

    Actions of NEEDY are off until there is something to act on (`filled`). Below LOW rows it has the class -low."""

    LOW: ClassVar[int] = 0
    NEEDY: ClassVar[frozenset[str]] = frozenset()
    DEFAULT_CSS = """
    Part { background: $surface; }
    Part > Headline, Part > ModeBar { padding: 0 1; }
    Part > TextView { height: 1fr; padding: 0 0 0 1; }
    """

    #: The lines on top.
    head: Headline

    def __init__(self, *children: Widget, id: str | None = None) -> None:
        super().__init__(*children, id=id)
        self.view: View | None = None

    # For subclasses to define.

    def show_view(self) -> None:
        """Fill the children."""

    def fit(self) -> None:
        """Fit into the size."""

    @property
    def filled(self) -> bool:
        """Whether there is something to act on."""
        return self.view is not None

    # For all.

    @property
    def low(self) -> bool:
        """Whether the part has few rows."""
        return 0 < self.size.height < self.LOW

    def set_view(self, view: View | None) -> None:
        """Show a value, or None while it is read. An equal value changes nothing."""
        if view == self.view:
            return
        was_filled, self.view = self.filled, view
        if self.is_mounted:
            self.show_view()
            if was_filled != self.filled:
                self.refresh_bindings()

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self.show_view()

    def on_resize(self) -> None:
        """Fit into the new size."""
        self.set_class(self.low, "-low")
        self.fit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that have nothing to act on."""
        return self.filled or action not in self.NEEDY


class TextPart(Part[View]):
    """A part with a text: a line with a tag can be lit (the action `tag`), and opened by click or the action `open`."""

    body: TextView

    def open(self, tag: str) -> None:
        """Open a line by its tag."""

    def action_tag(self, by: int) -> None:
        """Go to the next or previous place in the text."""
        self.body.step_tag(by)

    def action_open(self) -> None:
        """Open the lit line, the first one if none is lit."""
        if not self.body.active_tag:
            self.action_tag(1)
        if self.body.active_tag:
            self.open(self.body.active_tag)

    @on(TextView.LineClicked)
    def _clicked(self, event: TextView.LineClicked) -> None:
        event.stop()
        if event.tag:
            self.body.set_active(event.line)
            self.open(event.tag)
