"""Functions that the tests call in other processes."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

from inspector.answers.answers import Answers
from inspector.core.errors import BadInput
from inspector.core.processes import in_worker


def double(number: int) -> int:
    """Return twice the number; refuse 3, fail with 4."""
    if number == 3:
        raise BadInput("3 is refused.")
    if number == 4:
        raise ZeroDivisionError("four")
    return 2 * number


def end_once(mark: str, number: int) -> int:
    """End the process at the first call, then return the number."""
    path = Path(mark)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def end_always(number: int) -> int:
    """End the process with 2, else return the number."""
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def endless(number: int) -> int:
    """Never return."""
    threading.Event().wait()
    return number


def lock() -> Any:
    """Return a value that cannot be pickled."""
    return threading.Lock()


def process() -> tuple[int, bool]:
    """Print something, and return the id of the process and whether it is a worker."""
    print("a line that is no answer")
    return os.getpid(), in_worker()


def path_of(answers: Answers, conversation: str) -> str:
    """Note the path of the store, and name it in an error."""
    answers.note(f"{answers.store.path} is noted.")
    if conversation == answers.store.conversations()[0].id:
        raise BadInput(f"{answers.store.path} is damaged.")
    return conversation


def title(answers: Answers, conversation: str, unreadable: str) -> str:
    """Return the title of a conversation; one cannot be read."""
    answers.note("a note of the worker")
    row = next(row for row in answers.store.conversations() if row.id == conversation)
    if row.title == unreadable:
        raise BadInput("It is damaged.")
    return row.title
