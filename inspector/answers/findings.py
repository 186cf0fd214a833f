"""Findings of a conversation. This module reads everything that the rules need."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.answers.answers import Answers
from inspector.answers.cost_evidence import cost_evidence
from inspector.answers.each import StoreQuestion, ask_each
from inspector.answers.fact_reading import dismissed_facts
from inspector.answers.fact_results import read_fact_evidence
from inspector.answers.inspection import Inspection, ends_of
from inspector.answers.kept_results import AnswerKind
from inspector.answers.last_request import end_of, is_mentioned, is_missing, is_request_at, last_request
from inspector.answers.losses import FactEvidence, fact_evidence, facts_of, read_aftermath
from inspector.caching.requests import Requests
from inspector.config.dismissals import Dismissals
from inspector.config.settings import ResolvedSettings
from inspector.core.conversations import TOOL, USER, Compaction, Generation
from inspector.core.shares import plural
from inspector.core.text import safe_line
from inspector.engines.base import region_tokens
from inspector.engines.registry import budgets_of, is_built_in
from inspector.quality.evidence import (
    CompactionEvidence,
    ConversationEvidence,
    CutFile,
    LiveEvidence,
    SystemPrompt,
    is_stray,
    links_of,
    protected_giants,
    tail_of,
)
from inspector.quality.facts.extract import NAMES
from inspector.quality.facts.fact import ConversationFacts
from inspector.quality.facts.values import names_in
from inspector.quality.find import find
from inspector.quality.finding import SEVERITIES, Finding, Severity
from inspector.quality.grouping import dismissal_keys, parted
from inspector.stores.rule_files import cut_files
from inspector.summaries.parse import parse_summary

FINDINGS: AnswerKind[tuple[Finding, ...]] = AnswerKind("findings", tuple[Finding, ...])
#: Number of messages before a compaction whose calls show what the agent works on.
_LAST_CALLS = 50


def findings(
    inspection: Inspection, resolved: ResolvedSettings, facts: ConversationFacts | None = None
) -> tuple[Finding, ...]:
    """Return the findings of a conversation. Reads its lists; raises StoreErrors and EngineErrors.

    `facts` are its facts if they are known.
    """
    return find(evidence_of(inspection, resolved, facts))


def findings_without_facts(
    inspection: Inspection, resolved: ResolvedSettings, requests: Requests
) -> tuple[Finding, ...]:
    """Return the findings without facts and the lineage of summaries, which take longest. Raises as `findings` does."""
    return find(_evidence(inspection, resolved, FactEvidence(), requests))


class TitledFinding(Struct, frozen=True):
    """A finding, the title of its conversation, and whether the user dismissed it."""

    finding: Finding
    title: str
    dismissed: bool = False


def list_findings(
    answers: Answers, name: str | None, least: Severity, dismissed: bool
) -> list[TitledFinding]:
    """Return the findings of one conversation or of all, from severity `least` on. Dismissed findings are optional.

    Raises UnknownConversation, StoreErrors and EngineErrors.
    """
    dismissals = Dismissals.load()
    hidden: set[tuple[str, str]] = set()
    rows = answers.rows(() if name is None else (name,))
    results = {row.id: result for row, result in ask_each(answers, rows, StoreQuestion(findings_in))}
    wanted = SEVERITIES[: SEVERITIES.index(least) + 1]
    listed = []
    for row in rows:
        keys = dismissals.findings_of(row.root)
        for finding in results.get(row.id, ()):
            gone = not keys.isdisjoint(dismissal_keys(finding))
            if finding.severity in wanted and gone:
                hidden.update((row.root, key) for key in keys & dismissal_keys(finding))
            if finding.severity in wanted and (dismissed or not gone):
                listed.append(TitledFinding(finding, row.unmasked_title, gone))
    if hidden and not dismissed:
        answers.note(dismissed_note(len(hidden)))
    return listed


def dismissed_note(count: int) -> str:
    """Return a sentence about dismissed findings."""
    return f"{plural(count, 'dismissed finding')} not shown; findings --dismissed shows them."


def split_dismissed(
    inspection: Inspection, every: Sequence[Finding]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the findings that count, and the dismissed findings."""
    return parted(every, Dismissals.load().findings_of(inspection.conversation.row.root))


def findings_in(answers: Answers, conversation: str) -> tuple[Finding, ...]:
    """Return the findings of a conversation, computed if they are not stored. Raises as `findings` does."""
    return read_findings(*answers.opened(conversation))


def read_findings(
    inspection: Inspection,
    resolved: ResolvedSettings,
    facts: ConversationFacts | None = None,
    dismissed: frozenset[str] | None = None,
) -> tuple[Finding, ...]:
    """Return the findings of a conversation, computed if they are not stored. Raises as `findings` does.

    `facts` are its facts if they are known, without the `dismissed` ones (default: dismissed by the user).
    """
    dismissed = dismissed_facts(inspection) if dismissed is None else dismissed
    kept = FINDINGS.of(inspection.store, inspection.conversation.id, resolved)
    # The store may have more messages by now than were opened, and the user may have dismissed more.
    ends = ends_of(inspection.conversation)
    kept = replace(kept, basis=kept.basis.with_inputs(repr((ends, sorted(dismissed))).encode()))
    # The engine of another package may have changed.
    result = kept.stored() if is_built_in(resolved.settings.profile) else None
    if result is None:
        evidence = read_fact_evidence(inspection) if facts is None else _fact_evidence(inspection, facts)
        result = find(_evidence(inspection, resolved, evidence))
        kept.keep(result)
    return result


def evidence_of(
    inspection: Inspection, resolved: ResolvedSettings, facts: ConversationFacts | None
) -> ConversationEvidence:
    """Return the evidence for the rules.

    Every list is measured, and the measurement is kept. Bodies of the live list are read again.
    """
    facts = facts_of(inspection) if facts is None else facts
    return _evidence(inspection, resolved, _fact_evidence(inspection, facts))


def _fact_evidence(inspection: Inspection, facts: ConversationFacts) -> FactEvidence:
    return fact_evidence(inspection, facts, read_aftermath(inspection, facts))


def _evidence(
    inspection: Inspection,
    resolved: ResolvedSettings,
    evidence: FactEvidence,
    requests: Requests | None = None,
) -> ConversationEvidence:
    conversation, settings = inspection.conversation, resolved.settings
    costs = cost_evidence(inspection, resolved, requests)
    compactions = tuple(
        replace(
            _compaction_evidence(inspection, recorded, resolved),
            lost=evidence.lost.get(recorded.index, ()),
            exchanged=evidence.exchanged.get(recorded.index, ()),
            aftermath=evidence.aftermath.get(recorded.index, ()),
            gaps=evidence.gaps.get(recorded.index, ()),
            bill=costs.bills.get(recorded.index),
            modelled=costs.is_estimated,
        )
        for recorded in inspection.compactions()
    )
    tip = conversation.sessions[-1]
    streak = tip.extra.get("compression_fallback_streak")
    failure = tip.extra.get("compression_failure_error")
    return ConversationEvidence(
        conversation=conversation.id,
        source=conversation.row.source,
        settings=settings,
        sources=resolved.sources,
        budgets=budgets_of(settings),
        live=_live(inspection, resolved),
        compactions=compactions,
        prompts=_prompts(inspection),
        rows={generation.number: generation.ids for generation in conversation.generations},
        failure=failure if isinstance(failure, str) else "",
        streak=streak if isinstance(streak, int) else None,
        failures=inspection.store.failures(conversation),
        costs=costs,
        cut_files=_cut_files(inspection),
    )


def _cut_files(inspection: Inspection) -> tuple[CutFile, ...]:
    files = cut_files(inspection.store, inspection.conversation)
    return tuple(
        CutFile(safe_line(file.path.rpartition("/")[2]), *file.cut, file.generation, file.place)
        for file in files
        if file.cut is not None
    )


def _compaction_evidence(
    inspection: Inspection, recorded: Compaction, resolved: ResolvedSettings
) -> CompactionEvidence:
    before = inspection.generation(recorded.index)
    after = inspection.generation(recorded.index + 1)
    token_index = inspection.token_index(before, resolved.settings.profile)
    plan = inspection.plan(before, resolved.settings)
    tail_tokens, largest = tail_of(token_index, plan, recorded.tail_start)
    request = last_request(inspection, before)
    mentioned = request is not None and is_mentioned(inspection, recorded, before, request)
    return CompactionEvidence(
        recorded=recorded,
        planned=plan,
        middle_tokens=inspection.middle_tokens(recorded, resolved.settings),
        left_tokens=region_tokens(recorded, token_index)[1],
        tail_tokens=tail_tokens,
        largest=largest,
        last_request=request,
        stray=_stray(inspection, recorded, after),
        system_after=inspection.system_tokens(after.session),
        answered=len(after) > recorded.after,
        summary=None if recorded.summary is None else parse_summary(recorded.summary),
        request_gone=request is not None
        and not mentioned
        and is_missing(inspection, recorded, before, request),
        request_mentioned=mentioned,
        turn_end=_turn_end(inspection, recorded, after),
        at_work=_at_work(inspection, recorded, before, request),
        last_size=None if recorded.tokens_before_reported is None else inspection.last_size(recorded),
        requests_grew=_requests_grew(inspection, recorded),
    )


def _requests_grew(inspection: Inspection, recorded: Compaction) -> int:
    """Return the tokens from the first to the largest request of the list before a compaction, with its answer."""
    calls = inspection.requests_before(recorded)
    return max((call.tokens for call in calls), default=0) - (calls[0].context if calls else 0)


def _at_work(
    inspection: Inspection, recorded: Compaction, generation: Generation, request: int | None
) -> int | None:
    """Return the number of messages since the last request if the last message is a call or its result, else None.

    Return None too if the calls name no file, or if the summary names one of the files: the agent then knows its task.
    """
    end = end_of(generation)
    start = max(0 if request is None else request, end - _LAST_CALLS)
    last = inspection.store.messages(generation, start, end)
    if not last or not (last[-1].role == "tool" or last[-1].tool_calls):
        return None
    calls = [call for message in last for call in message.tool_calls]
    names = {
        name.text.rstrip("/").rpartition("/")[2]
        for call in calls
        for name, _ in names_in(call.arguments, NAMES)
    }
    if not names or any(name in (recorded.summary or "") for name in names):
        return None
    return end - 1 - (-1 if request is None else request)


def _turn_end(inspection: Inspection, recorded: Compaction, after: Generation) -> int | None:
    """Return the index of the user's next request in the list after; None without one."""
    users = (index for index in range(recorded.after, len(after)) if after.roles[index] == USER)
    return next((index for index in users if is_request_at(inspection, after, index)), None)


def _stray(inspection: Inspection, recorded: Compaction, after: Generation) -> int | None:
    at = recorded.tail_after
    if recorded.summary_at is None or not 0 < at < len(after) or after.roles[at] != TOOL:
        return None
    return at if is_stray(inspection.store.messages(after, 0, at + 1), at) else None


def _live(inspection: Inspection, resolved: ResolvedSettings) -> LiveEvidence:
    generation = inspection.generation()
    token_index = inspection.token_index(generation, resolved.settings.profile)
    plan = inspection.plan(generation, resolved.settings)
    links = links_of(inspection.store.iterate(generation))
    carried = max((recorded.head_end for recorded in inspection.compactions()), default=0)
    return LiveEvidence(
        number=generation.number,
        roles=generation.roles,
        plan=plan,
        links=links,
        protected=protected_giants(token_index, plan),
        fossils=tuple(map(token_index.tokens, range(min(carried, len(token_index))))),
        twice_tokens=sum(token_index.tokens(index) for index, _ in links.twice),
        unread=inspection.conversation.has_unread,
    )


def _prompts(inspection: Inspection) -> tuple[SystemPrompt, ...]:
    """Return the system prompt of each session, with its first generation."""
    prompts: dict[str, SystemPrompt] = {}
    for generation in inspection.conversation.generations:
        session = generation.session
        if session not in prompts:
            text = inspection.system_prompt(session)
            prompts[session] = SystemPrompt(generation.number, inspection.system_tokens(session), text)
    return tuple(prompts.values())
