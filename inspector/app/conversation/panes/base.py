"""The definition of a pane: its inputs, the pure function that computes its view, the widget that shows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from textual.widget import Widget

    from inspector.app.conversation.derived import Derived, Deriver
    from inspector.app.conversation.message_part import MessagePart
    from inspector.app.conversation.state import Loaded, Opened, Resource, State


class Context(NamedTuple):
    """Inputs of panes."""

    state: State
    loaded: Loaded
    opened: Opened
    derived: Derived
    deriver: Deriver
    messages: MessagePart


class Pane(Struct, frozen=True, eq=False, dict=True):
    """A pane; `help` describes it in sentences.

    `needs` returns the inputs (None: nothing to show yet). `compute` makes a view of these inputs, in a thread if
    `threaded`, after they are unchanged for `rest` seconds. `wants` names the resources to read while the pane is on
    screen. `show` hands the view to the widget, an instance of `widget`; None if there is no view yet. `parts` are
    inner widgets with keys, each with the name of its view ("": none).
    """

    help: str
    widget: type[Widget]
    needs: Callable[[Context], tuple[Any, ...] | None]
    compute: Callable[..., Any]
    wants: Callable[[State], tuple[Resource[Any], ...]] = lambda state: ()
    show: Callable[[Any, Any], None] = lambda widget, view: widget.set_view(view)
    parts: tuple[tuple[str, type[Widget]], ...] = ()
    threaded: bool = False
    rest: float = 0.0


class Tab(Struct, frozen=True, dict=True):
    """A pane as its tab names it, by its `name` or a `short` one ("": none), and the module that has it as `PANE`."""

    name: str
    short: str
    module: str

    @cached_property
    def pane(self) -> Pane:
        """Return the pane, imported on first use. Importing all panes takes half of the time of a first opening."""
        pane: Pane = import_module(self.module).PANE
        return pane

    def help(self) -> str:
        """Description of the pane."""
        return self.pane.help
