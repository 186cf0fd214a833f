"""Sizes and counts in a report equal those of the other answers."""

from __future__ import annotations

import pytest

from inspector.answers.answers import Answers
from inspector.answers.compactions import compare_compactions
from inspector.answers.findings import read_findings
from inspector.answers.upcoming import upcoming
from inspector.commands.sources import open_source
from inspector.export.report.gathering import gather_report
from inspector.export.report.rendering import render
from inspector.export.report.values import Report
from inspector.quality.grouping import grouped
from tests.export.conftest import MADE_AT
from tests.export.pages import parsed

DIVES, CHECKOUT = "Turn the dive log", "Move checkout to orders-v2"


def bundled() -> Answers:
    return Answers(open_source(None, True), {}, None)


def gathered(name: str) -> Report:
    return gather_report(bundled(), name, MADE_AT)


def test_reported_sizes_are_used() -> None:
    report, following = gathered(DIVES), upcoming(bundled(), DIVES)
    assert following.reported
    assert (report.live_tokens, report.live_reported) == (following.tokens, True)
    assert report.course.tokens[-1] == pytest.approx(following.tokens, rel=0.02)
    assert report.course.sizes.startswith("The agent reported the sizes of ")
    automatic = [fall for fall, part in zip(report.course.falls, report.compactions, strict=True)
                 if part.recorded.trigger != "manual"]  # fmt: skip
    assert all(fall.before >= 0.95 * report.budgets.threshold_tokens for fall in automatic)
    texts = (parsed(render(report, "html")).text, render(report, "markdown"))
    for text in texts:
        assert f"{report.live_tokens:,}" in text
        assert report.course.sizes in text
        assert text.count("by the agent's reports") == len(report.compactions)


def test_sizes_are_rough_if_the_agent_reports_none() -> None:
    report = gathered(CHECKOUT)
    assert not report.live_reported
    assert report.course.sizes == ""
    assert "Tokens are rough counts with the system prompt." in parsed(render(report, "html")).text


def test_findings_with_one_cause_count_once() -> None:
    found = read_findings(*bundled().opened(CHECKOUT))
    counts = gathered(CHECKOUT).finding_counts
    assert sum(counts.values()) == len(grouped(found)) < len(found)


def test_a_report_names_the_triggers_that_the_list_of_compactions_names() -> None:
    listed = [entry.trigger for entry in compare_compactions(bundled(), CHECKOUT)]
    assert [part.judged.trigger for part in gathered(CHECKOUT).compactions] == listed == ["auto"] * 4
