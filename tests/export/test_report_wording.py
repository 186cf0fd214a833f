"""Shares in reports read as they do on screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.answers.facts import Wanted, follow_facts
from inspector.answers.measures import measure
from inspector.export.measures import measures_document, share_percent, share_words
from inspector.export.report.gathering import gather_report
from inspector.export.report.rendering import render, report_document
from inspector.export.report.values import FactsPart
from inspector.quality.facts.fact import KINDS, OUTCOMES
from inspector.quality.measures import Share
from inspector.stores.detect import open_store
from tests.program import ROOT
from tests.recipes import compacted_session, recipe


@pytest.mark.parametrize(
    ("share", "short", "long"),
    [
        (None, "–", "–"),
        (Share(0, 0), "–", "–"),
        (Share(0, 0, 3), "–", "– ±3"),
        (Share(6, 9), "67%", "67% 6/9"),
        (Share(6, 9, 2), "67%", "67% 6/9 ±2"),
        (Share(999, 1_000), "99%", "99% 999/1,000"),
        (Share(1, 1_000), "<1%", "<1% 1/1,000"),
        (Share(-200, 1_000), "−20%", "−20% -200/1,000"),
    ],
)
def test_all_is_written_only_for_a_full_share(share: Share | None, short: str, long: str) -> None:
    assert (share_percent(share), share_words(share)) == (short, long)


def test_uncertain_facts_are_not_called_kept() -> None:
    counts = {kind: dict.fromkeys(OUTCOMES, 1 if kind == "value" else 0) for kind in KINDS}
    sure = {kind: {**of_kind, "unknown": 0, "uncertain": 0} for kind, of_kind in counts.items()}
    unsure = {kind: {**of_kind, "unknown": 0} for kind, of_kind in counts.items()}
    assert FactsPart(sure).none_lost == "Nothing of what this compaction summarized is lost."
    assert FactsPart(unsure).none_lost == "No loss is known, but 1 fact may be lost."
    assert FactsPart(counts).none_lost == "The fate of 1 fact is unknown: the summary cannot be read."
    assert FactsPart(sure, lacks="a part is missing").none_lost == "No loss is known."


@pytest.mark.parametrize("whole", [True, False])
def test_a_report_names_a_missing_list_before_a_compaction(tmp_path: Path, whole: bool) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000001")
    if whole:
        session.user("Count the berths.")
        session.answer(lines.text("Nine."))
    session.compact(lines.nine_sections(primary=["Count the berths."]))
    session.user("Go on.")
    answers = Answers(open_store(session.write(tmp_path / "a.jsonl")), {}, None)
    (row,) = answers.store.conversations()
    report = gather_report(answers, row.id, 1.0)
    for page in (render(report, "html"), render(report, "markdown")):
        assert ("the files lack the list before, or a part" in page) is not whole
        assert ("Unknown → " in page) is not whole
        assert ("No recorded boundaries · no plan: the list before it is unknown" in page) is not whole
    (part,) = report_document(report)["compactions"]
    assert part["tokens"] != [0, 0, 0]
    for name in ("before", "head_end", "tail_start", "tokens_before"):
        assert (part[name] is None) is not whole, name
    answers.store.close()


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_report_says_that_losses_of_an_incomplete_session_are_unknown(tmp_path: Path, is_cut: bool) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000002")
    session.user("Count the berths.")
    session.answer(lines.text("Nine berths."))
    session.compact(lines.nine_sections(primary=["Count the berths."]))
    path = session.write(tmp_path / "a.jsonl")
    if is_cut:
        path.write_bytes(path.read_bytes().replace(b'"Nine berths."', b'"Nine'))
    answers = Answers(open_store(path), {}, None)
    (row,) = answers.store.conversations()
    report = gather_report(answers, row.id, 1.0)
    for page in (render(report, "html"), render(report, "markdown")):
        assert ("a part of the conversation is missing or cannot be read" in page) is is_cut
        assert ("No repeated work is recognized." in page) is not is_cut
        assert ("in the live list; a part is missing or cannot be read" in page) is is_cut
    assert report_document(report)["has_unread"] is is_cut
    answers.store.close()


def test_facts_of_an_unreadable_summary_are_not_among_the_kept(tmp_path: Path) -> None:
    path = compacted_session(tmp_path / "a.jsonl", "Never write to the north berth.", "")
    answers = Answers(open_store(path), {}, None)
    (row,) = answers.store.conversations()
    report = gather_report(answers, row.id, 1.0)
    (part,) = report.compactions
    assert not part.facts.kept
    assert sum(group.total for group in part.facts.open) == sum(
        counts["unknown"] for counts in part.facts.counts.values()
    )
    page = render(report, "markdown")
    assert "### Uncertain or unknown" in page
    assert "The summary cannot be read." in page
    answers.store.close()


@pytest.mark.parametrize("whole", [True, False])
def test_sizes_and_facts_are_unknown_without_the_list_before(tmp_path: Path, whole: bool) -> None:
    lines = recipe("claude_lines")
    session = lines.Session("5e55a000-0000-4000-8000-000000000001")
    if whole:
        session.user("Never moor at berth 9. Count the berths.")
        session.answer(lines.text("Nine."))
    session.compact(lines.nine_sections(primary=["Count the berths."]))
    session.user("Go on.")
    answers = Answers(open_store(session.write(tmp_path / "a.jsonl")), {}, None)
    (row,) = answers.store.conversations()
    (measured,) = measures_document(measure(answers, row.id))["compactions"]
    assert (measured["spent_tokens"] is not None) is (measured["compression"] is not None) is whole
    follow_facts(answers, row.id, Wanted())
    note = "The facts of 1 compaction are unknown in whole or in part: the files lack the list before, or a part."
    assert (note in answers.notes()) is not whole
    answers.store.close()


def test_a_report_names_a_plan_that_keeps_other_messages_between_the_boundaries() -> None:
    answers = Answers(open_store(ROOT / "fixtures" / "agents" / "codex"), {}, None)
    (row,) = answers.store.conversations()
    text = render(gather_report(answers, row.id, 1.0), "markdown")
    answers.store.close()
    assert "planned by codex: the same boundaries; between them, 4 messages would stay and 2 stayed" in text
