"""Context lengths and prices of models, from genai-prices, with a small table for what it does not know."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

#: Families that genai-prices may lack, in tokens; the longest name that a model's id contains wins.
#: Source: release 0.19.0, `agent/model_metadata.py`, DEFAULT_CONTEXT_LENGTHS.
FAMILIES: dict[str, int] = {
    "claude": 200_000,
    "claude-opus-4-6": 1_000_000,
    "claude-opus-4-7": 1_000_000,
    "claude-opus-4-8": 1_000_000,
    "claude-sonnet-4-6": 1_000_000,
    "claude-sonnet-5": 1_000_000,
    "gpt-5": 400_000,
    "gpt-5-4": 1_050_000,
    "gpt-5-5": 1_050_000,
    "gpt-4-1": 1_047_576,
    "gpt-4": 128_000,
    "gemini": 1_048_576,
    "deepseek": 128_000,
    "llama": 131_072,
    "qwen3": 131_072,
    "kimi": 262_144,
    "grok-4": 256_000,
    "minimax": 204_800,
    "glm": 202_752,
    "hermes": 131_072,
}
#: What is assumed of a model that nothing is known of, in tokens.
ASSUMED = 200_000


@lru_cache(maxsize=512)
def context_length(model: str, provider: str = "") -> tuple[int | None, str]:
    """The context window of a model in tokens and where that is known from; (None, why) where it is not."""
    if not model:
        return None, "the store names no model"
    found = _priced(model, provider)
    if found is not None and found.context_window:
        return int(found.context_window), f"genai-prices on {found.id}"
    family = _family(model)
    if family is not None:
        return FAMILIES[family], f"the {family} family"
    return None, f"nothing is known of the model {model}"


def _family(model: str) -> str | None:
    name = model.lower().replace(".", "-")
    matches = [family for family in FAMILIES if family in name]
    return max(matches, key=len) if matches else None


def _priced(model: str, provider: str) -> Any:
    """The model's entry in genai-prices, asked by provider, then by the vendor in its name, then by name alone."""
    from genai_prices import data_snapshot

    snapshot = data_snapshot.get_snapshot()
    vendor, _, bare = model.partition("/") if "/" in model else ("", "", model)
    asked: list[tuple[str, str | None]] = []
    if provider:
        asked += [(model, provider), (bare, provider), (bare.replace(".", "-"), provider)]
    if vendor:
        asked += [(bare.replace(".", "-"), vendor), (bare, vendor)]
    asked += [(bare.replace(".", "-"), None), (bare, None)]
    for name, by in asked:
        try:
            return snapshot.find_provider_model(name, None, by, None)[1]
        except LookupError:
            continue
    return None
