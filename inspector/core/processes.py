"""Worker processes: modules of this program that run separately and use standard input and output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import inspector


def begin(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a module of this program in a new process, from any current folder.

    Unlike multiprocessing, it does not run the main script again. Raise OSError if no process can be started.
    """
    own = str(Path(inspector.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Its errors must not reach the screen; the caller reports a failure.
        stderr=subprocess.DEVNULL,
        # Signals from the keyboard go only to the parent process.
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process. Its pipes stay open for their readers."""
    process.kill()
    process.wait()
