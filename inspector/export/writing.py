"""Writing to a file of the user's choice: which files are refused, and writing in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from inspector.core.errors import OutputProblem

#: What SQLite keeps beside a database.
_BESIDE = ("", "-wal", "-shm", "-journal")
#: The agent's own settings, in the folder of its database.
_SETTINGS = ("config.yaml", "config.yml", ".env")


class FileThere(OutputProblem):
    """Something is there already that may not be replaced."""


def check_target(path: Path, databases: Iterable[Path], force: bool) -> Path:
    """The file to write, symlinks followed. Raises OutputProblem where it is a database, what SQLite keeps beside one,
    the agent's settings, or anything in the agent's home; where its folder is missing; and where something is there
    already that may not be replaced."""
    try:
        target = path.expanduser().resolve()
        _check_home(path, target)
        for database in databases:
            _check_database(path, target, database)
        if target.is_dir():
            raise OutputProblem(f"{path} is a directory; name a file in it.")
        if not target.parent.is_dir():
            raise OutputProblem(
                f"There is no folder {target.parent} to write {target.name} to. Make it first."
            )
        if target.exists() and not target.is_file():
            raise OutputProblem(f"{path} is no regular file; for standard output give - as the file.")
        if target.exists() and not force:
            raise FileThere(_there(path))
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputProblem(f"{path} cannot be written to ({error}).") from error
    return target


def _check_home(path: Path, target: Path) -> None:
    """Raises OutputProblem where the target lies in the agent's home: whatever is there, it may take for its own."""
    homes = [Path.home() / ".hermes"]
    if os.environ.get("HERMES_HOME"):
        homes.append(Path(os.environ["HERMES_HOME"]))
    for home in homes:
        if target.is_relative_to(home.expanduser().resolve()):
            raise OutputProblem(f"{path} lies in the agent's own folder {home}, which is never written to.")


def _check_database(path: Path, target: Path, database: Path) -> None:
    """Raises OutputProblem where the target is the database or one of SQLite's files of it, under whatever name."""
    real = database.expanduser().resolve()
    for kept in {Path(f"{name}{end}") for name in (database.absolute(), real) for end in _BESIDE}:
        if target == kept or (target.exists() and kept.exists() and os.path.samefile(target, kept)):
            raise OutputProblem(
                f"{path} is the session database, or a file that SQLite keeps for it; it is never written to. "
                "Name another file."
            )
    if target.parent == real.parent and target.name.lower() in _SETTINGS:
        raise OutputProblem(f"{path} holds the agent's settings; it is never written to. Name another file.")


def write_file(path: Path, text: str, databases: Iterable[Path], force: bool = False) -> int:
    """Write the text in one step and answer its size in octets: the file is there whole, or not at all. It is readable
    for this user alone, as it holds a conversation. Raises OutputProblem."""
    target = check_target(path, databases, force)
    data = text.encode("utf-8", errors="replace")
    made: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name[:80]}.", delete=False
        ) as file:
            made = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if not force:
            # Somebody may have made the file since it was looked for; only this tells, and takes its place.
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        os.replace(made, target)
    except FileExistsError:
        _remove(made)
        raise FileThere(_there(path)) from None
    except OSError as error:
        _remove(made)
        raise OutputProblem(f"{path} cannot be written ({error.strerror or error}).") from error
    return len(data)


def _there(path: Path) -> str:
    return f"{path} is there already. Name another file, or give --force to overwrite it."


def _remove(made: Path | None) -> None:
    if made is not None:
        made.unlink(missing_ok=True)
