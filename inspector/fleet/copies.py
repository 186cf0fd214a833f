"""Local copies of sessions behind an fsspec URL (the extra `fleet`). Only changed files are copied again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from inspector.agents import may_hold_sessions
from inspector.config.agent_folders import refuse_own_file
from inspector.config.folders import URL_FILE, copies_dir, shown_url
from inspector.core.errors import StoreMissing, UsageProblem
from inspector.stores.signatures import all_files_of


class CopiedFile(NamedTuple):
    """A file behind a URL: its path below it, its size, and its time of change in seconds since the epoch."""

    name: str
    size: int
    changed: float


class Copied(NamedTuple):
    """Files behind a URL, and the path of their store below it."""

    url: str
    path: str
    files: tuple[CopiedFile, ...]


def copy(url: str) -> tuple[Path, int]:
    """Copy the sessions behind a URL; return the local folder and the number of files that had changed.

    Raises UsageProblem without fsspec, StoreMissing if the URL's file system is not installed or nothing can be read.
    """
    system, root = _opened(url)
    folder = _folder(url)
    with _reading(url):
        files = list(_listed(system, root))
        count = sum(_copy_if_changed(system, root, folder, file) for file in files)
        if not files:
            # The listing of a place that is missing or cannot be reached may be empty. This raises its error.
            system.info(root)
    if not files:
        raise StoreMissing(f"{shown_url(url)} holds no sessions that this program knows.")
    _remove_others(folder, {URL_FILE, *(file.name for file in files)})
    return folder, count


@contextmanager
def _reading(url: str) -> Iterator[None]:
    """Turn every error of the file system behind a URL into StoreMissing."""
    try:
        yield
    # The client of each service has its own exceptions, without a common base.
    except Exception as error:
        reason = shown_url(" ".join(str(error).split())) or type(error).__name__
        raise StoreMissing(f"{shown_url(url)} cannot be read ({reason}).") from error


def _remove_others(folder: Path, names: set[str]) -> None:
    """Remove the copies of files that are gone."""
    for path in folder.rglob("*"):
        if path.is_file() and str(path.relative_to(folder)) not in names:
            path.unlink()


def copied_from(path: Path, files: Sequence[str]) -> Copied | None:
    """Return the URL behind the copies at some paths; None if they are not copies."""
    copies = _copies_at(path)
    if copies is None:
        return None
    folder, url = copies
    copied = []
    for name in dict.fromkeys(name for file in files for name in all_files_of(file)):
        status = os.stat(name)
        copied.append(CopiedFile(os.path.relpath(name, folder), status.st_size, status.st_mtime))
    return Copied(url, os.path.relpath(path, folder), tuple(copied))


@lru_cache(maxsize=8)
def _copies_at(path: Path) -> tuple[Path, str] | None:
    """Return the folder of copies that a path is in, and their URL; None if it is in none."""
    copies = copies_dir()
    if not path.is_relative_to(copies):
        return None
    folder = copies / path.relative_to(copies).parts[0]
    return folder, (folder / URL_FILE).read_text(encoding="utf-8")


def copy_of(copied: Copied) -> Path:
    """Return the folder with the copies of files, copied here if they are not there yet. Raises as `copy` does."""
    folder = _folder(copied.url)
    missing = [file for file in copied.files if not _is_there(folder, file)]
    if missing:
        system, root = _opened(copied.url)
        with _reading(copied.url):
            for file in missing:
                _copy_if_changed(system, root, folder, file)
    return folder


def _opened(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise UsageProblem(
            "A URL needs the extra `fleet`: pip install 'compaction-inspector[fleet]'."
        ) from error
    with _reading(url):
        system, root = url_to_fs(url)
    return system, str(root).rstrip("/")


def _folder(url: str) -> Path:
    folder = copies_dir() / hashlib.blake2b(url.encode(), digest_size=8).hexdigest()
    refuse_own_file(folder / URL_FILE)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = folder / URL_FILE
    if not name.exists():
        name.write_text(url, encoding="utf-8")
    return folder


def _listed(system: Any, root: str) -> Iterator[CopiedFile]:
    """Yield the files that may hold sessions."""
    for path, info in system.find(root, detail=True).items():
        name = os.path.relpath(path, root) if path != root else os.path.basename(path)
        if (may_hold_sessions(name) or name.endswith("-wal")) and not name.startswith(".."):
            yield CopiedFile(name, int(info.get("size") or 0), _changed_at(info))


def _changed_at(info: dict[str, Any]) -> float:
    """Return the time of change of a file in seconds since the epoch; 0.0 if its file system has none."""
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        value = info.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, str):
            return datetime.fromisoformat(value).timestamp()
    return 0.0


def _is_there(folder: Path, file: CopiedFile) -> bool:
    try:
        status = (folder / file.name).stat()
    except OSError:
        return False
    return status.st_size == file.size and abs(status.st_mtime - file.changed) < 1


def _copy_if_changed(system: Any, root: str, folder: Path, file: CopiedFile) -> bool:
    """Copy a file if it has changed, and return whether it has. A reader never sees a part of a file."""
    if _is_there(folder, file):
        return False
    target = folder / file.name
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = target.with_name(f".{uuid4().hex}.part")
    try:
        source = root if system.isfile(root) else f"{root}/{file.name}"
        system.get_file(source, str(part))
        os.utime(part, (file.changed, file.changed))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return True
