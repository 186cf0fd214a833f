"""Claude Code's transcripts: lists, compactions, microcompactions and requests, also of unusual files."""

from __future__ import annotations

import cProfile
import json
import pstats
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.answers.answers import Answers
from inspector.answers.checking import check
from inspector.answers.compactions import compare_compactions
from inspector.answers.fact_reading import read_facts
from inspector.answers.findings import findings
from inspector.answers.inspection import Inspection
from inspector.app.conversation.panes.message import message_view
from inspector.commands.cli import commands
from inspector.commands.sources import only_one
from inspector.stores.claude_code.chain import lines_by_conversation
from inspector.stores.claude_code.scan import LineNode
from inspector.stores.detect import open_store
from tests.counting import lines_run
from tests.recipes import recipe
from tests.stores.alone import opened, texts
from widgets.lists.message_list import MessageRow

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

lines = recipe("claude_lines")
ASKED = "Question 0: how does berth 0 work?"
_TOKEN = "918273645:AA" + "hZ3kQ9vT" * 4 + "b"
SUMMARY = lines.nine_sections(primary=["Move the harbor importer"], current=["tests of the parser"])


def session(name: str = "5e55a000-0000-4000-8000-000000000001", **options: Any) -> Any:
    return lines.Session(name, **options)


def worked(made: Any, rounds: int = 3, first: int = 0) -> list[str]:
    """Add rounds of a question, a call and an answer; return the ids of the calls."""
    calls = []
    for number in range(first, first + rounds):
        made.user(f"Question {number}: how does berth {number} work?")
        identity = f"toolu_{number:04}"
        calls.append(identity)
        made.answer(
            lines.thinking("let me look"), lines.call(identity, "Read", file_path=f"berth_{number}.py")
        )
        made.result(identity, f"class Berth{number}: ...")
        made.answer(lines.text(f"Berth {number} keeps ships."))
    return calls


def started(rounds: int = 3) -> Any:
    """Return a session with some rounds."""
    made = session()
    worked(made, rounds)
    return made


def test_blocks_of_one_answer_are_one_message_and_one_request(tmp_path: Path) -> None:
    made = started(1)
    store, conversation, compactions = opened(made.write(tmp_path / "a.jsonl"))
    assert not compactions
    assert [role for role, _ in texts(store, conversation)] == ["user", "assistant", "tool", "assistant"]
    asked = store.messages(conversation.live)[1]
    assert asked.wire["reasoning_content"] == "let me look"
    assert [(call.name, json.loads(call.arguments)) for call in asked.tool_calls] == [
        ("Read", {"file_path": "berth_0.py"})
    ]
    first, second = store.requests(conversation)
    assert (first.index, first.output, first.cache_read, first.cache_write, first.cache_write_1h) == (
        1, 120, 16_000, 900, 900,
    )  # fmt: skip
    assert second.context == 8 + 16_900 + 900
    assert [request.model for request in (first, second)] == ["claude-opus-4-5"] * 2


def test_blocks_of_a_copied_session_are_joined_by_their_request(tmp_path: Path) -> None:
    made = started(1)
    path = made.write(tmp_path / "a.jsonl")
    copied = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    for line in copied:
        if line["type"] == "assistant":
            line["requestId"] = f"req_{line['message']['id']}"
            line["message"]["id"] = line["uuid"]
    path.write_text("".join(json.dumps(line) + "\n" for line in copied), encoding="utf-8")
    store, conversation, _ = opened(path)
    assert [role for role, _ in texts(store, conversation)] == ["user", "assistant", "tool", "assistant"]
    assert [request.output for request in store.requests(conversation)] == [120, 120]
    assert store.conversations()[0].messages == 4


def test_copies_that_a_resumed_session_makes_of_its_lines_are_in_no_list(tmp_path: Path) -> None:
    made = started(2)
    copies = [dict(line) for line in made.lines[-3:]]
    named = {line["uuid"]: made.name() for line in copies}
    for line in copies:
        line["uuid"], line["parentUuid"] = (
            named[line["uuid"]],
            named.get(line["parentUuid"], line["parentUuid"]),
        )
    made.lines += copies
    made.last = copies[-1]["uuid"]
    made.user("Go on.")
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    roles = [role for role, _ in texts(store, conversation)]
    assert roles == ["user", "assistant", "tool", "assistant"] * 2 + ["user"]


@pytest.mark.parametrize("back", [False, True])
def test_lines_below_the_late_line_of_a_hook_continue_the_list(tmp_path: Path, back: bool) -> None:
    made = started(2)
    made.last = made.lines[0]["uuid"]
    made.last = hook = made.line("progress", data={"type": "hook_progress"})
    made.lines[-1]["timestamp"] = made.lines[0]["timestamp"]
    made.user("Go on.")
    if back:
        # The user goes back to the moment of the line.
        made.last = hook
        made.user("Stop.")
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    listed = texts(store, conversation)
    assert [role for role, _ in listed] == ["user", "assistant", "tool", "assistant"] * 2 + ["user"]
    assert listed[-1][1] == ("Stop." if back else "Go on.")


def test_a_local_command_typed_while_the_agent_worked_leaves_no_branch(tmp_path: Path) -> None:
    made = started(2)
    # Claude Code writes its lines when the turn ends, with an inner message as parent.
    made.last, made.at = made.lines[1]["uuid"], made.at - 30
    for words in ("<local-command-caveat>Caveat: It ran.", "<command-name>/model</command-name>"):
        made.user(words, isMeta=True)
    made.at += 60
    made.user("Go on.")
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    roles = [role for role, _ in texts(store, conversation) if role != "system"]
    assert roles == ["user", "assistant", "tool", "assistant"] * 2 + ["user"]
    assert not any("abandoned" in note for note in conversation.notes)


def test_many_late_lines_are_placed_in_linear_time() -> None:
    def work(count: int) -> int:
        nodes = [LineNode("first", "", "", "user", 1.0, False, "s", "")]
        for number in range(count):
            at, above = 10.0 + number, f"answer {number - 1}" if number else "first"
            nodes.append(
                LineNode(f"answer {number}", above, "", "assistant", at, False, "s", "", f"m{number}")
            )
            nodes.append(LineNode(f"hook {number}", "first", "", "system", 2.0, False, "s", ""))
        return lines_run(lines_by_conversation, nodes)

    assert work(400) < 2.5 * work(200)


def test_the_result_of_a_server_side_tool_is_in_its_answer(tmp_path: Path) -> None:
    made = session()
    made.user("Read the tides.")
    result = {"type": "tool_result", "tool_use_id": "s1", "content": "ebb at noon"}
    made.answer({"type": "server_tool_use", "id": "s1", "name": "webReader", "input": {}}, result)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert texts(store, conversation)[1:] == [("assistant", "ebb at noon")]


def test_a_call_shows_its_own_result_although_a_later_call_has_its_id(tmp_path: Path) -> None:
    made = session()
    for tide in ("ebb", "flood"):
        made.user("How is the tide?")
        made.answer(lines.call("functions.bash:0", "Bash", command="tide"))
        made.result("functions.bash:0", tide)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    _, call, *following = store.messages(conversation.live)
    (shown,) = message_view(MessageRow("1", "assistant", ""), call, following, None).calls
    assert shown.result == "ebb"


def test_local_commands_below_the_first_command_continue_the_list(tmp_path: Path) -> None:
    made = session()
    first = made.user("Caveat: The messages below were generated by the user.", isMeta=True)
    for number in range(2):
        made.last = first
        made.user("<bash-input>ls</bash-input>")
        worked(made, 1, number)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    answers = [text for role, text in texts(store, conversation) if role == "assistant"]
    assert answers == ["", "Berth 0 keeps ships.", "", "Berth 1 keeps ships."]


@pytest.mark.parametrize("case", ["a line below itself", "two lines below each other", "two lines of one id"])
def test_a_transcript_whose_parents_form_a_cycle_is_read(tmp_path: Path, case: str) -> None:
    made = started(2)
    first = made.user("Wait.")
    last = made.line("system", content="x", uuid=first) if case == "two lines of one id" else first
    if case == "two lines below each other":
        last = made.line("system", content="x")
    next(line for line in made.lines if line["uuid"] == first)["parentUuid"] = last
    made.line("system", content="late", chained=False)
    made.lines[-1] |= {"parentUuid": made.lines[0]["uuid"], "timestamp": made.lines[1]["timestamp"]}
    made.user("More.")
    path = made.write(tmp_path / "a.jsonl")
    command = [sys.executable, "-m", "inspector", "compactions", str(path)]
    # An endless loop would stop here.
    subprocess.run(command, capture_output=True, timeout=60, check=True)
    store, conversation, _ = opened(path)
    assert texts(store, conversation)[-1] == ("user", "More.")


@pytest.mark.parametrize("side", [False, True])
def test_a_large_result_is_read_from_its_file_next_to_the_transcript(tmp_path: Path, side: bool) -> None:
    def said(name: str) -> str:
        where = "C:\\Users\\me\\.claude" if side else "/home/me/.claude"
        path = f"{where}/projects/x/y/tool-results/{name}"
        return f"<persisted-output>\nOutput too large (64KB). Full output saved to: {path}\n\nPreview (first 2KB):\nebb"

    made = session()
    made.user("Read the tides.")
    made.answer(lines.call("a", "Bash"), lines.call("b", "Bash"), lines.call("c", "Bash"))
    for call, name in (("a", "toolu_a.txt"), ("b", "toolu_gone.txt"), ("c", "../toolu_a.txt/..")):
        made.result(call, said(name))
    path = tmp_path / "p" / (f"{made.session}/subagents/agent-1.jsonl" if side else f"{made.session}.jsonl")
    made.write(path)
    whole = tmp_path / "p" / made.session / "tool-results" / "toolu_a.txt"
    whole.parent.mkdir(parents=True)
    whole.write_text("ebb and flood\n" * 4_000)
    store, conversation, _ = opened(path)
    results = [m for m in store.messages(conversation.live) if m.role == "tool"]
    assert [m.whole for m in results] == [str(whole), "", ""]
    assert results[0].text.endswith("ebb")
    view = message_view(MessageRow("2", "tool", ""), results[0], [], None)
    assert view.whole == whole.read_text()
    assert str(whole) in view.notes[0]
    whole.unlink()
    assert "no file" in message_view(MessageRow("2", "tool", ""), results[0], [], None).notes[1]


def test_messages_that_a_rewind_left_after_a_boundary_are_a_branch(tmp_path: Path) -> None:
    made = started(2)
    asked = made.lines[-1]["uuid"]
    worked(made, 1, first=2)
    gone = made.compact(SUMMARY)
    worked(made, 1, first=3)
    # The user rewinds to before the compaction; a later compaction follows.
    made.last = asked
    made.user("Another way: how does berth 9 work?")
    made.answer(lines.text("Berth 9 is closed."))
    stays = made.compact(SUMMARY + "\nmore")
    made.user("And berth 10?")
    path = made.write(tmp_path / "a.jsonl")
    store = open_store(path)
    rows = {row.kind: row for row in store.conversations()}
    assert {kind: row.compactions for kind, row in rows.items()} == {"conversation": 1, "branch": 1}
    main, branch = (store.open(rows[kind].id) for kind in ("conversation", "branch"))
    assert rows["branch"].parent == main.id == made.session
    questions = [text for role, text in texts(store, main, 0) if role == "user"]
    assert questions == [ASKED, "Question 1: how does berth 1 work?", "Another way: how does berth 9 work?"]
    assert [text for _, text in texts(store, main)] == [SUMMARY + "\nmore", "And berth 10?"]
    questions = [text for role, text in texts(store, branch, 0) if role == "user"]
    assert questions == [ASKED, *(f"Question {n}: how does berth {n} work?" for n in (1, 2))]
    assert [text for role, text in texts(store, branch) if role == "user"][1:] == [
        "Question 3: how does berth 3 work?"
    ]
    summaries = [compaction.summary for one in (main, branch) for compaction in store.compactions(one)]
    assert summaries == [SUMMARY + "\nmore", SUMMARY]
    # Every request once, and every boundary.
    answers = [request.message for one in (main, branch) for request in store.requests(one)]
    assert len(answers) == len(set(answers)) == 9
    assert gone != stays


def test_parallel_calls_stay_together(tmp_path: Path) -> None:
    made = session()
    made.user("Look at both.")
    made.answer(lines.call("a", "Read", file_path="a"), lines.call("b", "Read", file_path="b"))
    second = made.last
    made.last = made.lines[-2]["uuid"]
    made.result("a", "first")
    made.last = second
    made.result("b", "second")
    made.answer(lines.text("Both are fine."))
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert [role for role, _ in texts(store, conversation)] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]


@pytest.mark.parametrize("trigger", ["auto", "manual"])
def test_a_compaction_has_its_whole_summary_and_the_reported_values(tmp_path: Path, trigger: str) -> None:
    made = session(version="2.1.7")
    worked(made)
    boundary = made.compact(SUMMARY, trigger=trigger, before=155_461)
    worked(made, 1, first=3)
    store, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert boundary in made.text()
    assert (compaction.index, compaction.trigger, compaction.summary) == (1, trigger, SUMMARY)
    assert (compaction.tokens_before_reported, compaction.tokens_after_reported) == (155_461, None)
    assert (compaction.before, compaction.after, compaction.head_end, compaction.tail_start) == (12, 1, 0, 12)
    assert compaction.exact
    assert not compaction.note
    before, live = conversation.generations
    assert (len(before), len(live)) == (12, 5)
    summary = store.messages(live)[0]
    assert summary.summary
    assert summary.text == SUMMARY
    assert compaction.tokens_before > compaction.tokens_after > 0
    assert {request.generation for request in store.requests(conversation)} == {1, 2}


def test_the_last_release_of_a_profile_is_not_taken_for_the_release_that_wrote_a_session(
    tmp_path: Path,
) -> None:
    made = session(version="2.1.33")
    worked(made)
    made.compact(SUMMARY, before=170_431)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    (judged,) = compare_compactions(Answers(store, {}, None), conversation.id)
    assert "claude-code up to 2.1.216 fires at 167,000" in judged.why.text


def test_kept_messages_are_after_the_summary(tmp_path: Path) -> None:
    made = session(version="2.1.217")
    worked(made)
    kept = [line["uuid"] for line in made.lines[-2:]]
    made.compact(SUMMARY, before=297_190, after=16_970, kept=kept)
    made.attach(
        type="file", filename="/x/berth_1.py", content={"type": "text", "file": {"content": "class Berth1"}}
    )
    made.attach(type="compact_file_reference", filename="/x/berth_2.py", displayPath="berth_2.py")
    made.user("Go on.")
    store, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert compaction.tokens_after_reported == 16_970
    assert (compaction.before, compaction.tail_start, compaction.tail_after, compaction.after) == (
        12,
        10,
        1,
        3,
    )
    listed = texts(store, conversation)
    assert listed[1:3] == texts(store, conversation, 0)[-2:]
    assert [role for role, _ in listed] == ["user", "tool", "assistant", "system", "system", "user"]
    assert "class Berth1" in listed[3][1]
    assert "berth_2.py" in listed[4][1]
    assert listed[-1] == ("user", "Go on.")


def test_a_typed_compact_command_is_not_in_the_list_that_it_compacts(tmp_path: Path) -> None:
    made = session(version="2.1.228")
    worked(made)
    kept = [made.lines[-1]["uuid"]]
    made.user("/compact keep the berths")
    made.compact(SUMMARY, trigger="manual", after=16_970, kept=kept)
    store, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert compaction.exact
    assert (compaction.before, compaction.tail_start, compaction.after) == (12, 11, 2)
    assert all("/compact" not in text for place in (0, -1) for _, text in texts(store, conversation, place))


def test_a_message_that_two_boundaries_before_it_keep_is_in_each_list_once(tmp_path: Path) -> None:
    made = session(version="2.1.226")
    worked(made)
    kept = [made.lines[-1]["uuid"]]
    made.compact(SUMMARY, after=16_970, kept=kept)
    made.compact(SUMMARY + "\nmore", after=14_000, kept=kept)
    (late,) = (line for line in made.lines if line.get("uuid") in kept)
    late["parentUuid"] = made.lines[-1]["uuid"]
    made.lines = [*(line for line in made.lines if line is not late), late]
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    last = texts(store, conversation, 0)[-1]
    assert [texts(store, conversation, number).count(last) for number in range(3)] == [1, 1, 1]


def test_kept_messages_that_are_written_after_the_boundary_were_in_the_list_before(tmp_path: Path) -> None:
    made = session(version="2.1.226")
    worked(made)
    kept = [line["uuid"] for line in made.lines[-2:]]
    made.compact(SUMMARY, after=16_970, kept=kept)
    late = [line for line in made.lines if line.get("uuid") in kept]
    late[0]["parentUuid"] = made.lines[-1]["uuid"]
    made.lines = [*(line for line in made.lines if line not in late), *late]
    worked(made, 1, first=3)
    store, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert (compaction.before, compaction.tail_start, compaction.after) == (12, 10, 3)
    assert texts(store, conversation)[1:3] == texts(store, conversation, 0)[-2:]
    assert [request.generation for request in store.requests(conversation)].count(1) == 6


def test_messages_that_a_compaction_from_a_message_on_keeps_are_before_the_summary(tmp_path: Path) -> None:
    """`/rewind` summarizes the messages from one on. The boundary is then the anchor of the kept messages."""
    made = session(version="2.1.332")
    worked(made)
    kept = [line["uuid"] for line in made.lines[:4]]
    boundary = made.compact(SUMMARY, trigger="manual", after=16_970, kept=kept)
    line = next(line for line in made.lines if line.get("uuid") == boundary)
    line["compactMetadata"]["preservedMessages"]["anchorUuid"] = boundary
    made.last = made.lines[-1]["uuid"]
    made.user("Go on.")
    store, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    number = len(texts(store, conversation)) - 2
    assert number == 3
    assert (compaction.exact, compaction.head_end, compaction.tail_start) == (True, number, 12)
    assert (compaction.head_after, compaction.summary_at, compaction.tail_after) == (
        number,
        number,
        number + 1,
    )
    assert texts(store, conversation)[:number] == texts(store, conversation, 0)[:number]
    assert texts(store, conversation)[number:] == [("user", SUMMARY), ("user", "Go on.")]


def test_a_fact_in_a_text_that_is_attached_again_is_kept(tmp_path: Path) -> None:
    rule = "Never berth a ship of the line beside the fish market."
    for attached, outcome in ((f"# Rules\n{rule}\n", "verbatim"), ("# Rules\nNone so far.\n", "lost")):
        made = session(version="2.1.217")
        made.user(rule)
        made.answer(lines.text("I keep it in the rules."))
        made.compact(SUMMARY, before=297_190, after=16_970)
        made.attach(
            type="file", filename="/x/rules.md", content={"type": "text", "file": {"content": attached}}
        )
        made.user("Go on with the parser.")
        made.user(f"{rule} I said so before.")
        store, conversation, _ = opened(made.write(tmp_path / f"{outcome}.jsonl"))
        (life,) = read_facts(Inspection.open(store, conversation.row.id)).facts.of(1)
        assert life.text == rule
        assert life.fate.alive == (outcome == "verbatim")
        if outcome == "verbatim":
            assert (life.fate.where, life.fate.index) == ("tail", 1)


def test_a_kept_segment_without_a_list_of_messages_is_read(tmp_path: Path) -> None:
    made = session(version="2.1.217")
    worked(made)
    made.compact(SUMMARY, after=16_970, kept=[line["uuid"] for line in made.lines[-3:]])
    boundary = next(line for line in made.lines if line.get("subtype") == "compact_boundary")
    del boundary["compactMetadata"]["preservedMessages"]
    _, _, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    # An answer is one message even if only its last block was kept.
    assert (compaction.before, compaction.tail_start, compaction.after) == (12, 9, 4)


def test_kept_lines_that_are_missing_in_the_file_are_counted(tmp_path: Path) -> None:
    made = session(version="2.1.217")
    made.compact(SUMMARY, after=16_970, kept=["a", "b", "c"])
    worked(made, 1)
    path = made.write(tmp_path / "a.jsonl")
    _, _, (compaction,) = opened(path)
    assert (compaction.after, compaction.kept_missing, compaction.whole) == (1, 3, False)
    assert "3 more lines" in compaction.note
    output = CliRunner().invoke(commands, ["compactions", str(path)]).stdout
    assert "unknown → at least 1 message · unknown → at least ~" in output


@pytest.mark.parametrize("repeated", [False, True])
def test_a_summary_that_quotes_the_prompt_for_summaries_is_reported(tmp_path: Path, repeated: bool) -> None:
    quoting = lines.nine_sections(primary=["“CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.”"])
    made = started(1)
    if repeated:
        made.user("TEXT ONLY. Do NOT call any tools, just plan the quay.")
    # The agent repeats what a summary says.
    for summary in (quoting, quoting):
        made.compact(summary)
        made.user("Go on.")
        made.answer(lines.text("Tools are forbidden: TEXT ONLY. Do NOT call any tools."))
    found = findings(*Answers.of([made.write(tmp_path / "a.jsonl")], {}, None).opened(made.session))
    assert [one.compaction for one in found if one.rule == "summary-quotes-prompt"] == (
        [] if repeated else [1, 2]
    )


def test_an_answer_that_follows_the_prompt_for_summaries_is_named(tmp_path: Path) -> None:
    made = started(1)
    made.compact(lines.nine_sections(primary=["“CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.”"]))
    made.user("Go on.")
    made.answer(lines.text("The plan.\n\n<analysis>\nThe quay is long.\n</analysis>"))
    found = findings(*Answers.of([made.write(tmp_path / "a.jsonl")], {}, None).opened(made.session))
    (text,) = (one.text for one in found if one.rule == "summary-quotes-prompt")
    assert text.endswith(
        "The agent follows this prompt: answer #2 of generation 2 has the form of a summary."
    )


def test_microcompactions_are_numbered_separately_and_list_cleared_results(tmp_path: Path) -> None:
    made = session(version="2.1.17")
    calls = worked(made)
    made.microcompact(calls[:2])
    worked(made, 1, first=3)
    made.compact(SUMMARY)
    store, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    (cleared,) = store.microcompactions(conversation)
    assert (cleared.index, compaction.index, cleared.generation, cleared.place) == (1, 1, 1, 12)
    assert (cleared.results, cleared.tokens_before_reported, cleared.tokens_saved_reported) == (
        2,
        60_364,
        21_294,
    )
    before = store.messages(conversation.generations[0])
    assert [before[index].tool_call_id for index in cleared.cleared] == calls[:2]


@pytest.mark.parametrize(
    "words",
    [
        "<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>",
        "<command-name>/plugin</command-name>\n  <command-message>plugin</command-message>\n"
        "  <command-args>install tides@harbor</command-args>",
        "<local-command-stdout>Goodbye!</local-command-stdout>",
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond.",
        "<task-notification>\n<task-id>a</task-id></task-notification>",
        "<task-notification>\n</task-notification>\nRead the output file to retrieve the result: /tmp/a.output",
        [{"type": "text", "text": "[Request interrupted by user for tool use]"}],
        [{"type": "text", "text": "<system-reminder>\nThe file changed.\n</system-reminder>"}],
    ],
)
def test_texts_of_the_harness_are_not_the_users(tmp_path: Path, words: Any) -> None:
    made = session()
    made.user("Never push to main.")
    made.user(words)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert [role for role, _ in texts(store, conversation)] == ["user", "system"]


def test_the_users_words_are_kept_as_they_are_written(tmp_path: Path) -> None:
    made = session()
    made.user("Keep the <T> generics.\n\n<system-reminder>plan mode</system-reminder>")
    made.user("<command-name>/review</command-name>\n<command-args>only the parser</command-args>")
    made.user("Base directory for this skill", isMeta=True)
    made.attach(type="queued_command", prompt="And do not touch the lock file.", commandMode="prompt")
    made.attach(type="todo_reminder", content=[{"content": "fix", "status": "pending"}], itemCount=1)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    questions = [text.strip() for role, text in texts(store, conversation) if role == "user"]
    assert questions == ["Keep the <T> generics.", "only the parser", "And do not touch the lock file."]
    assert [role for role, _ in texts(store, conversation)].count("system") == 4


def test_the_rules_in_the_text_of_a_command_are_the_users(tmp_path: Path) -> None:
    made = session()
    made.user("<command-message>harvest</command-message>\n<command-name>/harvest</command-name>")
    made.user("# Harvest\n\nThe field has rows.\n- Never cut row 7.", isMeta=True)
    made.answer(lines.text("Row 1 is cut."))
    made.user("Never cut row 8. A program says so.", isMeta=True)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    facts = read_facts(Inspection.open(store, conversation.row.id)).facts.facts
    assert [(one.text, one.role, one.first.index) for one in facts if one.kind == "constraint"] == [
        ("Never cut row 7.", "user", 1)
    ]


def test_the_lead_of_a_team_gives_the_tasks(tmp_path: Path) -> None:
    made = session()
    brief = "You write the parser. Never touch `lexer.rs`."
    made.user(f'<teammate-message teammate_id="team-lead" summary="Parser">\n{brief}\n</teammate-message>')
    made.user('<teammate-message teammate_id="tester" color="blue">\nAll 14 tests pass.\n</teammate-message>')
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert conversation.row.title == brief
    (lead, brief_told), (other, _) = texts(store, conversation)
    assert (lead, other) == ("user", "system")
    assert brief in brief_told


@pytest.mark.parametrize(
    ("first", "title"),
    [
        (
            "<command-message>paint</command-message>\n<command-name>/paint</command-name>\n"
            "<command-args>the pier</command-args>",
            "/paint the pier",
        ),
        (
            "<command-name>/model</command-name>\n<command-message>model</command-message>\n"
            "<command-args>opus</command-args>",
            "Moor the ferry.",
        ),
        (
            "<command-name>/plan</command-name>\n<command-message>plan</command-message>\n"
            "<command-args>Sound the bay.</command-args>",
            "/plan Sound the bay.",
        ),
    ],
)
def test_the_title_of_a_command_has_its_arguments(tmp_path: Path, first: str, title: str) -> None:
    made = session()
    made.user(first)
    made.user("Moor the ferry.")
    _, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert conversation.row.title == title


def test_the_text_next_to_a_picture_is_the_title(tmp_path: Path) -> None:
    made = session()
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    made.user([picture, {"type": "text", "text": "Why is the button red?"}])
    made.user("And the border?")
    _, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert conversation.row.title == "Why is the button red?"


def test_a_task_that_the_lead_assigns_as_json_is_named_by_its_subject(tmp_path: Path) -> None:
    made = session()
    task = json.dumps(
        {"type": "task_assignment", "subject": "Write the parser", "description": "See lexer.rs."}
    )
    made.user(f'<teammate-message teammate_id="team-lead">\n{task}\n</teammate-message>')
    _, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert conversation.row.title == "Write the parser"


def _queued(*steps: tuple[str, str | None]) -> Any:
    """Make a turn of two calls. Between them the user types prompts that are queued."""
    made = session()
    made.user("Question: how does berth 0 work?")
    made.answer(lines.call("toolu_a", "Read", file_path="a.py"))
    for operation, content in steps:
        if operation != "remove":
            made.queue(operation, content)
    made.result("toolu_a", "class A: ...")
    for operation, content in steps:
        if operation == "remove":
            made.queue(operation, content)
    made.answer(lines.call("toolu_b", "Read", file_path="b.py"))
    made.result("toolu_b", "class B: ...")
    made.answer(lines.text("Done."))
    return made


def _listed(made: Any, path: Path) -> tuple[list[tuple[str, str]], Any]:
    store, conversation, _ = opened(made.write(path / "a.jsonl"))
    assert conversation.row.messages == len(conversation.live)
    return texts(store, conversation), conversation


def test_a_queued_prompt_is_where_the_agent_received_it(tmp_path: Path) -> None:
    made = _queued(("enqueue", "Only <b>berth 1</b>, never 2."), ("remove", None))
    listed, conversation = _listed(made, tmp_path)
    assert listed[2:5] == [
        ("tool", "class A: ..."),
        ("user", "Only <b>berth 1</b>, never 2."),
        ("assistant", ""),
    ]
    assert len(listed) == 7
    assert not conversation.notes
    # The line of the result may follow the line of the delivered prompt.
    place = next(at for at, line in enumerate(made.lines) if line.get("operation") == "remove")
    made.lines[place - 1], made.lines[place] = made.lines[place], made.lines[place - 1]
    assert _listed(made, tmp_path)[0] == listed


@pytest.mark.parametrize(
    "steps",
    [
        [("enqueue", "Never berth 2."), ("popAll", "Never berth 2.")],
        [("enqueue", "Never berth 2."), ("enqueue", "Nor 3."), ("popAll", None)],
        [("enqueue", "Never berth 2.")],
        [("enqueue", '{"task_id":"b1","description":"tests","task_type":"local_bash"}'), ("remove", None)],
        [("enqueue", "<task-notification>\n</task-notification>\nRead the output file to retrieve the result: /b")],
        [("enqueue", "/model"), ("remove", None)],
    ],
)  # fmt: skip
def test_a_prompt_that_the_agent_never_received_is_in_no_list(
    tmp_path: Path, steps: list[tuple[str, str | None]]
) -> None:
    listed, conversation = _listed(_queued(*steps), tmp_path)
    assert len(listed) == 6
    assert not conversation.notes


@pytest.mark.parametrize("before", [True, False])
def test_a_delivered_prompt_that_is_recorded_twice_is_one_message(tmp_path: Path, before: bool) -> None:
    made = _queued(("enqueue", "Never berth 2."), ("remove", "Never berth 2."))
    removed = next(at for at, line in enumerate(made.lines) if line.get("operation") == "remove")
    made.last, kept = made.lines[removed - 1]["uuid"], made.lines[removed + 1 :]
    rest = made.lines[removed:]
    del made.lines[removed:]
    made.attach(type="queued_command", prompt="Never berth 2.", commandMode="prompt")
    (attached,) = made.lines[removed:]
    attached["timestamp"] = next(line for line in made.lines if line.get("operation") == "enqueue")[
        "timestamp"
    ]
    kept[0]["parentUuid"] = attached["uuid"]
    made.lines[removed:] = [attached, *rest] if before else [rest[0], attached, *kept]
    listed, _ = _listed(made, tmp_path)
    assert [text for role, text in listed if role == "user"] == [
        "Question: how does berth 0 work?",
        "Never berth 2.",
    ]


def test_a_queued_prompt_that_starts_a_turn_is_one_message(tmp_path: Path) -> None:
    made = _queued(("enqueue", '{"task_id":"b1"}'), ("enqueue", "Never berth 2."))
    made.queue("remove")
    made.queue("dequeue")
    made.user("Never berth 2.")
    made.answer(lines.text("Berth 2 is left alone."))
    listed, conversation = _listed(made, tmp_path)
    assert [text for role, text in listed if role == "user"][1:] == ["Never berth 2."]
    assert len(listed) == 8
    assert not conversation.notes


@pytest.mark.parametrize("mode", ["prompt", "task-notification"])
def test_an_entry_of_the_queue_is_known_by_its_attachment(tmp_path: Path, mode: str) -> None:
    made = _queued(("enqueue", None), ("remove", None))
    removed = next(at for at, line in enumerate(made.lines) if line.get("operation") == "remove")
    made.last, rest = made.lines[removed - 1]["uuid"], made.lines[removed:]
    del made.lines[removed:]
    made.attach(type="queued_command", prompt="Never berth 2.", commandMode=mode)
    rest[1]["parentUuid"] = made.lines[-1]["uuid"]
    made.lines += rest
    listed, conversation = _listed(made, tmp_path)
    assert [text for _, text in listed].count("Never berth 2.") == 1
    assert not conversation.notes


def test_unknown_entries_of_the_queue_are_a_note(tmp_path: Path) -> None:
    # Prompts of an editor are added without a line, as parts and not as text.
    _, conversation = _listed(_queued(("remove", None)), tmp_path)
    assert list(conversation.notes) == [
        "The transcript lacks the text of 1 prompt that the user typed while the agent was working."
    ]
    made = _queued(("enqueue", "Never berth 2."))
    made.queue("remove")
    listed, conversation = _listed(made, tmp_path)
    assert len(listed) == 6
    assert any("Whether the agent got the text is not recorded" in note for note in conversation.notes)


def test_a_delivered_prompt_is_compacted_and_belongs_to_its_branch(tmp_path: Path) -> None:
    made = _queued(("enqueue", "Never berth 2."), ("remove", None))
    made.answer(lines.call("toolu_c", "Read", file_path="c.py"))
    made.result("toolu_c", "class C: ...")
    back = made.last
    made.queue("enqueue", "Nor 3.")
    made.queue("remove")
    made.compact(SUMMARY)
    made.user("Go on.")
    _, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert compaction.before == 10
    assert conversation.row.messages == len(conversation.live) == 2
    made.last = back
    made.user("Rather this way.")
    store = open_store(made.write(tmp_path / "a.jsonl"))
    counts = {row.kind: (row.messages, len(store.open(row.id).live)) for row in store.conversations()}
    assert counts == {"conversation": (10, 10), "branch": (2, 2)}


def test_the_requests_before_a_branch_are_counted_once(tmp_path: Path) -> None:
    made = started(1)
    back = made.last
    made.compact(SUMMARY)
    worked(made, 1, first=1)
    made.last = back
    made.user("Rather this way.")
    store = open_store(made.write(tmp_path / "a.jsonl"))
    (branch,) = (row.id for row in store.conversations() if row.kind == "branch")
    (judged,) = compare_compactions(Answers(store, {}, None), branch)
    assert (
        judged.cost.why_no_bill
        == "the requests before it are counted in the conversation that this branch left"
    )


def test_a_synthetic_answer_is_no_request(tmp_path: Path) -> None:
    made = started(1)
    made.api_error()
    made.synthetic("API Error: 529", error=True)
    made.synthetic("No response requested.")
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert len(store.requests(conversation)) == 2
    assert [text for _, text in texts(store, conversation)][-1] == "No response requested."
    assert any("2 calls of the API failed" in note for note in conversation.notes)


def test_rewound_messages_are_in_no_list(tmp_path: Path) -> None:
    made = started(1)
    back = made.last
    worked(made, 1, first=1)
    made.last = back
    made.user("Rather this way.")
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert [text for _, text in texts(store, conversation)][-2:] == [
        "Berth 0 keeps ships.",
        "Rather this way.",
    ]
    assert any("4 messages on abandoned branches" in note for note in conversation.notes)
    assert len(store.requests(conversation)) == 4
    assert conversation.row.messages == len(conversation.live) == 5


def test_a_sub_agent_is_a_separate_conversation(tmp_path: Path) -> None:
    made = started(1)
    side = session()
    side.user("Find every caller of berth().", isSidechain=True, agentId="a1b2c3")
    side.answer(lines.text("Three callers."))
    for line in side.lines:
        line |= {"isSidechain": True, "agentId": "a1b2c3"}
    made.write(tmp_path / "project" / "main.jsonl")
    side.write(tmp_path / "project" / made.session / "subagents" / "agent-a1b2c3.jsonl")
    rows = {row.kind: row for row in open_store(tmp_path).conversations()}
    assert (rows["sub-agent"].id, rows["sub-agent"].parent) == ("a1b2c3", made.session)
    assert (rows["conversation"].messages, rows["sub-agent"].messages) == (4, 2)
    # A separate file need not name the sub-agent.
    assert only_one(str(side.write(tmp_path / "alone" / "agent-a1b2c3.jsonl")), demo=False) == "a1b2c3"
    made.lines += [
        {**line, "uuid": f"x{n}", "parentUuid": f"x{n - 1}" if n else None}
        for n, line in enumerate(side.lines)
    ]
    store = open_store(made.write(tmp_path / "both.jsonl"))
    assert {row.kind: row.messages for row in store.conversations()} == {"conversation": 4, "sub-agent": 2}


def test_a_sub_agent_without_messages_is_not_listed(tmp_path: Path) -> None:
    made = started(1)
    side = session("5e55a000-0000-4000-8000-000000000002", start=made.at)
    side.compact(SUMMARY)
    made.lines.append(side.lines[0] | {"isSidechain": True, "agentId": "a1b2c3", "sessionId": made.session})
    (row,) = open_store(made.write(tmp_path / "main.jsonl")).conversations()
    assert (row.kind, row.messages, row.compactions) == ("conversation", 4, 0)


def test_a_file_of_a_sub_agent_with_two_names_is_one_conversation(tmp_path: Path) -> None:
    side = session()
    worked(side, 2)
    for number, line in enumerate(side.lines):
        line |= {"isSidechain": True, "agentId": "a1b2c3" if number < 5 else "d4e5f6"}
    store = open_store(side.write(tmp_path / "agent-a1b2c3.jsonl"))
    (row,) = store.conversations()
    assert (row.id, row.kind, row.messages) == ("a1b2c3", "sub-agent", 8)
    assert len(store.open(row.id).live) == 8


def test_a_sub_agent_counts_no_copied_request(tmp_path: Path) -> None:
    """Some releases write a summary with a sub-agent that begins with a copy of the list."""
    made = session(version="2.1.71")
    worked(made, 2)
    made.compact(SUMMARY)
    worked(made, 1, first=2)
    name = "acompact-14831d5eb8f6e98a"
    agent = session("5e55a000-0000-4000-8000-000000000002", version="2.1.71", start=made.at)
    agent.lines = [dict(line) for line in made.lines]
    agent.last = made.last
    agent.user("Write a summary.")
    agent.answer(lines.text(SUMMARY))
    for line in agent.lines:
        line |= {"isSidechain": True, "agentId": name, "sessionId": made.session}
    made.compact(SUMMARY)
    made.write(tmp_path / "main.jsonl")
    agent.write(tmp_path / made.session / "subagents" / f"agent-{name}.jsonl")
    store = open_store(tmp_path)
    row = next(row for row in store.conversations() if row.id == name)
    conversation = store.open(name)
    assert (row.kind, row.parent, row.compactions) == ("sub-agent", made.session, 0)
    assert len(store.compactions(conversation)) == 0
    assert row.messages == len(conversation.live) == 7
    assert len(store.requests(conversation)) == 1


def _forked(folder: Path) -> tuple[Any, Any]:
    """Return a session with a compaction, and a full copy of it that is not written yet."""
    made = started(2)
    made.compact(SUMMARY)
    worked(made, 1, first=2)
    made.write(folder / "a.jsonl")
    other = session("5e55a000-0000-4000-8000-000000000002", start=made.at)
    other.lines = [dict(line) for line in made.lines]
    other.last, other.cached = made.last, made.cached
    return made, other


def test_a_file_that_continues_another_belongs_to_its_conversation(tmp_path: Path) -> None:
    made, other = _forked(tmp_path)
    worked(other, 1, first=3)
    other.compact(SUMMARY + "\nmore")
    other.write(tmp_path / "b.jsonl")
    store, conversation, compactions = opened(tmp_path)
    assert conversation.row.sessions == (made.session, other.session)
    assert conversation.id == other.session
    assert store.resolve(made.session) == conversation.id
    assert [c.summary for c in compactions] == [SUMMARY, SUMMARY + "\nmore"]
    requests = store.requests(conversation)
    assert len({r.message for r in requests}) == len(requests) == 8


def test_the_name_of_a_line_in_another_file_may_have_a_lone_surrogate(tmp_path: Path) -> None:
    _, other = _forked(tmp_path)
    boundary = next(line for line in other.lines if line.get("subtype") == "compact_boundary")
    first = json.dumps({**boundary, "uuid": "b", "parentUuid": None, "logicalParentUuid": "\ud800"})
    (tmp_path / "b.jsonl").write_text(f"{first}\n", encoding="utf-8")
    assert open_store(tmp_path).conversations()


def test_a_fork_is_a_branch_and_counts_nothing_twice(tmp_path: Path) -> None:
    made, other = _forked(tmp_path)
    worked(other, 1, first=3)
    other.compact(SUMMARY + "\nthere")
    other.write(tmp_path / "b.jsonl")
    worked(made, 2, first=5)
    made.write(tmp_path / "a.jsonl")
    store = open_store(tmp_path)
    rows = {row.kind: row for row in store.conversations()}
    assert set(rows) == {"conversation", "branch"}
    assert rows["branch"].parent == rows["conversation"].id
    assert [rows[kind].compactions for kind in ("conversation", "branch")] == [1, 1]
    opened_rows = {kind: store.open(row.id) for kind, row in rows.items()}
    summaries = {
        kind: [c.summary for c in store.compactions(conversation)]
        for kind, conversation in opened_rows.items()
    }
    assert sorted(summaries.values()) == [[SUMMARY], [SUMMARY + "\nthere"]]
    assert store.messages(opened_rows["branch"].generations[0])[0].text == SUMMARY
    calls = [r.message for conversation in opened_rows.values() for r in store.requests(conversation)]
    assert len(calls) == len(set(calls)) == 12


@pytest.mark.parametrize("is_late", [False, True])
def test_a_fork_has_the_messages_that_its_last_shared_compaction_kept(is_late: bool, tmp_path: Path) -> None:
    made = session(version="2.1.226")
    worked(made)
    kept = [line["uuid"] for line in made.lines[-2:]]
    made.compact(SUMMARY, after=16_970, kept=kept)
    if is_late:
        late = [line for line in made.lines if line.get("uuid") in kept]
        late[0]["parentUuid"] = made.lines[-1]["uuid"]
        made.lines = [*(line for line in made.lines if line not in late), *late]
    other = session("5e55a000-0000-4000-8000-000000000002", start=made.at)
    other.lines = [dict(line) for line in made.lines]
    other.last, other.cached = made.last, made.cached
    worked(made, 1, first=3)
    worked(other, 1, first=4)
    made.write(tmp_path / "a.jsonl")
    other.write(tmp_path / "b.jsonl")
    store = open_store(tmp_path)
    rows = {row.kind: row for row in store.conversations()}
    first, branch = (store.open(rows[kind].id) for kind in ("conversation", "branch"))
    assert texts(store, branch)[:3] == texts(store, first)[:3]
    assert len(texts(store, branch)) == rows["branch"].messages == rows["conversation"].messages
    assert len(store.requests(branch)) == 2


def test_a_fork_that_begins_with_a_compaction_is_a_branch(tmp_path: Path) -> None:
    """Claude Code 2.1.331 copies no lines from before the last compaction."""
    made, other = _forked(tmp_path)
    other.lines = other.lines[[line.get("subtype") for line in other.lines].index("compact_boundary") :]
    worked(other, 1, first=3)
    other.write(tmp_path / "b.jsonl")
    worked(made, 1, first=5)
    made.write(tmp_path / "a.jsonl")
    store = open_store(tmp_path)
    rows = {row.kind: row for row in store.conversations()}
    assert {kind: (row.id, row.compactions) for kind, row in rows.items()} == {
        "conversation": (made.session, 1),
        "branch": (other.session, 0),
    }
    assert not any("abandoned" in note for row in rows.values() for note in store.open(row.id).notes)


def test_a_fork_of_a_fork_counts_nothing_twice(tmp_path: Path) -> None:
    made, other = _forked(tmp_path)
    worked(other, 1, first=3)
    other.compact(SUMMARY + "\nthere")
    other.write(tmp_path / "b.jsonl")
    worked(made, 2, first=5)
    made.write(tmp_path / "a.jsonl")
    third = session("5e55a000-0000-4000-8000-000000000003", start=other.at)
    third.lines = [dict(line) for line in other.lines]
    third.last, third.cached = other.last, other.cached
    worked(third, 1, first=7)
    third.write(tmp_path / "c.jsonl")
    worked(other, 1, first=8)
    other.write(tmp_path / "b.jsonl")
    store = open_store(tmp_path)
    rows = store.conversations()
    assert sorted(row.kind for row in rows) == ["branch", "branch", "conversation"]
    assert sorted(row.compactions for row in rows) == [0, 1, 1]
    opened_rows = [store.open(row.id) for row in rows]
    assert [len(store.compactions(conversation)) for conversation in opened_rows] == [
        row.compactions for row in rows
    ]
    calls = [r.message for conversation in opened_rows for r in store.requests(conversation)]
    assert len(calls) == len(set(calls)) == 16


def test_a_fork_counts_nothing_of_a_session_that_a_later_file_repeats(tmp_path: Path) -> None:
    made, fork = _forked(tmp_path)
    worked(made, 1, first=5)
    made.write(tmp_path / "a.jsonl")
    fork.at = made.at
    worked(fork, 1, first=6)
    fork.write(tmp_path / "b.jsonl")
    third = session("5e55a000-0000-4000-8000-000000000003", start=fork.at)
    third.lines, third.last = [dict(line) for line in made.lines], made.last
    worked(third, 1, first=7)
    third.write(tmp_path / "c.jsonl")
    store = open_store(tmp_path)
    rows = {row.kind: row for row in store.conversations()}
    opened_rows = {kind: store.open(row.id) for kind, row in rows.items()}
    assert {kind: row.compactions for kind, row in rows.items()} == {"conversation": 1, "branch": 0}
    assert {kind: len(store.compactions(one)) for kind, one in opened_rows.items()} == {
        "conversation": 1,
        "branch": 0,
    }
    assert {kind: len(one.live) for kind, one in opened_rows.items()} == {
        kind: row.messages for kind, row in rows.items()
    }
    calls = [request.message for one in opened_rows.values() for request in store.requests(one)]
    assert len(calls) == len(set(calls))


def test_a_fork_of_a_fork_counts_nothing_of_the_fork_if_it_renames_some_copied_lines(tmp_path: Path) -> None:
    """Claude Code 2.0.76 puts the name of the new session into some of the lines that it copies."""
    made = started(1)
    fork = session("5e55a000-0000-4000-8000-000000000002", start=made.at)
    fork.lines, fork.last = [dict(line) for line in made.lines], made.last
    worked(made, 1, first=1)
    made.write(tmp_path / "a.jsonl")
    worked(fork, 1, first=2)
    fork.write(tmp_path / "b.jsonl")
    third = session("5e55a000-0000-4000-8000-000000000003", start=fork.at)
    third.lines, third.last = [dict(line) for line in fork.lines], fork.last
    third.lines[0]["sessionId"] = third.session
    worked(third, 1, first=3)
    third.write(tmp_path / "c.jsonl")
    store = open_store(tmp_path)
    calls = {
        name: len(store.requests(store.open(name))) for name in (made.session, fork.session, third.session)
    }
    assert calls == {made.session: 4, fork.session: 2, third.session: 2}


def test_a_copy_that_lacks_a_line_adds_no_compaction(tmp_path: Path) -> None:
    made = started(1)
    made.compact(SUMMARY)
    worked(made, 1, first=1)
    made.write(tmp_path / "a.jsonl")
    copy = session("5e55a000-0000-4000-8000-000000000002")
    copy.lines = [line for line in made.lines if line.get("subtype") != "compact_boundary"]
    copy.write(tmp_path / "b.jsonl")
    store = open_store(tmp_path)
    (row,) = store.conversations()
    assert row.compactions == len(store.compactions(store.open(row.id))) == 1


def test_a_fork_after_a_microcompaction_has_its_whole_list(tmp_path: Path) -> None:
    made = session()
    made.microcompact(worked(made, 2)[:1])
    worked(made, 1, first=2)
    other = session("5e55a000-0000-4000-8000-000000000002", start=made.at)
    other.lines, other.last = [dict(line) for line in made.lines], made.last
    worked(other, 1, first=3)
    other.write(tmp_path / "b.jsonl")
    worked(made, 1, first=4)
    made.write(tmp_path / "a.jsonl")
    store = open_store(tmp_path)
    found = {row.kind: store.open(row.id) for row in store.conversations()}
    assert {kind: len(one.live) for kind, one in found.items()} == {"conversation": 16, "branch": 16}
    assert {kind: one.row.messages for kind, one in found.items()} == {"conversation": 16, "branch": 16}
    # Each microcompaction once.
    assert {kind: len(store.microcompactions(one)) for kind, one in found.items()} == {
        "conversation": 1,
        "branch": 0,
    }


def test_a_file_that_begins_with_a_boundary_finds_what_was_before_it(tmp_path: Path) -> None:
    made = started(2)
    made.write(tmp_path / "a.jsonl")
    other = session("5e55a000-0000-4000-8000-000000000002", start=made.at)
    other.last = made.lines[-1]["uuid"]
    other.compact(SUMMARY)
    worked(other, 1, first=2)
    other.write(tmp_path / "b.jsonl")
    _, conversation, (compaction,) = opened(tmp_path)
    assert conversation.row.sessions == (made.session, other.session)
    assert (compaction.before, compaction.exact) == (8, True)
    _, alone, (compaction,) = opened(tmp_path / "b.jsonl")
    assert (compaction.before, compaction.exact, compaction.summary) == (0, False, SUMMARY)
    assert len(alone.live) == 5


def test_the_list_counts_the_messages_of_all_files_of_a_conversation(tmp_path: Path) -> None:
    made = started(2)
    made.write(tmp_path / "a.jsonl")
    other = session("5e55a000-0000-4000-8000-000000000002", start=made.at)
    other.last = made.lines[-1]["uuid"]
    worked(other, 1, first=2)
    other.write(tmp_path / "b.jsonl")
    _, conversation, _ = opened(tmp_path)
    assert conversation.row.messages == len(conversation.live) == 12


def test_copies_of_one_session_are_one_conversation(tmp_path: Path) -> None:
    made = _long()
    made.write(tmp_path / "whole" / "full.jsonl")
    made.lines = made.lines[:-6]
    made.write(tmp_path / "earlier" / "full.jsonl")
    _, conversation, compactions = opened(tmp_path)
    _, _, expected = opened(tmp_path / "whole")
    assert conversation.row.sessions == (made.session,)
    assert compactions == expected


def test_an_answer_is_whole_although_an_earlier_copy_ends_within_it(tmp_path: Path) -> None:
    made = started(2)
    made.write(tmp_path / "later" / "full.jsonl")
    expected, *_ = _lists_compactions_requests(tmp_path / "later")
    # The last line is the answer's thinking, without its call.
    made.lines = made.lines[:2]
    made.write(tmp_path / "earlier" / "full.jsonl")
    lists, *_ = _lists_compactions_requests(tmp_path)
    assert lists == expected
    store, conversation, _ = opened(tmp_path)
    assert [len(message.tool_calls) for message in store.messages(conversation.live)][1] == 1


@pytest.mark.parametrize(
    ("titles", "title"),
    [
        ([], ASKED),
        ([{"type": "ai-title", "aiTitle": "Berths"}], "Berths"),
        ([{"type": "custom-title", "customTitle": "Harbor"}, {"type": "ai-title", "aiTitle": "Berths"}], "Harbor"),
        ([{"type": "summary", "summary": "Somebody else's", "leafUuid": "elsewhere"}], ASKED),
        ([{"type": "ai-title", "aiTitle": f"Berths with {_TOKEN}"}], "Berths with [masked: a Telegram bot token]"),
    ],
)  # fmt: skip
def test_titles(tmp_path: Path, titles: list[dict[str, str]], title: str) -> None:
    made = started(1)
    made.lines += titles
    (row,) = open_store(made.write(tmp_path / "named-like-nothing.txt")).conversations()
    assert (row.title, row.agent, row.folder) == (title, "claude-code", "/home/dev/harbor")


def test_the_model_gets_the_output_of_local_commands(tmp_path: Path) -> None:
    made = session(version="2.1.220")
    made.user("Moor the ferry.")
    for text in (
        "<command-name>/context</command-name>",
        "<local-command-stdout>10 of 200k</local-command-stdout>",
    ):
        made.line("system", subtype="local_command", content=text)
    made.answer(lines.text("Moored."))
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert texts(store, conversation) == [
        ("user", "Moor the ferry."),
        ("system", "<command-name>/context</command-name>"),
        ("system", "<local-command-stdout>10 of 200k</local-command-stdout>"),
        ("assistant", "Moored."),
    ]
    assert conversation.row.messages == 4


def test_the_model_gets_some_output_of_hooks(tmp_path: Path) -> None:
    made = session(version="2.1.220")
    made.user("Moor the ferry.")
    made.attach(type="hook_success", hookEvent="SessionStart", content="Never moor at berth 4.")
    made.attach(type="hook_success", hookEvent="UserPromptSubmit", content="It is noon.")
    made.attach(type="hook_success", hookEvent="PostToolUse", content="Formatted.")
    made.attach(type="hook_system_message", hookEvent="SessionStart", content="Welcome.")
    blocked = {"command": "check-the-berths-before-the-agent-stops.sh", "blockingError": "Berth 2 is open."}
    made.attach(type="hook_blocking_error", hookEvent="Stop", blockingError=blocked)
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    outputs = [text.partition("\n")[2] for role, text in texts(store, conversation) if role == "system"]
    assert outputs == ["Never moor at berth 4.", "It is noon.", "Berth 2 is open."]
    assert conversation.row.messages == len(conversation.live)


def test_the_list_of_conversations_counts_as_the_opened_conversation(tmp_path: Path) -> None:
    made = session(version="2.1.217")
    worked(made)
    made.compact(SUMMARY, after=16_970, kept=[line["uuid"] for line in made.lines[-3:]])
    made.attach(type="hook_success", content="said nothing to the model")
    made.attach(type="file", filename="/x/berth_1.py", content={"file": {"content": "class Berth1"}})
    made.user("<system-reminder>Be brief.</system-reminder>Go on.")
    results = [
        {"type": "tool_result", "tool_use_id": name, "content": [{"type": "text", "text": "moored"}]}
        for name in "ab"
    ]
    made.answer(lines.call("a", "Read", file_path="a.py"), lines.call("b", "Read", file_path="b.py"))
    made.user([*results, {"type": "text", "text": "And berth 4?"}])
    _, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert conversation.row.messages == len(conversation.generations[-1]) == 11


def _lists_compactions_requests(path: Path) -> Any:
    store, conversation, compactions = opened(path)
    assert conversation.row.messages == len(conversation.generations[-1])
    lists = [[(m.role, m.text) for m in store.messages(g)] for g in conversation.generations]
    return lists, [(c.index, c.trigger, c.summary, c.before) for c in compactions], [
        (r.message, r.output, r.context) for r in store.requests(conversation)
    ]  # fmt: skip


def _long() -> Any:
    made = started(2)
    made.microcompact(["toolu_0000"])
    made.answer(lines.call("toolu_q", "Read", file_path="q.py"))
    made.queue("enqueue", "And never berth 9.")
    made.result("toolu_q", "class Q: ...")
    made.queue("remove")
    made.compact(SUMMARY)
    worked(made, 2, first=2)
    kept = [line["uuid"] for line in made.lines[-1:]]
    made.compact(SUMMARY + "\nmore", after=14_000, kept=kept)
    worked(made, 1, first=4)
    return made


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_order_of_keys_duplicates_and_unknown_lines_change_nothing(tmp_path: Path, seed: int) -> None:
    made = _long()
    expected = _lists_compactions_requests(made.write(tmp_path / "a.jsonl"))
    chance = random.Random(seed)
    written = []
    for line in made.lines:
        keys = list(line.items())
        chance.shuffle(keys)
        written.append(json.dumps({**dict(keys), "newKey": {"deep": [1]}}))
        if chance.random() < 0.2:
            written.append(written[-1])
        if chance.random() < 0.2:
            written.append(
                chance.choice(
                    ['{"type": "tomorrow", "uuid": "u", "sessionId": "s"}', "[]", "no json", "{}", "\x00"]
                )
            )
    path = tmp_path / "b.jsonl"
    path.write_text("\n".join(written) + "\n")
    assert _lists_compactions_requests(path) == expected


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1))
def test_a_transcript_may_end_anywhere(tmp_path: Path, share: float) -> None:
    """Complete lines count; a half-written line waits."""
    raw = _long().text().encode()
    cut = int(len(raw) * share)
    path = tmp_path / "a.jsonl"
    path.write_bytes(raw[:cut])
    whole = raw[:cut].count(b"\n")
    if not whole:
        return
    _, _, compactions = opened(path)
    boundaries = [
        json.loads(line).get("subtype") for line in raw.splitlines()[: whole + (raw[cut - 1 :][:2] == b"}\n")]
    ]
    assert len(compactions) == boundaries.count("compact_boundary")


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_swapped_neighbouring_lines_are_reordered(tmp_path: Path, seed: int) -> None:
    made = _long()
    expected = _lists_compactions_requests(made.write(tmp_path / "a.jsonl"))
    chance = random.Random(seed)
    shuffled = list(made.lines)
    for at in range(0, len(shuffled) - 1, 2):
        # Only its place connects a boundary with the other lines.
        if chance.random() < 0.5 and all(
            "boundary" not in str(line.get("subtype")) for line in shuffled[at : at + 2]
        ):
            shuffled[at], shuffled[at + 1] = shuffled[at + 1], shuffled[at]
    made.lines = shuffled
    lists, compactions, requests = _lists_compactions_requests(made.write(tmp_path / "b.jsonl"))
    assert (lists, compactions) == expected[:2]
    assert sorted(requests) == sorted(expected[2])


def test_a_compressed_transcript_is_read(tmp_path: Path) -> None:
    made = _long()
    path = made.write(tmp_path / "a.jsonl")
    packed = tmp_path / "packed" / "a.jsonl.zst"
    packed.parent.mkdir()
    packed.write_bytes(zstd.compress(path.read_bytes()))
    assert _lists_compactions_requests(packed) == _lists_compactions_requests(path)


def test_a_growing_file_is_followed(tmp_path: Path) -> None:
    made = started(1)
    path = made.write(tmp_path / "a.jsonl")
    store, conversation, _ = opened(path)
    before = store.version()
    assert store.version() == before
    made.user("One more thing.")
    grown = made.text()
    path.write_text(grown[:-20])
    assert store.version() != before
    assert len(store.open(conversation.id).live) == 4
    path.write_text(grown)
    assert len(store.open(conversation.id).live) == 5


def test_nothing_is_written(tmp_path: Path) -> None:
    path = _long().write(tmp_path / "a.jsonl")
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(tmp_path.iterdir()))
    store, conversation, _ = opened(path)
    store.messages(conversation.live)
    assert list(store.search("berth", conversation.id, 3))
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(tmp_path.iterdir())) == before


def test_hostile_lines_are_handled(tmp_path: Path) -> None:
    made = _long()
    path = made.write(tmp_path / "a.jsonl")
    deep = b'{"type":"user","uuid":"z","sessionId":"s","message":' + b"[" * 5_000 + b"]" * 5_000 + b"}\n"
    odd = b"".join(
        json.dumps(
            {"type": kind, "uuid": f"o{n}", "sessionId": 5, "message": value, "timestamp": value}
        ).encode()
        + b"\n"
        for n, (kind, value) in enumerate(
            (kind, value)
            for kind in ("user", "assistant", "attachment", "system")
            for value in (
                None,
                1,
                "x",
                [],
                {},
                {"content": 3},
                {"content": [None, {"type": 5}]},
                {"id": {}, "usage": []},
            )
        )
    )
    lone = b'{"type":"user","uuid":"l","sessionId":"s","message":{"content":"a \\ud800 \\u0000 b"}}\n'
    path.write_bytes(path.read_bytes() + deep + odd + lone + b"\xff\xfe\n")
    store = open_store(path)
    for row in store.conversations():
        conversation = store.open(row.id)
        for generation in conversation.generations:
            assert len(store.messages(generation)) == len(generation)
        store.compactions(conversation)
        store.requests(conversation)


def test_a_very_long_line_takes_linear_time(tmp_path: Path) -> None:
    """Endless spaces and unclosed documents: a pattern that starts again at each place would take forever."""
    made = started(1)
    made.user("So" + " " * 400_000 + "what?")
    path = made.write(tmp_path / "a.jsonl")
    path.write_bytes(path.read_bytes() + b'{"type":"user"}' * 40_000 + b"\n")
    store, conversation, _ = opened(path)
    assert len(conversation.live) == conversation.row.messages == 5
    assert len(store.messages(conversation.live)[-1].text) == 400_007


def test_listing_many_lines_with_one_parent_takes_linear_time(tmp_path: Path) -> None:
    """Twice as many lines take twice as many calls of functions."""
    calls = []
    for count in (500, 1_000):
        made = session()
        made.user("Moor the ferry.")
        first = made.last
        for _ in range(count):
            made.last = first
            made.user("Or not.")
        path = made.write(tmp_path / f"{count}.jsonl")
        profile = cProfile.Profile()
        (row,) = profile.runcall(lambda path=path: open_store(path).conversations())
        assert row.messages == 2
        calls.append(pstats.Stats(profile).total_calls)
    assert calls[1] < 2.2 * calls[0]


def test_the_first_line_may_hold_a_picture(tmp_path: Path) -> None:
    made = session()
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 3_000_000}
    made.user([{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}])
    made.answer(lines.text("A berth."))
    made.write(tmp_path / "a.jsonl")
    _, conversation, _ = opened(tmp_path)
    assert len(conversation.live) == conversation.row.messages == 2


def test_a_line_with_a_damaged_byte_is_read_and_counted(tmp_path: Path) -> None:
    made = started(1)
    path = made.write(tmp_path / "a.jsonl")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"keeps ships", b"keeps \xfb ships"))
    store, conversation, _ = opened(path)
    assert conversation.row.messages == len(conversation.live) == 4
    message = store.messages(conversation.live)[-1]
    assert (message.text, message.note) == ("Berth 0 keeps \udcfb ships.", "")
    assert conversation.notes == ()


def test_the_list_counts_records_that_share_a_line(tmp_path: Path) -> None:
    made = started(2)
    path = made.write(tmp_path / "a.jsonl")
    written = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join([written[0] + written[1], *written[2:]]), encoding="utf-8")
    _, conversation, _ = opened(path)
    assert conversation.row.messages == len(conversation.live) == 8


def test_an_unusual_value_hides_no_other_value_of_its_line(tmp_path: Path) -> None:
    """The list counts like the conversation, for any unexpected value."""
    made = started(1)
    made.user([{"type": "text", "text": 5}, "words", {"text": "more"}, {"type": None}, {"type": {"a": []}}])
    made.answer({"type": "text", "text": {"deep": 1}}, {"type": "text", "text": "Berth 2."}, written=60_000)
    made.user([{"type": "tool_result", "tool_use_id": "a", "content": 3}, {"type": "tool_result"}])
    made.user(3)
    made.user([])
    store, conversation, _ = opened(made.write(tmp_path / "a.jsonl"))
    assert conversation.row.messages == len(conversation.live)
    assert store.live_tokens(conversation.id) > 0
    largest = max(request.context for request in store.requests(conversation))
    assert f"{largest:,} tokens" in conversation.row.window_source


@pytest.mark.slow
def test_the_real_transcripts(agent_recordings: Callable[[str], list[Path]]) -> None:
    """Compare with a plain reading: each boundary once with its figures and text, each answer once."""
    for path in agent_recordings("claude"):
        boundaries: dict[str, Any] = {}
        summaries: dict[str, str] = {}
        usage: dict[str, Any] = {}
        for raw in path.read_text(errors="replace").splitlines():
            try:
                line = json.loads(raw)
            except ValueError:
                continue
            if line.get("subtype") == "compact_boundary":
                boundaries.setdefault(line["uuid"], line["compactMetadata"])
            elif line.get("isCompactSummary"):
                summaries.setdefault(list(boundaries)[-1], line["message"]["content"])
            elif line.get("type") == "assistant" and line["message"].get("model") != "<synthetic>":
                tokens = line["message"].get("usage")
                name = line["message"].get("id")
                if (
                    tokens
                    and name
                    and tokens["output_tokens"] >= usage.get(name, {"output_tokens": 0})["output_tokens"]
                ):
                    usage[name] = tokens
        store = open_store(path)
        row = max(store.conversations(), key=lambda row: row.messages)
        conversation = store.open(row.id)
        assert [
            (c.trigger, c.tokens_before_reported, c.tokens_after_reported, c.summary)
            for c in store.compactions(conversation)
        ] == [
            (
                data.get("trigger"),
                data.get("preTokens") or None,
                data.get("postTokens") or None,
                summaries.get(name),
            )
            for name, data in boundaries.items()
        ]
        if not path.name.startswith("ses_"):  # a trimmed fixture has the same id for all
            recorded = {
                name: (tokens["output_tokens"], tokens["cache_read_input_tokens"])
                for name, tokens in usage.items()
            }
            requests = {request.message: request for request in store.requests(conversation)}
            assert requests.keys() == recorded.keys()
            for name, request in requests.items():
                output, read = recorded[name]
                # A placeholder is replaced by the visible text.
                assert request.output == output or request.estimated
                assert request.output >= output
                assert request.cache_read == read


def test_an_abandoned_first_line_without_its_parent_hides_no_beginning(tmp_path: Path) -> None:
    made = session()
    made.last = "5e55a000-0000-4000-8000-0000000000ff"
    made.user("[Request interrupted by user for tool use]")
    made.last = None
    worked(made, 2)
    made.compact(SUMMARY)
    worked(made, 1, first=2)
    _, conversation, (compaction,) = opened(made.write(tmp_path / "a.jsonl"))
    assert (compaction.whole, compaction.note, compaction.before) == (True, "", 8)
    assert not any("not in these files" in note for note in conversation.notes)


@pytest.mark.parametrize("first", [0, 2])
def test_a_check_of_a_session_without_its_beginning_and_compactions_says_so(
    tmp_path: Path, first: int
) -> None:
    made = session()
    worked(made, 2)
    del made.lines[:first]
    answers = Answers.of([made.write(tmp_path / "a.jsonl")], {}, None)
    unknown = check(answers, (), ()).unknown
    assert ["is missing or cannot be read" in sentence for sentence in unknown] == [True] * bool(first)


def test_a_resumed_session_notes_that_its_beginning_is_elsewhere(tmp_path: Path) -> None:
    """Its first request sends far more than its lines: the list is incomplete, so no finding may use its size."""
    before, made = session(), session("5e55a000-0000-4000-8000-000000000002")
    worked(before, 2)
    made.at, made.last = before.at, before.lines[-1]["uuid"]
    worked(made, 1, first=2)
    made.compact(SUMMARY)
    worked(made, 1, first=3)
    made.compact(SUMMARY)
    _, alone, compactions = opened(made.write(tmp_path / "b.jsonl"))
    assert any("continues a line that is not in these files" in note for note in alone.notes)
    assert not alone.has_unread, "the compaction of the incomplete list is counted as unknown"
    assert [done.whole for done in compactions] == [False, True]
    assert compactions[0].note == "The beginning of the list before it is not in these files."
    inspection, resolved = Answers.of([tmp_path / "b.jsonl"], {}, None).opened(made.session)
    assert inspection.compactions()[0].tokens_after > inspection.compactions()[0].tokens_before
    found_rules = [(one.rule, one.compaction) for one in findings(inspection, resolved)]
    assert ("saved-little", 1) not in found_rules
    before.write(tmp_path / "a.jsonl")
    _, whole, compactions = opened(tmp_path)
    assert not any("goes on from" in note for note in whole.notes)
    assert [done.whole for done in compactions] == [True, True]
    inspection, resolved = Answers.of([tmp_path], {}, None).opened(whole.id)
    assert [done.whole for done in inspection.compactions()] == [True, True]


def test_requests_are_opened_as_they_were_sent(tmp_path: Path) -> None:
    """The model's answers have no separate blob; the transcript has them."""
    session = "5e55a000-0000-4000-8000-0000000000aa"
    question = {"role": "user", "content": [{"type": "text", "text": "Moor it."}]}
    more = {"role": "user", "content": [{"type": "text", "text": "And now?"}]}
    answer = [{"type": "text", "text": "Moored."}]
    shape = {"system": [{"type": "text", "text": "You are an agent."}], "tools": [{"name": "Read"}]}
    marks = [{"path": ["system", 0], "value": {"type": "ephemeral"}}]

    def line(kind: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "sessionId": session, "timestamp": "2026-11-25T01:00:00.000Z", **more}

    def request(name: str, message: int, **more: Any) -> dict[str, Any]:
        path = {"path": ["messages", message, "content", 0], "value": {"type": "ephemeral"}}
        return line(
            "api-request", id=name, shapeHash="s", params={"model": "m"}, cacheControl=[*marks, path], **more
        )

    answer_line = {
        "id": "a1",
        "role": "assistant",
        "model": "m",
        "content": answer,
        "usage": {"output_tokens": 5},
    }
    lines = [
        line("user", uuid="u1", parentUuid=None, message=question),
        line("api-request-shape", shapeHash="s", shape=shape),
        line("api-request-blob", hash="q", message=question),
        request("r1", 0, keep=0, tail=["q"]),
        line("assistant", uuid="u2", parentUuid="u1", message=answer_line),
        line("api-request-blob", hash="n", message=more),
        request("r2", 2, base="r1", keep=1, tail=["x", "n"]),
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    store = open_store(path)
    (row,) = store.conversations()
    first, second = store.sent(store.open(row.id))
    assert (list(first.messages), [tool["name"] for tool in first.tools]) == ([question], ["Read"])
    assert list(second.messages) == [question, {"role": "assistant", "content": answer}, more]
    assert second.breakpoints == (("system", 0), ("messages", 2, "content", 0))


def test_the_title_skips_instructions_of_a_program(tmp_path: Path) -> None:
    made = lines.Session("5e55a000-0000-4000-8000-0000000000aa")
    made.user("<system_instruction>\nWork in the harbor folder.\n</system_instruction>\n\n")
    made.answer(lines.text("Ready."))
    made.user("<system_instruction>\nRead the files.\n</system_instruction>\n\nMove the buoys.")
    made.answer(lines.text("Moved."))
    (row,) = open_store(made.write(tmp_path / "a.jsonl")).conversations()
    assert row.title == "Move the buoys."


def test_a_session_from_the_cloud_without_messages_is_no_unknown_file(tmp_path: Path) -> None:
    session = lines.Session("5e55a000-0000-4000-8000-000000000001")
    session.user("Count the berths.")
    session.write(tmp_path / "a.jsonl")
    fetched = {
        "type": "teleported-from",
        "remoteSessionId": "session_01",
        "branch": "main",
        "messageCount": 0,
    }
    (tmp_path / "b.jsonl").write_text(json.dumps(fetched) + "\n")
    store = open_store(tmp_path)
    assert len(store.conversations()) == 1
    assert not store.notes
