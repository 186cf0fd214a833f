"""Another process that works at a part of one conversation: on a second core, gone as soon as it is not needed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from inspector.answers.answers import Answers, paths_of
from inspector.answers.inspection import Inspection
from inspector.core.errors import InspectorError

#: How often whoever waits is told so, in seconds.
_LOOK = 0.2


def cores_for(inspection: Inspection) -> int:
    """How many processes can work at a conversation at once."""
    return 1 if inspection.alone else os.cpu_count() or 1


class HelperProcess:
    """Calls `work(inspection, asked)`, a function of a module, on the same conversation, opened anew.

    What it answers is None where the conversation is another one by now (other compactions), cannot be read, or the
    process ended too early: then its work is done by whoever asked."""

    def __init__(
        self, inspection: Inspection, work: Callable[[Inspection, Any], object], asked: object
    ) -> None:
        # Threads run here (an app's, sqlite's): a fork of this process would inherit their locks.
        context = get_context("spawn")
        self._answer, answer = context.Pipe(duplex=False)
        where = paths_of(inspection.store), inspection.conversation.id, inspection.compactions()
        self._process: BaseProcess = context.Process(
            target=_work, args=(where, work, asked, answer), daemon=True
        )
        self._process.start()
        answer.close()

    def answer(self, waits: Callable[[], None]) -> Any:
        """What it found; `waits` is called now and then until it is there, and what it raises ends the waiting."""
        while not self._answer.poll(_LOOK):
            waits()
        try:
            return self._answer.recv()
        except EOFError:
            return None

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._answer.close()
        self._process.terminate()
        self._process.join()


def _work(
    where: tuple[tuple[Path, ...], str, object],
    work: Callable[[Inspection, Any], object],
    asked: object,
    answer: Connection,
) -> None:
    # Whoever asked decides what an interrupt means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    paths, conversation, compactions = where
    found = None
    try:
        inspection = Inspection.open(Answers.of(paths, {}, None).store, conversation, alone=True)
        if inspection.compactions() == compactions:
            found = work(inspection, asked)
    except InspectorError:
        # Whoever asked meets it too, and tells it.
        found = None
    answer.send(found)
