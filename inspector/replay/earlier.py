"""Settings that were in force earlier in a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from inspector.engines.settings import SETTINGS, Settings


class Earlier(NamedTuple):
    """Settings that were in force until the list of `generation` had `length` messages. Each name has the value then
    and the value at the end of the conversation."""

    generation: int
    length: int
    changed: Mapping[str, tuple[Any, Any]]

    def of(self, settings: Settings) -> Settings:
        """Return the settings of that time. A setting that the user chose applies to the whole conversation."""
        was = {name: was for name, (was, now) in self.changed.items() if getattr(settings, name) == now}
        return replace(settings, **was)

    def sentence(self, first: int, last: int) -> str:
        """A sentence about the settings that were in force from one step to another."""
        values = ", ".join(f"{SETTINGS[name].label} {_shown(was)}" for name, (was, _) in self.changed.items())
        return f"Runs use the settings that were in force from step {first:,} to {last:,}: {values}."


def _shown(value: Any) -> str:
    return "not set" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
