"""Writing what was found to a file of the user's choice, and to no other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from inspector.core.errors import BadInput


def write_new(path: Path, text: str, databases: Sequence[Path] = ()) -> None:
    """Write a new file. Raises BadInput where one is there already, where Hermes would take it for its own (anything in
    its home; beside one of its databases its config.yaml and files named like the database), and where it cannot be
    written."""
    target = Path(os.path.realpath(path))
    own = _is_hermes(target, [Path(os.path.realpath(database)) for database in databases])
    if own:
        raise BadInput(
            f"{path} would be Hermes' own ({own}), which is never written to; choose another file."
        )
    try:
        with target.open("x", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"{path} is there already; choose another name.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from error


def _is_hermes(target: Path, databases: Sequence[Path]) -> str:
    """Why a file would be Hermes' own; empty where it would not."""
    homes = [Path.home() / ".hermes"]
    if os.environ.get("HERMES_HOME"):
        homes.append(Path(os.environ["HERMES_HOME"]))
    for home in homes:
        if target.is_relative_to(os.path.realpath(home)):
            return f"in its folder {home}"
    for database in databases:
        if target.parent == database.parent:
            if target.name.lower() in ("config.yaml", "config.yml"):
                return f"the configuration beside {database.name}"
            if target.name.startswith(database.name):
                return f"named like its database {database.name}"
    return ""
