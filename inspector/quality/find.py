"""Run the rules of findings over the evidence of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from inspector.quality import (
    about_compactions,
    about_costs,
    about_facts,
    about_lists,
    about_records,
    about_settings,
    about_summaries,
)
from inspector.quality.catalogue import RULES
from inspector.quality.evidence import ConversationEvidence
from inspector.quality.finding import SEVERITIES, Finding, Violation

Check = Callable[[ConversationEvidence], Iterator[Violation]]

#: The check of each rule by id.
CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "summary-fallback": about_summaries.fallback,
        "summary-missing": about_summaries.missing,
        "summary-says-nothing": about_summaries.says_nothing,
        "rule-broken": about_facts.rule_broken,
        "gave-up": about_compactions.gave_up,
        "compaction-fails": about_lists.compaction_fails,
        "tail-starts-with-result": about_compactions.stray_result,
        "request-gone": about_facts.request_gone,
        "history-lost": about_records.history_lost,
        "constraint-lost": about_facts.constraint_lost,
        "said-again": about_facts.said_again,
        "kept-rule-broken": about_facts.kept_rule_broken,
        "number-changed": about_facts.number_changed,
        "summary-elides": about_summaries.elides,
        "summary-quotes-prompt": about_summaries.quotes_prompt,
        "summary-has-thinking": about_summaries.has_thinking,
        "reference-dangles": about_summaries.dangles,
        "done-claimed": about_summaries.done_claimed,
        "messages-unrecorded": about_summaries.messages_unrecorded,
        "summary-model-too-small": about_summaries.model_small,
        "summary-cut-off": about_summaries.cut_off,
        "summary-repeats-previous": about_summaries.repeats,
        "summary-section-vanished": about_summaries.section_vanished,
        "summary-secret": about_summaries.secret,
        "summary-call-failed": about_summaries.call_failed,
        "compaction-failed": about_records.failed_attempts,
        "context-shrank": about_records.context_shrank,
        "prompt-cut": about_records.prompt_cut,
        "rules-file-cut": about_records.rules_file_cut,
        "did-not-shrink": about_records.did_not_shrink,
        "messages-twice": about_lists.stored_twice,
        "prefix-missed": about_records.prefix_missed,
        "last-request-summarized": about_compactions.request_summarized,
        "saved-little": about_compactions.saved_little,
        "quick-succession": about_compactions.quick_succession,
        "read-again": about_compactions.read_again,
        "tail-over-budget": about_compactions.tail_over_budget,
        "huge-message": about_lists.huge_messages,
        "compaction-would-fail": about_lists.compaction_would_fail,
        "planned-not-recorded": about_compactions.planned_not_recorded,
        "threshold-overridden": about_settings.threshold_overridden,
        "threshold-beyond-window": about_settings.beyond_window,
        "target-ratio-clamped": about_settings.ratio_clamped,
        "hygiene-before-agent": about_settings.hygiene_first,
        "orphaned-result": about_lists.orphaned_results,
        "unanswered-call": about_lists.unanswered_calls,
        "breakpoints-never-hit": about_costs.breakpoints_never_hit,
        "prompt-always-changes": about_costs.prompt_changes,
        "never-paid-off": about_costs.never_paid_off,
        "idling-costs-most": about_costs.idling_costs_most,
        "caches-thrown-away": about_costs.caches_thrown_away,
        "reported-size-doubted": about_records.size_doubted,
        "threshold-raised": about_settings.default_overridden,
        "mid-task": about_compactions.in_mid_task,
        "boundaries-inferred": about_compactions.boundaries_inferred,
        "head-fossilized": about_compactions.head_fossilized,
        "system-prompt-changed": about_lists.prompt_changed,
        "summary-over-budget": about_summaries.over_budget,
        "repeated-roles": about_lists.repeated_roles,
    }
)
#: Rules about a lost fact, and rules that would report the same loss again.
_LOSSES = ("constraint-lost", "request-gone")
_SAME_LOSS = ("done-claimed", "reference-dangles")
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}
_RULE_ORDER = {identity: order for order, identity in enumerate(CHECKS)}


def find(evidence: ConversationEvidence) -> tuple[Finding, ...]:
    """Return all findings, the most severe first, then in the order of the conversation."""
    findings = [
        _finding(evidence, identity, violation)
        for identity, check in CHECKS.items()
        for violation in check(evidence)
    ]
    return tuple(sorted(_each_loss_once(findings), key=_order))


def _each_loss_once(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without weaker ones about a loss that another rule reports for the same compaction."""
    reported = {(item.compaction, item.cause) for item in findings if item.cause and item.rule in _LOSSES}
    return [
        item
        for item in findings
        if item.rule not in _SAME_LOSS or (item.compaction, item.cause) not in reported
    ]


def _finding(evidence: ConversationEvidence, identity: str, violation: Violation) -> Finding:
    rows = evidence.rows.get(violation.generation, ()) if violation.generation is not None else ()
    index = violation.index
    exists = index is not None and 0 <= index < len(rows)
    return Finding(
        rule=identity,
        severity=RULES[identity].severity,
        conversation=evidence.conversation,
        compaction=violation.compaction,
        message=rows[index] if exists and index is not None else None,
        generation=violation.generation,
        index=index if exists else None,
        text=violation.text,
        since=violation.came,
        cause=violation.cause,
        observed=evidence.budgets.observed,
    )


def _order(finding: Finding) -> tuple[int, int, int, int]:
    generation = finding.compaction or finding.generation or 0
    index = -1 if finding.index is None else finding.index
    return _RANK[finding.severity], generation, _RULE_ORDER[finding.rule], index
