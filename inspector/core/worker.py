"""The loop of a worker process: read a call, answer it, until the input ends. See `processes.Worker`."""

from __future__ import annotations

import os
import pickle
import sys
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

from inspector.core.errors import InspectorError
from inspector.core.processes import WorkerEnded, become_worker

#: The lowest priority that a process can have.
_LOWEST = 19
#: Characters of a fault's reason.
_LONGEST = 300


def main() -> None:
    """Answer calls until the input ends."""
    become_worker()
    if "low" in sys.argv[1:] and hasattr(os, "nice"):
        os.nice(_LOWEST)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # A function that prints must not write between two answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    calls: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
    Thread(target=_listen, args=(sys.stdin.buffer, calls), daemon=True).start()
    while True:
        function, arguments = calls.get()
        try:
            answer = pickle.dumps((function(*arguments), None), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 (a fault of the program costs one call)
            answer = pickle.dumps((None, failure(error)), pickle.HIGHEST_PROTOCOL)
        answers.write(answer)
        answers.flush()


def failure(error: Exception) -> InspectorError:
    """Return an error that may be shown: a sentence for a fault of the program."""
    if isinstance(error, InspectorError):
        return error
    reason = f"{type(error).__name__}: {error}".rstrip(": .")[:_LONGEST]
    return WorkerEnded(f"The program failed ({reason}).")


def _listen(asked: BinaryIO, calls: SimpleQueue[tuple[Any, ...]]) -> None:
    try:
        while True:
            calls.put(pickle.load(asked))
    finally:
        # The caller has ended, possibly during a call.
        os._exit(0)


if __name__ == "__main__":
    main()
