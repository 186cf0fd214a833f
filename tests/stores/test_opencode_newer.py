"""Sessions of opencode 2: in its database, together with sessions of opencode 1, and as exports."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.stores.detect import open_store
from tests.examples import also
from tests.stores.alone import opened, texts

SESSION = "ses_04e43e3e2ffe3lkToWGyV4A1U8"
START = 1_785_000_000_000
MODEL = {"id": "big-pickle", "providerID": "opencode"}


def usage(sent: int, output: int) -> dict[str, Any]:
    return {"input": sent, "output": output, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def message(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": f"msg_{number:04}", "type": kind, "time": {"created": START + number * 1000}, **fields}


def answer(number: int, *content: dict[str, Any], sent: int = 900) -> dict[str, Any]:
    fields = {"agent": "build", "model": MODEL, "finish": "stop", "tokens": usage(sent, 60)}
    return message(number, "assistant", content=list(content), **fields)


def reef() -> list[dict[str, Any]]:
    ran = {
        "status": "completed",
        "input": {"path": "reef.csv"},
        "content": [{"type": "text", "text": "depth,12"}],
    }
    broken = {"status": "error", "input": {}, "error": {"type": "unknown", "message": "no such file"}}
    tools = [
        {"type": "tool", "id": f"call_{n}", "name": "read", "state": state, "time": {"created": START}}
        for n, state in enumerate((ran, broken))
    ]
    return [
        message(1, "agent-switched", agent="build"),
        message(2, "user", text="Chart the reef.", files=[{"mime": "text/plain", "name": "reef.csv"}]),
        answer(3, {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Reading."}, *tools),
        message(4, "shell", command="ls", status="exited", output={"output": "reef.csv"}),
        message(5, "compaction", status="failed", reason="auto", error={"type": "provider.error", "message": "down"}),
        message(
            6, "compaction", status="completed", reason="auto", model=MODEL, tokens=usage(38_823, 1_641),
            summary="## Objective\n- A reef chart.", recent="[User]: Chart the reef.",
        ),
        message(7, "synthetic", text="Continue if you have next steps."),
        answer(8, {"type": "text", "text": "Charted."}),
        message(9, "compaction", status="running", reason="manual", summary="## Obj", recent=""),
        message(10, "idle", outcome="succeeded"),
    ]  # fmt: skip


def as_export(folder: Path, messages: list[dict[str, Any]]) -> Path:
    info = {
        "id": SESSION, "projectID": "reef", "title": "Reef charts", "location": {"directory": "/home/dev/reef"},
        "time": {"created": START, "updated": START + 10_000}, "model": MODEL,
    }  # fmt: skip
    path = folder / "reef.json"
    path.write_text(json.dumps({"info": info, "messages": messages}, indent=2), encoding="utf-8")
    return path


def database(folder: Path, older: bool = False) -> sqlite3.Connection:
    found = sqlite3.connect(folder / "opencode.db")
    columns = (
        "id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER,"
    )
    found.executescript(
        f"CREATE TABLE session_v2 ({columns} time_updated INTEGER, fork_session_id TEXT, revert TEXT);"
        "CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER,"
        " time_created INTEGER, time_updated INTEGER, data TEXT);"
    )
    if older:
        found.executescript(
            f"CREATE TABLE session ({columns} time_updated INTEGER);"
            "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
        )
    return found


def store_messages(
    found: sqlite3.Connection, messages: list[dict[str, Any]], session: str = SESSION, forked: str | None = None
) -> None:  # fmt: skip
    row = (session, None, "/home/dev/reef", "Reef charts", "2.0.7", START, START + 10_000, forked, None)
    found.execute("INSERT INTO session_v2 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    for seq, sent_message in enumerate(messages):
        data = json.dumps({key: value for key, value in sent_message.items() if key not in ("id", "type")})
        at = sent_message["time"]["created"]
        row = (sent_message["id"], session, sent_message["type"], seq, at, at, data)
        found.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    found.commit()


def store_older(found: sqlite3.Connection, session: str, text: str, at: int) -> None:
    found.execute(
        "INSERT INTO session VALUES (?, NULL, '/home/dev/reef', 'Before', '1.18.9', ?, ?)",
        (session, START, at),
    )
    data = json.dumps({"role": "user", "time": {"created": at}})
    found.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (f"msg_old_{session}", session, at, data))
    part = json.dumps({"type": "text", "text": text})
    found.execute(
        "INSERT INTO part VALUES (?, ?, ?, ?)", (f"prt_{session}", f"msg_old_{session}", session, part)
    )
    found.commit()


def test_an_empty_session_of_opencode_2_beside_older_ones_is_left_out(tmp_path: Path) -> None:
    found = database(tmp_path, older=True)
    store_messages(found, [])
    store_older(found, "ses_old", "Chart the reef.", START)
    (row,) = open_store(tmp_path / "opencode.db").conversations()
    assert row.id == "ses_old"


@pytest.mark.parametrize("form", ["export", "database", "database with the older tables"])
def test_a_session_of_opencode_2(tmp_path: Path, form: str) -> None:
    if form == "export":
        path = as_export(tmp_path, reef())
    else:
        path = tmp_path / "opencode.db"
        store_messages(database(tmp_path, older=form != "database"), reef())
    store, conversation, (compaction,) = opened(path)
    row = conversation.row
    assert (row.agent, row.id, row.title, row.folder) == (
        "opencode",
        SESSION,
        "Reef charts",
        "/home/dev/reef",
    )
    assert (compaction.summary, compaction.trigger) == ("## Objective\n- A reef chart.", "auto")
    assert (compaction.before, compaction.tail_start, compaction.after) == (6, 6, 2)
    assert texts(store, conversation, 0) == [
        ("user", "Chart the reef."), ("system", "(a file: reef.csv)"), ("assistant", "Reading."),
        ("tool", "depth,12"), ("tool", "no such file"), ("system", "$ ls\nreef.csv"),
    ]  # fmt: skip
    assert texts(store, conversation) == [
        ("user", "## Objective\n- A reef chart."), ("system", "[User]: Chart the reef."),
        ("system", "Continue if you have next steps."), ("assistant", "Charted."),
    ]  # fmt: skip
    assert store.messages(conversation.live)[0].summary
    requests = store.requests(conversation)
    assert [(r.model, r.context, r.output, r.generation) for r in requests] == [
        ("big-pickle", 900, 60, 1), ("big-pickle", 38_823, 1_641, 1), ("big-pickle", 900, 60, 2),
    ]  # fmt: skip


def test_a_session_is_read_where_it_continued(tmp_path: Path) -> None:
    """opencode 1 may stay in use after its sessions were taken over."""
    found = database(tmp_path, older=True)
    store_older(found, SESSION, "Taken over.", START)
    store_messages(found, reef())
    store_messages(found, [message(20, "user", text="Taken over too.")], "ses_gone_on")
    store_older(found, "ses_gone_on", "Gone on with.", START + 60_000)
    store_older(found, "ses_left", "Never taken over.", START)
    switched = [message(30, "model-switched", model=MODEL), message(31, "agent-switched", agent="plan")]
    store_messages(found, switched, "ses_switched")
    store_older(found, "ses_switched", "All is in the older tables.", START)
    store = open_store(tmp_path / "opencode.db")
    first = {row.id: texts(store, store.open(row.id), 0)[0][1] for row in store.conversations()}
    assert first == {
        SESSION: "Chart the reef.",
        "ses_gone_on": "Gone on with.",
        "ses_left": "Never taken over.",
        "ses_switched": "All is in the older tables.",
    }


def test_a_fork_counts_nothing_again(tmp_path: Path) -> None:
    found = database(tmp_path)
    store_messages(found, reef()[:8])
    copies = [{**entry, "id": f"msg_fork_{seq}"} for seq, entry in enumerate(reef()[:8])]
    store_messages(found, [*copies, answer(40, {"type": "text", "text": "In blue."})], "ses_fork", SESSION)
    store = open_store(tmp_path / "opencode.db")
    rows = {row.id: row for row in store.conversations()}
    fork = store.open("ses_fork")
    assert (rows["ses_fork"].kind, rows["ses_fork"].parent) == ("branch", SESSION)
    assert store.compactions(fork) == ()
    assert [request.message for request in store.requests(fork)] == ["msg_0040"]
    assert texts(store, fork)[0] == ("system", "## Objective\n- A reef chart.\n\n[User]: Chart the reef.")


def test_a_checkpoint_of_the_provider_cannot_be_read(tmp_path: Path) -> None:
    messages = reef()[:3]
    context = {"providerContext": {"kind": "made-up"}}
    messages.append(
        message(4, "compaction", status="completed", reason="manual", summary="", recent="", **context)
    )
    _, _, (compaction,) = opened(as_export(tmp_path, messages))
    assert (compaction.encrypted, compaction.summary, compaction.trigger) == (True, None, "manual")


def test_text_before_the_document_of_an_export_is_ignored(tmp_path: Path) -> None:
    path = as_export(tmp_path, reef())
    path.write_bytes(b"\xef\xbb\xbfExporting session: ses_made_up" + path.read_bytes())
    assert len(opened(path)[2]) == 1


@pytest.mark.parametrize("odd", [None, "\ud800\x1b[31m", *also([None, {"type": 3}], 5, "", [], {})])
def test_hostile_values_are_handled(tmp_path: Path, odd: object) -> None:
    for number, entry in enumerate(reef()):
        for key in entry:
            folder = tmp_path / f"{number}-{key}"
            folder.mkdir()
            messages = reef()
            messages[number] = {**entry, key: odd}
            for row in (store := open_store(as_export(folder, messages))).conversations():
                conversation = store.open(row.id)
                store.compactions(conversation)
                assert len(store.messages(conversation.live)) == len(conversation.live)
