"""The last request of the user before a compaction, and whether the compaction removed it without an answer."""

from __future__ import annotations

from inspector.answers.inspection import Inspection
from inspector.core.conversations import SYSTEM, USER, Compaction, Generation
from inspector.core.refusals import refusal_in
from inspector.core.text import safe
from inspector.quality.evidence import is_request
from inspector.quality.facts.languages import language_of, summary_language
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.facts.sentences import sentences
from inspector.quality.facts.spoken import by_person
from inspector.quality.mentions import is_absent, mention_of

#: Number of user messages before a compaction that may have the last request.
_LOOKED_AT = 50


def last_request(inspection: Inspection, generation: Generation) -> int | None:
    """Return the index of the user's last request in a list; None if the last messages have none."""
    users = [index for index, role in enumerate(generation.roles) if role == USER][-_LOOKED_AT:]
    for index in reversed(users):
        if is_request_at(inspection, generation, index):
            return index
    return None


def is_request_at(inspection: Inspection, generation: Generation, index: int) -> bool:
    """Return whether a message of a list is a request of a person."""
    messages = inspection.store.messages(generation, index, index + 1)
    return any(is_request(message) and (not message.text or by_person(message.text)) for message in messages)


def is_mentioned(inspection: Inspection, recorded: Compaction, before: Generation, request: int) -> bool:
    """Return whether a request stays in the list, or the summary mentions it."""
    if recorded.region(request) != "middle":
        return True
    text = inspection.store.messages(before, request, request + 1)[0].text
    return bool(mention_of(text, recorded.summary or "", load_stemmer()))


def is_missing(inspection: Inspection, recorded: Compaction, before: Generation, request: int) -> bool:
    """Return whether a request that is not mentioned is lost.

    It is lost if it has no answer, and the summary is readable, in the same language, and has hardly any of its words.
    """
    if recorded.summary is None or _is_answered(inspection, before, request):
        return False
    text = safe(inspection.store.messages(before, request, request + 1)[0].text)
    typed = " ".join(text[part.start : part.end] for part in sentences(text) if not part.pasted)
    languages = {language_of(typed), summary_language(recorded.summary)} - {""}
    return len(languages) < 2 and is_absent(typed, recorded.summary, load_stemmer())


def _is_answered(inspection: Inspection, generation: Generation, request: int) -> bool:
    """Return whether a list ends with an answer to a request: a text of the agent without calls, not an error."""
    end = end_of(generation)
    last = inspection.store.messages(generation, max(request + 1, end - 1), end)
    answers = (message for message in last if message.role == "assistant" and not message.tool_calls)
    return any(answer.text and not refusal_in(answer.text) for answer in answers)


def end_of(generation: Generation) -> int:
    """Return the number of messages of a list without the notices at its end."""
    end = len(generation)
    while end > 0 and generation.roles[end - 1] == SYSTEM:
        end -= 1
    return end


def missing_request(inspection: Inspection, recorded: Compaction) -> int | None:
    """Return the index of an unanswered last request that a compaction removed and its summary does not mention; None
    if there is none. Raises StoreErrors."""
    before = inspection.generation(recorded.index)
    request = last_request(inspection, before)
    if request is None or is_mentioned(inspection, recorded, before, request):
        return None
    return request if is_missing(inspection, recorded, before, request) else None
