"""Every action that a key reaches, as palette commands: nothing is to be had by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.screen import Screen

if TYPE_CHECKING:
    from inspector.app.app import InspectorApp


def palette_commands(app: InspectorApp, screen: Screen[Any]) -> Iterator[SystemCommand]:
    """One command for each binding that is active on the screen, with its key."""
    seen: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if not binding.description or "." not in (binding.id or "") or binding.description in seen:
            continue
        seen.add(binding.description)
        run = partial(app.run_action, binding.action, default_namespace=active.node)
        yield SystemCommand(binding.description, f"key {app.get_key_display(binding)}", run)
