"""Settings that were in force earlier in a conversation than the last ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.engines.settings import SETTINGS, Settings


class Earlier(NamedTuple):
    """Settings that were in force until a list of `generation` had `length` messages, by name: each as it was then, and
    as it is at the end of the conversation."""

    generation: int
    length: int
    changed: Mapping[str, tuple[Any, Any]]

    def of(self, settings: Settings) -> Settings:
        """Settings as they were then. A setting that a user chose is the same in all of the conversation."""
        was = {name: was for name, (was, now) in self.changed.items() if getattr(settings, name) == now}
        return replace(settings, **was)

    def sentence(self, first: int, last: int) -> str:
        """A sentence about the settings that were in force from one step to another."""
        values = ", ".join(f"{SETTINGS[name].label} {_shown(was)}" for name, (was, _) in self.changed.items())
        return f"Runs use the settings that were in force from step {first:,} to {last:,}: {values}."


def _shown(value: Any) -> str:
    return "not set" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
