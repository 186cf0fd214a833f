"""What a benchmark answers, and the table that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number. `target` is the most that it is to be, None where none was set; `note` says how it was had."""

    name: str
    value: float
    unit: str = "ms"
    target: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """ok, over, or nothing where there is no target."""
        return "" if self.target is None else "ok" if self.value <= self.target else "over"


def middle(values: Sequence[float]) -> float:
    """The median."""
    return median(values)


def p95(values: Sequence[float]) -> float:
    """What 95 in 100 values do not exceed."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def spread(values: Sequence[float], unit: str = "ms") -> str:
    """From the least to the most of several runs."""
    return f"{number(min(values))}–{number(max(values))} {unit} in {len(values)} runs"


def number(value: float) -> str:
    """A number with three digits that matter."""
    if value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines of text."""
    lines = [("", "median", "target", "", "")]
    lines += [
        (
            f.name,
            f"{number(f.value)} {f.unit}",
            "" if f.target is None else f"≤ {number(f.target)} {f.unit}",
            f.verdict,
            f.note,
        )
        for f in figures
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    return "\n".join(
        f"{name:<{widths[0]}}  {value:>{widths[1]}}  {target:>{widths[2]}}  {verdict:<{widths[3]}}  {note}".rstrip()
        for name, value, target, verdict, note in lines
    )
