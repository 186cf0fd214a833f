"""Tokens of a list by source, as bars."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.quality.sources import SourceShare
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.panes.text_view import TextView

_NAME, _MIN_BAR = 22, 6


@dataclass(frozen=True, slots=True)
class TokensView:
    """Shares of the sources of a list, the largest first. `title` names the list."""

    title: str
    shares: tuple[SourceShare, ...]


class TokensPane(Vertical):
    """A TokensView: a line per source with its share."""

    DEFAULT_CSS = """
    TokensPane { background: $surface; }
    TokensPane > Headline { padding: 0 1; margin: 0 0 1 0; }
    TokensPane > TextView { height: 1fr; padding: 0 0 0 1; }
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: TokensView | None = None
        self._headline = Headline(3)
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """Yield the sum and the sources."""
        yield self._headline
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self._show()

    @property
    def body(self) -> TextView:
        """The sources."""
        return self._body

    def set_view(self, view: TokensView | None) -> None:
        """Show shares (None: still being read); an equal value changes nothing."""
        if view != self._view:
            self._view = view
            if self.is_mounted:
                self._show()

    def on_resize(self) -> None:
        """Fit the bars into the new width."""
        self._show()

    def _show(self) -> None:
        view = self._view
        if view is None:
            self._headline.set_lines([TextLine("Reading the list …", "muted")])
            self._body.set_text("")
            return
        total = sum(share.tokens for share in view.shares)
        head = line_of((view.title, "strong"), (f"  ~{human.count(total)} tokens by source", ""))
        note = "Rough counts of texts, calls and results, without the JSON around them."
        self._headline.set_lines([head, TextLine(note, "muted")])
        self._body.set_lines(share_lines(view.shares, self.size.width - 3), keep_place=True)


def share_lines(shares: tuple[SourceShare, ...], width: int) -> list[TextLine]:
    """A line per source: name, share, tokens, messages, and a bar where there is room."""
    if not shares:
        return [TextLine("The list is empty.", "muted")]
    total, top = sum(share.tokens for share in shares), shares[0].tokens
    lines = []
    for share in shares:
        size = f"{human.percent(share.tokens, total):>5} {human.tokens(share.tokens):>7}"
        count = f"  {human.plural(share.messages, 'time')}"
        room = width - _NAME - len(size) - len(count) - 2
        bar = "▓" * max(1, room * share.tokens // top) if room >= _MIN_BAR else ""
        name = fit(one_line(share.name, 200), _NAME)
        lines.append(line_of((name, ""), (size, "strong"), (f"  {bar}", "accent"), (count, "muted")))
    return lines
