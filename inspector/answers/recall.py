"""Recall: a model's answers from the list after a compaction, compared with the verdicts of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.attempt_survival import SummaryOutcome
from inspector.answers.attempting import counted
from inspector.answers.inspection import Inspection
from inspector.answers.lists_after import ListsAfter
from inspector.core.conversations import Compaction
from inspector.core.errors import SummarizerCut, SummarizerFailed, UnknownConversation
from inspector.core.watching import OnProgress
from inspector.models.consent import Allowance, Sending, sending_of
from inspector.models.making import ask_model
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer
from inspector.quality.facts.fact import Fate
from inspector.quality.facts.passages import ListText
from inspector.quality.facts.questions import (
    RecallAgreement,
    RecallQuestion,
    agreement,
    answers_in,
    is_right,
    prompt_of,
    questions_of,
)

#: Expected tokens of the answer to one question.
_ANSWER_TOKENS = 12


class Exam(Struct, frozen=True):
    """Questions about one list: the outcome whose summary it holds, the questions, and the prompt."""

    outcome: SummaryOutcome
    questions: tuple[RecallQuestion, ...]
    prompt: str


class AnsweredQuestion(Struct, frozen=True):
    """A question with the answer, whether the answer is right, and the fate of the fact by the rules."""

    question: RecallQuestion
    answer: str
    right: bool
    fate: Fate


class Recall(Struct, frozen=True):
    """A model's answers from one list, and their agreement with the fates."""

    outcome: SummaryOutcome
    answered: tuple[AnsweredQuestion, ...]

    @property
    def right(self) -> int:
        """Number of right answers."""
        return sum(answer.right for answer in self.answered)

    @property
    def agreement(self) -> RecallAgreement:
        """Agreement of fates and answers."""
        return agreement((answer.fate, answer.right) for answer in self.answered)


def exams_of(
    inspection: Inspection, outcomes: Sequence[SummaryOutcome], most: int, masker: Masker
) -> tuple[Exam, ...]:
    """Return the questions about a recorded compaction, the same for each of its summaries.

    The first of `outcomes`, which are not empty, selects the facts. No question asks for a value that is masked in the
    prompt. Raises UsageProblem for an unknown compaction, and UnknownConversation if no summarized fact has an exact
    value to ask for.
    """
    recorded = inspection.compaction(outcomes[0].compaction)
    contexts = [_context(inspection, recorded, outcome, masker) for outcome in outcomes]
    # The secrets of the contexts are masked in every text.
    mask = Masker(masker.on, masker.secrets)
    facts = [
        replace(fact, values=tuple(value for value in fact.values if value.text in shown))
        for life in outcomes[0].lives
        if life.fate.outcome != "unknown"
        for fact, shown in [(life.fact, mask(life.fact.text))]
    ]
    questions = questions_of(facts, most)
    if not questions:
        raise UnknownConversation(
            f"Compaction {recorded.index} took no fact with an exact value that could be asked for."
        )
    return tuple(
        Exam(outcome, questions, masker(prompt_of(questions, context)))
        for outcome, context in zip(outcomes, contexts, strict=True)
    )


def _context(inspection: Inspection, recorded: Compaction, outcome: SummaryOutcome, masker: Masker) -> str:
    """Return the list after the compaction as text: the texts that decide the fates, and the calls."""
    summaries = None if outcome.attempt is None else {recorded.index: outcome.attempt.summary}
    lists = ListsAfter(inspection, [recorded], summaries)
    messages = list(lists.messages(recorded.index))
    texts = [
        (part.index, part.where != "summary", f"[{_speaker(part)}]: {masker(part.text)}")
        for part in lists.parts(recorded.index, messages)
    ]
    texts += [
        (at, True, f"[{message.role.upper()}] calls {call.name}({masker(call.arguments)})")
        for at, message in enumerate(messages)
        for call in message.tool_calls
    ]
    return "\n\n".join(text for *_, text in sorted(texts, key=itemgetter(0, 1)))


def _speaker(part: ListText) -> str:
    """Return the name of the speaker in the prompt. The agent sends a rules file or memory as its own text."""
    names = {"summary": "SUMMARY", "rules file": "SYSTEM", "memory": "SYSTEM"}
    return names.get(part.where, part.role.upper())


def recall_sending(exams: Sequence[Exam], summarizer: Summarizer, masker: Masker) -> Sending:
    """Return the requests that asking would send."""
    return sending_of(
        ((summarizer, exam.prompt, _ANSWER_TOKENS * len(exam.questions)) for exam in exams), masker
    )


def ask_exams(
    exams: Sequence[Exam], summarizer: Summarizer, allowance: Allowance, watch: OnProgress
) -> tuple[tuple[Recall, ...], tuple[str, ...]]:
    """Ask a model every question of every list. Return its answers, and a sentence for each list without an answer.

    Raises NotAllowed and exceptions of `watch`.
    """
    recalls, problems = [], []
    for number, exam in enumerate(exams, 1):
        label = f"{summarizer.name}, list {number} of {len(exams)}: characters"
        attempt = exam.outcome.attempt
        subject = f"The list with {'the recorded summary' if attempt is None else f'attempt {attempt.id}'}:"
        try:
            reply = ask_model(summarizer, exam.prompt, allowance, counted(watch, label))
        except (SummarizerFailed, SummarizerCut) as error:
            problems.append(f"{subject} {error}")
            continue
        answers = answers_in(reply.text, len(exam.questions))
        if not any(answers):
            problems.append(f"{subject} The answer has no numbered line as asked for.")
            continue
        compaction = exam.outcome.compaction
        fates = [
            exam.outcome.fate_of(question.fact.key) or Fate(compaction, "unknown")
            for question in exam.questions
        ]
        answered = tuple(
            AnsweredQuestion(question, answer, is_right(question, answer), fate)
            for question, answer, fate in zip(exam.questions, answers, fates, strict=True)
        )
        recalls.append(Recall(exam.outcome, answered))
    return tuple(recalls), tuple(problems)
