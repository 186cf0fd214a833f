"""The costs that agents record themselves, of a call or of a whole session."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.answers.answers import Answers
from inspector.answers.requests import list_requests
from inspector.caching.requests import Requests
from inspector.export.requests import print_sums, sums_document
from inspector.stores.detect import open_store
from tests.recipes import recipe
from tests.stores import writer

claude_lines, more_lines, other_lines = recipe("claude_lines"), recipe("more_lines"), recipe("other_lines")


def requests_in(path: Path) -> Requests:
    answers = Answers(open_store(path), {}, None)
    (row,) = answers.store.conversations()
    return list_requests(answers, row.id)


def test_recorded_costs_of_calls_are_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = other_lines.PiSession("0199aaaa-0000-7000-8000-000000000001", 3)
    for cost in (0.5, 0.25):
        session.user("Never let the ferry wait.")
        session.answer({"type": "text", "text": "Noted."})
        session.entries[-1]["message"]["usage"]["cost"] = {"input": cost, "total": cost}
    path = tmp_path / "a.jsonl"
    path.write_text(session.text(), encoding="utf-8")
    requests = requests_in(path)
    assert [priced.request.recorded_cost for priced in requests.priced] == [0.5, 0.25]
    assert sums_document(requests)["recorded_cost"] == 0.75
    print_sums(requests)
    assert "The agent recorded a cost of 0.75 US dollars." in capsys.readouterr().out


def test_copilot_bills_single_requests_in_credits(tmp_path: Path) -> None:
    """A credit costs a cent."""
    session = more_lines.CopilotSession("7b0c5e11-0c4d-4a1b-9e52-3f6a7d8b9c00")
    for credit in (20, 5):
        session.user("Never let the ferry wait.")
        session.answer("Noted.", sent=9_000)
        session.events[-2]["data"]["usage"]["copilotUsage"] = {"totalNanoAiu": credit * 1_000_000_000}
    requests = requests_in(session.write(tmp_path))
    assert [priced.request.recorded_cost for priced in requests.priced] == pytest.approx([0.2, 0.05])
    assert requests.recorded_cost == pytest.approx(0.25)


def test_zero_is_no_recorded_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Agents write zero for a model without a price."""
    session = other_lines.OpencodeSession("ses_04e43e3e2ffe3lkToWGyV4A1U8")
    session.user("Chart the reef.")
    session.answer({"type": "text", "text": "Charted."}, cost=0)
    path = tmp_path / "a.json"
    path.write_text(session.text(), encoding="utf-8")
    requests = requests_in(path)
    assert sums_document(requests)["recorded_cost"] is None
    print_sums(requests)
    assert "recorded" not in capsys.readouterr().out


@pytest.mark.parametrize(("has_unknown", "recorded"), [(False, 0.93), (True, 0.0)])
def test_the_newest_total_of_claude_code_counts(tmp_path: Path, has_unknown: bool, recorded: float) -> None:
    """It includes calls that no line has. It is too low if a model has no price."""
    session = claude_lines.Session("5e55a000-0000-4000-8000-000000000001")
    for total in (0.1, 0.93):
        session.user("Moor the ferry.")
        session.answer(claude_lines.text("Moored."))
        session.plain(
            type="cost-state", sessionId=session.session, totalCostUSD=total, hasUnknownModelCost=has_unknown
        )
    requests = requests_in(session.write(tmp_path / "a.jsonl"))
    assert len(requests.priced) == 2
    assert requests.recorded_cost == recorded


@pytest.mark.parametrize("closes", [False, True])
@pytest.mark.parametrize("goes_on", [False, True])
def test_the_total_of_a_fork_of_claude_code_has_the_costs_of_the_first_session(
    tmp_path: Path, goes_on: bool, closes: bool
) -> None:
    """Claude Code 2.1.331 goes on from the total of the session that it forks. If nobody continues that session, both
    files are one conversation. A fork begins
    with the last compaction, and records the total if it closes at once."""

    def turn(session: Any, words: str, total: float) -> None:
        session.user(words)
        session.answer(claude_lines.text(f"Done: {words}"))
        session.plain(type="cost-state", sessionId=session.session, totalCostUSD=total)

    first = claude_lines.Session("5e55a000-0000-4000-8000-000000000001")
    first.user("Count the berths.")
    first.answer(claude_lines.text("There are 9."))
    first.compact("The berths are counted.")
    turn(first, "Moor the ferry.", 0.5)
    fork = claude_lines.Session("5e55a000-0000-4000-8000-000000000002", start=first.at)
    fork.lines = [line for line in first.lines if line["type"] != "cost-state"]
    fork.last, fork.cached = first.last, first.cached
    if closes:
        place = [line.get("subtype") for line in fork.lines].index("compact_boundary")
        del fork.lines[:place]
        fork.plain(type="cost-state", sessionId=fork.session, totalCostUSD=0.5)
    turn(fork, "Paint it.", 0.625)
    turn(fork, "Paint it red.", 0.75)
    fork.write(tmp_path / "b.jsonl")
    if goes_on:
        turn(first, "Sail it.", 0.875)
    first.write(tmp_path / "a.jsonl")
    answers = Answers(open_store(tmp_path), {}, None)
    rows = answers.store.conversations()
    costs = {row.id: list_requests(answers, row.id).recorded_cost for row in rows}
    assert costs == ({first.session: 0.875, fork.session: 0.25} if goes_on else {fork.session: 0.75})


def test_goose_and_hermes_record_costs(tmp_path: Path) -> None:
    session = more_lines.GooseSession("20261005_1")
    session.user("Never let the ferry wait.")
    session.answer("Berth 4 is free.", sent=161_000)
    path = session.write(tmp_path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE usage_ledger SET cost = 0.4")
    assert requests_in(path).recorded_cost == 0.4
    path = writer.simple(tmp_path / "state.db", sessions=1)
    with sqlite3.connect(path) as database:
        names = {row[1] for row in database.execute("PRAGMA table_info(sessions)")}
        for name in {"estimated_cost_usd", "actual_cost_usd"} - names:
            database.execute(f"ALTER TABLE sessions ADD COLUMN {name} REAL")
        database.execute("UPDATE sessions SET estimated_cost_usd = 0.3")
    assert requests_in(path).recorded_cost == 0.3
    with sqlite3.connect(path) as database:
        database.execute("UPDATE sessions SET actual_cost_usd = 0.2")
    assert requests_in(path).recorded_cost == 0.2
