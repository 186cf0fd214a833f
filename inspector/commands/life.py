"""The command that makes all summaries of a conversation again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from inspector.commands.asking import Asked, source_options
from inspector.commands.attempt import check_made, note_problems
from inspector.commands.completing import words_argument
from inspector.commands.options import PATH_HELP, WHOLE, say, settings_options
from inspector.commands.sending import Progress, Sender, summarizer_options, wording_options
from inspector.core.errors import UnknownConversation

if TYPE_CHECKING:
    from inspector.models.attempt import Attempt


@click.command(epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION]")
@click.option(
    "--compaction", "first", type=WHOLE, default=1, show_default=True, metavar="K", help="First compaction."
)
@click.option("--budget", type=WHOLE, metavar="TOKENS", help="Budget of each summary.")
@click.option("--resume", type=WHOLE, metavar="ID", help="Continue an unfinished life.")
@wording_options
@summarizer_options
@settings_options
@source_options
def life(asked: Asked, sender: Sender, first: int, budget: int | None, resume: int | None) -> None:
    """Make every summary from a compaction on again, each from the previous new one, and draw what survives.

    The command shows an estimate of the cost first. --resume continues an unfinished life.
    """
    from inspector.answers.attempt_life import LifeOrder, life_curve, life_of, life_sending, make_life
    from inspector.answers.attempting import attempts_of
    from inspector.export.attempts import attempt_document, print_curve, sending_document
    from inspector.export.document import built
    from inspector.models.kept import default_attempts

    answers, name = asked.one()
    inspection, resolved = answers.opened(name)
    settings, kept = resolved.settings, default_attempts()
    done: dict[int, Attempt] = {}
    if resume is not None:
        done = life_of(attempts_of(answers.store, inspection.conversation.row, kept), resume)
        if not done:
            raise UnknownConversation(
                f"This conversation has no life {resume} to continue. `attempts` lists the lives."
            )
        first = min(done)
    order = LifeOrder(sender.summarizer(), sender.wording(), first, budget, done, resume)
    sending = life_sending(inspection, settings, order)
    allowance = sender.allowed(sending)
    with Progress() as progress:
        made = make_life(inspection, settings, order, kept, allowance, progress)
    whole = {one.place.compaction: one for one in made if one.state == "finished"}
    points = built(life_curve(inspection, settings, whole)) if whole else []
    number = made[0].life
    document = {
        "sending": sending_document(sending),
        "life": number,
        "attempts": [attempt_document(attempt) for attempt in made],
        "curve": points,
    }
    note_problems(asked, made)
    asked.print(document, lambda _: print_curve(points, number) if points else None)
    if made[-1].state != "finished" and whole:
        say([f"The life ends at compaction {made[-1].place.compaction}; --resume {number} continues it."])
    check_made(made)
