"""Context windows and prices from genai-prices, looked up once per model and stored in the cache.

Importing genai-prices takes a quarter of a second and 22 MB. Readers of stored entries do not need it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time
from functools import lru_cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from inspector.config.cache import CacheEntry, default_cache, hashed, stamp_of

#: Prices of a model in their stored order, and the names of genai-prices for them.
RATES = {
    "input": "input_mtok", "output": "output_mtok", "cache_read": "cache_read_mtok",
    "cache_write_5m": "cache_write_mtok", "cache_write_1h": "cache_write_1h_mtok",
}  # fmt: skip

# Vendors whose name in genai-prices differs from their name in model ids.
_VENDORS = {"mistralai": "mistral", "meta-llama": "meta", "z-ai": "zai", "vertex": "google", "bedrock": "aws"}
_VARIANT = re.compile(r":[a-z]+$|\[1m\]$")
#: Ways to serve a model at another price, at the end of its name.
_SERVED = re.compile(r"\b(fast|batch|flex|priority|free)\b")
#: A model's id in Amazon Bedrock: an optional region, the vendor, the model, an optional version.
_BEDROCK = re.compile(
    r"(?:[a-z]{2,6}(?:-[a-z]+)?\.)?(?P<vendor>anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen)\."
    r"(?P<model>[\w.-]+?)(?:-v\d+)?(?::\d+)?(?::\d+k)?"
)

#: US dollars per million tokens, in the order of RATES; None if genai-prices has no price.
Prices = tuple[float | None, ...]
#: (tokens, prices): a prompt of more tokens has these prices. The first pair is for prompts of any size.
Steps = tuple[tuple[int, Prices], ...]


class ListedModel(msgspec.Struct, frozen=True):
    """A model's entries in genai-prices: its context window in tokens and its prices, each with the name of its entry.

    `prices` are (first day, first minute of a day, prices by size), oldest first, with days such as 2026-11-22; empty
    without prices.
    """

    window: int | None = None
    window_of: str = ""
    prices: tuple[tuple[str, int, Steps], ...] = ()
    priced_as: str = ""


@lru_cache(maxsize=512)
def listed(model: str, provider: str = "") -> ListedModel:
    """Return a model's entries. Import genai-prices if they are not stored."""
    entries = _stored(model, provider)
    if entries is None:
        entries = _looked_up(model, provider)
        default_cache().put(
            "models", {hashed(model, provider): CacheEntry(_stamp(), msgspec.json.encode(entries))}
        )
    return entries


def is_kept(model: str, provider: str) -> bool:
    """Return whether a model's entries are stored."""
    return not model.strip() or _stored(model, provider) is not None


def _stored(model: str, provider: str) -> ListedModel | None:
    """Return the stored entries for the installed release of genai-prices; None if there are none."""
    key = hashed(model, provider)
    entry = default_cache().get("models", [key]).get(key)
    try:
        return (
            None
            if entry is None or entry.stamp != _stamp()
            else msgspec.json.decode(entry.value, type=ListedModel)
        )
    except (TypeError, ValueError):
        return None


@lru_cache(maxsize=1)
def _stamp() -> bytes:
    """Return a stamp that changes with the program and with the release of genai-prices."""
    spec = find_spec("genai_prices")
    status = os.stat(Path(spec.origin).with_name("data.py")) if spec and spec.origin else None
    return stamp_of("" if status is None else f"{status.st_size} {status.st_mtime_ns}")


def _looked_up(model: str, provider: str) -> ListedModel:
    sized, priced = _entry_of(model, provider, "context_window"), _entry_of(model, provider, "prices")
    return ListedModel(
        None if sized is None else int(sized.context_window),
        "" if sized is None else sized.id,
        () if priced is None else tuple(_prices_of(priced)),
        "" if priced is None else priced.id,
    )


def look_up(models: Sequence[tuple[str, str]]) -> None:
    """Look up models of providers and keep the results. A worker process runs this for callers that save memory."""
    for model, provider in models:
        listed(model, provider)


def _entry_of(model: str, provider: str, wanted: str) -> Any:
    """Return the model's entry in genai-prices with the attribute `wanted`, None if there is none.

    The vendor in a model's name precedes the provider that resells it: resellers list windows that need a beta header,
    which the agent does not send.
    """
    from genai_prices import data_snapshot

    snapshot = data_snapshot.get_snapshot()
    for name, by in _asked(model.strip(), provider.strip()):
        try:
            entry = snapshot.find_provider_model(name, None, by, None)[1]
        except LookupError:
            continue
        if getattr(entry, wanted) and not (wanted == "prices" and _is_served_otherwise(model, entry.id)):
            return entry
    return None


def _is_served_otherwise(model: str, entry: str) -> bool:
    """Return whether a model's name has a way of serving that the entry does not name, so its prices are others."""
    return any(way not in entry.lower() for way in _SERVED.findall(model.lower()))


def _asked(model: str, provider: str) -> Iterator[tuple[str, str | None]]:
    """Yield (name, provider) pairs in the order of the lookup."""
    vendor, _, bare = _VARIANT.sub("", model).rpartition("/")
    names = dict.fromkeys((bare, bare.replace(".", "-")))
    vendor = vendor.rpartition("/")[2]
    if (bedrock := _BEDROCK.fullmatch(bare)) is not None:
        # Bedrock's own list first: it has a price for each region.
        yield bare, "aws"
        yield bedrock["model"], _VENDORS.get(bedrock["vendor"], bedrock["vendor"])
    for by in filter(None, dict.fromkeys((_VENDORS.get(vendor, vendor), vendor))):
        for name in names:
            yield name, by
    if provider:
        for name in (model, *names):
            yield name, _VENDORS.get(provider, provider)
    for name in names:
        yield name, None


def _prices_of(entry: Any) -> Iterator[tuple[str, int, Steps]]:
    """Yield the prices of an entry from each day and each minute of the day on which they change, oldest first."""
    conditions = [one.constraint for one in entry.prices] if isinstance(entry.prices, list) else []
    starts = {
        start for condition in conditions if (start := getattr(condition, "start_date", None)) is not None
    }
    limits = {
        getattr(condition, name, None) for condition in conditions for name in ("start_time", "end_time")
    }
    times = {time(), *(_in_utc(limit) for limit in limits if limit is not None)}
    for day, at in product((date.min, *sorted(starts)), sorted(times)):
        prices = entry.get_prices(datetime.combine(day, at, UTC))
        by_rate = [getattr(prices, name, None) for name in RATES.values()]
        sizes = sorted({tier.start for price in by_rate for tier in getattr(price, "tiers", ())})
        steps = [(size, tuple(_price(price, size + 1) for price in by_rate)) for size in sizes]
        first = (0, tuple(_price(price, 0) for price in by_rate))
        yield day.isoformat(), at.hour * 60 + at.minute, (first, *steps)


def _in_utc(limit: time) -> time:
    return datetime.combine(date(2000, 1, 1), limit, limit.tzinfo or UTC).astimezone(UTC).time()


def _price(price: Any, tokens: int) -> float | None:
    """Return the price for a prompt of `tokens` tokens; with several tiers, of the highest tier below it."""
    if price is None:
        return None
    tiers = [tier.price for tier in getattr(price, "tiers", ()) if tokens > tier.start]
    return float(tiers[-1] if tiers else getattr(price, "base", price))
