"""Losses and changes by compactions, as evidence for findings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.answers.fact_reading import read_facts
from inspector.answers.inspection import Inspection
from inspector.answers.recorded_steps import recorded_steps
from inspector.answers.standing_lives import standing_lives
from inspector.config.cache import default_cache
from inspector.core.conversations import Compaction
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.patterns import late_pattern
from inspector.core.places import place_name
from inspector.core.scan.words import has_unspaced
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.evidence import Exchanged, LostRule
from inspector.quality.facts.fact import STANDING, ConversationFacts, Life
from inspector.quality.facts.gaps import Gap, gaps_of, prompted, unrecorded
from inspector.quality.facts.lives import PlacedFates
from inspector.quality.facts.rules import LASTING, PASSING, load_stemmer
from inspector.quality.facts.values import COUNTED, values_of
from inspector.quality.find_aftermath import aftermath_of, steps_with_acts, with_repeats
from inspector.quality.losses import is_lost, stale_statement
from inspector.summaries.content import content_words
from inspector.summaries.exact import exact_of

#: Minimum share of an entry's words in a line for the line to be about the same thing.
_SAME_THING = 0.5
_LINES = 2_000
#: Forms of values that a summary may change by mistake; another path or name usually belongs to something else.
_CHANGING = COUNTED | {"version", "release"}
#: Number of the user's first messages. Their rules hold for the whole conversation.
_BRIEF = 2
#: A line that begins a part of the answer that Claude Code's prompt for summaries asks for.
_FORM = late_pattern(r"^<(?:analysis|summary)>\s*$", re.MULTILINE)
#: Number of messages before a choice by number to search for its list.
_BEFORE = 12


def facts_of(
    inspection: Inspection, placed_fates: PlacedFates = "none", by_rules: bool = False
) -> ConversationFacts:
    """Return the facts of a conversation (see read_facts), cached where possible; none without compactions."""
    if not inspection.compactions():
        return ConversationFacts()
    return read_facts(inspection, default_cache(), placed_fates=placed_fates, by_rules=by_rules).facts


class FactEvidence(Struct, frozen=True):
    """Evidence for findings, by compaction: lost constraints, values that a summary changed, gaps of a summary,
    and events of the aftermath."""

    lost: Mapping[int, tuple[LostRule, ...]] = field(default_factory=dict)
    exchanged: Mapping[int, tuple[Exchanged, ...]] = field(default_factory=dict)
    gaps: Mapping[int, tuple[Gap, ...]] = field(default_factory=dict)
    aftermath: Mapping[int, tuple[AftermathEvent, ...]] = field(default_factory=dict)


def fact_evidence(
    inspection: Inspection, facts: ConversationFacts, events: Sequence[AftermathEvent]
) -> FactEvidence:
    """Return the evidence of a conversation's facts and aftermath."""
    aftermath: dict[int, list[AftermathEvent]] = defaultdict(list)
    for event in events:
        aftermath[event.compaction].append(event)
    return FactEvidence(
        lost_rules(facts, inspection.compactions()), exchanged_values(inspection, facts), gaps(inspection, facts),
        {compaction: tuple(done) for compaction, done in aftermath.items()},
    )  # fmt: skip


def lost_rules(
    facts: ConversationFacts, compactions: Sequence[Compaction]
) -> dict[int, tuple[LostRule, ...]]:
    """Return, by compaction, the user's constraints that it lost and that are still lost (see is_lost).

    In a script without spaces, a summary may have a constraint without a name in other words. It is left to `losses`,
    unless the summary contradicts it or has it without its value.
    """
    summarized = {recorded.index for recorded in compactions if recorded.summary}
    lost: dict[int, list[LostRule]] = defaultdict(list)
    user_steps = sorted({say.step for fact in facts.facts for say in fact.sayings if say.role == "user"})
    brief = frozenset(user_steps[:_BRIEF])
    counted: set[tuple[int, str]] = set()
    for life in facts.lives:
        died = life.died
        if died is None or not life.fact.standing or (died, life.fact.key) in counted:
            continue
        # A later summary may have it again, from the words of another message.
        if not is_lost(life.seen(life.fates[-1].compaction)) or not _outlasts_request(life, brief):
            continue
        counted.add((died, life.fact.key))
        fate = life.fate_at(died)
        named = any(value.distinctive for value in life.fact.values)
        reworded = fate is not None and fate.outcome == "lost" and has_unspaced(life.text) and not named
        if died in summarized and reworded:
            continue
        mentioned = fate is not None and fate.outcome == "value lost"
        model = "" if fate is None else fate.model
        stale = stale_statement(life, facts)
        rule = LostRule(life.text, life.saying.generation, life.saying.index, mentioned, model, stale)
        lost[died].append(rule)
    return {compaction: tuple(rules) for compaction, rules in lost.items()}


def gaps(inspection: Inspection, facts: ConversationFacts) -> dict[int, tuple[Gap, ...]]:
    """Return, by compaction, the gaps of a summary that a model wrote."""

    def before(generation: int, index: int) -> list[str]:
        start = max(0, index - _BEFORE)
        messages = inspection.store.messages(inspection.generation(generation), start, index)
        return [message.text for message in reversed(messages)]

    def is_said(phrase: str, compaction: int) -> bool:
        """Return whether a message before a compaction has a phrase. A model repeats phrases of summaries."""
        lists = inspection.conversation.generations[:compaction]
        spoken = (message for generation in lists for message in inspection.store.iterate(generation))
        return any(
            phrase in message.text and message.role != "assistant" and handoff_of(message) is None
            for message in spoken
        )

    def said(compaction: int) -> str:
        """Return the texts of the user and of programs before a compaction."""
        lists = inspection.conversation.generations[:compaction]
        messages = (message for generation in lists for message in inspection.store.iterate(generation))
        return "\n".join(
            message.text
            for message in messages
            if message.role != "assistant" and handoff_of(message) is None
        )

    def followed(compaction: int) -> str:
        """Return the first answer after a compaction that has the form of a summary, or ""."""
        generation = inspection.generation(compaction + 1)
        return next(
            (
                place_name(index, generation.number)
                for index, message in enumerate(inspection.store.iterate(generation))
                if message.role == "assistant" and _FORM.search(message.text)
            ),
            "",
        )

    return {
        recorded.index: (
            *gaps_of(recorded.summary, facts.of(recorded.index), before),
            *prompted(
                recorded.summary,
                partial(is_said, compaction=recorded.index),
                partial(followed, recorded.index),
            ),
            *unrecorded(recorded.summary, partial(said, recorded.index)),
        )
        for recorded in inspection.compactions()
        if recorded.summary is not None and not recorded.fallback
    }


def _outlasts_request(life: Life, brief: frozenset[int]) -> bool:
    """Return whether a rule holds beyond its own request.

    It has lasting words or an exact value, is in the user's first messages (the steps `brief`), or is repeated.
    """
    if PASSING.search(life.fact.text):
        return False
    exact = any(value.form != "url" for value in life.fact.values)
    return exact or LASTING.search(life.text) is not None or life.saying.step in brief or not life.fact.once


def exchanged_values(inspection: Inspection, facts: ConversationFacts) -> dict[int, tuple[Exchanged, ...]]:
    """Return, by compaction, the numbers of the user that its summary changed, if no message gives the new number."""
    claimed = _claimed(facts)
    exchanged: dict[int, tuple[Exchanged, ...]] = {}
    for recorded in (item for item in inspection.compactions() if item.written):
        claims = claimed.get(recorded.index, ())
        # Hold the messages of one list at a time: all lists together are too large.
        messages = _messages_before(inspection, recorded) if claims else ()
        changes: dict[str, Exchanged] = {}
        for now, change in claims:
            kept = _line_has(change.was, change.text, recorded.summary or "")
            if change.text not in changes and not kept and not _is_given(now, change.text, messages):
                changes[change.text] = change
        if changes:
            exchanged[recorded.index] = tuple(changes.values())
    return exchanged


def _claimed(facts: ConversationFacts) -> Mapping[int, Sequence[tuple[str, Exchanged]]]:
    """Return, by compaction, the changes of numbers that fates show, each with the new number in its canonical form."""
    claimed: dict[int, list[tuple[str, Exchanged]]] = defaultdict(list)
    # Weak statements are often in documents with many values, and a summary may name another of these values.
    changed = (
        (life.fact, fate)
        for life in facts.lives
        if life.fact.is_users_own and life.fact.strength >= STANDING
        for fate in life.fates
        if fate.changed
    )
    for fact, fate in changed:
        for value in values_of(fate.changed):
            # `changed` may also be a sentence that denies the fact. Only a value can replace a value.
            named = value.unit or value.form in ("version", "release")
            if value.text == fate.changed and value.form in _CHANGING and named:
                change = Exchanged(fact.text, fact.value, fate.changed)
                claimed[fate.compaction].append((value.canon, change))
    return claimed


def _messages_before(inspection: Inspection, recorded: Compaction) -> Sequence[Message]:
    """Return the messages before a compaction without summaries."""
    generation = inspection.generation(recorded.index)
    return [message for message in inspection.store.messages(generation) if handoff_of(message) is None]


def _is_given(value: str, entry: str, messages: Sequence[Message]) -> bool:
    """Return whether a message gives the value for the thing that an entry is about."""
    return any(
        _line_has(value, entry, text)
        for message in messages
        for text in (message.text, *(call.arguments for call in message.tool_calls))
    )


def _line_has(value: str, entry: str, text: str) -> bool:
    """Return whether a line of a text has a value and half of the words of an entry. For a version the value is
    enough."""
    if value not in text.replace(",", ""):
        return False
    stemmer = load_stemmer()
    words = content_words(entry, stemmer)
    for line in text.split("\n"):
        piece = line[:_LINES]
        if value not in piece.replace(",", "") or not _has(piece, value):
            continue
        if "." in value or len(words & content_words(piece, stemmer)) >= _SAME_THING * len(words):
            return True
    return False


def _has(text: str, value: str) -> bool:
    return any(value in values for values in exact_of(text).things.values())


def read_aftermath(inspection: Inspection, facts: ConversationFacts) -> tuple[AftermathEvent, ...]:
    """Return every event after a compaction. Raises StoreErrors.

    Acts are also compared with the rules of files that left the list. Repeated statements in other words are those that
    a model of the user found (see `repeats.py`).
    """
    by_rules = aftermath_by_rules(inspection, facts)
    return with_repeats(by_rules, _repeats(inspection, facts)) if inspection.compactions() else by_rules


def aftermath_by_rules(inspection: Inspection, facts: ConversationFacts) -> tuple[AftermathEvent, ...]:
    """Return every event after a compaction that the rules find. Raises StoreErrors."""
    if not inspection.compactions():
        return ()
    facts = replace(facts, lives=(*facts.lives, *standing_lives(inspection)))
    return aftermath_of(steps_with_acts(recorded_steps(inspection)), facts)


def _repeats(inspection: Inspection, facts: ConversationFacts) -> tuple[AftermathEvent, ...]:
    """Return the repeated statements that a model of the user found."""
    from inspector.models.kept import default_attempts

    kept = default_attempts()
    if not kept.path.exists():
        return ()
    from inspector.answers.repeats import model_repeats

    return model_repeats(inspection, facts, kept)


def with_broken_rules(
    inspection: Inspection, facts: ConversationFacts, events: Sequence[AftermathEvent]
) -> ConversationFacts:
    """Return the facts with the rules of files that left the list and that the agent then broke."""
    broken = {event.fact for event in events if event.kind == "against a rule"}
    broken -= {fact.text for fact in facts.facts}
    lives = [life for life in standing_lives(inspection) if life.text in broken] if broken else []
    return replace(facts, lives=(*facts.lives, *lives))
