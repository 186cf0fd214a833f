"""The top line of a screen: its title, and running work at the right end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip

from widgets.base.inked import Inked
from widgets.base.strips import Row, fit, one_line, width_of

_JOIN = " ─ "


class TitlePart(NamedTuple):
    """A part of the line. A narrow line drops parts of low `weight` first; `kind` is its style."""

    text: str
    weight: int = 1
    kind: str = ""


class TitleBar(Inked):
    """One line of parts, joined by dashes, and a state at the right end."""

    DEFAULT_CSS = """
    TitleBar {
        height: 1;
        padding: 0 1;
        background: $panel;
    }
    """

    #: The parts, beginning with the title, and the progress of jobs.
    parts: reactive[tuple[TitlePart, ...]] = reactive(())
    state: reactive[str] = reactive("")

    def validate_parts(self, parts: Sequence[TitlePart]) -> tuple[TitlePart, ...]:
        """Leave out parts without a text."""
        return tuple(part for part in parts if part.text)

    @property
    def text(self) -> str:
        """All parts, whether there is room for them or not."""
        return _JOIN.join(part.text for part in self.parts)

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        width = self.size.width
        state = one_line(self.state, 200)
        if width_of(state) > width // 2:
            state = fit(state, width // 2)
        room = width - (width_of(state) + 2 if state else 0)
        row = Row()
        for number, (part, text) in enumerate(_fitting(self.parts, room)):
            row.add(_JOIN if number else "", self.ink("join"))
            ink = self.ink(part.kind or ("strong" if number == 0 else "label"))
            row.add(fit(text, min(width_of(text), max(0, room - row.width))), ink)
        if state:
            row.fill(width - width_of(state), Style()).add(state, self.ink("accent"))
        return row.strip(width, self.base_style)


def _fitting(parts: Sequence[TitlePart], room: int) -> list[tuple[TitlePart, str]]:
    """The parts that fit, in their order; the last one left is cut rather than dropped."""
    kept = [(part, one_line(part.text, 200)) for part in parts]

    def needed() -> int:
        return sum(width_of(text) for _, text in kept) + len(_JOIN) * (len(kept) - 1)

    while len(kept) > 1 and needed() > room:
        kept.remove(min(kept, key=lambda pair: pair[0].weight))
    return kept
