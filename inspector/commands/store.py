"""The commands about a whole database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from inspector.commands.options import PATH_HELP, print_answer, say, source_options
from inspector.commands.sources import open_source, split_path
from inspector.core.errors import UsageProblem

if TYPE_CHECKING:
    pass


@click.command(epilog=PATH_HELP)
@click.argument("path", required=False)
@source_options
def conversations(path: str | None, as_json: bool, demo: bool) -> None:
    """List the conversations of a database."""
    from inspector.answers.answers import Answers
    from inspector.export.text import print_conversations

    answers = Answers(open_source(path, demo), {}, None)
    print_answer(answers.conversations(), as_json, print_conversations)
    say(answers.notes())


@click.command(epilog=PATH_HELP)
@click.argument("path", required=False)
@source_options
def store(path: str | None, as_json: bool, demo: bool) -> None:
    """Describe a database: schema, detected profile and why, tables, full-text indexes."""
    from inspector.answers.answers import Answers
    from inspector.export.text import print_stores

    answers = Answers(open_source(path, demo), {}, None)
    print_answer(answers.store_documents(), as_json, print_stores)
    say(answers.notes())


@click.command(epilog=PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] WORDS...")
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="At most so many hits."
)
@source_options
def search(words: tuple[str, ...], limit: int, as_json: bool, demo: bool) -> None:
    """Search the text of every message.

    The first word is PATH where it is a file or is written like one.
    """
    from inspector.answers.answers import Answers
    from inspector.export.text import print_hits

    path, wanted = split_path(words, demo)
    if not any(word.strip() for word in wanted):
        raise UsageProblem("Give the words to search for: compaction-inspector search [PATH] WORDS...")
    answers = Answers(open_source(path, demo), {}, None)
    print_answer(answers.search(" ".join(wanted), limit), as_json, print_hits)
    say(answers.notes())
