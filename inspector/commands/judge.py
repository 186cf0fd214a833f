"""The command that lets a model of the user judge compactions."""

from __future__ import annotations

from typing import Any

import click

from inspector.commands.asking import Asked, source_options
from inspector.commands.completing import words_argument
from inspector.commands.options import PATH_HELP, WHOLE
from inspector.commands.sending import Progress, Sender, summarizer_options
from inspector.core.errors import SummarizerFailed, UsageProblem
from inspector.core.text import safe


@click.command(epilog=PATH_HELP)
@words_argument("[PATH] [CONVERSATION]")
@click.option(
    "--compaction",
    default="all",
    show_default=True,
    metavar="K",
    help="A recorded compaction, from 1, or `all`.",
)
@click.option("--piece", type=WHOLE, metavar="TOKENS", help="Maximum tokens of old messages in one prompt.")
@click.option("--show-prompt", is_flag=True, help="Print the prompts and send nothing.")
@summarizer_options
@source_options
def judge(asked: Asked, sender: Sender, compaction: str, piece: int | None, show_prompt: bool) -> None:
    """Let a model of your own judge what compactions kept, and compare it with the rules.

    The model reads the summarized messages, in pieces, and the list after. It returns statements with fates and quotes.
    A statement whose quote is not in the text is dropped and counted. Answers are stored and never paid twice.
    """
    from inspector.answers.judging import PIECE_TOKENS, ask_judge, judge_prompts, judge_sending, judgement_of
    from inspector.answers.losses import facts_of
    from inspector.export.attempts import sending_document
    from inspector.export.judging import judgement_documents, print_judgements
    from inspector.models.kept import default_attempts

    answers, name = asked.one()
    inspection, _ = answers.opened(name)
    masker, kept = sender.masker(), default_attempts()
    numbers = [item.index for item in inspection.compactions() if not item.encrypted]
    if compaction != "all":
        if not compaction.isdecimal() or len(compaction) > 9:
            raise UsageProblem("--compaction takes a number, counted from 1, or `all`.")
        numbers = [int(compaction)]
    elif not numbers:
        answers.note(
            "This conversation has no compaction with a readable summary, so there is nothing to judge."
        )
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
