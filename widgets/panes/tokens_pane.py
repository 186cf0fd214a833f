"""The next compaction of a list in sentences, and its tokens by source as bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inspector.quality.facts.risk import AtRisk
from inspector.quality.sources import SourceShare
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.intents import CopyText
from widgets.lists.fact_list import source_of
from widgets.panes.text_view import TextView

_NAME, _MIN_BAR = 22, 6


@dataclass(frozen=True, slots=True)
class TokensView:
    """A list and its next compaction.

    `title` names the list, `shares` are those of its sources, the largest first. `generation` counts from 1.
    `sentences` describe the next compaction (none: not the live list, or still being read), `at_risk` are the facts
    that leave the list with it, and `pin` is a text that keeps them.
    """

    title: str
    shares: tuple[SourceShare, ...]
    generation: int = 0
    sentences: tuple[str, ...] = ()
    at_risk: tuple[AtRisk, ...] = ()
    pin: str = ""


class TokensPane(Vertical):
    """A TokensView: sentences about the next compaction, a line per fact at risk and per source.

    Posts GoTo for the message of a fact, and CopyText for the text that pins the facts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("J", "next(1)", "Next fact", id="tokens.next", show=False),
        Binding("K", "next(-1)", "Previous fact", id="tokens.previous", show=False),
        Binding("enter", "open", "Go to the message", id="tokens.open", show=False),
        Binding("C", "copy", "Pin", id="tokens.copy", tooltip="Copy a text that keeps the facts at risk"),
    ]
    DEFAULT_CSS = """
    TokensPane { background: $surface; }
    TokensPane > Headline { padding: 0 1; margin: 0 0 1 0; }
    TokensPane > TextView { height: 1fr; padding: 0 0 0 1; }
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._view: TokensView | None = None
        self._headline = Headline(3)
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """Yield the sum and the sources."""
        yield self._headline
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self._show()

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
            self.body.set_text("")
            return
        total = sum(share.tokens for share in view.shares)
        head = line_of((view.title, "strong"), (f"  ~{human.count(total)} tokens", ""))
        self._headline.set_lines([head])
        note = "Rough counts of texts, calls and results, without the JSON around them."
        self.body.set_lines(
            (
                *ahead_lines(view),
                TextLine("tokens by source", "heading"),
                TextLine(note, "muted"),
                *share_lines(view.shares, self.size.width - 3),
            ),
            keep_place=True,
        )
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that need facts at risk."""
        view = self._view
        if action == "copy":
            return view is not None and bool(view.pin)
        return action not in ("next", "open") or (view is not None and bool(view.at_risk))

    def action_copy(self) -> None:
        """Copy the text that pins the facts at risk."""
        if self._view is not None and self._view.pin:
            self.post_message(CopyText(self._view.pin, "text to pin"))

    def action_next(self, by: int) -> None:
        """Go to the next or previous fact."""
        self.body.step_tag(by)

    def action_open(self) -> None:
        """Go to the message of the fact."""
        self._open(self.body.active_tag)

    @on(TextView.LineClicked)
    def _clicked(self, event: TextView.LineClicked) -> None:
        event.stop()
        if event.tag:
            self.body.set_active(event.line)
            self._open(event.tag)

    def _open(self, tag: str) -> None:
        if self._view is not None and tag:
            self.post_message(source_of(self._view.at_risk[int(tag)], self._view.generation))


def ahead_lines(view: TokensView) -> list[TextLine]:
    """Lines about the next compaction, with the facts at risk; each fact has its number as tag."""
    if not view.sentences:
        return []
    lines = [TextLine("next compaction", "heading"), *map(TextLine, view.sentences)]
    if view.at_risk:
        count = human.plural(len(view.at_risk), "fact")
        lines += [TextLine(""), TextLine(f"at risk: {count} that no other message has", "heading")]
    for number, risk in enumerate(view.at_risk):
        place = f"#{risk.places[0]:,} {risk.fact.kind}  "
        lines.append(line_of((place, "muted"), (one_line(risk.fact.text, 400), ""), tag=str(number)))
    return [*lines, TextLine("")]


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
