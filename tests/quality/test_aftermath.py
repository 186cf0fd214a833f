"""Events after a compaction: the same act twice, the same words twice, an act against a rule that was lost."""

from __future__ import annotations

import json
import re
import shlex
import tracemalloc
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.answers.fact_results import Aftermath
from inspector.core.conversations import ConversationRow
from inspector.core.messages import Message, ToolCall
from inspector.core.places import Place
from inspector.export.fact_results import print_aftermath
from inspector.quality import spoken_acts
from inspector.quality.act import SOME_LINES, Lines, is_named, overlap
from inspector.quality.acts import acts_of_call
from inspector.quality.aftermath import AftermathEvent, AftermathKind, Step, counts_again, done_again
from inspector.quality.call_results import error_in
from inspector.quality.facts.fact import (
    Contradiction,
    ConversationFacts,
    Fact,
    Fate,
    Life,
    Outcome,
    Saying,
    Value,
)
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.facts.values import values_of
from inspector.quality.find_aftermath import aftermath_of, steps_with_acts
from inspector.quality.prohibitions import prohibitions_of
from inspector.quality.spoken_acts import names_in
from tests.counting import calls_of, lines_run
from tests.pattern_steps import Counter as StepCounter


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall("c", name, json.dumps(arguments))


def acts(name: str, **arguments: Any) -> list[tuple[str, str, Lines | None]]:
    return [(act.kind, act.key, act.lines) for act in acts_of_call(call(name, **arguments))]


def test_tools_read_write_fetch_and_ask() -> None:
    assert acts("Read", file_path="/app/a.py", offset=10, limit=5) == [("read", "/app/a.py", (10, 14))]
    assert acts("read_file", path="./a.py") == [("read", "a.py", None)]
    assert acts("Edit", file_path="/app/a.py", old_string="x", new_string="y") == [
        ("write", "/app/a.py", SOME_LINES)
    ]
    assert acts("WebFetch", url="https://www.example.org/page#top", prompt="?") == [
        ("fetch", "example.org/page", None)
    ]
    assert acts("AskUserQuestion", questions=[{"question": "Which port?"}]) == [("ask", "which port?", None)]
    assert acts("ReadFile", path="a.py", line_offset=3, n_lines=5) == [("read", "a.py", (3, 7))]
    assert acts("ReadFile", path="a.py", line_offset=-5) == [("read", "a.py", SOME_LINES)]


@pytest.mark.parametrize(
    ("operation", "kind", "lines"),
    [("view", "read", None), ("create", "write", None), ("str_replace", "write", SOME_LINES)],
)
def test_an_editor_acts_by_its_command(operation: str, kind: str, lines: Lines | None) -> None:
    assert acts("file_editor", command=operation, path="/app/a.py") == [(kind, "/app/a.py", lines)]


def test_commands_read_write_fetch_and_run() -> None:
    assert ("read", "src/a.py", (1, 40)) in acts("Bash", command="cd /app && sed -n '1,40p' src/a.py")
    assert ("run", "make lint", None) in acts("shell", command=["bash", "-lc", "cd /app && make lint"])
    assert ("write", "out/b.json", None) in acts("Bash", command="jq . a.json > out/b.json")
    assert ("write", "a.cfg", SOME_LINES) in acts("Bash", command="sed -i s/1/2/ a.cfg")
    assert ("fetch", "github.com/acme/boats", None) in acts(
        "Bash", command="git clone https://github.com/acme/boats.git"
    )
    kinds = {kind for kind, _, _ in acts("Bash", command="make test > /dev/null 2>&1")}
    assert kinds == {"run"}


def test_a_filter_leaves_unknown_lines() -> None:
    assert ("read", "a.py", (820, 830)) in acts("Bash", command="nl -ba a.py | sed -n '820,830p'")
    for command in ("cat a.py | grep -n x", "sed -n 1,50p a.py | head -3", "cat a.py | tail -5"):
        assert {kind for kind, _, _ in acts("Bash", command=command)} == {"run"}


def test_a_superscript_is_no_count() -> None:
    assert ("read", "notes.txt", (1, 10)) in acts("Bash", command="head -n ² notes.txt")


def test_each_line_of_a_command_is_a_command() -> None:
    for command in (
        "ls\ncurl https://a.example/c\ncat x.py",
        "cd /app\nls &&\n curl https://a.example/c\ncat x.py",
    ):
        found = {(kind, key) for kind, key, _ in acts("Bash", command=command) if kind != "run"}
        assert found == {("fetch", "a.example/c"), ("read", "x.py")}
    (rule,) = prohibitions_of("Never run npm test")
    for command, forbidden in (
        ("export CI=1\nnpm test", True),
        ("npm \\\n  test", True),
        ("cat > README.md <<'EOF'\nIt's short:\nnpm test\nEOF\nls", False),
        ("git commit -m 'Explain:\nnpm test'", False),
        ("# npm test\nls", False),
    ):
        assert any(map(rule.forbids, acts_of_call(call("Bash", command=command)))) == forbidden, command
    (reading,) = prohibitions_of("Never read holdout.jsonl")
    script = "python - <<'PY'\nprint(open('eval/holdout.jsonl').read())\nPY"
    assert any(map(reading.forbids, acts_of_call(call("Bash", command=script))))
    assert {kind for kind, _, _ in acts("Bash", command="cat a.py |\n grep x")} == {"run"}
    assert ("write", "b.txt", SOME_LINES) not in acts("Bash", command="cat > a.md <<EOF\nrm b.txt\nEOF")


def test_a_command_is_split_once_for_its_acts_and_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [rule for number in range(20) for rule in prohibitions_of(f"Never run deploy-{number}")]

    def broken(command: str) -> int:
        """Return the number of rules that a command breaks."""
        done = list(acts_of_call(call("Bash", command=command)))
        return sum(any(rule.forbids(act) for act in done) for rule in rules)

    assert broken("make build && deploy-3 --now") == 1
    split = calls_of(monkeypatch, shlex, "shlex")
    assert broken("make build && deploy-4 --later") == 1
    assert len(split) == 1


def test_redirections_and_devices_are_no_files() -> None:
    for command in (
        "cat a.py 2>/dev/null",
        "cat a.py 2>&1",
        "cat a.py 2> err.txt",
        "cat /dev/null a.py 2>>err.txt",
    ):
        assert [act for act in acts("Bash", command=command) if act[0] != "run"] == [("read", "a.py", None)]
    assert ("read", "a.py", (1, 5)) in acts("Bash", command="cat a.py 2>&1 | head -5")
    assert {kind for kind, _, _ in acts("Bash", command="tail -20 out/ferry.log")} == {"run"}


def test_a_request_that_sends_something_or_shows_no_page_fetches_nothing() -> None:
    url = "https://example.org/berths"
    assert ("fetch", "example.org/berths", None) in acts("Bash", command=f"curl -sL -H 'Accept: a/b' {url}")
    assert ("fetch", "example.org/berths", None) in acts("Bash", command=f"curl -f -i {url}")
    for options in ("-X POST", "-d 'x=1'", "--post-data x=1", "-I", "-sIL", "--head", "-so /dev/null"):
        command = f"curl {options} {url}"
        assert {kind for kind, _, _ in acts("Bash", command=command)} == {"run"}
    assert acts("web_fetch", url=url, method="POST") == []
    assert {kind for kind, _, _ in acts("Bash", command="curl -s http://localhost:3000/health")} == {"run"}


def test_a_patch_writes_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    assert [(kind, key) for kind, key, _ in acts("apply_patch", input=patch)] == [
        ("write", "src/a.py"),
        ("write", "b.py"),
    ]


@given(st.text(max_size=200), st.text(max_size=200))
def test_hostile_arguments_never_raise(name: str, text: str) -> None:
    list(acts_of_call(ToolCall("c", name, text)))
    list(acts_of_call(call("Bash", command=text)))
    error_in(text)


def test_long_lines_are_read_once() -> None:
    for text in ("-" * 200_000, "a: " * 70_000, "http://a:b" * 20_000, "'" * 50_000):
        list(acts_of_call(call("Bash", command=text)))
        error_in(text)


def test_parts_of_a_file_overlap_by_lines() -> None:
    assert overlap((1, 10), (10, 20))
    assert not overlap((1, 9), (10, None))
    assert overlap(None, (5, 6))


def said(step: int, generation: int, message: Message, left: int | None = None) -> tuple[Step, Message]:
    return Step(step, generation, step, 100 + step, left), message


def tool_use(name: str, result: str = "", **arguments: Any) -> list[Message]:
    wire = {
        "role": "assistant",
        "tool_calls": [{"id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}],
    }
    return [Message(wire), Message({"role": "tool", "tool_call_id": "c", "content": result})]


def events(
    *parts: tuple[int, int | None, list[Message]], facts: ConversationFacts | None = None
) -> list[AftermathEvent]:
    """Return the events of parts (generation, compaction that removed it, messages)."""
    placed: list[tuple[Step, Message]] = []
    for generation, left, messages in parts:
        first = len(placed)
        placed.extend(said(first + at, generation, message, left) for at, message in enumerate(messages))
    return list(aftermath_of(steps_with_acts(placed), facts or ConversationFacts()))


READ = tool_use("Read", "text " * 100, file_path="/app/a.py")


def test_a_file_read_again_is_an_event_once_its_first_reading_left_the_list() -> None:
    (event,) = events((1, 1, READ), (2, None, READ), (2, None, READ))
    assert (event.kind, event.compaction, event.text) == ("read again", 1, "/app/a.py")
    assert event.earlier is not None
    assert (event.earlier.index, event.place.index) == (0, 2)
    assert event.tokens >= 125


@pytest.mark.parametrize(
    ("first", "second", "again"),
    [
        ("python3 -m venv .venv && pip install -q tides", "python -m venv .venv", "python -m venv .venv"),
        (
            "pip install 'tides[all]==2.1' berths",
            "cd /app; uv pip install berths moon",
            "uv pip install berths moon",
        ),
        ("sudo apt-get install -y curl", "npm test && apt-get install curl", "apt-get install curl"),
        ("npm i @pier/tides@3", "npm add @pier/tides", "npm add @pier/tides"),
        ("npm install", "npm install", ""),
        ("apt install redis", "npm install redis", ""),
        ("apt install redis", "apt-get install redis", "apt-get install redis"),
        ("pip install -r requirements.txt -e .", "pip install -r requirements.txt moon", ""),
        ("ssh pier pip install tides", "pip install tides", ""),
    ],
)
def test_a_package_that_is_installed_again_is_an_event(first: str, second: str, again: str) -> None:
    one, two = tool_use("Bash", "done", command=first), tool_use("Bash", "done", command=second)
    changed = tool_use("Write", "done", file_path="/app/x.py", content="x")
    found = [event for event in events((1, 1, one), (2, None, changed + two)) if event.kind == "ran again"]
    assert [event.text for event in found] == [again] * bool(again)
    failed = tool_use("Bash", "Error: no network is available", command=first)
    assert "ran again" not in {event.kind for event in events((1, 1, failed), (2, None, changed + two))}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("Review a.py.", True),
        ("看一下a.py里的潮汐", True),
        ("Review all in /srv/app/", True),
        ("Review the app.", False),
        ("Review data.py.", False),
        ("crew@pier:~/app/build$ make", False),
        ("See /app/b.py.", False),
    ],
)
def test_a_file_that_the_user_names_after_its_first_reading_may_be_asked_for(words: str, named: bool) -> None:
    ask = [Message({"role": "user", "content": words})]
    assert [event.named for event in events((1, 1, READ), (2, None, ask + READ))] == [named]
    assert [event.named for event in events((1, 1, READ + ask), (2, None, READ))] == [named]
    assert [event.named for event in events((1, 1, ask + READ), (2, None, READ))] == [False]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("harbour_lightsnoyounishite", True),
        ("Look at harbour_lights again.", True),
        ("Look at harbour_lights_old.cpp.", False),
        ("Look at harbour_lightship.cpp.", False),
        ("Look at the harbour.", False),
    ],
)
def test_a_file_is_named_without_its_ending(words: str, named: bool) -> None:
    assert is_named("/pier/src/harbour_lights.cpp", names_in(words)) == named


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("C:\\pier\\a b.py", "c:/pier/a b.py", True),
        ("C:/pier/a b.py", "file:///C:/pier/a%20b.py", True),
        ("/pier/a.py", "file:///pier/a.py", True),
        ("C:\\pier\\a.py", "D:/pier/a.py", False),
    ],
)
def test_a_path_may_have_two_spellings(one: str, other: str, same: bool) -> None:
    first, second = (tool_use("Read", "1\tdef a(): ...", file_path=path) for path in (one, other))
    assert [event.text for event in events((1, 1, first), (2, None, second))] == ([other] if same else [])


def test_files_that_one_command_reads_share_its_tokens() -> None:
    both = tool_use("Bash", "text " * 400, command="cat /app/a.py /app/b.py")
    read = [event for event in events((1, 1, both), (2, None, both)) if event.kind == "read again"]
    assert [event.text for event in read] == ["/app/a.py", "/app/b.py"]
    assert sum(event.tokens for event in read) < 600


@pytest.mark.parametrize(
    "result",
    [
        '{\n  "status": "error",\n  "error": "ENOENT: no such file or directory, access \'/app/a.py\'"\n}',
        "File does not exist.",
        "Exit code: 1\nOutput:\nzsh:1: no matches found: /app/a.py",
        "cat: /app/a.py: No such file or directory\ncat: /app/b.py: Permission denied",
    ],
)
def test_a_file_that_is_not_there_is_not_read(result: str) -> None:
    missing = tool_use("Read", result, file_path="/app/a.py")
    assert [e for e in events((1, 1, missing), (2, None, missing)) if e.kind == "read again"] == []
    assert events((1, 1, missing), (2, None, READ)) == []


def test_a_file_that_quotes_an_error_is_read() -> None:
    quotes = tool_use("Read", "def open_chart():\n    raise ENOENT\n", file_path="/app/a.py")
    assert [event.kind for event in events((1, 1, quotes), (2, None, quotes))] == ["read again"]


def test_a_file_still_in_the_list_is_not_read_again() -> None:
    assert events((1, None, READ), (2, None, READ)) == []


def test_an_empty_result_is_no_reading() -> None:
    part = tool_use("Read", "\n", file_path="/app/a.py", offset=900, limit=50)
    assert events((1, 1, READ), (2, None, part)) == []


def test_a_file_written_before_counts() -> None:
    wrote = tool_use("Write", "ok", file_path="/app/a.py", content="x = 1")
    (event,) = events((1, 1, wrote), (2, None, READ))
    assert event.kind == "read again"


def test_an_edit_counts_only_for_a_reading_of_the_whole_file() -> None:
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    part = tool_use("Read", "x", file_path="/app/a.py", offset=200, limit=50)
    assert [event.kind for event in events((1, 1, edit), (2, None, READ))] == ["read again"]
    assert events((1, 1, edit), (2, None, part)) == []


def test_other_lines_of_a_file_are_not_read_again() -> None:
    first = tool_use("Read", "x", file_path="/app/a.py", offset=1, limit=50)
    other = tool_use("Read", "x", file_path="/app/a.py", offset=200, limit=50)
    assert events((1, 1, first), (2, None, other)) == []


def test_a_part_read_after_an_edit_is_another_part() -> None:
    part = tool_use("Read", "x", file_path="/app/a.py", offset=1, limit=50)
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    other = tool_use("Edit", "ok", file_path="/app/b.py", old_string="1", new_string="2")
    assert [event.kind for event in events((1, 1, part), (2, None, other + part))] == ["read again"]
    assert events((1, 1, part), (2, None, edit + part)) == []
    assert events((1, 1, part), (1, 1, edit), (2, None, part)) == []
    assert [event.kind for event in events((1, 1, READ), (2, None, edit + part))] == ["read again"]


def test_a_part_in_the_list_is_not_read_again_after_an_edit() -> None:
    part = tool_use("Read", "x", file_path="/app/a.py", offset=1, limit=50)
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    assert len(events((1, 1, READ), (2, None, part))) == 1
    assert len(events((1, 1, READ), (2, None, part + edit + part))) == 1


def test_an_event_has_the_earlier_act_and_its_lines() -> None:
    part = tool_use("Read", "x", file_path="/app/a.py", offset=1, limit=50)
    wrote = tool_use("Write", "ok", file_path="/app/a.py", content="x = 1")
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    for first, again, written, in_part in (
        (READ, READ, False, False),
        (READ, part, False, False),
        (part, READ, False, True),
        (part, part, False, False),
        (wrote, READ, True, False),
        (edit, READ, True, True),
    ):
        (event,) = events((1, 1, first), (2, None, again))
        assert (event.written, event.in_part) == (written, in_part)


def test_a_file_that_another_program_rewrote_is_not_read_again() -> None:
    def shown(text: str, **part: int) -> list[Message]:
        lines = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split(), 1))
        return tool_use("Read", lines, file_path="/app/a.css", **part)

    old, grown, new = "red blue green grey", "red blue green grey pink", "red lime gold cyan navy teal"
    assert len(events((1, 1, shown(old)), (2, None, shown(grown)))) == 1
    assert events((1, 1, shown(old)), (2, None, shown(new))) == []
    # The agent's own change was in the list.
    edit = tool_use("Edit", "ok", file_path="/app/a.css", old_string="1", new_string="2")
    assert len(events((1, 1, shown(old) + edit), (2, None, shown(new)))) == 1
    assert len(events((1, 1, shown("red blue", offset=1, limit=2)), (2, None, shown(grown)))) == 1


def test_a_file_that_is_edited_without_its_text_in_the_list_is_read_again() -> None:
    refused = tool_use(
        "Edit", "File has not been read yet.", file_path="/app/a.py", old_string="1", new_string="2"
    )
    refused[-1].wire["is_error"] = True
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    write = tool_use("Write", "ok", file_path="/app/a.py", content="x = 1")
    for again in (refused + READ, edit + READ, edit + refused + READ):
        assert [event.kind for event in events((1, 1, READ), (2, None, again))] == ["read again"]
    assert events((1, 1, READ), (2, None, write + READ)) == []
    assert events((1, 1, refused), (2, None, READ)) == []


def shown_lines(first: int, last: int, moved: int = 0) -> list[Message]:
    """Return a reading of a file whose lines are moved down by `moved`."""
    lines = "\n".join(f"{number:>6}→line {chr(100 + number)}" for number in range(first, last + 1))
    return tool_use("Read", lines, file_path="/app/a.py", offset=first + moved, limit=last - first + 1)


def test_a_part_that_an_edit_moved_is_found_by_its_text() -> None:
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    for before in (shown_lines(1, 20) + edit, shown_lines(1, 20) + edit + shown_lines(41, 60)):
        (event,) = events((1, 1, before), (2, None, shown_lines(3, 20, moved=30)))
        assert (event.kind, event.in_part) == ("read again", False)
        assert events((1, 1, before), (2, None, shown_lines(61, 80, moved=-58))) == []
    assert (
        events(
            (1, 1, shown_lines(1, 20)),
            (1, None, edit + shown_lines(1, 20, 5)),
            (2, None, shown_lines(2, 20, 9)),
        )
        == []
    )


def test_lines_of_several_parts_are_read_again_after_an_edit() -> None:
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    before = shown_lines(1, 12) + shown_lines(13, 20) + edit
    (event,) = events((1, 1, before), (2, None, shown_lines(1, 20, moved=9)))
    # The earlier part with the most lines is named.
    assert event.earlier is not None
    assert (event.kind, event.earlier.index, event.in_part) == ("read again", 0, False)
    assert events((1, 1, before), (2, None, shown_lines(9, 40, moved=9))) == []
    again = edit + shown_lines(1, 20, moved=9)
    assert events((1, 1, shown_lines(13, 20)), (1, None, shown_lines(1, 12)), (2, None, again)) == []


def test_a_part_in_the_list_does_not_hide_the_rest_of_a_reading() -> None:
    whole = tool_use("Read", shown_lines(1, 80)[1].text, file_path="/app/a.py")
    (first, rest) = events((1, 1, whole), (2, None, shown_lines(1, 10) + shown_lines(10, 60)))
    assert (first.in_part, rest.in_part) == (False, True)
    assert counts_again((first, rest)) == "1 file read again"
    assert len(events((1, 1, whole), (2, None, shown_lines(1, 40) + shown_lines(20, 45)))) == 1


def again_at(compaction: int, kind: AftermathKind, text: str, named: bool = False) -> AftermathEvent:
    return AftermathEvent(compaction, kind, Place(compaction + 1, 3, 9), None, text, 10, named=named)


def test_a_file_that_is_read_six_times_after_a_compaction_counts_once() -> None:
    readings = [
        again_at(1, "read again", path) for path in ("src/pier.py", "/app/src/pier.py", "src/pier.py")
    ]
    others = [
        again_at(1, "read again", "docs/pier.py"),
        again_at(1, "ran again", "src/pier.py"),
        again_at(2, "read again", "src/pier.py"),
        again_at(1, "said again", "Use metres."),
        again_at(1, "said again", "Use metres."),
    ]
    assert done_again([*readings, *others]) == [readings[0], *others]
    assert counts_again(readings) == "1 file read again"


def test_files_that_the_user_names_are_counted_apart() -> None:
    named, unnamed = (again_at(1, "read again", "a.py", named) for named in (True, False))
    other = again_at(1, "read again", "b.py", named=True)
    assert done_again([named, unnamed]) == [unnamed]
    assert counts_again([unnamed, other]) == "2 files read again (1 named by the user)"
    assert counts_again([named, other, again_at(1, "ran again", "ls")]) == (
        "2 files read again (named by the user), 1 command run again"
    )


def test_a_file_that_is_read_and_edited_all_the_time_takes_few_lines_of_work() -> None:
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    parts = [message for at in range(400) for message in (*shown_lines(at % 50 + 1, at % 50 + 200), *edit)]
    assert lines_run(events, (1, 1, parts), (2, None, parts)) < 10_000 * 400


def test_many_files_with_one_name_are_compared_in_linear_time() -> None:
    def compare(count: int) -> None:
        reads = [
            message
            for at in range(count)
            for message in tool_use("Read", f"{at}", file_path=f"/app/{at}/a.py")
        ]
        assert len(events((1, 1, reads), (2, None, reads))) == count

    # The first call compiles the patterns.
    compare(2)
    assert lines_run(compare, 200) < 2.2 * lines_run(compare, 100)


def test_text_written_by_an_edit_is_read_again() -> None:
    text = "\n".join(f"line {chr(100 + number)}" for number in range(1, 21))
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string=text)
    (event,) = events((1, 1, edit), (2, None, shown_lines(2, 18)))
    assert (event.written, event.in_part) == (True, False)
    assert events((1, 1, shown_lines(1, 20)), (2, None, edit + shown_lines(2, 18))) == []


def test_an_act_with_the_whole_file_is_the_earlier_one() -> None:
    part = tool_use("Read", "x", file_path="/app/a.py", offset=1, limit=50)
    wrote = tool_use("Write", "ok", file_path="/app/a.py", content="x = 1")
    (event,) = events((1, 1, wrote + part), (2, None, READ))
    assert (event.written, event.in_part) == (True, False)
    assert event.earlier is not None
    assert event.earlier.index == 0


def test_a_file_that_was_read_between_two_compactions_was_removed_by_the_second() -> None:
    part = tool_use("Read", "line 12\nline 13", file_path="/app/a.py", offset=10, limit=20)
    (_, event) = events((1, 1, READ), (2, 2, part), (3, None, READ))
    assert (event.compaction, event.in_part) == (2, True)
    assert event.earlier is not None
    assert event.earlier.generation == 2


def test_most_lines_that_were_read_between_two_compactions_were_removed_by_the_second() -> None:
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="line x", new_string="y")
    first, part, again = shown_lines(1, 20), shown_lines(8, 20), shown_lines(1, 19)
    (event,) = (
        one
        for one in events((1, 1, first), (2, 2, part + edit), (3, None, again))
        if one.place.generation == 3
    )
    assert (event.compaction, event.in_part) == (2, True)


def test_a_file_that_the_agent_attached_is_in_the_list_until_the_next_compaction() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 21))
    read = tool_use("Read", text, file_path="/app/docs/a.md")
    attached = [Message({"role": "system", "content": f"(file: /app/docs/a.md)\n{text}"})]
    assert events((1, 1, read), (2, None, attached + read)) == []
    (event,) = events((1, 1, read), (2, 2, attached), (3, None, read))
    assert (event.compaction, event.earlier and event.earlier.generation) == (2, 2)


def test_the_calls_of_a_program_are_acts() -> None:
    program = (
        "const r = await Promise.all([\n  tools.exec_command({cmd:\"sed -n '1,9p' a.py\\nprintf '--\\\\n'; cat b.py\","
        "workdir:\"/app\",yield_time_ms:10000}),\n  tools.exec_command({ cmd: 'cat c.py' })]); text(r);"
    )
    found = list(acts_of_call(ToolCall("c", "exec", program)))
    assert [(act.path, act.lines) for act in found if act.kind == "read"] == [
        ("/app/a.py", (1, 9)),
        ("/app/b.py", None),
        ("c.py", None),
    ]
    patch = 'const p = "*** Begin Patch\\n*** Add File: d.py\\n+x\\n*** End Patch"; text(await tools.apply_patch(p));'
    (wrote,) = acts_of_call(ToolCall("c", "exec", patch))
    assert (wrote.kind, wrote.key, wrote.lines) == ("write", "d.py", None)


def test_powershell_reads_a_file_into_a_variable() -> None:
    show = "for($i=12;$i -le 16;$i++){ $lines[$i-1] }"
    line = f"$p='Src\\Boat.lua'; $lines=Get-Content $p; {show}"
    assert ("read", "Src\\Boat.lua", (12, 16)) in acts("shell_command", command=line)
    assert ("read", "a.lua", SOME_LINES) in acts(
        "shell_command", command="$a = Get-Content -Path 'a.lua'; $a[3]"
    )


def test_a_command_is_run_again_where_its_result_cannot_have_changed() -> None:
    lint = tool_use("Bash", "fine", command="make lint")
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    assert [event.kind for event in events((1, 1, lint), (2, None, lint))] == ["ran again"]
    assert events((1, 1, lint), (2, None, edit + lint)) == []
    look = tool_use("Bash", "a.py:1", command="rg -n decimal src")
    assert [event.kind for event in events((1, 1, look), (2, None, edit + look))] == ["ran again"]


def test_a_page_that_a_command_gets_is_fetched_again_where_nothing_has_changed() -> None:
    url = "https://berths.example/plan"
    page, tool = tool_use("Bash", "fine", command=f"curl -s {url}"), tool_use("WebFetch", "fine", url=url)
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    look = tool_use("Read", "x", file_path="/app/b.py")
    for fetched in (page, tool):
        assert [event.kind for event in events((1, 1, fetched), (2, None, look + fetched))] == [
            "fetched again"
        ]
    assert events((1, 1, page), (2, None, edit + page)) == []
    assert [event.kind for event in events((1, 1, page), (2, None, edit + tool))] == ["fetched again"]


def test_a_repository_is_cloned_again_whatever_was_written_since() -> None:
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    first = tool_use("Bash", "Cloning", command="git clone https://berths.example/harbour/lift")
    again = tool_use("Bash", "Cloning", command="git clone https://berths.example/harbour/lift.git lift2")
    assert [event.kind for event in events((1, 1, first), (2, None, edit + again))] == ["fetched again"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Grep", {"pattern": "tide", "path": "src"}),
        ("Task", {"description": "Tides", "prompt": "List all tides.", "subagent_type": "Explore"}),
    ],
)
def test_a_search_or_an_agent_with_the_same_arguments_is_run_again(
    tool: str, arguments: Mapping[str, str]
) -> None:
    edit = tool_use("Edit", "ok", file_path="/app/src/a.py", old_string="1", new_string="2")
    found, others = (tool_use(tool, text, **arguments) for text in ("a.py:1 Error: tide", "none"))
    assert [event.kind for event in events((1, 1, found), (2, None, found))] == ["ran again"]
    assert [event.kind for event in events((1, 1, found), (2, None, edit + found))] == ["ran again"]
    assert events((1, 1, found), (2, None, edit + others)) == []
    assert events((1, 1, found), (2, None, tool_use(tool, "a.py:1", **{**arguments, "more": "1"}))) == []


def test_a_search_of_changed_files_and_a_retry_are_not_run_again() -> None:
    edit = tool_use("Edit", "ok", file_path="/app/src/a.py", old_string="1", new_string="2")
    pull = tool_use("Bash", "done", command="git pull --rebase")
    for command in ("rg -n decimal src", "rg -n decimal", "git grep decimal"):
        look = tool_use("Bash", "a.py:1", command=command)
        assert events((1, 1, look), (2, None, edit + look)) == []
        assert events((1, 1, look), (2, None, pull + look)) == []
    fails = tool_use("Bash", "fatal error: no memory", command="make harbour")
    assert events((1, 1, fails), (2, None, tool_use("Bash", "built", command="make harbour"))) == []


def test_the_same_output_shows_that_a_change_of_unknown_files_changed_nothing() -> None:
    pull = tool_use("Bash", "done", command="git pull --rebase")
    edit = tool_use("Edit", "ok", file_path="/app/src/a.py", old_string="1", new_string="2")

    def ran(command: str, output: str, seconds: float) -> list[Message]:
        return tool_use("exec", f"Wall time: {seconds} seconds\nOutput:\n{output}", command=command)

    look, use, build = "rg -n decimal src", "tide create --help", "tide create"
    for command, between, output, kinds in (
        (look, pull, "a.py:1\nb.py:2", ["ran again"]),
        (look, pull, "a.py:1\nb.py:3", []),
        (look, edit, "a.py:1\nb.py:2", []),
        (use, pull + edit, "a.py:1\nb.py:2", ["ran again"]),
        (use, pull + edit, "a.py:1", []),
        (build, pull, "a.py:1\nb.py:2", []),
    ):
        first, again = ran(command, "a.py:1\nb.py:2", 0.3), ran(command, output, 1.7)
        assert [event.kind for event in events((1, 1, first), (2, None, between + again))] == kinds


def test_a_command_in_the_words_of_a_search_changes_no_files() -> None:
    look = tool_use("Bash", "a.sh:1", command="grep -n 'pnpm add' a.sh")
    for between, kinds in (
        (look, ["ran again"]),
        (tool_use("Bash", "ok", command="echo 'now git pull'"), ["ran again"]),
        (tool_use("Bash", "ok", command="cd /app && pnpm add sails"), []),
        (tool_use("Bash", "ok", command="find . -name sails -execdir pnpm add {} \\;"), []),
        (tool_use("Bash", "ok", command="bash -c 'cd /app; pnpm add sails'"), []),
        (tool_use("Bash", "ok", command="pnpm add sails && echo 'it is done"), []),
    ):
        first = tool_use("Bash", "a.sh:1", command="rg -n berth src")
        found = events((1, 1, first), (2, None, between + first))
        assert [event.kind for event in found] == kinds


@pytest.mark.parametrize(
    "output",
    [
        "Exit code 1\nHarbour tests\nBerth 3 is taken",
        'error: script "lint" exited with code 1',
        "error: expect(received).toBe(expected)",
        "Process exited with code 0\nerror: berth 3 is taken",
        "error: berth 3 is taken\n1309 pass\n0 fail",
    ],
)
def test_an_error_without_a_reason_and_a_success_do_not_fail_again(output: str) -> None:
    assert error_in(output) == ""
    fails = tool_use("Bash", output, command="make test")
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    assert events((1, 1, fails), (2, None, edit + fails)) == []
    code = marked("Bash", "Exit code 1\nHarbour tests", command="make test")
    assert events((1, 1, code), (2, None, edit + code)) == []
    # The exit of two processes that the agent polls.
    poll = marked("process", "(no new output)\n\nProcess exited with signal SIGKILL.", action="poll")
    assert events((1, 1, poll), (2, None, edit + poll)) == []


def test_a_relative_path_is_the_same_file() -> None:
    short = tool_use("Read", "text " * 100, file_path="src/a.py")
    long = tool_use("Read", "text " * 100, file_path="/app/src/a.py")
    assert events((1, 1, short), (2, None, long + short)) == []
    other = tool_use("Read", "text " * 100, file_path="/app/lib/a.py")
    assert [event.kind for event in events((1, 1, short), (2, None, other + short))] == ["read again"]


def test_a_relative_path_belongs_to_the_working_directory_of_its_call() -> None:
    def shown(folder: str, path: str = "README.md") -> list[Message]:
        return tool_use("exec_command", "text " * 100, cmd=f"cat {path}", workdir=folder)

    def moved(folder: str) -> list[Message]:
        return tool_use("Bash", "text " * 100, command=f"cd {folder} && cat README.md")

    quay, pier = shown("/src/quay"), shown("/src/pier")
    assert [event.kind for event in events((1, 1, quay), (2, None, quay))] == ["read again"]
    assert events((1, 1, quay), (2, None, pier)) == []
    assert events((1, 1, quay), (1, None, pier), (2, None, quay)) != []
    assert events((1, 1, moved("/src/quay")), (2, None, moved("/src/pier"))) == []
    assert events((1, 1, moved("'/src/quay'")), (2, None, quay)) != []
    made, other = moved("/src && mkdir quay && cd quay"), moved("/src && mkdir pier && cd pier")
    assert events((1, 1, made), (2, None, other)) == []
    assert [event.kind for event in events((1, 1, made), (2, None, quay))] == ["read again"]
    assert events((1, 1, moved("/src/quay && cat README.md && cd ../pier")), (2, None, other)) != []
    assert events((1, 1, shown("/src", "quay/README.md")), (2, None, quay)) != []
    assert events((1, 1, tool_use("Read", "x", file_path="/src/quay/README.md")), (2, None, quay)) != []
    lint = [
        tool_use("exec_command", "fine", cmd="make lint", workdir=f"/src/{at}") for at in ("quay", "pier")
    ]
    assert events((1, 1, lint[0]), (2, None, lint[1])) == []
    assert [event.kind for event in events((1, 1, lint[0]), (2, None, lint[0]))] == ["ran again"]


def test_routine_and_trivial_commands_are_not_events() -> None:
    lint = tool_use("Bash", "fine", command="make lint")
    assert events((1, 1, lint * 3), (2, None, lint)) == []
    for command in ("ls", "git status", "cd /app && pwd"):
        used = tool_use("Bash", "x", command=command)
        assert events((1, 1, used), (2, None, used)) == []


def test_the_same_error_of_the_same_command_failed_again() -> None:
    fails = tool_use("Bash", "Traceback\nValueError: bad row 17", command="python load.py")
    other = tool_use("Bash", "Traceback\nValueError: bad row 2041", command="python load.py")
    edit = tool_use("Edit", "ok", file_path="/app/a.py", old_string="1", new_string="2")
    assert [event.kind for event in events((1, 1, fails), (2, None, edit + other))] == ["failed again"]


def test_a_file_that_was_there_between_two_failures_did_not_fail_again() -> None:
    missing = tool_use("Read", "Error: ENOENT: no such file: /app/a.md", file_path="/app/a.md")
    fails = [missing[0], Message({**missing[1].wire, "is_error": True})]
    wrote = tool_use("Write", "ok", file_path="/app/a.md", content="x")
    assert [event.kind for event in events((1, 1, fails), (2, None, fails))] == ["failed again"]
    assert events((1, 1, fails + wrote), (2, None, fails)) == []


def marked(name: str, error: str, **arguments: Any) -> list[Message]:
    call, result = tool_use(name, error, **arguments)
    return [call, Message({**result.wire, "is_error": True})]


def test_a_tool_that_is_marked_as_failed_failed_again() -> None:
    click = marked("browser_click", "### Error\nTimeoutError: no click within 5000 ms", ref="e73")
    later = marked("browser_click", "### Error\nTimeoutError: no click within 8000 ms", ref="e51")
    assert [event.kind for event in events((1, 1, click), (2, None, later))] == ["failed again"]
    other = marked("browser_click", "### Error\nThe page is closed now", ref="e51")
    assert events((1, 1, click), (2, None, other)) == []
    refused = marked("browser_click", "The user doesn't want to proceed with this tool use.", ref="e51")
    assert events((1, 1, refused), (2, None, refused)) == []
    permission = marked("ExitPlanMode", "Leave the plan mode?")
    assert events((1, 1, permission), (2, None, permission)) == []


def test_a_question_is_asked_again() -> None:
    first = [Message({"role": "assistant", "content": "Which database should the importer write to?"})]
    again = [
        Message({"role": "assistant", "content": "One thing: which database does the importer write to?"})
    ]
    approval = [
        Message({"role": "assistant", "content": "Should I proceed with the importer database change?"})
    ]
    assert [event.kind for event in events((1, 1, first), (2, None, again))] == ["asked again"]
    assert events((1, 1, approval), (2, None, approval)) == []


@pytest.mark.parametrize(
    "result",
    [
        "<tool_use_error>Cancelled: parallel tool call Bash(du -sh /app) errored</tool_use_error>",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "Cancelled: parallel tool call Read(/app/b.py) errored",
        "[Tool execution cancelled — terminal was skipped due to user interrupt]",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    ],
)
def test_a_cancelled_call_does_nothing(result: str) -> None:
    for name, arguments in (
        ("Read", {"file_path": "/app/a.py"}),
        ("Bash", {"command": "make lint"}),
        ("WebFetch", {"url": "https://a.example"}),
    ):
        made, cancelled = tool_use(name, "fine", **arguments), marked(name, result, **arguments)
        assert events((1, 1, cancelled), (2, None, made)) == []
        assert events((1, 1, made), (2, None, cancelled)) == []
        assert events((1, 1, cancelled), (2, None, cancelled)) == []
        assert len(events((1, 1, made), (2, None, cancelled + made))) == 1


def test_the_questions_of_a_long_sentence_are_found_in_a_few_steps_a_character() -> None:
    text = "Which berth is free " * 100
    assert StepCounter(re.compile(spoken_acts._QUESTION.pattern), 10 * len(text)).search_all(text)
    (question,) = spoken_acts.questions_in(Message({"role": "assistant", "content": f"{text}?"}))
    assert question.text == f"{text}?"[-401:].strip()


def asked(*questions: str) -> list[Message]:
    return [Message({"role": "assistant", "content": question}) for question in questions]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Bạn có muốn tôi cập nhật lịch phà không?", "Bạn có muốn tôi cập nhật giá vé không?"),
        ("Ada lagi yang bisa saya bantu untuk pelabuhan ini?", "Ada lagi yang bisa saya bantu hari ini?"),
        ("还有什么我可以帮您的吗？", "还有什么我可以帮您的吗？"),
        ("How can I help and assist you today?", "How can I help and assist you today?"),
        ("Does this approach work better?", "Does this approach work better?"),
        ("Checked the page `/berths?`: is it the one?", "Checked the page `/tolls?`: is it the one?"),
        ('The program asks: "Overwrite the old berths?" and waits.',) * 2,
        ("It prints:\n```\n? Overwrite the old berths of the pier?\n```\nNow I test it.",) * 2,
        ("Checked with `npm run berths`, see `?pier=1`.", "Checked with `npm run berths`, see `?pier=2`."),
    ],
)
def test_the_form_of_a_question_without_its_subject_is_not_asked_again(first: str, again: str) -> None:
    assert events((1, 1, asked(first)), (2, None, asked(again))) == []


def test_words_of_many_questions_of_one_list_are_their_form() -> None:
    form = "Which colour does the pier of harbour {} get?"
    many = [form.format(name) for name in ("Elm", "Oak", "Ash")]
    assert events((1, 1, asked(*many)), (2, None, asked(form.format("Fir")))) == []
    assert [event.kind for event in events((1, 1, asked(many[0])), (2, None, asked(many[0])))] == [
        "asked again"
    ]


def fact(text: str, things: Iterable[str], *sayings: Saying, kind: Any = "constraint", key: str = "") -> Fact:
    return Fact(key or text, kind, text, "", (), tuple(things), "rule", 5, (0, 0), "user", sayings, 0, 1.0)


def life(of: Fact, *outcomes: Outcome) -> Life:
    return Life(of, 1, tuple(Fate(1 + at, outcome) for at, outcome in enumerate(outcomes)))


def saying(step: int, generation: int, left: int | None) -> Saying:
    return Saying(step, generation, step, 100 + step, "s", "user", (0, 0), left)


def test_statements_that_are_said_in_each_message_need_little_memory() -> None:
    sayings = tuple(saying(step, 1, 1) for step in range(1_000))
    texts = [fact(f"Ring bell {name}.", ["bell", name], *sayings) for name in ("one", "two", "three", "four")]
    tracemalloc.start()
    try:
        events((1, 1, START), facts=ConversationFacts(tuple(texts), ()))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


RULE = fact("Never push to main.", ["push", "main"], saying(0, 1, 1))
PUSH = tool_use("Bash", "ok", command="git push origin main")
START = [Message({"role": "user", "content": RULE.text})]


def test_a_fact_that_a_later_compaction_removed_is_not_behind_an_event() -> None:
    def behind(compaction: int) -> list[str]:
        value = Value("/app/a.py", "path", "/app/a.py", "", True, (0, 9))
        bells = replace(fact("Bells in /app/a.py", ["bell"], saying(0, 1, 1), kind="value"), values=(value,))
        life_since = Life(
            bells, compaction, tuple(Fate(at, "lost") for at in range(compaction, 3)), compaction
        )
        facts = ConversationFacts((bells,), (life_since,))
        return [event.fact for event in events((1, 1, READ), (3, None, READ), facts=facts)]

    assert behind(1) == ["Bells in /app/a.py"]
    assert behind(2) == [""]


@pytest.mark.parametrize(
    ("text", "kind", "outcome", "again"),
    [
        ("Ring twice.", "constraint", "lost", True),
        ("Ring twice.", "preference", "weakened", True),
        ("Ring twice.", "constraint", "uncertain", True),
        ("Ring twice.", "constraint", "paraphrased", False),
        ("Remember, ring twice.", "constraint", "paraphrased", True),
        ("Ring the bell.", "decision", "lost", False),
    ],
)
def test_a_short_rule_repeats_itself(text: str, kind: str, outcome: Outcome, again: bool) -> None:
    words = load_stemmer().words(text)
    told = fact(text, words, saying(0, 1, 1), saying(5, 2, None), kind=kind)
    found = aftermath_of([], ConversationFacts((told,), (life(told, outcome),)))
    assert [(event.kind, event.fact, event.fate) for event in found] == [
        ("said again", text, outcome)
    ] * again


@pytest.mark.parametrize(
    ("earlier", "later", "again"),
    [
        ("Never use the blue crane.", "Never use ropes.", False),
        ("Keep the Dutch signs.", "Keep the old bell.", False),
        ("Answer in Dutch.", "The tide page must be in Dutch.", False),
        ("Never ring the bell.", "You must ring the bell.", False),
        ("Always keep our signs in Dutch.", "Keep our signs in Dutch.", True),
    ],
)
def test_a_short_lost_rule_is_repeated_by_nearly_the_same_words(
    earlier: str, later: str, again: bool
) -> None:
    words = load_stemmer().words
    first = fact(earlier, words(earlier), saying(0, 1, 1))
    second = fact(later, words(later), saying(5, 2, None))
    found = aftermath_of([], ConversationFacts((first, second), (life(first, "lost"),)))
    assert [event.fact for event in found] == [earlier] * again


@pytest.mark.parametrize(
    ("words", "outcome", "repeats"),
    [
        ("no, read the identity part and say what it wrote", "lost", True),
        ("no, read the identity part and say what it wrote", "uncertain", True),
        ("no, read the identity part and say what it wrote", "paraphrased", False),
        ("read the identity part and say what it wrote", "lost", False),
    ],
)
def test_a_correction_repeats_a_lost_request(words: str, outcome: Outcome, repeats: bool) -> None:
    stemmer = load_stemmer()
    wish = "just like the identity part: read the chart, see how it wrote that, and sail the same"
    first = fact(wish, stemmer.words(wish), saying(0, 1, 1), kind="statement")
    later = fact(words, stemmer.words(words), saying(5, 2, None), kind="statement")
    found = aftermath_of([], ConversationFacts((first, later), (life(first, outcome),)))
    assert [(event.kind, event.fact) for event in found] == [("said again", wish)] * repeats


@pytest.mark.parametrize(
    ("words", "again"),
    [
        ("我之前问过泊位图是否包含所有泊位的水深，你说是的。", True),
        ("泊位图包含哪些泊位的水深？", False),
        ("我说过了，水深写在港口的表里。", False),
    ],
)
def test_a_correction_repeats_an_uncertain_question(words: str, again: bool) -> None:
    stemmer = load_stemmer()
    question = "泊位图就包含所有泊位的水深吗？"
    first = fact(question, stemmer.words(question), saying(0, 1, 1), kind="statement")
    first = replace(first, rule="zh.question")
    later = fact(words, stemmer.words(words), saying(5, 3, None), kind="statement")
    found = aftermath_of([], ConversationFacts((first, later), (life(first, "verbatim", "uncertain"),)))
    assert [(event.kind, event.compaction, event.fact, event.fate) for event in found] == [
        ("said again", 1, question, "uncertain")
    ] * again


@pytest.mark.parametrize(("time", "again"), [("18:00", True), ("20:39", False)])
def test_a_line_with_another_time_is_not_said_again(time: str, again: bool) -> None:
    words = ["tide", "berth", "gate", "open"]
    first, later = (
        replace(
            fact("Tide gate of berth 4 opened", words, where, kind="value", key=str(where.step)),
            values=(
                Value("4", "number", "4", "", False, (0, 1)),
                Value(clock, "time", clock, "", False, (1, 6)),
            ),
        )
        for where, clock in ((saying(0, 1, 1), "18:00"), (saying(5, 2, None), time))
    )
    found = aftermath_of([], ConversationFacts((first, later), (life(first, "lost"),)))
    assert [event.kind for event in found] == ["said again"] * again


@pytest.mark.parametrize(
    ("outcomes", "left", "again"),
    [
        (("lost", "lost"), 1, True),
        (("paraphrased", "lost"), 1, True),
        (("lost", "paraphrased"), 1, False),
        (("lost", "lost"), None, False),
    ],
)
def test_a_lost_address_is_said_again(outcomes: tuple[Outcome, ...], left: int | None, again: bool) -> None:
    address = "https://harbour.org/tide/20990"
    value = Value(address, "url", address, "", True, (0, len(address)))
    told = fact(address, (), saying(0, 1, left), saying(5, 3, None), kind="value")
    told = replace(told, values=(value,))
    first_lost = outcomes.index("lost") + 1
    lived = replace(life(told, *outcomes), died=first_lost)
    found = aftermath_of([], ConversationFacts((told,), (lived,)))
    assert [(event.kind, event.compaction, event.fact) for event in found] == [
        ("said again", first_lost, address)
    ] * again


def test_an_act_against_a_lost_rule_is_tied_to_it() -> None:
    facts = ConversationFacts((RULE,), (life(RULE, "lost"),))
    (event,) = events((1, 1, START), (2, None, PUSH), facts=facts)
    assert (event.kind, event.fact, event.fate, event.earlier) == ("against a rule", RULE.text, "lost", None)
    assert event.breaks_rule


def test_a_command_that_writes_a_forbidden_file_is_one_event() -> None:
    rule = fact("Never edit tides/log.cfg.", ["edit"], saying(0, 1, 1))
    facts = ConversationFacts((rule,), (life(rule, "lost"),))
    command = "sed -i s/1/2/ tides/log.cfg"
    (event,) = events((1, 1, START), (2, None, tool_use("Bash", "ok", command=command)), facts=facts)
    assert (event.kind, event.text) == ("against a rule", command)


def test_a_rule_that_names_a_file_does_not_explain_its_second_reading() -> None:
    path = Value("a.py", "file", "a.py", "", True, (0, 4))
    rule = replace(fact("a.py must stay short.", ["stay", "short"], saying(0, 1, 1)), values=(path,))
    link = replace(rule, kind="statement", key="told", text="a.py has the tide tables.")
    for one, text in ((rule, ""), (link, link.text)):
        facts = ConversationFacts((one,), (life(one, "lost"),))
        (event,) = events((1, 1, READ), (2, None, READ), facts=facts)
        assert (event.kind, event.fact, event.breaks_rule) == ("read again", text, False)


def test_an_act_against_a_rule_that_the_list_still_has_is_no_loss(capsys: pytest.CaptureFixture[str]) -> None:
    kept = ConversationFacts((RULE,), (life(RULE, "paraphrased"),))
    (event,) = events((1, 1, START), (2, None, PUSH), facts=kept)
    assert (event.kind, event.fact, event.fate) == ("against a kept rule", RULE.text, "paraphrased")
    assert event.earlier == Place(1, 0, 100)
    assert event.is_kept
    assert not event.breaks_rule
    assert counts_again([event]) == "1 act against a rule that the list still has"
    row = ConversationRow("s", "s", "Tides", "", "", ("s",), 1, 1, 0.0, 0.0)
    print_aftermath([(row, Aftermath(1, 0, (event,)))])
    shown = capsys.readouterr().out
    assert "stated at #0 of generation 1" in shown
    assert f"the list still has it, paraphrased: {RULE.text}" in shown


def test_a_rule_in_a_kept_message_is_still_in_the_list() -> None:
    stays = replace(RULE, sayings=(saying(0, 1, None),))
    (event,) = events((1, None, START), (2, None, PUSH), facts=ConversationFacts((stays,)))
    assert (event.kind, event.fate) == ("against a kept rule", "verbatim")
    assert events((1, None, START + PUSH), facts=ConversationFacts((stays,))) == []


@pytest.mark.parametrize("outcome", ["paraphrased", "lost"])
@pytest.mark.parametrize(
    ("question", "words", "broken"),
    [
        ("", "Push it, the tests pass.", False),
        ("", "Put it on main now.", False),
        ("", "The branch is main.", False),
        ("", "现在推送到main吧。", False),
        ("Shall I push it to main now?", "yes", False),
        ("", "Go on, but don't push.", True),
        ("", "Now write the tide tables.", True),
    ],
)
def test_a_rule_that_a_later_message_may_lift_is_not_broken(
    outcome: Outcome, question: str, words: str, broken: bool
) -> None:
    facts = ConversationFacts((RULE,), (life(RULE, outcome),))
    asked = [Message({"role": "assistant", "content": question})] if question else []
    later = [*asked, Message({"role": "user", "content": words}), *PUSH]
    kinds = {event.kind for event in events((1, 1, START), (2, None, later), facts=facts)}
    assert bool(kinds & {"against a rule", "against a kept rule"}) == broken


def test_a_rule_of_unknown_fate_or_said_again_or_broken_before_is_not_reported() -> None:
    for outcome in ("uncertain", "unknown"):
        unclear = ConversationFacts((RULE,), (life(RULE, outcome),))
        assert events((1, 1, START), (2, None, PUSH), facts=unclear) == []
    lost = ConversationFacts((RULE,), (life(RULE, "lost"),))
    assert events((1, 1, START + PUSH), facts=lost) == []
    again = fact(RULE.text, RULE.things, saying(0, 1, 1), saying(1, 2, None))
    reminded = ConversationFacts((again,), (life(again, "lost"),))
    assert [e.kind for e in events((1, 1, START), (2, None, START + PUSH), facts=reminded)] != [
        "against a rule"
    ]


@pytest.mark.parametrize(("step", "reported"), [(1, False), (9, True)])
def test_a_later_change_of_a_rule_does_not_excuse_an_earlier_act(step: int, reported: bool) -> None:
    change = Contradiction("You can push to main.", "", saying(step, 2, None))
    facts = ConversationFacts((RULE,), (replace(life(RULE, "lost"), contradicted=change),))
    found = events((1, 1, START), (2, None, [*START, *PUSH]), facts=facts)
    assert [event.kind for event in found] == ["against a rule"] * reported


def test_a_rule_said_again_is_one_event_of_the_message() -> None:
    words = ["csv", "order", "column", "chang"]
    first = fact("Do not change the order of the CSV columns.", words, saying(0, 1, 1))
    later = fact("The order of the CSV columns must not change.", words, saying(4, 2, None), key="later")
    facts = ConversationFacts((first, later), (life(first, "lost"),))
    (event,) = aftermath_of([], facts)
    assert (event.kind, event.place.index, event.fact, event.fate) == ("said again", 4, first.text, "lost")


def test_a_statement_still_in_the_list_is_not_said_again() -> None:
    words = ["csv", "order", "column", "chang"]
    first = fact("Do not change the order of the CSV columns.", words, saying(0, 1, None))
    later = fact("The order of the CSV columns must not change.", words, saying(4, 2, None), key="later")
    assert aftermath_of([], ConversationFacts((first, later), ())) == ()


TIDES = "Give me the tide tables of the harbour."


@pytest.mark.parametrize(
    ("kind", "rule", "earlier", "later", "again"),
    [
        ("constraint", "rule", TIDES, TIDES, True),
        ("decision", "rule", TIDES, TIDES, False),
        ("decision", "rule", "Print the tide tables in metres.", "I told you: tide tables in metres.", True),
        (
            "statement",
            "en.told",
            "I ran the ferry test, boats still collide.",
            "Again, ferry test: boats collide.",
            False,
        ),
        (
            "statement",
            "en.question",
            "Did you test the ferry lights?",
            "Test the ferry lights, I asked before.",
            True,
        ),
    ],
)
def test_a_request_needs_words_of_a_correction_and_a_report_repeats_nothing(
    kind: str, rule: str, earlier: str, later: str, again: bool
) -> None:
    words = load_stemmer().words
    first = replace(fact(earlier, words(earlier), saying(0, 1, 1), kind=kind, key="first"), rule=rule)
    second = fact(later, words(later), saying(4, 2, None), kind=kind, key="later")
    assert bool(aftermath_of([], ConversationFacts((first, second), ()))) == again


def test_the_words_of_a_command_that_compacts_repeat_nothing() -> None:
    told = fact("Keep the bell.", ["keep", "bell"], saying(0, 1, 1), saying(5, 2, 2), kind="preference")
    facts = ConversationFacts((told,), (life(told, "lost"),))
    for text, again in (("/compact keep the bell", False), ("keep the bell", True)):
        steps = steps_with_acts([(Step(5, 2, 5, 105, 2), Message({"role": "user", "content": text}))])
        assert [event.kind for event in aftermath_of(steps, facts)] == ["said again"] * again


def test_a_line_of_a_long_document_is_not_said_again() -> None:
    rule = "Never lower the old bridge before the last ferry has left the harbour."
    words = list(load_stemmer().words(rule))
    first = fact(rule, words, saying(0, 1, 1), key="first")
    second = fact(rule, words, saying(4, 2, None), key="later")
    others = tuple(fact(f"Line {n}", [f"line{n}"], saying(0, 1, 1)) for n in range(20))
    assert len(aftermath_of([], ConversationFacts((first, second), ()))) == 1
    assert aftermath_of([], ConversationFacts((first, second, *others), ())) == ()


def test_a_text_that_a_command_sends_again_is_not_said_again() -> None:
    rules = [f"Never lower bridge {n} before the last ferry has left the harbour." for n in range(5)]
    words = load_stemmer().words
    sent = [fact(rule, words(rule), saying(0, 1, 1), saying(4, 2, None)) for rule in rules]
    assert aftermath_of([], ConversationFacts(tuple(sent), ())) == ()
    assert len(aftermath_of([], ConversationFacts(tuple(sent[:2]), ()))) == 1
    other = fact("Close the lock at noon.", ["lock", "noon"], saying(4, 2, None))
    assert len(aftermath_of([], ConversationFacts((*sent, other), ()))) == 1


@pytest.mark.parametrize(
    ("words", "complains"),
    [
        ("For the second time, leave the lighthouse alone.", True),
        ("I told you to leave the lighthouse alone.", True),
        ("As I said, ships come first.", True),
        ("How many times do I have to say it?", True),
        ("我已经说过了,先刷灯塔。", True),
        ("我跟你說過了,先刷燈塔。", True),
        ("告诉你多少遍了,先刷灯塔。", True),
        ("Em dùng sơn đỏ đi, anh đã dặn rồi mà", True),
        ("The paint peeled for the second time.", False),
        ("I told the harbour master about it.", False),
        ('The captain wrote "I told you so" in the log.', False),
        ("Paint it again with two coats.", False),
        ("还是先刷灯塔吧。", False),
    ],
)
def test_a_complaint_of_repetition_is_an_event(words: str, complains: bool) -> None:
    said = [Message({"role": "user", "content": words})]
    found = events((1, 1, START), (2, None, said))
    assert [(event.kind, event.text, event.fact) for event in found] == [
        ("told before", words, "")
    ] * complains
    assert events((1, None, said)) == []


#: Statements of messages at these steps; the complaint is at step 9, in the second list.
TOLD: tuple[tuple[int, str], ...] = (
    (0, "Keep the ferry lights of pier Aldra green."),
    (2, "Paint pier Aldra."),
    (3, "Sweep pier Aldra."),
    (4, "Measure pier Aldra."),
    (5, "Draw pier Aldra."),
)


@pytest.mark.parametrize(
    ("complaint", "outcome", "kind", "behind"),
    [
        ("I told you, green lights for the ferry.", "paraphrased", "told before", TOLD[0][1]),
        ("I told you, green lights for the ferry.", "uncertain", "said again", TOLD[0][1]),
        ("I told you, green lights for the ferry.", "lost", "said again", TOLD[0][1]),
        ("I told you how I want pier Aldra.", "lost", "told before", ""),
    ],
)
def test_a_complaint_is_linked_by_rare_words(
    complaint: str, outcome: Outcome, kind: str, behind: str
) -> None:
    words = load_stemmer().words
    told = [fact(text, words(text), saying(step, 1, 1), key=text) for step, text in TOLD]
    later = fact(complaint, words(complaint), saying(9, 2, None), key="later")
    steps = steps_with_acts([(Step(9, 2, 9, 109, None), Message({"role": "user", "content": complaint}))])
    facts = ConversationFacts((*told, later), tuple(life(each, outcome) for each in told))
    (event,) = aftermath_of(steps, facts)
    assert (event.kind, event.fact, event.fate) == (kind, behind, outcome if behind else "")
    assert (event.earlier is not None) == bool(behind)


def test_a_complaint_about_a_statement_of_the_same_list_is_left_out() -> None:
    words = load_stemmer().words
    text = "I told you, green lights for the ferry."
    first = fact(TOLD[0][1], words(TOLD[0][1]), saying(5, 2, None), key="first")
    later = fact(text, words(text), saying(9, 2, None), key="later")
    steps = steps_with_acts([(Step(9, 2, 9, 109, None), Message({"role": "user", "content": text}))])
    assert aftermath_of(steps, ConversationFacts((first, later), ())) == ()


def test_a_correction_with_words_of_many_messages_repeats_nothing() -> None:
    words = load_stemmer().words
    text = "No, the pier Aldra sign is wrong."
    told = [fact(line, words(line), saying(step, 1, 1), key=line) for step, line in TOLD]
    first = fact("Aldra pier: wrong.", words("Aldra pier: wrong."), saying(6, 1, 1), key="first")
    tides = [fact(f"Wrong tide {n}.", ["wrong", "tide"], saying(7 + n, 1, 1), key=f"{n}") for n in range(4)]
    later = fact(text, words(text), saying(12, 2, None), key="later")
    for others, again in (((), True), ((*told, *tides), False)):
        facts = ConversationFacts((*others, first, later), (life(first, "lost"),))
        assert [event.fact for event in aftermath_of([], facts)] == [first.text] * again


def labelled(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    ]


def test_acts_against_rules_are_recognized() -> None:
    """Labels by a reader who had not seen the rules. A false accusation is worse than a missed one."""
    right = wrong = broken = 0
    for row in labelled("rule_acts.jsonl"):
        arguments = row["arguments"]
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        done = list(acts_of_call(ToolCall("c", row["tool"], text)))
        reported = any(rule.forbids(act) for rule in prohibitions_of(row["rule"]) for act in done)
        right += reported and row["violates"]
        wrong += reported and not row["violates"]
        broken += row["violates"]
    assert wrong <= 2, f"{wrong} acts are called forbidden and are not"
    assert right >= 0.65 * broken, f"{right} of {broken} forbidden acts are recognized"


@pytest.mark.parametrize(
    ("rule", "command", "forbidden"),
    [
        ("Do not deploy", "ls deploy/", False),
        ("Do not deploy", "cat deploy.md", False),
        ("Do not deploy", "docker compose -f deploy/compose.yml config", False),
        ("Do not deploy", "./scripts/deploy.sh --env staging", True),
        ("Do not deploy", "bash scripts/deploy.sh", True),
        ("Do not deploy", "npm run deploy:staging", True),
        ("Never push to main", "git commit -m 'push main docs'", False),
        ("Never push to main", "git -C app push origin main", True),
        ("Don't push", "git stash push", False),
        (
            "`dist/pier.js` and `dist/quay.js` are built. Never commit them",
            "git commit -am 'Draw the quay'",
            False,
        ),
        ("`dist/pier.js` and `dist/quay.js` are built. Never commit them", "git add dist/quay.js", True),
        ("The drafts are not ready. Do not commit them", "git commit -am 'Draw the quay'", False),
        ("Do not commit it", "git commit -am 'Draw the quay'", True),
        ("Don't push", "git push", True),
        ("Never drop tables", "grep -rn drop tables", False),
        ("Never drop tables", "psql <<EOF\nDROP TABLE tides;\nEOF", True),
        ("Never touch .env", "echo x > .env", True),
        ("Never touch .env", "echo 'x > .env'", False),
        ("Never edit the Makefile", "echo x >> Makefile", True),
        ("Never edit the Makefile", "echo x >Makefile", True),
        ("Never edit the Makefile", "make lint > log", False),
        ("Never edit the Makefile", "cat Makefile", False),
        ("Never edit a.cfg", "sed -i.bak s/1/2/ a.cfg", True),
        ("Never edit a.cfg", "sed -n 1,5p a.cfg", False),
        ("Never edit a.cfg", "echo x > a.cfg", True),
        ("Never edit a.cfg", "echo 'x > a.cfg'", False),
        ("Never edit a.cfg", "cat > b.md <<'EOF'\nx > a.cfg\nEOF", False),
        ("Do not edit files outside src/", "echo x > src/a.py", False),
        ("Do not edit files outside src/", "echo x > /app/docs/a.md", True),
        ("If the tests fail, do not push", "git push", False),
        ("Fix it when you can. Do not push", "git push", True),
        ("Do not commit secrets", "git commit -m 'Remove secrets'", False),
        ("Do not commit secrets", "git commit secrets", True),
    ],
)
def test_a_command_acts_by_its_verb(rule: str, command: str, forbidden: bool) -> None:
    done = list(acts_of_call(call("Bash", command=command)))
    assert any(one.forbids(act) for one in prohibitions_of(rule) for act in done) == forbidden


@pytest.mark.parametrize(
    ("rule", "forbidden"),
    [("Order over control: guide them.", False), ("Prefer `order` over control.", True)],
)
def test_a_motto_forbids_nothing(rule: str, forbidden: bool) -> None:
    (wrote,) = acts_of_call(
        call("write", file_path="/app/MEMORY.md", content="The council has control (of six).")
    )
    assert any(one.forbids(wrote) for one in prohibitions_of(rule)) == forbidden


def test_statements_said_again_are_recognized() -> None:
    stemmer = load_stemmer()
    right = wrong = same = 0
    for row in labelled("said_again.jsonl"):
        first, later = (
            replace(
                fact(row[name], stemmer.words(row[name]), where, key=name), values=tuple(values_of(row[name]))
            )
            for name, where in (("earlier", saying(0, 1, 1)), ("later", saying(4, 2, None)))
        )
        reported = bool(aftermath_of([], ConversationFacts((first, later), (life(first, "lost"),))))
        right += reported and row["same"]
        wrong += reported and not row["same"]
        same += row["same"]
    assert wrong <= 1
    assert right >= 0.7 * same, f"{right} of {same} repetitions are recognized"


def test_events_of_a_compaction_are_printed_together(capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = (tool_use("Read", "text " * 100, file_path=f"/app/{name}.py") for name in "abc")
    found = events((1, 1, one + three), (2, 2, two), (3, None, one + two + three))
    assert [event.compaction for event in found] == [1, 2, 1]
    row = ConversationRow("s", "s", "Tides", "", "", ("s",), 1, 1, 0.0, 0.0)
    print_aftermath([(row, Aftermath(3, 0, tuple(found)))])
    headings = [line.split("  ")[1:] for line in capsys.readouterr().out.splitlines() if "Tides" in line]
    assert headings == [
        ["compaction 1: 2 files read again"],
        ["compaction 2: 1 file read again"],
    ]


@pytest.mark.parametrize(
    ("text", "is_complaint"),
    [
        ("You forgot the port again.", True),
        ("You seem to have lost context of the harbour.", True),
        ("你又遗忘了港口。", True),
        ("你不能遗忘港口。", False),
        ("no, you missed the point.", True),
        ("You missed a berth.", False),
        ("no, the ferry is off remember?", True),
        ("Don't you remember the plan?", True),
        ("You can't remember the plan for one hour.", True),
        ("You cannot remember anything.", True),
        ("Did I not tell you to keep the log?", True),
        ("If you forgot the code of the lock, ask the pilots.", False),
        ("What if you can't remember the code?", False),
        ('The label says "you forgot the port"; write it smaller.', False),
        ("Write 'Did you forget your key?' on the door", False),
        ("> you forgot the port\n\nWhat does he mean?", False),
        ("Sum up this chat:\n```\nAda: you forgot the port\nBob: sorry\n```", False),
        ("<system-reminder>\nDo you remember the plan?\n</system-reminder>\nGo on.", False),
        ("你怎么什么都不记得？", True),
        ("We were just talking about the tides, what do you have?", True),
        ("We were talking about the tides with the pilots.", False),
        ("你又忘了写测试", True),
        ("我不是让你每天推送吗", True),
        ("Add what I need to remember", False),
        ("Remember to write tests.", False),
        ("Never forget the port.", False),
        ("你不要忘记写测试", False),
        ("实现找回密码", False),
    ],
)
def test_a_user_who_complains_that_the_agent_forgot(text: str, is_complaint: bool) -> None:
    for by_program in (False, True):
        one = Message({"role": "user", "content": text}, by_program=by_program)
        steps = [(Step(number, number + 1, 0, number + 1, None), one) for number in range(2)]
        events = aftermath_of(steps_with_acts(steps), ConversationFacts((), ()))
        assert [(event.kind, event.compaction, event.place.generation) for event in events] == (
            [("forgot", 1, 2)] if is_complaint and not by_program else []
        )


@pytest.mark.parametrize(
    ("text", "admits"),
    [
        ("I'm here. The context got compacted, so I'm starting fresh.", True),
        ("The chart was in our talk before the compaction, and I lost it.", True),
        ("对话被压缩了，我看不到之前的潮汐表。", True),
        ("The compaction is at 80%, so I keep the chart short.", False),
        ("I lost the boat at the pier. Then the log was compacted.", False),
        ("```\nthe compaction wiped the chart\n```", False),
        ("You said: “the compaction wiped the chart”.", False),
    ],
)
def test_an_agent_admits_what_it_lacks_since_a_compaction(text: str, admits: bool) -> None:
    answer = [Message({"role": "assistant", "content": text})]
    found = events((1, 1, answer), (2, None, answer))
    assert [(event.kind, event.place.index) for event in found] == [("admitted", 1)] * admits
