"""Questions by rule from facts that have an exact value, and answers judged by that value.

No model asks, and none judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from inspector.quality.facts.fact import Fact, Fate, Value
from inspector.quality.facts.values import values_of

#: Placeholders for the value of the question, and for the values of other questions.
GAP, OTHER_GAP = "____", "…"
#: Answer of a model that does not know the value.
UNKNOWN = "unknown"
_WORDS: Mapping[str, str] = {
    "number": "number", "quantity": "number with its unit", "percent": "percentage", "ratio": "ratio", "time": "time",
    "date": "date", "version": "version", "path": "path", "url": "address", "address": "address", "digest": "hash",
    "ticket": "number of the issue", "uuid": "identifier",
}  # fmt: skip
_SHORTEST, _LONGEST = 24, 600
_LINE = re.compile(r"^\W{0,4}(\d{1,4})\W{1,4}(.*)$", re.MULTILINE)
_NUMBERS = frozenset({"number", "quantity", "percent", "ratio"})


class RecallQuestion(Struct, frozen=True):
    """A question about a fact. `value` is the answer; `text` is asked."""

    fact: Fact
    value: Value
    text: str


def questions_of(facts: Iterable[Fact], most: int) -> tuple[RecallQuestion, ...]:
    """Return at most `most` questions, one a fact, in the order of the facts.

    A question asks for the first value in the text of its fact. No question contains the answer of another."""
    left = [fact for fact in facts if _SHORTEST <= len(fact.text) <= _LONGEST]
    while True:
        chosen = _chosen(left, most)
        hidden = sorted({value.text for _, value in chosen}, key=len, reverse=True)
        questions = [RecallQuestion(fact, value, _worded(fact, value, hidden)) for fact, value in chosen]
        # A question that still contains its answer, in another form for example, is replaced by the next.
        telling = {question.fact.key for question in questions if not _hides(question)}
        if not telling:
            return tuple(questions)
        left = [fact for fact in left if fact.key not in telling]


def _chosen(facts: Sequence[Fact], most: int) -> list[tuple[Fact, Value]]:
    chosen: list[tuple[Fact, Value]] = []
    asked: set[str] = set()
    for fact in facts:
        if len(chosen) >= most:
            break
        in_text = (value for value in fact.values if len(value.text) > 1 and value.text in fact.text)
        value = next((value for value in in_text if value.canon not in asked), None)
        if value is not None:
            chosen.append((fact, value))
            asked.add(value.canon)
    return chosen


def _hides(question: RecallQuestion) -> bool:
    return GAP in question.text.partition(": ")[2] and question.value.text not in question.text


def _worded(fact: Fact, value: Value, hidden: Sequence[str]) -> str:
    text = " ".join(fact.text.split())
    for other in hidden:
        gap = GAP if other == value.text else OTHER_GAP
        text = re.sub(rf"(?<![A-Za-z0-9_]){re.escape(other)}(?![A-Za-z0-9_])", gap, text)
    word = _WORDS.get(value.form, "name")
    return f'Which {word} stands at {GAP}? The {fact.role} said: "{text}"'


def prompt_of(questions: Sequence[RecallQuestion], context: str) -> str:
    """Return a prompt with all questions and the list of messages to answer them from."""
    asked = "\n".join(f"{number}. {question.text}" for number, question in enumerate(questions, 1))
    return (
        "Below is what is left of a conversation. Answer each question from it alone, one line an answer: its number, "
        f'a full stop, the exact value and nothing else; "{UNKNOWN}" where the conversation does not say.\n\n'
        f"<conversation>\n{context}\n</conversation>\n\n{asked}\n"
    )


def answers_in(text: str, count: int) -> tuple[str, ...]:
    """Return the first answer to each question, "" for a missing answer."""
    answers: dict[int, str] = {}
    for match in _LINE.finditer(text):
        answers.setdefault(int(match[1]), match[2].strip())
    return tuple(answers.get(number, "") for number in range(1, count + 1))


def is_right(question: RecallQuestion, answer: str) -> bool:
    """Return whether an answer gives the value: it has no other value of that form, or is the text of the value."""
    plain = answer.strip(" .\"'`“”").lower()
    if not plain or plain == UNKNOWN:
        return False
    if plain in (question.value.text.lower(), question.value.canon.lower()):
        return True
    forms = _NUMBERS if question.value.form in _NUMBERS else {question.value.form}
    return {value.canon for value in values_of(answer) if value.form in forms} == {question.value.canon}


class RecallAgreement(Struct, frozen=True):
    """Agreement of fates and answers, in numbers of facts.

    `both`: alive and answered rightly. `neither`: not alive and not answered. `unanswered`: alive but not answered.
    `answered`: answered although judged not alive. `open`: the fate is not settled.
    """

    both: int
    neither: int
    unanswered: int
    answered: int
    open: int

    @property
    def of(self) -> int:
        """Number of facts with a settled fate."""
        return self.both + self.neither + self.unanswered + self.answered

    @property
    def share(self) -> float | None:
        """Share of facts that agree; None if no fate is settled."""
        return (self.both + self.neither) / self.of if self.of else None


def agreement(judged: Iterable[tuple[Fate, bool]]) -> RecallAgreement:
    """Compare fates with whether their questions were answered rightly."""
    counts = {(alive, right): 0 for alive in (False, True) for right in (False, True)}
    unsettled = 0
    for fate, right in judged:
        if fate.settled:
            counts[fate.alive, right] += 1
        else:
            unsettled += 1
    return RecallAgreement(
        counts[True, True], counts[False, False], counts[True, False], counts[False, True], unsettled
    )
