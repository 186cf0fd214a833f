"""What a benchmark answers, and the table that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number.

    `ratio` is that to a bare app or list measured by turns with it, `theirs` the same number of another checkout and
    `against` the ratio of ours to it. `target` is the most that the ratio is to be, the number itself where there is
    no ratio; None where none was set. `note` says how it was had.
    """

    name: str
    value: float
    unit: str = "ms"
    target: float | None = None
    note: str = ""
    ratio: float | None = None
    theirs: float | None = None
    against: float | None = None

    @property
    def verdict(self) -> str:
        """ok, over, or nothing where there is no target."""
        if self.target is None:
            return ""
        return "ok" if (self.value if self.ratio is None else self.ratio) <= self.target else "over"


def compared(
    name: str, taken: Mapping[str, Sequence[float]], times: float | None = None, *, by_p95: bool = False,
    most: float | None = None, unit: str = "ms",
) -> Figure:  # fmt: skip
    """The figure of `ours`, beside `bare` and `theirs` where they were measured too.

    `times` is the most that it is to be of the bare one's, by the median or by the 95th percentile; `most` is the most
    that it is to be by itself.
    """
    of = p95 if by_p95 else middle
    ours = of(taken["ours"])
    bare = taken.get("bare")
    theirs = taken.get("theirs")
    note = f"p95; median {number(middle(taken['ours']))}" if by_p95 else f"p95 {number(p95(taken['ours']))}"
    note += f", {len(taken['ours'])} times"
    if bare:
        note += f"; bare: {number(of(bare))} {unit}"
    if theirs:
        note += f"; theirs: median {number(middle(theirs))}, p95 {number(p95(theirs))}"
    return Figure(
        name,
        ours,
        unit,
        times if most is None else most,
        note,
        ratio=ours / of(bare) if bare and most is None else None,
        theirs=of(theirs) if theirs else None,
        against=ours / of(theirs) if theirs else None,
    )


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
    """The figures as lines of text; columns that no figure fills are left out."""
    lines = [("", "ours", "× bare", "target", "", "theirs", "ours/theirs", ""), *map(_line, figures)]
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
        "" if figure.theirs is None else f"{number(figure.theirs)} {figure.unit}",
        "" if figure.against is None else f"{figure.against:.2f}",
        figure.note,
    )
