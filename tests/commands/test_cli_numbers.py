"""Numbers on the command line: every option takes a valid number and refuses any other."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import click
import pytest

from inspector.commands.cli import every_command
from inspector.commands.ending import finish
from inspector.core.errors import DETAILS
from tests.program import Run

NAME = "Move checkout to orders-v2"
HUGE = "9" * 400
#: Required arguments of commands.
NEEDED = {
    "plan": ("fixtures/fastapi-example.json",),
    "recall": ("--compaction", "1", "--command", "cat"),
    "attempt": ("--command", "cat", "--dry-run"),
    "life": ("--command", "cat", "--dry-run"),
}


def numbers(command: str) -> list[str]:
    """Return the options of a command that take a number."""
    return [
        option.opts[0]
        for option in every_command()[command].params
        if isinstance(option, click.Option)
        and option.type.name in ("integer", "float", "integer range", "float range")
    ]


@pytest.mark.parametrize("command", [name for name in every_command() if numbers(name)])
def test_an_invalid_number_is_refused(program: Run, command: str) -> None:
    first, *others = numbers(command)
    wrong = (HUGE, f"-{HUGE}", "nan", "inf", "-inf", "1e400", "5.7x", "")
    for option, value in (*product([first], wrong), *product(others, ("nan", ""))):
        done = program(command, *NEEDED.get(command, ("--demo",)), f"{option}={value}")
        assert done.returncode in (1, 2), (option, value, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--threshold", "nan:0.9:0.1"), "has no values: in START:STOP:STEP"),
        (("--threshold", "0.1:inf:0.1"), "has no values: "),
        (("--threshold", "0.1:0.9:nan"), "has no values: "),
        (("--threshold", "0.9:0.1:0.1"), "has no values: "),
        (("--threshold", "0.1:0.9:1e-9"), "has more than 10,000 values"),
        (("--threshold", "0:1:0.5"), "must lie between 0.01 and 1"),
        (("--threshold", "0.5,0.5", "--target-ratio", "0.1"), "two settings with several values"),
        (
            ("--threshold", "0.3,0.5", "--target-ratio", "0.1,0.2", "--max-tokens", "0,1"),
            "it has threshold, target",
        ),
        (("--threshold", "nan,0.5"), "must lie between"),
        (("--protect-last-n", "5.7"), "takes whole numbers, not 5.7"),
        (("--protect-last-n", "5:10:2.5"), "takes whole numbers"),
        (("--context-length", HUGE), "must lie between"),
    ],
)
def test_an_invalid_range_is_refused(program: Run, words: tuple[str, ...], sentence: str) -> None:
    done = program("sweep", "--demo", NAME, *words)
    assert done.returncode == 2
    assert sentence in done.stderr


@pytest.mark.parametrize("command", ["attempt", "judge"])
@pytest.mark.parametrize("number", ["9" * 5_000, "-1", "1.5", "first", ""])
def test_a_compaction_that_is_not_a_number_is_refused(program: Run, command: str, number: str) -> None:
    done = program(command, "--demo", NAME, f"--compaction={number}", "--show-prompt")
    assert done.returncode == 2
    assert "--compaction takes a number, counted from 1, or `all`." in done.stderr


@pytest.mark.parametrize(("sign", "size"), [("", "large"), ("-", "small")])
def test_a_number_of_thousands_of_digits_is_out_of_range(program: Run, sign: str, size: str) -> None:
    done = program("losses", "--demo", f"--limit={sign}{'9' * 5_000}")
    assert done.returncode == 2
    assert f"is too {size}: the number must lie between" in done.stderr


@pytest.mark.parametrize("words", [("conversations",), ("losses",), ("show",), ()])
def test_an_unknown_user_in_a_path_is_an_error_message(program: Run, words: tuple[str, ...]) -> None:
    done = program(*words, "~nosuchuser/x")
    assert (done.returncode, done.stdout) == (1, "")
    assert "'~nosuchuser/x' cannot be opened: the user does not exist." in done.stderr


@pytest.mark.parametrize(
    "variable", ["HERMES_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"]
)
def test_an_unknown_user_in_a_variable_is_an_error_message(
    program: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    for name in ("HERMES_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "~nosuchuser/x")
    done = program("conversations")
    assert done.returncode == 1
    assert f"{variable} is '~nosuchuser/x', which cannot be opened: the user does not exist." in done.stderr


def test_an_internal_error_is_an_error_message(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> int:
        raise KeyError("of its own")

    monkeypatch.delenv(DETAILS, raising=False)
    with pytest.raises(SystemExit) as ended:
        finish(run)
    assert ended.value.code == 70
    err = capsys.readouterr().err
    assert "The program failed (KeyError: 'of its own')" in err
    assert f"Set {DETAILS}=1" in err
    assert "Traceback" not in err
    monkeypatch.setenv(DETAILS, "1")
    with pytest.raises(SystemExit):
        finish(run)
    assert "Traceback" in capsys.readouterr().err


def test_a_summarizer_that_writes_too_much_is_a_failure(program: Run) -> None:
    done = program("attempt", "--demo", NAME, "--compaction", "1", "--command", "yes word", "--send")
    assert (done.returncode, "wrote more than 1,000,000 bytes" in done.stderr) == (1, True)
    assert "No complete summary was made." in done.stderr
