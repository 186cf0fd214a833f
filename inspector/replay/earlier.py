"""Settings that a conversation used earlier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from inspector.engines.settings import SETTINGS, Settings


class EarlierSettings(NamedTuple):
    """Settings that were in force until the list of `generation` had `length` messages.

    `changed` has, by name, the value then and the value at the end of the conversation.
    """

    generation: int
    length: int
    changed: Mapping[str, tuple[Any, Any]]

    def of(self, settings: Settings) -> Settings:
        """Return the settings of that time. A setting that the user chose applies to the whole conversation."""
        changed = self.changed.items()
        return replace(
            settings, **{name: was for name, (was, now) in changed if getattr(settings, name) == now}
        )

    def sentence(self, first: int, last: int) -> str:
        """Return a sentence about the settings that were in force from one step to another."""
        values = ", ".join(
            f"{SETTINGS[name].label} {_value_text(was)}" for name, (was, _) in self.changed.items()
        )
        return f"Runs use the settings that were in force from step {first:,} to {last:,}: {values}."


def _value_text(value: Any) -> str:
    return "not set" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
