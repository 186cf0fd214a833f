"""Statements that the user repeats after a list lost them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from inspector.core.places import Place
from inspector.core.rough import text_tokens
from inspector.core.scan.words import has_unspaced
from inspector.core.text import safe_title
from inspector.quality.aftermath import MAX_TEXT, AftermathEvent, place_of
from inspector.quality.facts.fact import GONE, PLAIN, ConversationFacts, Fact, Saying
from inspector.quality.facts.rules import load_stemmer
from inspector.quality.harmed_facts import HarmedFacts
from inspector.quality.limits import CROWDED, FEW
from inspector.quality.prohibitions import is_prohibition

#: Minimum content words that two statements share, and minimum overlap with the shorter and the longer statement.
MIN_SHARED_WORDS = 4
MIN_OVERLAP = 0.75
MIN_OVERLAP_OF_LONGER = 0.4
#: The same in a message that complains of a repetition ("I told you").
MIN_CORRECTED_WORDS = 3
MIN_CORRECTED_OVERLAP = 0.5
#: Minimum content words of a short rule in other words.
MIN_REWORDED = 2
#: Kinds of statements that hold until the user takes them back. A second request may be about another thing.
_LASTING = ("constraint", "preference", "value")
_RULES = ("constraint", "preference")
#: End of the name of a rule that finds questions.
_QUESTION = ".question"

#: Words of a user who repeats something, or who complains of missing work.
_CORRECTION = re.compile(
    r"\b(?:(?:i|we)(?:['’]ve| have)? (?:already |just )?(?:told|said|asked|mentioned|explained|wrote|wanted|agreed)"
    r"|(?:as|like) (?:i )?(?:said|told|mentioned|discussed|agreed)|(?:you|u) (?:forgot|ignored|lost|missed|just)"
    r"|\A\W*no[,.] |once again|how (?:many|often) times|remember|reminder|why (?:did|do|are|is)|stop)\b"
    r"|\bagain\b[,:?! ]"
    r"|我(?:已经|早就|刚才|刚刚|之前|上次|不是|都|还|[跟和对]你){0,3}(?:说|讲|提|问|强调|要求)[过了]"
    r"|你(?:之前|刚才|也|都|自己)?(?:说|答应)[过了是]|再说一[次遍]|你忘了|还是没|为什么|不对|错了|[记記][住得]",
    re.I,
)
#: Words of a user who accepts a result or lifts a rule.
_SETTLED = re.compile(
    r"\b(?:great|thanks|thank you|nice|perfect|well done|passes|works now|you can|you may|no longer|any ?more)\b"
    r"|可以了|谢谢",
    re.I,
)


def repeated_statements(facts: ConversationFacts, harmed: HarmedFacts) -> Iterator[AftermathEvent]:
    """Yield an event for each message of the user that repeats a statement that left the list.

    The event is the repetition with the largest overlap.
    """
    statements = [
        fact
        for fact in facts.facts
        if fact.role == "user" and not fact.pasted and (fact.things or _is_address(fact))
    ]
    said = _Statements(facts)
    by_word: dict[str, list[Fact]] = defaultdict(list)
    for fact in statements:
        for word in set(fact.things):
            by_word[word].append(fact)
    #: The keys of the facts of each message, and the messages of the user that complain of a repetition.
    facts_at: dict[Place, set[str]] = defaultdict(set)
    corrections: set[Place] = set()
    for fact in facts.facts:
        is_correction = fact.role == "user" and _CORRECTION.search(fact.text) is not None
        for saying in fact.sayings:
            facts_at[place_of(saying)].add(fact.key)
            if is_correction:
                corrections.add(place_of(saying))
    best: dict[Place, tuple[float, AftermathEvent]] = {}
    for fact in statements:
        settles = _SETTLED.search(fact.text) is not None
        for saying in fact.sayings:
            place = place_of(saying)
            corrects = place in corrections
            # A message with many statements is a document, often the template of a command.
            is_document = len(facts_at[place]) > CROWDED
            if saying.generation < 2 or is_document or saying.role != "user" or (settles and not corrects):
                continue
            for score, other, before in _repeats(fact, saying, by_word, corrects, harmed):
                # A correction with common words alone is about another thing.
                is_rare = other is fact or any(
                    said.rare_places(word, place) for word in set(fact.things) & set(other.things)
                )
                if corrects and not is_rare:
                    continue
                earlier = place_of(before)
                if len(facts_at[earlier]) > CROWDED or (place in best and best[place][0] >= score):
                    continue
                # A command or an extension sends the same text again.
                if len(facts_at[place]) > FEW and facts_at[place] <= facts_at[earlier]:
                    continue
                fate = harmed.fate(other, saying)
                died = harmed.died(other) if fate else None
                fate = fate or harmed.state(other, saying)
                event = AftermathEvent(
                    died or before.compaction or saying.generation - 1, "said again", place, earlier,
                    safe_title(fact.text, MAX_TEXT), text_tokens(len(fact.text)),
                )  # fmt: skip
                best[place] = score, event.about(other, fate) if fate else event
    yield from (event for _, event in best.values())


def complaints(
    events: Iterable[AftermathEvent], facts: ConversationFacts, harmed: HarmedFacts
) -> Iterator[AftermathEvent]:
    """Yield events, and link each complaint of repetition to the statement that it is about, if one stands out.

    A complaint about a statement that the list may lack repeats this statement. A complaint about a statement of the
    same list is left out: no compaction is between them.
    """
    earlier: _Statements | None = None
    for event in events:
        if event.kind != "told before":
            yield event
            continue
        earlier = earlier or _Statements(facts)
        behind = earlier.behind(event.place, event.text) or earlier.behind(event.place)
        if behind is None:
            yield event
        elif (saying := behind[1]).generation < event.place.generation:
            fact = behind[0]
            at = replace(saying, generation=event.place.generation)
            fate, died = harmed.state(fact, at) or "unknown", harmed.died(fact)
            found = replace(
                event,
                earlier=place_of(saying),
                compaction=died if fate in GONE and died is not None else event.compaction,
            )
            linked = found.about(fact, fate)
            yield linked if linked.is_kept else replace(linked, kind="said again")


class _Statements:
    """The user's own statements, by message and by rare word."""

    def __init__(self, facts: ConversationFacts) -> None:
        self._at: dict[Place, list[Fact]] = defaultdict(list)
        #: The messages that have a word.
        self._places: dict[str, set[Place]] = defaultdict(set)
        for fact in facts.facts:
            for saying in fact.sayings if fact.is_users_own else ():
                place = place_of(saying)
                if saying.role == "user":
                    self._at[place].append(fact)
                    for word in _words_of(fact):
                        self._places[word].add(place)

    def rare_places(self, word: str, place: Place) -> list[Place]:
        """Return the earlier messages that have a word of a message, none if they are more than a few.

        The name of the project is in many.
        """
        places = [
            other
            for other in self._places[word]
            if (other.generation, other.index) < (place.generation, place.index)
        ]
        return places if len(places) <= FEW else []

    def behind(self, complaint: Place, sentence: str = "") -> tuple[Fact, Saying] | None:
        """Return the earlier statement with the most rare words of a complaint, with its last saying before.

        None if there is no clear one. The words are those of a sentence of the complaint, or of the whole message.
        """
        shared: dict[Place, set[str]] = defaultdict(set)
        stated = [fact for fact in self._at[complaint] if not sentence or fact.text in sentence]
        for word in {word for fact in stated for word in _words_of(fact)}:
            for place in self.rare_places(word, complaint):
                shared[place].add(word)
        most = max(map(_word_count, shared.values()), default=0)
        best = [place for place, words in shared.items() if _word_count(words) == most]
        # Several messages with the same words repeat one statement.
        if most < MIN_REWORDED or len({frozenset(shared[place]) for place in best}) > 1:
            return None
        place = max(best, key=lambda place: (place.generation, place.index))
        fact = max(
            self._at[place], key=lambda fact: (_word_count(shared[place] & _words_of(fact)), fact.rank)
        )
        return fact, next(saying for saying in fact.sayings if place_of(saying) == place)


def _words_of(fact: Fact) -> set[str]:
    """Return the content words and the exact values of a fact."""
    return {*fact.things, *(value.canon for value in fact.values)}


def _word_count(things: Iterable[str]) -> float:
    """Return the number of different content words. Two characters of a script without spaces are half a word."""
    return sum(map(_share_of_word, set(things)))


def _share_of_word(thing: str) -> float:
    return 0.5 if has_unspaced(thing) else 1.0


def _is_address(fact: Fact) -> bool:
    """Return whether a statement is an address and nothing else."""
    return bool(fact.values) and all(value.form in ("url", "address") for value in fact.values)


def _names_differ(fact: Fact, other: Fact) -> bool:
    """Return whether two statements have values but none in common, so that they are about different things."""
    values, other_values = ({value.canon for value in each.values} for each in (fact, other))
    return bool(values and other_values) and values.isdisjoint(other_values)


def _share_one_name(fact: Fact, other: Fact) -> bool:
    """Return whether one name has all words that two statements share: "add-totals-to-invoices"."""
    shared = set(fact.things) & set(other.things)
    names = (token for token in fact.text.split() if token.isascii())
    return len(shared) > 1 and any(shared.issubset(load_stemmer().words(name)) for name in names)


def _asks(fact: Fact, other: Fact) -> bool:
    """Return whether an earlier statement (`other`) asks for something, as a decision or a question.

    A question after a question does not repeat it: the user may ask for the state again.
    """
    return other.kind == "decision" or (other.rule.endswith(_QUESTION) and not fact.rule.endswith(_QUESTION))


def _lacks_value_of(fact: Fact, other: Fact) -> bool:
    """Return whether a statement lacks a value of an earlier one that is about its values: a line with another time."""
    return other.kind == "value" and not {value.canon for value in other.values} <= {
        value.canon for value in fact.values
    }


def _repeats(
    fact: Fact, saying: Saying, by_word: Mapping[str, Sequence[Fact]], corrects: bool, harmed: HarmedFacts
) -> Iterator[tuple[float, Fact, Saying]]:
    """Yield the facts that a saying repeats, each with its overlap and its last saying before.

    `corrects`: the message complains of a repetition, so fewer words are enough. A rule, a wish or a value repeats
    itself, however short, if the list no longer has it for certain. So does a rule or a wish in a complaint. A rule
    that the list lost is also repeated by a rule with nearly the same words.
    """
    lasts = fact.kind in _LASTING and not fact.rule.endswith(PLAIN)
    repeats = harmed.fate(fact, saying) or (corrects and fact.kind in _RULES)
    if lasts and repeats and (last := _last_before(fact, saying)) is not None:
        yield 1.0, fact, last
        return
    words = frozenset(fact.things)
    shared: dict[str, float] = defaultdict(float)
    candidates: dict[str, Fact] = {}
    for word in words:
        for other in by_word[word]:
            shared[other.key] += _share_of_word(word)
            candidates[other.key] = other
    own_count = _word_count(words)
    for key, count in shared.items():
        other = candidates[key]
        other_count = _word_count(other.things)
        longer, shorter = max(own_count, other_count), min(own_count, other_count)
        repeated = (
            count >= MIN_SHARED_WORDS
            and count >= MIN_OVERLAP * shorter
            and count >= MIN_OVERLAP_OF_LONGER * longer
        )
        fate = harmed.fate(other, saying)
        enough = count >= MIN_CORRECTED_WORDS and count >= MIN_CORRECTED_OVERLAP * other_count
        # All words of a short statement are enough too.
        corrected = corrects and (enough or count == other_count == MIN_CORRECTED_WORDS - 1)
        # A short rule that the list lost, in other words: nearly all words are the same.
        reworded = (
            count == shorter >= MIN_REWORDED
            and count >= MIN_OVERLAP * longer
            and fact.kind in _RULES
            and other.kind in _RULES
            and fate in GONE
            and is_prohibition(fact.text) == is_prohibition(other.text)
        )
        if not (repeated or corrected or reworded) or _lacks_value_of(fact, other):
            continue
        if not corrected and _names_differ(fact, other):
            continue
        if _share_one_name(fact, other):
            continue
        # Only a correction shows that a plain statement was to be followed, even if its fate is uncertain.
        is_repeated = corrects and enough and fate and not other.rule.endswith(_QUESTION)
        if other.kind not in _LASTING and not is_repeated and not (corrected and _asks(fact, other)):
            continue
        if (before := _last_before(other, saying)) is not None:
            yield count / longer, other, before


def _last_before(fact: Fact, saying: Saying) -> Saying | None:
    """Return the user's last saying of a fact before another saying; None if the list still has one of them."""
    before = [earlier for earlier in fact.sayings if earlier.step < saying.step and earlier.role == "user"]
    has_left = all(
        earlier.compaction is not None and earlier.compaction < saying.generation for earlier in before
    )
    return before[-1] if before and has_left else None
