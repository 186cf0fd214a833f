"""A pane with several views of one value. One view is on screen. Views are made on first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from widgets.bars.mode_bar import Mode, ModeBar
from widgets.panes.part import Part, View


class Shown(NamedTuple):
    """A view: its name and label, what makes its widget, and its part of the pane's value."""

    mode: Mode
    widget: Callable[[], Part[Any]]
    of: Callable[[Any], Any] = lambda value: value


class ViewsPane(Part[View]):
    """Shows a value in the view that is chosen on top. Posts ViewShown when another one comes on screen."""

    VIEWS: ClassVar[tuple[Shown, ...]] = ()
    NEEDY = frozenset({"view"})
    DEFAULT_CSS = """
    ViewsPane > .view { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "view(1)", "Next view", id="view.next", tooltip="Next view of the pane"),
        Binding("M", "view(-1)", "Previous view", id="view.previous", show=False),
    ]

    @dataclass
    class ViewShown(Message):
        """Another view is on screen: only what it shows needs to be known."""

        name: str

    def __init__(self, *, id: str | None = None) -> None:
        self._views = {view.mode.name: view for view in self.VIEWS}
        #: The view on screen.
        self.view_name = self.VIEWS[0].mode.name
        self._made: dict[str, Part[Any]] = {}
        self._bar = ModeBar([view.mode for view in self.VIEWS])
        super().__init__(self._bar, id=id)

    @property
    def shown(self) -> Part[Any] | None:
        """The widget of the view on screen; None before it is made."""
        return self._made.get(self.view_name)

    def show_view(self) -> None:
        """Hand the view on screen its part of the value."""
        if self.shown is not None:
            self.shown.set_view(None if self.view is None else self._views[self.view_name].of(self.view))

    def show(self, name: str) -> None:
        """Bring a view on screen; an unknown name changes nothing."""
        if name == self.view_name or name not in self._views:
            return
        self.view_name = name
        self._bar.set_modes(self._bar.modes, name)
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
        name, widget = self.view_name, self.shown
        if widget is None:
            widget = self._made[name] = self._views[name].widget()
            widget.add_class("view")
            widget.display = False
            self.show_view()
            await self.mount(widget)
        else:
            self.show_view()
        if name != self.view_name:
            # Another view was wanted meanwhile; its own call follows.
            return
        widget.display = True
        if self.has_focus_within:
            # The focus moves before its widget goes, or it would leave the pane.
            inner = (inner for inner in widget.walk_children(Widget, with_self=True) if inner.focusable)
            self.screen.set_focus(next(inner, None))
        for other in self._made.values():
            other.display = other is widget

    def action_view(self, by: int) -> None:
        """Show the next or previous view, cyclically."""
        names = list(self._views)
        self.show(names[(names.index(self.view_name) + by) % len(names)])

    @on(ModeBar.ModeChosen)
    def _view_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        self.show(event.mode)
