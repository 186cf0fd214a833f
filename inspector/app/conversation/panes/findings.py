"""Findings of the conversation."""

from __future__ import annotations

from typing import Any

from inspector.app.conversation.as_of import FindingsThen
from inspector.app.conversation.panes.base import Context, Pane
from inspector.app.conversation.resources import FINDINGS
from inspector.engines.registry import words_of
from widgets.panes.findings_pane import FindingList, FindingsPane, FindingsView


def _needs(context: Context) -> tuple[Any, ...] | None:
    if context.loaded.latest(FINDINGS) is None:
        return None
    state, profile = context.state, context.opened.resolved.settings.profile
    return context.derived.findings, profile, state.moment is not None, state.generation


def compute(findings: FindingsThen, profile: str, partial: bool, generation: int) -> FindingsView:
    """Return the findings with a note; `partial` means up to a step of the replay."""
    note = f"found{' up to this step' if partial else ''} with profile {words_of(profile)} and the settings in force"
    return FindingsView(findings.findings, note, generation, findings.dismissed)


PANE = Pane(FindingList.HELP, FindingsPane, _needs, compute, lambda state: (FINDINGS,))
