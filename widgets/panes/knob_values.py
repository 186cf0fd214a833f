"""The settings that have knobs, and how a value of a knob is turned, read and written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct, field

from inspector.engines.base import Budgets, Settings
from inspector.engines.settings import SETTINGS, Setting, Slider
from widgets.base.strips import one_line

Value = float | int | str | None

#: The name of the knob that is not a setting: the size of summaries in what-ifs. None means as recorded. A value up to
#: LARGEST_SHARE is a share of the budget, a larger one a number of tokens.
SUMMARY_SIZE = "summary_size"
LARGEST_SHARE = 2.0
_MAX_SUMMARY_TOKENS = 1_000_000
#: The number of tokens at the end of its slider.
_SLIDER_TOKENS = 20_000
_SUMMARY_SIZE = Setting(
    "share", "How large what-ifs take summaries to be: as recorded, a share of their budget (60%), or tokens (1500).",
    slider=Slider(0.05, 0.25, 0.0, LARGEST_SHARE), name=SUMMARY_SIZE,
)  # fmt: skip
#: The knobs of every profile.
KNOBS: tuple[Setting, ...] = (
    *(setting for setting in SETTINGS.values() if setting.knob and not setting.seldom),
    _SUMMARY_SIZE,
)
#: Knobs of settings that have an effect with few profiles, shown below the others.
LATER_KNOBS: tuple[Setting, ...] = tuple(setting for setting in SETTINGS.values() if setting.seldom)


class TuneState(Struct, frozen=True, dict=True):
    """The settings and their consequences.

    `defaults` are the settings that reset goes back to, `origins` the source of each in a few words ("config.yaml").
    `outcome` are sentences about a compaction now. `summary_size` is the size of summaries in what-ifs (see
    SUMMARY_SIZE). `taken_over` are a sentence and the lines of the agent's configuration for changed settings.
    """

    settings: Settings
    defaults: Settings
    budgets: Budgets | None = None
    profiles: tuple[str, ...] = ("documented",)
    origins: Mapping[str, str] = field(default_factory=dict)
    outcome: tuple[str, ...] = ()
    summary_size: float | None = None
    taken_over: tuple[str, ...] = ()

    @cached_property
    def knobs(self) -> tuple[Setting, ...]:
        """The knobs of the settings that have an effect."""
        seldom = () if self.budgets is None else LATER_KNOBS
        return tuple(knob for knob in (*KNOBS, *seldom) if not self._unused(knob))

    @cached_property
    def unused(self) -> tuple[str, ...]:
        """Usual settings without an effect, each with the reason: "max_tokens: the reserve is fixed"."""
        return tuple(f"{knob.name}: {why}" for knob in KNOBS if (why := self._unused(knob)))

    def _unused(self, knob: Setting) -> str:
        return "" if self.budgets is None or knob is _SUMMARY_SIZE else self.budgets.why_unused(knob.name)

    @cached_property
    def binding(self) -> Mapping[str, str]:
        """The settings that are not in force as they are set, with the rule that overrides each."""
        if self.budgets is None:
            return {}
        return {name: why for name in SETTINGS if (why := self.budgets.binding(name))}


def help_of(knob: Setting) -> str:
    """Return the help of a setting, and the meaning of None."""
    return f"{knob.help} None: not set." if knob.optional and knob is not _SUMMARY_SIZE else knob.help


def turned(knob: Setting, value: float | None, by: int, coarse: bool) -> float | None:
    """Return the value after `by` steps; None is below the lowest value of a setting that may be left out."""
    slider = knob.slider
    if value is None:
        if by <= 0:
            return None
        return 1.0 if knob is _SUMMARY_SIZE else round(slider.low)
    if knob.optional and by < 0 and value <= slider.low:
        return None
    step = slider.coarse if coarse else slider.step
    if _is_tokens(knob, value):
        step = 1_000 if coarse else 100
    # On the grid of the step, so that values stay round.
    grid = value / step
    place = math.floor(grid + 1e-9) + by if by > 0 else math.ceil(grid - 1e-9) + by
    return clamped(knob, place * step)


def clamped(knob: Setting, value: float) -> float:
    """Return the nearest value that the setting can have."""
    if knob is _SUMMARY_SIZE:
        return _rounded(knob, min(value, _MAX_SUMMARY_TOKENS))
    return _rounded(knob, max(knob.low, min(value, knob.high)))


def meant(knob: Setting, number: float) -> float:
    """Return the value that a typed number stands for: 35 is 35% if the setting is a share."""
    is_percent = knob.kind == "share" and knob is not _SUMMARY_SIZE and number > 1
    return _rounded(knob, number / 100 if is_percent else number)


def _rounded(knob: Setting, value: float) -> float:
    is_share = knob.kind == "share" and not _is_tokens(knob, value)
    return round(value, 4) if is_share else round(value)


def _is_tokens(knob: Setting, value: float) -> bool:
    """Return whether a value is a size of summaries in tokens."""
    return knob is _SUMMARY_SIZE and value > LARGEST_SHARE


def share_of(knob: Setting, value: Value) -> float:
    """Return the position of a value on the slider, from 0 to 1."""
    if value is None or isinstance(value, str):
        return 0.0
    if _is_tokens(knob, value):
        return min(1.0, value / _SLIDER_TOKENS)
    low, high = knob.slider.low, knob.slider.high
    is_log = knob.slider.log
    share = math.log(max(value, 1) / low, high / low) if is_log else (value - low) / (high - low)
    return max(0.0, min(1.0, share))


def value_at(knob: Setting, share: float) -> float:
    """Return the value at a place on the slider."""
    low, high = knob.slider.low, knob.slider.high
    return low * (high / low) ** share if knob.slider.log else low + (high - low) * share


def show(knob: Setting, value: Value) -> str:
    """Return a value as the knob shows it: 50%, 20, 200,000, none."""
    if value is None:
        return "as recorded" if knob is _SUMMARY_SIZE else "none"
    if isinstance(value, str):
        return one_line(value, 40)
    if knob is _SUMMARY_SIZE:
        return f"{round(value):,} tok" if _is_tokens(knob, value) else f"{value:.0%} budget"
    return knob.words(value)


def parse(text: str) -> float | None:
    """Return a typed number: 150000, 150,000, 150k, 1.5m, 50% (0.5). None for another text."""
    bare = text.strip().replace(",", "").replace("_", "").lower()
    factor = {"k": 1_000.0, "m": 1_000_000.0, "%": 0.01}.get(bare[-1:], 0.0)
    try:
        return float(bare[:-1]) * factor if factor else float(bare)
    except ValueError:
        return None
