"""The settings as Hermes' own configuration writes them."""

from __future__ import annotations

from inspector.engines.base import Settings


def compression_yaml(settings: Settings) -> str:
    """The `compression:` part of config.yaml for these settings, to be pasted by the user."""
    lines = [
        f"# {settings.profile}, {settings.context_length:,} tokens of context",
        "compression:",
        "  enabled: true",
        f"  threshold: {settings.threshold:g}",
        f"  target_ratio: {settings.target_ratio:g}",
        f"  protect_first_n: {settings.protect_first_n}",
        f"  protect_last_n: {settings.protect_last_n}",
    ]
    if settings.threshold_cap is not None:
        lines.append(f"  threshold_tokens: {settings.threshold_cap}")
    if settings.tail_mode != "lean":
        lines.append(f"  tail_mode: {settings.tail_mode}")
    if settings.min_tail_user_messages != 1:
        lines.append(f"  min_tail_user_messages: {settings.min_tail_user_messages}")
    if settings.max_tokens:
        lines += ["model:", f"  max_tokens: {settings.max_tokens}"]
    return "\n".join(lines) + "\n"
