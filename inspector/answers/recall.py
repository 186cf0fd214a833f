"""Recall: a model's answers from the list after a compaction, compared with the verdicts of the rules."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from inspector.answers.attempt_survival import SummaryOutcome
from inspector.answers.attempting import counted
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction
from inspector.core.errors import SummarizerCut, SummarizerFailed, UnknownConversation
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.watching import OnProgress
from inspector.models.consent import Allowance, Sending, sending_of
from inspector.models.making import ask_model
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer
from inspector.quality.facts.fact import Fate
from inspector.quality.facts.questions import (
    Agreement,
    Question,
    agreement,
    answers_in,
    is_right,
    prompt_of,
    questions_of,
)

#: Expected tokens of the answer to one question.
_ANSWER = 12


class Exam(Struct, frozen=True):
    """Questions about one list: the outcome whose summary it holds, the questions, and the prompt."""

    outcome: SummaryOutcome
    questions: tuple[Question, ...]
    prompt: str


class Answered(Struct, frozen=True):
    """A question with the answer, whether the answer is right, and the fate of the fact by the rules."""

    question: Question
    answer: str
    right: bool
    fate: Fate


class Recall(Struct, frozen=True):
    """A model's answers from one list, and their agreement with the fates."""

    outcome: SummaryOutcome
    answered: tuple[Answered, ...]

    @property
    def right(self) -> int:
        """Number of right answers."""
        return sum(answer.right for answer in self.answered)

    @property
    def agreement(self) -> Agreement:
        """Agreement of fates and answers."""
        return agreement((answer.fate, answer.right) for answer in self.answered)


def exams_of(
    inspection: Inspection, outcomes: Sequence[SummaryOutcome], most: int, masker: Masker
) -> tuple[Exam, ...]:
    """Return the questions about a recorded compaction, the same for each of its summaries.

    Raises UnknownConversation if no summarized fact has an exact value to ask for.
    """
    facts = [life.fact for life in outcomes[0].lives if life.fate.outcome != "unknown"]
    questions = questions_of(facts, most)
    if not questions:
        raise UnknownConversation(
            f"Compaction {outcomes[0].compaction} took no fact with an exact value that could be asked for."
        )
    recorded = inspection.compaction(outcomes[0].compaction)
    return tuple(
        Exam(
            outcome, questions, masker(prompt_of(questions, _context(inspection, recorded, outcome, masker)))
        )
        for outcome in outcomes
    )


def _context(inspection: Inspection, recorded: Compaction, outcome: SummaryOutcome, masker: Masker) -> str:
    other = None if outcome.attempt is None else outcome.attempt.summary
    texts = []
    if other is not None and recorded.summary_at is None:
        texts.append(f"[SUMMARY]: {masker(other)}")
    for at, message, _ in inspection.list_after(recorded):
        if at != recorded.summary_at or other is None:
            texts.append(_written(message, masker))
            continue
        handoff = handoff_of(message)
        texts.append(f"[SUMMARY]: {masker(other)}")
        if handoff is not None and handoff.tail_text.strip():
            texts.append(f"[{message.role.upper()}]: {masker(handoff.tail_text)}")
    return "\n\n".join(texts)


def _written(message: Message, masker: Masker) -> str:
    calls = "".join(f"\n  calls {call.name}({masker(call.arguments)})" for call in message.tool_calls)
    return f"[{message.role.upper()}]: {masker(message.text)}{calls}"


def recall_sending(exams: Sequence[Exam], summarizer: Summarizer, masker: Masker) -> Sending:
    """Return the requests that asking would send."""
    return sending_of(((summarizer, exam.prompt, _ANSWER * len(exam.questions)) for exam in exams), masker)


def ask_exams(
    exams: Sequence[Exam], summarizer: Summarizer, allowance: Allowance, watch: OnProgress
) -> tuple[tuple[Recall, ...], tuple[str, ...]]:
    """Ask a model every question of every list. Return its answers, and a sentence for each list without an answer.

    Raises NotAllowed and exceptions of `watch`.
    """
    recalls, problems = [], []
    for number, exam in enumerate(exams, 1):
        label = f"{summarizer.name}, list {number} of {len(exams)}: characters"
        try:
            reply = ask_model(summarizer, exam.prompt, allowance, counted(watch, label))
        except (SummarizerFailed, SummarizerCut) as error:
            attempt = exam.outcome.attempt
            which = "the recorded summary" if attempt is None else f"attempt {attempt.id}"
            problems.append(f"The list with {which}: {error}")
            continue
        answers = answers_in(reply.text, len(exam.questions))
        number_of = exam.outcome.compaction
        fates = [exam.outcome.fate_of(one.fact.key) or Fate(number_of, "unknown") for one in exam.questions]
        answered = tuple(
            Answered(question, answer, is_right(question, answer), fate)
            for question, answer, fate in zip(exam.questions, answers, fates, strict=True)
        )
        recalls.append(Recall(exam.outcome, answered))
    return tuple(recalls), tuple(problems)
