"""Another process of this very program, which works beside it and speaks through its standard input and output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import inspector


def begin(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Run a module of this program, whatever folder it is started in. The script that runs now is not run again in it,
    as multiprocessing would. Raises OSError where no process can be started."""
    own = str(Path(inspector.__file__).parent.parent)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # The screen is no place for what it may say; whoever waits for it tells what failed.
        stderr=subprocess.DEVNULL,
        # Keys that the terminal turns into signals are for whoever began it.
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End it, whatever it is doing. Its pipes stay for whoever still reads them."""
    process.kill()
    process.wait()
