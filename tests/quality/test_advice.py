"""Advice of findings: for users of the agent, without settings of other agents."""

from __future__ import annotations

import pytest

from inspector.engines.base import Settings
from inspector.export.findings import finding_document
from inspector.export.report.rows import finding_items
from inspector.quality.catalogue import RULES
from inspector.quality.find import find
from inspector.quality.finding import Finding
from tests.quality.made import compaction_evidence, evidence, plan


def saved_little(profile: str) -> Finding:
    settings = Settings(profile=profile)
    made = compaction_evidence(1, {"tokens_after": 150_000}, planned=plan())
    found = find(evidence(made, settings=settings))
    return next(finding for finding in found if finding.rule == "saved-little")


@pytest.mark.parametrize(
    ("profile", "ours"), [("hermes-0.19", True), ("claude-code", False), ("codex", False)]
)
def test_settings_of_hermes_are_for_users_of_hermes(profile: str, ours: bool) -> None:
    finding = saved_little(profile)
    rule = RULES["saved-little"]
    ((*_, notes),) = finding_items([finding])
    for advice in (finding_document(finding)["advice"], notes[-1]):
        assert advice.startswith(rule.advice)
        assert (rule.hermes in advice) == ours
        assert ("protect_last_n" in advice) == ours
