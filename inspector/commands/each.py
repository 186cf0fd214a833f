"""Commands that answer about one conversation, or about each of the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from inspector.commands.options import is_plain, print_answer
from inspector.core.text import safe_line

if TYPE_CHECKING:
    from inspector.answers.answers import Answers


def print_each(
    answers: Answers, name: str | None, as_json: bool, ask: Callable[[str], Any], text: Callable[[Any], None]
) -> None:
    """Print the answer of `ask` for the conversation `name`, or for all conversations if it is None.

    JSON of all conversations is one list whose entries have their `conversation`. Text has a title above each answer.
    """
    if name is not None:
        print_answer(ask(name), as_json, text)
        return
    rows = answers.store.conversations()
    if as_json or is_plain():
        print_answer([entry for row in rows for entry in _entries(row.id, ask(row.id))], as_json, text)
        return
    for number, row in enumerate(rows):
        click.echo(("\n" if number else "") + safe_line(row.title or row.id))
        text(ask(row.id))


def _entries(conversation: str, answer: Any) -> Sequence[Any]:
    if isinstance(answer, list):
        return [{"conversation": conversation, **entry} for entry in answer]
    return [answer]
