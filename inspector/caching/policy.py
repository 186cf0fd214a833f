"""Prompt-cache policy: whether a model's requests carry cache breakpoints, and their layout.

Source: releases 0.13.0 and 0.19.0, the agent's own policy. A store does not record the wire format of a session;
it is inferred from provider and address.
"""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

from inspector.caching.breakpoints import Release

_ALIBABA = frozenset({"opencode", "opencode-zen", "opencode-go", "alibaba"})
_MINIMAX = frozenset({"minimax", "minimax-cn"})
_KIMI = ("kimi-", "kimi_", "moonshot_", "k1.", "k1-", "k2.", "k2-", "k25", "k3.", "k3-")
_MINIMAX_HOSTS = ("api.minimax.io", "api.minimaxi.com")


class CachePolicy(Struct, frozen=True):
    """Whether requests carry cache breakpoints (None: unknown), their layout, and the reason as a sentence."""

    enabled: bool | None
    layout: Literal["native", "envelope"]
    reason: str


def cache_policy(model: str, provider: str, base_url: str, release: Release = "0.19") -> CachePolicy:
    """Return the policy for a model at a provider. Model, provider and address are "" if the store lacks them."""
    name, by, host = model.lower(), provider.strip().lower(), hostname(base_url)
    claude = "claude" in name
    if by == "anthropic" or host == "api.anthropic.com":
        return CachePolicy(True, "native", "Requests go to Anthropic's own API.")
    if (
        _under(host, "openrouter.ai")
        or "nousresearch" in base_url.lower()
        or (by == "openrouter" and not host)
    ):
        where = "the Nous portal" if "nousresearch" in base_url.lower() else "OpenRouter"
        if claude or (release == "0.19" and _kimi(name)):
            family = "Claude" if claude else "Kimi"
            return CachePolicy(True, "envelope", f"{family} on {where} takes cache breakpoints.")
        if where != "OpenRouter" and "qwen" in name:
            return CachePolicy(True, "envelope", f"Qwen on {where} takes cache breakpoints.")
        return CachePolicy(
            False, "envelope", f"{model or 'This model'} on {where} gets no cache breakpoints."
        )
    anthropic_wire = bool(host) and base_url.strip().rstrip("/").endswith("/anthropic")
    if anthropic_wire and claude:
        return CachePolicy(True, "native", "Claude is at an address with Anthropic's format.")
    if by in _MINIMAX or any(_under(host, minimax_host) for minimax_host in _MINIMAX_HOSTS):
        if anthropic_wire or not host:
            return CachePolicy(True, "native", "MiniMax is at an address with Anthropic's format.")
        return CachePolicy(False, "envelope", "MiniMax gets cache breakpoints only in Anthropic's format.")
    if by in _ALIBABA and "qwen" in name:
        return CachePolicy(True, "envelope", f"Qwen on {provider} takes cache breakpoints.")
    if claude and not by and not host:
        if name.startswith("anthropic/"):
            reason = (
                "The store names no provider; a Claude model with such a name is assumed to be on OpenRouter."
            )
            return CachePolicy(True, "envelope", reason)
        return CachePolicy(
            True, "native", "The store names no provider; Claude is assumed to be on Anthropic's API."
        )
    where = provider or host or "this provider"
    return CachePolicy(False, "envelope", f"{model or 'A model'} on {where} gets no cache breakpoints.")


def hostname(url: str) -> str:
    """Return the host of an address in small letters, "" if there is none. Never raises."""
    text = url.strip()
    try:
        return (urlsplit(text if "://" in text else f"//{text}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _under(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _kimi(model: str) -> bool:
    name = model.strip().rpartition("/")[2]
    return "moonshot" in model or name == "k3" or name.startswith(_KIMI)
