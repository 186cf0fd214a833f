"""Sessions of more agents: the same story in each agent's format."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from inspector.answers.answers import Answers
from inspector.answers.compactions import compare_compactions
from inspector.answers.fact_reading import read_facts
from inspector.answers.findings import list_findings
from inspector.answers.inspection import Inspection
from inspector.answers.live_sizes import reported_sizes
from inspector.answers.losses import read_aftermath
from inspector.answers.shown_settings import doubt_about
from inspector.answers.upcoming import upcoming
from inspector.core.errors import NotAStore, StoreDamaged
from inspector.engines.base import Settings
from inspector.engines.capabilities import default_threshold
from inspector.engines.observed.profiles import observed_of
from inspector.engines.registry import engine
from inspector.stores.detect import open_store
from inspector.stores.lines import ends_within_record
from inspector.stores.readers import reader_of
from tests.conftest import ROOT
from tests.stores import agent_sessions
from tests.stores.agent_sessions import (
    AFTER,
    ANSWER,
    CALL,
    EXPECTED,
    LAST,
    RULE,
    SESSION,
    SUMMARY,
    WRITERS,
    made,
    write_lines,
)
from tests.stores.alone import opened
from tests.stores.truths import differences

AGENTS = sorted(WRITERS)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_is_listed_as_its_agents(agent: str, tmp_path: Path) -> None:
    path = WRITERS[agent](tmp_path / "home")
    for place in (path, tmp_path / "home"):
        (row,) = open_store(place).conversations()
        assert (row.agent, row.compactions, row.title) == (agent, 1, RULE)
        assert row.messages == len(EXPECTED[agent].roles)
        assert row.last_active > row.started_at > 0
        assert row.model or agent == "kimi"
    assert not open_store(tmp_path / "home").notes


@pytest.mark.parametrize("agent", AGENTS)
def test_a_title_has_no_secrets(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "918273645:AA" + "hZ3kQ9vT" * 4 + "b"
    monkeypatch.setattr(agent_sessions, "RULE", f"Use the bot token {token} for the ferry.")
    (row,) = open_store(WRITERS[agent](tmp_path)).conversations()
    assert row.title == "Use the bot token [masked: a Telegram bot token] for the ferry."


@pytest.mark.parametrize("agent", AGENTS)
def test_the_compaction_and_the_list_after_it(agent: str, tmp_path: Path) -> None:
    expected = EXPECTED[agent]
    store, conversation, (compaction,) = opened(WRITERS[agent](tmp_path))
    assert SUMMARY in (compaction.summary or "")
    assert (compaction.trigger, compaction.tokens_before_reported) == (expected.trigger, expected.before)
    assert compaction.tokens_after_reported == expected.after
    assert len(compaction.kept) == expected.kept
    before, after = conversation.generations
    assert compaction.before == len(before)
    messages = store.messages(after)
    assert [message.role for message in messages] == expected.roles
    assert (messages[-2].text, messages[-1].text) == (AFTER, LAST)
    assert compaction.summary_at is not None
    assert SUMMARY in messages[compaction.summary_at].text
    assert messages[compaction.summary_at].summary
    old = store.messages(before)
    for index, place in compaction.kept:
        assert old[index].text == messages[place].text
    assert RULE in [message.text for message in old if message.role == "user"]
    assert any(message.tool_calls for message in old)


@pytest.mark.parametrize("agent", AGENTS)
def test_requests_and_the_summarizing_call(agent: str, tmp_path: Path) -> None:
    expected = EXPECTED[agent]
    store = open_store(WRITERS[agent](tmp_path))
    (row,) = store.conversations()
    requests = store.requests(store.open(row.id))
    assert [(request.context, request.output) for request in requests] == list(expected.requests)
    assert [request.index for request in requests if request.summarizes] == (
        [expected.summarizing] if expected.summarizing else []
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_a_truncated_file_is_read_up_to_its_end(agent: str, tmp_path: Path) -> None:
    path = WRITERS[agent](tmp_path)
    if path.suffix != ".jsonl":
        pytest.skip("not a file of lines")
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for stop in range(first, len(whole), max(1, (len(whole) - first) // 25)):
        path.write_bytes(whole[:stop])
        for row in open_store(path).conversations():
            store = open_store(path)
            conversation = store.open(row.id)
            assert store.messages(conversation.live) is not None
            store.requests(conversation)


@pytest.mark.parametrize("agent", sorted({*AGENTS} - {"kimi"}))
def test_a_file_without_a_whole_record_is_named(agent: str, tmp_path: Path) -> None:
    path = WRITERS[agent](tmp_path)
    if path.suffix != ".jsonl":
        pytest.skip("not a file of lines")
    _, *lines = path.read_bytes().splitlines()
    path.write_bytes(b"".join(line[: len(line) // 2] + b"\n" for line in lines))
    with pytest.raises(StoreDamaged, match=path.name):
        reader_of(agent).digests(path)


@pytest.mark.parametrize("agent", ["copilot", "kimi", "qwen"])
def test_an_incomplete_last_line_is_named_until_it_is_complete(agent: str, tmp_path: Path) -> None:
    path = WRITERS[agent](tmp_path)
    path = Path(open_store(path).files_of(SESSION)[-1])
    whole = path.read_bytes()
    *before, last = whole.splitlines(keepends=True)
    path.write_bytes(b"".join((*before, last[:-9])))
    _, conversation, _ = opened(path)
    assert f"The last line of {path.name} is not complete, so it is left out." in conversation.notes
    assert conversation.has_unread
    path.write_bytes(whole.removesuffix(b"\n"))
    _, conversation, _ = opened(path)
    assert not any("last line" in note for note in conversation.notes)
    assert not conversation.has_unread


@pytest.mark.parametrize("lines_behind", [0, 1])
def test_lines_lost_by_a_disk_are_noted(lines_behind: int, tmp_path: Path) -> None:
    path = WRITERS["qwen"](tmp_path)
    *lines, lost, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines) + bytes(len(lost)) + last * lines_behind)
    store = open_store(path)
    (row,) = store.conversations()
    assert ["1 line" in note for note in store.open(row.id).notes] == [True]
    assert [LAST in one.text for one in store.messages(store.open(row.id).live)][-1] is bool(lines_behind)


@pytest.mark.parametrize("agent", AGENTS)
def test_odd_values_do_no_harm(agent: str, tmp_path: Path) -> None:
    path = WRITERS[agent](tmp_path)
    if path.suffix != ".jsonl":
        pytest.skip("not a file of lines")
    lines, reader = path.read_text().splitlines(), reader_of(agent)
    for at in range(1, len(lines)):
        for key in json.loads(lines[at]):
            for odd in (None, 5, [None], "x"):
                record = {**json.loads(lines[at]), key: odd}
                path.write_text("\n".join([*lines[:at], json.dumps(record), *lines[at + 1 :]]) + "\n")
                for source in reader.sources(reader.digests(path)):
                    recorded = reader.read(source)
                    for generation in recorded.conversation.generations:
                        assert len(recorded.bodies(generation.ids)) == len(generation)


@pytest.mark.parametrize("agent", AGENTS)
def test_rules_for_what_ifs_name_their_source(agent: str) -> None:
    rules = observed_of(agent, "")
    assert rules is not None
    assert engine(agent).name == agent
    word = "Observed" if EXPECTED[agent].observed else "ot seen"
    assert all(word in why for why in (rules.why_threshold, rules.why_tail, rules.why_summary))


def test_dsh_prunes_and_fails(tmp_path: Path) -> None:
    store, conversation, _ = opened(WRITERS["dsh"](tmp_path))
    (pruned,) = store.microcompactions(conversation)
    assert (pruned.generation, pruned.cleared, pruned.results) == (1, (2,), 1)
    (shorter,) = pruned.left
    assert shorter == len(CALL.result)
    (failed,) = store.failures(conversation)
    assert (failed.generation, failed.error) == (1, "summary is not smaller than what it replaces")


def test_a_condensation_keeps_the_first_events(tmp_path: Path) -> None:
    store = open_store(WRITERS["openhands"](tmp_path))
    (row,) = store.conversations()
    conversation = store.open(row.id)
    (compaction,) = store.compactions(conversation)
    assert (compaction.head_end, compaction.tail_start, compaction.summary_at) == (1, 4, 1)
    calls = store.messages(conversation.generations[0])[1].tool_calls
    assert [call.id for call in calls] == ["t1", "t2"]
    assert store.system_prompt(row.id) == "You are an agent."


@pytest.mark.parametrize(
    ("limit", "why", "ahead"),
    [
        (
            0,
            "7 events: openhands counts events, not tokens, and its limit is not recorded",
            "its limit is not recorded",
        ),
        (
            6,
            "7 events exceeded the recorded limit of 6: openhands counts events, not tokens",
            "compacts above 6 events",
        ),
        (9, "the reason is unknown: 7 events are within the recorded limit of 9", "compacts above 9 events"),
    ],
)
def test_an_agent_that_counts_events_has_no_threshold_in_tokens(
    tmp_path: Path, limit: int, why: str, ahead: str
) -> None:
    session = made.OpenHandsSession(SESSION)
    session.limit = limit
    session.user(RULE)
    session.answer("", CALL, CALL._replace(name="t2"), sent=40_000)
    session.answer(ANSWER, sent=60_000, read=40_000)
    session.compact(SUMMARY, 60_500)
    session.user("Moor the Selkie.")
    answers = Answers(open_store(session.write(tmp_path)), {}, None)
    (row,) = answers.store.conversations()
    (judged,) = compare_compactions(answers, row.id)
    assert judged.why.text == why
    assert judged.trigger == ("auto" if limit == 6 else None)
    following = upcoming(answers, row.id)
    first = following.sentences[0]
    assert first == f"5 events in the list: openhands counts events, not tokens, and {ahead}"
    assert (following.threshold_tokens, following.requests_left) == (0, None)
    assert doubt_about(answers.opened(row.id)[1])


def test_a_new_event_is_noticed(tmp_path: Path) -> None:
    path = WRITERS["openhands"](tmp_path)
    store = open_store(path)
    before = store.version()
    event = {
        "id": "v9",
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {"role": "user", "content": "More."},
    }
    write_lines(path.parent / "events" / "event-00010-v10.json", [event])
    assert store.version() != before
    (row,) = store.conversations()
    assert row.messages == len(EXPECTED["openhands"].roles) + 1


def test_kimis_messages_have_the_times_of_the_wire(tmp_path: Path) -> None:
    store, conversation, _ = opened(WRITERS["kimi"](tmp_path))
    first, last = (store.messages(generation) for generation in conversation.generations)
    assert all(message.timestamp for message in first)
    assert [bool(message.timestamp) for message in last][-2:] == [True, True]


def test_no_session_is_assigned_to_another_agent(tmp_path: Path) -> None:
    for agent, write in WRITERS.items():
        write(tmp_path / agent)
    store = open_store(tmp_path)
    assert sorted(row.agent for row in store.conversations()) == AGENTS
    assert not store.notes


def test_the_size_at_which_copilot_began_is_not_doubted_because_of_a_later_request(tmp_path: Path) -> None:
    session = made.CopilotSession("5e55d500-0000")
    session.user(RULE)
    session.answer("", CALL, sent=80_000)
    session.begin_compaction(81_000)
    session.answer(ANSWER, sent=20_000)
    session.end_compaction(SUMMARY, 81_000, 9_000, 81_200)
    store = open_store(session.write(tmp_path))
    inspection = Inspection.open(store, store.conversations()[0].id)
    (recorded,) = inspection.compactions()
    assert inspection.last_size(recorded) == 80_020


def test_an_unknown_format_is_refused_and_named_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text('{"kind": "berth"}\n')
    with pytest.raises(NotAStore, match="not a session format this program knows"):
        open_store(tmp_path / "odd.jsonl")
    WRITERS["copilot"](tmp_path)
    (note,) = open_store(tmp_path).notes
    assert note.startswith("odd.jsonl in")
    assert "not in a session format this program knows" in note


def _recordings() -> list[Path]:
    shared = Path(__file__).parents[3] / "shared" / "recordings"
    folder = Path(os.environ.get("COMPACTION_INSPECTOR_RECORDINGS") or shared) / "agents-2026-11"
    return sorted(path.parent for path in folder.glob("*/truth.json")) if folder.is_dir() else []


@pytest.mark.parametrize(
    "folder", _recordings() or [None], ids=lambda folder: folder.name if folder else "absent"
)
def test_recordings_of_the_real_programs(folder: Path | None) -> None:
    """Compactions, triggers, summaries, requests and the lists sent after each compaction are those of the truth."""
    if folder is None:
        pytest.skip(
            "no recordings of real sessions are here (COMPACTION_INSPECTOR_RECORDINGS names their folder)"
        )
    assert differences(folder) == []


BUNDLED = ROOT / "fixtures" / "agents"


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if (BUNDLED / agent).is_dir()])
def test_the_bundled_session_has_a_value_for_everything_shown(agent: str) -> None:
    """A compaction with its summary, requests, and a file that was read again."""
    answers = Answers(open_store(BUNDLED / agent), {}, None)
    rows = answers.store.conversations()
    assert [row.agent for row in rows] == [agent] * (2 if agent == "cline" else 1)
    kinds = set()
    for row in rows:
        inspection, _ = answers.opened(row.id)
        (compaction,) = inspection.compactions()
        assert compaction.summary
        assert compaction.at
        assert compaction.before > compaction.after > 0
        assert inspection.requests()
        kinds |= {event.kind for event in read_aftermath(inspection, read_facts(inspection).facts)}
    assert "read again" in kinds


@pytest.mark.parametrize("agent", ["kimi", "openhands", "qwen"])
def test_plans_cut_where_the_real_programs_cut(agent: str) -> None:
    """The agent's own profile cuts each recorded list where the program cut it."""
    folder = next((path for path in _recordings() if path.name == agent), None)
    if folder is None:
        pytest.skip("no recordings of real sessions are here")
    store, conversation, _ = opened(folder / "session")
    planner = engine(agent)
    chosen = Settings(
        profile=agent, context_length=200_000, threshold=default_threshold(planner, 200_000) or 0.5
    )
    cuts = []
    for compaction in store.compactions(conversation):
        messages = store.messages(conversation.generations[compaction.index - 1])
        plan = planner.plan(planner.measure(messages), chosen)
        cuts.append((plan.head_end, plan.tail_start) == (compaction.head_end, compaction.tail_start))
    assert cuts == [True] * 3


def test_requests_whose_prompts_the_server_cut_are_no_sizes_of_lists(tmp_path: Path) -> None:
    session = made.OpenClawSession(SESSION)
    for number in range(4):
        session.user(f"Question {number}: which berth is free? " + "The tide comes in. " * 400)
        session.answer(ANSWER, sent=4_096)
    session.compact(SUMMARY, 24_000, 9_000)
    session.user(AFTER)
    session.answer(LAST, sent=3_000)
    answers = Answers(open_store(session.write(tmp_path)), {}, None)
    inspection = Inspection.open(answers.store, SESSION)
    found = {
        entry.finding.rule: entry.finding.text
        for entry in list_findings(answers, None, "info", dismissed=False)
    }
    assert "4 requests from number 1 on report exactly 4,096 tokens of input" in found["prompt-cut"]
    assert "reported-size-doubted" not in found
    (compaction,) = inspection.compactions()
    assert inspection.last_size(compaction) is None
    assert reported_sizes(inspection.requests(), 2) == {2: 3_020}


def test_the_end_of_a_file_is_found_in_time_that_grows_with_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one-line.json"
    path.write_text('{"text": "' + "x" * 1_000_000)
    monkeypatch.setattr("inspector.stores.lines._PIECE", 16)
    began = time.process_time()
    assert ends_within_record(path)
    assert time.process_time() - began < 3
