"""A command that writes the summary, as a real child process: it may crash, hang, flood, or write what is no text."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from inspector.core.errors import SummarizerFailed, UsageProblem
from inspector.core.text import is_safe
from inspector.models.summarizers.base import LONGEST
from inspector.models.summarizers.command import CommandSummarizer
from tests.readable import readable


def python(code: str, patience: float = 60.0) -> CommandSummarizer:
    """A command that runs some lines of Python."""
    return CommandSummarizer(shlex.join([sys.executable, "-c", code]), patience)


def write(command: CommandSummarizer, prompt: str = "a prompt") -> str:
    return command.write(prompt, lambda _: None).text


def test_the_prompt_is_read_and_the_answer_told() -> None:
    pieces: list[str] = []
    reply = python("import sys; print(sys.stdin.read().upper())").write("héllo", pieces.append)
    assert reply.text == "HÉLLO"
    assert "".join(pieces).strip() == "HÉLLO"


def test_a_prompt_larger_than_a_pipe_is_read_while_it_writes() -> None:
    code = "import sys\nfor line in sys.stdin: sys.stdout.write(line)"
    prompt = ("line of a long prompt " * 4 + "\n") * 8_000
    assert write(python(code), prompt) == prompt.strip()


def test_it_need_not_read() -> None:
    assert write(python("print('done')"), "x" * 500_000) == "done"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "import sys; print('oops\\nthe model is gone', file=sys.stderr); sys.exit(3)",
            "exit code 3: the model is gone",
        ),
        ("import os; os.abort()", "ended by SIGABRT"),
        ("pass", "wrote nothing"),
        ("print('   ')", "wrote nothing"),
        ("import sys; sys.stdout.buffer.write(b'ok ' + bytes([0xff, 0xfe]))", "not UTF-8 .byte 3: 0xff"),
        ("import sys; sys.stdout.buffer.write('é'.encode()[:1])", "middle of a UTF-8 character"),
        ("print('x' * 3_000_000)", f"more than {LONGEST:,} bytes"),
    ],
)
def test_what_goes_wrong_is_told(code: str, told: str) -> None:
    with pytest.raises(SummarizerFailed, match=told):
        write(python(code))


def test_it_is_not_waited_for_for_ever() -> None:
    with pytest.raises(SummarizerFailed, match=r"longer than 0.3 seconds"):
        write(python("import signal; signal.pause()", patience=0.3))


def test_a_time_limit_of_one_second_is_in_the_singular() -> None:
    with pytest.raises(SummarizerFailed, match=r"longer than 1 second and was stopped"):
        write(python("import signal; signal.pause()", patience=1.0))


def test_one_that_closes_its_output_and_stays_is_ended() -> None:
    code = "import os, signal; os.write(1, b'text'); os.close(1); os.close(2); signal.pause()"
    with pytest.raises(SummarizerFailed, match="did not end"):
        write(python(code, patience=0.5))


class Stopped(Exception):
    """Somebody does not want it any more."""


def ended(pid: int) -> bool:
    """Whether a process that was told to end does so."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return readable(handle, 60.0)
    finally:
        os.close(handle)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="processes are waited for as Linux does")
@pytest.mark.parametrize("ignores", [False, True])
def test_stopping_ends_it_and_whatever_it_started(ignores: bool) -> None:
    code = (
        "import os, signal, subprocess, sys\n"
        f"if {ignores}: signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        "signal.pause()\n"
    )
    said = ""

    def on_text(text: str) -> None:
        nonlocal said
        said += text
        if said.endswith("\n"):
            raise Stopped

    with pytest.raises(Stopped):
        python(code).write("x", on_text)
    assert [ended(int(pid)) for pid in said.split()] == [True, True]


def test_a_child_that_keeps_the_pipe_open_is_not_waited_for() -> None:
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "print('the answer')\n"
    )
    assert write(python(code)) == "the answer"


def test_no_shell_runs_it(tmp_path: Path) -> None:
    target = tmp_path / "made by a shell"
    assert write(CommandSummarizer(f"echo '$HOME;' touch {shlex.quote(str(target))} '|' cat")).startswith(
        "$HOME;"
    )
    assert not target.exists()


@pytest.mark.parametrize(("line", "told"), [("", "empty"), ("  ", "empty"), ("a 'b", "cannot be split")])
def test_a_line_that_is_no_command_is_refused(line: str, told: str) -> None:
    with pytest.raises(UsageProblem, match=told):
        CommandSummarizer(line)


def test_one_that_is_not_there_is_told() -> None:
    with pytest.raises(SummarizerFailed, match="cannot be run: No such file"):
        write(CommandSummarizer("no-such-program-at-all --x"))


def test_secrets_in_its_line_are_kept_nowhere() -> None:
    command = CommandSummarizer("llm --key sk-ant-api03-q7Rt2mZx9KcV4bNs8LdW1fHj6PyG3aTe5UioB0vQ")
    assert "q7Rt" not in command.where + command.to + command.name


def test_what_it_says_is_safe() -> None:
    with pytest.raises(SummarizerFailed) as failure:
        write(python("import sys; sys.stderr.write('\\x1b]0;owned\\x07 \\u202e'); sys.exit(1)"))
    assert is_safe(str(failure.value))


def test_it_is_run_where_the_program_runs() -> None:
    assert write(python("import os; print(os.getcwd())")) == os.getcwd()
