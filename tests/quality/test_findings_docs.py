"""docs/findings.md has the rules as the catalogue has them."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from inspector.quality.catalogue import RULES
from inspector.quality.finding import SEVERITIES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_is_the_one_that_the_catalogue_makes() -> None:
    page = (DOCS / "findings.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(DOCS / "findings.py"))["page"](page)
    assert page == made, "run python docs/findings.py"


def test_rules_are_ordered_by_severity_and_have_stable_ids() -> None:
    ranks = [SEVERITIES.index(rule.severity) for rule in RULES.values()]
    assert ranks == sorted(ranks)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", identity) for identity in RULES)
    assert all(identity == rule.id for identity, rule in RULES.items())
