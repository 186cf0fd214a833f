"""Head, middle and tail side by side, as wide as their tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from msgspec import Struct
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from widgets.base import human
from widgets.base.inked import Inked
from widgets.base.strips import Row, fit, one_line

REGIONS = ("head", "middle", "tail")
_TOOLTIP = "Head, middle and tail, as wide as their tokens. Click one to go there."


class RegionShare(Struct, frozen=True):
    """A region: how many messages, how many rough tokens, and a note ("→ ≤ 10.0k", "budget 20.0k")."""

    messages: int = 0
    tokens: int = 0
    note: str = ""


class RegionBarState(Struct, frozen=True):
    """A row of the bar. `label` leads a row where there are two ("planned", "recorded"). `reason` is a clause that says
    why a compaction would change nothing, or ""."""

    head: RegionShare = RegionShare()
    middle: RegionShare = RegionShare()
    tail: RegionShare = RegionShare()
    label: str = ""
    kind: Literal["planned", "recorded"] = "planned"
    reason: str = ""

    @property
    def whole(self) -> bool:
        """Whether the compaction takes the whole list, without head and tail."""
        return not self.head.messages and not self.tail.messages

    @property
    def filled(self) -> tuple[str, ...]:
        """Names of the regions with messages."""
        return tuple(name for name in REGIONS if self.share(name).messages)

    def share(self, name: str) -> RegionShare:
        """The region of that name."""
        return {"head": self.head, "middle": self.middle, "tail": self.tail}[name]


class RegionBar(Inked, can_focus=True):
    """One row for what is planned and, where there is one, a second for what was recorded.

    Posts RegionChosen when a region is clicked, or chosen with the arrows and enter.
    """

    DEFAULT_CSS = """
    RegionBar {
        height: auto;
        background: $background;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "region(-1)", "Previous region", id="regions.left", show=False),
        Binding("right,l", "region(1)", "Next region", id="regions.right", show=False),
        Binding("enter", "choose", "Go to the region", id="regions.choose", show=False),
    ]

    @dataclass
    class RegionChosen(Message):
        """A region was chosen: `name` is head, middle or tail, `kind` planned or recorded."""

        name: str
        kind: str

    planned: reactive[RegionBarState | None] = reactive(None)
    recorded: reactive[RegionBarState | None] = reactive(None)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._region = 1
        self.tooltip = _TOOLTIP

    def watch_planned(self) -> None:
        """Lay out again when a row appears or disappears."""
        if self.size.height != max(1, len(self._rows)):
            self.refresh(layout=True)

    watch_recorded = watch_planned

    @property
    def _rows(self) -> list[RegionBarState]:
        """The rows to draw; of a compaction that takes the whole list one row is enough."""
        rows = [state for state in (self.planned, self.recorded) if state is not None]
        return [state for state in rows if not state.whole] or rows[:1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A line for each row."""
        return max(1, len(self._rows))

    def render_line(self, y: int) -> Strip:
        """A row."""
        width = self.size.width
        if y >= len(self._rows):
            return Strip.blank(width, self.base_style)
        return self._draw(y, self._rows[y], width)

    def _draw(self, y: int, state: RegionBarState, width: int) -> Strip:
        muted, number = self.ink("muted"), self.ink("")
        if state.whole:
            middle = state.middle
            verb = "took" if state.kind == "recorded" else "would take"
            size = f"~{human.tokens(middle.tokens)} {one_line(middle.note, 40)}".rstrip()
            words = f"a compaction {verb} the whole list: {human.plural(middle.messages, 'message')}, {size}"
            words = words if middle.messages else "no messages"
            return Row().add(words, muted + _click("middle", state)).strip(width, self.base_style)
        label_width = max((len(row.label) for row in self._rows), default=0)
        label = one_line(state.label, 20).ljust(label_width) + "  " if label_width else ""
        if state.reason:
            words = fit(f"{label}a compaction would change nothing: {one_line(state.reason, 200)}", width)
            return Row().add(words, muted).strip(width, self.base_style)
        texts, gaps = self._texts(state, width - len(label))
        bars = _shares(
            [state.share(name).tokens for name in state.filled],
            width - len(label) - sum(len(before) + len(after) for before, after in texts) - gaps,
        )
        row = Row().add(label, muted)
        for index, (name, (before, after), cells) in enumerate(zip(state.filled, texts, bars, strict=True)):
            click = _click(name, state)
            style = self.ink(name) + click
            if self.has_focus and y == 0 and name == REGIONS[self._region]:
                chosen = style + self.ink("chosen")
                row.add(before.rstrip(), chosen).add(" ", style)
            else:
                row.add(before, style)
            row.add("▓" * cells, style).add(after, number + click)
            if index < len(texts) - 1:
                row.add(" │ ", muted)
        return row.strip(width, self.base_style)

    @staticmethod
    def _texts(state: RegionBarState, width: int) -> tuple[list[tuple[str, str]], int]:
        """Texts before and after each bar, as long as the bars have room."""

        def wording(level: int) -> list[tuple[str, str]]:
            texts = []
            for name in state.filled:
                share = state.share(name)
                comma = "" if share.note.startswith("→") else ","
                note = f"{comma} {one_line(share.note, 40)}" if share.note and level == 0 else ""
                messages = f" {share.messages:,}" + (" ·" if level == 0 else "")
                size = f" ~{human.tokens(share.tokens)}" if level < 2 else ""
                texts.append((f"{name if level < 3 else name[0]} ", f"{messages}{size}{note}"))
            return texts

        for level in range(4):
            texts = wording(level)
            gaps, least = 3 * (len(texts) - 1), len(texts) * (1 if level else 3)
            if sum(len(before) + len(after) for before, after in texts) + gaps + least <= width:
                break
        return texts, gaps

    def action_region(self, by: int) -> None:
        """Go to another region with messages."""
        names = self._rows[0].filled if self._rows else ()
        places = [REGIONS.index(name) for name in names]
        beyond = [place for place in places if (place - self._region) * by > 0]
        if beyond:
            self._region = beyond[0] if by > 0 else beyond[-1]
            self.refresh()

    def action_choose(self) -> None:
        """Post the chosen region."""
        if self._rows and REGIONS[self._region] in self._rows[0].filled:
            self.post_message(self.RegionChosen(REGIONS[self._region], self._rows[0].kind))

    def on_click(self, event: events.Click) -> None:
        """A click chooses the region under it."""
        if "region" in event.style.meta:
            event.stop()
            self.post_message(self.RegionChosen(event.style.meta["region"], event.style.meta["kind"]))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the region under the pointer."""
        kind = event.style.meta.get("kind")
        state = next((row for row in self._rows if row.kind == kind), None)
        self.tooltip = _TOOLTIP if state is None else explain(event.style.meta["region"], state)


def _click(name: str, state: RegionBarState) -> Style:
    return Style(meta={"region": name, "kind": state.kind})


def explain(name: str, state: RegionBarState) -> str:
    """A region in a sentence."""
    what = "The summary replaces this region" if name == "middle" else "This region stays as it is"
    share = state.share(name)
    note = f" ({one_line(share.note, 80)})" if share.note else ""
    size = f"{human.plural(share.messages, 'message')}, about {share.tokens:,} tokens{note}"
    return f"{state.kind} {name}: {size}.\n{what}. Click to go there."


def _shares(tokens: list[int], cells: int) -> list[int]:
    """Return the cells of each region: in proportion, at least one for a region with tokens, `cells` in all."""
    total = sum(tokens)
    if cells <= 0 or total <= 0:
        return [0 for _ in tokens]
    widths = [max(1, value * cells // total) if value else 0 for value in tokens]
    largest = max(range(len(tokens)), key=lambda i: tokens[i])
    widths[largest] = max(0, widths[largest] + cells - sum(widths))
    return widths
