"""The recorded compactions of a conversation, each beside the plan for the same list."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.answers.answers import Answers
from inspector.answers.findings import findings
from inspector.answers.inspection import Compared
from inspector.answers.whys import Why, why_of
from inspector.core.conversations import Microcompaction
from inspector.quality.finding import Finding


@dataclass(frozen=True, slots=True)
class JudgedCompaction:
    """A recorded compaction beside its plan, the findings about it, and why it came about."""

    compared: Compared
    findings: tuple[Finding, ...]
    why: Why


def compare_compactions(answers: Answers, name: str) -> list[JudgedCompaction]:
    """Every recorded compaction, oldest first. Raises UnknownConversation, StoreErrors and EngineErrors."""
    inspection, resolved = answers.opened(name)
    every = findings(inspection, resolved)
    return [
        JudgedCompaction(
            compared,
            tuple(f for f in every if f.compaction == compared.recorded.index),
            why_of(compared.recorded, compared.planned.profile, compared.planned.budgets),
        )
        for compared in inspection.compared(resolved.settings)
    ]


def microcompactions(answers: Answers, name: str) -> tuple[Microcompaction, ...]:
    """Every step that cleared old results without a summary, oldest first.

    Raises UnknownConversation and StoreErrors.
    """
    inspection, _ = answers.opened(name)
    return answers.store.microcompactions(inspection.conversation)
