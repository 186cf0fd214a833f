"""Figures of a benchmark, and the table that shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number.

    `ratio` compares it with a bare app or list that was measured in turn with it. `other` is the same number of another
    checkout, `other_ratio` compares with that. `target` is the maximum of the ratio, or of the number if there is no
    ratio; None for no target. `note` has details of the measurement.
    """

    name: str
    value: float
    unit: str = "ms"
    target: float | None = None
    note: str = ""
    ratio: float | None = None
    other: float | None = None
    other_ratio: float | None = None

    @property
    def verdict(self) -> str:
        """ok, over, or empty if there is no target."""
        if self.target is None:
            return ""
        return "ok" if (self.value if self.ratio is None else self.ratio) <= self.target else "over"


def compared(
    name: str, taken: Mapping[str, Sequence[float]], max_ratio: float | None = None, *, by_p95: bool = False,
    max_value: float | None = None, unit: str = "ms",
) -> Figure:  # fmt: skip
    """Return the figure of `ours`, compared with `bare` and `other` if they were measured.

    `max_ratio` is the target of the ratio to the bare app, by the median or the 95th percentile; `max_value` is a
    target of the figure itself.
    """
    typical = p95 if by_p95 else middle
    ours = typical(taken["ours"])
    bare = taken.get("bare")
    other = taken.get("other")
    note = f"p95; median {number(middle(taken['ours']))}" if by_p95 else f"p95 {number(p95(taken['ours']))}"
    note += f", {len(taken['ours'])} runs"
    if bare:
        note += f"; bare: {number(typical(bare))} {unit}"
    if other:
        note += f"; other: median {number(middle(other))}, p95 {number(p95(other))}"
    return Figure(
        name,
        ours,
        unit,
        max_ratio if max_value is None else max_value,
        note,
        ratio=ours / typical(bare) if bare and max_value is None else None,
        other=typical(other) if other else None,
        other_ratio=ours / typical(other) if other else None,
    )


def middle(values: Sequence[float]) -> float:
    """Return the median."""
    return median(values)


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def spread(values: Sequence[float], unit: str = "ms") -> str:
    """Return the range of several runs."""
    return f"{number(min(values))}–{number(max(values))} {unit} in {len(values)} runs"


def number(value: float) -> str:
    """Return a number with three significant digits."""
    if value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as lines of text, without empty columns."""
    lines = [("", "ours", "× bare", "target", "", "other", "ours/other", ""), *map(_line, figures)]
    shown = [
        column for column in range(len(lines[0])) if column == 0 or any(line[column] for line in lines[1:])
    ]
    widths = {column: max(len(line[column]) for line in lines) for column in shown}
    return "\n".join(
        "  ".join(
            line[column].ljust(widths[column]) if column in (0, 4, 7) else line[column].rjust(widths[column])
            for column in shown
        ).rstrip()
        for line in lines
    )


def _line(figure: Figure) -> tuple[str, ...]:
    unit = "×" if figure.ratio is not None else figure.unit
    return (
        figure.name,
        f"{number(figure.value)} {figure.unit}",
        "" if figure.ratio is None else f"{figure.ratio:.2f}",
        "" if figure.target is None else f"≤ {number(figure.target)} {unit}",
        figure.verdict,
        "" if figure.other is None else f"{number(figure.other)} {figure.unit}",
        "" if figure.other_ratio is None else f"{figure.other_ratio:.2f}",
        figure.note,
    )
