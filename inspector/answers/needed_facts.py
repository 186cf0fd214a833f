"""Lost requests and plain statements of the user that were still needed, so that their loss counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.inspection import Inspection
from inspector.core.messages import Message
from inspector.core.scan.words import has_unspaced
from inspector.core.text import safe
from inspector.quality.evidence import is_request
from inspector.quality.facts.fact import PLAIN, REQUESTS, ConversationFacts, Life
from inspector.quality.facts.languages import language_of
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.facts.spoken import by_person
from inspector.quality.harmed_facts import HarmedFacts
from inspector.quality.limits import CROWDED, LATE_MESSAGES
from inspector.quality.losses import is_lost
from inspector.quality.mentions import MIN_WORDS, SOME_WORDS
from inspector.quality.repeated_statements import repeated_statements
from inspector.replay.transcript import transcript_of
from inspector.summaries.content import content_words

#: Languages with a lexicon, and a text whose language is not clear.
_WITH_LEXICON = ("", "en", "zh")
#: Maximum characters of a message of the agent to search for the words of a request.
_SEARCHED = 20_000


class _Open(Struct):
    """A lost statement that no message of the agent has taken up yet.

    `step` is its last step before the compaction `life.compaction`, `later` is the number of later messages of the user
    until then, and `languages` are those of the agent's messages. `foreign`: no lexicon knows its language.
    """

    life: Life
    step: int
    words: frozenset[str]
    foreign: bool
    languages: set[str]
    later: int = 0

    @property
    def counts(self) -> bool:
        """Whether the agent's messages are in a language that can have its words."""
        language = language_of(self.life.text)
        return self.foreign or not self.languages or not language or language in self.languages

    def waits_at(self, step: int, generation: int) -> bool:
        """Return whether a message at this place may take it up."""
        return self.step < step and generation <= self.life.compaction

    def taken_up(self, message: Message) -> bool:
        """Return whether a message of the agent mentions it, or a name in it if it is foreign."""
        text = "\n".join((message.text, *(call.arguments for call in message.tool_calls)))[:_SEARCHED]
        if self.foreign:
            return any(value.distinctive and value.text in text for value in self.life.fact.values)
        self.languages.update({language_of(message.text)} - {""})
        # A pair of signs is less than a word.
        share = SOME_WORDS / 2 if has_unspaced(self.life.text) else SOME_WORDS
        return len(self.words & content_words(text, load_stemmer())) >= share * len(self.words)


def with_needed(inspection: Inspection, facts: ConversationFacts) -> ConversationFacts:
    """Return the facts with `Life.needed` for the requests and statements that were still needed when they were lost.

    The user repeated such a statement, or it is in one of the user's last messages before the compaction and no message
    of the agent mentioned it. In a language without a lexicon every statement may be a rule, so that each is needed,
    unless the agent used a name in it. Raises StoreErrors.
    """
    lost = _lost_without_cue(facts.lives)
    if not lost:
        return facts
    repeated = {event.fact for event in repeated_statements(facts, HarmedFacts(facts))}
    needed = {key for key, life in lost.items() if life.text in repeated}
    foreign = is_foreign(facts.lives)
    crowd = Counter(saying.step for fact in facts.facts for saying in fact.sayings if saying.role == "user")
    waiting: dict[str, _Open] = {}
    for key, life in lost.items():
        words = content_words(life.text, load_stemmer())
        unknown = foreign and language_of(life.text) not in ("en", "zh")
        # Chinese requests often lack a sign of their own.
        may_ask = unknown or life.fact.rule.endswith(REQUESTS) or has_unspaced(life.text)
        if key not in needed and may_ask and len(words) >= MIN_WORDS and crowd[life.saying.step] <= CROWDED:
            sayings = (saying.step for saying in life.fact.sayings if saying.generation <= life.compaction)
            waiting[key] = _Open(life, max(sayings), words, unknown, set())
    needed |= _not_taken_up(inspection, waiting)
    if not needed:
        return facts
    lives = (replace(life, needed=True) if life.fact.key in needed else life for life in facts.lives)
    return replace(facts, lives=tuple(lives))


def is_foreign(lives: Iterable[Life]) -> bool:
    """Return whether the user's own words are mostly in a language without a lexicon."""
    return (
        language_of("\n".join(life.fact.text for life in lives if life.fact.is_users_own))
        not in _WITH_LEXICON
    )


def _lost_without_cue(lives: Iterable[Life]) -> dict[str, Life]:
    """Return the first life of each of the user's own requests and plain statements that is lost in the last list."""
    lost: dict[str, Life] = {}
    for life in lives:
        fact = life.fact
        plain = fact.is_users_own and fact.rule.endswith(PLAIN) and not fact.rule.endswith(".question")
        if not plain or fact.text.endswith((":", "：")) or len(fact.things) < MIN_WORDS or not life.fates:
            continue
        if is_lost(life.seen(life.fates[-1].compaction)):
            lost.setdefault(fact.key, life)
    return lost


def _not_taken_up(inspection: Inspection, waiting: dict[str, _Open]) -> set[str]:
    """Return the keys of the statements that the agent did not take up. Removes the others from `waiting`."""
    transcript = transcript_of(inspection.conversation, inspection.compactions())
    steps = {(place.generation, place.index): step for step, place in enumerate(transcript.places)}
    first = min((one.life.saying.generation for one in waiting.values()), default=1)
    last = max((one.life.compaction for one in waiting.values()), default=0)
    for generation in inspection.conversation.generations[first - 1 : last]:
        for index, message in enumerate(inspection.store.iterate(generation)):
            step = steps.get((generation.number, index))
            if step is None or message.role not in ("user", "assistant"):
                continue
            after = {key: one for key, one in waiting.items() if one.waits_at(step, generation.number)}
            by_user = bool(after) and is_request(message) and by_person(safe(message.text))
            for key, one in after.items():
                one.later += by_user
                # An earlier request is mostly done.
                late = one.foreign or one.later < LATE_MESSAGES
                if not late or (message.role == "assistant" and one.taken_up(message)):
                    del waiting[key]
    return {key for key, one in waiting.items() if one.counts}
