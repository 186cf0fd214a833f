"""The folders of the agents, by their usual places and by environment variables. The program never writes there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.agents import agents, folders_of
from inspector.core.errors import OutputProblem, StoreMissing


def expanded(path: str | Path, source: str = "") -> Path:
    """Return the path with `~` and `~user` expanded. `source` names its origin, such as an environment variable.

    Raise StoreMissing for a user that does not exist, and for a path with a NUL.
    """
    try:
        if "\0" in str(path):
            raise ValueError
        return Path(path).expanduser()
    except (RuntimeError, ValueError, OSError) as error:
        where = f"{source} is {str(path)!r}, which" if source else repr(str(path))
        reason = "it contains a NUL character" if type(error) is ValueError else "the user does not exist"
        raise StoreMissing(f"{where} cannot be opened: {reason}. Write the whole path.") from None


def agent_folders() -> Iterator[Path]:
    """Yield every folder and file of every agent, resolved: usual places, environment variables, and plug-in agents."""
    folders = {folder for agent in agents() for folder in folders_of(agent)}
    yield from map(Path, map(os.path.realpath, folders))


def refuse_agent_folders(path: Path) -> Path:
    """Return `path` with symlinks resolved. Raise OutputProblem if it is in an agent's folder, under any name."""
    try:
        target = path.expanduser().resolve()
        above = [target, *target.parents]
        for folder in agent_folders():
            if folder in above or any(_same(folder, parent) for parent in above):
                raise OutputProblem(
                    f"{path} is in {folder}, an agent's own folder. The program never writes there. Name another file."
                )
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputProblem(f"{path} cannot be written to ({error}).") from error
    return target


def refuse_own_file(path: Path) -> Path:
    """Return the path of one of the program's own files with symlinks resolved.

    Raise OutputProblem if it is in an agent's folder. A home folder that is itself inside an agent's folder, as in some
    containers, does not count.
    """
    target = path.resolve()
    home = Path.home().resolve()
    for folder in agent_folders():
        if not home.is_relative_to(folder) and target.is_relative_to(folder):
            raise OutputProblem(
                f"{path} is in {folder}, an agent's own folder. The program never writes there."
            )
    return target


def _same(one: Path, other: Path) -> bool:
    """Return whether two paths are the same folder: spelled in another case, or mounted twice."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
