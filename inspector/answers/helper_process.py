"""A process that works on a part of one conversation, on a second core. It ends when it is not needed.

Standard input has the pickled task and is closed when the caller stops. Standard output gets the answer.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from inspector.answers.answers import Answers, paths_of
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction
from inspector.core.errors import InspectorError
from inspector.core.processes import begin, end

#: Seconds between two calls of `waits`.
_LOOK = 0.2


def cores_for(inspection: Inspection) -> int:
    """How many processes can work at a conversation at once."""
    return 1 if inspection.alone else os.cpu_count() or 1


class HelperProcess:
    """Calls `work(inspection, asked)`, a function of a module, on the same conversation in another process.

    The answer is None if the conversation has changed (other compactions) or cannot be read, or if the process could
    not start or ended early. Then the caller does the work.
    """

    def __init__(
        self, inspection: Inspection, work: Callable[[Inspection, Any], object], asked: object
    ) -> None:
        self._found: SimpleQueue[Any] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = begin("inspector.answers.helper_process")
        except OSError:
            # There are too many processes already.
            self._found.put(None)
            return
        where = paths_of(inspection.store), inspection.conversation.id, inspection.compactions()
        Thread(target=self._ask, args=(self._process, (*where, work, asked)), daemon=True).start()

    def answer(self, waits: Callable[[], None]) -> Any:
        """Return the answer. `waits` is called while waiting, and its exception ends the waiting."""
        while True:
            try:
                return self._found.get(timeout=_LOOK)
            except Empty:
                waits()

    def end(self) -> None:
        """Stop the process."""
        if self._process is not None:
            end(self._process)

    def _ask(self, process: subprocess.Popen[bytes], what: tuple[object, ...]) -> None:
        found = None
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump(what, process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            found = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            # It ended before its work was done.
            found = None
        self._found.put(found)


def _work(
    paths: Sequence[Path],
    conversation: str,
    compactions: Sequence[Compaction],
    work: Callable[[Inspection, Any], object],
    asked: object,
) -> object:
    try:
        inspection = Inspection.open(Answers.of(paths, {}, None).store, conversation, alone=True)
        return work(inspection, asked) if inspection.compactions() == compactions else None
    except InspectorError:
        # The caller gets the same error and reports it.
        return None


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    # The caller has ended, possibly during an answer.
    os._exit(0)


def main() -> None:
    """Do what is asked, and end."""
    what = pickle.load(sys.stdin.buffer)
    Thread(target=_end_with_input, daemon=True).start()
    pickle.dump(_work(*what), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
