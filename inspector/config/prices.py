"""Prices of models: the user's own prices.yaml, else genai-prices as of the requested time.

prices.yaml is in the user's configuration folder and lists mappings: `model` (a part of the model's name; the longest
wins), `from` (a date, optional), and US dollars per million tokens as `input`, `output`, `cache_read`,
`cache_write_5m`, `cache_write_1h`. `steps`, optional, lists prices by size: mappings with `above` (tokens of the
prompt) and the prices that change.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.caching.costs import Rates
from inspector.config.folders import config_dir, read_yaml
from inspector.config.price_list import RATES, Prices, listed
from inspector.core.errors import BadInput
from inspector.core.times import calendar_time


def time_of(at: float) -> datetime:
    """Return a time in seconds since the epoch in UTC; now for 0.0 and for a time that no calendar has."""
    time = calendar_time(at)
    return datetime.fromtimestamp(time, UTC) if time else datetime.now(UTC)


def rates_of(model: str, at: datetime, provider: str = "") -> Rates | None:
    """Return a model's prices at a time in UTC, None if unknown. Raise BadInput if the user's own file cannot be
    used."""
    own_price = _own(model, at.date())
    return own_price if own_price is not None else _listed(model, provider, at)


def own_file() -> Path:
    """Return the path of the user's own prices."""
    return config_dir() / "prices.yaml"


def prices_stamp() -> str:
    """Return a text that changes with the user's own prices and with the release of genai-prices."""
    try:
        status = own_file().stat()
    except OSError:
        return _version()
    return f"{_version()} {status.st_size} {status.st_mtime_ns}"


@cache
def _version() -> str:
    from importlib.metadata import version

    return version("genai-prices")


def _own(model: str, day: date) -> Rates | None:
    path = own_file()
    if not model.strip() or not path.is_file():
        return None
    priced = [
        (name, start, rates)
        for name, start, rates in _read(path, path.stat().st_mtime_ns)
        if name in model.lower() and start <= day
    ]
    if not priced:
        return None
    _, start, rates = max(priced, key=lambda entry: (len(entry[0]), entry[1]))
    return replace(rates, date=start.isoformat() if start > date.min else "")


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> tuple[tuple[str, date, Rates], ...]:
    """Return (part of a model's name, first day, rates) of each entry of the file as it was last `changed`."""
    document = read_yaml(path, f"The price list {path}")
    if not isinstance(document, list):
        raise BadInput(
            f"The prices in {path} are not a list of entries with model, input, output and other prices."
        )
    return tuple(_entry(path, number, entry) for number, entry in enumerate(document, 1))


def _entry(path: Path, number: int, entry: Any) -> tuple[str, date, Rates]:
    if (
        not isinstance(entry, Mapping)
        or not isinstance(entry.get("model"), str)
        or not entry["model"].strip()
    ):
        raise BadInput(f"Entry {number} of the prices in {path} names no model.")
    where = f"Entry {number} of the prices in {path}"
    start = entry.get("from", date.min)
    if not isinstance(start, date):
        raise BadInput(f"{where}: from is not a date such as 2026-10-07.")
    start = start.date() if isinstance(start, datetime) else start
    base = _rates(where, entry, Rates(None, None, None, None, None, str(path)))
    return entry["model"].strip().lower(), start, replace(base, steps=_steps(where, entry, base))


def _rates(where: str, entry: Mapping[str, Any], otherwise: Rates) -> Rates:
    """Return the prices of an entry; missing prices come from `otherwise`."""
    prices: dict[str, Any] = {name: entry[name] for name in RATES if entry.get(name) is not None}
    for name, value in prices.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= sys.float_info.max
        ):
            raise BadInput(f"{where}: {name} is not a price per million tokens.")
        prices[name] = float(value)
    return replace(otherwise, **prices)


def _steps(where: str, entry: Mapping[str, Any], base: Rates) -> tuple[tuple[int, Rates], ...]:
    """Return the prices by size, smallest first; a price that a step lacks comes from the step below."""
    listed = entry.get("steps") or []
    by_size: dict[int, Mapping[str, Any]] = {}
    for step in listed if isinstance(listed, list) else [listed]:
        size = step.get("above") if isinstance(step, Mapping) else None
        if type(size) is not int or size <= 0:
            raise BadInput(f"{where}: steps is not a list of entries with above (tokens) and prices.")
        by_size[size] = step
    steps: list[tuple[int, Rates]] = []
    for size in sorted(by_size):
        steps.append((size, _rates(where, by_size[size], steps[-1][1] if steps else base)))
    return tuple(steps)


def _listed(model: str, provider: str, at: datetime) -> Rates | None:
    if not model.strip():
        return None
    entry, today = listed(model, provider), at.date().isoformat()
    day = max((first for first, _, _ in entry.prices if first <= today), default="")
    minute = at.hour * 60 + at.minute
    then = [prices for first, start, prices in entry.prices if first == day and start <= minute]
    if not then:
        return None
    bare = Rates(None, None, None, None, None, f"genai-prices on {entry.priced_as}", today)

    def with_prices(prices: Prices) -> Rates:
        by_name: dict[str, Any] = dict(zip(RATES, prices, strict=True))
        return replace(bare, **by_name)

    (_, base), *larger = then[-1]
    return replace(with_prices(base), steps=tuple((above, with_prices(prices)) for above, prices in larger))
