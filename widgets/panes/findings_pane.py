"""Findings of a conversation, grouped by cause, and the selected one explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.strip import Strip

from inspector.core.places import place_name
from inspector.core.signs import SEVERITY_SIGNS
from inspector.quality.catalogue import RULES
from inspector.quality.finding import Finding, Severity
from inspector.quality.grouping import FindingGroup, grouped
from widgets.base import human
from widgets.base.headline import Headline
from widgets.base.signs import Sign
from widgets.base.strips import Row, fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.intents import ChooseCompaction, DismissFinding, GoTo, ShowPane
from widgets.lists.entry_list import EntryList
from widgets.panes.text_view import TextView

#: Sign and style of each severity, the gravest first. The signs differ without colour.
SIGNS: dict[Severity, tuple[str, str]] = {
    "error": (SEVERITY_SIGNS["error"], "error"),
    "warning": (SEVERITY_SIGNS["warning"], "warning"),
    "info": (SEVERITY_SIGNS["info"], "muted"),
}
_SEVERITY_WORDS: dict[Severity, str] = {
    "error": "error: context was lost, or requests will fail",
    "warning": "warning: something costs or endangers context",
    "info": "worth knowing",
}
#: Below this height the pane drops gaps and repeated words.
LOW = 16
_PLACE = 14
#: Maximum number of further findings of a group that are listed.
_MORE = 30


class FindingList(EntryList[FindingGroup]):
    """One line per cause: severity, place, title, number of findings."""

    TOOLTIP = (
        "Findings, the gravest first: ✗ error, ! warning, · worth knowing.\n"
        "Enter or double-click goes there; d dismisses."
    )

    HELP: ClassVar[str] = (
        "Problems of this conversation and other facts worth knowing. ✗ context was lost or requests will fail, "
        "! something costs or endangers context, · worth knowing. Findings with one cause share a line. Enter goes to "
        "the place; enter again goes to the next place of that cause. d dismisses a finding: it counts nowhere. D "
        "shows dismissed findings, and d restores one."
    )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        #: Groups that the user dismissed.
        self.dismissed: Collection[FindingGroup] = ()

    def key(self, entry: FindingGroup) -> object:
        """Rule and cause: the cursor stays on its group when findings are added."""
        return entry.first.rule, entry.first.cause

    def signs(self) -> Iterator[Sign]:
        """The signs of the visible severities."""
        severities = {self.entries[row].first.severity for row in self.visible_rows}
        yield from ((sign, _SEVERITY_WORDS[name]) for name, (sign, _) in SIGNS.items() if name in severities)

    def draw_line(self, line: int, width: int) -> Strip:
        """Draw a finding."""
        group = self.entries[line]
        finding = group.first
        sign, name = SIGNS[finding.severity]
        grave = self.ink("quiet" if name == "muted" else name)
        row = Row().add(self.cursor_mark(line), Style()).add(f"{sign} ", grave)
        if width >= 40:
            row.add(fit(_places(group), _PLACE) + " ", self.ink("quiet"))
        room = max(1, width - row.width)
        dismissed = group in self.dismissed
        count = f" × {len(group.findings):,}" if len(group.findings) > 1 else ""
        cause = f": “{one_line(finding.cause, 200)}”" if finding.cause else ""
        title = f"{'dismissed: ' if dismissed else ''}{RULES[finding.rule].title}{count}{cause}"
        row.add(fit(title, room), self.ink("quiet" if dismissed else ""))
        return row.strip(width, self.base_style + self.row_style(line), flat=self._flat(line))

    def _flat(self, line: int) -> bool:
        return line == self.cursor and self.flat_cursor


class FindingsPane(Vertical):
    """Findings as a list, the selected one in full.

    Opening a finding posts GoTo for its message, ChooseCompaction for its compaction, else ShowPane for the settings.
    Dismissing and restoring one posts DismissFinding.
    """

    DEFAULT_CSS = """
    FindingsPane { background: $surface; }
    FindingsPane > Headline { padding: 0 1; margin: 0 0 1 0; }
    FindingsPane > TextView { height: 1fr; padding: 0 0 0 1; margin: 1 0 0 0; }
    FindingsPane.-low > Headline { margin: 0; }
    FindingsPane.-low > TextView { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "d", "dismiss", "Dismiss", id="findings.dismiss", tooltip="Dismiss the finding, or restore it"
        ),
        Binding(
            "D", "dismissed", "Dismissed", id="findings.dismissed", tooltip="Show or hide dismissed findings"
        ),
        Binding("J", "step(1)", "Next finding", id="findings.next", show=False),
        Binding("K", "step(-1)", "Previous finding", id="findings.previous", show=False),
    ]

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._findings: tuple[Finding, ...] | None = None
        self._dismissed: tuple[Finding, ...] = ()
        self._with_dismissed = False
        self._note = ""
        self._generation = 1
        #: Number of places of the selected group that enter went to.
        self._visited = 0
        self._headline = Headline(3)
        self.list = FindingList()
        self.body = TextView()

    def compose(self) -> ComposeResult:
        """Counts, the list, the selected finding."""
        yield self._headline
        yield self.list
        yield self.body

    def on_mount(self) -> None:
        """Show the value that was set before mounting."""
        self._fill()

    def set_findings(
        self,
        findings: Sequence[Finding] | None,
        note: str = "",
        generation: int = 1,
        dismissed: Sequence[Finding] = (),
    ) -> None:
        """Show findings (None: still being computed).

        `note` names the settings that they hold for, `generation` the list on screen.
        """
        self._generation = generation
        value = (None if findings is None else tuple(findings), note, tuple(dismissed))
        if value != (self._findings, self._note, self._dismissed):
            self._findings, self._note, self._dismissed = value
            if self.is_mounted:
                self._fill()

    def _fill(self) -> None:
        dismissed = grouped(self._dismissed) if self._with_dismissed else ()
        self.list.dismissed = frozenset(dismissed)
        self.list.set_entries((*grouped(self._findings or ()), *dismissed))
        self.list.display = bool(self.list.entries)
        self._visited = 0
        self._arrange()
        if self.is_mounted:
            self.refresh_bindings()

    def on_resize(self) -> None:
        """Fit into the new size."""
        self._arrange()

    def _arrange(self) -> None:
        """Give the list the rows it needs, at most half of the pane; drop gaps and notes in a low pane."""
        height = self.size.height
        low = height < LOW
        self.set_class(low, "-low")
        note = "" if low and self._findings else self._note
        self._headline.set_lines(_headline(self._findings, len(grouped(self._dismissed)), note))
        self._explain()
        self.list.styles.height = max(2, min(len(self.list.entries), 3 if low else height // 2 - 1))

    @on(FindingList.Selected)
    def _selected(self, event: FindingList.Selected) -> None:
        event.stop()
        # Opened is a Selected too.
        if type(event) is FindingList.Selected:
            self._visited = 0
        self._explain()

    @on(FindingList.Opened)
    def _opened(self, event: FindingList.Opened) -> None:
        event.stop()
        if event.row < len(self.list.entries):
            group = self.list.entries[event.row]
            finding = group.findings[self._visited % len(group.findings)]
            self._visited += 1
            if finding.index is not None:
                self.post_message(GoTo(finding.generation or self._generation, finding.index))
            elif finding.compaction is not None:
                self.post_message(ChooseCompaction(finding.compaction))
            else:
                self.post_message(ShowPane("what-if"))

    def action_step(self, by: int) -> None:
        """Go to the next or previous finding."""
        self.list.move_cursor(self.list.cursor + by)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that have nothing to act on."""
        if action == "dismiss":
            return bool(self.list.entries)
        return bool(self._dismissed) if action == "dismissed" else True

    def action_dismiss(self) -> None:
        """Dismiss the selected finding, or restore it."""
        group = self.list.entry
        if group is not None:
            self.post_message(DismissFinding(group.first))

    def action_dismissed(self) -> None:
        """Show or hide dismissed findings."""
        self._with_dismissed = not self._with_dismissed
        self._fill()

    def _explain(self) -> None:
        chosen = self.list.entry
        lines = _explained(chosen, self.size.height < LOW) if chosen is not None else [TextLine("")]
        self.body.set_lines(lines)


def _places(group: FindingGroup) -> str:
    """Place of a group in a few cells: "compaction 2", "12 compactions"."""
    count = len(group.compactions)
    return f"{count:,} compactions" if count > 1 else place_of(group.first)


def place_of(finding: Finding) -> str:
    """Place of a finding in a few cells: "compaction 2", "#16" or "settings"."""
    if finding.compaction is not None:
        return f"compaction {finding.compaction}"
    return place_name(finding.index) or "settings"


def counts(severities: Sequence[Severity]) -> str:
    """Counts by severity: "1 error, 3 warnings, 2 infos"; "" for none."""
    by_severity = Counter(severities)
    return ", ".join(human.plural(by_severity[name], name) for name in SIGNS if by_severity[name])


def _headline(findings: tuple[Finding, ...] | None, dismissed: int, note: str) -> list[TextLine]:
    if findings is None:
        return [TextLine("Looking for findings …", "muted")]
    apart = [(f"   {dismissed:,} dismissed", "muted")] if dismissed else []
    if not findings:
        return [
            line_of(("No findings.", "strong"), *apart),
            *([TextLine(note, "muted")] if note else []),
        ]
    by_severity = Counter(finding.severity for finding in findings)
    parts: list[tuple[str, str]] = []
    for severity, (sign, style) in SIGNS.items():
        if by_severity[severity]:
            count = human.plural(by_severity[severity], severity)
            parts.append((f"{'   ' if parts else ''}{sign} {count}", style))
    return [line_of(*parts, *apart), *([TextLine(note, "muted")] if note else [])]


def _explained(group: FindingGroup, low: bool) -> list[TextLine]:
    """The findings in full; `low` leaves out what their line in the list shows already."""
    finding, *others = group.findings
    sign, style = SIGNS[finding.severity]
    rule = RULES[finding.rule]
    lines = (
        [TextLine(finding.text)]
        if low
        else [
            line_of((f"{sign} ", style), (rule.title, "strong")),
            line_of((f"{place_of(finding)}  ", ""), (finding.rule, "muted")),
            TextLine(""),
            TextLine(finding.text),
        ]
    )
    gap = [] if low else [TextLine("")]
    lines += [
        TextLine(other.text, prefix=f"{place_of(other)}  ", prefix_style="muted") for other in others[:_MORE]
    ]
    if len(others) > _MORE:
        lines.append(TextLine(f"and {len(others) - _MORE:,} more", "muted"))
    lines += [*gap, TextLine(rule.means, "kept")]
    return [*lines, *gap, TextLine(rule.advice, prefix="→ ", prefix_style="accent")]
