"""Large conversations: omitted parts are counted, and a report stays small and fast."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.export.report.gathering import gather_report
from inspector.export.report.parts import GROUP, ITEMS, SUMMARY
from inspector.export.report.rendering import render
from inspector.export.report.values import Report
from inspector.stores.detect import open_store
from tests.counting import Readings
from tests.export.conftest import MADE_AT
from tests.export.pages import assert_harmless, parsed, shown, tokens
from tests.stores.writer import Writer, create, talk


def written(path: Path, lists: int, turns: int, facts: int) -> Path:
    """Make a conversation of many lists with four messages per turn; the first user messages of each state a fact."""
    writer = Writer(create(path, fts=False), tip="s0")
    writer.db.execute("BEGIN")
    writer.begin(title="Large", system_prompt="You are an agent.")
    stated = 0
    for number in range(lists):
        messages = talk(turns, number * turns)
        for at in range(facts):
            stated += 1
            messages[4 * at]["content"] = (
                f"Never let worker-{stated} have more than {stated + 7} connections to shard {stated}."
            )
        writer.say(messages)
        if number < lists - 1:
            items = "\n".join(f"- step {n} of list {number} is done in {n * 3} ms" for n in range(120))
            writer.compact(
                4, len(writer.live) - 8, f"## Goal\nGo on\n\n## Completed Actions\n{items}", rotate=True
            )
    writer.db.execute("COMMIT")
    return writer.end()


def gathered(path: Path) -> Report:
    store = open_store(path)
    try:
        return gather_report(Answers(store, {}, None), "Large", MADE_AT)
    finally:
        store.close()


def test_omitted_parts_are_counted(tmp_path: Path) -> None:
    report = gathered(written(tmp_path / "state.db", 3, 44, 40))
    page = parsed(render(report, "html"))
    document = shown(tokens(render(report, "markdown")))
    for part in report.compactions:
        (group,) = [group for group in part.facts.lost if group.kind == "constraint"]
        assert len(group.lines) == GROUP.of(2) == 25
        counts = part.facts.counts["constraint"]
        # The counts include permanent losses of earlier compactions.
        assert counts["lost"] + counts["value lost"] >= group.total >= 30
        section = page.by_id(f"compaction-{part.recorded.index}")
        assert f"{group.total} constraints" in section.text
        assert f"and {group.more} more constraints" in section.text
        assert f"and {group.more} more constraints (the facts command" in document
        assert len([li for li in section.all("li") if "lost" in (li.attributes.get("class") or "")]) <= 5 * 25
    second = report.compactions[1]
    assert second.diff is not None
    (changes,) = [s for s in second.diff.diff.sections if s.name == "Completed Actions"]
    changed = sum(item.change != "kept" for item in changes.items)
    assert changed > ITEMS.of(2) == 40
    assert f"and {changed - 40} more changes" in page.by_id("compaction-2").text
    assert f"and {changed - 40} more changes" in document


def test_a_long_summary_is_cut_with_a_note(tmp_path: Path) -> None:
    writer = Writer(create(tmp_path / "state.db"), tip="s0")
    writer.begin(title="Large")
    writer.say(talk(8))
    body = "## Goal\n" + "word " * 20_000
    writer.compact(2, 24, body)
    report = gathered(writer.end())
    (part,) = report.compactions
    assert len(part.recorded.summary or "") == len(body.strip())
    left_out = len(body.strip()) - SUMMARY.of(1)
    for text in (parsed(render(report, "html")).by_id("compaction-1").text, render(report, "markdown")):
        assert f"and {left_out:,} more characters" in text
        assert 0 <= 60_000 // len("word ") - text.count("word ") < 5


@pytest.mark.parametrize("compactions", [1, 7, 40, 500])
def test_more_compactions_leave_less_room_for_each(compactions: int) -> None:
    assert compactions * GROUP.of(compactions) <= max(500, 5 * compactions)
    assert compactions * SUMMARY.of(compactions) <= max(800_000, 4_000 * compactions)
    for limit in (GROUP, SUMMARY, ITEMS):
        assert limit.of(compactions + 1) <= limit.of(compactions) <= limit.of(0)
        assert limit.of(compactions) > 0


@pytest.mark.parametrize(("turns", "facts"), [(40, 10), pytest.param(500, 40, marks=pytest.mark.slow)])
def test_thousands_of_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turns: int, facts: int
) -> None:
    store = open_store(written(tmp_path / "state.db", 5, turns, facts))
    readings = Readings(store, monkeypatch)
    report = gather_report(Answers(store, {}, None), "Large", MADE_AT)
    # The plans, facts, rules files, findings and course read every list once each, for any number of compactions. The
    # key under which fates are kept reads them once more.
    # The search for secrets reads each message once more.
    assert readings.lists <= 5 * 6
    assert readings.messages <= 2 * 20 * turns + 5 * 2 * turns
    html, markdown = render(report, "html"), render(report, "markdown")
    store.close()
    assert len(report.course.tokens) == 20 * turns
    assert len(report.compactions) == 4
    assert len(html.encode()) < 2_000_000
    assert len(markdown.encode()) < 1_000_000
    page = parsed(html)
    assert_harmless(page)
    lines = list(page.all("polyline"))
    assert sum(len((line.attributes["points"] or "").split()) for line in lines) < 1_000
    assert f"{20 * turns:,}" in page.by_id("glance").text
