"""Findings of the conversation."""

from __future__ import annotations

from typing import Any

from inspector.app.conversation.as_of import FindingsThen
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import FINDINGS
from inspector.quality.finding import Finding
from widgets.panes.findings_pane import FindingList, FindingsPane

#: Findings, the settings that they hold for in words, the generation on screen, and dismissed findings.
View = tuple[tuple[Finding, ...], str, int, tuple[Finding, ...]]


def _needs(context: Context) -> tuple[Any, ...] | None:
    if context.loaded.latest(FINDINGS) is None:
        return None
    state, profile = context.state, context.opened.resolved.settings.profile
    return context.derived.findings, profile, state.moment is not None, state.generation


def compute(findings: FindingsThen, profile: str, partial: bool, generation: int) -> View:
    """Return the findings with a note; `partial` means up to a step of the replay."""
    note = f"under {profile}, as configured"
    return findings.findings, f"up to this step, {note}" if partial else note, generation, findings.dismissed


def _show(pane: FindingsPane, view: View | None) -> None:
    if view is None:
        pane.set_findings(None)
    else:
        pane.set_findings(*view)


PANE = Pane(FindingList.HELP, FindingsPane, _needs, compute, _show, lambda state: (FINDINGS,))
