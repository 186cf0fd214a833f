"""The token graph as a picture: an SVG without script, links or fonts of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 40, 48
#: A curve is drawn with at most so many points, each the highest of its steps.
_POINTS = 800
_STYLE = (
    "text{font:12px sans-serif;fill:currentColor}"
    ".axis{stroke:currentColor;stroke-opacity:.4}.grid{stroke:currentColor;stroke-opacity:.12}"
    ".recorded{fill:#4a7aac;fill-opacity:.45;stroke:#4a7aac}"
    ".whatif{fill:none;stroke:#b4530a;stroke-width:2;stroke-dasharray:6 3}"
    ".kept{fill:none;stroke:#2e7d32;stroke-width:2;stroke-dasharray:2 3}"
    ".threshold{stroke:currentColor;stroke-dasharray:8 4}.hygiene{stroke:#b3261e;stroke-dasharray:3 3}"
    ".context{stroke:currentColor;stroke-opacity:.5}"
)


@dataclass(frozen=True, slots=True)
class Curve:
    """Tokens after each step, and the steps (counted from 1) at which the list was compacted. `kind` is recorded,
    whatif or kept; `name` is what the legend says."""

    kind: str
    name: str
    tokens: Sequence[int]
    compactions: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Marks in tokens; 0 leaves one out."""

    threshold: int = 0
    hygiene: int = 0
    context: int = 0


def token_graph(
    curves: Sequence[Curve],
    lines: Lines,
    *,
    title: str = "Tokens by step",
    width: int = 960,
    height: int = 360,
) -> str:
    """The SVG. Colours follow the text around it; each curve also has its own dash. The context line is left out where
    it lies far above everything else."""
    steps = max((len(curve.tokens) for curve in curves), default=0)
    highest = max([1, *(max(curve.tokens, default=0) for curve in curves), lines.threshold])
    for mark in (lines.hygiene, lines.context):
        highest = mark if highest < mark <= 1.5 * highest else highest
    across, up = width - _LEFT - _RIGHT, height - _TOP - _BOTTOM
    floor = _TOP + up

    def x(step: float) -> float:
        return round(_LEFT + across * (step - 1) / max(1, steps - 1), 1)

    def y(tokens: float) -> float:
        return round(floor - up * tokens / (highest * 1.05), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" class="token-graph">',
        f"<title>{escape(title)}</title><desc>{escape(_described(curves, lines, steps))}</desc>",
        f"<style>{''.join(f'.token-graph {rule}}}' for rule in _STYLE.split('}') if rule)}</style>",
        *_axes(highest, steps, width, floor, x, y),
    ]
    for curve in curves:
        points = [f"{x(step):g},{y(tokens):g}" for step, tokens in _points(curve.tokens)]
        if not points:
            continue
        if curve.kind == "recorded":
            last = x(len(curve.tokens))
            parts.append(
                f'<polygon class="recorded" points="{_LEFT},{floor} {" ".join(points)} {last:g},{floor}"/>'
            )
        else:
            parts.append(f'<polyline class="{escape(curve.kind)}" points="{" ".join(points)}"/>')
        sign = {"recorded": "▲", "whatif": "△"}.get(curve.kind, "◇")
        row = floor + {"recorded": 14, "whatif": 26}.get(curve.kind, 38)
        parts += [
            f'<text x="{x(step):g}" y="{row}" text-anchor="middle">{sign}'
            f"<title>{escape(curve.name)}: compaction {number} at step {step:,}</title></text>"
            for number, step in enumerate(curve.compactions, 1)
        ]
    for name in ("threshold", "hygiene", "context"):
        mark = getattr(lines, name)
        if 0 < mark <= highest:
            at = y(mark)
            parts.append(f'<line class="{name}" x1="{_LEFT}" x2="{width - _RIGHT}" y1="{at:g}" y2="{at:g}"/>')
            parts.append(
                f'<text x="{width - _RIGHT}" y="{at - 4:g}" text-anchor="end">{name} {mark:,}</text>'
            )
    parts += _legend(curves)
    return "".join([*parts, "</svg>"])


def _axes(highest: int, steps: int, width: int, floor: float, x: object, y: object) -> list[str]:
    parts = []
    power = 10 ** (len(str(highest)) - 1)
    unit = next(part for part in (power // 5 or 1, power // 2 or 1, power, 2 * power) if highest / part <= 6)
    for tokens in range(0, int(highest * 1.05) + 1, unit):
        at = y(tokens)  # type: ignore[operator]
        label = f"{tokens / 1000:g}k" if unit >= 100 else f"{tokens}"
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{width - _RIGHT}" y1="{at:g}" y2="{at:g}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4:g}" text-anchor="end">{label}</text>')
    parts.append(f'<line class="axis" x1="{_LEFT}" x2="{width - _RIGHT}" y1="{floor}" y2="{floor}"/>')
    ends = [(1, "start"), (steps, "end")] if steps > 1 else [(1, "start")] if steps else []
    parts += [
        f'<text x="{x(step):g}" y="{_TOP - 6}" text-anchor="{anchor}">step {step:,}</text>'  # type: ignore[operator]
        for step, anchor in ends
    ]
    return parts


def _legend(curves: Sequence[Curve]) -> list[str]:
    parts, at = [], _LEFT
    for curve in curves:
        kind = escape(curve.kind)
        parts.append(f'<line class="{kind}" stroke-width="3" x1="{at}" x2="{at + 28}" y1="14" y2="14"/>')
        parts.append(f'<text x="{at + 34}" y="18">{escape(curve.name)}</text>')
        at += 60 + 7 * len(curve.name)
    return parts


def _points(tokens: Sequence[int]) -> list[tuple[int, int]]:
    """Steps and tokens; of a long curve the lowest and the highest of each stretch, so that drops stay."""
    if len(tokens) <= _POINTS:
        return list(enumerate(tokens, 1))
    found: dict[int, int] = {1: tokens[0], len(tokens): tokens[-1]}
    half = _POINTS // 2
    for part in range(half):
        start, stop = part * len(tokens) // half, (part + 1) * len(tokens) // half
        stretch = range(start, stop)
        for index in (max(stretch, key=tokens.__getitem__), min(stretch, key=tokens.__getitem__)):
            found[index + 1] = tokens[index]
    return sorted(found.items())


def _described(curves: Sequence[Curve], lines: Lines, steps: int) -> str:
    told = [
        f"{curve.name}: at most {max(curve.tokens, default=0):,} tokens, {len(curve.compactions)} compactions"
        + (
            f" at steps {', '.join(f'{step:,}' for step in curve.compactions[:40])}"
            if curve.compactions
            else ""
        )
        for curve in curves
    ]
    marks = [
        f"{name} {getattr(lines, name):,}"
        for name in ("threshold", "hygiene", "context")
        if getattr(lines, name)
    ]
    return f"Tokens of the list over {steps:,} steps. {'; '.join(told)}. {', '.join(marks)}."
