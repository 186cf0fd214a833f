"""A summary that is only an API error counts as a failed summary, for every agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.findings import findings
from inspector.app.conversation.chrome import outcome_of
from tests.recipes import recipe

claude, others = recipe("claude_lines"), recipe("other_lines")
NOTICE = "You've hit your limit · resets 4am (Europe/Oslo)"
TIDES = "## Goal\nTides of the day, never rounded."


def claude_code(summary: str) -> str:
    made = claude.Session("5e55a000-0000-4000-8000-000000000001", "2.1.17")
    made.user("How high is the tide at noon? Never round it.")
    made.answer(claude.text("4.2 m."))
    made.compact(claude.refused(summary))
    made.user("And at six?")
    return str(made.text())


def claude_code_before_2(summary: str) -> str:
    made = claude.Session("5e55a000-0000-4000-8000-000000000001", "1.0.89")
    made.user("How high is the tide at noon? Never round it.")
    made.answer(claude.text("4.2 m."))
    made.summarize(f"{claude.OLD_LEAD}\n{summary}\n{claude.ONWARD}")
    made.user("And at six?")
    return str(made.text())


def pi(summary: str) -> str:
    made = others.PiSession("5fd1e58c-0000-4000-8000-000000000000", 3)
    made.user("How high is the tide at noon? Never round it.")
    made.answer({"type": "text", "text": "4.2 m."})
    made.compact(summary, made.user("And at six?"))
    return str(made.text())


def opencode(summary: str) -> str:
    made = others.OpencodeSession("ses_04e43e3e2ffe3lkToWGyV4A200")
    made.user("How high is the tide at noon? Never round it.")
    made.answer({"type": "text", "text": "4.2 m."})
    made.compact(summary)
    made.user("And at six?")
    return str(made.text())


@pytest.mark.parametrize("make", [claude_code, claude_code_before_2, pi, opencode])
def test_an_error_instead_of_a_summary_is_the_first_finding(tmp_path: Path, make: Any) -> None:
    for summary, failed in ((NOTICE, True), (TIDES, False)):
        path = tmp_path / f"{failed}"
        path.write_text(make(summary), encoding="utf-8")
        answers = Answers.of([path], {}, None)
        (row,) = answers.store.conversations()
        inspection, resolved = answers.opened(row.id)
        (compaction,) = inspection.compactions()
        assert compaction.fallback == failed
        assert summary in (compaction.summary or "")
        assert outcome_of(compaction) == ("fallback" if failed else "summary")
        first, *_ = [*findings(inspection, resolved), None]
        assert (first is not None and first.rule == "summary-fallback") == failed
        if failed and first is not None:
            assert (first.severity, first.compaction, first.generation) == ("error", 1, 2)
            assert first.index == compaction.summary_at
            assert NOTICE in first.text
