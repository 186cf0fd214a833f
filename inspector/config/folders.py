"""The user's own folders: remembered state, copies and counts. Never in the folder of a database."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.core.errors import BadInput, OutputProblem

_NAME = "compaction-inspector"
#: The file in a folder of copies that names their URL.
URL_FILE = "url"
#: Suffixes of the files of a database: the file itself, and two that SQLite adds.
DATABASE_FILES = ("", "-wal", "-shm")
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^/@]*@")


def state_dir() -> Path:
    """Return the user's state directory of this program; it may not exist yet."""
    from platformdirs import user_state_path

    return user_state_path(_NAME, appauthor=False)


def config_dir() -> Path:
    """Return the user's configuration directory of this program; it may not exist."""
    from platformdirs import user_config_path

    return user_config_path(_NAME, appauthor=False)


def cache_dir() -> Path:
    """Return the user's cache directory of this program; it may not exist yet."""
    from platformdirs import user_cache_path

    return user_cache_path(_NAME, appauthor=False, opinion=False)


def copies_dir() -> Path:
    """Return the folder with a folder of copies for each URL; it may not exist yet."""
    return cache_dir() / "copies"


def shown_url(url: str) -> str:
    """Return a URL without its password."""
    return _PASSWORD.sub(r"\1:***@", url)


def with_urls(text: str) -> str:
    """Return a text that names the URLs of copies instead of their paths."""
    copies = copies_dir()
    if str(copies) in text:
        for file in copies.glob(f"*/{URL_FILE}"):
            url = shown_url(file.read_text(encoding="utf-8", errors="replace")).rstrip("/")
            # A URL may be that of a file, which has the same name in the folder.
            copy = file.with_name(url.rpartition("/")[2])
            text = text.replace(str(copy), url) if copy.is_file() else text
            text = text.replace(str(file.parent), url)
    return text


def data_dir() -> Path:
    """Return the user's data directory of this program, for data that cannot be recomputed; it may not exist yet."""
    from platformdirs import user_data_path

    return user_data_path(_NAME, appauthor=False)


def read_yaml(path: Path, name: str) -> Any:
    """Return the content of a YAML file of the user. Raise BadInput with the file's `name` if it cannot be read."""
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" (line {where.line + 1})" if where is not None else ""
        raise BadInput(f"{name} is not valid YAML{line}. Fix it, or leave it out.") from error
    except (OSError, ValueError, RecursionError) as error:
        # ValueError: bytes that are not UTF-8, or a date that no calendar has.
        raise BadInput(f"{name} cannot be read ({error}). Fix it, or leave it out.") from error


def read_state(path: Path) -> dict[str, Any]:
    """Return a JSON mapping; empty if the file is missing or has other content."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def write_state(path: Path, document: Mapping[str, Any]) -> bool:
    """Write a JSON mapping in one step; return False if the folder is not writable."""
    return write_text(path, json.dumps(document, ensure_ascii=False, indent=1))


def write_text(path: Path, text: str) -> bool:
    """Write a text in one step, readable by this user only; return False on failure.

    A lone surrogate, which no file can store, becomes a question mark.
    """
    from inspector.config.agent_folders import refuse_own_file

    try:
        target = refuse_own_file(path)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(target, text.encode("utf-8", errors="replace"))
    except (OSError, OutputProblem):
        return False
    return True


def prepare_private(path: Path) -> None:
    """Create the folder and the file of a database, readable by this user only.

    SQLite gives its additional files the same permissions. Raise OSErrors, or OutputProblem for a path in an agent's
    folder.
    """
    from inspector.config.agent_folders import refuse_own_file

    target = refuse_own_file(path)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(target, os.O_CREAT | os.O_RDWR, 0o600))
    for end in DATABASE_FILES:
        with suppress(FileNotFoundError):
            os.chmod(f"{target}{end}", 0o600)


def write_whole(target: Path, data: bytes, overwrite: bool = True) -> None:
    """Write a file in one step, readable by this user only: completely or not at all.

    Raise OSErrors; FileExistsError if it exists and `overwrite` is false, or if it is no regular file: the step would
    replace a device such as /dev/null.
    """
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{target} is not a regular file")
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:80]}.", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if not overwrite:
                # Another program may have created the file meanwhile; only an exclusive open reports it.
                os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            os.replace(file.name, target)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
