"""A worker process of this program, with messages over its standard input and output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import inspector


def begin(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Run a module of this program from any folder. Unlike multiprocessing, it does not run the current script again.

    Raises OSError where no process can be started.
    """
    own = str(Path(inspector.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Its error output must not reach the screen; the waiting function reports failures.
        stderr=subprocess.DEVNULL,
        # Signals of the terminal are for the parent process.
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop the worker process. Its pipes stay open for their readers."""
    process.kill()
    process.wait()
