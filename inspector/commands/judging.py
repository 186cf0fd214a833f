"""The commands that ask a model of the user about compactions: `recall` about facts, `judge` about losses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from inspector.commands.asking import Asked, command, shared_options
from inspector.commands.options import WHOLE, settings_options
from inspector.commands.sending import Sender, numbers_of, print_prompts, summarizer_option
from inspector.core.errors import SummarizerFailed, UnknownConversation, UsageProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from inspector.answers.answers import Answers
    from inspector.answers.inspection import Inspection
    from inspector.answers.judging import JudgePrompt
    from inspector.export.document import Document
    from inspector.models.attempt import Attempt
    from inspector.models.kept import KeptAttempts
    from inspector.models.summarizers.base import Summarizer
    from inspector.quality.facts.fact import Life


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
    results, problems = sender.send(sending, partial(ask_exams, exams, summarizer))
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
@click.option(
    "--repeats",
    is_flag=True,
    help="Ask only what the user had to say again after a compaction, in any words.",
)
@click.option("--piece", type=WHOLE, metavar="TOKENS", help="Maximum tokens of old messages in one prompt.")
@click.option("--show-prompt", is_flag=True, help="Print the prompts and send nothing.")
@summarizer_option
@shared_options()
def judge(
    asked: Asked, sender: Sender, compaction: str, uncertain: bool, repeats: bool, piece: int | None,
    show_prompt: bool,
) -> None:  # fmt: skip
    """Let a model of your choice judge the losses.

    The model reads the summarized messages, in pieces, and the list after the compaction. It returns statements with
    fates and quotes. The command drops and counts statements with a wrong quote, and compares the others with the
    rules. Answers are stored, so you never pay twice.

    With --uncertain, the model reads only facts of the user that the rules cannot decide, the text around them, and the
    list after the compaction. This costs much less. All commands and the app then use these fates.

    With --repeats, the model reads only messages of the user, before and after the compaction. It finds what the user
    said again, corrected or complained about because the agent no longer knew it. `aftermath`, `losses`, `findings`
    and the app then have these events. Both options together ask both questions.
    """
    from inspector.answers.judging import PIECE_TOKENS, ask_judge, fact_prompts, judge_prompts, judge_sending
    from inspector.answers.losses import facts_of
    from inspector.answers.repeats import repeat_prompts
    from inspector.export.attempts import sending_document
    from inspector.models.kept import default_attempts

    if piece is not None and (uncertain or repeats):
        raise UsageProblem("Give --piece without --uncertain and --repeats: they send few messages.")
    answers, inspection, _ = asked.opened()
    masker, kept = sender.masker(), default_attempts()
    numbers = numbers_of(inspection, [compaction])
    readable = _readable(answers, inspection, compaction) if uncertain or not repeats else []
    undecided: dict[int, tuple[Life, ...]] = {}
    about_facts: list[JudgePrompt] = []
    about_repeats: list[JudgePrompt] = []
    of_each: list[Sequence[JudgePrompt]] = []
    if uncertain:
        facts = facts_of(inspection, by_rules=True)
        undecided = {number: facts.undecided(number) for number in readable}
        for number, lives in undecided.items():
            about_facts += fact_prompts(inspection, number, masker, lives)
        if readable and not about_facts:
            answers.note("The rules decide every fact of the user at these compactions, so nothing is asked.")
    if repeats:
        for number in numbers:
            about_repeats += repeat_prompts(inspection, number, masker)
        if not about_repeats:
            answers.note("The user wrote nothing before or nothing after a compaction, so nothing is asked.")
    if not (uncertain or repeats):
        of_each = [judge_prompts(inspection, number, masker, piece or PIECE_TOKENS[1]) for number in readable]
    prompts = [*about_facts, *about_repeats, *(prompt for of_one in of_each for prompt in of_one)]
    if show_prompt:
        print_prompts(asked, (prompt.prompt for prompt in prompts))
        return
    summarizer = sender.summarizer()
    sending = judge_sending(prompts, summarizer, masker, kept)
    problems = sender.send(sending, partial(ask_judge, prompts, summarizer, kept))
    for problem in problems:
        answers.note(problem)
    answered_by = summarizer, kept
    parts: list[_Part] = []
    if uncertain:
        parts.append(_decided(inspection, undecided, about_facts, answered_by))
    if repeats:
        parts.append(_repeated(inspection, numbers, about_repeats, answered_by))
    if not parts:
        parts.append(_judged(inspection, of_each, answered_by))
    documents = {name: value for part in parts for name, value in part.document.items()}

    def show(parts: Sequence[_Part]) -> None:
        for part in parts:
            part.show(*part.values)

    asked.masking = sender.masking
    sent = {"sending": sending_document(sending), "problems": list(problems)}
    asked.print(parts, show, lambda _: documents | sent)
    if problems and len(problems) == len(prompts):
        raise SummarizerFailed("The model gave no usable answer, so nothing was judged.")


class _Part(NamedTuple):
    """A part of the answer: a function that prints it, the values for this function, and the document."""

    show: Callable[..., None]
    values: tuple[Any, ...]
    document: Document


def _decided(
    inspection: Inspection, undecided: Mapping[int, Sequence[Life]], prompts: Sequence[JudgePrompt],
    answered_by: tuple[Summarizer, KeptAttempts],
) -> _Part:  # fmt: skip
    """Return the facts that the rules leave undecided, with the fates of a model."""
    from inspector.answers.judging import unusable_decisions
    from inspector.answers.losses import facts_of
    from inspector.export.judging import decided_document, decided_lives, print_decided

    lives = decided_lives(undecided, facts_of(inspection, "changes"))
    facts = [life.fact for of_number in undecided.values() for life in of_number]
    unused = unusable_decisions(prompts, facts, *answered_by)
    row = inspection.conversation.row
    return _Part(print_decided, (lives, unused), decided_document(row, lives, unused))


def _repeated(
    inspection: Inspection, numbers: Sequence[int], prompts: Sequence[JudgePrompt],
    answered_by: tuple[Summarizer, KeptAttempts],
) -> _Part:  # fmt: skip
    """Return what the user said again after some compactions, also by earlier answers of other models."""
    from inspector.answers.losses import facts_of, read_aftermath
    from inspector.answers.repeats import repeat_answers
    from inspector.export.judging import print_repeats, repeats_document

    events = read_aftermath(inspection, facts_of(inspection))
    found = [event for event in events if event.model and event.place.generation - 1 in numbers]
    answers = repeat_answers(prompts, *answered_by)
    dropped, row = sum(answer.dropped for answer in answers), inspection.conversation.row
    values = row, found, dropped, len(answers), len(prompts)
    return _Part(print_repeats, values, repeats_document(row, found, dropped))


def _judged(
    inspection: Inspection, of_each: Iterable[Sequence[JudgePrompt]], answered_by: tuple[Summarizer, KeptAttempts]
) -> _Part:  # fmt: skip
    """Return the judgement of each compaction."""
    from inspector.answers.judging import judgement_of
    from inspector.answers.losses import facts_of
    from inspector.export.judging import judgement_documents, print_judgements

    facts, row = facts_of(inspection, by_rules=True), inspection.conversation.row
    judgements = [judgement_of(inspection, pieces, *answered_by, facts) for pieces in of_each if pieces]
    return _Part(print_judgements, (judgements,), judgement_documents(row, judgements))


def _readable(answers: Answers, inspection: Inspection, compaction: str) -> list[int]:
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
