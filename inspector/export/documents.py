"""The JSON document of each command, as plain values. Tokens are rough unless a key says otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from inspector.answers.inspection import Compared, Inspection, measured, plan_with
from inspector.core.conversations import Compaction, Conversation, Generation
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images
from inspector.core.text import safe_line
from inspector.engines.base import Budgets, Engine, Plan, Settings
from inspector.engines.capabilities import assemble
from inspector.engines.registry import engine

Document = dict[str, Any]


def settings_document(settings: Settings, sources: Mapping[str, str] | None = None) -> Document:
    """The settings in force and where each came from."""
    document: Document = asdict(settings)
    if sources:
        document["sources"] = dict(sources)
    return document


def budgets_document(budgets: Budgets) -> Document:
    """The derived numbers, and the steps that made each."""
    return {
        "threshold_tokens": budgets.threshold_tokens,
        "tail_token_budget": budgets.tail_token_budget,
        "max_summary_tokens": budgets.max_summary_tokens,
        "hygiene_tokens": budgets.hygiene_tokens,
        "explained": {name: [asdict(step) for step in steps] for name, steps in budgets.steps.items()},
    }


def conversation_document(conversation: Conversation, settings: Settings) -> Document:
    """One entry of `conversations`."""
    row, generations = conversation.row, len(conversation.generations)
    return {
        "id": row.id,
        "root": row.root,
        "title": safe_line(row.title),
        "model": safe_line(row.model),
        "context_length": settings.context_length,
        "sessions": list(row.sessions),
        "generations": generations,
        "compactions": max(0, generations - 1),
        "messages": len(conversation.live),
        "profile": settings.profile,
        "kind": row.kind,
        "parent": row.parent,
        "source": safe_line(row.source),
        "started_at": row.started_at,
        "last_active": row.last_active,
        "reported": conversation.usage._asdict(),
    }


def message_document(
    index: int, message: Message, plan: Plan, tokens: int, breakpoint: int | None, summary: bool
) -> Document:
    """One message of `show`."""
    return {
        "index": index,
        "id": message.id,
        "role": safe_line(message.role),
        "region": plan.region(index),
        "tokens": tokens,
        "pruned": False,
        "breakpoint": breakpoint,
        "summary": summary,
        "text": first_line(message),
    }


def first_line(message: Message) -> str:
    """A message in one safe line: its text, else the calls it makes."""
    line = safe_line(message.text)
    if line:
        return line
    calls = "; ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)
    if calls:
        return safe_line(calls)
    return f"({message.images} picture{'s' if message.images != 1 else ''})" if message.images else ""


def rough_tokens(message: Message) -> int:
    """The release's rough estimate of one message alone."""
    return list_tokens(message_chars(message.wire), message_images(message.wire))


def rough_list(messages: Iterable[Message]) -> int:
    """The release's rough estimate of a list, which is less than that of its messages one by one."""
    chars = images = 0
    for message in messages:
        chars += message_chars(message.wire)
        images += message_images(message.wire)
    return list_tokens(chars, images)


def compaction_document(compared: Compared, findings: Sequence[Document] = ()) -> Document:
    """One entry of `compactions`: what was recorded, and what the engine plans for the same list."""
    recorded: Compaction = compared.recorded
    planned = compared.planned
    return {
        "index": recorded.index,
        "session": recorded.session,
        "before": recorded.before,
        "after": recorded.after,
        "head_end": recorded.head_end,
        "tail_start": recorded.tail_start,
        "tokens_before": recorded.tokens_before,
        "tokens_after": recorded.tokens_after,
        "summary": recorded.summary,
        "fallback": recorded.fallback,
        "merged": recorded.merged,
        "at": recorded.at,
        "exact": recorded.exact,
        "note": recorded.note,
        "planned": {
            "profile": planned.profile,
            "compacts": planned.compacts,
            "reason": planned.reason,
            "head_end": planned.head_end,
            "tail_start": planned.tail_start,
            "agrees": compared.agree,
            "steps": [asdict(step) for step in planned.steps],
        },
        "findings": list(findings),
    }


def plan_document(file: str, messages: Sequence[Message], settings: Settings, compactions: int) -> Document:
    """One entry of `plan`: what a compaction of a file's list would do now. Raises EngineError."""
    found = engine(settings.profile)
    plan = plan_with(found, measured(found, messages), settings, compactions, 0)
    document: Document = {"file": file, **budgets_document(plan.budgets)}
    document |= {
        "profile": plan.profile,
        "summary_budget": plan.summary_budget,
        "compacts": plan.compacts,
        "reason": plan.reason,
        "raises": plan.raises or None,
        "head_end": plan.head_end,
        "tail_start": plan.tail_start,
        "summarized_from": plan.summarized_from,
        "pruned": list(plan.pruned),
        "tokens_before": plan.tokens_before,
        "tokens_after": plan.tokens_after,
        "steps": [asdict(step) for step in plan.steps],
        "output": _output(found, messages, plan),
    }
    return document


def _output(found: Engine, messages: Sequence[Message], plan: Plan) -> list[Document]:
    output = []
    for out in assemble(found, messages, plan, ""):
        entry: Document = {"role": out.role, "source": out.source}
        if out.merged:
            entry["merged"] = True
        output.append(entry)
    return output


def show_document(
    inspection: Inspection,
    generation: Generation,
    messages: Sequence[Message],
    settings: Settings,
    sources: Mapping[str, str],
    breakpoints: Mapping[int, int],
    summaries: frozenset[int],
    exact: int | None,
    exact_encoding: str | None,
) -> Document:
    """The answer of `show`: one generation with the plan that the settings make of it."""
    plan = inspection.plan(generation, settings)
    pruned = set(plan.pruned)
    rows = []
    for index, message in enumerate(messages):
        entry = message_document(
            index, message, plan, rough_tokens(message), breakpoints.get(index), index in summaries
        )
        entry["pruned"] = index in pruned
        rows.append(entry)
    usage = next((s.usage for s in inspection.conversation.sessions if s.id == generation.session), None)
    reported = usage.input + usage.cache_read + usage.cache_write if usage else 0
    system = inspection.system_prompt(generation.session)
    return {
        "conversation": inspection.conversation.id,
        "generation": generation.number,
        "generations": len(inspection.conversation.generations),
        "session": generation.session,
        "live": generation.live,
        "profile": plan.profile,
        "settings": settings_document(settings, sources),
        **budgets_document(plan.budgets),
        "tokens": {
            "rough": plan.tokens_before,
            "exact": exact,
            "exact_encoding": exact_encoding,
            "reported": reported or None,
            "reported_calls": usage.calls if usage else None,
        },
        "compacts": plan.compacts,
        "reason": plan.reason,
        "head_end": plan.head_end,
        "tail_start": plan.tail_start,
        "summary_budget": plan.summary_budget,
        "steps": [asdict(step) for step in plan.steps],
        "system_prompt": {
            "tokens": inspection.system_tokens(generation.session),
            "breakpoint": breakpoints.get(-1),
            "text": safe_line(system),
        },
        "messages": rows,
        "notes": list(inspection.conversation.notes),
    }
