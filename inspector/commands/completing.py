"""Completion of PATH and CONVERSATION in a shell, and the script that turns it on."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem, get_completion_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.core.conversations import ConversationRow

F = TypeVar("F", bound="Callable[..., Any]")
PROGRAM = "compaction-inspector"
#: Environment variable that a shell sets to get completions from click.
VARIABLE = "_COMPACTION_INSPECTOR_COMPLETE"
#: Maximum number of completed conversations.
_MOST = 200


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(click.Group(PROGRAM), {}, PROGRAM, VARIABLE).source()


def complete_words(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a path as the first word, and conversations by id or by a part of the title."""
    words: Sequence[str] = ctx.params.get(param.name or "") or ()
    files = [] if words else [CompletionItem(incomplete, type="file")]
    if incomplete.startswith(("/", "./", "../", "~")):
        return files
    conversations = [
        CompletionItem(row.id, help=title)
        for row, title in _listed(words, bool(ctx.params.get("demo")))
        if row.id.startswith(incomplete) or incomplete.casefold() in title.casefold()
    ][:_MOST]
    return conversations if conversations and (words or not os.path.exists(incomplete)) else files


def complete_path(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a path."""
    return [CompletionItem(incomplete, type="file")]


def _listed(words: Sequence[str], demo: bool) -> list[tuple[ConversationRow, str]]:
    """Return the conversations and their titles, as far as they are known without reading many files."""
    from inspector.commands.sources import open_source, split_path
    from inspector.core.errors import InspectorError
    from inspector.core.text import safe_title

    try:
        with closing(open_source(split_path(words)[0], demo)) as store:
            at_once = store.at_once()
            rows = store.conversations() if at_once is None else at_once[0]
            return [(row, safe_title(row.title, 60)) for row in rows]
    except InspectorError:
        # A shell that completes shows no sentences.
        return []


def words_argument(metavar: str) -> Callable[[F], F]:
    """Return the decorator of the words PATH and CONVERSATION."""
    return click.argument("words", nargs=-1, metavar=metavar, shell_complete=complete_words)


path_argument = click.argument("path", required=False, shell_complete=complete_path)
