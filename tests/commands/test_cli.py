"""The commands: answers, exit codes, messages. JSON goes to standard output, notes go to standard error."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.commands import cli
from inspector.core.errors import StoreDamaged
from inspector.stores.kimi_code.reader import KimiCodeReader
from inspector.stores.recorded import Recorded, Source
from tests.stores import writer
from tests.stores.kimi_code_session import KimiCodeSession
from widgets.base import human

ROOT = Path(__file__).resolve().parents[2]
ROTATING = "Move checkout to orders-v2"
IN_PLACE = "Nightly orders import loses rows"


class Done:
    """Exit code and output of a command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def json(self) -> Any:
        return json.loads(self.out)


def run(*words: str, env: dict[str, str] | None = None) -> Done:
    """Run a command in this process, as `main` does."""
    runner = CliRunner()

    def call() -> None:
        cli.main(list(words))

    with runner.isolation(env=env) as streams:
        try:
            call()
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = streams[0].getvalue(), streams[1].getvalue()
    return Done(code, out.decode("utf-8"), err.decode("utf-8"))


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HERMES_HOME", raising=False)


@pytest.mark.parametrize("words", [["--demo"], ["--demo", ROTATING]])
def test_an_unknown_theme_is_a_usage_error_with_or_without_a_terminal(words: list[str]) -> None:
    refused = run(*words, "--theme", "inspectro-dark")
    assert (refused.code, refused.out) == (2, "")
    assert "no theme 'inspectro-dark'; there are inspector-dark, inspector-light" in refused.err
    for name in ("inspector-light", "nord"):
        assert run(*words, "--theme", name).code == 0


def test_a_setting_that_the_profile_does_not_use_is_shown_as_unused() -> None:
    codex = ("--demo", "--profile", "codex")
    grid = ("--threshold", "0.5,0.9", "--target-ratio", "0.2,0.4")
    swept = run("sweep", *codex, IN_PLACE, *grid, "--json")
    assert swept.json()["unused"] == ["target_ratio is not used by codex: the kept messages are as observed."]
    assert "target_ratio is not used by codex" in swept.err
    several = run("sweep", "--demo", IN_PLACE, "Reef charts", *grid, "--json").json()["unused"]
    assert "(1 of 2 conversations): the kept messages" in several[0]
    planned = run(
        "plan", str(ROOT / "fixtures" / "fastapi-example.json"), *codex[1:], "--protect-last-n", "9"
    )
    assert "--protect-last-n is not used by codex" in planned.err
    assert "codex: threshold 189,474" in planned.out, "nobody set another"
    shown = run("show", *codex, IN_PLACE, "--threshold-cap", "9000")
    assert "--threshold-cap is not used by codex: there is no such rule." in shown.err


@pytest.mark.parametrize(
    "words", [("compactions",), ("watch", "--once"), ("findings",), ("export", "--to", "x.db")]
)
def test_a_setting_out_of_range_is_refused_before_anything_is_printed(words: tuple[str, ...]) -> None:
    refused = run(*words, "--demo", "--threshold", "7")
    assert (refused.code, refused.out) == (2, "")
    assert "--threshold is 7; it must lie between 0.01 and 1" in refused.err
    assert not Path("x.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--demo", "--json", "--format", "junit"),
        ("requests", "--demo", ROTATING, "--sums", "--sent", "1"),
    ],
)
def test_two_output_forms_are_refused(words: tuple[str, ...]) -> None:
    refused = run(*words)
    assert (refused.code, refused.out) == (2, "")
    assert "not both" in refused.err


@pytest.mark.parametrize("command", ["search", "trace"])
def test_a_text_that_looks_like_a_path_is_found_in_the_bundled_sessions(command: str) -> None:
    found = run(command, "--demo", "/orders-raw", "--json")
    assert found.code == 0
    assert found.json()
    assert run(command, "--demo", "/orders-raw", "x").code == 2


def test_a_summary_is_not_compared_with_itself_unless_both_are_named() -> None:
    pairs = [(step["from"], step["to"]) for step in run("diff", "--demo", ROTATING, "--json").json()]
    assert pairs == [(1, 2), (2, 3), (3, 4)]
    for words, pair in ((("--to", "2"), (1, 2)), (("--from", "2"), (2, 4))):
        (step,) = run("diff", "--demo", ROTATING, *words, "--json").json()
        assert (step["from"], step["to"]) == pair
    first, last = (run("diff", "--demo", ROTATING, *words) for words in (("--to", "1"), ("--from", "4")))
    assert (first.code, last.code) == (2, 2)
    assert "No summary precedes that of compaction 1" in first.err
    assert "No summary follows that of compaction 4" in last.err


def test_a_grid_of_equal_cells_has_no_best_cell() -> None:
    grid = ("--threshold", "0.94,0.95", "--target-ratio", "0.2,0.21")
    words = ("sweep", "--demo", "Read the vendor's limits", *grid)
    best = run(*words, "--json").json()["best"]
    assert best["compactions"]["all_equal"] is True
    output = run(*words).out
    table = output.partition("compactions ")[2].partition("\n\n")[0]
    assert "all cells are equal" in table
    assert "*" not in table
    other = run("sweep", "--demo", ROTATING, "--threshold", "0.5,0.9", "--target-ratio", "0.1,0.5")
    assert "marked *" in other.out
    assert "*\n" in other.out.replace(" ", "")


def test_conversations_have_the_keys_of_the_contract() -> None:
    found = {entry["title"]: entry for entry in run("conversations", "--demo", "--json").json()}
    entry = found[ROTATING]
    assert entry["sessions"][0] == entry["root"]
    assert entry["sessions"][-1] == entry["id"]
    assert (entry["generations"], entry["compactions"], entry["profile"]) == (5, 4, "hermes-0.13")
    assert entry["context_length"] == 128_000
    assert found[IN_PLACE]["sessions"] == [found[IN_PLACE]["id"]]
    assert found["Read the vendor's limits"]["kind"] == "sub-agent"


def test_show_marks_regions_by_its_boundaries() -> None:
    answer = run("show", "--demo", ROTATING, "--generation", "2", "--json").json()
    head, tail = answer["head_end"], answer["tail_start"]
    assert answer["recorded"]["head_end"] == head
    assert [m["region"] for m in answer["messages"]] == [
        "head" if i < head else "middle" if i < tail else "tail" for i in range(len(answer["messages"]))
    ]
    assert answer["tokens"]["rough"] >= answer["threshold_tokens"]
    assert sum(m["summary"] for m in answer["messages"]) == 1
    assert all("\x1b" not in m["text"] for m in answer["messages"])


@pytest.mark.parametrize("name", ["hermes-0.13-rotating", "hermes-0.19-in-place"])
def test_compactions_equal_the_bundled_truth(name: str) -> None:
    check(ROOT / "fixtures" / f"{name}.db", ROOT / "fixtures" / f"{name}.db.truth.json")


def check(path: Path, truth: Path) -> None:
    for session in json.loads(truth.read_text(encoding="utf-8"))["sessions"]:
        found = run("compactions", str(path), session["tip"], "--json").json()
        assert len(found) == len(session["events"])
        for entry, event in zip(found, session["events"], strict=True):
            for key in ("session", "before", "after", "head_end", "tail_start", "fallback"):
                assert entry[key] == event[key], key
            assert entry["tokens_before"] == event["tokens"]
            assert entry["planned"]["agrees"], entry["planned"]


def test_a_conversation_is_named_by_id_prefix_and_title() -> None:
    (entry,) = [e for e in run("conversations", "--demo", "--json").json() if e["title"] == ROTATING]
    expected = run("compactions", "--demo", ROTATING, "--json").json()
    for name in (entry["id"], entry["root"], entry["id"][:-2]):
        assert run("compactions", "--demo", name, "--json").json() == expected


def test_without_a_path_hermes_home_is_read(tmp_path: Path) -> None:
    shutil.copy(ROOT / "fixtures" / "hermes-0.13-rotating.db", tmp_path / "state.db")
    found = run("conversations", "--json", env={"HERMES_HOME": str(tmp_path)})
    assert ROTATING in {entry["title"] for entry in found.json()}


def test_the_config_beside_the_database_counts_and_a_flag_beats_it(tmp_path: Path) -> None:
    path = Path(shutil.copy(ROOT / "fixtures" / "hermes-0.13-rotating.db", tmp_path / "state.db"))
    (tmp_path / "config.yaml").write_text("compression: {threshold: 0.9}\n", encoding="utf-8")
    answer = run("show", str(path), ROTATING, "--json").json()
    assert answer["threshold_tokens"] == 115_200
    assert "config.yaml" in answer["settings"]["sources"]["threshold"]
    answer = run("show", str(path), ROTATING, "--threshold", "0.8", "--json").json()
    assert answer["threshold_tokens"] == 102_400
    assert answer["settings"]["sources"]["threshold"] == "--threshold"


def bad(tmp_path: Path) -> dict[str, list[str]]:
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("no database " * 100)
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "wrong.json").write_text('{"a": 1}')
    (tmp_path / "bad.yaml").write_text("a: [")
    demo = str(ROOT / "fixtures" / "hermes-0.13-rotating.db")
    return {
        "missing": ["conversations", str(tmp_path / "none.db")],
        "directory": ["conversations", str(tmp_path)],
        "empty": ["conversations", str(tmp_path / "empty.db")],
        "text": ["conversations", str(tmp_path / "text.db")],
        "unknown": ["show", demo, "no such conversation"],
        "json": ["plan", str(tmp_path / "bad.json")],
        "no list": ["plan", str(tmp_path / "wrong.json")],
        "no file": ["plan", str(tmp_path / "none.json")],
        "config": ["show", demo, ROTATING, "--config", str(tmp_path / "bad.yaml")],
    }


@pytest.mark.parametrize(
    "kind",
    [
        "missing", "directory", "empty", "text", "unknown", "json", "no list", "no file", "config",
    ],
)  # fmt: skip
def test_a_user_error_is_a_message_and_exit_code_1(kind: str, tmp_path: Path) -> None:
    done = run(*bad(tmp_path)[kind])
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("compaction-inspector: ")
    assert done.err.rstrip().endswith(".")
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "words",
    [
        ["show", "--demo", ROTATING, "--threshold", "7"],
        ["show", "--demo", ROTATING, "--profile", "none"],
        ["show", "--demo"],
        ["conversations", "--demo", "state.db"],
        ["show", "--demo", "./state.db", ROTATING],
        ["--demo", "./state.db"],
        ["losses", "--demo", "--limit", "0"],
        ["show", "--demo", ROTATING, "--generation", "99"],
        ["show", "--demo", ROTATING, "--step", "9999"],
        ["breakpoints", "--demo", ROTATING, "--generation", "0"],
        ["facts", "--demo", ROTATING, "--after", "9"],
        ["diff", "--demo", ROTATING, "--from", "1", "--to", "77"],
        ["plan"],
        ["conversations", "--nonsense"],
        ["sweep", "--demo", "--threshold", "a"],
        ["sweep", "--demo", "--threshold", "0.1,0.2", "--target-ratio", "0.1,0.2", "--protect-last-n", "1,2"],
    ],
    ids=" ".join,
)
def test_a_usage_error_is_exit_code_2(words: list[str]) -> None:
    done = run(*words)
    assert done.code == 2
    assert done.out == ""
    assert "Traceback" not in done.err


def test_a_ratio_outside_the_limits_is_clamped_with_a_note() -> None:
    plan = ["plan", str(ROOT / "fixtures" / "fastapi-example.json"), "--profile", "hermes-0.13", "--json"]
    (entry,) = run(*plan, "--target-ratio", "0.95").json()
    assert entry["tail_token_budget"] == 80_000
    assert "clamp" in [step["rule"] for step in entry["explained"]["tail_token_budget"] if step["bound"]]


def test_lone_surrogates_and_escapes_are_never_printed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    db = writer.create(path)
    writer.session(db, "s", title="\x1b[31mred [/x]", model="gpt-4o")
    for number in range(3):
        writer.insert(
            db, "s", {"role": "user", "content": f"\x1b]0;owned\x07 {number} [bold]"}, 1_000.0 + number
        )
    db.commit()
    db.close()
    text = run("show", str(path), "s")
    assert text.code == 0
    assert "\x1b" not in text.out
    assert "\x07" not in text.out
    assert "[bold]" in text.out
    (tmp_path / "list.json").write_text('[{"role": "user", "content": "\\ud800"}]')
    assert run("plan", str(tmp_path / "list.json"), "--json").code == 0


def test_nothing_is_written_beside_the_database(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = Path(shutil.copy(ROOT / "fixtures" / "hermes-0.19-in-place.db", folder / "state.db"))
    before = writer.snapshot(folder)
    for words in (["conversations"], ["store"]):
        assert run(*words, str(path), "--json").code == 0
    for words in (["show"], ["replay"], ["findings"]):
        assert run(*words, str(path), IN_PLACE, "--json").code == 0
    assert writer.snapshot(folder) == before


def test_a_sweep_as_csv_has_a_line_per_cell() -> None:
    done = run("sweep", "--demo", IN_PLACE, "--threshold", "0.5,0.7", "--target-ratio", "0.2,0.4", "--csv")
    lines = done.out.splitlines()
    assert lines[0].startswith("threshold,target_ratio,compactions,")
    assert len(lines) == 5


def test_commands_and_app_show_the_same_share() -> None:
    measured = run("measures", "--demo", "Nightly orders import loses", "--json").json()
    shares = [share for one in measured["compactions"] for share in one["survival"].values() if share]
    printed = run("measures", "--demo", "Nightly orders import loses", env={"COLUMNS": "200"}).out
    cut = [share for share in shares if 2 < share["of"] < 9_999 and share["value"] * 100 % 1 > 0.5]
    assert cut, "there is a share that is rounded up"
    for share in cut:
        assert f"{human.percent(share['count'], share['of'])} {share['count']}/{share['of']}" in printed


def test_one_is_singular_and_the_best_value_is_formatted_like_its_cell() -> None:
    output = run("sweep", "--demo", "Move checkout to orders-v2", "--threshold", "0.5,0.7").out
    assert output.startswith("1 conversation\n")
    assert "e+0" not in output
    assert ", best (" in output


def test_an_unknown_name_and_a_missing_file_suggest_where_to_look() -> None:
    assert "`conversations` lists them" in run("show", "--demo", "nobody").err
    assert "--demo" in run("conversations").err


def test_a_word_that_is_neither_command_nor_file_is_named() -> None:
    done = run("conversatoins")
    assert done.code == 2
    assert "'conversatoins' is not a command or a file" in done.err
    assert "compaction-inspector PATH CONVERSATION" in done.err


@pytest.mark.parametrize(
    "words",
    [["losses", "shoudl-be-a-folder"], ["requests", "shoudl-be-a-folder"], ["facts", "shoudl-be-a-folder"]],
)
def test_a_path_that_does_not_exist_is_called_no_file(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "'shoudl-be-a-folder' is not a command or a file" in run(*words).err
    rotating = ROOT / "fixtures" / "hermes-0.13-rotating.db"
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    (tmp_path / "state.db").write_bytes(rotating.read_bytes())
    done = run(*words)
    assert done.code == 1
    assert "No conversation matches 'shoudl-be-a-folder'." in done.err
    assert "There is no file 'shoudl-be-a-folder' either." in done.err
    assert run("losses", ROTATING).code == 0


def test_the_list_of_conversations_takes_names() -> None:
    (listed,) = run("conversations", "--demo", ROTATING, "--json").json()
    assert listed["title"] == ROTATING
    assert run("conversations", "--demo", "nobody").code == 1


def test_the_list_at_a_step_can_be_written_and_planned(tmp_path: Path) -> None:
    shown = run("show", "--demo", ROTATING, "--step", "60", "--json", "--no-exact").json()
    asked = run("show", "--demo", ROTATING, "--step", "60", "--messages").json()
    assert (shown["step"], shown["generation"], len(shown["messages"])) == (60, 1, 60)
    assert [message["role"] for message in asked] == ["system", *(m["role"] for m in shown["messages"])]
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    (planned,) = run(
        "plan", str(file), "--profile", "hermes-0.13", "--context-length", "128000", "--json"
    ).json()
    # The system prompt is a message of the file's list.
    assert (planned["head_end"], planned["tail_start"]) == (shown["head_end"] + 1, shown["tail_start"] + 1)


def test_a_step_after_a_compaction_belongs_to_the_new_list() -> None:
    steps = run("replay", "--demo", ROTATING, "--json").json()["recorded"]["compactions"]
    shown = run(
        "show", "--demo", ROTATING, "--step", str(steps[0]["step"] + 1), "--json", "--no-exact"
    ).json()
    assert shown["generation"] == 2
    assert any(message["summary"] for message in shown["messages"])


@pytest.mark.parametrize(("step", "words"), [("0", "There is no step 0"), ("9999", "There is no step 9,999")])
def test_a_step_that_does_not_exist_is_refused(step: str, words: str) -> None:
    done = run("show", "--demo", ROTATING, "--step", step)
    assert (done.code, words in done.err) == (2, True)
    assert run("show", "--demo", ROTATING, "--step", "3", "--generation", "1").code == 2


def test_a_text_is_shown_whole() -> None:
    whole = run("show", "--demo", ROTATING, "--full", "--json", "--no-exact").json()["messages"]
    first = run("show", "--demo", ROTATING, "--json", "--no-exact").json()["messages"]
    assert any("\n" in message["text"] for message in whole)
    assert not any("\n" in message["text"] for message in first)


@pytest.mark.parametrize(
    ("flag", "value", "words"),
    [
        (
            "--target-ratio",
            "7",
            "--target-ratio is 7; it must lie between 0 and 1. Write a share, such as 0.07.",
        ),
        ("--threshold", "0", "--threshold is 0; it must lie between 0.01 and 1."),
        ("--threshold", "50%", "'50%' is not a number."),
        ("--threshold", "nan", "'nan' is not a number."),
        ("--target-ratio", "-1", "--target-ratio is -1; it must lie between 0 and 1."),
        ("--context-length", "1000000000", "is 1,000,000,000; it must lie between 1,000 and 10,000,000."),
    ],
)
def test_a_setting_out_of_its_range_is_refused_with_the_range(flag: str, value: str, words: str) -> None:
    done = run("show", "--demo", ROTATING, flag, value)
    assert (done.code, words in done.err) == (2, True)


def test_a_report_as_json() -> None:
    document = run("report", "--demo", ROTATING, "--json").json()
    assert document["title"] == ROTATING
    assert len(document["compactions"]) == 4
    assert {"lost", "kept"} <= set(document["compactions"][0]["facts"])
    assert run("report", "--demo", ROTATING).code == 2
    assert run("report", "--demo", ROTATING, "--json", "--output", "-").code == 2


def test_errors_of_a_configuration_are_in_the_json_too(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("compression: {threshold: 85}", encoding="utf-8")
    document = run("show", "--demo", ROTATING, "--config", str(config), "--json", "--no-exact").json()
    assert any("such as 0.85" in note for note in document["settings"]["notes"])


@pytest.mark.parametrize(
    "words",
    ["show", "diff --lineage", "replay", "requests", "breakpoints", "report --output -"],
)
@pytest.mark.parametrize("where", ["path", "machine"])
def test_the_only_conversation_needs_no_name(words: str, where: str, tmp_path: Path) -> None:
    (tmp_path / "hermes").mkdir()
    one = writer.Writer(writer.create(tmp_path / "hermes" / "state.db"))
    one.begin(title="Only this")
    for _ in range(2):
        one.say(writer.talk(20))
        one.compact(3, len(one.live) - 8, "## Goal\n- Move checkout.")
    path = [str(one.end())] if where == "path" else []
    command, *options = words.split()
    options += [] if command == "report" else ["--json"]
    env = {"HERMES_HOME": str(tmp_path / "hermes")}
    unnamed = run(command, *path, *options, env=env)
    named = run(command, *path, "Only this", *options, env=env)
    assert (unnamed.code, unnamed.err) == (0, named.err)
    assert unnamed.out == named.out != ""


def test_one_of_several_conversations_must_be_named(tmp_path: Path) -> None:
    (tmp_path / "hermes").mkdir()
    shutil.copy(ROOT / "fixtures" / "hermes-0.13-rotating.db", tmp_path / "hermes" / "state.db")
    for words in (["show"], ["show", str(tmp_path / "hermes" / "state.db")]):
        done = run(*words, env={"HERMES_HOME": str(tmp_path / "hermes")})
        assert done.code == 2
        assert "Name a conversation" in done.err
    assert run("show", env={"HERMES_HOME": str(tmp_path / "none")}).code == 2


def test_an_unknown_list_has_no_boundaries_no_plan_no_estimate_and_no_aftermath(tmp_path: Path) -> None:
    """A session file of Hermes has only the list after its compaction."""
    handoff = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\nThe quay has nine berths."
    messages = [("user", "Count the berths."), ("user", handoff), ("assistant", "Nine.")]
    session = {"session_id": "a", "messages": [{"role": role, "content": text} for role, text in messages]}
    path = tmp_path / "session_a.json"
    path.write_text(json.dumps(session))
    output = run("compactions", str(path)).out
    assert "no plan: the list before it is unknown" in output
    # The answer may belong to a later turn.
    assert "unknown → at most 3 messages · unknown → at most ~" in output
    assert "head_end" not in output
    assert "would not compact" not in output
    (entry,) = json.loads(run("compactions", str(path), "--json").out)
    unknown = ("before", "head_end", "tail_start", "tokens_before", "planned")
    assert [entry[name] for name in unknown] == [None] * len(unknown)
    words = ("show", str(path), "--generation", "1")
    assert json.loads(run(*words, "--json").out)["recorded"] == {
        "index": 1,
        "head_end": None,
        "tail_start": None,
    }
    assert "compaction 1: no recorded boundaries · no plan: the list before it is unknown" in run(*words).out
    assert "no request can be estimated" in run("requests", str(path)).err
    again = run("aftermath", str(path))
    assert "Whether something was done again after a compaction is not known." in again.out
    assert "The repeated work after 1 compaction is unknown in whole or in part" in again.err


def test_a_plan_that_keeps_other_messages_between_the_boundaries_is_not_the_same() -> None:
    codex = str(ROOT / "fixtures" / "agents" / "codex")
    (entry,) = run("compactions", codex, "--json").json()
    assert (entry["planned"]["agrees"], entry["kept"], entry["planned"]["kept"]) == (
        True,
        [0, 3],
        [0, 1, 2, 3],
    )
    shown = " ".join(run("compactions", codex).out.split())
    assert (
        "planned by codex: the same boundaries; between them, 4 messages would stay and 2 stayed ·" in shown
    )


def test_a_second_path_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "b.jsonl"
    other.write_text("{}\n")
    done = run("losses", str(ROOT / "fixtures"), str(other))
    assert (done.code, "Give one PATH" in done.err) == (2, True)


@pytest.mark.parametrize("words", [["cost"], ["facts", "no-such-conversation"]])
def test_a_word_before_the_path_is_named(words: list[str]) -> None:
    done = run(*words, str(ROOT / "fixtures"))
    assert (done.code, f"{words[-1]} is neither a command nor a file" in done.err) == (2, True)


@pytest.mark.parametrize("command", ["compactions", "facts", "measures", "next"])
def test_a_conversation_that_cannot_be_read_is_named_and_the_others_are_answered(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        session = KimiCodeSession(name)
        session.user(f"Moor ferry {name}.")
        session.answer("Moored.", sent=9_000)
        session.write(tmp_path)
    read = KimiCodeReader.read

    def damaged(reader: KimiCodeReader, source: Source) -> Recorded:
        if source.row.id == "one":
            raise StoreDamaged("one.jsonl is damaged.")
        return read(reader, source)

    monkeypatch.setattr(KimiCodeReader, "read", damaged)
    done = run(command, str(tmp_path))
    assert (done.code, "Moor ferry two." in done.out) == (1, True)
    assert "Moor ferry one: one.jsonl is damaged." in done.err
    assert "1 conversation is left out" in done.err
    as_json = run(command, str(tmp_path), "--json")
    assert as_json.code == 1
    assert all(entry.get("conversation", "two") == "two" for entry in as_json.json())


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["losses"], 1),
        (["findings"], 1),
        (["aftermath"], 1),
        (["facts"], 1),
        (["conversations"], 1),
        (["export", "--to", "tables.db"], 1),
        (["check"], 3),
        (["losses", "one"], 0),
        (["facts", "one"], 0),
    ],
)
def test_a_command_about_all_conversations_fails_if_a_file_cannot_be_read(
    command: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sessions"
    session = KimiCodeSession("one")
    session.user("Moor ferry one.")
    session.answer("Moored.", sent=9_000)
    session.write(folder)
    whole = (ROOT / "fixtures" / "hermes-0.13-rotating.db").read_bytes()
    (folder / "state.db").write_bytes(whole[:20_000])
    monkeypatch.chdir(tmp_path)
    name, *rest = command
    done = run(name, str(folder), *rest)
    assert (done.code, "state.db is damaged" in done.err + done.out) == (code, True)
    assert ("The answer is incomplete" in done.err) is (code == 1)
