"""The commands that ask a model of the user: summaries made again, what it recalls, what it judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from inspector.commands.asking import Asked, command, shared_options
from inspector.commands.options import WHOLE, print_answer, print_notes, settings_options
from inspector.commands.sending import (
    Progress,
    Sender,
    summarizer_option,
    summarizer_options,
    wording_options,
)
from inspector.commands.sources import path_or_name
from inspector.core.errors import SummarizerFailed, UnknownConversation, UsageProblem
from inspector.core.shares import plural
from inspector.core.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.answers.inspection import Inspection
    from inspector.engines.base import Settings
    from inspector.export.document import Document
    from inspector.models.attempt import Attempt


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
    from inspector.export.attempts import attempt_document, print_outcomes, sending_document
    from inspector.models.kept import default_attempts

    answers, inspection, resolved = asked.opened()
    settings, masker, wording = resolved.settings, sender.masker(), sender.wording()
    if (step is None) == (not compactions):
        raise UsageProblem("Give either --compaction K (or all) or --step N.")
    lists = (
        [planned_list(inspection, settings, step)]
        if step is not None
        else [recorded_list(inspection, settings, number) for number in _numbers(inspection, compactions)]
    )
    asks = []
    for compacted in lists:
        try:
            asks += [
                ask_for(compacted, settings, wording, budget, masker=masker) for budget in budgets or (None,)
            ]
        except UsageProblem as problem:
            # With `all`, compactions that cannot be made again are left out.
            if "all" not in compactions or (compacted is lists[-1] and not asks):
                raise
            answers.note(f"Compaction {compacted.place.compaction} is left out: {problem}")
    for ask in asks:
        if ask.settings["note"]:
            answers.note(str(ask.settings["note"]))
    if show_prompt:
        click.echo("\n\n".join(safe(ask.prompt) for ask in asks))
        asked.end()
        return
    summarizers = sender.summarizers()
    orders = [Order(ask, summarizer) for ask in asks for summarizer in summarizers]
    sending = sending_of(orders, masker)
    allowance = sender.allowed(sending)
    with Progress() as progress:
        made = carry_out(orders, inspection, default_attempts(), allowance, progress)
    documents = _outcomes(inspection, settings, made)
    whole = {
        "sending": sending_document(sending),
        "attempts": [attempt_document(one) for one in made],
        "summaries": documents,
    }
    note_problems(asked, made)
    asked.print(whole, lambda _: print_outcomes(documents))
    check_made(made)


def _numbers(inspection: Inspection, given: Sequence[str]) -> list[int]:
    recorded = [compaction.index for compaction in inspection.compactions()]
    if "all" in given:
        return recorded
    if not all(number.isdecimal() for number in given):
        raise UsageProblem("--compaction takes a number, counted from 1, or `all`.")
    return list(dict.fromkeys(map(int, given)))


def _outcomes(inspection: Inspection, settings: Settings, attempts: Sequence[Attempt]) -> list[Document]:
    from inspector.answers.attempt_survival import outcomes_of
    from inspector.export.attempts import outcome_document

    numbers = dict.fromkeys(one.place.compaction for one in attempts)
    return [
        outcome_document(outcome)
        for number in numbers
        for outcome in outcomes_of(inspection, settings, number, attempts)
    ]


def note_problems(asked: Asked, made: Sequence[Attempt]) -> None:
    """Note the problem of each attempt that has one."""
    for one in made:
        if one.problem:
            asked.answers.note(f"Attempt {one.id} ({one.name}): {one.problem}")


def check_made(made: Sequence[Attempt]) -> None:
    """Raise SummarizerFailed if no attempt is finished. A partial text is not a summary."""
    if made and not any(one.state == "finished" for one in made):
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
        print_attempt,
        print_attempts,
        print_curve,
        print_outcomes,
    )
    from inspector.export.document import built
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
        print_answer(attempt_document(attempt, full=True), asked.as_json, print_attempt)
        return
    path, name = path_or_name(asked.words, asked.demo)
    if name is None and life is None:
        listed = kept.all()
        if path is not None or asked.demo:
            store = asked.one_or_all()[0].store
            here = (attempts_of(store, row, kept) for row in store.conversations())
            ids = {one.id for several in here for one in several}
            every, listed = listed, tuple(one for one in listed if one.id in ids)
            if len(listed) < len(every):
                others = plural(len(every) - len(listed), "attempt")
                print_notes([f"{others} of other stores not shown; `attempts` without PATH lists all."])
        print_answer(list(map(attempt_document, listed)), asked.as_json, print_attempts)
        return
    answers, inspection, resolved = asked.opened()
    mine = attempts_of(answers.store, inspection.conversation.row, kept)
    if life is not None:
        whole = _known_life(mine, life)
        points = built(life_curve(inspection, resolved.settings, whole))
        asked.print(points, lambda curve: print_curve(curve, life))
    else:
        empty = sum(not one.summary for one in mine)
        if empty:
            answers.note(f"{plural(empty, 'attempt')} without a text not shown; `attempts` lists all.")
        asked.print(_outcomes(inspection, resolved.settings, mine), print_outcomes)


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
@click.option("--compaction", "number", type=WHOLE, required=True, metavar="K", help="Counted from 1.")
@click.option(
    "--questions",
    type=click.IntRange(1, 200),
    default=20,
    show_default=True,
    help="Maximum number of questions.",
)
@click.option(
    "--attempt",
    "chosen",
    type=WHOLE,
    multiple=True,
    metavar="ID",
    help="Ask only about this attempt. May be repeated.",
)
@click.option("--show-prompt", is_flag=True, help="Print the questions and send nothing.")
@summarizer_option
@shared_options(settings_options)
def recall(
    asked: Asked, sender: Sender, number: int, questions: int, chosen: tuple[int, ...], show_prompt: bool
) -> None:
    """Ask a model questions about facts after a compaction.

    The context is the list after the compaction, with the recorded summary and with each finished attempt. Rules make
    the questions from facts with an exact value. An answer is right if it has that value. The command also shows how
    often the answers agree with the fates of these facts.
    """
    from inspector.answers.attempt_survival import outcomes_of
    from inspector.answers.attempting import attempts_of, recorded_list
    from inspector.answers.recall import ask_exams, exams_of, recall_sending
    from inspector.export.attempts import print_recall, recall_document, sending_document
    from inspector.models.kept import default_attempts

    answers, inspection, resolved = asked.opened()
    recorded_list(inspection, resolved.settings, number)
    mine = attempts_of(answers.store, inspection.conversation.row, default_attempts())
    wanted = _asked_about(mine, number, chosen)
    masker = sender.masker()
    outcomes = outcomes_of(inspection, resolved.settings, number, wanted)
    exams = exams_of(inspection, outcomes, questions, masker)
    if show_prompt:
        click.echo("\n\n".join(safe(exam.prompt) for exam in exams))
        asked.end()
        return
    summarizer = sender.summarizer()
    sending = recall_sending(exams, summarizer, masker)
    allowance = sender.allowed(sending)
    with Progress() as progress:
        results, problems = ask_exams(exams, summarizer, allowance, progress)
    if not results:
        raise SummarizerFailed("\n".join(problems))
    for problem in problems:
        answers.note(problem)
    documents = [recall_document(result) for result in results]
    whole = {"sending": sending_document(sending), "recall": documents, "problems": list(problems)}
    asked.print(whole, lambda _: print_recall(documents))


def _asked_about(attempts: Sequence[Attempt], compaction: int, chosen: Sequence[int]) -> list[Attempt]:
    """Return the chosen attempts of a compaction, or all that are finished. Raises UnknownConversation."""
    there = {one.id: one for one in attempts if one.place.compaction == compaction and one.place.step is None}
    if not chosen:
        return [one for one in there.values() if one.state == "finished"]
    for number in chosen:
        if number not in there or not there[number].summary:
            texts = ", ".join(str(one.id) for one in there.values() if one.summary) or "none"
            raise UnknownConversation(
                f"Compaction {compaction} has no attempt {number} with a text; it has {texts}."
            )
    return [one for one in there.values() if one.id in chosen]


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
    """Make every summary from one compaction on again.

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
        print_notes(
            [f"The life ends at compaction {made[-1].place.compaction}; --resume {number} continues it."]
        )
    check_made(made)


@command("[PATH] [CONVERSATION]")
@click.option(
    "--compaction",
    default="all",
    show_default=True,
    metavar="K",
    help="A recorded compaction, counted from 1, or `all`.",
)
@click.option("--piece", type=WHOLE, metavar="TOKENS", help="Maximum tokens of old messages in one prompt.")
@click.option("--show-prompt", is_flag=True, help="Print the prompts and send nothing.")
@summarizer_option
@shared_options()
def judge(asked: Asked, sender: Sender, compaction: str, piece: int | None, show_prompt: bool) -> None:
    """Let a model of your choice judge the losses.

    The model reads the summarized messages, in pieces, and the list after the compaction. It returns statements with
    fates and quotes. The command drops and counts statements with a wrong quote, and compares the others with the
    rules. Answers are stored, so you never pay twice.
    """
    from inspector.answers.judging import PIECE_TOKENS, ask_judge, judge_prompts, judge_sending, judgement_of
    from inspector.answers.losses import facts_of
    from inspector.export.attempts import sending_document
    from inspector.export.judging import judgement_documents, print_judgements
    from inspector.models.kept import default_attempts

    answers, inspection, _ = asked.opened()
    masker, kept = sender.masker(), default_attempts()
    numbers = [item.index for item in inspection.compactions() if not item.encrypted]
    unreadable = [str(item.index) for item in inspection.compactions() if item.encrypted]
    if compaction != "all":
        if not compaction.isdecimal() or len(compaction) > 9:
            raise UsageProblem("--compaction takes a number, counted from 1, or `all`.")
        numbers = [int(compaction)]
    elif not numbers:
        answers.note(
            "This conversation has no compaction with a readable summary, so there is nothing to judge."
        )
    elif unreadable:
        answers.note(f"Left out, because the summary cannot be read: compaction {', '.join(unreadable)}.")
    prompts = {
        number: judge_prompts(inspection, number, masker, piece or PIECE_TOKENS[1]) for number in numbers
    }
    every = [prompt for pieces in prompts.values() for prompt in pieces]
    if show_prompt:
        click.echo("\n\n".join(safe(prompt.prompt) for prompt in every))
        asked.end()
        return
    summarizer = sender.summarizer()
    sending = judge_sending(every, summarizer, masker, kept)
    problems: tuple[str, ...] = ()
    if sending.recipients:
        allowance = sender.allowed(sending)
        with Progress() as progress:
            problems = ask_judge(every, summarizer, allowance, kept, progress)
    facts = facts_of(inspection)
    judgements = [
        judgement_of(inspection, pieces, summarizer, kept, facts) for pieces in prompts.values() if pieces
    ]
    document: dict[str, Any] = judgement_documents(inspection.conversation.row, judgements)
    for problem in problems:
        answers.note(problem)
    asked.print(
        document | {"sending": sending_document(sending), "problems": list(problems)}, print_judgements
    )
    if problems and not any(item.answered for item in judgements):
        raise SummarizerFailed("The model gave no usable answer, so nothing was judged.")
