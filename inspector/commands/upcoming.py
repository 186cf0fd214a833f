"""The command about the next compaction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.commands.completing import words_argument
from inspector.commands.each import print_each
from inspector.commands.options import PATH_HELP, say, settings_options, source_options
from inspector.commands.sources import flags_of, only_one, open_source, path_or_name
from inspector.core.errors import UsageProblem


@click.command("next", epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION]")
@click.option("--pin", is_flag=True, help="Print the text to pin alone.")
@click.option("--no-mask", is_flag=True, help="Print keys and passwords as they are.")
@settings_options
@source_options
def next_compaction(
    words: tuple[str, ...],
    pin: bool,
    no_mask: bool,
    config: Path | None,
    as_json: bool,
    demo: bool,
    **options: Any,
) -> None:
    """Show the next compaction: how far it is, what it takes, what is at risk, what to pin, what it costs."""
    from inspector.answers.answers import Answers
    from inspector.answers.upcoming import upcoming
    from inspector.export.documents.upcoming import upcoming_document
    from inspector.export.text.upcoming import print_upcoming
    from inspector.models.masking import Masker

    path, name = path_or_name(words, demo)
    answers, masker = Answers(open_source(path, demo), flags_of(options), config), Masker(not no_mask)
    if pin:
        if name is None and (name := only_one(path, demo)) is None:
            raise UsageProblem("--pin is about one CONVERSATION; name it.")
        click.echo(masker(upcoming(answers, name).pin), nl=False)
        return
    print_each(
        answers, name, as_json, lambda one: upcoming_document(upcoming(answers, one), masker), print_upcoming
    )
    say(answers.notes())
