"""The next compaction of a list in sentences, and its tokens by source as bars."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from rich.cells import cell_len
from textual.binding import Binding, BindingType

from inspector.core.places import place_name
from inspector.quality.facts.fact import Life
from inspector.quality.facts.risk import AtRisk
from inspector.quality.sources import SourceShare
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.intents import CopyText
from widgets.lists.fact_list import ListedFact, source_of
from widgets.panes.part import TextPart
from widgets.panes.text_view import TextView

_LONGEST_NAME, _MIN_BAR = 22, 6


class TokensView(Struct, frozen=True):
    """A list and its next compaction.

    `title` names the list, `shares` are the shares of its sources, the largest first. `generation` counts from 1.
    `sentences` describe the next compaction (none: not the live list), `at_risk` are the facts that leave the list with
    it, `lost` are lasting rules that earlier compactions lost, and `pin` is a text that repeats both.
    """

    title: str
    shares: tuple[SourceShare, ...]
    generation: int = 0
    sentences: tuple[str, ...] = ()
    at_risk: tuple[AtRisk, ...] = ()
    lost: tuple[Life, ...] = ()
    pin: str = ""


class TokensPane(TextPart[TokensView]):
    """A TokensView: sentences about the next compaction, a line per fact at risk and per source.

    Posts GoTo for the message of a fact, and CopyText for the text that pins the facts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("J", "tag(1)", "Next fact", id="tokens.next", show=False),
        Binding("K", "tag(-1)", "Previous fact", id="tokens.previous", show=False),
        Binding("enter", "open", "Go to the message", id="tokens.open", show=False),
        Binding(
            "C", "copy", "Copy facts", id="tokens.copy", tooltip="Copy a text that keeps the facts at risk"
        ),
    ]
    DEFAULT_CSS = """
    TokensPane > Headline { margin: 0 0 1 0; }
    """
    NEEDY = frozenset({"tag", "open"})

    def __init__(self, *, id: str | None = None) -> None:
        self.head, self.body = Headline(3), TextView()
        super().__init__(self.head, self.body, id=id)

    @property
    def filled(self) -> bool:
        """Whether there are facts at risk or lost rules."""
        return self.view is not None and bool(self.view.at_risk or self.view.lost)

    def fit(self) -> None:
        """Fit the bars into the new width."""
        self.show_view()

    def show_view(self) -> None:
        """Show the next compaction, and the tokens by source with their sum."""
        view = self.view
        if view is None:
            self.head.set_lines([TextLine("Reading the list …", "muted")])
            self.body.set_text("")
            return
        total = f"  ~{sum(share.tokens for share in view.shares):,}" if view.shares else ""
        self.head.set_lines([TextLine(view.title, "strong")])
        note = "Rough counts of texts, calls and results, without the JSON around them."
        self.body.set_lines(
            (
                *ahead_lines(view),
                line_of(("tokens by source", "heading"), (total, "")),
                TextLine(note, "muted"),
                *share_lines(view.shares, self.size.width - 3),
            ),
            keep_place=True,
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that need facts at risk."""
        if action == "copy":
            return self.view is not None and bool(self.view.pin)
        return super().check_action(action, parameters)

    def action_copy(self) -> None:
        """Copy the text that pins the facts at risk."""
        if self.view is not None and self.view.pin:
            self.post_message(CopyText(self.view.pin, "text to pin"))

    def open(self, tag: str) -> None:
        """Go to the message of the fact."""
        if self.view is not None:
            entries: tuple[ListedFact, ...] = (*self.view.at_risk, *self.view.lost)
            entry = next(entry for entry in entries if entry.fact.key == tag)
            self.post_message(source_of(entry, self.view.generation))


def ahead_lines(view: TokensView) -> list[TextLine]:
    """Lines about the next compaction, with the facts at risk; each fact has its key as tag."""
    if not view.sentences:
        return []
    lines = [TextLine("next compaction", "heading"), *map(TextLine, view.sentences)]
    if view.at_risk:
        count = human.plural(len(view.at_risk), "fact")
        lines += [TextLine(""), TextLine(f"at risk: {count} that no kept message has", "heading")]
    for risk in view.at_risk:
        place = f"#{risk.places[0]:,} {risk.fact.kind}  "
        lines.append(line_of((place, "muted"), (one_line(risk.fact.text, 400), ""), tag=risk.fact.key))
    if view.lost:
        count = human.plural(len(view.lost), "lasting rule")
        lines += [TextLine(""), TextLine(f"lost or weakened already: {count} of the user", "heading")]
    for life in view.lost:
        place = f"{place_name(life.saying.index, life.saying.generation)}  "
        lines.append(line_of((place, "muted"), (one_line(life.text, 400), ""), tag=life.fact.key))
    return [*lines, TextLine("")]


def share_lines(shares: tuple[SourceShare, ...], width: int) -> list[TextLine]:
    """A line per source: name, share, tokens, messages, and a bar where there is room."""
    if not shares:
        return [TextLine("No message of this list is in the files.", "muted")]
    total, top = sum(share.tokens for share in shares), shares[0].tokens
    names = [one_line(share.name, 200) for share in shares]
    column = min(_LONGEST_NAME, max(map(cell_len, names)) + 1)
    lines = []
    for share, name in zip(shares, names, strict=True):
        size = f"{human.percent(share.tokens, total):>5} {human.tokens(share.tokens):>7}"
        count = f"  {human.plural(share.messages, 'message')}"
        room = width - column - len(size) - len(count) - 2
        bar = "▓" * max(1, room * share.tokens // top) if room >= _MIN_BAR else ""
        lines.append(
            line_of((fit(name, column), ""), (size, "strong"), (f"  {bar}", "accent"), (count, "muted"))
        )
    return lines
