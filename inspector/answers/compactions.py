"""The recorded compactions of a conversation, each beside the plan for the same list."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.answers.answers import Answers
from inspector.answers.findings import findings
from inspector.answers.inspection import Compared
from inspector.quality.finding import Finding


@dataclass(frozen=True, slots=True)
class JudgedCompaction:
    """A recorded compaction beside its plan, and the findings about it."""

    compared: Compared
    findings: tuple[Finding, ...]


def compare_compactions(answers: Answers, name: str) -> list[JudgedCompaction]:
    """Every recorded compaction, oldest first. Raises UnknownConversation, StoreErrors and EngineErrors."""
    inspection, resolved = answers.opened(name)
    every = findings(inspection, resolved)
    return [
        JudgedCompaction(compared, tuple(f for f in every if f.compaction == compared.recorded.index))
        for compared in inspection.compared(resolved.settings)
    ]
