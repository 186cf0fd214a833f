"""Generations: their messages, their breakpoints, the compactions that ended them, and plans for lists in files."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.answers.cachepoints import CachePoints
from inspector.answers.compactions import JudgedCompaction
from inspector.answers.plans import PlannedFile, PlannedMessage
from inspector.answers.showing import ShownGeneration
from inspector.core.conversations import FailedCompaction, Microcompaction
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images
from inspector.core.text import safe, safe_line, unwrapped
from inspector.export.documents.costs import bill_document
from inspector.export.documents.document import Document, built
from inspector.export.documents.findings import finding_document
from inspector.export.documents.settings import budgets_document, settings_document


def show_document(answer: ShownGeneration, full: bool = False) -> Document:
    """The answer of `show`: one generation with the plan that the settings make of it; `full` has all of each text."""
    conversation, generation, plan = answer.conversation, answer.generation, answer.plan
    usage, exact, recorded = answer.usage, answer.exact, answer.recorded
    reported = usage.input + usage.cache_read + usage.cache_write if usage else 0
    points = {(-1 if p.message is None else p.message): p.number for p in answer.breakpoints if p.placed}
    pruned = frozenset(plan.pruned)
    return {
        "conversation": conversation.id,
        "generation": generation.number,
        "generations": len(conversation.generations),
        "session": generation.session,
        "live": generation.live,
        "step": answer.step,
        "profile": plan.profile,
        "settings": settings_document(
            answer.resolved.settings, answer.resolved.sources, answer.resolved.notes
        ),
        **budgets_document(plan.budgets),
        "tokens": {
            "rough": plan.tokens_before,
            "exact": exact.tokens if exact else None,
            "exact_encoding": exact.encoding if exact else None,
            "reported": reported or None,
            "reported_calls": usage.calls if usage else None,
        },
        "compacts": plan.compacts,
        "reason": plan.reason,
        "head_end": plan.head_end,
        "tail_start": plan.tail_start,
        "summary_budget": plan.summary_budget,
        "steps": built(plan.steps),
        "system_prompt": {
            "tokens": answer.system_tokens,
            "breakpoint": points.get(-1),
            "text": safe_line(answer.system_prompt),
        },
        "messages": [
            {
                "index": index,
                "id": message.id,
                "role": safe_line(message.role),
                "region": plan.region(index),
                "tokens": list_tokens(message_chars(message.wire), message_images(message.wire)),
                "pruned": index in pruned,
                "breakpoint": points.get(index),
                "summary": handoff_of(message) is not None,
                "text": safe(message.text) if full and message.text else first_line(message),
                "whole_in": safe_line(message.whole) or None,
            }
            for index, message in enumerate(answer.messages)
        ],
        "notes": [*conversation.notes, *answer.limits],
        "profile_reason": answer.profile_reason,
        "recorded": None
        if recorded is None
        else {"index": recorded.index, "head_end": recorded.head_end, "tail_start": recorded.tail_start},
    }


def first_line(message: Message) -> str:
    """A message in one safe line: its text, else the calls it makes."""
    line = safe_line(unwrapped(message.text))
    if line:
        return line
    calls = "; ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)
    if calls:
        return safe_line(calls)
    return f"({message.images} picture{'s' if message.images != 1 else ''})" if message.images else ""


def compaction_documents(answer: Iterable[JudgedCompaction]) -> list[Document]:
    """The answer of `compactions`: recorded compactions, and the engine's plan for the same list."""
    return [_compaction(entry) for entry in answer]


def _compaction(entry: JudgedCompaction) -> Document:
    recorded, planned = entry.compared.recorded, entry.compared.planned
    return {
        "index": recorded.index,
        "kind": "compaction",
        "session": recorded.session,
        "before": recorded.before,
        "after": recorded.after,
        "head_end": recorded.head_end,
        "tail_start": recorded.tail_start,
        "tokens_before": recorded.tokens_before,
        "tokens_after": recorded.tokens_after,
        "tokens_before_reported": recorded.tokens_before_reported,
        "tokens_after_reported": recorded.tokens_after_reported,
        "summary": recorded.summary,
        "encrypted": recorded.encrypted,
        "kept": [index for index, _ in recorded.kept],
        "fallback": recorded.fallback,
        "merged": recorded.merged,
        "at": recorded.at,
        "exact": recorded.exact,
        "note": recorded.note,
        "trigger": recorded.trigger or entry.why.trigger,
        "why": {
            "rule": entry.why.rule,
            "threshold_tokens": entry.why.threshold_tokens,
            "crossed": entry.why.crossed,
            "fits": list(entry.why.fits),
            "text": entry.why.text,
        },
        "planned": {
            "profile": planned.profile,
            "compacts": planned.compacts,
            "reason": planned.reason,
            "head_end": planned.head_end,
            "tail_start": planned.tail_start,
            "agrees": entry.compared.agree,
            "steps": built(planned.steps),
        },
        "findings": [finding_document(finding) for finding in entry.findings],
        "cost": bill_document(entry.bill, entry.modelled),
        "cost_note": entry.why_no_bill or None,
    }


def microcompaction_documents(answer: Iterable[Microcompaction]) -> list[Document]:
    """The microcompactions in the answer of `compactions`: the cleared results, without a summary."""
    return [
        {
            "kind": "microcompaction",
            **built(entry),
            "tokens_after_reported": None
            if entry.tokens_before_reported is None or entry.tokens_saved_reported is None
            else entry.tokens_before_reported - entry.tokens_saved_reported,
            "summary": None,
            "findings": [],
            "cost": None,
        }
        for entry in answer
    ]


def failure_documents(answer: Iterable[FailedCompaction]) -> list[Document]:
    """The failed attempts in the answer of `compactions`: the list stayed as it was."""
    return [
        {
            "kind": "failed",
            **built(entry),
            "tokens_after_reported": None,
            "summary": None,
            "findings": [],
            "cost": None,
        }
        for entry in answer
    ]


def plan_documents(answer: Iterable[PlannedFile]) -> list[Document]:
    """The answer of `plan`: a compaction of each file's list."""
    return [_plan(entry) for entry in answer]


def _plan(entry: PlannedFile) -> Document:
    plan = entry.plan
    return {
        "file": str(entry.file),
        **budgets_document(plan.budgets),
        "profile": plan.profile,
        "summary_budget": plan.summary_budget,
        "compacts": plan.compacts,
        "reason": plan.reason,
        "raises": plan.raises or None,
        "fallback_raises": entry.fallback_raises or None,
        "head_end": plan.head_end,
        "tail_start": plan.tail_start,
        "summarized_from": plan.summarized_from,
        "kept": sorted(plan.kept),
        "pruned": list(plan.pruned),
        "tokens_before": plan.tokens_before,
        "tokens_after": plan.tokens_after,
        "steps": built(plan.steps),
        "output": [_planned(out) for out in entry.output],
    }


def _planned(out: PlannedMessage) -> Document:
    document: Document = {"role": out.role, "source": out.source}
    return document | {"merged": True} if out.merged else document


def breakpoints_document(answer: CachePoints) -> Document:
    """The answer of `breakpoints`."""
    return {
        "conversation": answer.conversation,
        "generation": answer.generation,
        "layout": answer.layout,
        "ttl": answer.ttl,
        "profile": answer.profile,
        "enabled": answer.policy.enabled,
        "reason": answer.policy.reason,
        "breakpoints": [
            {
                **built(point.breakpoint),
                "role": "system" if point.message is None else point.message.role,
                "id": None if point.message is None else point.message.id,
                "tokens": point.tokens,
            }
            for point in answer.points
        ],
        "recorded": built(answer.recorded),
    }
