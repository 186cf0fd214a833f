"""Every action that a key reaches, as palette commands: nothing is to be had by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.binding import Binding
from textual.screen import Screen

if TYPE_CHECKING:
    from textual.widget import Widget

    from inspector.app.host import Host
    from inspector.app.panes import Panes


def palette_commands(app: Host, screen: Screen[Any]) -> Iterator[SystemCommand]:
    """One command for each binding that is active on the screen, then those of the panes that are not."""
    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        name = binding.id or ""
        if binding.system or not binding.description or "." not in name or name in seen:
            continue
        seen.add(name)
        run = partial(app.run_action, binding.action, default_namespace=active.node)
        yield SystemCommand(_title(binding), f"key {app.get_key_display(binding)}", run)
    yield from _pane_commands(app, screen, seen)


def _pane_commands(app: Host, screen: Screen[Any], seen: set[str]) -> Iterator[SystemCommand]:
    from inspector.app.panes import KINDS, Panes
    from widgets.panes.knobs import Knobs
    from widgets.panes.token_graph import TokenGraph

    inside: dict[str, type[Widget]] = {"tune": Knobs, "replay": TokenGraph}
    panes = next(iter(screen.query(Panes)), None)
    if panes is None:
        return
    for pane, kind in KINDS.items():
        for owner in (kind, inside.get(pane, kind)):
            for binding in owner.__dict__.get("BINDINGS", ()):
                if not isinstance(binding, Binding) or binding.system or (binding.id or "") in seen:
                    continue
                if not binding.description:
                    continue
                seen.add(binding.id or "")
                run = partial(_run_in_pane, app, panes, pane, owner, binding.action)
                yield SystemCommand(
                    f"{pane.capitalize()}: {_title(binding)}",
                    f"key {app.get_key_display(binding)} in the {pane} pane",
                    run,
                )


async def _run_in_pane(app: Host, panes: Panes, pane: str, owner: type[Widget], action: str) -> None:
    """Bring a pane up and do there what the key would do."""
    shown = await panes.bring(pane)
    for widget in shown.walk_children(owner, with_self=True):
        await app.run_action(action, default_namespace=widget)
        return


def _title(binding: Binding) -> str:
    return binding.tooltip or binding.description
