"""The check for CI: exit codes, formats, baseline, and unknown values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from inspector.answers.checking import Condition, parse_condition
from inspector.commands.cli import commands
from inspector.core.errors import BadInput, CheckFailed, OutputProblem, UsageProblem
from tests.program import Run
from tests.recipes import compacted_session
from tests.stores.writer import create


@pytest.fixture
def database(fixtures_dir: Path) -> str:
    return str(fixtures_dir / "hermes-0.19-in-place.db")


def run(*words: str) -> Result:
    return CliRunner().invoke(commands, ["check", *words])


def checked(*words: str) -> dict[str, Any]:
    return dict(json.loads(run(*words, "--format", "json").stdout))


def test_a_met_condition_fails_with_exit_code_3(database: str, program: Run) -> None:
    done = program("check", database)
    assert done.returncode == 3
    assert "The check failed" in done.stderr
    assert "Traceback" not in done.stderr


def test_all_losses_are_counted_besides_the_conditions(database: str) -> None:
    found = checked(database, "--fail-on", "aftermath:999")
    losses = json.loads(CliRunner().invoke(commands, ["losses", database, "--json"]).stdout)
    assert found["lost"]["constraint"] == sum(one["lost"].get("constraint", 0) for one in losses) > 0
    assert found["uncertain"] == sum(one["uncertain"] for one in losses) > 0
    uncertain = f"{found['uncertain']:,} facts are uncertain and may be lost"
    assert uncertain in run(database, "--fail-on", "aftermath:999").stdout


def test_a_condition_fails_at_its_number_of_cases(database: str) -> None:
    found = checked(database, "--fail-on", "constraint-lost")
    count = len(found["conditions"][0]["cases"])
    assert count > 0
    assert found["failed"]
    assert not checked(database, "--fail-on", f"constraint-lost:{count + 1}")["failed"]
    assert checked(database, "--fail-on", f"constraint-lost:{count}")["failed"]


@pytest.mark.parametrize(
    "words",
    [
        ("--fail-on", "constraint-lost"),
        ("--baseline", "none.json"),
        ("--write-baseline", "none.json"),
        ("--allow-unknown",),
    ],
)
def test_a_comparison_takes_no_conditions(database: str, words: tuple[str, ...]) -> None:
    refused = run(database, "--against", database, *words)
    assert isinstance(refused.exception, UsageProblem)
    assert words[0] in str(refused.exception)
    assert refused.stdout == ""


@pytest.mark.parametrize("more", [(), ("--allow-unknown",)])
def test_a_setting_out_of_range_is_refused_and_never_unknown(
    fixtures_dir: Path, more: tuple[str, ...]
) -> None:
    for path in ("hermes-0.19-in-place.db", "agents/pi/tides-v3.jsonl"):
        refused = run(str(fixtures_dir / path), "--threshold", "7", *more)
        assert isinstance(refused.exception, UsageProblem), path
        assert "must lie between" in str(refused.exception)
        assert refused.stdout == ""


def test_severities_and_aftermath_are_conditions(database: str, fixtures_dir: Path) -> None:
    found = checked(database, "--fail-on", "warning", "--fail-on", "summary-fallback")
    by_name = {one["condition"]: one["cases"] for one in found["conditions"]}
    assert {case["severity"] for case in by_name["warning"]} == {"warning"}
    (again,) = checked(str(fixtures_dir / "agents/claude-code"), "--fail-on", "aftermath")["conditions"]
    assert {case["rule"] for case in again["cases"]} == {"aftermath"}
    assert {case["rule"] for case in by_name["summary-fallback"]} == {"summary-fallback"}


def test_a_baseline_excludes_known_cases(database: str, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    assert run(database, "--write-baseline", str(baseline)).exit_code == 0
    after = checked(database, "--baseline", str(baseline))
    assert not after["failed"]
    assert after["in_baseline"] > 0
    document = json.loads(baseline.read_text())
    document["cases"].pop()
    baseline.write_text(json.dumps(document))
    assert sum(len(one["cases"]) for one in checked(database, "--baseline", str(baseline))["conditions"]) == 1


def test_a_baseline_never_overwrites_a_store_and_bad_ones_are_refused(database: str, tmp_path: Path) -> None:
    assert isinstance(run(database, "--write-baseline", database, "--force").exception, OutputProblem)
    bad = tmp_path / "bad.json"
    bad.write_text("[]")
    assert isinstance(run(database, "--baseline", str(bad)).exception, BadInput)
    assert isinstance(run(database, "--baseline", str(tmp_path / "none")).exception, BadInput)


def test_unknown_values_fail_unless_allowed(fixtures_dir: Path, tmp_path: Path) -> None:
    (path,) = (fixtures_dir / "agents" / "codex").glob("*.jsonl")
    # The new list has no message with the user's rule, and its summary cannot be read.
    lines = [
        line.replace(" Do not touch the release branch.", "") if '"type": "compacted"' in line else line
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True)
    ]
    copy = tmp_path / path.name
    copy.write_text("".join(lines), encoding="utf-8")
    words = (str(copy), "--fail-on", "aftermath:9999")
    failed = run(*words)
    assert isinstance(failed.exception, CheckFailed)
    assert (
        "no condition is met, but something is unknown: failed. --allow-unknown passes it." in failed.stdout
    )
    assert checked(*words)["unknown"]
    assert run(*words, "--allow-unknown").exit_code == 0


def test_an_empty_store_never_passes_silently(tmp_path: Path, program: Run) -> None:
    path = tmp_path / "state.db"
    create(path).close()
    done = program("check", str(path))
    assert (done.returncode, "There is no conversation to check." in done.stdout) == (3, True)
    assert program("check", str(path), "--allow-unknown").returncode == 0
    assert "There are no conversations in this database." in program("next", str(path)).stdout
    shown = program("show", str(path))
    assert (shown.returncode, f"There are no conversations in {path}." in shown.stderr) == (1, True)


@pytest.mark.parametrize("command", ["losses", "aftermath", "findings", "facts", "measures", "rules"])
def test_an_empty_answer_says_that_there_is_no_conversation(
    command: str, tmp_path: Path, program: Run
) -> None:
    path = tmp_path / "state.db"
    create(path).close()
    for form in ("--json", "--plain"):
        done = program(command, str(path), form)
        assert done.returncode == 0
        assert "There are no conversations in this database." in done.stderr


def test_annotations_and_junit_have_every_case(database: str) -> None:
    cases = sum(len(one["cases"]) for one in checked(database)["conditions"])
    lines = run(database, "--format", "github").stdout.splitlines()
    assert len(lines) == cases
    assert all(line.startswith("::error title=") for line in lines)
    suite = ElementTree.fromstring(run(database, "--format", "junit").stdout)
    assert suite.get("tests") == "3"
    assert len(suite.findall("testcase/failure")) == int(suite.get("failures", "0")) > 0


@pytest.mark.parametrize(
    "text", ["", "no-such-rule", "error:0", "error:-1", "error:x", "error:9999999999", ":2"]
)
def test_a_condition_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        parse_condition(text)


def test_conditions_are_parsed() -> None:
    assert parse_condition("constraint-lost:3") == Condition("constraint-lost", 3)
    assert str(parse_condition("aftermath")) == "aftermath"


def test_a_check_says_where_losses_may_not_be_recognized(program: Run, tmp_path: Path) -> None:
    said, summary = "船在涨潮前回港，禁止夜间卸货。", "The boats are in the harbour before the flood."
    path = compacted_session(tmp_path / "rollout.jsonl", said, summary)
    done = program("check", str(path))
    assert "1 summary is in another language than the user's words" in done.stdout
    (doubt,) = json.loads(program("check", str(path), "--json").stdout)["doubts"]
    assert doubt in done.stdout
