"""Context lengths of models, from genai-prices, with a table of families for what it does not know."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from inspector.config.folders import cache_dir, read_state, write_state

#: Families that genai-prices may lack, in tokens; the longest name that a model's id contains wins.
#: Source: release 0.19.0, `agent/model_metadata.py`, DEFAULT_CONTEXT_LENGTHS.
FAMILIES: Mapping[str, int] = {
    "claude": 200_000,
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
    "gemma-4": 256_000,
    "gemma-3": 131_072,
    "deepseek": 128_000,
    "deepseek-v4": 1_000_000,
    "llama": 131_072,
    "qwen": 131_072,
    "qwen3-coder": 262_144,
    "qwen3-max": 262_144,
    "qwen3-6-plus": 1_048_576,
    "kimi": 262_144,
    "kimi-k3": 1_048_576,
    "grok": 131_072,
    "grok-4": 256_000,
    "grok-4-fast": 2_000_000,
    "minimax": 204_800,
    "minimax-m3": 1_000_000,
    "glm": 202_752,
    "glm-5-2": 1_048_576,
    "hermes": 131_072,
}
#: What is assumed of a model that nothing is known of, in tokens.
ASSUMED = 200_000

# Vendors that genai-prices calls by another name than model ids do.
_VENDORS = {"mistralai": "mistral", "meta-llama": "meta", "z-ai": "zai", "vertex": "google", "bedrock": "aws"}
_VARIANT = re.compile(r":[a-z]+$")


@lru_cache(maxsize=512)
def context_length(model: str, provider: str = "") -> tuple[int | None, str]:
    """The context window of a model in tokens and where that is known from; (None, why) where it is not.

    What was looked up is kept between runs: to import genai-prices takes a quarter of a second and 25 MB.
    """
    if not model.strip():
        return None, "the store names no model"
    known = _kept()
    name = _name(model, provider)
    if name in known:
        return known[name]
    found = _looked_up(model, provider)
    lengths = {**known, name: found}
    write_state(_file(), {"of": _stamp(), "lengths": lengths})
    return found


def is_kept(model: str, provider: str = "") -> bool:
    """Whether the context window of a model is known without looking it up."""
    return not model.strip() or _name(model, provider) in _kept()


def _name(model: str, provider: str) -> str:
    return f"{model}\x00{provider}"


def _file() -> Path:
    return cache_dir() / "models.json"


def _kept() -> dict[str, tuple[int | None, str]]:
    """What was looked up in this list of genai-prices."""
    document = read_state(_file())
    lengths = document.get("lengths") if document.get("of") == _stamp() else None
    return {
        name: (entry[0], entry[1])
        for name, entry in (lengths.items() if isinstance(lengths, dict) else ())
        if isinstance(entry, list)
        and len(entry) == 2
        and isinstance(entry[1], str)
        and (entry[0] is None or type(entry[0]) is int)
    }


def _stamp() -> str:
    """Another text as soon as this module or the list of genai-prices is another one."""
    spec = find_spec("genai_prices")
    files = [Path(__file__), Path(spec.origin).with_name("data.py") if spec and spec.origin else Path()]
    return " ".join(f"{status.st_size} {status.st_mtime_ns}" for status in map(os.stat, files))


def _looked_up(model: str, provider: str) -> tuple[int | None, str]:
    found = entry_of(model, provider, "context_window")
    if found is not None:
        return int(found.context_window), f"genai-prices on {found.id}"
    family = _family(model)
    if family is not None:
        return FAMILIES[family], f"the {family} family"
    return None, f"nothing is known of the model {model}"


def _family(model: str) -> str | None:
    name = model.lower().replace(".", "-")
    matches = [family for family in FAMILIES if family in name]
    return max(matches, key=len) if matches else None


def entry_of(model: str, provider: str, wanted: str) -> Any:
    """The model's entry in genai-prices that has the attribute `wanted`, None where none has.

    The vendor in a model's name comes before the provider that resells it: resellers list windows that need a
    beta header, which the agent does not send.
    """
    from genai_prices import data_snapshot

    snapshot = data_snapshot.get_snapshot()
    for name, by in _asked(model.strip(), provider.strip()):
        try:
            found = snapshot.find_provider_model(name, None, by, None)[1]
        except LookupError:
            continue
        if getattr(found, wanted):
            return found
    return None


def _asked(model: str, provider: str) -> Iterator[tuple[str, str | None]]:
    """(name, provider) pairs in the order in which they are looked up."""
    vendor, _, bare = _VARIANT.sub("", model).rpartition("/")
    names = dict.fromkeys((bare, bare.replace(".", "-")))
    vendor = vendor.rpartition("/")[2]
    for by in filter(None, dict.fromkeys((_VENDORS.get(vendor, vendor), vendor))):
        for name in names:
            yield name, by
    if provider:
        for name in (model, *names):
            yield name, _VENDORS.get(provider, provider)
    for name in names:
        yield name, None
