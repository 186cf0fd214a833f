"""Files that the user names: an existing one is overwritten when it is named twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from inspector.core.errors import OutputProblem
from inspector.export.writing import check_target, write_file


class Overwriting:
    """Remembers which file was named last."""

    def __init__(self) -> None:
        self._asked_about: Path | None = None

    def check(self, path: Path, databases: Iterable[Path]) -> bool:
        """Return whether the file is there and may be overwritten.

        Raises OutputProblem, the first time also where it is there already.
        """
        target = check_target(path, databases, force=True)
        there = target.exists()
        asked, self._asked_about = self._asked_about, target if there else None
        if there and asked != target:
            raise OutputProblem(f"{path} is there already. Enter once more overwrites it.")
        return there

    def write(self, path: Path, text: str, databases: Iterable[Path]) -> None:
        """Write a text to a file. Raises OutputProblem."""
        databases = tuple(databases)
        write_file(path, text, databases, force=self.check(path, databases))
        self._asked_about = None
