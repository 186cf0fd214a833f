"""The command that makes a whole life of summaries again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.commands.attempt import check_made, problems_of
from inspector.commands.options import PATH_HELP, WHOLE, print_answer, say, settings_options, source_options
from inspector.commands.sending import (
    Telling,
    allowed,
    summarizer_options,
    summarizers_of,
    wording_of,
    wording_options,
)
from inspector.commands.sources import flags_of, open_source, path_and_name
from inspector.core.errors import UnknownConversation, UsageProblem

if TYPE_CHECKING:
    from inspector.models.attempt import Attempt


@click.command(epilog=PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION]")
@click.option(
    "--compaction", "first", type=WHOLE, default=1, show_default=True, metavar="K", help="Where it begins."
)
@click.option("--budget", type=WHOLE, metavar="TOKENS", help="Ask for so many tokens each time.")
@click.option("--resume", type=WHOLE, metavar="ID", help="Go on with a life that was begun.")
@wording_options
@summarizer_options
@settings_options
@source_options
def life(
    words: tuple[str, ...], first: int, budget: int | None, resume: int | None, focus: str, prompt: Path | None,
    release_prompt: Path | None, commands: tuple[str, ...], endpoint: str | None, models: tuple[str, ...],
    key_env: str | None, timeout: float, no_mask: bool, send: bool, config: Path | None, as_json: bool, demo: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Make every summary from a compaction on again, each on top of the one before, and draw what survives.

    What it would about cost is told before. A life that ended in its middle is gone on with by --resume.
    """
    from inspector.answers.answers import Answers
    from inspector.answers.attempt_life import LifeOrder, life_curve, life_of, life_sending, make_life
    from inspector.answers.attempting import attempts_of
    from inspector.export.documents.attempts import attempt_document, curve_document, sending_document
    from inspector.export.text.attempts import print_curve
    from inspector.models.kept import default_attempts

    path, name = path_and_name(words, demo)
    answers = Answers(open_source(path, demo), flags_of(options), config)
    inspection, resolved = answers.opened(name)
    settings, kept = resolved.settings, default_attempts()
    done: dict[int, Attempt] = {}
    if resume is not None:
        done = life_of(attempts_of(answers.store, inspection.conversation.row, kept), resume)
        if not done:
            raise UnknownConversation(f"This conversation has no life {resume} that could be gone on with.")
        first = min(done)
    summarizers = summarizers_of(commands, endpoint, models, key_env, timeout)
    if len(summarizers) > 1:
        raise UsageProblem("A life has one summarizer; make one after the other.")
    wording = wording_of(prompt, release_prompt, focus, no_mask)
    order = LifeOrder(summarizers[0], wording, first, budget, done, resume)
    sending = life_sending(inspection, settings, order)
    allowance, telling = allowed(sending, send), Telling()
    try:
        made = make_life(inspection, settings, order, kept, allowance, telling)
    finally:
        telling.end()
    whole = {one.place.compaction: one for one in made if one.state == "finished"}
    points = curve_document(life_curve(inspection, settings, whole)) if whole else []
    number = made[0].life
    if as_json:
        told = [attempt_document(one) for one in made]
        document = {"sending": sending_document(sending), "life": number, "attempts": told, "curve": points}
        print_answer(document, True, print)
    elif points:
        print_curve(points, number)
    say([*answers.notes(), *problems_of(made)])
    if made[-1].state != "finished" and whole:
        say([f"It ends at compaction {made[-1].place.compaction}; --resume {number} goes on with it."])
    check_made(made)
