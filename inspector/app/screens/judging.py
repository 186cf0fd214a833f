"""Findings in the conversation screen: looked for in a thread, shown in pane, header, list and timeline."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message as TextualMessage
from textual.worker import get_current_worker

from inspector.answers.inspection import Inspection
from inspector.app.conversation.as_of import FindingsInTime, FindingsThen
from inspector.app.panes import Panes
from inspector.app.screens.base import GoTo
from inspector.app.screens.recalling import FactActions
from inspector.app.work import Failed
from inspector.core.errors import InspectorError
from inspector.quality.catalogue import RULES
from inspector.quality.finding import Finding
from widgets.lists.message_list import MessageList
from widgets.panes.findings_pane import FindingsPane, FindingView

if TYPE_CHECKING:
    from inspector.config.settings import ResolvedSettings


class Judged(TextualMessage):
    """The findings of a conversation, as it stood when `inspection` read it."""

    def __init__(self, inspection: Inspection, findings: tuple[Finding, ...]) -> None:
        super().__init__()
        self.inspection = inspection
        self.findings = findings


class FindingsActions(FactActions):
    """Looking for findings, and going to their places."""

    findings: tuple[Finding, ...] | None = None
    _in_time: FindingsInTime | None = None

    @work(thread=True, group="findings", exclusive=True, exit_on_error=False, description="findings")
    def judge(self, inspection: Inspection, resolved: ResolvedSettings) -> None:
        """Look for findings under the settings that the conversation was opened with; some of them need the facts."""
        from inspector.answers.findings import findings

        try:
            facts = None
            if inspection.compactions():
                reading = self.recall_here(inspection, resolved.settings)
                if reading is None:
                    return
                facts = reading.facts
            found = findings(inspection, resolved, facts)
        except InspectorError as error:
            self.post_message(Failed(str(error)))
            return
        if not get_current_worker().is_cancelled:
            self.post_message(Judged(inspection, found))

    @on(Judged)
    def _judged(self, event: Judged) -> None:
        if event.inspection is self.inspection:
            self.findings, self._in_time = event.findings, FindingsInTime(event.findings)
            self.show_findings()

    def show_findings(self) -> None:
        """Show the findings wherever they are seen."""
        raise NotImplementedError

    def fill_findings(self) -> None:
        """Put the findings into their pane."""
        pane = self.query_one(FindingsPane)
        if self.findings is None or self.resolved is None:
            pane.set_findings(None)
            return
        note = f"under {self.resolved.settings.profile}, as configured"
        if self.moment is not None:
            note = f"as far as this step, {note}"
        pane.set_findings(tuple(map(finding_view, self.findings_then().found)), note)

    def findings_count(self) -> int:
        """How many findings there were at the moment on screen; all of them outside a replay."""
        at, found = self.moment, self._in_time
        if found is None:
            return 0
        return len(found) if at is None else found.count(at.generation, at.length)

    def findings_then(self) -> FindingsThen:
        """The findings that there were at the moment on screen."""
        return FindingsThen() if self._in_time is None else self._in_time.until(self.findings_count())

    def findings_told(self) -> str:
        """How many errors and warnings there are; an empty string where there are none, or nobody knows yet."""
        return self.findings_then().told

    def marked(self, number: int) -> frozenset[int]:
        """The messages of a generation that findings other than mere facts are about."""
        return (self.findings_then().marked or {}).get(number, frozenset())

    def findings_by_compaction(self) -> Counter[int]:
        """How many errors and warnings there are about each compaction."""
        return self.findings_then().by_compaction or Counter()

    @on(FindingsPane.FindingChosen)
    def _finding_chosen(self, event: FindingsPane.FindingChosen) -> None:
        finding, inspection = event.finding, self.inspection
        if inspection is None or self.rows is None:
            return
        if finding.index is None:
            if finding.compaction is None:
                self.query_one(Panes).show("tune")
            return
        number = finding.generation or self.number
        if number == self.number:
            messages = self.query_one(MessageList)
            messages.move_cursor(self.rows.row_of(finding.index), centre=True)
            messages.focus()
        elif number <= len(inspection.conversation.generations):
            self.post_message(GoTo(number, finding.index + self.offset_of(number)))


def finding_view(finding: Finding) -> FindingView:
    """A finding as the pane shows it."""
    rule = RULES[finding.rule]
    if finding.compaction is not None:
        place = f"compaction {finding.compaction}"
    else:
        place = "" if finding.index is None else f"message {finding.index:,}"
    return FindingView(
        rule=finding.rule,
        severity=finding.severity,
        title=rule.title,
        text=finding.text,
        place=place or "settings",
        means=rule.means,
        advice=rule.advice,
        compaction=finding.compaction,
        generation=finding.generation,
        index=finding.index,
    )
