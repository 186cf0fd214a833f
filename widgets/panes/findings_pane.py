"""What is wrong with a conversation: a list of findings, and the chosen one explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip

from inspector.core.signs import SEVERITY_SIGNS
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.strips import Row, fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.lists.entry_list import EntryList
from widgets.panes.text_view import TextView

Severity = Literal["error", "warning", "info"]

#: Sign and style of each severity, the gravest first; the sign tells them apart without colour.
SIGNS: dict[Severity, tuple[str, str]] = {
    "error": (SEVERITY_SIGNS["error"], "error"),
    "warning": (SEVERITY_SIGNS["warning"], "warning"),
    "info": (SEVERITY_SIGNS["info"], "muted"),
}
#: Below this height the pane is drawn tightly.
LOW = 16
_PLACE = 14


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as the pane shows it. `place` says where in a few cells ("compaction 2"), `generation` and `index`
    name the message to go to (None where there is none), `means` and `advice` are sentences."""

    rule: str
    severity: Severity
    title: str
    text: str
    place: str = ""
    means: str = ""
    advice: str = ""
    compaction: int | None = None
    generation: int | None = None
    index: int | None = None


class FindingList(EntryList[FindingView]):
    """One line a finding: its sign, where it is, what it is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"findings--error", "findings--warning", "findings--title"}
    DEFAULT_CSS = """
    FindingList {
        & > .findings--error { color: $text-error; text-style: bold; }
        & > .findings--warning { color: $text-warning; text-style: bold; }
        & > .findings--title { color: $foreground; }
    }
    """
    TOOLTIP = (
        "Findings, the gravest first: ✗ error, ! warning, · worth knowing.\nEnter or double-click goes there."
    )

    HELP: ClassVar[str] = (
        "Findings: what is wrong with this conversation, or worth knowing. ✗ context was lost or requests will fail, "
        "! something costs or endangers context, · nothing is wrong. Enter goes to the place."
    )

    def draw_line(self, line: int, width: int) -> Strip:
        """A finding."""
        finding = self.entries[line]
        sign, name = SIGNS[finding.severity]
        grave = self.ink("list--muted") if name == "muted" else self.ink(f"findings--{name}")
        row = Row().add(self.cursor_mark(line), Style()).add(f"{sign} ", grave)
        place = one_line(finding.place, 80)
        if width >= 40:
            row.add(fit(place, _PLACE) + " ", self.ink("list--muted"))
        room = max(1, width - row.width)
        row.add(fit(one_line(finding.title, 200), room), self.ink("findings--title"))
        return row.strip(width, self.base_style + self.row_style(line), flat=self._flat(line))

    def _flat(self, line: int) -> bool:
        return line == self.cursor and self.flat_cursor


class FindingsPane(Vertical):
    """Shows findings, the chosen one in full. Posts FindingChosen for one that the user wants to see in its place."""

    DEFAULT_CSS = """
    FindingsPane { background: $surface; }
    FindingsPane > Headline { padding: 0 1; margin: 0 0 1 0; }
    FindingsPane > TextView { height: 1fr; padding: 0 0 0 1; margin: 1 0 0 0; }
    FindingsPane.-low > Headline { margin: 0; }
    FindingsPane.-low > TextView { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("J", "step(1)", "Next finding", id="findings.next", show=False),
        Binding("K", "step(-1)", "Previous finding", id="findings.previous", show=False),
    ]

    class FindingChosen(Message):
        """The user wants to see the place of a finding."""

        def __init__(self, finding: FindingView) -> None:
            super().__init__()
            self.finding = finding

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._findings: tuple[FindingView, ...] | None = None
        self._note = ""
        self._headline = Headline(3)
        self._list = FindingList()
        self._body = TextView()

    def compose(self) -> ComposeResult:
        """How many there are, the list, the chosen one."""
        yield self._headline
        yield self._list
        yield self._body

    def on_mount(self) -> None:
        """Show the value that was set before."""
        self._fill()

    @property
    def body(self) -> TextView:
        """The explanation on show."""
        return self._body

    @property
    def list(self) -> FindingList:
        """The list of findings."""
        return self._list

    def set_findings(self, findings: Sequence[FindingView] | None, note: str = "") -> None:
        """Show findings (None: they are being looked for); `note` says under what they were found."""
        value = (None if findings is None else tuple(findings), note)
        if value != (self._findings, self._note):
            self._findings, self._note = value
            if self.is_mounted:
                self._fill()

    def _fill(self) -> None:
        self._list.set_entries(self._findings or ())
        self._list.display = bool(self._findings)
        self._arrange()

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    def _arrange(self) -> None:
        """The list is as high as it needs to be, at most half of the pane; where room is short, gaps and words go."""
        height = self.size.height
        low = height < LOW
        self.set_class(low, "-low")
        self._headline.set_lines(_headline(self._findings, "" if low and self._findings else self._note))
        self._explain()
        self._list.styles.height = max(2, min(len(self._findings or ()), 3 if low else height // 2 - 1))

    @on(FindingList.Selected)
    def _selected(self, event: FindingList.Selected) -> None:
        event.stop()
        self._explain()

    @on(FindingList.Opened)
    def _opened(self, event: FindingList.Opened) -> None:
        event.stop()
        if self._findings:
            self.post_message(self.FindingChosen(self._findings[event.row]))

    def action_step(self, by: int) -> None:
        """Go to the next finding, or the one before."""
        self._list.move_cursor(self._list.cursor + by)

    def _explain(self) -> None:
        chosen = self._findings[self._list.cursor] if self._findings else None
        lines = _explained(chosen, self.size.height < LOW) if chosen is not None else [TextLine("")]
        self._body.set_lines(lines)


def counts(severities: Sequence[Severity]) -> str:
    """How many there are of each: "1 error, 3 warnings, 2 infos"; an empty string for none."""
    found = Counter(severities)
    return ", ".join(human.plural(found[severity], severity) for severity in SIGNS if found[severity])


def _headline(findings: tuple[FindingView, ...] | None, note: str) -> list[TextLine]:
    if findings is None:
        return [TextLine("Looking for findings …", "muted")]
    if not findings:
        return [TextLine("Nothing was found.", "strong"), *([TextLine(note, "muted")] if note else [])]
    found = Counter(finding.severity for finding in findings)
    parts: list[tuple[str, str]] = []
    for severity, (sign, style) in SIGNS.items():
        if found[severity]:
            parts.append((f"{'   ' if parts else ''}{sign} {human.plural(found[severity], severity)}", style))
    return [line_of(*parts), *([TextLine(note, "muted")] if note else [])]


def _explained(finding: FindingView, low: bool) -> list[TextLine]:
    sign, style = SIGNS[finding.severity]
    title, place = one_line(finding.title, 200), one_line(finding.place, 80)
    # Where room is short, what the list says already is left out.
    lines = (
        [TextLine(finding.text)]
        if low
        else [
            line_of((f"{sign} ", style), (title, "strong")),
            line_of((place, ""), ("  " if place else "", ""), (finding.rule, "muted")),
            TextLine(""),
            TextLine(finding.text),
        ]
    )
    gap = [] if low else [TextLine("")]
    if finding.means:
        lines += [*gap, TextLine(finding.means, "kept")]
    if finding.advice:
        lines += [*gap, TextLine(finding.advice, prefix="→ ", prefix_style="accent")]
    return lines
