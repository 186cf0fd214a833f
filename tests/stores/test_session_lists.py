"""The lists of a session that a reader fills, without a file."""

from __future__ import annotations

from pathlib import Path

from inspector.stores.entries import Entries
from inspector.stores.session_lists import SessionLists


def test_compactions_of_a_session_without_an_id_name_its_file() -> None:
    session = SessionLists(Entries(Path("night-shift.jsonl"), lambda lines: []))
    session.begin_record(0, 10)
    session.add([{"role": "user", "content": "Moor the ferry."}], 0.0)
    (summary,) = session.make([{"role": "user", "content": "The ferry is moored."}], 0.0, summary=True)
    session.compact([summary], summary, 0.0, text="The ferry is moored.")
    session.fail("no answer", 0.0)
    session.clear([0], 0.0)
    steps = (*session.compactions, *session.failures, *session.cleared)
    assert {step.session for step in steps} == {"night-shift"}
    assert session.digest(session.entries.path).row.id == "night-shift"
