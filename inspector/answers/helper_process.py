"""A worker process that does a part of the work on one conversation, on a second core."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty
from typing import Any

from inspector.answers.answers import Answers, paths_of
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction
from inspector.core.processes import Worker, in_worker

#: Seconds between two calls of `waits`.
_LOOK = 0.2


def cores_for(inspection: Inspection) -> int:
    """Return the number of processes that can work on a conversation at once."""
    return 1 if inspection.alone or in_worker() else os.cpu_count() or 1


class HelperProcess:
    """Calls `work(inspection, argument)`, a function of a module, on the same conversation in another process.

    The answer is None if the conversation has changed (other compactions) or cannot be read, or if the process could
    not start, failed or ended early. Then the caller does the work.
    """

    def __init__(
        self, inspection: Inspection, work: Callable[[Inspection, Any], object], argument: object
    ) -> None:
        try:
            self.worker: Worker | None = Worker()
        except OSError:
            # There are too many processes already.
            self.worker = None
            return
        where = paths_of(inspection.store), inspection.conversation.id, inspection.compactions()
        self.worker.call(_work, *where, work, argument)

    def answer(self, waits: Callable[[], None]) -> Any:
        """Return the answer. `waits` is called while waiting, and its exception ends the waiting."""
        while self.worker is not None:
            try:
                answer = self.worker.answers.get(timeout=_LOOK)
            except Empty:
                waits()
            else:
                return answer.value
        return None

    def end(self) -> None:
        """Stop the process."""
        if self.worker is not None:
            self.worker.end()


def _work(
    paths: Sequence[Path],
    conversation: str,
    compactions: Sequence[Compaction],
    work: Callable[[Inspection, Any], object],
    argument: object,
) -> object:
    inspection = Inspection.open(Answers.of(paths, {}, None).store, conversation, alone=True)
    return work(inspection, argument) if inspection.compactions() == compactions else None
