"""The values of a report. Texts are raw: a renderer makes them safe and escapes them. Tokens are rough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.answers.inspection import Compared
from inspector.answers.requests import CauseSum
from inspector.caching.costs import Cost
from inspector.core.conversations import Compaction
from inspector.engines.base import DerivationStep
from inspector.quality.facts.fact import KINDS, Kind, Life, Outcome
from inspector.quality.facts.risk import AtRisk
from inspector.quality.facts.survival import KindSurvival
from inspector.quality.finding import Severity
from inspector.quality.measures.measure import Share
from inspector.summaries.summary import SummaryDiff


def anchor(compaction: int) -> str:
    """The id of the section of a compaction."""
    return f"compaction-{compaction}"


@dataclass(frozen=True, slots=True)
class SettingLine:
    """A setting in force and where it came from."""

    name: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """A derived number and the steps that made it."""

    title: str
    value: int
    steps: tuple[DerivationStep, ...]


@dataclass(frozen=True, slots=True)
class GenerationLine:
    """A live list between two compactions.

    `said` counts messages without copies and summary, `first_step` is the step of the first message, from 1. `tokens`
    count the whole list with its system prompt.
    """

    number: int
    session: str
    messages: int
    said: int
    first_step: int
    tokens: int
    live: bool


@dataclass(frozen=True, slots=True)
class Fall:
    """A compaction in the course of tokens: after `step` messages the list fell from `before` to `after` tokens."""

    compaction: int
    step: int
    before: int
    after: int
    fallback: bool

    @property
    def anchor(self) -> str:
        """The id of the compaction's section."""
        return anchor(self.compaction)


@dataclass(frozen=True, slots=True)
class Course:
    """Tokens of the live list after each message of the conversation, with the system prompt."""

    tokens: tuple[int, ...]
    falls: tuple[Fall, ...]
    threshold: int
    window: int
    hygiene: int = 0


#: A fact in a report: taken by a compaction, or at risk.
ToldFact = Life | AtRisk


@dataclass(frozen=True, slots=True)
class FactGroup:
    """Facts of one kind, a user's first, then by rank; `more` were left out.

    A fact that a later compaction ended has its fate after that one (see `Life.seen`).
    """

    kind: Kind
    lines: tuple[ToldFact, ...]
    more: int = 0

    @property
    def total(self) -> int:
        """How many there are, shown or not."""
        return len(self.lines) + self.more


@dataclass(frozen=True, slots=True)
class FactsPart:
    """Fates of the facts that a compaction summarized.

    `counts` are by kind and outcome. `lost` are facts with the outcomes "lost" and "value lost", `weakened` facts no
    longer bind. `died` are facts of earlier compactions that this one ended, `kept` the others, `pruned` facts of
    pruned tool results whose value is gone.
    """

    counts: Mapping[Kind, Mapping[Outcome, int]]
    lost: tuple[FactGroup, ...] = ()
    weakened: tuple[FactGroup, ...] = ()
    died: tuple[FactGroup, ...] = ()
    kept: tuple[FactGroup, ...] = ()
    pruned: tuple[FactGroup, ...] = ()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds with any facts, in order."""
        return tuple(kind for kind in KINDS if any(self.counts[kind].values()))

    @property
    def none_lost(self) -> str:
        """Sentence for a report without lost facts."""
        unknown = sum(counts["unknown"] for counts in self.counts.values())
        if unknown:
            return (
                f"Of {unknown:,} fact{'' if unknown == 1 else 's'} nobody can tell: the summary is encrypted."
            )
        return "Nothing of what this compaction summarized is lost."


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one rule at one place: (sentence, where) for each, and what to do. `more` were left out."""

    severity: Severity
    title: str
    advice: str
    told: tuple[tuple[str, str], ...]
    more: int = 0

    @property
    def total(self) -> int:
        """How many there are, shown or not."""
        return len(self.told) + self.more


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A summary compared with that of compaction `against`; at most `limit` items of each change by section."""

    against: int
    diff: SummaryDiff
    limit: int


@dataclass(frozen=True, slots=True)
class CostsPart:
    """The requests of a conversation in sums: how many, whether they are modelled, the tokens that they sent and read
    from the cache and those that the provider `reported` in all (0: none), what they cost (None: `why` not) by prices
    of the days `dates`, the misses by cause, and sentences about idling."""

    requests: int
    modelled: bool
    sent: int
    read: int
    reported: int
    cost: Cost | None
    why: tuple[str, ...]
    dates: tuple[str, ...]
    causes: tuple[CauseSum, ...]
    idle: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """The facts that a summary keeps: the recorded summary (`id` 0), or an attempt by `name`. `tokens` is its rough
    size, None where there is none that can be read; `cost` in US dollars, None where it is not known. `problem` says
    why there is no summary, or only a part."""

    id: int
    name: str
    tokens: int | None
    budget: int | None
    kinds: tuple[KindSurvival, ...] = ()
    cost: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class AttemptsPart:
    """The recorded summary of a compaction and the attempts at its boundaries, as far as there are any. `more`
    attempts were left out."""

    lines: tuple[AttemptLine, ...] = ()
    more: int = 0

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of the facts that the compaction took, in their order."""
        there = {one.kind for line in self.lines for one in line.kinds}
        return tuple(kind for kind in KINDS if kind in there)


@dataclass(frozen=True, slots=True)
class CompactionPart:
    """Everything about one compaction. `tokens` are (head, middle, tail) of the list before by the recorded boundaries.
    `bill` is what it cost in words, or why that is not known.

    `summary` is cut to some length; `summary_more` characters were left out.
    """

    compared: Compared
    tokens: tuple[int, int, int]
    facts: FactsPart
    summary: str | None
    summary_more: int
    diff: DiffPart | None
    findings: tuple[FindingGroup, ...]
    bill: str
    attempts: AttemptsPart

    @property
    def recorded(self) -> Compaction:
        """What was recorded."""
        return self.compared.recorded

    @property
    def anchor(self) -> str:
        """The id of the section."""
        return anchor(self.recorded.index)


@dataclass(frozen=True, slots=True)
class Curve:
    """Survival of one kind: after each compaction, the share of all summarized facts that can still be read."""

    kind: Kind
    shares: tuple[Share | None, ...]

    @property
    def last(self) -> Share | None:
        """The share that is left; None where nothing was summarized."""
        share = self.shares[-1] if self.shares else None
        return share if share is not None and share.of else None


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """A measure over the compactions: a cell each, and one of all together."""

    title: str
    counts: str
    cells: tuple[str, ...]
    whole: str


@dataclass(frozen=True, slots=True)
class DriftLine:
    """Something about an item of the summaries: `was` is its earlier wording, "" where only `text` matters."""

    compaction: int
    note: str
    text: str
    was: str = ""


@dataclass(frozen=True, slots=True)
class LengthLine:
    """A summary's length and what is left of the first one in it, None where not known."""

    compaction: int
    tokens: int | None
    budget: int | None
    items: Share | None


@dataclass(frozen=True, slots=True)
class DriftPart:
    """How far the summaries drifted from the first one; `more` entries of the lists were left out."""

    lengths: tuple[LengthLine, ...] = ()
    otherwise: tuple[DriftLine, ...] = ()
    otherwise_more: int = 0
    stale: tuple[DriftLine, ...] = ()
    stale_more: int = 0


@dataclass(frozen=True, slots=True)
class RiskPart:
    """Facts that a compaction of the live list would take now.

    `reason` says why nothing would be compacted, "" otherwise. `total` counts the facts, `once` those said once.
    """

    reason: str
    head_end: int
    tail_start: int
    length: int
    total: int
    once: int
    groups: tuple[FactGroup, ...]
    checklist: str


@dataclass(frozen=True, slots=True)
class Report:
    """A conversation's report. `made_at` and the other times are seconds since the epoch."""

    title: str
    conversation: str
    database: str
    model: str
    source: str
    sessions: tuple[str, ...]
    started_at: float
    last_active: float
    made_at: float
    version: str
    profile: str
    profile_reason: str
    settings: tuple[SettingLine, ...]
    derivations: tuple[Derivation, ...]
    generations: tuple[GenerationLine, ...]
    course: Course
    compactions: tuple[CompactionPart, ...]
    curves: tuple[Curve, ...]
    measures: tuple[MeasureRow, ...]
    drift: DriftPart
    costs: CostsPart
    risk: RiskPart
    findings: tuple[FindingGroup, ...]
    #: By severity, findings of compactions included.
    finding_counts: Mapping[Severity, int]
    notes: tuple[str, ...]
    context_length: int
    live_tokens: int
