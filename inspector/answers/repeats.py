"""Let a model of the user find what the user had to say again after a compaction, in any words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.attempting import place_of
from inspector.answers.inspection import Inspection
from inspector.answers.judging import PIECE_TOKENS, REPEATS, JudgePrompt
from inspector.answers.recorded_steps import recorded_steps
from inspector.core.places import Place
from inspector.core.rough import text_tokens
from inspector.core.text import safe, safe_line, safe_title
from inspector.models.judging import answer_key, judge_prompt
from inspector.models.kept import JudgingAnswer, KeptAttempts
from inspector.models.masking import Masker
from inspector.models.summarizers.base import Summarizer
from inspector.quality.aftermath import MAX_TEXT, AftermathEvent, Step
from inspector.quality.aftermath import place_of as place_of_step
from inspector.quality.evidence import is_request
from inspector.quality.facts.fact import GONE, ConversationFacts
from inspector.quality.facts.spoken import spoken_spans
from inspector.quality.harmed_facts import HarmedFacts
from inspector.quality.judgement import RepeatedQuotes, letters, most_similar, pieces_of, repeated_quotes
from inspector.quality.spoken_acts import compacts

_TEMPLATE = "judge_repeats.md"
#: Maximum characters that a prompt has of the beginning and of the end of a message of the user.
_BEGINNING, _END = 1_500, 700
#: Maximum characters of the end of the agent's message before it, and of the name of a model.
_BEFORE, _NAME = 300, 40


class _Spoken(Struct, frozen=True):
    """A message of the user: its step, its text without that of programs, and the text of the agent's message before it
    ("" if there is none)."""

    step: Step
    text: str
    before: str

    @property
    def place(self) -> Place:
        """Its place."""
        return place_of_step(self.step)

    def left_by(self, compaction: int) -> bool:
        """Whether this compaction or an earlier one summarized it."""
        return self.step.left is not None and self.step.left <= compaction


#: Messages with the letters of their texts.
_Searched: TypeAlias = Sequence[tuple[_Spoken, str]]


def repeat_prompts(inspection: Inspection, compaction: int, masker: Masker) -> tuple[JudgePrompt, ...]:
    """Return the prompts for one compaction: the user's messages that left the list, and those between this compaction
    and the next.

    None if one of the two is empty. Raises UsageProblem for an unknown compaction, and StoreErrors.
    """
    number = inspection.compaction(compaction).index
    spoken = list(_spoken(inspection))
    earlier = [message for message in spoken if message.left_by(number)]
    later = [message for message in spoken if message.step.generation == number + 1]
    pieces, afters = (
        pieces_of((_written(message, masker) for message in messages), 4 * PIECE_TOKENS[1])
        for messages in (earlier, later)
    )
    place = place_of(inspection.store, inspection.conversation.row, number)
    pairs = [(piece, after) for after in afters for piece in pieces]
    return tuple(
        JudgePrompt(
            place, nth, len(pairs), piece, after, judge_prompt(piece, after, nth, len(pairs), _TEMPLATE), REPEATS
        )
        for nth, (piece, after) in enumerate(pairs, 1)
    )  # fmt: skip


def model_repeats(
    inspection: Inspection, facts: ConversationFacts, kept: KeptAttempts
) -> tuple[AftermathEvent, ...]:
    """Return what the user said again according to stored answers of models, one event for a message.

    Both quotes are in messages of the user word for word. The fact behind an event is the most similar statement of
    the earlier message; without one, it is the quote with an unknown fate. Raises StoreErrors and OutputProblem.
    """
    place = place_of(inspection.store, inspection.conversation.row, 0)
    answers = kept.answers_of(place.store, place.root, REPEATS)
    if not answers:
        return ()
    searched = [(message, _searched(message.text)) for message in _spoken(inspection)]
    harmed = HarmedFacts(facts)
    events: dict[Place, AftermathEvent] = {}
    for answer in answers:
        later = [pair for pair in searched if pair[0].step.generation == answer.compaction + 1]
        earlier = [pair for pair in searched if pair[0].left_by(answer.compaction)]
        for now, before in _quotes(answer, earlier, later):
            repetition, first = _with_quote(later, now), _with_quote(earlier, before)
            if repetition is not None and first is not None:
                event = _event(first, repetition, (now, before), facts, harmed)
                events.setdefault(event.place, replace(event, model=safe_line(answer.writer, _NAME)))
    return tuple(events.values())


def _quotes(answer: JudgingAnswer, earlier: _Searched, later: _Searched) -> tuple[tuple[str, str], ...]:
    texts = ("\n".join(text for _, text in messages) for messages in (earlier, later))
    try:
        return repeated_quotes(answer.answer, *texts).pairs
    except ValueError:
        return ()


def _with_quote(messages: _Searched, quote: str) -> _Spoken | None:
    """Return the first message that has a quote word for word."""
    sought = letters(quote)
    return next((message for message, text in messages if sought in text), None)


def repeat_answers(
    prompts: Iterable[JudgePrompt], summarizer: Summarizer, kept: KeptAttempts
) -> tuple[RepeatedQuotes, ...]:
    """Return the stored answers of a model to some prompts."""
    texts = ((kept.answer(answer_key(prompt.prompt, summarizer), prompt.place), prompt) for prompt in prompts)
    return tuple(
        repeated_quotes(text, prompt.piece, prompt.after) for text, prompt in texts if text is not None
    )


def _event(
    earlier: _Spoken, later: _Spoken, quotes: tuple[str, str], facts: ConversationFacts, harmed: HarmedFacts
) -> AftermathEvent:
    """Return the event of a statement that the user repeated. `quotes` are of the later and the earlier message."""
    now, before = quotes
    stated = [
        fact for fact in facts.facts if any(place_of_step(saying) == earlier.place for saying in fact.sayings)
    ]
    fact = most_similar(before, stated)
    fate = "unknown" if fact is None else harmed.state(fact, later.step) or "unknown"
    died = harmed.died(fact) if fact is not None and fate in GONE else None
    event = AftermathEvent(
        died or earlier.step.left or 1, "said again", later.place, earlier.place, safe_title(now, MAX_TEXT),
        text_tokens(len(later.text)),
    )  # fmt: skip
    if fact is not None:
        return event.about(fact, fate)
    return replace(event, fact=safe_title(before, MAX_TEXT), category="statement", fate=fate)


def _spoken(inspection: Inspection) -> Iterator[_Spoken]:
    """Yield the messages of the user in order, without summaries and commands that compact."""
    before = ""
    for step, message in recorded_steps(inspection):
        if message.role == "assistant":
            before = message.text or before
        elif is_request(message) and not message.summary:
            spans = (message.text[start:end] for start, end in spoken_spans(message.text))
            text = "\n".join(filter(str.strip, spans))
            if text and not compacts(message.text):
                yield _Spoken(step, text, before)
            before = ""


def _written(message: _Spoken, masker: Masker) -> str:
    """Return a message as the model reads it. Cuts are marked, and cut no secret that is not masked."""
    text, before = masker(safe(message.text)), masker(safe(message.before))
    if len(text) > _BEGINNING + _END:
        cut = len(text) - _BEGINNING - _END
        text = f"{text[:_BEGINNING]} [... {cut:,} more characters ...] {text[-_END:]}"
    lines = [f"[AGENT] ... {before[-_BEFORE:]}"] if before else []
    return "\n".join((*lines, f"[USER] {text}"))


def _searched(text: str) -> str:
    """Return the letters of a message in which quotes may be, with and without masked secrets."""
    return "\n".join(letters(masker(safe(text))) for masker in (Masker(), Masker(False)))
