"""Every action with a key, as a command of the palette."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App, SystemCommand
from textual.binding import ActiveBinding, Binding
from textual.command import DiscoveryHit, Hits
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider

if TYPE_CHECKING:
    from textual.widget import Widget

    from inspector.app.conversation.panes.host import Panes


class PaletteCommands(SystemCommandsProvider):
    """The commands of the palette. Without a query they keep the order of `palette_commands`."""

    async def discover(self) -> Hits:
        """Yield every command."""
        for name, help_text, callback, discover in self.app.get_system_commands(self.screen):
            if discover:
                yield DiscoveryHit(name, callback, help=help_text)


#: The places of keys, in the order of the groups of commands.
_PLACES = (" here", " on this screen", " everywhere")


def _place(active: ActiveBinding) -> int:
    """Return the index of the place in _PLACES where a key works."""
    return 2 if isinstance(active.node, App) else int(isinstance(active.node, Screen))


def palette_commands(app: App[Any], screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Yield a command for each active binding, then for bindings of hidden panes.

    As in the help, keys of the focused part come first, then keys of the screen, then keys that work everywhere. In
    each group, the keys of the bottom line come first.
    """
    seen: set[str] = set()
    active_first = sorted(
        screen.active_bindings.values(), key=lambda active: (_place(active), not active.binding.show)
    )
    for active in active_first:
        binding = active.binding
        name = binding.id or ""
        if binding.system or not binding.description or "." not in name or name in seen:
            continue
        seen.add(name)
        run = partial(app.run_action, binding.action, default_namespace=active.node)
        yield SystemCommand(
            binding.tooltip or binding.description,
            f"key {app.get_key_display(binding)}{_PLACES[_place(active)]}",
            run,
        )
    yield from _pane_commands(app, screen, seen)


def _pane_commands(app: App[Any], screen: Screen[Any], seen: set[str]) -> Iterator[SystemCommand]:
    from inspector.app.conversation.panes.host import Panes

    declared = (
        (host, tab, view, owner, binding)
        for host in screen.query(Panes)
        for tab in host.tabs.values()
        for view, owner in (("", tab.pane.widget), *tab.pane.parts)
        for binding in _bindings(owner)
    )
    for host, tab, view, owner, binding in declared:
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
