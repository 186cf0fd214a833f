"""The generations of a conversation as a line of nodes, the compactions between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from msgspec import Struct
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inspector.core.conversations import Compaction
from widgets.base import human
from widgets.base.inked import Inked
from widgets.base.signs import Sign
from widgets.base.strips import Row, fit, one_line, width_of
from widgets.intents import GoToStep

Ended = Literal["summary", "merged", "fallback", "failed", "encrypted", "unrecorded", "broken"]
Outcome = Literal["", Ended]


def outcome_of(done: Compaction) -> Ended:
    """Outcome of a compaction.

    One that the agent recorded itself took place, even if its summary cannot be read.
    """
    if done.broken:
        return "broken"
    if done.fallback:
        return "fallback"
    if done.summary is not None:
        return "merged" if done.merged else "summary"
    if done.encrypted:
        return "encrypted"
    recorded = done.trigger is not None or done.tokens_before_reported is not None
    return "unrecorded" if recorded else "failed"


class TimelineNode(Struct, frozen=True):
    """A generation. `outcome` is how the compaction that made it ended; empty for the first one.

    `note` is a sentence for the tooltip; `findings` counts those about the compaction that made it. `ahead` is one that
    a replay has not come to.
    """

    number: int
    messages: int = 0
    tokens: int | None = None
    outcome: Outcome = ""
    live: bool = False
    note: str = ""
    findings: int = 0
    ahead: bool = False


class Position(Struct, frozen=True):
    """Position of a replay: step, number of steps, first step of each generation, a note, whether it plays, steps a
    second, and the index in its list of the message that the step brought.
    """

    step: int
    steps: int
    starts: tuple[int, ...]
    note: str = ""
    playing: bool = False
    speed: int = 0
    message: int | None = None


_HINTS = "   space play  ←→ step  [ ] compaction  : number"


GLYPHS: dict[str, str] = {
    "◐": "live generation: the list that the agent holds now",
    "◇": "fallback text instead of a summary",
    "◆": "generation on screen, begun with a fallback text",
    "⊘": "generation after a failed compaction",
    "⊗": "generation on screen, after a failed compaction",
}
_OUTCOME_WORDS: dict[str, str] = {
    "": "the conversation's beginning",
    "summary": "after a compaction with a summary",
    "merged": "after a compaction whose summary was merged into the first tail message",
    "fallback": "after a compaction without a summary: a fallback text took its place",
    "failed": "after a compaction that failed",
    "encrypted": "after a compaction whose summary cannot be read",
    "unrecorded": "after a compaction whose summary is not in the files",
    "broken": "after the agent lost the list before, without a compaction",
}


class Timeline(Inked, can_focus=True):
    """One line of nodes; the current one is filled and, where there is room, in brackets.

    ○ generation, ● current one, ◐ the live one, ◇ made with a fallback text, ⊘ failed (◆ and ⊗ when current);
    ! before one whose compaction has findings. In a replay the line is as long as the conversation, ━ what was said so
    far, ▮ the step. Posts GenerationChosen for clicks and keys; in a replay GoToStep for clicks and drags, StepWanted
    for keys.
    """

    DEFAULT_CSS = """
    Timeline {
        height: 1;
        background: $background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "Earlier generation", id="timeline.earlier", show=False),
        Binding("right,l", "step(1)", "Later generation", id="timeline.later", show=False),
        Binding("home", "edge(0)", "First generation", id="timeline.first", show=False),
        Binding("end", "edge(-1)", "Last generation", id="timeline.last", show=False),
    ]

    @dataclass
    class GenerationChosen(Message):
        """The user wants to see a generation."""

        number: int

    @dataclass
    class StepWanted(Message):
        """The replay shall go on by one step, or back (-1)."""

        by: int

    #: The generations, the number of the chosen one, and the position of a replay.
    nodes: reactive[tuple[TimelineNode, ...]] = reactive(())
    current: reactive[int] = reactive(1)
    position: reactive[Position | None] = reactive(None)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._track = range(0)
        self._dragging = False
        self._places: list[tuple[int, int, int]] = []

    def watch_nodes(self) -> None:
        """Explain the whole line until the pointer is on a node."""
        self.tooltip = "Generations, oldest first; each dot is a list between two compactions. Click, or ← →."

    def signs(self) -> Iterator[Sign]:
        """The signs of the generations."""
        glyphs = {glyph_of(node, node.number == self.current) for node in self.nodes}
        if "●" in glyphs:
            yield "○ ●", "generations; ● is on screen"
        yield from ((glyph, text) for glyph, text in GLYPHS.items() if glyph in glyphs)
        if any(node.findings for node in self.nodes):
            yield "!", "findings about the compaction before this generation"
        if self.position is not None:
            yield "▮ ━", "step of the replay, messages up to it"
            yield ("▶", "playing") if self.position.playing else ("‖", "not playing")

    def render_line(self, y: int) -> Strip:
        """The one line."""
        width = self.size.width
        if not self.nodes or y:
            return Strip.blank(width, self.base_style)
        if self.position is not None:
            return self._draw_replay(self.position, width)
        text = f"generation {self.current} of {len(self.nodes)}"
        row = self._draw_nodes(max(1, width - width_of(text) - 3))
        return row.add("  ", Style()).add(text, self.ink("")).strip(width, self.base_style)

    def _draw_replay(self, at: Position, width: int) -> Strip:
        """The whole conversation as a line, the step on it, and what is said about it."""
        wide = width >= 100
        count = len(self.nodes)
        where = f"generation {self.current} of {count}" if wide else f"gen {self.current}/{count}"
        step = f"step {at.step:,} of {at.steps:,}" if wide else f"{at.step:,}/{at.steps:,}"
        if wide and at.message is not None:
            step += f" (message {at.message:,})"
        speed = f" · {at.speed}/s" if at.playing else ""
        texts = [text for text in (f"{step}{speed}", where, one_line(at.note, 100)) if text]
        # The same width at each step, so that the marker of a later step is never further to the left.
        room = max(12, width // 3)
        taken = 2 + 2 + room + width_of(" · ".join(texts))
        hints = _HINTS if width - taken >= len(_HINTS) else ""
        row = Row().add("▶ " if at.playing else "‖ ", self.ink("warning"))
        self._track = range(row.width, row.width + room)

        def column(step: int) -> int:
            # A list of nothing but copies begins behind the last step.
            return (max(1, min(step, at.steps)) - 1) * (room - 1) // max(1, at.steps - 1)

        here = column(at.step)
        past, ahead = self.ink("key"), self.ink("line")
        cells = [("━", past) if cell < here else ("─", ahead) for cell in range(room)]
        for place, (node, start) in enumerate(zip(self.nodes, at.starts, strict=False)):
            now = node.number == self.current
            cells[column(start + 1) if place else 0] = (glyph_of(node, now), self._node_style(node, now))
        cells[here] = ("▮", self.ink("warning"))
        for glyph, style in cells:
            row.add(glyph, style)
        row.add("  ", Style()).add(texts[0], self.ink(""))
        details, left = "".join(f" · {text}" for text in texts[1:]), width - row.width
        row.add(details if width_of(details) <= left else fit(details, left), self.ink("muted"))
        return row.add(hints, self.ink("muted")).strip(width, self.base_style)

    def _choose_step(self, x: int) -> None:
        if self.position is not None and len(self._track):
            share = (x - self._track.start) / max(1, len(self._track) - 1)
            step = 1 + round(max(0.0, min(1.0, share)) * (self.position.steps - 1))
            if step != self.position.step:
                self.post_message(GoToStep(step))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """In a replay a press goes to the step under the pointer, and a drag through the steps."""
        if self.position is not None:
            self._dragging = True
            self.capture_mouse()
            self._choose_step(event.x - self.gutter.left)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The end of a drag."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _draw_nodes(self, room: int) -> Row:
        """Return as many nodes as fit, with the current one, at most eight cells apart."""
        count = len(self.nodes)
        index = min(max(0, self.current - self.nodes[0].number), count - 1)
        gap = min(8, (room - count - 2) // max(1, count - 1)) if count > 1 else 0
        first, last = 0, count
        if gap < 1:
            gap = 1
            fits = max(1, (room - 2) // 2)
            first = max(0, min(index - fits // 2, count - fits))
            last = min(count, first + fits)
        row, self._places = Row(), []
        line = self.ink("line")
        row.add("‹" if first else "", line)
        for place in range(first, last):
            node, current = self.nodes[place], place == index
            near = place == index + 1 and gap >= 3
            if place > first:
                row.add(")" if near else "", self._current_style)
                dashes = gap - near - (current and gap >= 3)
                marked = bool(node.findings) and dashes >= 2
                row.add("─" * (dashes - marked), line)
                row.add("!" if marked else "", self.ink("warning"))
            row.add("(" if current and gap >= 3 else "", self._current_style)
            self._places.append((node.number, row.width, row.width + 1))
            row.add(glyph_of(node, current), self._node_style(node, current))
        if index == last - 1 and gap >= 3:
            row.add(")", self._current_style)
        return row.add("›" if last < count else "", line)

    def _node_style(self, node: TimelineNode, current: bool) -> Style:
        if node.ahead:
            return self.ink("line")
        bad = node.outcome in ("fallback", "failed")
        style = self.ink("removed" if bad else "added" if node.live else "key")
        if current:
            return self._current_style + style if bad else self._current_style
        return style

    @property
    def _current_style(self) -> Style:
        return self.ink("strong") + (self.ink("chosen") if self.has_focus else Style())

    def _number_at(self, x: int) -> int | None:
        near = [(abs(start - x), number) for number, start, _ in self._places]
        distance, number = min(near, default=(99, 0))
        return number if distance <= 4 else None

    def on_click(self, event: events.Click) -> None:
        """A click chooses the nearest node."""
        if self.position is not None:
            event.stop()
            return
        offset = event.get_content_offset(self)
        number = None if offset is None else self._number_at(offset.x)
        if number is not None:
            event.stop()
            self._choose(number)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Explain the node under the pointer; a drag goes through the steps."""
        if self.position is not None:
            self.tooltip = (
                "The whole conversation, a mark for each generation. Click or drag to go to a step."
            )
            if self._dragging:
                self._choose_step(event.x - self.gutter.left)
            return
        offset = event.get_content_offset(self)
        number = None if offset is None else self._number_at(offset.x)
        node = next((node for node in self.nodes if node.number == number), None)
        if node is not None:
            self.tooltip = explain(node)

    def action_step(self, by: int) -> None:
        """Choose the generation before or after; in a replay the step."""
        if self.position is not None:
            self.post_message(self.StepWanted(by))
            return
        self._choose(self.current + by)

    def action_edge(self, index: int) -> None:
        """Choose the first or the last generation; in a replay the step."""
        if self.position is not None:
            self.post_message(GoToStep(1 if index == 0 else self.position.steps))
        elif self.nodes:
            self._choose(self.nodes[index].number)

    def _choose(self, number: int) -> None:
        if number != self.current and any(node.number == number for node in self.nodes):
            self.post_message(self.GenerationChosen(number))


def glyph_of(node: TimelineNode, current: bool) -> str:
    """The sign of a generation."""
    if node.outcome == "failed":
        return "⊗" if current else "⊘"
    if node.outcome == "fallback":
        return "◆" if current else "◇"
    if current:
        return "●"
    return "◐" if node.live else "○"


def explain(node: TimelineNode) -> str:
    """A generation in words."""
    size = human.plural(node.messages, "message")
    if node.tokens is not None:
        size += f", {human.tokens(node.tokens)} tokens"
    live = "The list that the agent holds now. " if node.live else ""
    text = f"Generation {node.number}: {size}.\n{live}{_OUTCOME_WORDS[node.outcome].capitalize()}."
    return f"{text}\n{one_line(node.note, 200)}" if node.note else text
