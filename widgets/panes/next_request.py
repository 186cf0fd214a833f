"""The prompt-cache breakpoints of a request, and the part that each caches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container

from inspector.caching.breakpoints import Breakpoint, Layout, Ttl
from widgets.bars.mode_bar import Mode, ModeBar
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.signs import Sign
from widgets.base.strips import one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.intents import Change, GoTo
from widgets.lists.message_list import BREAKPOINT
from widgets.panes.part import TextPart
from widgets.panes.text_view import TextView

#: Minimum width for both choices in one row.
WIDE = 60
_BAR_INKS = ("head", "tail", "middle", "accent")


class ShownBreakpoint(Struct, frozen=True):
    """A breakpoint with the role and the text of its message; `tokens` count the request up to it."""

    point: Breakpoint
    role: str
    text: str = ""
    tokens: int | None = None


class CacheView(Struct, frozen=True):
    """The breakpoints of a request with the list of a generation, `total` rough tokens long.

    `facts` are sentences about caching. If `enabled` is False, caching is off, and the breakpoints show where they
    would be. None: unknown. Without a layout there is none to choose.
    """

    breakpoints: tuple[ShownBreakpoint, ...] = ()
    total: int | None = None
    layout: Layout | None = "native"
    ttl: Ttl = "5m"
    facts: tuple[str, ...] = ()
    enabled: bool | None = True
    generation: int = 1


class NextRequest(TextPart[CacheView]):
    """A CacheView. Posts Change for a layout or a time to live, GoTo for a breakpoint."""

    DEFAULT_CSS = """
    NextRequest > #cache-choices { height: auto; padding: 0 1; }
    NextRequest.-wide > #cache-choices { layout: horizontal; }
    NextRequest.-wide ModeBar { width: 1fr; }
    NextRequest > #cache-bar { margin: 1 0; }
    NextRequest.-low > #cache-bar { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("L", "layout", "Layout", id="cache.layout", tooltip="Native or envelope layout"),
        Binding(
            "E", "ttl", "5m or 1h", id="cache.ttl", tooltip="Time to live of the cache: 5 minutes or 1 hour"
        ),
        Binding("J", "tag(1)", "Next breakpoint", id="cache.next", show=False),
        Binding("K", "tag(-1)", "Previous breakpoint", id="cache.previous", show=False),
        Binding(
            "enter", "open", "Go to message", id="cache.choose", tooltip="Go to the message of the breakpoint"
        ),
    ]

    LOW = 18
    NEEDY = frozenset({"layout", "ttl", "tag", "open"})

    def __init__(self) -> None:
        self._layouts = ModeBar(
            (
                Mode("native", "native", "Anthropic's own API: tool messages can carry a breakpoint"),
                Mode(
                    "envelope", "envelope", "OpenRouter and the like: some messages cannot carry a breakpoint"
                ),
            ),
            title="layout  ",
        )
        self._ttls = ModeBar(
            (
                Mode("5m", "5 minutes", "The short time to live"),
                Mode("1h", "1 hour", "The long time to live; writes cost more"),
            ),
            title="kept for",
        )
        self._bar = Headline(3, id="cache-bar")
        choices = Container(self._layouts, self._ttls, id="cache-choices")
        self.head, self.body = Headline(3), TextView()
        super().__init__(self.head, choices, self._bar, self.body)

    def signs(self) -> Iterator[Sign]:
        """The sign of the breakpoints."""
        if self.view is not None and self.view.breakpoints:
            yield BREAKPOINT

    @property
    def filled(self) -> bool:
        """Whether the breakpoints are known and there are some."""
        return self.view is not None and self.view.enabled is not None and bool(self.view.breakpoints)

    def set_view(self, view: CacheView | None) -> None:
        """Show the breakpoints of a request. An equal view only resets the choices."""
        super().set_view(view)
        if view is not None:
            if view.layout is not None:
                self._layouts.set_modes(self._layouts.modes, view.layout)
            self._ttls.set_modes(self._ttls.modes, view.ttl)

    def show_view(self) -> None:
        """Show the counts, the bar and the breakpoints."""
        view = self.view
        self._ttls.display = self._bar.display = self.filled
        self._layouts.display = self.filled and view is not None and view.layout is not None
        if view is None:
            self.head.set_lines([TextLine("No request is chosen.", "muted")])
            self.body.set_text("")
            return
        self.head.set_lines(_headline(view))
        self._show_bar()
        lines = [line for point in view.breakpoints for line in _breakpoint(point, view)]
        lines += [TextLine(fact) for fact in view.facts]
        self.body.set_lines(lines or [TextLine("This request has no cache breakpoint.", "muted")])

    def fit(self) -> None:
        """Fit into the new size."""
        self.set_class(self.size.width >= WIDE, "-wide")
        self._show_bar()

    def _show_bar(self) -> None:
        width = self.size.width - 2
        if self.view is not None and width > 10:
            lines = _bar(self.view, width)
            self._bar.set_lines(lines[:2] if self.low else lines)

    @on(ModeBar.ModeChosen)
    def _mode_chosen(self, event: ModeBar.ModeChosen) -> None:
        event.stop()
        if event.control is self._layouts:
            self.post_message(Change(layout=event.mode))
        else:
            self.post_message(Change(ttl=event.mode))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the choice of a layout if there is none."""
        fixed = self.view is not None and self.view.layout is None
        return False if fixed and action == "layout" else super().check_action(action, parameters)

    def action_layout(self) -> None:
        """Take the other layout."""
        self._layouts.step(1)

    def action_ttl(self) -> None:
        """Take the other time to live."""
        self._ttls.step(1)

    def open(self, tag: str) -> None:
        """Go to the message of a breakpoint."""
        if self.view is not None:
            message = self.view.breakpoints[int(tag)].point.message
            self.post_message(GoTo(self.view.generation, -1 if message is None else message, pane="cache"))


def _headline(view: CacheView) -> list[TextLine]:
    wasted = sum(not placed.point.honored for placed in view.breakpoints)
    parts = [(f"{len(view.breakpoints)} of 4 breakpoints", "strong")]
    if view.enabled is None:
        parts = [("breakpoints are unknown", "strong")]
    elif not view.enabled and not view.breakpoints:
        parts = [("no breakpoints", "strong")]
    elif not view.enabled:
        parts = [
            ("caching is off", "warning"),
            (f" (if on: {len(view.breakpoints)} of 4 breakpoints)", "muted"),
        ]
    if view.total is not None:
        parts.append((f"  request: ~{view.total:,} tokens", "muted"))
    if wasted:
        parts.append((f"  {human.plural(wasted, 'breakpoint')} without effect", "error"))
    return [line_of(*parts)]


def _bar(view: CacheView, width: int) -> list[TextLine]:
    """Draw the request as a bar: the part that each breakpoint adds to the cached prefix, and the rest."""
    total = view.total or 0
    points = [placed for placed in view.breakpoints if placed.point.honored and placed.tokens is not None]
    if total <= 0 or not points:
        return []
    bars: list[tuple[str, str]] = []
    at = 0
    for index, point in enumerate(points):
        stop = min(width, max(at + 1, (point.tokens or 0) * width // total))
        bars.append(("▓" * (stop - at), _BAR_INKS[index % 4]))
        at = stop
    bars.append(("┈" * (width - at), "rest"))
    marks, free = [" "] * width, width
    for point in reversed(points):
        # If marks are close together, the earlier ones move to the left.
        free = max(0, min((point.tokens or 0) * width // total - 1, free - 2))
        marks[free : free + 2] = f"⚑{point.point.number}"
    covered = points[-1].tokens or 0
    cached = "is cached" if view.enabled else "would be cached"
    text = f"{human.percent(covered, total)} of the request {cached}, up to ⚑{points[-1].point.number}"
    return [TextLine("".join(marks)[:width], "accent"), line_of(*bars), TextLine(text, "muted")]


def _breakpoint(placed: ShownBreakpoint, view: CacheView) -> list[TextLine]:
    point, tag = placed.point, str(view.breakpoints.index(placed))
    parts = [
        (f"⚑{point.number} ", "accent" if point.honored else "error"),
        (f"{'sys' if point.message is None else point.message} ", "muted"),
        (one_line(placed.role, 20), "strong"),
        ("" if point.why else f"  on {one_line(point.part, 80)}", ""),
    ]
    if placed.tokens is not None:
        share = f" ({human.percent(placed.tokens, view.total)})" if view.total else ""
        parts.append((f"  ~{human.tokens(placed.tokens)} up to here{share}", "muted"))
    lines = [line_of(*parts, tag=tag)]
    if not point.honored:
        why = f"without effect: {point.why or 'the provider does not see it'}"
        lines.append(TextLine(why, "error", prefix="   ", tag=tag))
    elif point.why:
        lines.append(TextLine(point.why, "muted", prefix="   ", tag=tag))
    if placed.text:
        lines.append(TextLine(one_line(placed.text, 160), "kept", prefix="   ", tag=tag))
    lines.append(TextLine("", tag=tag))
    return lines
