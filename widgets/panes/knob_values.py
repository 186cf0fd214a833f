"""Values of the knobs: each setting's unit, steps and range, and how its value is read and written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from inspector.engines.base import Budgets, Settings
from inspector.engines.settings import RANGES, SETTINGS, Setting
from widgets.base.strips import one_line

Value = float | int | str | None


#: The knob that is not a setting. None means the recorded sizes, up to 2.0 for a share of the budget, more for
#: tokens.
SUMMARY_SIZE = "summary_size"
LARGEST_SHARE = 2.0
_SUMMARY_TOKENS = 20_000


class TuneState(Struct, frozen=True):
    """The settings and their consequences.

    `defaults` are the settings that reset goes back to, `origins` the source of each in a few words ("config.yaml").
    `outcome` are sentences about a compaction now. `summary_size` is the size of summaries in what-ifs (see
    SUMMARY_SIZE).
    """

    settings: Settings
    defaults: Settings
    budgets: Budgets | None = None
    profiles: tuple[str, ...] = ("documented",)
    origins: Mapping[str, str] = field(default_factory=dict)
    outcome: tuple[str, ...] = ()
    summary_size: float | None = None

    @property
    def knobs(self) -> tuple[KnobKind, ...]:
        """The knobs of the settings that have an effect."""
        seldom = () if self.budgets is None else LATER_KNOBS
        return tuple(kind for kind in (*KNOBS, *seldom) if not self._unused(kind))

    @property
    def unused(self) -> tuple[str, ...]:
        """Usual settings without an effect, each with the reason: "max_tokens: the reserve is fixed"."""
        return tuple(f"{kind.name}: {why}" for kind in KNOBS if (why := self._unused(kind)))

    def _unused(self, kind: KnobKind) -> str:
        return "" if self.budgets is None or kind.name == SUMMARY_SIZE else self.budgets.unused(kind.name)

    @property
    def binding(self) -> Mapping[str, str]:
        """The settings that are not in force as they are set, with the rule that overrides each."""
        if self.budgets is None:
            return {}
        return {name: why for name in SETTINGS if (why := self.budgets.binding(name))}


class KnobKind(Struct, frozen=True):
    """The knob of a setting: its unit, the fine and the coarse step, and the range of the slider."""

    name: str
    unit: Literal["share", "count", "tokens", "choice", "size"]
    step: float
    coarse: float
    low: float = 0.0
    high: float = 1.0
    #: Sliders of sizes are logarithmic.
    log: bool = False
    optional: bool = False
    help: str = ""
    choices: tuple[str, ...] = ()


def _knob(row: Setting) -> KnobKind:
    help = f"{row.help} None: not set." if row.optional else row.help
    return KnobKind(row.name, row.kind, *row.slider, row.optional, help, row.choices)


_SIZES = KnobKind(
    SUMMARY_SIZE, "size", 0.05, 0.25, 0.0, 2.0, optional=True,
    help="How large what-ifs take summaries to be: as recorded, a share of their budget (60%), or tokens (1500).",
)  # fmt: skip
#: The knobs of every profile.
KNOBS: tuple[KnobKind, ...] = (
    *(_knob(row) for row in SETTINGS.values() if row.knob and not row.seldom),
    _SIZES,
)
#: Knobs of settings that have an effect with few profiles, shown below the others.
LATER_KNOBS: tuple[KnobKind, ...] = tuple(_knob(row) for row in SETTINGS.values() if row.seldom)


def turned(kind: KnobKind, value: float | None, by: int, coarse: bool) -> float | None:
    """Return the value after `by` steps; None is below the lowest value of a setting that may be left out."""
    if value is None:
        if by <= 0:
            return None
        return 1.0 if kind.unit == "size" else round(kind.low)
    if kind.optional and by < 0 and value <= kind.low:
        return None
    step = kind.coarse if coarse else kind.step
    if kind.unit == "size" and value > LARGEST_SHARE:
        step = 1_000 if coarse else 100
    # On the grid of the step, so that values stay round.
    grid = value / step
    place = math.floor(grid + 1e-9) + by if by > 0 else math.ceil(grid - 1e-9) + by
    return clamped(kind, place * step)


def clamped(kind: KnobKind, value: float) -> float:
    """The nearest value that the setting can have."""
    if kind.unit == "size":
        return round(value, 4) if value <= LARGEST_SHARE else round(min(value, 1_000_000))
    low, high = (kind.low, kind.high) if kind.unit == "share" else RANGES[kind.name]
    value = max(low, min(value, high))
    return round(value, 4) if kind.unit == "share" else round(value)


def meant(kind: KnobKind, number: float) -> float:
    """The value that a typed number stands for: 35 is 35% where the setting is a share."""
    if kind.unit == "share" and number > 1:
        number /= 100
    share = kind.unit == "share" or (kind.unit == "size" and number <= LARGEST_SHARE)
    return round(number, 4) if share else round(number)


def share_of(kind: KnobKind, value: Value) -> float:
    """Position of a value on the slider, from 0 to 1."""
    if value is None or isinstance(value, str):
        return 0.0
    if kind.unit == "size" and value > LARGEST_SHARE:
        return min(1.0, value / _SUMMARY_TOKENS)
    if kind.log:
        share = math.log(max(value, 1) / kind.low) / math.log(kind.high / kind.low)
    else:
        share = (value - kind.low) / (kind.high - kind.low)
    return max(0.0, min(1.0, share))


def value_at(kind: KnobKind, share: float) -> float:
    """The value at a place on the slider."""
    if kind.log:
        return float(kind.low * (kind.high / kind.low) ** share)
    return kind.low + (kind.high - kind.low) * share


def show(kind: KnobKind, value: Value) -> str:
    """A value as the knob shows it: 50%, 20, 200,000, none."""
    if value is None:
        return "as recorded" if kind.unit == "size" else "none"
    if isinstance(value, str):
        return one_line(value, 40)
    if kind.unit == "share":
        return f"{value * 100:.4g}%"
    if kind.unit == "size":
        return f"{value:.0%} budget" if value <= LARGEST_SHARE else f"{round(value):,} tok"
    return f"{round(value):,}"


def parse(text: str) -> float | None:
    """A typed number: 150000, 150,000, 150k, 1.5m, 50% (0.5). None if it is none."""
    bare = text.strip().replace(",", "").replace("_", "").lower()
    factor = {"k": 1_000.0, "m": 1_000_000.0, "%": 0.01}.get(bare[-1:], 0.0)
    try:
        return float(bare[:-1]) * factor if factor else float(bare)
    except ValueError:
        return None
