"""The files with the history of a Codex session.

From 0.160 on (as far as seen) a fork and a session that went back begin a new file. It has only new lines. It names the
file before it, and the number of the first line there that does not belong to it (`history_base`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.errors import StoreError
from inspector.stores.lines import first_mappings, head_of
from inspector.stores.values import count_at, mapping_at, text_at

_NAME = re.compile(r"[0-9a-fA-F-]{36}")


class HistoryFile(NamedTuple):
    """A file of a history. `meta` is its record about the session.

    Lines from the number `end` on do not belong to the history; None if all do. `reverted`: the same session left them.
    `lacks_base`: the file before this one is missing.
    """

    path: Path
    meta: Mapping[str, Any]
    end: int | None = None
    reverted: bool = False
    lacks_base: bool = False


def history_of(path: Path) -> list[HistoryFile]:
    """Return the files with the history of a session, the oldest first. `path` is the newest. Raises StoreErrors."""
    files = [HistoryFile(path, _meta_of(path))]
    while base := text_at(files[0].meta, "history_base", "thread_id"):
        file, meta = _file_named(base, files[0].path), None
        if file is not None and all(file != other.path for other in files):
            with suppress(StoreError):
                meta = _meta_of(file)
        if file is None or meta is None:
            files[0] = files[0]._replace(lacks_base=True)
            break
        end = count_at(files[0].meta, "history_base", "end_ordinal_exclusive")
        reverted = text_at(meta, "id") == text_at(files[0].meta, "id")
        files.insert(0, HistoryFile(file, meta, end, reverted))
    return files


def _meta_of(path: Path) -> Mapping[str, Any]:
    values = first_mappings(head_of(path))
    return next((mapping_at(value, "payload") for value in values if value.get("type") == "session_meta"), {})


def _file_named(name: str, beside: Path) -> Path | None:
    """Return the file whose name ends with an id: in the folder of another file, or in the folders of other days."""
    if not _NAME.fullmatch(name):
        return None
    folders = [beside.parent]
    if all(folder.name.isdigit() for folder in list(beside.parents)[:3]):
        folders.append(beside.parents[3])
    files = (
        file
        for folder in folders
        for pattern in (f"*{name}.jsonl", f"*{name}.jsonl.zst")
        for file in (folder.rglob(pattern) if folder != beside.parent else folder.glob(pattern))
    )
    return next(files, None)
