"""A command that writes the summary, as a real child process: it may crash, hang, flood, or write binary data."""

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
    """Return a command that runs some lines of Python."""
    return CommandSummarizer(shlex.join([sys.executable, "-c", code]), patience)


def write(command: CommandSummarizer, prompt: str = "a prompt") -> str:
    return command.write(prompt, lambda _: None).text


def test_the_command_reads_the_prompt_and_its_answer_is_returned() -> None:
    pieces: list[str] = []
    reply = python("import sys; print(sys.stdin.read().upper())").write("héllo", pieces.append)
    assert reply.text == "HÉLLO"
    assert "".join(pieces).strip() == "HÉLLO"


def test_the_command_may_write_while_it_reads_a_large_prompt() -> None:
    code = "import sys\nfor line in sys.stdin: sys.stdout.write(line)"
    prompt = ("line of a long prompt " * 4 + "\n") * 8_000
    assert write(python(code), prompt) == prompt.strip()


def test_the_command_need_not_read_the_prompt() -> None:
    assert write(python("print('done')"), "x" * 500_000) == "done"


@pytest.mark.parametrize(
    ("code", "message"),
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
def test_a_failure_is_an_error_message(code: str, message: str) -> None:
    with pytest.raises(SummarizerFailed, match=message):
        write(python(code))


def test_the_command_has_a_time_limit() -> None:
    with pytest.raises(SummarizerFailed, match=r"longer than 0.3 seconds"):
        write(python("import signal; signal.pause()", patience=0.3))


def test_a_time_limit_of_one_second_is_in_the_singular() -> None:
    with pytest.raises(SummarizerFailed, match=r"longer than 1 second and was stopped"):
        write(python("import signal; signal.pause()", patience=1.0))


def test_a_command_that_closes_its_output_and_stays_is_ended() -> None:
    code = "import os, signal; os.write(1, b'text'); os.close(1); os.close(2); signal.pause()"
    with pytest.raises(SummarizerFailed, match="did not end"):
        write(python(code, patience=0.5))


class Stopped(Exception):
    """The user cancelled the work."""


def ended(pid: int) -> bool:
    """Whether a process ends after its signal."""
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
def test_cancelling_ends_the_command_and_its_children(ignores: bool) -> None:
    code = (
        "import os, signal, subprocess, sys\n"
        f"if {ignores}: signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "print(os.getpid(), child.pid, flush=True)\n"
        "signal.pause()\n"
    )
    written = ""

    def on_text(text: str) -> None:
        nonlocal written
        written += text
        if written.endswith("\n"):
            raise Stopped

    with pytest.raises(Stopped):
        python(code).write("x", on_text)
    assert [ended(int(pid)) for pid in written.split()] == [True, True]


def test_a_child_that_keeps_the_pipe_open_is_not_waited_for() -> None:
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "print('the answer')\n"
    )
    assert write(python(code)) == "the answer"


def test_the_command_runs_without_a_shell(tmp_path: Path) -> None:
    target = tmp_path / "made by a shell"
    assert write(CommandSummarizer(f"echo '$HOME;' touch {shlex.quote(str(target))} '|' cat")).startswith(
        "$HOME;"
    )
    assert not target.exists()


@pytest.mark.parametrize(("line", "message"), [("", "empty"), ("  ", "empty"), ("a 'b", "cannot be split")])
def test_an_invalid_command_line_is_refused(line: str, message: str) -> None:
    with pytest.raises(UsageProblem, match=message):
        CommandSummarizer(line)


def test_a_missing_command_is_an_error_message() -> None:
    with pytest.raises(SummarizerFailed, match="cannot be run: No such file"):
        write(CommandSummarizer("no-such-program-at-all --x"))


def test_secrets_in_the_command_line_are_not_stored() -> None:
    command = CommandSummarizer("llm --key sk-ant-api03-q7Rt2mZx9KcV4bNs8LdW1fHj6PyG3aTe5UioB0vQ")
    assert "q7Rt" not in command.where + command.to + command.name


def test_the_output_of_the_command_is_made_safe() -> None:
    with pytest.raises(SummarizerFailed) as failure:
        write(python("import sys; sys.stderr.write('\\x1b]0;owned\\x07 \\u202e'); sys.exit(1)"))
    assert is_safe(str(failure.value))


def test_the_command_runs_in_the_working_folder() -> None:
    assert write(python("import os; print(os.getcwd())")) == os.getcwd()
