"""A pane with several views of one value, one of them on screen. Views are made on first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.panes.part import Part, View


class ViewsPane(Part[View]):
    """Shows a value in the view that is chosen on top. Posts ViewShown when another one comes on screen.

    A subclass names its views, makes a view's widget and hands it its part of the value.
    """

    VIEWS: ClassVar[tuple[Mode, ...]] = ()
    NEEDY = frozenset({"view"})
    DEFAULT_CSS = """
    ViewsPane > .view { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "view(1)", "Next view", id="view.next", tooltip="Show it in another way"),
        Binding("M", "view(-1)", "View before", id="view.previous", show=False),
    ]

    @dataclass
    class ViewShown(Message):
        """Another view is on screen: only what it shows needs to be known."""

        name: str

    def __init__(self, *, id: str | None = None) -> None:
        self._shown = self.VIEWS[0].name
        self._made: dict[str, Widget] = {}
        self._bar = ModeBar(self.VIEWS)
        super().__init__(self._bar, id=id)

    # For subclasses to define.

    def make(self, name: str) -> Widget:
        """The widget of a view."""
        raise NotImplementedError

    def fill(self, widget: Widget) -> None:
        """Hand a view's widget its part of the value."""
        raise NotImplementedError

    @property
    def view_name(self) -> str:
        """The view on screen."""
        return self._shown

    @property
    def shown(self) -> Widget | None:
        """The widget of the view on screen; None before it is made."""
        return self._made.get(self._shown)

    def show_view(self) -> None:
        """Hand the view on screen its part of the value."""
        if self.shown is not None:
            self.fill(self.shown)

    def show(self, name: str) -> None:
        """Bring a view on screen; an unknown name changes nothing."""
        if name == self._shown or name not in [mode.name for mode in self.VIEWS]:
            return
        self._shown = name
        self._bar.set_modes(self.VIEWS, name)
        if self.is_mounted:
            self.call_next(self._bring_up)
            self.post_message(self.ViewShown(name))

    async def bring(self, name: str) -> None:
        """Bring a view on screen, made where it is not yet."""
        self.show(name)
        await self._bring_up()

    async def on_mount(self) -> None:  # type: ignore[override]
        """Bring up the first view."""
        await self._bring_up()

    async def _bring_up(self) -> None:
        name, widget = self._shown, self.shown
        if widget is None:
            widget = self._made[name] = self.make(name)
            widget.add_class("view")
            widget.display = False
            self.fill(widget)
            await self.mount(widget)
        else:
            self.fill(widget)
        if name != self._shown:
            # Another view was wanted meanwhile; its own call follows.
            return
        widget.display = True
        if self.has_focus_within:
            # The focus moves before its widget goes, or it would leave the pane.
            inner = (inner for inner in widget.walk_children(Widget, with_self=True) if inner.focusable)
            self.screen.set_focus(next(inner, None))
        for other in self._made.values():
            other.display = other is widget

    # Keys and mouse.

    def action_view(self, by: int) -> None:
        """Show the next or previous view, cyclically."""
        names = [mode.name for mode in self.VIEWS]
        self.show(names[(names.index(self._shown) + by) % len(names)])

    @on(ModeBar.ModeChosen)
    def _view_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self.show(event.mode)
