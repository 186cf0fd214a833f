"""Find the database and the conversation that a command line names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.core.errors import StoreMissing, UnknownConversation, UsageProblem
from inspector.core.shares import plural

if TYPE_CHECKING:
    from inspector.stores.base import Store


def open_source(path: str | None, demo: bool, name: str | None = None) -> Store:
    """Return the store of PATH (also a URL), the bundled stores, or the stores of this machine. `name` is CONVERSATION.

    Raises StoreErrors. Raises UsageProblem for PATH with --demo, and for a name without any store.
    """
    from inspector.stores.detect import open_folder, open_store

    if demo and path is not None:
        raise UsageProblem(f"--demo reads the bundled databases: leave out --demo or {path}.")
    if demo:
        from inspector.config.bundled import demo_databases, demo_sessions, fixtures_dir
        from inspector.stores.several import SeveralStores, single_stores

        others = single_stores(open_folder(demo_sessions(), keep=False))
        return SeveralStores([*map(open_store, demo_databases()), *others], fixtures_dir())
    if path is not None:
        return open_store(_copied(path) if is_url(path) else Path(path))
    from inspector.stores.discovery import open_machine

    try:
        return open_machine()
    except StoreMissing as error:
        if name is None:
            raise
        raise UsageProblem(
            f"{name!r} is not a command or a file, and no store was found for a conversation of this name. {error} "
            "Give its path first: compaction-inspector PATH CONVERSATION."
        ) from None


def _copied(url: str) -> Path:
    """Return the folder with local copies of the sessions behind a URL. Raises as `copies.copy` does."""
    from inspector.commands.ending import say
    from inspector.config.folders import shown_url
    from inspector.fleet.copies import copy

    folder, count = copy(url)
    if count:
        say(f"Copied {plural(count, 'file')} of {shown_url(url)} to {folder}.")
    return folder


def is_url(word: str) -> bool:
    """Return whether a word is a URL with a scheme."""
    scheme, mark, _ = word.partition("://")
    return bool(mark) and scheme.replace("+", "").isalnum()


def is_path(word: str) -> bool:
    """Return whether a word is PATH: an existing file, a URL, or a word that looks like a path."""
    return (
        is_url(word)
        or (word.endswith((".db", ".json", ".jsonl")) and " " not in word)
        or word.startswith(("/", "./", "../", "~"))
        or os.path.exists(word)
    )


def split_path(words: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """Split `[PATH] ...` into PATH and the rest. PATH is None if the first word is not a path."""
    if words and is_path(words[0]):
        return words[0], tuple(words[1:])
    return None, tuple(words)


def refuse_second_path(path: str | None, names: Sequence[str]) -> None:
    """Raise UsageProblem if a name of a conversation is another file."""
    for name in names:
        if path is not None and os.sep in name and os.path.exists(name):
            raise UsageProblem(f"Give one PATH, not {path} and {name}: a file, or a folder with both.")


def only_one(path: str | None, demo: bool) -> str | None:
    """Return the only conversation of a store; None if it has several (as --demo) or is missing.

    Raises UnknownConversation if it has none, and StoreErrors.
    """
    if demo:
        return None
    try:
        with closing(open_source(path, demo=False)) as store:
            rows = store.conversations()
    except StoreMissing:
        if path is not None:
            raise
        return None
    if not rows:
        raise UnknownConversation(f"There are no conversations in {path or 'the stores of this machine'}.")
    whole = [row.id for row in rows if row.kind == "conversation"] or [row.id for row in rows]
    return whole[0] if len(whole) == 1 else None


def path_or_name(words: Sequence[str], demo: bool) -> tuple[str | None, str | None]:
    """Return PATH and CONVERSATION of `[PATH] [CONVERSATION]`. Both are optional. Raises UsageProblem."""
    path, rest = split_path(words)
    if len(words) > 2 or (demo and path is None and len(words) > 1):
        given = (
            "Give at most one CONVERSATION with --demo, and no PATH"
            if demo
            else "Give at most a PATH and a CONVERSATION"
        )
        raise UsageProblem(f"{given}. Put a title of several words in quotes.")
    if len(words) == 2:
        if path is None and is_path(words[1]):
            raise UsageProblem(f"{words[0]} is neither a command nor a file. Give PATH before CONVERSATION.")
        refuse_second_path(words[0], words[1:])
        return words[0], words[1]
    return path, rest[0] if rest else None


def flags_of(options: dict[str, Any]) -> dict[str, Any]:
    from inspector.engines.settings import SETTING_NAMES

    return {name: options[name] for name in SETTING_NAMES if options.get(name) is not None}
