"""Where each setting comes from: a flag, Hermes' config.yaml, what the store and the model tell, a default.

A flag beats the file, the file beats what the store and model tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.core.errors import BadInput, UsageProblem
from inspector.engines.base import RANGES, Settings

#: Setting → the key of config.yaml, as a path; older keys follow newer ones.
KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "threshold": (("compression", "threshold"),),
    "target_ratio": (("compression", "target_ratio"),),
    "protect_first_n": (("compression", "protect_first_n"),),
    "protect_last_n": (("compression", "protect_last_n"),),
    "context_length": (("model", "context_length"),),
    "max_tokens": (("model", "max_tokens"),),
}
#: What else is read: it changes no plan, but findings and the cache pane tell of it.
OTHER_KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "enabled": (("compression", "enabled"),),
    "in_place": (("compression", "in_place"),),
    "hygiene_hard_message_limit": (("compression", "hygiene_hard_message_limit"),),
    "summary_model": (("auxiliary", "compression", "model"), ("compression", "summary_model")),
    "summary_provider": (("auxiliary", "compression", "provider"), ("compression", "summary_provider")),
    "summary_context_length": (("auxiliary", "compression", "context_length"),),
    "cache_ttl": (("prompt_caching", "cache_ttl"), ("model", "cache_ttl")),
}
_WHOLE = frozenset({"protect_first_n", "protect_last_n", "context_length", "max_tokens"})


@dataclass(frozen=True, slots=True)
class ConfigReading:
    """What a config.yaml says: settings, other values, the key each came from, sentences about what was refused."""

    values: Mapping[str, Any] = field(default_factory=dict)
    other: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class ResolvedSettings:
    """The settings in force, where each came from, and sentences about what was refused or assumed."""

    settings: Settings
    sources: Mapping[str, str]
    notes: tuple[str, ...] = ()
    config: ConfigReading = field(default_factory=ConfigReading)


def read_config(path: Path) -> ConfigReading:
    """The settings in Hermes' config.yaml. Raises BadInput where it is missing or no YAML mapping."""
    import yaml

    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"There is no configuration at {path}. Name Hermes' config.yaml, or leave --config out.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The configuration {path} cannot be read ({error}).") from error
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" (line {where.line + 1})" if where is not None else ""
        raise BadInput(f"The configuration {path} is no valid YAML{line}. Mend it, or leave it out.") from error
    if document is None:
        return ConfigReading(path=path)
    if not isinstance(document, dict):
        raise BadInput(f"The configuration {path} holds no mapping of settings.")
    values: dict[str, Any] = {}
    other: dict[str, Any] = {}
    sources: dict[str, str] = {}
    notes: list[str] = []
    for name, paths in KEYS.items():
        key, raw = _first(document, paths)
        if raw is None:
            continue
        try:
            values[name] = _number(name, raw)
            sources[name] = f"{path.name}: {key}"
        except ValueError as error:
            notes.append(f"{path.name}: {key} is {raw!r}, {error}; it is left out.")
    for name, paths in OTHER_KEYS.items():
        key, raw = _first(document, paths)
        if raw is not None:
            other[name] = raw
            sources[name] = f"{path.name}: {key}"
    return ConfigReading(values, other, sources, tuple(notes), path)


def _first(document: Mapping[Any, Any], paths: tuple[tuple[str, ...], ...]) -> tuple[str, Any]:
    for path in paths:
        value: Any = document
        for part in path:
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is not None:
            return ".".join(path), value
    return "", None


def _number(name: str, raw: Any) -> float | int:
    """A number as the releases read it (text that is a number counts). Raises ValueError saying why not."""
    if isinstance(raw, bool):
        raise ValueError("which is no number")
    try:
        value = int(raw) if name in _WHOLE else float(raw)
    except (TypeError, ValueError):
        raise ValueError("which is no number") from None
    low, high = RANGES[name]
    if not low <= value <= high:
        raise ValueError(f"which lies outside {low:,g} to {high:,g}")
    return value


def resolve_settings(
    flags: Mapping[str, Any],
    config: ConfigReading,
    facts: Mapping[str, tuple[Any, str]],
) -> ResolvedSettings:
    """Put the settings together. `facts` are (value, where from) that the store and the model tell.

    Raises UsageProblem where a flag is out of its range.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    notes = list(config.notes)
    for name, (value, source) in facts.items():
        values[name], sources[name] = value, source
    for name, value in config.values.items():
        values[name], sources[name] = value, config.sources[name]
    for name, value in flags.items():
        if value is not None:
            if name in RANGES:
                low, high = RANGES[name]
                if not low <= value <= high:
                    flag = name.replace("_", "-")
                    raise UsageProblem(f"--{flag} is {value:g}; it must lie between {low:,g} and {high:,g}.")
            values[name], sources[name] = value, f"--{name.replace('_', '-')}"
    settings = Settings(**values)
    for name in Settings.__dataclass_fields__:
        sources.setdefault(name, "default")
    return ResolvedSettings(settings, sources, tuple(notes), config)


def config_beside(database: Path) -> ConfigReading:
    """The config.yaml beside a database; an empty reading where there is none, a note where it cannot be used."""
    path = database.parent / "config.yaml"
    if not path.is_file():
        return ConfigReading()
    try:
        return read_config(path)
    except BadInput as error:
        return ConfigReading(notes=(str(error),), path=path)
