"""A second process that reads files, so that two cores read a home on the first run.

Standard input has an agent and a path a line, as JSON. Standard output gets a line for each: a problem, or null,
and the digests. It ends with its input.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.core.errors import StoreDamaged, StoreError
from inspector.core.processes import begin, end
from inspector.stores.recorded import FileDigest, digest_from
from inspector.stores.sharing import give_back, take


class Ended(Exception):
    """The process ended before its time, or never began."""


class SecondReader:
    """The process, as it reads files of one agent, seen from the caller."""

    def __init__(self, process: subprocess.Popen[bytes], agent: str) -> None:
        self.process = process
        self._agent = agent
        self._waiting = 0

    @property
    def idle(self) -> bool:
        """Whether the process has answered everything."""
        return self._waiting == 0 and self.process.poll() is None

    def ask(self, path: str) -> None:
        """Queue a file for the process. Raises Ended if the process has ended."""
        asked = self.process.stdin
        if asked is None:
            raise Ended
        self._waiting += 1
        try:
            asked.write(json.dumps([self._agent, path]).encode() + b"\n")
            asked.flush()
        except (OSError, ValueError):
            raise Ended from None

    def answer(self) -> tuple[FileDigest, ...]:
        """Return the result of `Reader.digests` for the oldest queued file without an answer. Raises StoreErrors, and
        Ended if the process has ended."""
        answers = self.process.stdout
        try:
            line = b"" if answers is None else answers.readline()
        except (OSError, ValueError):
            line = b""
        if not line:
            raise Ended
        self._waiting -= 1
        problem, found = json.loads(line)
        if problem is not None:
            raise StoreDamaged(problem)
        return tuple(map(digest_from, found))


@contextmanager
def second_reader(agent: str) -> Iterator[SecondReader]:
    """The process for the files of one agent; it is gone when the block ends, or that of `sharing`. Raises Ended if
    none can begin."""
    process = take()
    if process is None:
        try:
            process = begin("inspector.stores.second_reader")
        except OSError:
            raise Ended from None
    second = SecondReader(process, agent)
    try:
        yield second
    finally:
        if not (second.idle and give_back(process)):
            end(process)


def main() -> None:
    """Answer until the input ends."""
    from inspector.stores.readers import reader_of

    answer: tuple[str | None, list[tuple[Any, ...]]]
    for line in sys.stdin:
        agent, path = json.loads(line)
        try:
            answer = (None, list(reader_of(agent).digests(Path(path))))
        except StoreError as error:
            answer = (str(error), [])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
