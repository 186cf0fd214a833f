"""A report asked for by path: its form, what may not be overwritten, and writing in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from inspector.core.errors import OutputProblem, UsageProblem
from inspector.reports.report.values import Report

Form = Literal["html", "markdown"]
_ENDINGS: dict[str, Form] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}
#: What SQLite keeps beside a database.
_BESIDE = ("", "-wal", "-shm", "-journal")
#: The agent's own settings, in the folder of its database.
_SETTINGS = ("config.yaml", "config.yml", ".env")


def form_of(path: Path | None, asked: str | None) -> Form:
    """The form asked for, else the one that the file's ending means; HTML for standard output (no path). Raises
    UsageProblem where neither says it."""
    if asked == "html" or (asked is None and path is None):
        return "html"
    if asked == "markdown":
        return "markdown"
    ending = "" if path is None else path.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageProblem(
            f"{path} ends neither with .html nor with .md; name such a file, or say --format html or markdown."
        )
    return _ENDINGS[ending]


def render(report: Report, form: Form) -> str:
    """The report in a form."""
    if form == "markdown":
        from inspector.reports.markdown.document import render_markdown

        return render_markdown(report)
    from inspector.reports.html.page import render_html

    return render_html(report)


def check_target(path: Path, databases: Iterable[Path], force: bool) -> Path:
    """The file to write, symlinks followed. Raises OutputProblem where it is a database, what SQLite keeps beside
    one, or the agent's settings, where its folder is missing, and where something is there already that may not be
    replaced."""
    try:
        target = path.expanduser().resolve()
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
            raise OutputProblem(_there(path))
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputProblem(f"{path} cannot be written to ({error}).") from error
    return target


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


def write_report(path: Path, text: str, databases: Iterable[Path], force: bool = False) -> int:
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
        raise OutputProblem(_there(path)) from None
    except OSError as error:
        _remove(made)
        raise OutputProblem(f"{path} cannot be written ({error.strerror or error}).") from error
    return len(data)


def _there(path: Path) -> str:
    return f"{path} is there already. Name another file, or give --force to overwrite it."


def _remove(made: Path | None) -> None:
    if made is not None:
        made.unlink(missing_ok=True)
