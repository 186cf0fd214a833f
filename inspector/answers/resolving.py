"""The settings in force for a conversation, its caching, and the size of its live list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.agents import row_of
from inspector.caching.breakpoints import Release, Ttl
from inspector.caching.policy import CachePolicy, cache_policy
from inspector.config.models import ASSUMED, context_length
from inspector.config.settings import (
    ConfigReading,
    ResolvedSettings,
    config_beside,
    read_config,
    resolve_settings,
)
from inspector.core.conversations import ConversationRow
from inspector.engines.base import Budgets, Marks, Settings, overridden_words
from inspector.engines.capabilities import OBSERVED_IN, default_threshold
from inspector.engines.hygiene import GATEWAYS
from inspector.engines.registry import agent_of, budgets_of, caveat, engine, marks_of, release_of, words_of
from inspector.engines.settings import SETTINGS
from inspector.stores.base import Store


def resolve(
    store: Store, row: ConversationRow, flags: Mapping[str, Any], config: Path | None
) -> ResolvedSettings:
    """Return the settings in force for a conversation.

    Raises BadInput for a bad --config, UsageProblem for a bad flag.
    """
    info = store.info_of(row.id)
    if config is not None:
        reading = read_config(config)
    else:
        reading = config_beside(info.path) if row_of(info.kind).settings_beside else ConfigReading()
    facts: dict[str, tuple[Any, str]] = {"profile": (info.profile, "detected")}
    length, source = row.window, row.window_source
    if length is None:
        length, source = context_length(row.model, row.provider)
    facts["context_length"] = (length or ASSUMED, source if length else f"assumed: {source}")
    if row.max_tokens is not None:
        facts["max_tokens"] = (row.max_tokens, "recorded")
    window = _summary_window(reading)
    if window is not None:
        facts["summary_context"] = window
    plain = resolve_settings(flags, reading, facts, row.model, row.base_url, row.provider).settings
    facts |= observed_threshold(plain.profile, plain.context_length)
    set_by_agent = store.threshold(row.id, plain.context_length) if plain.profile == info.profile else None
    if set_by_agent is not None:
        facts["threshold"] = set_by_agent
    resolved = resolve_settings(flags, reading, facts, row.model, row.base_url, row.provider)
    if length is None and resolved.sources["context_length"].startswith("assumed"):
        of = (
            f"the unknown model {row.model}"
            if row.model.strip()
            else "conversations without a recorded model"
        )
        note = f"{ASSUMED:,} tokens of context are assumed for {of}. Give --context-length to set it."
        resolved = resolved.with_note(note)
    warning = caveat(resolved.settings.profile)
    notes = (
        *resolved.notes,
        *([warning] if warning else []),
        *_unused_flags(flags, resolved.settings, row.source),
        *overridden(resolved, [name for name in SETTINGS if _is_chosen(name, flags, resolved, config)]),
    )
    return replace(resolved, notes=notes)


def observed_threshold(profile: str, context_length: int) -> dict[str, tuple[Any, str]]:
    """Return the default threshold of a profile as a fact; nothing if it is the usual one. Raises EngineError."""
    share = default_threshold(engine(profile), context_length)
    return {} if share is None else {"threshold": (share, f"{OBSERVED_IN} {words_of(profile)}")}


def _is_chosen(name: str, flags: Mapping[str, Any], resolved: ResolvedSettings, config: Path | None) -> bool:
    """Return whether a flag or the file of `--config` sets a setting."""
    return flags.get(name) is not None or (config is not None and name in resolved.config.values)


def overridden(resolved: ResolvedSettings, names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each of these settings that a rule of the profile overrides, with the source of its value.
    Raises EngineError."""
    budgets = budgets_of(resolved.settings)
    return tuple(
        overridden_words(rule, f"{name} {getattr(resolved.settings, name)} ({resolved.sources[name]})")
        for name in names
        if (rule := budgets.binding(name))
    )


def _unused_flags(flags: Mapping[str, Any], settings: Settings, source: str) -> tuple[str, ...]:
    if all(value is None for value in flags.values()):
        return ()
    budgets = engine(settings.profile).budgets(settings)
    unused = unused_flags(flags, settings.profile, budgets)
    alone = budgets.hygiene_messages and source.lower() not in GATEWAYS
    if alone and flags.get("message_limit") is not None:
        unused += ("--message-limit is not used: the session has no gateway.",)
    return unused


def unused_flags(flags: Mapping[str, Any], profile: str, budgets: Budgets) -> tuple[str, ...]:
    """Return a sentence for each given setting that the profile does not use. `budgets` are of the profile."""
    given = {name: budgets.why_unused(name) for name, value in flags.items() if value is not None}
    return tuple(
        f"--{name.replace('_', '-')} is not used by {profile}: {why}." for name, why in given.items() if why
    )


def _summary_window(reading: ConfigReading) -> tuple[int, str] | None:
    """Return the window of the configured summary model in tokens, and its source."""
    model = reading.other.get("summary_model")
    if not isinstance(model, str) or not model:
        return None
    length, source = context_length(model, str(reading.other.get("summary_provider") or ""))
    return (length, source) if length else None


def policy_of(row: ConversationRow, profile: str) -> CachePolicy:
    """Return whether and how the release caches the prompts of a conversation."""
    return cache_policy(row.model, row.provider, row.base_url, caching_release(profile))


def next_policy(row: ConversationRow, profile: str) -> CachePolicy:
    """Return the caching of the next request. Agents with observed compactions have measured breakpoints, or none that
    are known."""
    policy, agent = policy_of(row, profile), agent_of(profile)
    if not agent:
        return policy
    marks = marks_for(row, profile)
    if marks is not None and (not marks or (policy.enabled and policy.layout == "native")):
        return replace(policy, enabled=bool(marks), reason=marks.why)
    reason = f"{agent} does not record its breakpoints, only the cache reads of its requests."
    return replace(policy, enabled=None, reason=reason)


def marks_for(row: ConversationRow, profile: str) -> Marks | None:
    """Return the measured breakpoints of a conversation's requests under a profile; None if they are unknown."""
    return marks_of(profile, row.agent, row.source.removeprefix(row.agent))


def ttl_of(resolved: ResolvedSettings) -> Ttl:
    """Return the configured time to live of the cache, by default 5 minutes."""
    return "1h" if resolved.config.other.get("cache_ttl") == "1h" else "5m"


def caching_release(profile: str) -> Release:
    """Return the release whose rules place the breakpoints. From 0.18.1 on, releases skip messages that cannot have a
    breakpoint."""
    return "0.19" if (release_of(profile) or ()) >= (0, 18, 1) else "0.13"
