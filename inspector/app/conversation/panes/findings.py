"""What is wrong or worth knowing about the conversation."""

from __future__ import annotations

from typing import Any

from textual import on

from inspector.app.conversation.as_of import FindingsThen
from inspector.app.conversation.intents import ChooseCompaction, GoTo
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import FINDINGS
from inspector.core.places import place_name
from inspector.quality.catalogue import RULES
from inspector.quality.finding import Finding
from widgets.panes.findings_pane import FindingList, FindingsPane, FindingView


class Findings(FindingsPane):
    """Goes to the place of a finding, or to the settings where it is about those."""

    generation = 1

    @on(FindingsPane.FindingChosen)
    def _chosen(self, event: FindingsPane.FindingChosen) -> None:
        event.stop()
        finding = event.finding
        if finding.index is not None:
            self.post_message(GoTo(finding.generation or self.generation, finding.index))
        elif finding.compaction is not None:
            self.post_message(ChooseCompaction(finding.compaction))
        else:
            self.post_message(GoTo(0, None, pane="what-if"))


def _needs(context: Context) -> tuple[Any, ...] | None:
    if context.loaded.latest(FINDINGS) is None:
        return None
    state, profile = context.state, context.opened.resolved.settings.profile
    return context.derived.findings, profile, state.moment is not None, state.generation


def compute(
    findings: FindingsThen, profile: str, so_far: bool, generation: int
) -> tuple[tuple[FindingView, ...], str, int]:
    """The findings with a sentence about all of them; `so_far`: as far as a step of the replay."""
    note = f"under {profile}, as configured"
    views = tuple(map(finding_view, findings.found))
    return views, f"as far as this step, {note}" if so_far else note, generation


def finding_view(finding: Finding) -> FindingView:
    """A finding as the pane shows it."""
    rule = RULES[finding.rule]
    if finding.compaction is not None:
        place = f"compaction {finding.compaction}"
    else:
        place = "" if finding.index is None else place_name(finding.index)
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


def _show(pane: Findings, view: tuple[tuple[FindingView, ...], str, int] | None) -> None:
    if view is None:
        pane.set_findings(None)
    else:
        views, note, pane.generation = view
        pane.set_findings(views, note)


PANE = Pane(FindingList.HELP, Findings, _needs, compute, _show, lambda state: (FINDINGS,))
