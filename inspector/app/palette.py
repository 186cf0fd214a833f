"""Every action with a key, as a command of the palette."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.screen import Screen

if TYPE_CHECKING:
    from textual.widget import Widget

    from inspector.app.conversation.panes.host import Panes


def palette_commands(app: App[Any], screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Yield a command for each active binding of the screen, then for bindings of hidden panes."""
    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        name = binding.id or ""
        if binding.system or not binding.description or "." not in name or name in seen:
            continue
        seen.add(name)
        run = partial(app.run_action, binding.action, default_namespace=active.node)
        yield SystemCommand(
            binding.tooltip or binding.description, f"key {app.get_key_display(binding)}", run
        )
    yield from _pane_commands(app, screen, seen)


def _pane_commands(app: App[Any], screen: Screen[Any], seen: set[str]) -> Iterator[SystemCommand]:
    from inspector.app.conversation.panes.host import Panes

    for host in screen.query(Panes):
        for tab in host.tabs.values():
            for view, owner in (("", tab.pane.widget), *tab.pane.parts):
                for binding in _bindings(owner):
                    if (binding.id or "") in seen:
                        continue
                    seen.add(binding.id or "")
                    run = partial(_run_in_pane, app, host, tab.name, view, owner, binding.action)
                    yield SystemCommand(
                        f"{tab.name.capitalize()}: {binding.tooltip or binding.description}",
                        f"key {app.get_key_display(binding)} in the {tab.name} pane",
                        run,
                    )


def _bindings(owner: object) -> Iterator[Binding]:
    """Bindings of a widget class of this program, inherited ones included."""
    for kind in getattr(owner, "__mro__", ()):
        if kind.__module__.startswith(("inspector.", "widgets.")):
            for binding in kind.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.description and not binding.system:
                    yield binding


async def _run_in_pane(
    app: App[Any], panes: Panes, pane: str, view: str, owner: type[Widget], action: str
) -> None:
    """Show a pane in the view that has the key, and run the action of the key."""
    shown = await panes.bring(pane, view)
    for widget in shown.walk_children(owner, with_self=True):
        await app.run_action(action, default_namespace=widget)
        return
