"""A pane with several views of one value, one of them on screen. Views are made on first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from widgets.bars.mode_bar import Mode, ModeBar

Value = TypeVar("Value")


class ViewsPane(Vertical, Generic[Value]):
    """Shows a value in the view that is chosen on top. Posts ViewShown when another one comes on screen.

    A subclass names its views, makes a view's widget and hands it its part of the value.
    """

    VIEWS: ClassVar[tuple[Mode, ...]] = ()
    DEFAULT_CSS = """
    ViewsPane { background: $surface; }
    ViewsPane > ModeBar { padding: 0 1; }
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

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.view: Value | None = None
        self._shown = self.VIEWS[0].name
        self._made: dict[str, Widget] = {}
        self._bar = ModeBar(self.VIEWS)

    # For subclasses to define.

    def make(self, name: str) -> Widget:
        """The widget of a view."""
        raise NotImplementedError

    def fill(self, widget: Widget) -> None:
        """Hand a view's widget its part of the value."""
        raise NotImplementedError

    # Values in.

    @property
    def view_name(self) -> str:
        """The view on screen."""
        return self._shown

    @property
    def shown(self) -> Widget | None:
        """The widget of the view on screen; None before it is made."""
        return self._made.get(self._shown)

    def set_view(self, view: Value | None) -> None:
        """Show a value; None where there is none. An equal one changes nothing."""
        if view == self.view:
            return
        came_or_went = (view is None) != (self.view is None)
        self.view = view
        if came_or_went and self.is_mounted:
            self.refresh_bindings()
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

    def compose(self) -> ComposeResult:
        """The names of the views; the view on screen follows."""
        yield self._bar

    async def on_mount(self) -> None:
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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a value there is nothing to look at, and the keys are free for others."""
        return self.view is not None if action == "view" else True

    def action_view(self, by: int) -> None:
        """Show the next or previous view, cyclically."""
        names = [mode.name for mode in self.VIEWS]
        self.show(names[(names.index(self._shown) + by) % len(names)])

    @on(ModeBar.ModeChosen)
    def _view_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self.show(event.mode)
