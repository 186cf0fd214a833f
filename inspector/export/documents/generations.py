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
from inspector.export.documents.document import Document, built, fields_of
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
        "settings": settings_document(answer.resolved),
        **budgets_document(plan.budgets),
        "tokens": {
            "rough": plan.tokens_before,
            "exact": exact.tokens if exact else None,
            "exact_encoding": exact.encoding if exact else None,
            "reported": reported or None,
            "reported_calls": usage.calls if usage else None,
        },
        **fields_of(plan, "compacts", "reason", "head_end", "tail_start", "summary_budget", "steps"),
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
        "recorded": None if recorded is None else fields_of(recorded, "index", "head_end", "tail_start"),
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
        **fields_of(
            recorded,
            "session",
            "before",
            "after",
            "head_end",
            "tail_start",
            "tokens_before",
            "tokens_after",
            "tokens_before_reported",
            "tokens_after_reported",
            "summary",
            "encrypted",
        ),
        "kept": [index for index, _ in recorded.kept],
        **fields_of(recorded, "fallback", "merged", "at", "exact", "note"),
        "trigger": recorded.trigger or entry.why.trigger,
        "why": fields_of(entry.why, "rule", "threshold_tokens", "crossed", "fits", "text"),
        "planned": {
            **fields_of(planned, "profile", "compacts", "reason", "head_end", "tail_start"),
            "agrees": entry.compared.agree,
            "steps": built(planned.steps),
        },
        "findings": [finding_document(finding) for finding in entry.findings],
        "cost": bill_document(entry.bill, entry.modelled),
        "cost_note": entry.why_no_bill or None,
    }


def other_documents(answer: Iterable[Microcompaction | FailedCompaction]) -> list[Document]:
    """The other entries in the answer of `compactions`: microcompactions, and attempts that failed."""
    return [_without_summary(entry) for entry in answer]


def _without_summary(entry: Microcompaction | FailedCompaction) -> Document:
    after = None
    if isinstance(entry, Microcompaction):
        before, saved = entry.tokens_before_reported, entry.tokens_saved_reported
        after = None if before is None or saved is None else before - saved
    return {
        "kind": "microcompaction" if isinstance(entry, Microcompaction) else "failed",
        **built(entry),
        "tokens_after_reported": after,
        "summary": None,
        "findings": [],
        "cost": None,
    }


def plan_documents(answer: Iterable[PlannedFile]) -> list[Document]:
    """The answer of `plan`: a compaction of each file's list."""
    return [_plan(entry) for entry in answer]


def _plan(entry: PlannedFile) -> Document:
    plan = entry.plan
    return {
        "file": str(entry.file),
        **budgets_document(plan.budgets),
        **fields_of(plan, "profile", "summary_budget", "compacts", "reason"),
        "raises": plan.raises or None,
        "fallback_raises": entry.fallback_raises or None,
        **fields_of(plan, "head_end", "tail_start", "summarized_from"),
        "kept": sorted(plan.kept),
        **fields_of(plan, "pruned", "tokens_before", "tokens_after", "steps"),
        "output": [_planned(out) for out in entry.output],
    }


def _planned(out: PlannedMessage) -> Document:
    document: Document = {"role": out.role, "source": out.source}
    return document | {"merged": True} if out.merged else document


def breakpoints_document(answer: CachePoints) -> Document:
    """The answer of `breakpoints`."""
    return {
        **fields_of(answer, "conversation", "generation", "layout", "ttl", "profile"),
        **fields_of(answer.policy, "enabled", "reason"),
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
