"""The commands that ask a model of the user about compactions: `recall` about facts, `judge` about losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from inspector.commands.asking import Asked, command, shared_options
from inspector.commands.options import WHOLE, settings_options
from inspector.commands.sending import ProgressLine, Sender, numbers_of, print_prompts, summarizer_option
from inspector.core.errors import SummarizerFailed, UnknownConversation, UsageProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.answers.answers import Answers
    from inspector.answers.inspection import Inspection
    from inspector.models.attempt import Attempt


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
        print_prompts(asked, (exam.prompt for exam in exams))
        return
    summarizer = sender.summarizer()
    sending = recall_sending(exams, summarizer, masker)
    allowance = sender.allowed(sending)
    with ProgressLine() as progress:
        results, problems = ask_exams(exams, summarizer, allowance, progress)
    if not results:
        raise SummarizerFailed("\n".join(problems))
    for problem in problems:
        answers.note(problem)
    asked.print(
        results,
        print_recall,
        lambda results: {
            "sending": sending_document(sending),
            "recall": list(map(recall_document, results)),
            "problems": list(problems),
        },
    )


def _asked_about(attempts: Sequence[Attempt], compaction: int, chosen: Sequence[int]) -> list[Attempt]:
    """Return the chosen attempts of a compaction, or all that are finished. Raises UnknownConversation."""
    of_compaction = [
        attempt
        for attempt in attempts
        if attempt.place.compaction == compaction and attempt.place.step is None
    ]
    if not chosen:
        return [attempt for attempt in of_compaction if attempt.state == "finished"]
    ids = [attempt.id for attempt in of_compaction if attempt.summary]
    for number in chosen:
        if number not in ids:
            raise UnknownConversation(
                f"Compaction {compaction} has no attempt {number} with a text; it has "
                f"{', '.join(map(str, ids)) or 'none'}."
            )
    return [attempt for attempt in of_compaction if attempt.id in chosen]


@command("[PATH] [CONVERSATION]")
@click.option(
    "--compaction",
    default="all",
    show_default=True,
    metavar="K",
    help="A recorded compaction, counted from 1, or `all`.",
)
@click.option(
    "--uncertain", is_flag=True, help="Ask only about facts of the user that the rules cannot decide."
)
@click.option("--piece", type=WHOLE, metavar="TOKENS", help="Maximum tokens of old messages in one prompt.")
@click.option("--show-prompt", is_flag=True, help="Print the prompts and send nothing.")
@summarizer_option
@shared_options()
def judge(
    asked: Asked, sender: Sender, compaction: str, uncertain: bool, piece: int | None, show_prompt: bool
) -> None:
    """Let a model of your choice judge the losses.

    The model reads the summarized messages, in pieces, and the list after the compaction. It returns statements with
    fates and quotes. The command drops and counts statements with a wrong quote, and compares the others with the
    rules. Answers are stored, so you never pay twice.

    With --uncertain, the model reads only facts of the user that the rules cannot decide, the text around them, and the
    list after the compaction. This costs much less. All commands and the app then use these fates.
    """
    from inspector.answers.judging import (
        PIECE_TOKENS,
        ask_judge,
        fact_prompts,
        judge_prompts,
        judge_sending,
        judgement_of,
        unusable_decisions,
    )
    from inspector.answers.losses import facts_of
    from inspector.export.attempts import sending_document
    from inspector.export.judging import (
        decided_document,
        decided_lives,
        judgement_documents,
        print_decided,
        print_judgements,
    )
    from inspector.models.kept import default_attempts

    if uncertain and piece is not None:
        raise UsageProblem("Give --uncertain or --piece, not both: --uncertain sends few messages.")
    answers, inspection, _ = asked.opened()
    masker, kept = sender.masker(), default_attempts()
    numbers = _judged_numbers(answers, inspection, compaction)
    if uncertain:
        facts = facts_of(inspection, by_rules=True)
        undecided = {number: facts.undecided(number) for number in numbers}
        prompts = {
            number: fact_prompts(inspection, number, masker, lives) for number, lives in undecided.items()
        }
        if numbers and not any(prompts.values()):
            answers.note("The rules decide every fact of the user at these compactions, so nothing is asked.")
    else:
        prompts = {
            number: judge_prompts(inspection, number, masker, piece or PIECE_TOKENS[1]) for number in numbers
        }
    every = [prompt for pieces in prompts.values() for prompt in pieces]
    if show_prompt:
        print_prompts(asked, (prompt.prompt for prompt in every))
        return
    summarizer = sender.summarizer()
    sending = judge_sending(every, summarizer, masker, kept)
    problems: tuple[str, ...] = ()
    if sending.recipients:
        allowance = sender.allowed(sending)
        with ProgressLine() as progress:
            problems = ask_judge(every, summarizer, allowance, kept, progress)
    for problem in problems:
        answers.note(problem)
    row = inspection.conversation.row
    sent = {"sending": sending_document(sending), "problems": list(problems)}
    if uncertain:
        lives = decided_lives(undecided, facts_of(inspection, "changes"))
        asked_facts = [life.fact for of_number in undecided.values() for life in of_number]
        unused = unusable_decisions(every, asked_facts, summarizer, kept)
        asked.print(
            lives,
            lambda lives: print_decided(lives, unused),
            lambda lives: decided_document(row, lives, unused) | sent,
        )
        answered = len(problems) < len(every)
    else:
        facts = facts_of(inspection, by_rules=True)
        judgements = [
            judgement_of(inspection, pieces, summarizer, kept, facts) for pieces in prompts.values() if pieces
        ]
        asked.print(
            judgements, print_judgements, lambda judgements: judgement_documents(row, judgements) | sent
        )
        answered = any(item.answered for item in judgements)
    if problems and not answered:
        raise SummarizerFailed("The model gave no usable answer, so nothing was judged.")


def _judged_numbers(answers: Answers, inspection: Inspection, compaction: str) -> list[int]:
    """Return the numbers that --compaction names. `all` leaves out unreadable summaries, with a note."""
    numbers = numbers_of(inspection, [compaction])
    unreadable: list[int] = []
    if compaction == "all":
        unreadable = [recorded.index for recorded in inspection.compactions() if recorded.encrypted]
        numbers = [number for number in numbers if number not in unreadable]
    if not numbers:
        answers.note(
            "This conversation has no compaction with a readable summary, so there is nothing to judge."
        )
    elif unreadable:
        noun = "compaction" if len(unreadable) == 1 else "compactions"
        listed = ", ".join(map(str, unreadable))
        answers.note(f"Left out, because the summary cannot be read: {noun} {listed}.")
    return numbers
