"""The history of a phrase: its messages, its fate after each compaction, and the work repeated because of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from inspector.answers.answers import Answers, about
from inspector.answers.inspection import Inspection
from inspector.answers.losses import facts_of, read_aftermath
from inspector.core.conversations import Compaction, ConversationRow, Generation
from inspector.core.handoff import handoff_of
from inspector.core.places import Place, place_name
from inspector.core.shares import plural
from inspector.core.signs import FATE_SIGNS
from inspector.core.text import LETTER, safe, safe_title
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.facts.fact import ConversationFacts, Fate, Life
from inspector.quality.facts.sentences import sentences
from inspector.replay.transcript import transcript_of

#: Names of fates in a trace, where they differ from the names of the outcomes.
FATE_WORDS: Mapping[str, str] = {
    "verbatim": "word for word",
    "paraphrased": "in other words",
    "uncertain": "uncertain: not there word for word",
    "unknown": "unknown: the summary cannot be read",
}
#: The text of an empty trace. A search also finds parts of words, and words in tool calls.
NOWHERE = "No message has these whole words in its text. A trace does not look into tool calls."
#: The text of a trace without a fate.
NOT_SUMMARIZED = "no compaction has summarized it"
_EXCERPT = 200
#: Maximum length of a traced phrase in the app, in characters.
MAX_PHRASE = 400
_BEFORE = 60


class PhrasePlace(Place, frozen=True):
    """The place and the role of a message that has the phrase."""

    role: str


class Trace(Struct, frozen=True):
    """The history of a phrase in one conversation.

    `places` are the messages with the phrase. `fact` is the statement that has the phrase, "" if none has. `fates` are
    its fates from the compaction that summarized it. Without a fact, a fate is "verbatim" if the list after the
    compaction has the phrase, else "uncertain". `live` are the messages of the live list with the phrase.
    """

    row: ConversationRow
    text: str
    places: tuple[PhrasePlace, ...]
    fact: str
    fates: tuple[Fate, ...]
    aftermath: tuple[AftermathEvent, ...]
    live: tuple[PhrasePlace, ...] = ()


class TraceStep(Struct, frozen=True):
    """One entry of a trace: a message, a fate after a compaction, or repeated work.

    `compaction` is None for a message. `generation` and `index` are the place to show (`index` is None if the list
    lacks the phrase), `message` is its row in the store. `sign` and `evidence` may be "".
    """

    text: str
    sign: str
    grave: bool
    compaction: int | None
    generation: int
    index: int | None
    message: int | None
    evidence: str = ""


def steps_of(trace: Trace) -> tuple[TraceStep, ...]:
    """Return the entries of a trace in the order of the conversation: the messages of a list, then its compaction.

    The last entry of a phrase that a compaction summarized says whether the live list has it.
    """
    in_order = sorted(
        _steps(trace),
        key=lambda step: (
            (step.generation, 0, step.index) if step.compaction is None else (step.compaction, 1, 0)
        ),
    )
    return (*in_order, _now(trace)) if trace.fates else tuple(in_order)


def _now(trace: Trace) -> TraceStep:
    if not trace.live:
        last = trace.fates[-1].compaction + 1
        return TraceStep("now: not word for word in the live list", "", False, None, last, None, None)
    first, *others = trace.live
    more = f" and {plural(len(others), 'other message')}" if others else ""
    words = f"now: word for word in {place_name(first.index)}{more} of the live list"
    return TraceStep(words, "", False, None, first.generation, first.index, first.message)


def _steps(trace: Trace) -> Iterator[TraceStep]:
    for number, place in enumerate(trace.places):
        verb = "said again" if number else "said"
        words = f"{verb} at {place_name(place.index, place.generation)} by the {place.role}"
        yield TraceStep(words, "", False, None, place.generation, place.index, place.message)
    if trace.places and not trace.fates:
        last = trace.places[-1]
        yield TraceStep(NOT_SUMMARIZED, "", False, None, last.generation, last.index, last.message)
    for fate in trace.fates:
        where = f" in the {fate.where}" if fate.where else ""
        words = f"compaction {fate.compaction}: {FATE_WORDS.get(fate.outcome, fate.outcome)}{where}"
        sign, number = FATE_SIGNS[fate.outcome], fate.compaction
        yield TraceStep(words, sign, fate.gone, number, number + 1, fate.index, None, fate.excerpt)
    shown = {(place.generation, place.index) for place in trace.places}
    for event in trace.aftermath:
        at = event.place
        if event.kind != "said again" or (at.generation, at.index) not in shown:
            words = f"{event.kind} at {place_name(at.index, at.generation)}"
            grave = event.breaks_rule
            yield TraceStep(words, "", grave, None, at.generation, at.index, at.message, event.text)


def trace_phrase(answers: Answers, names: Sequence[str], text: str) -> list[Trace]:
    """Trace a phrase through the named conversations, or through all that have it.

    Upper and lower case and the space between words do not matter. Raises UnknownConversation and StoreErrors.
    """
    store = answers.store
    if names:
        chosen = [store.resolve(name) for name in names]
    else:
        with_text = {hit.conversation for hit in store.search(_without_mark(text), limit=sys.maxsize)}
        chosen = [row.id for row in store.conversations() if row.id in with_text]
    rows = {row.id: row for row in store.conversations()}
    traces = []
    for name in chosen:
        if name not in rows:
            continue
        inspection = Inspection.open(store, name)
        if inspection.conversation.has_unread:
            for note in inspection.conversation.notes:
                answers.note(about(rows[name], note))
        traces.append(trace_in(inspection, rows[name], text))
    return [trace for trace in traces if trace.places or trace.fates]


def trace_in(
    inspection: Inspection, row: ConversationRow, text: str, facts: ConversationFacts | None = None
) -> Trace:
    """Return the history of a phrase in one conversation. `facts` are its facts if known. Raises StoreErrors."""
    wanted = _without_mark(folded(text))
    phrase = _word_pattern(wanted)
    places = tuple(_phrase_places(inspection, phrase))
    facts = facts_of(inspection, "changes") if facts is None else facts
    life = _life_of(facts, phrase, wanted)
    events = read_aftermath(inspection, facts) if inspection.compactions() else ()
    fact = "" if life is None else life.fact.text
    fates_by_compaction = {} if life is None else {fate.compaction: fate for fate in life.fates}
    fates = tuple(_fates_of(inspection, phrase, places, fates_by_compaction))
    related = tuple(
        event
        for event in events
        if phrase.search(folded(event.text))
        or phrase.search(folded(event.fact))
        or (fact and event.fact == fact)
    )
    live = inspection.conversation.live
    in_live = tuple(_with_phrase(inspection, live, phrase)) if fates else ()
    return Trace(row, text, places, fact, fates, related, in_live)


def statement_with(
    inspection: Inspection, facts: ConversationFacts, message: int, words: Sequence[str]
) -> str:
    """Return the fact of a message (row of the store) with the most of the words, else the sentence; "" for none."""
    for generation in inspection.conversation.generations:
        if message in generation.ids:
            break
    else:
        return ""
    index = generation.ids.index(message)
    (said,) = inspection.store.messages(generation, index, index + 1)
    text = safe(said.text)
    spans = [saying.span for fact in facts.facts for saying in fact.sayings if saying.message == message]
    spans += [(part.start, part.end) for part in sentences(text, said.role == "user")]
    statements = [text[start:end] for start, end in spans]
    wanted = [word.lower() for word in words]
    counts = [sum(word in statement.lower() for word in wanted) for statement in statements]
    most = max(counts, default=0)
    return statements[counts.index(most)] if most else ""


def folded(text: str) -> str:
    """Return a text in lower case with single spaces."""
    return " ".join(safe(text).lower().split())


def _without_mark(text: str) -> str:
    """Return a phrase without the mark that ends its sentence."""
    return text.rstrip(" .!?。！？") or text


def _word_pattern(phrase: str) -> re.Pattern[str]:
    """Return a pattern that matches a phrase of whole words: "port" is not in "support"."""
    before = f"(?<!{LETTER})" if re.match(LETTER, phrase) else ""
    after = f"(?!{LETTER})" if re.match(LETTER, phrase[-1:]) else ""
    return re.compile(before + re.escape(phrase) + after)


def _phrase_places(inspection: Inspection, phrase: re.Pattern[str]) -> Iterator[PhrasePlace]:
    history = transcript_of(inspection.conversation, inspection.compactions())
    first = {(place.generation, place.index) for place in history.places}
    for generation in inspection.conversation.generations:
        for place in _with_phrase(inspection, generation, phrase):
            if (place.generation, place.index) in first:
                yield place


def _with_phrase(
    inspection: Inspection, generation: Generation, phrase: re.Pattern[str]
) -> Iterator[PhrasePlace]:
    for index, message in enumerate(inspection.store.iterate(generation)):
        if phrase.search(folded(message.text)):
            yield PhrasePlace(generation.number, index, generation.ids[index], message.role)


def _life_of(facts: ConversationFacts, phrase: re.Pattern[str], text: str) -> Life | None:
    """Return the first life of the best fact that contains the phrase, or that is part of the phrase.

    A fact of the user is better than others, then the phrase itself, then a fact that was gone once, then the rank.
    """
    lives: dict[str, Life] = {}
    for life in facts.lives:
        lives.setdefault(life.fact.key, life)
    matching = [
        life
        for life in lives.values()
        if phrase.search(fact := folded(life.fact.text)) or (len(fact) > 20 and fact in text)
    ]
    return max(
        matching,
        key=lambda life: (
            life.fact.role == "user",
            _without_mark(folded(life.fact.text)) == text,
            life.died is not None,
            life.fact.rank,
        ),
        default=None,
    )


def _fates_of(
    inspection: Inspection, phrase: re.Pattern[str], places: Sequence[PhrasePlace], fates: dict[int, Fate]
) -> Iterator[Fate]:
    """Yield a fate for each compaction since the first message with the phrase.

    The fate is verbatim if the list after has the phrase. Otherwise it is the fate of the fact, if there is a fact.
    """
    first = min((place.generation for place in places), default=min(fates, default=None))
    for recorded in inspection.compactions():
        if first is None or recorded.index < first:
            continue
        literal = _literal(inspection, recorded, phrase)
        if literal is not None:
            yield literal
        elif recorded.index in fates:
            yield fates[recorded.index]
        else:
            yield Fate(recorded.index, "unknown" if recorded.encrypted else "uncertain")


def _literal(inspection: Inspection, recorded: Compaction, phrase: re.Pattern[str]) -> Fate | None:
    """Return the fate "verbatim" if the list after a compaction has the phrase. The summary takes precedence."""
    best: Fate | None = None
    for index, message, where in inspection.list_after(recorded):
        handoff = handoff_of(message) if where == "summary" else None
        text = " ".join(safe(message.text if handoff is None else handoff.body).split())
        match = phrase.search(text.lower())
        if match is None:
            continue
        excerpt = safe_title(text[max(0, match.start() - _BEFORE) : match.start() + _EXCERPT], _EXCERPT)
        fate = Fate(recorded.index, "verbatim", where, index, match.span(), excerpt)
        if where == "summary":
            return fate
        best = best or fate
    return best
