"""A process with low priority that computes overviews for the app, and ends with it.

Standard input has a line of JSON with the stores to read, then one line for each question: ["live" or "overview",
conversation]. Standard output gets one line for each answer; null if the conversation cannot be read. The process ends
when its input is closed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from inspector.answers.answers import Answers
from inspector.answers.kept_results import default_results
from inspector.answers.overview import read_live, read_overview
from inspector.core.errors import InspectorError
from inspector.core.memory import give_back

#: The lowest priority there is.
_LAST = 19


def main() -> None:
    """Answer until the input ends."""
    if hasattr(os, "nice"):
        os.nice(_LAST)
    asked: SimpleQueue[str] = SimpleQueue()
    Thread(target=_listen, args=(asked,), daemon=True).start()
    what = json.loads(asked.get())
    config = None if what["config"] is None else Path(what["config"])
    give_back()
    store = Answers.of([Path(path) for path in what["paths"]], {}, None).store
    kept = default_results()
    work: dict[str, Callable[..., Any]] = {"live": read_live, "overview": read_overview}
    while True:
        question, name = json.loads(asked.get())
        try:
            row = next(row for row in store.conversations() if row.id == name)
            answer = work[question](store, row, what["flags"], config, kept)
        except (InspectorError, StopIteration):
            answer = None
        print(json.dumps(answer), flush=True)


def _listen(asked: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        asked.put(line)
    # The caller has ended, possibly during an answer.
    os._exit(0)


if __name__ == "__main__":
    main()
