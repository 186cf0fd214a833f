"""The token gauge: how full a list is, with the marks at which something happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip

from inspector.core.signs import ROUGH
from widgets.base import human
from widgets.base.inked import Inked
from widgets.base.signs import Sign
from widgets.base.strips import Row

#: From this width on the marks of the bar have room for words.
_WORDED = 100
#: Minimum width of the gauge for a sentence about the rough count.
_ROOMY = 120
#: How a token count came to be; "~" marks the estimate.
KIND_WORDS = {
    "rough": "rough estimate",
    "exact": "exact, without the JSON around texts and calls",
    "reported": "reported by the provider",
    "grown": "reported by the provider, and rough counts of later messages",
    "fitted": "as the provider would report it, fitted",
}
GaugeKind = Literal["rough", "exact", "reported", "grown", "fitted"]
_SHORT_KINDS = {"grown": "reported + later"}
#: Kinds in a wide gauge, which says what a count leaves out.
_LONG_KINDS = {**_SHORT_KINDS, "exact": "exact, without JSON"}


class GaugeState(Struct, frozen=True):
    """Values of the gauge in tokens.

    `pressure` is the size with a warning, `hygiene` that at which the gateway compacts (0 hides a mark). `tokens` are
    None until counted, `kind` is the way of counting, `detail` more about it ("cl100k_base", "of the last response").
    `planned` is the rough count that plans use, None if it is the same. `missing`: the files lack the list.
    `least`: only a minimum of `context` is known, so that the threshold may be higher. `doubt` says why the threshold
    is uncertain, or "".
    """

    tokens: int | None = None
    threshold: int = 0
    pressure: int = 0
    hygiene: int = 0
    context: int = 0
    kind: GaugeKind = "rough"
    detail: str = ""
    planned: int | None = None
    missing: bool = False
    least: bool = False
    doubt: str = ""

    @property
    def parted(self) -> bool:
        """Whether the count on screen and the count of plans are on different sides of the threshold."""
        if self.tokens is None or self.planned is None:
            return False
        return (self.tokens >= self.threshold) != (self.planned >= self.threshold)


class Gauge(Inked):
    """One line: a bar up to the context length, its labelled marks, and the numbers in full to the right."""

    DEFAULT_CSS = """
    Gauge {
        height: 1;
        background: $background;
    }
    """

    state: reactive[GaugeState] = reactive(GaugeState())

    def signs(self) -> Iterator[Sign]:
        """The signs of the bar. A wide bar has a word next to each mark."""
        marks = ["threshold of the next compaction"] if self.state.threshold else []
        if self.state.pressure:
            share = human.percent(self.state.pressure, self.state.threshold)
            marks.append(f"“{share}”: share of the threshold at which the agent warns")
        if self.state.hygiene:
            marks.append("“hygiene”: share of the context at which the gateway compacts")
        if marks and self.size.width < _WORDED:
            yield "┃", "; ".join(marks)
        if self.state.least:
            yield "≥", "only a minimum of the context length is known, so the threshold may be higher"
        if self.state.doubt:
            yield "?", self.state.doubt

    def watch_state(self, state: GaugeState) -> None:
        """Keep the tooltip in step."""
        self.tooltip = explain(state)

    def render_line(self, y: int) -> Strip:
        """The one line."""
        width, state = self.size.width, self.state
        number = self._number(width)
        bar = width - number.width - 2
        row = self._bar(bar, state) if bar >= 8 else Row()
        row.fill(max(0, width - number.width), Style())
        row.segments.extend(number.segments)
        row.width += number.width
        return row.strip(width, self.base_style)

    def _number(self, width: int) -> Row:
        state, row = self.state, Row()
        if state.tokens is None:
            return row.add("not in the files" if state.missing else "counting …", self.ink("muted"))
        rough = "" if state.kind in ("exact", "reported") else ROUGH
        row.add(f"{rough}{state.tokens:,}", self.ink("strong"))
        row.add(
            f" / {'≥ ' if state.least else ''}{state.threshold:,}{'?' if state.doubt else ''} · ",
            self.ink("muted"),
        )
        row.add(human.percent(state.tokens, state.threshold), self.ink(self._level(state)))
        if width >= 70:
            kinds = _LONG_KINDS if width >= _ROOMY else _SHORT_KINDS
            row.add(f" · {kinds.get(state.kind, state.kind)}", self.ink("muted"))
        if state.parted and state.planned is not None:
            share = human.percent(state.planned, state.threshold)
            side = "over" if state.planned >= state.threshold else "below"
            words = (
                f" (rough count: {share}, {side} the threshold)" if width >= _ROOMY else f" (rough: {share})"
            )
            row.add(words, self.ink("changed"))
        return row

    @staticmethod
    def _level(state: GaugeState) -> str:
        tokens = state.tokens or 0
        if state.threshold and tokens >= state.threshold and not state.least:
            return "removed"
        if state.pressure and tokens >= state.pressure:
            return "changed"
        return "key"

    def _bar(self, width: int, state: GaugeState) -> Row:
        scale = max(state.context, state.threshold, state.hygiene, state.tokens or 0, 1)

        def cell(tokens: int) -> int:
            return min(width - 1, tokens * width // scale)

        full = -(-(state.tokens or 0) * width // scale)
        fill, rest = self.ink(self._level(state)), self.ink("rest")
        cells = [("▓", fill) if x < full else ("┈", rest) for x in range(width)]
        taken: list[tuple[int, int]] = []
        for tokens, sign, label, name in (
            (state.threshold, "┃", "threshold", "strong"),
            (state.pressure, "┃", human.percent(state.pressure, state.threshold), "changed"),
            (state.hygiene, "┃", "hygiene", "removed"),
        ):
            if tokens:
                _put_mark(cells, cell(tokens), sign, label, self.ink(name), taken)
        row = Row()
        for glyph, style in cells:
            row.add(glyph, style)
        return row


def _put_mark(
    cells: list[tuple[str, Style]], at: int, sign: str, label: str, style: Style, taken: list[tuple[int, int]]
) -> None:
    """Draw a sign and, where there is room on either side, its label. Nothing is drawn over another mark."""
    for start, text in ((at, sign + label), (at - len(label), label + sign), (at, sign)):
        stop = start + len(text)
        free = all(stop <= low or start >= high for low, high in taken)
        if start >= 0 and stop <= len(cells) and free:
            for offset, glyph in enumerate(text):
                cells[start + offset] = (glyph, style)
            taken.append((start, stop))
            return


def explain(state: GaugeState) -> str:
    """The gauge in sentences."""
    lines = []
    if state.tokens is None:
        unknown = "The list is not in the files, so its tokens are unknown."
        lines.append(unknown if state.missing else "The tokens of this list are being counted.")
    else:
        how = KIND_WORDS[state.kind] + (f", {state.detail}" if state.detail else "")
        lines.append(f"{state.tokens:,} tokens in this list ({how}).")
    if state.parted:
        lines.append(parting(state))
    if state.threshold:
        lines.append(f"┃ threshold {state.threshold:,}: the agent compacts before its next call.")
    if state.pressure:
        share = human.percent(state.pressure, state.threshold)
        lines.append(f"┃ pressure {state.pressure:,}: {share} of the threshold, where a warning comes.")
    if state.hygiene:
        share = human.percent(state.hygiene, state.context)
        lines.append(f"┃ hygiene {state.hygiene:,}: {share} of the context, where the gateway compacts.")
    if state.context:
        lines.append(f"Context length {state.context:,}: the whole bar.")
    if state.least:
        lines.append("≥ Only a minimum of the context length is known, so the threshold may be higher.")
    if state.doubt:
        lines.append(f"? This is {state.doubt}.")
    return "\n".join(lines)


def parting(state: GaugeState) -> str:
    """Why a plan fires below the threshold, or does not above it: one sentence, "" if the counts agree."""
    if not state.parted or state.tokens is None or state.planned is None:
        return ""
    exact, rough = f"{state.tokens:,}", f"{state.planned:,}"
    sides = ("below", "over") if state.planned >= state.threshold else ("over", "below")
    return (
        f"The exact count ({exact} tokens) is {sides[0]} the threshold, the rough count (~{rough}) is {sides[1]} it. "
        "Plans use the rough count, because the releases use it until a provider has answered."
    )
