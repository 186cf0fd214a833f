"""The program in a pseudo-terminal, and on terminals that cannot draw."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.examples import also
from tests.readable import readable

ROOT = Path(__file__).resolve().parents[2]
#: A database with one short conversation, and the beginning of its title.
SMALL, TITLE = str(ROOT / "fixtures" / "agents" / "goose" / "sessions" / "sessions.db"), b"Count the nets"


def in_terminal(
    tmp_path: Path, term: str, errors: Path, until: bytes, keys: bytes = b""
) -> tuple[bytes, int]:
    """Run the program and press keys when `until` is on screen; return its output and its exit status."""
    master, slave = pty.openpty()
    environment = {
        **os.environ, "TERM": term, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "COLUMNS": "100", "LINES": "30",
    }  # fmt: skip
    with errors.open("wb") as file:
        program = subprocess.Popen(
            [sys.executable, "-m", "inspector", SMALL], stdin=slave, stdout=slave, stderr=file, env=environment
        )  # fmt: skip
    os.close(slave)
    seen = b""
    end = time.monotonic() + 60
    while time.monotonic() < end and (program.poll() is None or readable(master, 0)):
        if not readable(master, 0.1):
            continue
        try:
            seen += os.read(master, 65_536)
        except OSError:
            break
        if keys and until in seen:
            os.write(master, keys)
            keys = b""
    program.kill()
    code = program.wait()
    os.close(master)
    return seen, code


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_the_app_draws_on_the_terminal_with_redirected_errors(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    seen, code = in_terminal(tmp_path, "xterm-256color", errors, TITLE, b"q")
    assert TITLE in seen
    assert b"\x1b[?1049l" in seen, "the screen is given back"
    assert (errors.read_bytes(), code) == (b"", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="waits for the end of a terminal as Linux reports it")
@pytest.mark.parametrize(
    ("handler", "ended"),
    [(signal.SIG_DFL, signal.SIGHUP), (signal.SIG_IGN, signal.SIGTERM)],
    ids=["", "nohup"],
)
def test_the_app_ends_with_its_terminal(
    handler: signal.Handlers, ended: signal.Signals, tmp_path: Path
) -> None:
    """No signal announces it, because the terminal does not control the session of the process."""
    master, slave = pty.openpty()
    errors = tmp_path / "errors"
    environment = {
        **os.environ, "TERM": "xterm-256color", "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    program = subprocess.Popen(
        [sys.executable, "-m", "inspector", SMALL], stdin=slave, stdout=slave, stderr=errors.open("wb"),
        env=environment, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGHUP, handler),
    )  # fmt: skip
    os.close(slave)
    seen = b""
    while TITLE not in seen:
        seen += os.read(master, 65_536)
    os.close(master)
    try:
        assert program.wait(60) == -ended
    finally:
        program.kill()
    assert errors.read_text() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_a_terminal_that_only_prints_gets_text_and_a_message(tmp_path: Path) -> None:
    seen, code = in_terminal(tmp_path, "dumb", tmp_path / "errors", b"")
    assert b"\x1b[?1049h" not in seen
    assert TITLE in seen
    assert b"TERM=dumb cannot draw the app" in seen
    assert code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads the modes of a pseudo-terminal")
@pytest.mark.parametrize("name", also("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"))
def test_a_signal_restores_the_terminal(name: str, tmp_path: Path) -> None:
    import termios

    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    environment = {
        **os.environ, "TERM": "xterm-256color", "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    program = subprocess.Popen(
        [sys.executable, "-m", "inspector", SMALL], stdin=slave, stdout=slave, stderr=slave,
        env=environment, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.Signals[name], signal.SIG_DFL),
    )  # fmt: skip
    try:
        seen = b""
        while TITLE not in seen:
            seen += os.read(master, 65_536)
        program.send_signal(signal.Signals[name])
        while program.poll() is None or readable(master, 0):
            if readable(master, 0.1):
                seen += os.read(master, 65_536)
        assert program.returncode == -signal.Signals[name]
        assert termios.tcgetattr(slave) == before
    finally:
        program.kill()
        os.close(slave)
        os.close(master)
    for mode in (1000, 1003, 1006, 1049, 2004):
        on, off = seen.rfind(b"\x1b[?%dh" % mode), seen.rfind(b"\x1b[?%dl" % mode)
        assert off > on >= 0 or on == off == -1, f"mode {mode} is switched off"
    assert b"Traceback" not in seen
