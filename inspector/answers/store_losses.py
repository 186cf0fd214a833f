"""The losses of a store: every compaction with the facts that can no longer be read after it, the worst first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from inspector.answers.kept_results import AnswerKind
from inspector.answers.needed_facts import is_foreign
from inspector.core.conversations import Compaction, Conversation, ConversationRow
from inspector.core.shares import plural
from inspector.core.text import safe_title
from inspector.quality.aftermath import AFTERMATH_KINDS, AftermathEvent, AftermathKind, done_again
from inspector.quality.facts.fact import ConversationFacts, Kind, Life, Outcome, Where
from inspector.quality.facts.languages import language_of, summary_language
from inspector.quality.grouping import ranges_of
from inspector.quality.limits import FEW
from inspector.quality.losses import (
    LossCounts,
    LostFacts,
    counts,
    grave,
    is_unknown,
    losses_of,
    stale_statement,
)

if TYPE_CHECKING:
    from inspector.answers.inspection import Inspection

#: Events that go against the user: corrections and acts against rules.
_CORRECTIONS: tuple[AftermathKind, ...] = ("said again", "against a rule")
#: Maximum number of lost facts that are listed for a compaction.
_MAX_WORST = 8
#: Why results of a compaction are unknown.
LIST_MISSING = "the files lack the list before, or a part"
PART_MISSING = "a part of the conversation is missing or cannot be read"


class LostFact(Struct, frozen=True):
    """A fact that a compaction lost or weakened: its text, its place, and its fate after the compaction.

    `changed` is what the list has instead, for a contradicted fact, else "". `decided_by` is as in Fate. `said_again`
    is what the user said when they repeated it later, "" if they did not. Only then its fate may be uncertain.
    `stale` is an earlier statement that this one replaced and that the list still has, or "".
    """

    category: Kind
    text: str
    value: str
    role: str
    session: str
    message: int
    compaction: int
    fate: Outcome
    where: Where | None
    generation: int
    index: int
    changed: str
    decided_by: str
    said_again: str = ""
    stale: str = ""


class CompactionLoss(LossCounts, frozen=True):
    """The losses of one compaction and what was done again after it.

    `at` is in seconds since the epoch, None if unknown. `facts` are the worst that were lost or weakened. `aftermath`
    counts what was done again by kind, a file once however often it was read. The user's last message names `named` of
    these files. Of the others, `broken` have a lost constraint behind them, `explained` another lost fact. `gaps`
    are sentences about gaps of the summary. If the summary is `unreadable`, the fates of `unknown` facts are unknown.
    """

    at: float | None = None
    facts: tuple[LostFact, ...] = ()
    aftermath: dict[AftermathKind, int] = field(default_factory=dict)
    named: int = 0
    broken: int = 0
    explained: int = 0
    gaps: tuple[str, ...] = ()
    unknown: int = 0
    unreadable: bool = False

    @property
    def more(self) -> int:
        """Number of lost and weakened facts that `facts` leaves out."""
        return self.total + self.weakened - sum(fact.fate != "uncertain" for fact in self.facts)

    @property
    def again(self) -> int:
        """Number of things done again that the user did not ask for."""
        return sum(self.aftermath.values()) - self.named

    @property
    def order(self) -> tuple[int, ...]:
        """The sort key of losses; larger is worse.

        Repeated statements of the user and acts against lost constraints count first, then lasting rules. Files that
        the user's last message names do not count.
        """
        corrections = sum(self.aftermath.get(kind, 0) for kind in _CORRECTIONS)
        rules, *rest = grave(self.lost, self.weakened)
        return (
            max(self.broken, corrections),
            self.standing,
            rules,
            self.explained,
            *rest,
            len(self.gaps),
            self.again,
            self.unknown,
            self.uncertain_constraints,
            *self.apart,
        )


class ConversationLosses(Struct, frozen=True):
    """The losses of the compactions of a conversation, oldest first.

    `unknown` facts were replaced by unreadable summaries. At `unread` compactions, an unreadable summary replaced only
    other facts, if any: results of the agent, requests and pasted texts. `unseen` compactions have a list before that
    is recorded only in part. Of `recorded` compactions, `corrected` were followed by a correction of the user or an act
    against a rule. `rules` counts the user's rules in summarized messages, `verbatim` the rules that the list after has
    word for word. `dismissed` facts count nowhere. `foreign`: the user mostly writes in a language whose rules are not
    recognized. `has_unread`: a part of the conversation is missing or cannot be read. `translated` summaries are in
    another language than the user's words. A model decided the last fates of `by_model` facts of the user. `apart` has
    the sums of LossCounts.apart over all compactions.
    """

    compactions: tuple[CompactionLoss, ...] = ()
    unknown: int = 0
    recorded: int = 0
    rules: int = 0
    verbatim: int = 0
    dismissed: int = 0
    unseen: int = 0
    foreign: bool = False
    unread: int = 0
    has_unread: bool = False
    translated: int = 0
    by_model: int = 0
    apart: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def corrected(self) -> tuple[int, ...]:
        """The compactions that a correction or an act against a rule followed."""
        return tuple(
            loss.compaction
            for loss in self.compactions
            if any(kind in loss.aftermath for kind in _CORRECTIONS)
        )

    @property
    def lost(self) -> dict[Kind, int]:
        """Number of lost facts by kind."""
        counts: Counter[Kind] = Counter()
        for compaction in self.compactions:
            counts.update(compaction.lost)
        return dict(counts)

    @property
    def total(self) -> int:
        """Number of lost facts of all kinds."""
        return sum(compaction.total for compaction in self.compactions)

    @property
    def weakened(self) -> int:
        """Number of weakened facts."""
        return sum(compaction.weakened for compaction in self.compactions)

    @property
    def uncertain(self) -> int:
        """Number of facts that may be lost."""
        return sum(compaction.uncertain for compaction in self.compactions)

    @property
    def unjudged(self) -> int:
        """Number of facts with an unknown fate, and of compactions without the list before; one more if a part of the
        conversation cannot be read, and one more if no loss is known in a language whose rules are not recognized."""
        return self.unknown + self.unseen + self.has_unread + (self.foreign and not self.total)


#: A clause for compactions of a user who mostly writes in a language without a lexicon.
FOREIGN = "constraints in the language of the user are not recognized"
#: The answer if no loss is known, but some are unknown.
LOSSES_UNKNOWN = "No loss is known, but some losses are unknown."
#: The answer if only facts are lost or uncertain that no loss counts.
NOTHING_COUNTED_LOST = "No loss that counts is known."
LOSSES: AnswerKind[ConversationLosses] = AnswerKind("losses", ConversationLosses)


class ListedLoss(Struct, frozen=True):
    """The losses of a compaction, with the row of its conversation. `foreign` as in ConversationLosses."""

    row: ConversationRow
    loss: CompactionLoss
    foreign: bool = False

    @property
    def unjudged(self) -> int:
        """Number of facts with an unknown fate; one more if no loss is known in a language whose rules are not
        recognized."""
        return self.loss.unknown + (self.foreign and not self.loss.total)


def losses_of_facts(
    inspection: Inspection,
    facts: ConversationFacts,
    events: Sequence[AftermathEvent] = (),
    gaps: Mapping[int, Sequence[str]] | None = None,
) -> ConversationLosses:
    """Return the losses of the compactions of a conversation, with the repeated work after each. Raises StoreErrors.

    `gaps` are sentences about gaps of the summaries, by compaction. An event about a fact that the list still has is no
    sign of a loss.
    """
    times = {recorded.index: recorded.at or None for recorded in inspection.compactions()}
    unreadable = {recorded.index for recorded in inspection.compactions() if recorded.encrypted}
    said_again = _said_again(events)
    lost = lost_facts(facts, events)
    listed = {
        number for number, loss in lost.items() if loss.lost or loss.weakened or loss.pasted or loss.uncertain
    }
    after: dict[int, list[AftermathEvent]] = defaultdict(list)
    for event in events:
        if not event.is_kept:
            after[event.compaction].append(event)
    missing = {number: sentences for number, sentences in (gaps or {}).items() if sentences}
    latest = {life.fact.key: life for life in facts.lives}
    unknown = Counter(life.compaction for life in latest.values() if is_unknown(life) and counts(life))
    losses = tuple(
        _loss(
            lost.get(number) or LostFacts(number),
            times.get(number),
            after[number],
            missing.get(number, ()),
            unknown[number],
            number in unreadable,
            said_again,
            facts,
        )
        for number in sorted({*listed, *after, *missing, *unknown})
    )
    rules = [life for life in facts.lives if life.fact.binds]
    verbatim = sum(life.fates[0].outcome == "verbatim" for life in rules if life.fates)
    unseen = unseen_compactions(inspection)
    return ConversationLosses(
        losses, sum(unknown.values()), len(times), len(rules), verbatim, facts.dismissed_count, unseen,
        is_foreign(latest.values()),
        len(unreadable - unknown.keys()), inspection.conversation.has_unread,
        _translated(inspection, latest.values()),
        sum(bool(life.fates and life.fates[-1].model) for life in latest.values() if counts(life)),
        sums_apart(loss.apart for loss in lost.values()),
    )  # fmt: skip


def lost_facts(facts: ConversationFacts, events: Sequence[AftermathEvent] = ()) -> dict[int, LostFacts]:
    """Return the facts that compactions lost or weakened for good, by compaction, without those without a loss.

    `events` is the aftermath: what the user said again counts.
    """
    return {loss.compaction: loss for loss in losses_of(facts.lives, _said_again(events))}


def _said_again(events: Iterable[AftermathEvent]) -> dict[str, str]:
    """Return the texts of facts that the user said again, each with the new words."""
    return {event.fact: event.text for event in events if event.kind == "said again" and event.fact}


def _translated(inspection: Inspection, lives: Iterable[Life]) -> int:
    """Return the number of summaries in another language than the user's own words."""
    language = language_of("\n".join(life.fact.text for life in lives if life.fact.is_users_own))
    written = (
        compaction.summary
        for compaction in inspection.compactions()
        if compaction.summary and not compaction.fallback
    )
    return sum(summary_language(text) not in ("", language) for text in written) if language else 0


def unknown_losses(losses: Sequence[ConversationLosses]) -> list[str]:
    """Return a sentence for each reason why losses of these conversations are unknown."""
    facts, unseen = sum(loss.unknown for loss in losses), sum(loss.unseen for loss in losses)
    sentences = []
    if facts:
        sentences.append(f"The fate of {plural(facts, 'fact')} is unknown: the summaries cannot be read.")
    if unread := sum(loss.unread for loss in losses):
        sentences.append(
            f"{plural(unread, 'summary cannot', 'summaries cannot')} be read. All facts of unknown fate there are "
            "results, requests or pasted texts."
        )
    if unseen:
        compactions = plural(unseen, "compaction")
        sentences.append(f"The losses of {compactions} are unknown in whole or in part: {LIST_MISSING}.")
    if partial := sum(loss.has_unread for loss in losses):
        sentences.append(f"{part_unread(partial)}, so more may be lost.")
    return sentences


def part_unread(conversations: int) -> str:
    """Return a clause about conversations with a part that is missing or cannot be read."""
    return f"A part of {plural(conversations, 'conversation')} is missing or cannot be read (`findings` names it)"


def why_unknown(conversation: Conversation, recorded: Compaction) -> str:
    """Return a clause that says why results of a compaction are unknown in whole or in part; "" if they are known."""
    if not recorded.before or not recorded.whole:
        return LIST_MISSING
    return PART_MISSING if conversation.has_unread else ""


def unseen_compactions(inspection: Inspection) -> int:
    """Return the number of compactions with a list before them that the store lacks in whole or in part."""
    return sum(not recorded.before or not recorded.whole for recorded in inspection.compactions())


def in_all(losses: Sequence[ConversationLosses], titles: Sequence[str] = ()) -> str:
    """Return a sentence about a whole store: its compactions, the constraints kept word for word, the corrections.

    `titles` are those of the conversations; without them, the corrections are only counted.
    """
    compactions = sum(loss.recorded for loss in losses)
    rules, verbatim = sum(loss.rules for loss in losses), sum(loss.verbatim for loss in losses)
    kept = (
        f"{verbatim:,} of {plural(rules, 'constraint was', 'constraints were')} word for word in the list after "
        f"{'its' if rules == 1 else 'their'} first compaction"
        if rules
        else "no constraint of the user was recognized"
    )
    sentence = f"{plural(compactions, 'compaction')}: {kept}."
    if not (corrected := sum(len(loss.corrected) for loss in losses)):
        return sentence
    which = [
        f"compaction{'s' * (len(loss.corrected) > 1)} {ranges_of(loss.corrected)} of “{safe_title(title, 40)}”"
        for title, loss in zip(titles, losses, strict=False)
        if loss.corrected
    ]
    more = f" and {plural(len(which) - FEW, 'other conversation')}" if len(which) > FEW else ""
    names = f": {', '.join(which[:FEW])}{more}" if which else ""
    after = plural(corrected, "compaction")
    return f"{sentence} The user repeated a statement, or the agent broke a constraint, after {after}{names}."


def decide_uncertain(losses: Sequence[ConversationLosses]) -> list[str]:
    """Return a sentence about the ways to decide the uncertain facts, which the entries count; none without them."""
    uncertain = sum(loss.uncertain for loss in losses)
    sentence = (
        f"{plural(uncertain, 'fact is', 'facts are')} uncertain and may be lost. `facts --fate uncertain --role user` "
        "lists them, together with links, requests and pasted texts. `judge --uncertain` lets a model of your own "
        "decide them, and `judge --repeats` lets it find what the user said again in other words."
    )
    return [sentence] if uncertain else []


def uncertain_losses(losses: Sequence[ConversationLosses]) -> list[str]:
    """Return sentences about possible losses: fates under summaries in another language than the user's, and rules in
    a language without a lexicon."""
    sentences = []
    if translated := sum(loss.translated for loss in losses):
        sentences.append(
            f"{plural(translated, 'summary is', 'summaries are')} in another language than the user's words, so "
            "fates there may be uncertain. `judge --uncertain` asks a model of your own."
        )
    if foreign := sum(loss.foreign for loss in losses):
        sentences.append(
            f"In {plural(foreign, 'conversation')}, the user mostly writes in another language than English or "
            "Chinese, in which constraints are not recognized."
        )
    return sentences


def model_decisions(facts: int) -> list[str]:
    """Return a sentence about facts whose fates are by a model of the user; none for 0."""
    fates = "the fate" if facts == 1 else "the fates"
    of_model = f"A model decided {fates} of {plural(facts, 'fact')} that the rules leave uncertain"
    return [f"{of_model}; `facts` names it with each."] if facts else []


def uncertain_words(uncertain: int, rules: int) -> str:
    """Return the uncertain facts of a compaction in words: "14 uncertain (13 constraints)"; "" if there is none."""
    which = f" ({plural(rules, 'constraint')})" if rules else ""
    return f"{uncertain:,} uncertain{which}" if uncertain else ""


def sums_apart(counts: Iterable[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    """Return the sums of several LossCounts.apart."""
    sums = [sum(column) for column in zip(*counts, strict=True)] or [0, 0, 0, 0]
    return sums[0], sums[1], sums[2], sums[3]


def words_apart(pasted: int, others: int, plain: int, uncertain: int) -> list[str]:
    """Return the facts in words that no count of losses has (see LossCounts.apart)."""
    words = (
        f"{pasted:,} lost in pasted text" if pasted else "",
        f"{plural(others, 'result or request', 'results and requests')} lost" if others else "",
        f"{plural(plain, 'plain statement')} lost" if plain else "",
        f"{plural(uncertain, 'other')} uncertain" if uncertain else "",
    )
    return [word for word in words if word]


def left_out(losses: Sequence[ConversationLosses]) -> list[str]:
    """Return a sentence about the facts that no count of losses has; none without them."""
    if not (words := words_apart(*sums_apart(loss.apart for loss in losses))):
        return []
    return [f"Not counted: {', '.join(words)}. `facts` lists them."]


def nothing_listed(losses: Sequence[ConversationLosses], unknown: bool) -> str:
    """Return the answer for an empty list of losses. `unknown`: some losses are unknown."""
    if unknown:
        return LOSSES_UNKNOWN
    return NOTHING_COUNTED_LOST if left_out(losses) else "No loss is known."


def _loss(
    lost: LostFacts,
    at: float | None,
    events: Sequence[AftermathEvent],
    gaps: Sequence[str],
    unknown: int,
    unreadable: bool,
    said_again: Mapping[str, str],
    facts: ConversationFacts,
) -> CompactionLoss:
    again = done_again(events)
    kinds = Counter(event.kind for event in again)
    unasked = [event for event in again if not event.named]
    return CompactionLoss(
        **{name: getattr(lost, name) for name in LossCounts.__struct_fields__},
        at=at,
        facts=tuple(
            _lost_fact(life, lost.compaction, said_again.get(life.text, ""), stale_statement(life, facts))
            for life in lost.worst[:_MAX_WORST]
        ),
        aftermath={kind: kinds[kind] for kind in AFTERMATH_KINDS if kinds[kind]},
        named=len(again) - len(unasked),
        broken=sum(event.breaks_rule for event in unasked),
        explained=sum(bool(event.fact) and not event.breaks_rule for event in unasked),
        gaps=tuple(gaps),
        unknown=unknown,
        unreadable=unreadable,
    )


def _lost_fact(life: Life, compaction: int, said_again: str, stale: str) -> LostFact:
    fact, saying = life.fact, life.saying
    return LostFact(
        fact.kind, fact.text, fact.value, fact.role, saying.session, saying.message, compaction,
        life.outcome, life.fate.where, saying.generation, saying.index, life.fate.changed, life.fate.decided_by,
        said_again, stale,
    )  # fmt: skip


def sort_worst_first(losses: Iterable[ListedLoss]) -> list[ListedLoss]:
    """Sort the worst compaction first, and of equal ones the latest first."""
    return sorted(losses, key=lambda listed: (listed.loss.order, listed.loss.at or 0.0), reverse=True)
