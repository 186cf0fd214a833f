"""What was said that should survive, and what became of it.

Texts are safe for the screen; spans are half-open, in characters of `safe(message.text)`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

#: value: an exact value and what it measures. constraint: what must or must not be. decision: a choice, mostly with its
#: reason, or what the user asked for. link: how things hang together, as the user told or asked or the agent found.
#: preference: how the user wants things done.
Kind = Literal["value", "constraint", "decision", "link", "preference"]
KINDS: tuple[Kind, ...] = ("constraint", "preference", "decision", "value", "link")

#: verbatim: the same words. paraphrased: the same in other words. uncertain: words of it are there, and rules cannot
#: decide. weakened: the rule no longer binds, or holds for less. value lost: the subject is mentioned, the exact value
#: is not. contradicted: the summary says otherwise. lost: nothing of it is there. unknown: the summary cannot be read.
Outcome = Literal[
    "verbatim", "paraphrased", "uncertain", "weakened", "value lost", "contradicted", "lost", "unknown"
]
OUTCOMES: tuple[Outcome, ...] = (
    "verbatim", "paraphrased", "uncertain", "weakened", "value lost", "contradicted", "lost", "unknown",
)  # fmt: skip
#: Ends of the ids of rules that list a user's sentence without any cue.
PLAIN = (".request", ".question", ".told", ".errand")
#: "rules file" and "memory": the agent loads it from there into every list.
Where = Literal["summary", "head", "tail", "rules file", "memory"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Value:
    """An exact value in a text.

    `form` names the pattern that found it ("version", "path", "number" ...). `canon` is what it is compared by: a
    number without separators, a date as 2026-03-12 (or --03-12 without a year), otherwise the text in lower case.
    `unit` is the name of a number's unit ("" without). `distinctive` values stand for themselves wherever they are.
    """

    text: str
    form: str
    canon: str
    unit: str
    distinctive: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Statement:
    """Something said in one message that may be a fact.

    It has a kind, a text with its span, what gave it away and how sure that is (1 to 10).

    `rule` is the id of the rule in the data files and `cue` the span of the words that it found (empty for values,
    which give themselves away). `things` are the stems of the words that it speaks of. `pasted` marks what stands in
    a quote or a tagged block: shown by the speaker rather than said. `asked` marks a question. `voice` is who says it
    where that is not the message's role: the user, in a tool's result.
    """

    kind: Kind
    text: str
    span: Span
    values: tuple[Value, ...]
    rule: str
    cue: Span
    strength: int
    things: tuple[str, ...]
    pasted: bool = False
    asked: bool = False
    voice: str = ""

    @property
    def told(self) -> bool:
        """Whether a user's own sentence says it without any phrase that gives a rule, a choice or a wish away."""
        return self.rule.endswith(PLAIN)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name (path, id, URL, setting) that a message uses.

    `text` is the line around it; for a name in the arguments of a call it is the tool and the name, and both spans are
    (0, 0). `pasted`: it stands in something shown (a fence, a quote, a log), not in prose.
    """

    value: Value
    text: str
    text_span: Span
    pasted: bool = False

    @property
    def called(self) -> bool:
        """Whether it stands in the arguments of a call."""
        return self.text_span == (0, 0)


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """The statements and names of one message."""

    statements: tuple[Statement, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Saying:
    """A place where a fact was said.

    `generation` counts from 1, `index` is the place in its list, `message` the row of the store. `span` is (0, 0) for a
    name in the arguments of a call. `step` is the place in the whole conversation, each message counted once, from 0.
    `compaction` is the one that summarized the message, or pruned it where `pruned` is true (None while none has).
    """

    step: int
    generation: int
    index: int
    message: int
    session: str
    role: str
    span: Span
    compaction: int | None
    pruned: bool = False


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """One message of the conversation, counted once: where it is and what it says.

    `task` counts the user's messages up to it.
    """

    saying: Saying
    task: int
    facts: MessageFacts


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said that should survive. Equal facts of several messages are one, with all its sayings in order.

    `text` is the clause or sentence as it was first said by whoever counts most, `value` the exact thing in it (several
    joined by ", "; without exact values the text without its end mark). `rank` orders facts, larger first: who said it,
    how, how often, and how often it was used. `uses` counts later messages that use one of its values by name or say it
    again. `key` names the fact: the same in every run. `pasted`: all sayings of its `role` stand in something shown
    (a quote, a tagged block, a log), so that whoever counts most never said it in their own words. `why` says what else
    was looked at where the rule and its span are not enough; "" mostly. `earlier` is the same fact as it could be told
    by what was said in older lists alone, oldest first; mostly nothing.
    """

    key: str
    kind: Kind
    text: str
    value: str
    values: tuple[Value, ...]
    things: tuple[str, ...]
    rule: str
    strength: int
    cue: Span
    role: str
    sayings: tuple[Saying, ...]
    uses: int
    rank: float
    pruned: bool = False
    pasted: bool = False
    why: str = ""
    earlier: tuple[Fact, ...] = ()

    def by(self, compaction: int) -> Fact:
        """The fact as it could be told at a compaction, without what was said only later."""
        if self.first.generation <= compaction:
            return self
        return next((one for one in reversed(self.earlier) if one.first.generation <= compaction), self)

    @property
    def first(self) -> Saying:
        """Where the text was said."""
        return self.sayings[0]

    @property
    def binds(self) -> bool:
        """Whether it is a rule that the user laid down, rather than something that was asked for or told."""
        own = self.kind == "constraint" and self.role == "user" and not self.pasted
        return own and not self.rule.endswith(PLAIN)

    @property
    def once(self) -> bool:
        """Whether it was said a single time."""
        return len(self.sayings) == 1

    @property
    def explained(self) -> str:
        """Its rule, with what else was looked at."""
        return f"{self.rule}: {self.why}" if self.why else self.rule


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a fact in the list after a compaction.

    `where` is the region in which it was found; `index` is the message of the list after and `span` the place in its
    safe text (for "value lost": where the thing is mentioned); None where nothing was found. `excerpt` is the text
    around it. `changed` is what the summary says instead where it contradicts the fact; "" otherwise.
    """

    compaction: int
    outcome: Outcome
    where: Where | None = None
    index: int | None = None
    span: Span | None = None
    excerpt: str = ""
    changed: str = ""

    @property
    def alive(self) -> bool:
        """Whether it can still be read in the list."""
        return self.outcome in ("verbatim", "paraphrased")

    @property
    def gone(self) -> bool:
        """Whether it, or its value, can no longer be read in the list; what is contradicted is gone too."""
        return self.outcome in ("lost", "value lost", "contradicted")

    @property
    def settled(self) -> bool:
        """Whether it can be told: what is uncertain or unknown counts neither as kept nor as lost."""
        return self.outcome not in ("uncertain", "unknown")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something said later about the same thing with another value."""

    text: str
    value: str
    saying: Saying


class OfFact:
    """What is the same of every shape in which a fact is told: what it says, and who said it."""

    __slots__ = ()
    fact: Fact

    @property
    def kind(self) -> Kind:
        """The kind of the fact."""
        return self.fact.kind

    @property
    def text(self) -> str:
        """The words of the fact."""
        return self.fact.text

    @property
    def role(self) -> str:
        """Who said it."""
        return self.fact.role

    @property
    def values(self) -> tuple[str, ...]:
        """The exact values as they stand in the text, in order."""
        return tuple(value.text for value in self.fact.values)


@dataclass(frozen=True, slots=True)
class Life(OfFact):
    """A fact from the compaction that took it on: as JSON, reports and the screen tell it.

    `fates` starts with that compaction and goes on to the last; `rank` counts from 1 within it. `died` is the first
    compaction after which it is gone (None where it never is), `back` where a later message brought it back,
    `contradicted` what was said later to the contrary. `pruned`: the compaction did not summarize it,
    it pruned the tool result that said it. `seen_after` is the compaction after which it is told, None for the one that
    took it.
    """

    fact: Fact
    compaction: int
    fates: tuple[Fate, ...]
    died: int | None = None
    back: Saying | None = None
    contradicted: Contradiction | None = None
    rank: int = 0
    pruned: bool = False
    seen_after: int | None = None

    @property
    def fate(self) -> Fate:
        """What is left of it after the compaction that took it, or after the one that it is seen after."""
        fate = None if self.seen_after is None else self.fate_at(self.seen_after)
        return fate or self.fates[0]

    @property
    def outcome(self) -> Outcome:
        """The same in a word."""
        return self.fate.outcome

    @property
    def superseded(self) -> bool:
        """Whether it was taken back or changed before the compaction that it is told after."""
        other = self.contradicted
        return other is not None and other.saying.generation <= self.fate.compaction

    @property
    def lost(self) -> bool:
        """Whether it is a loss: gone after the compaction that it is told after, and not taken back before."""
        return self.fate.gone and not self.superseded

    @property
    def saying(self) -> Saying:
        """Where it was said that the compaction took: the message whose words are shown, if that is one of them."""
        taken = (s for s in self.fact.sayings if s.compaction == self.compaction and s.pruned is self.pruned)
        return next(taken, self.fact.first)

    @property
    def times(self) -> int:
        """How often it was said."""
        return len(self.fact.sayings)

    def fate_at(self, compaction: int) -> Fate | None:
        """What is left of it after a compaction; None where that was before it was taken."""
        # There is one for each compaction from the first on, but of those whose list cannot be read.
        at = compaction - self.fates[0].compaction if self.fates else -1
        if 0 <= at < len(self.fates) and self.fates[at].compaction == compaction:
            return self.fates[at]
        return next((fate for fate in self.fates[: max(at, 0)] if fate.compaction == compaction), None)

    def seen(self, compaction: int) -> Life:
        """The same as it is told after a later compaction."""
        return replace(self, seen_after=compaction)


@dataclass(frozen=True, slots=True)
class ConversationFacts:
    """Every fact of a conversation and every life, best rank first within each compaction.

    `facts` are all facts, also those that no compaction has reached; `lives` those that one summarized, a life for
    every compaction that summarized a saying. `pruned` are lives of facts in tool results whose texts were pruned.
    `dismissed` are lives of facts that the user dismissed; they are in none of the others.
    """

    facts: tuple[Fact, ...] = ()
    lives: tuple[Life, ...] = ()
    pruned: tuple[Life, ...] = ()
    dismissed: tuple[Life, ...] = ()

    def without(self, keys: Collection[str]) -> ConversationFacts:
        """The same with the facts of some keys dismissed."""
        if not keys:
            return self
        apart = tuple(life for life in (*self.lives, *self.pruned) if life.fact.key in keys)
        return ConversationFacts(
            tuple(fact for fact in self.facts if fact.key not in keys),
            tuple(life for life in self.lives if life.fact.key not in keys),
            tuple(life for life in self.pruned if life.fact.key not in keys),
            (*self.dismissed, *apart),
        )

    @property
    def dismissed_count(self) -> int:
        """Number of dismissed facts that a compaction summarized or pruned."""
        return len({life.fact.key for life in self.dismissed})

    def of(self, compaction: int) -> tuple[Life, ...]:
        """The lives that begin with a compaction, best rank first."""
        return tuple(life for life in self.lives if life.compaction == compaction)

    def ended(self) -> dict[int, tuple[Life, ...]]:
        """By compaction the facts of earlier ones that could be read until it and are gone after it, or weakened by it,
        as they are told after it: each once, best rank first. What it summarized again itself is told with its own."""
        found: dict[int, list[Life]] = {}
        # The first life of a fact knows all that became of it.
        first = {life.fact.key: life for life in reversed(self.lives)}
        again = {(life.fact.key, life.compaction) for life in self.lives}
        for life in first.values():
            for before, now in pairwise(life.fates):
                weaker = now.outcome == "weakened" != before.outcome
                worse = not before.gone and (now.gone or weaker)
                if worse and (life.fact.key, now.compaction) not in again:
                    found.setdefault(now.compaction, []).append(life.seen(now.compaction))
        return {
            number: tuple(sorted(lives, key=lambda life: -life.fact.rank)) for number, lives in found.items()
        }
