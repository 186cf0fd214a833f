"""Writing to a typed path: an existing file is overwritten when the user asks twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from inspector.core.errors import OutputProblem
from inspector.export.writing import FileThere, write_file


class Overwriting:
    """Remembers which file was asked about last."""

    def __init__(self) -> None:
        self._asked_about: Path | None = None

    def write(self, path: Path, text: str, databases: Iterable[Path]) -> None:
        """Write a text to a file. Raises OutputProblem, the first time also where the file is there already."""
        try:
            write_file(path, text, databases, force=path == self._asked_about)
        except FileThere:
            self._asked_about = path
            raise OutputProblem(f"{path} is there already. Enter once more overwrites it.") from None
        self._asked_about = None
