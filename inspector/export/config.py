"""Settings as JSON, and as each agent's own configuration writes them, with a comment on each line that changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from inspector.config.settings import ResolvedSettings
from inspector.engines.base import Budgets, DerivationStep, Settings
from inspector.engines.capabilities import SHOWN, default_threshold
from inspector.engines.registry import agent_of, engine
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


class Written(NamedTuple):
    """Settings as text to paste into `file`, "" if no file is known."""

    file: str
    text: str


def settings_written(settings: Settings, force: Settings | None = None) -> Written:
    """Return the settings in the form of the profile's agent. Changes from `force` have a comment."""
    agent = agent_of(settings.profile)
    if not agent:
        return Written("config.yaml", compression_yaml(settings, force))
    write = _WRITERS.get(agent)
    if write is None:
        return Written("", f"# No setting of {agent} is known that changes when it compacts.\n")
    return write(settings, settings if force is None else force)


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


def _threshold(settings: Settings) -> int:
    return engine(settings.profile).budgets(settings).threshold_tokens


def _comment(sign: str, settings: Settings, force: Settings) -> str:
    now, before = _threshold(settings), _threshold(force)
    was = "" if now == before else f", instead of {before:,}"
    return f"{sign} compacts at {now:,} tokens{was}"


def _reserve(settings: Settings) -> int:
    """Return the tokens of the window that an agent leaves free by default."""
    share = default_threshold(engine(settings.profile), settings.context_length) or 1.0
    return round(settings.context_length * (1 - share))


def _claude(settings: Settings, force: Settings) -> Written:
    reserve = _reserve(settings)
    lines = [
        f"{_comment('#', settings, force)}: Claude Code leaves {reserve:,} tokens of this window free",
        f"export CLAUDE_CODE_AUTO_COMPACT_WINDOW={_threshold(settings) + reserve}",
    ]
    return Written("the environment of Claude Code", "\n".join(lines) + "\n")


def _codex(settings: Settings, force: Settings) -> Written:
    line = f"model_auto_compact_token_limit = {_threshold(settings)}  {_comment('#', settings, force)}\n"
    return Written("config.toml", line)


def _opencode(settings: Settings, force: Settings) -> Written:
    output = settings.max_tokens or 32_000
    limit = {"context": _threshold(settings) + output, "output": output}
    keys: dict[str, object] = {"provider": {"PROVIDER": {"models": {"MODEL": {"limit": limit}}}}}
    comment = _comment("//", settings, force) + ": the model's context less its output"
    return Written("opencode.jsonc", f"{comment}\n{json.dumps(keys)}\n")


def _pi(settings: Settings, force: Settings) -> Written:
    keys = {"compaction": {"reserveTokens": settings.context_length - _threshold(settings)}}
    if settings.tail_tokens is not None:
        keys["compaction"]["keepRecentTokens"] = settings.tail_tokens
    comment = _comment("//", settings, force) + f" of a window of {settings.context_length:,}"
    return Written("settings.json", f"{comment} (leave this line out)\n{json.dumps(keys)}\n")


_WRITERS: Mapping[str, Callable[[Settings, Settings], Written]] = {
    "claude-code": _claude,
    "codex": _codex,
    "opencode": _opencode,
    "pi": _pi,
}
