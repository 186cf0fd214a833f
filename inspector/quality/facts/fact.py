"""Facts: things said that should survive, and their fates after each compaction.

Texts are safe for the screen; spans are half-open, in characters of `safe(message.text)`.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from inspector.quality.limits import CONCISE, SHORTEST

#: value: an exact value and its meaning. constraint: a rule to follow. decision: a choice, mostly with its reason, or a
#: request of the user's. preference: how the user wants things done. statement: anything else that the user stated or
#: asked, or that the agent found.
Kind = Literal["constraint", "preference", "decision", "value", "statement"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: verbatim: the same words. paraphrased: the same in other words. uncertain: some of its words are there, and the rules
#: cannot decide. weakened: the rule no longer binds, or covers less. value lost: the subject is there, the exact value
#: is not. contradicted: the summary says otherwise. lost: nothing is left. unknown: the summary cannot be read.
Outcome = Literal[
    "verbatim", "paraphrased", "uncertain", "weakened", "value lost", "contradicted", "lost", "unknown"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: Outcomes of facts that can still be read, of facts that cannot, and of facts that are not as before.
KEPT = ("verbatim", "paraphrased")
GONE = ("lost", "value lost", "contradicted")
HARMED = (*GONE, "weakened")
#: Suffix of the ids of rules that accept a request which is over once it is done.
ERRAND = ".errand"
#: Suffixes of the ids of rules that accept a user's request.
REQUESTS = (".request", ERRAND)
#: Suffixes of the ids of rules that accept a user's sentence without any cue.
PLAIN = (*REQUESTS, ".question", ".told")
#: Start of the rule of a fact that a model found; its name follows.
BY_MODEL = "model "
#: Minimum strength of a lasting rule ("never", "at most 40"). A weaker one may be a request ("make sure").
STANDING = 7
#: Regions of a list. The agent loads "rules file" and "memory" into every list.
Where = Literal["summary", "head", "tail", "rules file", "memory"]
Span = tuple[int, int]


def is_concise(text: str) -> bool:
    """Return whether a text is one short sentence, not a fragment or a line that introduces others."""
    octets = len(text.encode("utf-8", errors="surrogatepass"))
    return SHORTEST <= octets <= CONCISE and not text.endswith((":", "："))


class Value(Struct, frozen=True):
    """An exact value in a text.

    `form` names the pattern that found it ("version", "path", "number" ...). `canon` is its normal form for comparison:
    a number without separators, a date as 2026-03-12 (or --03-12 without a year), otherwise the text in lower case.
    `unit` is the name of a number's unit, or "". A `distinctive` value means the same in every context.
    """

    text: str
    form: str
    canon: str
    unit: str
    distinctive: bool
    span: Span


class Statement(Struct, frozen=True):
    """A clause or sentence of one message that may be a fact.

    `rule` is the id of the rule in the data files that matched, and `cue` the span of the words that it matched (empty
    for values, which need no cue). `strength` is the confidence in the match (1 to 10). `things` are the stems of its
    content words. `pasted` marks a statement in a quote or a tagged block: the speaker shows it rather than says it.
    `asked` marks a question. `voice` is the speaker where it differs from the message's role: the user, in a tool's
    result.
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
    def uncued(self) -> bool:
        """Whether it is a user's sentence without a cue for a rule, a choice or a wish."""
        return self.rule.endswith(PLAIN)


class Mention(Struct, frozen=True):
    """A name (path, id, URL, setting) that a message uses.

    `text` is the line around it; for a name in the arguments of a call it is the tool and the name, and both spans are
    (0, 0). `pasted`: it is inside shown text (a fence, a quote, a log), not in prose.
    """

    value: Value
    text: str
    text_span: Span
    pasted: bool = False

    @property
    def called(self) -> bool:
        """Whether it is in the arguments of a call."""
        return self.text_span == (0, 0)


class MessageFacts(Struct, frozen=True):
    """The statements and names of one message."""

    statements: tuple[Statement, ...] = ()
    mentions: tuple[Mention, ...] = ()


class Saying(Struct, frozen=True):
    """A place where a fact was said.

    `generation` counts from 1, `index` is the place in its list, `message` the row of the store. `span` is (0, 0) for a
    name in the arguments of a call. `step` is the place in the whole conversation, each message counted once, from 0.
    `compaction` is the compaction that summarized the message, or pruned it if `pruned` is true; None if none has.
    """

    step: int
    generation: int
    index: int
    message: int
    session: str
    role: str
    span: Span = (0, 0)
    compaction: int | None = None
    pruned: bool = False


class SpokenMessage(Struct, frozen=True):
    """One message of the conversation, counted once, with its place and its facts.

    `task` counts the user's messages up to it.
    """

    saying: Saying
    task: int
    facts: MessageFacts


class Fact(Struct, frozen=True):
    """Something said that should survive. Equal statements are one fact, with all their sayings in order.

    `text` is the clause or sentence in the first wording of the most important speaker. `value` is its exact value
    (several are joined by ", "; without exact values, the text without its end mark). `rank` orders facts, larger
    first, by speaker, wording, repetition and use. `uses` counts later messages that use a value of the fact by name or
    repeat the fact. `key` identifies the fact and is the same in every run. `pasted`: all sayings of its `role` are in
    shown text (a quote, a tagged block, a log), so the most important speaker never said it in their own words. `why`
    adds evidence where the rule and its span are not enough; mostly "". `earlier` has versions of the fact from the
    sayings of older lists alone, oldest first; mostly empty.
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
        """Return the version of the fact at a compaction, without later sayings."""
        if self.first.generation <= compaction:
            return self
        return next((one for one in reversed(self.earlier) if one.first.generation <= compaction), self)

    @property
    def first(self) -> Saying:
        """The saying of the text."""
        return self.sayings[0]

    @property
    def is_users_own(self) -> bool:
        """Whether it is the user's own words."""
        return self.role == "user" and not self.pasted

    @property
    def binds(self) -> bool:
        """Whether it is a rule of the user's, rather than a request or a piece of information."""
        return self.is_users_own and self.kind == "constraint" and not self.rule.endswith(PLAIN)

    @property
    def concise(self) -> bool:
        """Whether `is_concise` accepts its text."""
        return is_concise(self.text)

    @property
    def standing(self) -> bool:
        """Whether it is worded as a lasting rule, in a few words, not as a request that will be done."""
        return self.binds and self.strength >= STANDING and self.concise

    @property
    def judged(self) -> bool:
        """Whether a model found it, not the rules."""
        return self.rule.startswith(BY_MODEL)

    @property
    def once(self) -> bool:
        """Whether it was said a single time."""
        return len(self.sayings) == 1

    @property
    def evidence(self) -> str:
        """Source of the fact: words of its text, an exact value, its wording as a request, or a model."""
        start, end = (at - self.first.span[0] for at in self.cue)
        words = self.text[start:end].strip() if 0 <= start < end else ""
        if self.judged:
            how = f"by {self.rule}"
        elif words:
            how = f"by “{words}”"
        elif self.rule.startswith("value."):
            how = f"by its {self.rule.removeprefix('value.')}"
        else:
            how = "as a question" if self.rule.endswith(".question") else "as a plain sentence"
            how = "as a request" if self.rule.endswith(REQUESTS) else how
            how = "as an item of a list that forbids" if self.binds else how
        return f"{how}: {self.why}" if self.why else how


class Fate(Struct, frozen=True):
    """State of a fact in the list after a compaction.

    `where` is the region that has it, `index` the message of the list after, and `span` the place in its safe text (for
    "value lost": the mention of the subject). All three are None if nothing was found, and the last two for a file that
    is in no message of the list. `excerpt` is the text around it. `changed` is the summary's version if it contradicts
    the fact, otherwise "". `model` is the name of the model that decided it, "" for the rules.
    """

    compaction: int
    outcome: Outcome
    where: Where | None = None
    index: int | None = None
    span: Span | None = None
    excerpt: str = ""
    changed: str = ""
    model: str = ""

    @property
    def alive(self) -> bool:
        """Whether it can still be read in the list."""
        return self.outcome in KEPT

    @property
    def gone(self) -> bool:
        """Whether it, or its value, can no longer be read in the list. A contradicted fact is gone too."""
        return self.outcome in GONE

    @property
    def decided_by(self) -> str:
        """ "model NAME" for a fate by a model, else "rules"."""
        return f"{BY_MODEL}{self.model}" if self.model else "rules"

    @property
    def settled(self) -> bool:
        """Whether the fate is certain. An uncertain or unknown fate counts neither as kept nor as lost."""
        return self.outcome not in ("uncertain", "unknown")


class Contradiction(Struct, frozen=True):
    """Something said later about the same thing with another value."""

    text: str
    value: str
    saying: Saying


class OfFact(Struct, frozen=True):
    """Base of the types that wrap a fact: its text, values and speaker."""

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
        """The exact values as written in the text, in order."""
        return tuple(value.text for value in self.fact.values)


class Life(OfFact, frozen=True):
    """A fact since the compaction that took it; JSON, reports and the screen all show this value.

    `fates` runs from that compaction to the last, and `rank` counts from 1 within it. `died` is the first compaction
    after which the fact is gone (None if it never is), `back` the later message that brought it back, and
    `contradicted` a later statement to the contrary. `pruned`: the compaction did not summarize the fact, it pruned the
    tool result that said it. `seen_after` is the compaction whose fate is shown, None for the compaction that took it.
    `needed`: the user's request or plain statement was still needed when it was lost (see `with_needed`).
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
    needed: bool = False

    @property
    def fate(self) -> Fate:
        """Its fate after the compaction that took it, or after `seen_after`."""
        fate = None if self.seen_after is None else self.fate_at(self.seen_after)
        return fate or self.fates[0]

    @property
    def outcome(self) -> Outcome:
        """Its fate in a word."""
        return self.fate.outcome

    @property
    def superseded(self) -> bool:
        """Whether it was taken back or changed before the compaction of `fate`."""
        other = self.contradicted
        return other is not None and other.saying.generation <= self.fate.compaction

    @property
    def lost(self) -> bool:
        """Whether it is a loss: gone after the compaction of `fate`, and not taken back before."""
        return self.fate.gone and not self.superseded

    def by_rules(self) -> Life:
        """Return the life as the rules alone decide it: fates by a model are uncertain again."""
        fates = tuple(Fate(fate.compaction, "uncertain") if fate.model else fate for fate in self.fates)
        return self if fates == self.fates else replace(self, fates=fates)

    @property
    def saying(self) -> Saying:
        """The first saying that the compaction took, else the first of the fact."""
        taken = (s for s in self.fact.sayings if s.compaction == self.compaction and s.pruned is self.pruned)
        return next(taken, self.fact.first)

    @property
    def times(self) -> int:
        """How often it was said."""
        return len(self.fact.sayings)

    def fate_at(self, compaction: int) -> Fate | None:
        """Return its fate after a compaction; None for a compaction before the fact was taken."""
        # There is one fate for each compaction from the first on, except compactions whose list cannot be read.
        at = compaction - self.fates[0].compaction if self.fates else -1
        if 0 <= at < len(self.fates) and self.fates[at].compaction == compaction:
            return self.fates[at]
        return next((fate for fate in self.fates[: max(at, 0)] if fate.compaction == compaction), None)

    def seen(self, compaction: int) -> Life:
        """Return the life with its fate after a later compaction."""
        return replace(self, seen_after=compaction)


class ConversationFacts(Struct, frozen=True):
    """Every fact of a conversation and every life, best rank first within each compaction.

    `facts` has all facts, also before any compaction reached them. `lives` has the summarized facts: a life for every
    compaction that summarized a saying. `pruned` has lives of facts in tool results whose texts were pruned.
    `dismissed` has lives of facts that the user dismissed; the other fields leave these out.
    """

    facts: tuple[Fact, ...] = ()
    lives: tuple[Life, ...] = ()
    pruned: tuple[Life, ...] = ()
    dismissed: tuple[Life, ...] = ()

    def without(self, keys: Collection[str]) -> ConversationFacts:
        """Return the value with the facts of some keys dismissed."""
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
        """Return the lives that begin with a compaction, best rank first."""
        return tuple(life for life in self.lives if life.compaction == compaction)

    def undecided(self, compaction: int) -> tuple[Life, ...]:
        """Return, for each of the user's own facts that is uncertain after a compaction, its first life.

        Each life has its fate after that compaction. Facts that the user changed before it are left out."""
        first = {life.fact.key: life for life in reversed(self.lives) if life.fact.is_users_own}
        seen = (life.seen(compaction) for life in first.values() if life.fate_at(compaction))
        left = [life for life in seen if life.outcome == "uncertain" and not life.superseded]
        return tuple(sorted(left, key=lambda life: -life.fact.rank))

    def ended(self) -> dict[int, tuple[Life, ...]]:
        """Return, by compaction, the lives from earlier compactions that it ended, weakened or cast doubt on.

        Each life has its fate after that compaction and is listed once, best rank first. Facts that the compaction
        summarized again are left out: they have a life there."""
        by_compaction: dict[int, list[Life]] = {}
        # The first life of a fact has all its fates.
        first = {life.fact.key: life for life in reversed(self.lives)}
        again = {(life.fact.key, life.compaction) for life in self.lives}
        for life in first.values():
            for before, now in pairwise(life.fates):
                weaker = now.outcome == "weakened" != before.outcome
                worse = weaker or (now.gone and not before.gone) or (before.alive and not now.alive)
                if worse and (life.fact.key, now.compaction) not in again:
                    by_compaction.setdefault(now.compaction, []).append(life.seen(now.compaction))
        return {
            number: tuple(sorted(lives, key=lambda life: -life.fact.rank))
            for number, lives in by_compaction.items()
        }
