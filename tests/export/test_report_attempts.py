"""Attempts in a report: below their compaction, next to the recorded summary, with escaped texts."""

from __future__ import annotations

import json
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.answers.attempting import place_of
from inspector.commands.sources import open_source
from inspector.core.shares import kept_of
from inspector.core.text import safe
from inspector.export.report.gathering import gather_report
from inspector.export.report.parts import ATTEMPTS
from inspector.export.report.rendering import render
from inspector.export.report.values import Report
from inspector.models.attempt import Ask, AttemptPlace
from inspector.models.kept import default_attempts
from tests.export.conftest import MADE_AT
from tests.export.pages import Element, assert_harmless, parsed, shown, tokens
from tests.export.test_report_hostile import EVIL, MARKUP, one_line
from tests.program import Run

ROOT = Path(__file__).resolve().parents[2]
NAME = "Move checkout to orders-v2"
STAND_IN = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'fixtures' / 'summarizer.py'))}"


@cache
def place(compaction: int, step: int | None) -> AttemptPlace:
    """Return the place of an attempt at a compaction."""
    inspection, _ = Answers(open_source(None, True), {}, None).opened(NAME)
    return place_of(inspection.store, inspection.conversation.row, compaction, step)


def keep(compaction: int, step: int | None = None, **values: object) -> int:
    """Store a made-up attempt; return its id."""
    kept = default_attempts()
    begun = kept.begin(
        Ask(place(compaction, step), "a prompt", "ours", 2_000), "endpoint", "http://localhost", "a model"
    )
    return kept.change(begun.id, **{"state": "finished", "summary": "## Goal\nNone.", **values}).id


def gathered() -> Report:
    return gather_report(Answers(open_source(None, True), {}, None), NAME, MADE_AT)


def rows(section: Element) -> list[list[str]]:
    """Return the cells of the table of attempts, header first; empty if there is no table."""
    for table in section.all("table"):
        if any(caption.text.startswith("What each summary keeps") for caption in table.all("caption")):
            return [
                [cell.text for cell in row.children if cell.name in ("th", "td")] for row in table.all("tr")
            ]
    return []


def rows_of_markdown(document: str) -> list[list[str]]:
    """Return the same cells from Markdown, of all compactions in order."""
    found = tokens(document)
    cells: list[list[str]] = []
    inside = False
    for token in found:
        if token.type == "inline" and token.content.startswith("What each summary keeps"):
            inside = True
        elif token.type == "table_close":
            inside = False
        elif inside and token.type == "tr_open":
            cells.append([])
        elif inside and token.type == "inline" and cells:
            cells[-1].append("".join(child.content for child in token.children or []))
    return cells


def counts_of(counts: dict[str, int]) -> str:
    """Return the counts of a JSON answer in the form of a table."""
    return kept_of(*(counts[name] for name in ("kept", "of", "weakened", "open")))


def test_each_attempt_is_below_the_recorded_summary_with_the_figures_of_the_command(program: Run) -> None:
    def report(form: str) -> str:
        done = program("report", "--demo", NAME, "--output", "-", "--format", form)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    wanted = ("--compaction", "2", "--command", STAND_IN, "--command", f"{STAND_IN} --size 100", "--send")
    assert program("attempt", "--demo", NAME, *wanted).returncode == 0
    entries = json.loads(program("attempts", "--demo", NAME, "--json").stdout)
    assert [entry["attempt"] and entry["attempt"]["id"] for entry in entries] == [None, 1, 2]

    page = parsed(report("html"))
    head, *lines = rows(page.by_id("compaction-2"))
    assert head[:1] + head[-5:] == ["summary", "kept", "budget", "~tokens", "~after", "cost"]
    assert [line[0] for line in lines] == ["recorded", f"#1 {STAND_IN}", f"#2 {STAND_IN} --size 100"]
    for line, entry in zip(lines, entries, strict=True):
        assert line[1:-5] == [counts_of(kind) for kind in entry["survival"].values()]
        assert line[-5] == counts_of({"weakened": 0, **entry})
        assert line[-3:-1] == [f"{entry['summary_tokens']:,}", f"{entry['retained_tokens']:,}"]
    budget = f"{entries[1]['attempt']['budget']:,}"
    assert [(line[-4], line[-1]) for line in lines] == [("", ""), (budget, "–"), (budget, "–")]
    assert entries[1]["kept"] > entries[0]["kept"], (
        "an attempt that keeps more, or the rows could be one another's"
    )
    assert rows_of_markdown(report("markdown")) == [head, *lines]
    for other in (1, 3, 4):
        assert rows(page.by_id(f"compaction-{other}")) == []

    assert program("attempts", "--delete", "1", "--delete", "2").returncode == 0
    html = report("html")
    assert "What each summary keeps" not in html
    assert "<h3>Attempts" not in html


@pytest.fixture
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.mark.usefixtures("_own_data")
def test_the_text_of_an_attempt_is_escaped() -> None:
    keep(1, model=f"a {EVIL}", summary=f"{EVIL}\n{MARKUP}", cost=0.25)
    keep(1, model=MARKUP, summary="", state="failed", problem=f"{EVIL} | {MARKUP}")
    keep(1, model="| x | \x1b[31m\u202e", problem="It was cut\noff.")
    report = gathered()
    page = parsed(render(report, "html"))
    assert_harmless(page)
    section = page.by_id("compaction-1")
    head, recorded, evil, cut = rows(section)
    assert {len(line) for line in (recorded, evil, cut)} == {len(head)}
    assert evil[0].startswith("#1 a </span></p></details>")
    assert evil[-1] == "0.2500"
    # The problem of an attempt without a summary is named too.
    assert safe(f"Attempt 2 ({MARKUP}): {EVIL} | {MARKUP}") in section.text
    assert "It was cut\noff." in section.text

    document = render(report, "markdown")
    found = tokens(document)
    assert not {token.type for token in found} & {"html_inline", "html_block", "link_open", "image"}
    assert "<script>alert(1)</script>" in shown(found)
    markdown = rows_of_markdown(document)
    assert [len(line) for line in markdown] == [len(head)] * 4
    assert [line[1:] for line in markdown] == [line[1:] for line in (head, recorded, evil, cut)]
    assert markdown[2][0] == one_line(evil[0])


@pytest.mark.usefixtures("_own_data")
def test_omitted_attempts_are_counted() -> None:
    keep(1, step=40)
    made = [keep(1) for _ in range(ATTEMPTS + 2)]
    report = gathered()
    first, *others = report.compactions
    assert [attempt.id for attempt in first.attempts] == made[2:]
    assert len(first.summaries) == 1 + ATTEMPTS
    assert not any(part.attempts or part.summaries for part in others)
    note = "and 3 more attempts, older or of a planned compaction"
    assert note in parsed(render(report, "html")).by_id("compaction-1").text
    assert note in render(report, "markdown")
