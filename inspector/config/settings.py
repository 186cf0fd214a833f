"""Settings in force and their sources: a flag, Hermes' config.yaml, the store and the model, a default.

A flag beats the file, and the file beats the store and the model. Hermes ignores some values of the file, and changes
others. This module reads them as Hermes does, and a note says so. The behaviour is that of 0.13.0 and 0.19.0, when the
agent starts and when the gateway checks its hygiene limit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.config.folders import read_yaml
from inspector.config.models import CODEX
from inspector.core.errors import BadInput
from inspector.core.text import safe_line
from inspector.engines.registry import release_of
from inspector.engines.settings import RANGES, SETTINGS, Setting, Settings, check_range

_Path = tuple[str, ...]
#: Reads a value as the releases do. Returns the value, None if it cannot be used, and a note about a difference, or "".
_Reader = Callable[[Any], tuple[Any, str]]

#: Values of the file without a field in `Settings`: the paths of their keys, the first one with a value counts.
OTHER_KEYS: Mapping[str, tuple[_Path, ...]] = {
    "enabled": (("compression", "enabled"),),
    "summary_model": (("auxiliary", "compression", "model"), ("compression", "summary_model")),
    "summary_provider": (("auxiliary", "compression", "provider"), ("compression", "summary_provider")),
    "cache_ttl": (("prompt_caching", "cache_ttl"), ("model", "cache_ttl")),
    "in_place": (("compression", "in_place"),),
    "model_thresholds": (("compression", "model_thresholds"),),
    "codex_autoraise": (("compression", "codex_gpt55_autoraise"),),
}
#: Keys of `compression` that limit the time of a compaction. Plans do not model them.
_TIME_LIMITS = (
    "hygiene_timeout_seconds",
    "hygiene_total_ceiling_seconds",
    "hygiene_failure_cooldown_seconds",
    "hygiene_max_turn_hold_seconds",
    "context_timeout_seconds",
    "context_total_ceiling_seconds",
)
#: Keys of `compression` that start other compactions, or shorten results before one. Plans do not model them. 0 and off
#: are their defaults.
_OTHER_STARTS = ("idle_compact_after_seconds", "micro_compact", "proactive_prune_tokens")
#: The first release with thresholds by model.
_MODEL_THRESHOLDS_SINCE = (0, 20, 0)
#: Minimum thresholds of releases for models of ChatGPT's Codex backend: the model, the first
#: release, the share. Source: releases 0.17.0 to 0.19.0, `agent/auxiliary_client.py`, _compression_threshold_for_model.
_SPARK = "gpt-5.3-codex-spark"
_CODEX_THRESHOLDS = (
    ("gpt-5.5", (0, 17, 0), 0.85),
    ("gpt-5.4", (0, 18, 1), 0.85),
    (_SPARK, (0, 18, 1), 0.70),
    ("gpt-5.6", (0, 19, 0), 0.85),
)
_TRUE = frozenset({"true", "1", "yes"})
_TTLS = ("5m", "1h")


class ConfigReading(Struct, frozen=True):
    """The content of a config.yaml.

    `values` are settings, `other` the values of OTHER_KEYS, `sources` the file and key of each value. `windows` are the
    context lengths in tokens that custom providers set, by (address, model). `notes` are sentences about values that
    Hermes ignores or changes, and about keys that plans do not model.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    other: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    path: Path | None = None
    windows: Mapping[tuple[str, str], int] = field(default_factory=dict)


class ResolvedSettings(Struct, frozen=True):
    """The settings in force, the source of each by its name, and the notes of the file."""

    settings: Settings
    sources: Mapping[str, str]
    notes: tuple[str, ...] = ()
    config: ConfigReading = field(default_factory=ConfigReading)

    def with_value(self, name: str, value: Any, source: str) -> ResolvedSettings:
        """Return the settings with another value of one setting, and the source of this value."""
        settings = self.settings.with_(**{name: value})
        return replace(self, settings=settings, sources={**self.sources, name: source})

    def with_note(self, note: str) -> ResolvedSettings:
        """Return the settings with another note."""
        return replace(self, notes=(*self.notes, note))


def read_config(path: Path) -> ConfigReading:
    """Return the settings in Hermes' config.yaml. Raise BadInput if it is missing or not a YAML mapping."""
    document = _load(path)
    values: dict[str, Any] = {}
    other: dict[str, Any] = {}
    sources: dict[str, str] = {}
    notes: list[str] = []

    def take(into: dict[str, Any], name: str, key: str, raw: Any, read: _Reader) -> None:
        value, note = read(raw)
        if note:
            notes.append(f"{path.name}: {key} is {_shown(raw)}{note}")
        if value is not None:
            into[name] = value
            sources[name] = f"{path.name}: {key}"

    for name, setting in SETTINGS.items():
        key, raw = _first(document, tuple(tuple(key.split(".")) for key in setting.keys))
        if key and not (raw is None and setting.lenient):
            take(values, name, key, raw, partial(_choice if setting.kind == "choice" else _number, setting))
    for name, paths in OTHER_KEYS.items():
        key, raw = _first(document, paths)
        if raw is not None:
            take(other, name, key, raw, _READERS.get(name, _text))
    if other.get("in_place") is False:
        notes.append(f"{path.name}: compression.in_place is off, so a compaction starts a new session.")
    if other.get("enabled") is False:
        notes.append(
            f"{path.name}: compression.enabled is off, so the agent never compacts; plans assume that it does."
        )
    notes += _not_modelled(path, document)
    return ConfigReading(values, other, sources, tuple(notes), path, _windows(document))


def _not_modelled(path: Path, document: Mapping[Any, Any]) -> Iterator[str]:
    """Yield sentences about keys that change when Hermes compacts, and that plans do not model."""
    section = document.get("compression")
    if not isinstance(section, Mapping):
        return
    limits = [f"compression.{name}" for name in _TIME_LIMITS if section.get(name) is not None]
    if limits:
        verb = "limit" if len(limits) > 1 else "limits"
        yield f"{path.name}: {', '.join(limits)} {verb} the time of a compaction, which plans do not model."
    starts = [
        f"compression.{name}"
        for name in _OTHER_STARTS
        if str(section.get(name) or "0").strip().lower() not in ("0", "0.0", "false", "no", "off")
    ]
    if starts:
        verb = "shorten" if len(starts) > 1 else "shortens"
        yield f"{path.name}: {', '.join(starts)} {verb} the list at other times, which plans do not model."


def _load(path: Path) -> Mapping[Any, Any]:
    if not os.path.exists(path):
        raise BadInput(
            f"The configuration {path} does not exist. Name Hermes' config.yaml, or leave out --config."
        )
    document = read_yaml(path, f"The configuration {path}")
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise BadInput(f"The configuration {path} is not a mapping of settings.")
    return document


def _first(document: Mapping[Any, Any], paths: tuple[_Path, ...]) -> tuple[str, Any]:
    """Return the first key with a value, and the value. If no key has one, return the first present key and None; if no
    key is present, "" and None."""
    empty = ""
    for path in paths:
        value: Any = document
        for part in path[:-1]:
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping) and path[-1] in value:
            if value[path[-1]] is not None:
                return ".".join(path), value[path[-1]]
            empty = empty or ".".join(path)
    return empty, None


def _choice(setting: Setting, raw: Any) -> tuple[str | None, str]:
    """Read a choice, as `_Reader` says. A value that is not a choice of the setting cannot be used."""
    chosen = str(raw).strip().lower()
    if chosen in setting.choices:
        return chosen, ""
    return None, f", which is neither {' nor '.join(setting.choices)}; Hermes uses {setting.default}."


def _number(setting: Setting, raw: Any) -> tuple[float | int | None, str]:
    """Read a number, as `_Reader` says. A number outside the range becomes its nearest end, or is left out."""
    value: float | int
    whole = setting.kind != "share"
    try:
        if setting.optional and isinstance(raw, bool):
            raise ValueError
        value = int(raw) if whole else float(raw)
        if math.isnan(value):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        if setting.lenient:
            return None, ", which is not a whole number; Hermes ignores it, and so does this program."
        return None, ", which is not a number; Hermes does not start with it. This program ignores it."
    low, high = setting.low, setting.high
    if setting.lenient and not max(low, 1) <= value <= high:
        return None, f", which lies outside {max(low, 1):,.12g} to {high:,.12g}; this program ignores it."
    if low <= value <= high:
        return value, "" if not isinstance(raw, bool) else f", which Hermes reads as {value:,.12g}."
    nearest = type(value)(low if value < low else high)
    hint = f" Write a share, such as {value / 100:g}." if not whole and 2 <= value <= 100 else ""
    return nearest, f", which lies outside {low:,.12g} to {high:,.12g}; {nearest:,.12g} is used.{hint}"


def _switch(raw: Any) -> tuple[bool | None, str]:
    """Read a switch, as `_Reader` says. Hermes reads every other word as off."""
    return str(raw).strip().lower() in _TRUE, ""


def _count(raw: Any) -> tuple[int | None, str]:
    """Read a whole number above 0, as `_Reader` says."""
    try:
        value = int(raw)
    except (TypeError, ValueError, OverflowError):
        return None, ", which is not a whole number; Hermes ignores it, and so does this program."
    if value > 0:
        return value, ""
    return None, ", which is not above 0; Hermes ignores it, and so does this program."


def _text(raw: Any) -> tuple[str | None, str]:
    """Read a text or number as a text, as `_Reader` says."""
    return (str(raw).strip() or None) if isinstance(raw, str | int | float) else None, ""


def _ttl(raw: Any) -> tuple[str | None, str]:
    """Read the time to live of the cache, as `_Reader` says."""
    return (raw, "") if raw in _TTLS else (None, ", which is neither 5m nor 1h; Hermes uses 5m.")


def _shares(raw: Any) -> tuple[Mapping[str, float] | None, str]:
    """Read thresholds by model, as `_Reader` says. Values that are not shares are skipped."""
    if not isinstance(raw, dict):
        return None, ", which is not a mapping of models to shares; this program ignores it."
    shares = {
        str(key): float(share)
        for key, share in raw.items()
        if type(share) in (int, float) and 0 <= share <= 1
    }
    refused = ", where some values are not shares from 0 to 1; this program ignores these."
    return shares, "" if len(shares) == len(raw) else refused


_READERS: Mapping[str, _Reader] = {
    "enabled": _switch,
    "in_place": _switch,
    "codex_autoraise": _switch,
    "model_thresholds": _shares,
    "cache_ttl": _ttl,
}


def _shown(raw: Any) -> str:
    return "empty" if raw is None else safe_line(repr(raw), 60)


def _windows(document: Mapping[Any, Any]) -> dict[tuple[str, str], int]:
    """Return the context lengths in tokens that custom providers set for their models, by (address, model)."""
    listed, keyed = document.get("custom_providers"), document.get("providers")
    entries = [
        *(listed if isinstance(listed, list) else ()),
        *(keyed.values() if isinstance(keyed, dict) else ()),
    ]
    windows: dict[tuple[str, str], int] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("models"), dict):
            continue
        address = entry.get("base_url") or entry.get("api") or entry.get("url") or ""
        for model, details in entry["models"].items():
            value = _count(details.get("context_length"))[0] if isinstance(details, dict) else None
            if value is not None and address:
                windows.setdefault((_address(address), str(model)), value)
    return windows


def _address(url: Any) -> str:
    return str(url).strip().rstrip("/")


def resolve_settings(
    flags: Mapping[str, Any],
    config: ConfigReading,
    detected: Mapping[str, tuple[Any, str]],
    model: str = "",
    base_url: str = "",
    provider: str = "",
) -> ResolvedSettings:
    """Return the settings in force. `detected` has (value, source) from the store and the model, by setting.

    `model` and `base_url` select the context length that a custom provider in the file sets for the model. `model` and
    `provider` select the threshold that the release uses for the model. Raises UsageProblem if a flag is out of its
    range.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, (value, source) in detected.items():
        values[name], sources[name] = value, source
    window = config.windows.get((_address(base_url), model))
    if window is not None and config.path is not None:
        values["context_length"] = window
        sources["context_length"] = f"{config.path.name}: the custom provider's {model}"
    for name, value in config.values.items():
        values[name], sources[name] = value, config.sources[name]
    release = release_of(str(flags.get("profile") or values.get("profile") or "")) or ()
    by_model = _model_threshold(config, model, provider) if release >= _MODEL_THRESHOLDS_SINCE else None
    if by_model is not None:
        key, values["threshold"] = by_model
        sources["threshold"] = f"{config.sources['model_thresholds']}.{key}"
    raised = _codex_threshold(config, release, model) if provider == CODEX else 0.0
    if raised > values.get("threshold", SETTINGS["threshold"].default):
        values["threshold"] = raised
        sources["threshold"] = f"raised by the release for {model} on ChatGPT's Codex backend"
    for name, value in flags.items():
        if value is not None:
            if name in RANGES:
                check_range(name, value, SETTINGS[name].flag)
            values[name], sources[name] = value, SETTINGS[name].flag
    settings = Settings(**values)
    for name in SETTINGS:
        sources.setdefault(name, "default")
    return ResolvedSettings(settings, sources, config.notes, config)


def _model_threshold(config: ConfigReading, model: str, provider: str) -> tuple[str, float] | None:
    """Return the key of model_thresholds that fits a model best, and its share; None if no key fits.

    A key fits if the model's name contains it. The longest key fits best. A key may begin with a provider and a colon;
    of two equally long ones, the key with the provider is used.
    """
    shares = config.other.get("model_thresholds") or {}
    parts = {key: key.removeprefix(f"{provider}:") for key in shares}
    keys = [key for key, part in parts.items() if part and part in model]
    key = max(keys, key=lambda key: (len(parts[key]), key != parts[key]), default="")
    return (key, shares[key]) if key else None


def _codex_threshold(config: ConfigReading, release: tuple[int, ...], model: str) -> float:
    """Return the minimum threshold of a release, as a share, for a model of ChatGPT's Codex backend; 0 if none."""
    name = model.lower().rpartition("/")[2]
    for known, since, share in _CODEX_THRESHOLDS:
        switched_off = known != _SPARK and config.other.get("codex_autoraise") is False
        if (
            release >= since
            and not switched_off
            and (name == known or name.startswith((f"{known}-", f"{known}.")))
        ):
            return share
    return 0.0


def config_beside(database: Path) -> ConfigReading:
    """Read the config.yaml in a database's folder. Without one, return an empty reading. A note says if it cannot be
    used."""
    path = database.parent / "config.yaml"
    try:
        return read_config(path) if path.is_file() else ConfigReading()
    except BadInput as error:
        return ConfigReading(notes=(str(error),), path=path)
    except OSError:
        # The folder itself may be unreadable; opening the database reports that.
        return ConfigReading()


def config_version(database: Path) -> int | None:
    """Return the version of the config.yaml in a database's folder; None if it is missing or has none."""
    path = database.parent / "config.yaml"
    try:
        version = _load(path).get("_config_version") if path.is_file() else None
    except (BadInput, OSError):
        return None
    return version if type(version) is int else None
