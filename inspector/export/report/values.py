"""The values of a report. Texts are raw: a renderer makes them safe and escapes them. Tokens are rough."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from inspector.answers.attempt_survival import SummaryOutcome
from inspector.answers.compactions import JudgedCompaction
from inspector.answers.summaries import ComparedSummaries, SummaryLives
from inspector.caching.requests import Requests
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import Compaction, ConversationRow
from inspector.core.shares import plural
from inspector.engines.base import Budgets
from inspector.export.document import Document
from inspector.export.facts import ReportedFact
from inspector.models.attempt import Attempt
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.facts.fact import KINDS, Kind, Outcome
from inspector.quality.finding import Finding, Severity
from inspector.quality.measures import Measures


class GenerationLine(Struct, frozen=True):
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


class Fall(Struct, frozen=True):
    """A compaction in the course of tokens: after `step` messages the list fell from `before` to `after` tokens."""

    compaction: int
    step: int
    before: int
    after: int
    fallback: bool


class TokenCourse(Struct, frozen=True):
    """Tokens of the live list after each message of the conversation, with the system prompt.

    `sizes` is a sentence about sizes that the agent reported; "" if all sizes are rough.
    """

    tokens: tuple[int, ...]
    falls: tuple[Fall, ...]
    sizes: str = ""


class FactGroup(Struct, frozen=True):
    """Facts of one kind, a user's first, then by rank; `more` were left out.

    A fact that a later compaction ended has its fate after that one (see `Life.seen`).
    """

    kind: Kind
    lines: tuple[ReportedFact, ...]
    more: int = 0

    @property
    def total(self) -> int:
        """Number of all facts, shown or not."""
        return len(self.lines) + self.more


class FactsPart(Struct, frozen=True):
    """Fates of the facts that a compaction summarized.

    `counts` are by kind and outcome. `lost` are facts with the outcomes "lost" and "value lost", `weakened` facts no
    longer bind. `died` are facts of earlier compactions that this one ended, `open` uncertain and unknown facts, `kept`
    facts that can be read, `pruned` facts of pruned tool results whose value is gone. `lacks` says why fates are
    unknown ("": they are not).
    """

    counts: Mapping[Kind, Mapping[Outcome, int]]
    lost: tuple[FactGroup, ...] = ()
    weakened: tuple[FactGroup, ...] = ()
    died: tuple[FactGroup, ...] = ()
    open: tuple[FactGroup, ...] = ()
    kept: tuple[FactGroup, ...] = ()
    pruned: tuple[FactGroup, ...] = ()
    lacks: str = ""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds with any facts, in order."""
        return tuple(kind for kind in KINDS if any(self.counts[kind].values()))

    @property
    def none_lost(self) -> str:
        """Sentence for a report without lost facts."""
        unknown, uncertain = (
            sum(counts[outcome] for counts in self.counts.values()) for outcome in ("unknown", "uncertain")
        )
        if unknown:
            return f"The fate of {plural(unknown, 'fact')} is unknown: the summary cannot be read."
        if uncertain:
            return f"No loss is known, but {plural(uncertain, 'fact')} may be lost."
        if self.lacks:
            return "No loss is known."
        return "Nothing of what this compaction summarized is lost."


class CompactionPart(Struct, frozen=True):
    """Everything about one compaction. `tokens` are (head, middle, tail) of the list before by the recorded boundaries.
    `diff` is its summary compared with the one before. `attempts` are the newest ones at the recorded boundaries,
    oldest first, `more_attempts` were left out. `summaries` compares those with a summary with the recorded one.
    `aftermath` is the repeated work after it, the gravest kind first.
    """

    judged: JudgedCompaction
    tokens: tuple[int, int, int]
    facts: FactsPart
    aftermath: tuple[AftermathEvent, ...]
    diff: ComparedSummaries | None
    attempts: tuple[Attempt, ...]
    more_attempts: int
    summaries: tuple[SummaryOutcome, ...]

    @property
    def recorded(self) -> Compaction:
        """The recorded compaction."""
        return self.judged.compared.recorded


class Report(Struct, frozen=True):
    """A conversation's report. Rows of tables are documents: `gathering.py` names their keys.

    `made_at` and the other times are seconds since the epoch.
    """

    row: ConversationRow
    database: str
    made_at: float
    version: str
    profile_reason: str
    settings: ResolvedSettings
    budgets: Budgets
    generations: tuple[GenerationLine, ...]
    course: TokenCourse
    compactions: tuple[CompactionPart, ...]
    measures: Measures
    drift: SummaryLives | None
    costs: Requests
    risk: Document
    #: Findings that are not about a compaction.
    findings: tuple[Finding, ...]
    #: By severity, findings of compactions included. Findings with one cause count once.
    finding_counts: Mapping[Severity, int]
    notes: tuple[str, ...]
    live_tokens: int
    #: Whether the agent reported `live_tokens`; else they are rough.
    live_reported: bool = False
    #: Whether a part of the conversation is missing or cannot be read.
    has_unread: bool = False
