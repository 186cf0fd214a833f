"""What a pane is: what it is worked out from, the pure function that does so, the widget that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from textual.widget import Widget

    from inspector.app.conversation.derived import Derived, Deriver
    from inspector.app.conversation.message_part import MessagePart
    from inspector.app.conversation.state import Loaded, Opened, Resource, State


class Context(NamedTuple):
    """What panes are worked out from."""

    state: State
    loaded: Loaded
    opened: Opened
    derived: Derived
    deriver: Deriver
    messages: MessagePart


@dataclass(frozen=True, eq=False)
class Pane:
    """What a tab brings up; its `help` is in sentences.

    `parts` are the kinds of widgets inside that have keys of their own, each with the view that it is ("": none).

    `needs` picks the values that its view is worked out from (None: there is nothing to show yet), `compute` makes the
    view of them, in a thread where it is `threaded`, once the values have stood for `rest` seconds. `show` hands the
    view to the widget that `widget` made. `wants` names what is to be read while the pane is on screen.
    """

    help: str
    widget: type[Widget]
    needs: Callable[[Context], tuple[Any, ...] | None]
    compute: Callable[..., Any]
    show: Callable[[Any, Any], None]
    wants: Callable[[State], tuple[Resource[Any], ...]] = lambda state: ()
    parts: tuple[tuple[str, type[Widget]], ...] = ()
    threaded: bool = False
    rest: float = 0.0


@dataclass(frozen=True)
class Tab:
    """A pane as its tab names it, by its `name` or a `short` one ("": none), and the module that has it as `PANE`."""

    name: str
    short: str
    module: str

    @cached_property
    def pane(self) -> Pane:
        """The pane, imported when it is first wanted: all of them would be half of what a first opening takes."""
        pane: Pane = import_module(self.module).PANE
        return pane

    def help(self) -> str:
        """What the pane shows, in sentences."""
        return self.pane.help
