"""Compare an attempt with the recorded summary by the same facts, each with its fate in the list after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.attempting import SummarizedList, planned_list
from inspector.answers.fact_reading import facts_after, facts_under_summaries, pruned_by
from inspector.answers.inspection import Inspection
from inspector.core.conversations import Compaction
from inspector.core.messages import Message, text_of
from inspector.core.rough import text_tokens
from inspector.core.text import safe
from inspector.core.watching import OnProgress
from inspector.engines.capabilities import assemble
from inspector.engines.registry import engine
from inspector.engines.settings import SETTING_NAMES, Settings
from inspector.models.attempt import Attempt
from inspector.quality.facts.fact import ConversationFacts, Fate, Life, Where
from inspector.quality.facts.passages import ListText
from inspector.quality.facts.survival import KindSurvival, survival_of


class SummaryOutcome(Struct, frozen=True):
    """The facts that one summary of a compaction keeps.

    `attempt` is None for the recorded summary. `lives` are the facts that the compaction took, best rank first.
    `tokens` is the rough size of the summary, `retained` that of the list after. Both are None if the recorded summary
    cannot be read.
    """

    compaction: int
    attempt: Attempt | None
    lives: tuple[Life, ...]
    tokens: int | None
    retained: int | None

    @property
    def label(self) -> str:
        """Label of the attempt, or "recorded" for the recorded compaction."""
        return "recorded" if self.attempt is None else self.attempt.label

    def survival(self) -> tuple[KindSurvival, ...]:
        """Return the survival of the facts by kind."""
        return survival_of([life.fate for life in self.lives], [life.fact.kind for life in self.lives])

    def fate_of(self, key: str) -> Fate | None:
        """Return the fate of a fact; None if this compaction did not take it."""
        return next((life.fate for life in self.lives if life.fact.key == key), None)

    @property
    def kept(self) -> int:
        """Number of facts that can be read."""
        return sum(survival.kept for survival in self.survival())

    @property
    def of(self) -> int:
        """Number of all facts, kept or not."""
        return len(self.lives)

    @property
    def open(self) -> int:
        """The number of facts with an uncertain or unknown fate."""
        return sum(survival.open for survival in self.survival())


def outcomes_of(
    inspection: Inspection,
    settings: Settings,
    compaction: int,
    attempts: Sequence[Attempt],
    recorded_facts: ConversationFacts | None = None,
    watch: OnProgress | None = None,
) -> tuple[SummaryOutcome, ...]:
    """Return the recorded summary of a compaction and its attempts, each with the facts that it keeps.

    `recorded_facts` are the facts of the conversation if they are known. Attempts without a summary are left out.
    Attempts of a planned compaction are returned alone, because it took other messages.
    """
    outcomes: list[SummaryOutcome] = []
    recorded = next((item for item in inspection.compactions() if item.index == compaction), None)
    wanted = [item for item in attempts if item.place.compaction == compaction and item.summary]
    pruned = pruned_by(inspection, settings)
    at_record = [item for item in wanted if item.place.step is None]
    if recorded is not None and (at_record or not wanted):
        summaries = [{compaction: item.summary} for item in at_record]
        if recorded_facts is None:
            summaries.insert(0, {compaction: recorded.summary or ""})
        judged = list(facts_under_summaries(inspection, summaries, pruned, watch))
        facts_recorded = recorded_facts if recorded_facts is not None else judged.pop(0)
        size, after = text_tokens(len(recorded.summary or "")), recorded.tokens_after
        # Only rules judge attempts, so a model may not decide fates of the recorded summary either.
        lives = tuple(life.by_rules() for life in facts_recorded.of(compaction))
        sizes = (None, None) if recorded.encrypted else (size, after)
        outcomes.append(SummaryOutcome(compaction, None, lives, *sizes))
        for attempt, facts in zip(at_record, judged, strict=True):
            retained = after - size + attempt.tokens
            lives = facts.of(compaction)
            outcomes.append(SummaryOutcome(compaction, attempt, lives, attempt.tokens, retained))
    at_step = [item for item in wanted if item.place.step is not None]
    outcomes += [_planned(inspection, settings, attempt, pruned, watch) for attempt in at_step]
    return tuple(outcomes)


def _planned(
    inspection: Inspection,
    settings: Settings,
    attempt: Attempt,
    pruned: Mapping[int, Sequence[int]],
    watch: OnProgress | None,
) -> SummaryOutcome:
    assert attempt.place.step is not None
    # It was planned under the settings of that time, not the current settings.
    stored = attempt.settings.get("engine")
    then = (
        {name: stored[name] for name in SETTING_NAMES if name in stored} if isinstance(stored, dict) else {}
    )
    settings = replace(settings, **then)
    profile = settings.profile
    listed = planned_list(inspection, settings, attempt.place.step)
    parts, retained = list_after(listed, attempt.summary, profile)
    number, plan = listed.place.compaction, listed.plan
    head, tail = plan.regions()
    at = head + len(plan.kept)
    planned = Compaction(
        index=number, session=listed.generation.session, before=len(listed.messages),
        after=at + 1 + len(listed.messages) - tail, head_end=head, tail_start=tail, head_after=head,
        tail_after=at + 1, summary_at=at, summary=attempt.summary, merged=plan.merged, fallback=False,
        tokens_before=plan.tokens_before, tokens_after=retained, at=0.0,
    )  # fmt: skip
    facts = facts_after(inspection, planned, parts, {**pruned, number: plan.pruned}, watch)
    return SummaryOutcome(number, attempt, facts.of(number), attempt.tokens, retained)


def list_after(listed: SummarizedList, summary: str, profile: str) -> tuple[list[ListText], int]:
    """Return the texts of the list after a planned compaction with this summary, and its rough tokens."""
    parts = []
    size = 0
    for at, out in enumerate(assemble(engine(profile), listed.messages, listed.plan, summary)):
        size += len(text_of(out.wire.get("content")))
        if out.source == "summary" or out.merged:
            parts.append(ListText("summary", at, "summary", safe(summary)))
        if out.source == "restated":
            parts.append(ListText("tail", at, out.role, safe(text_of(out.wire.get("content")))))
        if isinstance(out.source, int):
            message = listed.messages[out.source] if out.merged else Message(out.wire)
            where: Where = "head" if out.source < listed.plan.head_end else "tail"
            if message.text:
                parts.append(ListText(where, at, message.role, safe(message.text)))
    return parts, text_tokens(size)
