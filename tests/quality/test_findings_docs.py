"""docs/findings.md says what the catalogue says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.quality.catalogue import RULES
from inspector.quality.finding import SEVERITIES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
PARAGRAPHS = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_the_page_has_the_rules_in_order() -> None:
    assert list(PARAGRAPHS) == list(RULES)
    ranks = [SEVERITIES.index(rule.severity) for rule in RULES.values()]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_each_paragraph_says_what_the_rule_says(rule: object) -> None:
    from inspector.quality.finding import Rule

    assert isinstance(rule, Rule)
    said = " ".join(PARAGRAPHS[rule.id].split())
    assert said.startswith(f"**{rule.severity}**: {rule.title}.")
    assert rule.means in said
    assert f"*When:* {rule.when}" in said
    assert f"*What to do:* {rule.advice}" in said


def test_ids_are_stable_words() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", identity) for identity in RULES)
    assert all(identity == rule.id for identity, rule in RULES.items())
