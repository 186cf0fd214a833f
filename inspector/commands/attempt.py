"""The commands about attempts: summaries that another model or prompt makes again, alone or one after the other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from inspector.commands.asking import Asked, command, shared_options
from inspector.commands.options import WHOLE, print_answer, print_notes, settings_options
from inspector.commands.sending import (
    Sender,
    numbers_of,
    print_prompts,
    summarizer_option,
    summarizer_options,
    wording_options,
)
from inspector.commands.sources import path_or_name
from inspector.core.errors import SummarizerFailed, UnknownConversation, UsageProblem
from inspector.core.shares import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.answers.attempt_survival import SummaryOutcome
    from inspector.answers.inspection import Inspection
    from inspector.engines.base import Settings
    from inspector.models.attempt import Ask, Attempt
    from inspector.models.kept import KeptAttempts
    from inspector.stores.base import Store


@command("[PATH] [CONVERSATION]")
@click.option(
    "--compaction",
    "compactions",
    multiple=True,
    metavar="K",
    help="A recorded compaction, counted from 1, or `all`. May be repeated.",
)
@click.option(
    "--step", type=WHOLE, metavar="N", help="The compaction that the settings plan at step N of a replay."
)
@click.option(
    "--budget",
    "budgets",
    type=WHOLE,
    multiple=True,
    metavar="TOKENS",
    help="Budget of the summary. May be repeated.",
)
@wording_options
@click.option("--show-prompt", is_flag=True, help="Print the prompts and send nothing.")
@summarizer_options
@shared_options(settings_options)
def attempt(
    asked: Asked, sender: Sender, compactions: tuple[str, ...], step: int | None, budgets: tuple[int, ...],
    show_prompt: bool,
) -> None:  # fmt: skip
    """Make a summary again with another model or prompt.

    The model gets the same input as in the engine, so only the summarizer differs. The command compares the facts that
    the summaries keep. Before it sends anything, it shows the recipient, the size, an estimate of the cost and the
    masked secrets, and asks. Attempts are stored (`attempts`).
    """
    from inspector.answers.attempting import (
        Order,
        ask_for,
        carry_out,
        planned_list,
        recorded_list,
        sending_of,
    )
    from inspector.export.attempts import (
        attempt_document,
        outcome_document,
        print_outcomes,
        sending_document,
    )
    from inspector.models.kept import default_attempts

    answers, inspection, resolved = asked.opened()
    settings, masker, wording = resolved.settings, sender.masker(), sender.wording()
    if (step is None) == (not compactions):
        raise UsageProblem("Give either --compaction K (or all) or --step N.")
    if step is not None:
        lists = [planned_list(inspection, settings, step)]
    else:
        numbers = numbers_of(inspection, compactions)
        lists = [recorded_list(inspection, settings, number) for number in numbers]
    asks: list[Ask] = []
    for listed in lists:
        try:
            asks += [
                ask_for(listed, settings, wording, budget, masker=masker) for budget in budgets or (None,)
            ]
        except UsageProblem as problem:
            # With `all`, compactions that cannot be made again are left out.
            if "all" not in compactions or (listed is lists[-1] and not asks):
                raise
            answers.note(f"Compaction {listed.place.compaction} is left out: {problem}")
    for note in filter(None, (ask.settings["note"] for ask in asks)):
        answers.note(str(note))
    if show_prompt:
        print_prompts(asked, (ask.prompt for ask in asks))
        return
    orders = [Order(ask, summarizer) for ask in asks for summarizer in sender.summarizers()]
    sending = sending_of(orders, masker)
    new_attempts = sender.send(sending, partial(carry_out, orders, inspection, default_attempts()))
    outcomes = _outcomes(inspection, settings, new_attempts)
    note_problems(asked, new_attempts)
    asked.print(
        outcomes,
        print_outcomes,
        lambda outcomes: {
            "sending": sending_document(sending),
            "attempts": list(map(attempt_document, new_attempts)),
            "summaries": list(map(outcome_document, outcomes)),
        },
    )
    check_made(new_attempts)


def _outcomes(
    inspection: Inspection, settings: Settings, attempts: Sequence[Attempt]
) -> list[SummaryOutcome]:
    from inspector.answers.attempt_survival import outcomes_of

    numbers = dict.fromkeys(attempt.place.compaction for attempt in attempts)
    return [outcome for number in numbers for outcome in outcomes_of(inspection, settings, number, attempts)]


def note_problems(asked: Asked, new_attempts: Sequence[Attempt]) -> None:
    """Note the problem of each attempt that has one."""
    from inspector.export.attempts import problems

    for sentence in problems(new_attempts):
        asked.answers.note(sentence)


def check_made(new_attempts: Sequence[Attempt]) -> None:
    """Raise SummarizerFailed if no attempt is finished. A partial text is not a summary."""
    if new_attempts and not any(attempt.state == "finished" for attempt in new_attempts):
        raise SummarizerFailed("No complete summary was made.")


@command("[PATH] [CONVERSATION]", covers_all=True)
@click.option(
    "--show",
    "shown",
    type=WHOLE,
    metavar="ID",
    help="Show an attempt with its summary (--json: also its prompt).",
)
@click.option(
    "--delete", "deleted", type=WHOLE, multiple=True, metavar="ID", help="Delete an attempt. May be repeated."
)
@click.option("--life", type=WHOLE, metavar="ID", help="Show the curve of a life next to the recorded curve.")
@shared_options(settings_options)
def attempts(asked: Asked, shown: int | None, deleted: tuple[int, ...], life: int | None) -> None:
    """List the stored attempts.

    With CONVERSATION, compare them with its recorded summaries.
    """
    from inspector.answers.attempt_life import life_curve
    from inspector.answers.attempting import attempts_of
    from inspector.export.attempts import (
        attempt_document,
        outcome_document,
        print_attempt,
        print_attempts,
        print_curve,
        print_outcomes,
    )
    from inspector.models.kept import default_attempts

    kept = default_attempts()
    if deleted:
        missing = [number for number in deleted if kept.get(number) is None]
        if missing:
            raise UnknownConversation(f"There is no attempt {missing[0]}; nothing was deleted.")
        count = kept.delete(deleted)
        print_answer({"deleted": count}, asked.as_json, lambda _: click.echo(f"{count} deleted."))
        return
    if shown is not None:
        attempt = kept.get(shown)
        if attempt is None:
            raise UnknownConversation(f"There is no attempt {shown}. `attempts` lists the stored ones.")
        print_answer(attempt, asked.as_json, print_attempt, partial(attempt_document, full=True))
        return
    path, name = path_or_name(asked.words, asked.demo)
    if name is None and life is None:
        listed = kept.all()
        if path is not None or asked.demo:
            listed = _of_store(listed, asked.one_or_all()[0].store, kept)
        print_answer(listed, asked.as_json, print_attempts, lambda all: list(map(attempt_document, all)))
        return
    answers, inspection, resolved = asked.opened()
    mine = attempts_of(answers.store, inspection.conversation.row, kept)
    if life is not None:
        whole = _known_life(mine, life)
        asked.print(life_curve(inspection, resolved.settings, whole), partial(print_curve, life=life))
    else:
        empty = sum(not attempt.summary for attempt in mine)
        if empty:
            answers.note(f"{plural(empty, 'attempt')} without a text not shown; `attempts` lists all.")
        outcomes = _outcomes(inspection, resolved.settings, mine)
        asked.print(outcomes, print_outcomes, lambda outcomes: list(map(outcome_document, outcomes)))


def _of_store(listed: Sequence[Attempt], store: Store, kept: KeptAttempts) -> tuple[Attempt, ...]:
    """Return the attempts of the conversations of a store, and print a note about the others."""
    from inspector.answers.attempting import attempts_of

    ids = {attempt.id for row in store.conversations() for attempt in attempts_of(store, row, kept)}
    mine = tuple(attempt for attempt in listed if attempt.id in ids)
    hidden = len(listed) - len(mine)
    if hidden:
        others = plural(hidden, "attempt")
        print_notes([f"{others} of other stores not shown; `attempts` without PATH lists all."])
    return mine


def _known_life(attempts: Sequence[Attempt], number: int) -> dict[int, Attempt]:
    """Return the finished attempts of a life by compaction. Raises UnknownConversation for none."""
    from inspector.answers.attempt_life import life_of

    whole = life_of(attempts, number)
    if not whole:
        raise UnknownConversation(
            f"This conversation has no life {number} with a finished summary. `attempts` lists the lives."
        )
    return whole


@command("[PATH] [CONVERSATION]")
@click.option(
    "--compaction", "first", type=WHOLE, default=1, show_default=True, metavar="K", help="First compaction."
)
@click.option("--budget", type=WHOLE, metavar="TOKENS", help="Budget of each summary.")
@click.option("--resume", type=WHOLE, metavar="ID", help="Continue an unfinished life.")
@wording_options
@summarizer_option
@shared_options(settings_options)
def life(asked: Asked, sender: Sender, first: int, budget: int | None, resume: int | None) -> None:
    """Make again every summary from one compaction on.

    Each new summary is made from the previous new summary. The curve shows how many facts can still be read after each
    compaction, with the recorded and with the new summaries. The command shows an estimate of the cost first. --resume
    continues an unfinished life.
    """
    from inspector.answers.attempt_life import LifeOrder, life_curve, life_sending, make_life
    from inspector.answers.attempting import attempts_of
    from inspector.export.attempts import attempt_document, print_curve, sending_document
    from inspector.export.document import built
    from inspector.models.kept import default_attempts

    answers, inspection, resolved = asked.opened()
    settings, kept = resolved.settings, default_attempts()
    done: dict[int, Attempt] = {}
    if resume is not None:
        done = _known_life(attempts_of(answers.store, inspection.conversation.row, kept), resume)
        first = min(done)
    order = LifeOrder(sender.summarizer(), sender.wording(), first, budget, done, resume)
    sending = life_sending(inspection, settings, order)
    new_attempts = sender.send(sending, partial(make_life, inspection, settings, order, kept))
    whole = {attempt.place.compaction: attempt for attempt in new_attempts if attempt.state == "finished"}
    points = life_curve(inspection, settings, whole) if whole else ()
    number = new_attempts[0].life
    note_problems(asked, new_attempts)
    asked.print(
        points,
        lambda points: print_curve(points, number) if points else None,
        lambda points: {
            "sending": sending_document(sending),
            "life": number,
            "attempts": list(map(attempt_document, new_attempts)),
            "curve": built(points),
        },
    )
    if new_attempts[-1].state != "finished" and whole:
        print_notes(
            [
                f"The life ends at compaction {new_attempts[-1].place.compaction}; --resume {number} continues it."
            ]
        )
    check_made(new_attempts)
