"""Settings as JSON, and as each agent's own configuration writes them, with a comment on each line that changes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from inspector.config.settings import ResolvedSettings
from inspector.engines.base import Budgets, DerivationStep, Limits, Settings
from inspector.engines.capabilities import SHOWN, default_threshold
from inspector.engines.registry import agent_of, budgets_of, engine, writer_of
from inspector.engines.settings import SETTINGS
from inspector.export.document import Document, built, fields_of


def settings_document(resolved: ResolvedSettings) -> Document:
    """Return the settings in force with their sources, and sentences about refused or changed values."""
    return built(resolved.settings) | fields_of(resolved, "sources notes")  # type: ignore[no-any-return]


def budgets_document(budgets: Budgets, sources: Mapping[str, str] = MappingProxyType({})) -> Document:
    """Return the derived numbers with the steps of each. `sources` are the sources of the settings."""
    fields = "threshold_tokens tail_token_budget max_summary_tokens hygiene_tokens:null observed"
    return {**fields_of(budgets, fields), "explained": built(explained(budgets, sources))}


def explained(budgets: Budgets, sources: Mapping[str, str]) -> dict[str, tuple[DerivationStep, ...]]:
    """Return the steps of each derived number, with the sources of inferred settings."""
    steps = dict(budgets.steps)
    for number, setting in (("threshold_tokens", "threshold"), ("tail_token_budget", "tail_tokens")):
        source = sources.get(setting, "")
        if number in steps and source.startswith(SHOWN):
            steps[number] = tuple(
                replace(step, rule="inferred", why=source) if step.rule == "configured" else step
                for step in steps[number]
            )
    return steps


def setting_words(value: float | str | None) -> str:
    """Return the value of a setting."""
    return value if isinstance(value, str) else "not set" if value is None else f"{value:,.12g}"


def step_value(step: DerivationStep) -> str:
    """Return the number of a derivation step: a whole number with separators, a share unchanged."""
    value = step.value
    return f"{value:,.0f}" if abs(value) > 1 or value in (0, 1) else f"{value:g}"


class Written(NamedTuple):
    """Settings as text to paste into `file`, "" if no file is known."""

    file: str
    text: str


def settings_written(settings: Settings, force: Settings | None = None) -> Written:
    """Return the settings in the form of the profile's agent. Changes from `force` have a comment."""
    agent = agent_of(settings.profile)
    if not agent:
        return Written("config.yaml", compression_yaml(settings, force))
    write = writer_of(settings.profile)
    if write is None:
        return Written("", f"# No setting of {agent} is known that changes when it compacts.\n")
    now, before = (budgets_of(wanted).threshold_tokens for wanted in (settings, force or settings))
    comment = f"compacts at {now:,} tokens" + ("" if now == before else f", instead of {before:,}")
    share = default_threshold(engine(settings.profile), settings.context_length) or 1.0
    reserve = round(settings.context_length * (1 - share))
    return Written(*write(Limits(settings, now, reserve, comment)))


def compression_yaml(settings: Settings, force: Settings | None = None) -> str:
    """Return the settings as lines of Hermes' config.yaml, which the user can paste."""
    sections: dict[str, list[str]] = {"compression": ["  enabled: true"]}
    for name, row in SETTINGS.items():
        value = getattr(settings, name)
        if row.written == "always" or (row.written == "changed" and value != row.default):
            section, key = row.keys[0].rsplit(".", 1)
            before = value if force is None else getattr(force, name)
            was = f"  # was {_yaml(before)}" if value != before else ""
            sections.setdefault(section, []).append(f"  {key}: {_yaml(value)}{was}")
    lines = [f"# {settings.profile}, {settings.context_length:,} tokens of context"]
    for section, written in sections.items():
        lines += [f"{section}:", *written]
    return "\n".join(lines) + "\n"


def _yaml(value: object) -> str:
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else f"{value}"
