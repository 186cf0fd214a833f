"""The commands about summaries that are made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.commands.options import PATH_HELP, WHOLE, print_answer, say, settings_options, source_options
from inspector.commands.sending import (
    Telling,
    allowed,
    summarizer_options,
    summarizers_of,
    wording_of,
    wording_options,
)
from inspector.commands.sources import flags_of, open_source, path_and_name, path_or_name
from inspector.core.errors import SummarizerFailed, UnknownConversation, UsageProblem
from inspector.core.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.answers.inspection import Inspection
    from inspector.engines.base import Settings
    from inspector.export.documents.document import Document
    from inspector.models.attempt import Attempt


@click.command(epilog=PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION]")
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
    help="Ask for so many tokens. May be repeated.",
)
@wording_options
@click.option("--show-prompt", is_flag=True, help="Print the prompts; nothing is sent.")
@summarizer_options
@settings_options
@source_options
def attempt(
    words: tuple[str, ...], compactions: tuple[str, ...], step: int | None, budgets: tuple[int, ...], focus: str,
    prompt: Path | None, release_prompt: Path | None, show_prompt: bool,
    commands: tuple[str, ...], endpoint: str | None, models: tuple[str, ...], key_env: str | None, timeout: float,
    no_mask: bool, send: bool, config: Path | None, as_json: bool, demo: bool, **options: Any,
) -> None:  # fmt: skip
    """Have a summary made again by a model of your choice, and see what it keeps.

    The input is what the engine would hand over, so that only the summarizer differs. Before anything is sent it says
    to whom, how much, about what it costs and which secrets were masked, and asks. Attempts are kept (`attempts`).
    """
    from inspector.answers.answers import Answers
    from inspector.answers.attempting import (
        Order,
        ask_for,
        carry_out,
        planned_list,
        recorded_list,
        sending_of,
    )
    from inspector.export.documents.attempts import sending_document
    from inspector.models.kept import default_attempts
    from inspector.models.masking import Masker

    path, name = path_and_name(words, demo)
    answers = Answers(open_source(path, demo), flags_of(options), config)
    inspection, resolved = answers.opened(name)
    settings, masker = resolved.settings, Masker(not no_mask)
    wording = wording_of(prompt, release_prompt, focus, no_mask)
    if (step is None) == (not compactions):
        raise UsageProblem("Say which: --compaction K (or all), or --step N.")
    lists = (
        [planned_list(inspection, settings, step)]
        if step is not None
        else [recorded_list(inspection, settings, number) for number in _numbers(inspection, compactions)]
    )
    asks = []
    for one in lists:
        try:
            asks += [ask_for(one, settings, wording, budget, masker=masker) for budget in budgets or (None,)]
        except UsageProblem as problem:
            # Of all of them, those are made again that can be.
            if "all" not in compactions or (one is lists[-1] and not asks):
                raise
            answers.note(f"Compaction {one.place.compaction} is left out: {problem}")
    for note in dict.fromkeys(str(ask.settings["note"]) for ask in asks):
        answers.note(note) if note else None
    if show_prompt:
        click.echo("\n\n".join(safe(ask.prompt) for ask in asks))
        say(answers.notes())
        return
    summarizers = summarizers_of(commands, endpoint, models, key_env, timeout)
    orders = [Order(ask, one) for ask in asks for one in summarizers]
    sending = sending_of(orders, masker)
    allowance, kept, telling = allowed(sending, send), default_attempts(), Telling()
    try:
        made = carry_out(orders, inspection, kept, allowance, telling)
    finally:
        telling.end()
    documents = _outcomes(inspection, settings, made)
    _print(sending_document(sending), documents, made, as_json)
    say([*answers.notes(), *problems_of(made)])
    check_made(made)


def _numbers(inspection: Inspection, given: Sequence[str]) -> list[int]:
    known = [one.index for one in inspection.compactions()]
    if "all" in given:
        return known
    if not all(number.isdecimal() for number in given):
        raise UsageProblem("--compaction takes a number, counted from 1, or `all`.")
    return list(dict.fromkeys(map(int, given)))


def _outcomes(inspection: Inspection, settings: Settings, attempts: Sequence[Attempt]) -> list[Document]:
    from inspector.answers.attempt_survival import outcomes_of
    from inspector.export.documents.attempts import outcome_document

    numbers = dict.fromkeys(one.place.compaction for one in attempts)
    return [
        outcome_document(outcome)
        for number in numbers
        for outcome in outcomes_of(inspection, settings, number, attempts)
    ]


def _print(sending: Document, documents: list[Document], made: Sequence[Attempt], as_json: bool) -> None:
    from inspector.export.documents.attempts import attempt_document
    from inspector.export.text.attempts import print_outcomes

    if as_json:
        whole = {
            "sending": sending,
            "attempts": [attempt_document(one) for one in made],
            "summaries": documents,
        }
        print_answer(whole, True, print)
    else:
        print_outcomes(documents)


def problems_of(made: Sequence[Attempt]) -> list[str]:
    """What is to be said of attempts, a sentence each."""
    return [f"Attempt {one.id} ({one.name}): {one.problem}" for one in made if one.problem]


def check_made(made: Sequence[Attempt]) -> None:
    """Raise SummarizerFailed if every attempt failed; what had come of a failed one is not a summary."""
    if made and all(one.state == "failed" or not one.summary for one in made):
        raise SummarizerFailed("No summary came of it.")


@click.command(epilog=PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION]")
@click.option(
    "--show", "shown", type=WHOLE, metavar="ID", help="One attempt with its summary (--json: its prompt too)."
)
@click.option(
    "--delete", "deleted", type=WHOLE, multiple=True, metavar="ID", help="Delete one. May be repeated."
)
@click.option("--life", type=WHOLE, metavar="ID", help="The curve of a life, recorded against made again.")
@settings_options
@source_options
def attempts(
    words: tuple[str, ...], shown: int | None, deleted: tuple[int, ...], life: int | None, config: Path | None,
    as_json: bool, demo: bool, **options: Any,
) -> None:  # fmt: skip
    """List the attempts that are kept; of a conversation, beside what its recorded summaries keep."""
    from inspector.answers.answers import Answers
    from inspector.answers.attempt_life import life_curve, life_of
    from inspector.answers.attempting import attempts_of
    from inspector.export.documents.attempts import attempt_document, curve_document
    from inspector.export.text.attempts import print_attempt, print_attempts, print_curve, print_outcomes
    from inspector.models.kept import default_attempts

    kept = default_attempts()
    if deleted:
        missing = [one for one in deleted if kept.get(one) is None]
        if missing:
            raise UnknownConversation(f"There is no attempt {missing[0]}; nothing was deleted.")
        count = kept.delete(deleted)
        print_answer({"deleted": count}, as_json, lambda _: click.echo(f"{count} deleted."))
        return
    if shown is not None:
        one = kept.get(shown)
        if one is None:
            raise UnknownConversation(f"There is no attempt {shown}; `attempts` lists those that are kept.")
        print_answer(attempt_document(one, full=True), as_json, print_attempt)
        return
    path, name = path_or_name(words, demo)
    if name is None:
        listed = [
            attempt_document(one) for one in kept.all() if path is None or one.place.store == _whole(path)
        ]
        print_answer(listed, as_json, print_attempts)
        return
    answers = Answers(open_source(path, demo), flags_of(options), config)
    inspection, resolved = answers.opened(name)
    mine = attempts_of(answers.store, inspection.conversation.row, kept)
    if life is not None:
        whole = life_of(mine, life)
        points = curve_document(life_curve(inspection, resolved.settings, whole))
        print_answer(points, as_json, lambda told: print_curve(told, life))
    else:
        print_answer(_outcomes(inspection, resolved.settings, mine), as_json, print_outcomes)
    say(answers.notes())


def _whole(path: str) -> str:
    return str(Path(path).absolute())


@click.command(epilog=PATH_HELP)
@click.argument("words", nargs=-1, metavar="[PATH] [CONVERSATION]")
@click.option("--compaction", "number", type=WHOLE, required=True, metavar="K", help="Counted from 1.")
@click.option(
    "--questions", type=click.IntRange(1, 200), default=20, show_default=True, help="At most so many."
)
@click.option(
    "--attempt", "chosen", type=WHOLE, multiple=True, metavar="ID", help="Of these attempts; default: all."
)
@click.option("--show-prompt", is_flag=True, help="Print what would be asked; nothing is sent.")
@summarizer_options
@settings_options
@source_options
def recall(
    words: tuple[str, ...], number: int, questions: int, chosen: tuple[int, ...], show_prompt: bool,
    commands: tuple[str, ...], endpoint: str | None, models: tuple[str, ...], key_env: str | None, timeout: float,
    no_mask: bool, send: bool, config: Path | None, as_json: bool, demo: bool, **options: Any,
) -> None:  # fmt: skip
    """Ask a model what it can still answer from the list after a compaction, with the recorded summary and attempts.

    Questions are made by rule from facts with an exact value, answers judged by that value. How far they agree with
    what rules judged of the same facts is told too.
    """
    from inspector.answers.answers import Answers
    from inspector.answers.attempt_survival import outcomes_of
    from inspector.answers.attempting import attempts_of, recorded_list
    from inspector.answers.recall import ask_exams, exams_of, recall_sending
    from inspector.export.documents.attempts import recall_document, sending_document
    from inspector.export.text.attempts import print_recall
    from inspector.models.kept import default_attempts
    from inspector.models.masking import Masker

    path, name = path_and_name(words, demo)
    answers = Answers(open_source(path, demo), flags_of(options), config)
    inspection, resolved = answers.opened(name)
    recorded_list(inspection, resolved.settings, number)
    mine = attempts_of(answers.store, inspection.conversation.row, default_attempts())
    wanted = [one for one in mine if one.place.step is None and (not chosen or one.id in chosen)]
    masker = Masker(not no_mask)
    exams = exams_of(
        inspection, outcomes_of(inspection, resolved.settings, number, wanted), questions, masker
    )
    if show_prompt:
        click.echo("\n\n".join(safe(exam.prompt) for exam in exams))
        return
    summarizers = summarizers_of(commands, endpoint, models, key_env, timeout)
    if len(summarizers) > 1:
        raise UsageProblem("One model is asked at a time.")
    sending = recall_sending(exams, summarizers[0], masker)
    allowance, telling = allowed(sending, send), Telling()
    try:
        found = ask_exams(exams, summarizers[0], allowance, telling)
    finally:
        telling.end()
    documents = [recall_document(one) for one in found]
    if as_json:
        print_answer({"sending": sending_document(sending), "recall": documents}, True, print)
    else:
        print_recall(documents)
    say(answers.notes())
