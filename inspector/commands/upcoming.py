"""The command about the next compaction."""

from __future__ import annotations

import click

from inspector.commands.asking import Asked, source_options
from inspector.commands.completing import words_argument
from inspector.commands.options import PATH_HELP, mask_option, settings_options


@click.command("next", epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION]")
@click.option("--pin", is_flag=True, help="Print the text to pin alone.")
@mask_option
@settings_options
@source_options
def next_compaction(asked: Asked, pin: bool) -> None:
    """Show the next compaction: how far it is, what it takes, what is at risk, what to pin, what it costs."""
    from inspector.answers.upcoming import upcoming
    from inspector.export.upcoming import print_upcoming, upcoming_document
    from inspector.models.masking import Masker

    # Escapes in the text to pin would break secrets up, so the document is made without them.
    masker, asked.masking = Masker(bool(asked.masking)), None
    if pin:
        answers, one = asked.one("--pin is about one CONVERSATION; name it.")
        click.echo(masker(upcoming(answers, one).pin), nl=False)
        return
    answers, name = asked.one_or_all()
    asked.print_each(name, lambda one: upcoming_document(upcoming(answers, one), masker), print_upcoming)
