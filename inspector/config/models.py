"""Context lengths of models, from genai-prices, with a table of families for other models."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.config.price_list import listed

#: Context lengths in tokens of families that genai-prices may lack; the longest name in the model's id wins.
#: Source: release 0.19.0, `agent/model_metadata.py`, DEFAULT_CONTEXT_LENGTHS.
FAMILIES: Mapping[str, int] = {
    "claude": 200_000,
    "claude-fable": 1_000_000,
    "claude-opus-4-6": 1_000_000,
    "claude-opus-4-7": 1_000_000,
    "claude-opus-4-8": 1_000_000,
    "claude-sonnet-4-6": 1_000_000,
    "claude-sonnet-5": 1_000_000,
    "gpt-5": 400_000,
    "gpt-5-1-chat": 128_000,
    "gpt-5-3-codex-spark": 128_000,
    "gpt-5-4": 1_050_000,
    "gpt-5-4-mini": 400_000,
    "gpt-5-4-nano": 400_000,
    "gpt-5-5": 1_050_000,
    "gpt-5-6": 1_050_000,
    "gpt-4-1": 1_047_576,
    "gpt-4": 128_000,
    "gemini": 1_048_576,
    "gemma": 8_192,
    "gemma3": 131_072,
    "gemma4": 256_000,
    "gemma-4": 256_000,
    "gemma-3": 131_072,
    "deepseek": 128_000,
    "deepseek-v4": 1_000_000,
    "llama": 131_072,
    "qwen": 131_072,
    "qwen3-coder": 262_144,
    "qwen3-coder-plus": 1_000_000,
    "qwen3-max": 262_144,
    "qwen3-6-plus": 1_048_576,
    "qwen3-7-plus": 1_048_576,
    "kimi": 262_144,
    "kimi-k3": 1_048_576,
    "grok": 131_072,
    "grok-4": 256_000,
    "grok-4-fast": 2_000_000,
    "grok-build": 256_000,
    "grok-build-latest": 500_000,
    "grok-composer": 200_000,
    "minimax": 204_800,
    "minimax-m3": 1_000_000,
    "glm": 202_752,
    "glm-5-2": 1_048_576,
    "hermes": 131_072,
    "hy3": 262_144,
    "mimo-v2-flash": 262_144,
    "mimo-v2-omni": 262_144,
    "mimo-v2-pro": 1_048_576,
    "mimo-v2-5": 1_048_576,
    "nemotron": 131_072,
    "solar-mini": 32_768,
    "solar-open2": 262_144,
    "solar-pro2": 65_536,
    "solar-pro3": 131_072,
    "trinity": 262_144,
}
#: The provider of ChatGPT's Codex backend.
CODEX = "openai-codex"
#: Providers whose windows of a family differ from those in genai-prices, each with the reason.
#: Source: releases 0.13.0 to 0.19.0, `agent/model_metadata.py`, _CODEX_OAUTH_CONTEXT_FALLBACK and
#: DEFAULT_CONTEXT_LENGTHS. GitHub Copilot: real compactions at 80% of it; genai-prices adds the output to it.
_OF_PROVIDERS: Mapping[str, tuple[Mapping[str, int], str]] = {
    CODEX: ({"gpt-5": 272_000, "gpt-5-3-codex-spark": 128_000}, "the limit of ChatGPT's Codex backend"),
    "deepseek": (
        {"deepseek-chat": 1_000_000, "deepseek-reasoner": 1_000_000},
        "the name stands for deepseek-v4-flash",
    ),
    "github-copilot": (
        {"claude": 200_000, "claude-haiku-4-5": 128_000},
        "the default prompt limit of GitHub Copilot",
    ),
}
#: Context length in tokens that is assumed for an unknown model.
ASSUMED = 200_000


def context_length(model: str, provider: str = "") -> tuple[int | None, str]:
    """Return a model's context window in tokens and its source; (None, reason) if it is unknown."""
    if not model.strip():
        return None, "the store names no model"
    windows, reason = _OF_PROVIDERS.get(provider, ({}, ""))
    if (family := _family(model, windows)) is not None:
        return windows[family], reason
    entry = listed(model, provider)
    if entry.window is not None:
        return entry.window, f"genai-prices on {entry.window_of}"
    family = _family(model, FAMILIES)
    if family is not None:
        return FAMILIES[family], f"the {family} family"
    return None, f"the model {model} is unknown"


def _family(model: str, families: Mapping[str, int]) -> str | None:
    name = model.lower().replace(".", "-")
    matches = [family for family in families if family in name]
    return max(matches, key=len) if matches else None
