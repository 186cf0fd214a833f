"""Findings of a conversation, grouped by cause, and the selected one explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import ClassVar, NamedTuple

from textual import on
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip

from inspector.core.places import place_name
from inspector.core.signs import SEVERITY_SIGNS
from inspector.quality.catalogue import RULES, advice_of
from inspector.quality.finding import Finding, Severity, severity_count
from inspector.quality.grouping import FindingGroup, grouped
from widgets.base.headline import Headline
from widgets.base.signs import Sign
from widgets.base.strips import fit, one_line
from widgets.base.text_lines import TextLine, line_of
from widgets.intents import ChooseCompaction, DismissFinding, GoTo, ShowPane
from widgets.lists.entry_list import EntryList
from widgets.panes.part import Part
from widgets.panes.text_view import TextView

#: Sign and style of each severity, the gravest first. The signs differ without colour.
SIGNS: dict[Severity, tuple[str, str]] = {
    "error": (SEVERITY_SIGNS["error"], "error"),
    "warning": (SEVERITY_SIGNS["warning"], "warning"),
    "info": (SEVERITY_SIGNS["info"], "muted"),
}
_SEVERITY_WORDS: dict[Severity, str] = {
    "error": "error: context was lost, or requests will fail",
    "warning": "warning: context is at risk, or money is wasted",
    "info": "worth knowing",
}
_PLACE = 14
#: Cells of a severity, and the minimum width for it as a word instead of a sign.
_SEVERITY, _WORDED = 8, 50
#: Maximum number of further findings of a group that are listed.
_MORE = 30


class FindingList(EntryList[FindingGroup]):
    """One line per cause: severity, place, title, number of findings."""

    TOOLTIP = (
        "Findings, the most severe first: errors, warnings, info.\n"
        "Enter or double-click goes to the place; d dismisses."
    )

    HELP: ClassVar[str] = (
        "Problems of this conversation. Error: context was lost, or requests will fail. Warning: context is at "
        "risk, or money is wasted. Info: worth knowing. Findings with one cause share a line. Enter goes to the "
        "place, enter again to the next place of that cause. d dismisses a finding: no screen or command counts it. "
        "D shows dismissed findings, and d restores one."
    )

    #: Groups that the user dismissed.
    dismissed: reactive[Collection[FindingGroup]] = reactive(frozenset())

    def key(self, entry: FindingGroup) -> object:
        """Rule and cause: the cursor stays on its group when findings are added."""
        return entry.first.rule, entry.first.cause

    def signs(self) -> Iterator[Sign]:
        """The signs of the visible severities. A wide list has words instead."""
        if self.size.width >= _WORDED:
            return
        severities = {self.entries[row].first.severity for row in self.visible_rows}
        yield from ((sign, _SEVERITY_WORDS[name]) for name, (sign, _) in SIGNS.items() if name in severities)

    def draw_line(self, line: int, width: int) -> Strip:
        """Draw a finding."""
        group = self.entries[line]
        finding = group.first
        sign, name = SIGNS[finding.severity]
        grave = self.ink("quiet" if name == "muted" else name)
        severity = fit(finding.severity, _SEVERITY) if width >= _WORDED else f"{sign} "
        row = self.begin(line).add(severity, grave)
        if width >= 40:
            row.add(fit(_places(group), _PLACE) + " ", self.ink("quiet"))
        room = max(1, width - row.width)
        dismissed = group in self.dismissed
        count = f" ({len(group.same):,} times)" if len(group.same) > 1 else ""
        cause = f": “{one_line(finding.cause, 200)}”" if finding.cause else ""
        title = f"{'dismissed: ' if dismissed else ''}{RULES[finding.rule].title}{count}{cause}"
        row.add(fit(title, room), self.ink("quiet" if dismissed else ""))
        return self.end(row, line, width)


class FindingsView(NamedTuple):
    """Findings and dismissed ones; `note` names the settings that they hold for, `generation` the list on screen."""

    findings: tuple[Finding, ...]
    note: str = ""
    generation: int = 1
    dismissed: tuple[Finding, ...] = ()


class FindingsPane(Part[FindingsView]):
    """Findings as a list, the selected one in full; None while they are being computed.

    Opening a finding posts GoTo for its message, ChooseCompaction for its compaction, else ShowPane for the settings.
    Dismissing and restoring one posts DismissFinding.
    """

    LOW = 16
    DEFAULT_CSS = """
    FindingsPane > Headline { margin: 0 0 1 0; }
    FindingsPane > TextView { margin: 1 0 0 0; }
    FindingsPane.-low > Headline, FindingsPane.-low > TextView { margin: 0; }
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

    def __init__(self, *, id: str | None = None) -> None:
        self._with_dismissed = False
        #: Number of places of the selected group that enter went to.
        self._visited = 0
        self.head, self.list, self.body = Headline(3), FindingList(), TextView()
        super().__init__(self.head, self.list, self.body, id=id)

    def show_view(self) -> None:
        """Show counts, the list, the selected finding."""
        view = self.view or FindingsView(())
        dismissed = grouped(view.dismissed) if self._with_dismissed else ()
        self.list.dismissed = frozenset(dismissed)
        entries = (*grouped(view.findings), *dismissed)
        if entries != self.list.entries:
            self._visited = 0
        self.list.set_entries(entries)
        self.list.display = bool(entries)
        self.fit()
        self.refresh_bindings()

    def fit(self) -> None:
        """Give the list the rows it needs, at most half of the pane; drop gaps and notes in a low pane."""
        self.head.set_lines(_headline(self.view, self.low))
        self._explain()
        high = 3 if self.low else self.size.height // 2 - 1
        self.list.styles.height = max(2, min(len(self.list.entries), high))

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
                self.post_message(
                    GoTo(finding.generation or (self.view.generation if self.view else 1), finding.index)
                )
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
        return self.view is not None and bool(self.view.dismissed) if action == "dismissed" else True

    def action_dismiss(self) -> None:
        """Dismiss the selected finding, or restore it."""
        group = self.list.entry
        if group is not None:
            self.post_message(DismissFinding(group.first))

    def action_dismissed(self) -> None:
        """Show or hide dismissed findings."""
        self._with_dismissed = not self._with_dismissed
        self.show_view()

    def _explain(self) -> None:
        chosen = self.list.entry
        lines = _explained(chosen, self.low) if chosen is not None else [TextLine("")]
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


def _headline(view: FindingsView | None, low: bool) -> list[TextLine]:
    if view is None:
        return [TextLine("Looking for findings …", "muted")]
    dismissed = len(grouped(view.dismissed))
    apart = [(f"   {dismissed:,} dismissed", "muted")] if dismissed else []
    note = "" if low and view.findings else view.note
    by_severity = Counter(group.first.severity for group in grouped(view.findings))
    parts: list[tuple[str, str]] = [] if view.findings else [("No findings.", "strong")]
    for severity, (_, style) in SIGNS.items():
        if by_severity[severity]:
            count = severity_count(severity, by_severity[severity])
            parts.append((f"{'   ' if parts else ''}{count}", style))
    return [line_of(*parts, *apart), *([TextLine(note, "muted")] if note else [])]


def _explained(group: FindingGroup, low: bool) -> list[TextLine]:
    """The findings in full; `low` leaves out what their line in the list shows already."""
    finding, *others = group.findings
    _, style = SIGNS[finding.severity]
    rule = RULES[finding.rule]
    lines = (
        [TextLine(finding.text)]
        if low
        else [
            line_of((f"{finding.severity}: ", style), (rule.title, "strong")),
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
    return [*lines, *gap, TextLine(advice_of(finding), prefix="Advice: ", prefix_style="accent")]
