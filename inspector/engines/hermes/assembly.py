"""Phase 4: role and place of the summary, repaired tool pairs (releases 0.13.0 to 0.19.0)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.core.conversations import ASSISTANT, SYSTEM, TOOL, USER
from inspector.core.messages import Message, is_image
from inspector.engines.base import Output, Plan
from inspector.engines.hermes import pruning
from inspector.engines.hermes.estimates import call_id
from inspector.engines.hermes.message_stats import NO_ROLE
from inspector.engines.hermes.policies import PRUNE_OVER, Policies
from inspector.engines.hermes.token_index import HermesTokenIndex

STUB = "[Result from earlier conversation — see context summary above]"
CALL_REMOVED = "(tool call removed)"
IMAGE_REMOVED = "[Attached image — stripped after compression]"
_END = "--- END OF CONTEXT SUMMARY ---"


def summary_role(
    token_index: HermesTokenIndex, policies: Policies, head_end: int, tail_start: int
) -> tuple[str, bool]:
    """Return the role of the summary, and whether it is merged into the first tail message; then the role is ""."""
    length = len(token_index)
    before = _neighbour(token_index, head_end - 1) if head_end > 0 else USER
    after = _neighbour(token_index, tail_start) if tail_start < length else USER
    forced = (policies.forces_user and before == SYSTEM) or (
        policies.keeps_a_user and not _user_message_stays(token_index, head_end, tail_start)
    )
    role = USER if before in (ASSISTANT, TOOL) or forced else ASSISTANT
    if role == after:
        flipped = ASSISTANT if role == USER else USER
        if flipped == before or forced:
            return "", True
        role = flipped
    return ("user" if role == USER else "assistant"), False


def _neighbour(token_index: HermesTokenIndex, index: int) -> int:
    code = token_index.roles[index]
    return USER if code == NO_ROLE else code


def _user_message_stays(token_index: HermesTokenIndex, head_end: int, tail_start: int) -> bool:
    first, last = token_index.roles.find(USER), token_index.roles.rfind(USER)
    return first >= 0 and (first < head_end or last >= tail_start)


def prune(messages: Sequence[Message], plan: Plan, policies: Policies) -> tuple[Mapping[str, Any], ...]:
    """Return every message as phase 1 leaves it; an unchanged message is the same mapping."""
    wires = [message.wire for message in messages]
    if not plan.compacts:
        return tuple(wires)
    tools: dict[Any, pruning.Tool] = {}
    for wire in wires:
        if wire.get("role") == "assistant":
            tools.update(pruning.called_tools(wire))
    if policies.deduplicates:
        _replace_duplicates(wires)
    for index in range(min(plan.prune_before, len(wires))):
        wires[index] = _shortened(wires[index], tools, policies)
    return tuple(wires)


def _shortened(
    wire: Mapping[str, Any], tools: Mapping[Any, pruning.Tool], policies: Policies
) -> Mapping[str, Any]:
    if wire.get("role") == "tool":
        content = wire.get("content", "")
        tool = pruning.UNKNOWN_TOOL
        if isinstance(content, str) and pruning.is_prunable(content):
            tool = tools.get(wire.get("tool_call_id", ""), tool)
        short = pruning.short_result(content, tool, policies)
        return wire if short is content else {**wire, "content": short}
    if wire.get("role") == "assistant" and wire.get("tool_calls") and policies.shrinks_arguments:
        calls = pruning.short_calls(wire)
        return wire if calls is wire["tool_calls"] else {**wire, "tool_calls": calls}
    return wire


def pruned_wire(message: Message, caller: Message | None, policies: Policies) -> Mapping[str, Any]:
    """Return a message as phase 1 leaves it, if it is before the protected end and no later message repeats it."""
    tools = dict(pruning.called_tools(caller.wire)) if caller is not None else {}
    return _shortened(message.wire, tools, policies)


def _replace_duplicates(wires: list[Mapping[str, Any]]) -> None:
    newest: dict[bytes, int] = {}
    for index in range(len(wires) - 1, -1, -1):
        content = wires[index].get("content")
        if wires[index].get("role") != "tool" or not isinstance(content, str) or len(content) < PRUNE_OVER:
            continue
        if newest.setdefault(pruning.digest(content), index) != index:
            wires[index] = {**wires[index], "content": pruning.DUPLICATE}


def assemble(messages: Sequence[Message], plan: Plan, policies: Policies, summary: str) -> tuple[Output, ...]:
    """Return the list after the compaction, with `summary` as the text of the handoff. The wording around the summary
    and the note in a system message are left out.
    """
    wires = prune(messages, plan, policies)
    if not plan.compacts:
        return tuple(Output(wire, index) for index, wire in enumerate(wires))
    output = [Output(wires[index], index) for index in range(min(plan.head_end, len(wires)))]
    if plan.role:
        output.append(Output({"role": plan.role, "content": summary}, "summary"))
    for index in range(plan.tail_start, len(wires)):
        merged = plan.merged and index == plan.tail_start
        wire = merged_with(wires[index], summary, policies) if merged else wires[index]
        output.append(Output(wire, index, merged))
    output = with_repaired_pairs(output, policies)
    return tuple(without_old_images(output) if policies.strips_old_images else output)


def merged_with(wire: Mapping[str, Any], summary: str, policies: Policies) -> Mapping[str, Any]:
    """Return the first tail message with the summary in it."""
    content = wire.get("content")
    separator = f"\n\n{_END}\n\n"
    if policies.merges_behind:
        text, summary_first = separator + summary, False
    else:
        text, summary_first = summary + separator, True
    if content is None:
        return {**wire, "content": text}
    if isinstance(content, list):
        part = {"type": "text", "text": text}
        return {**wire, "content": [part, *content] if summary_first else [*content, part]}
    old = content if isinstance(content, str) else str(content)
    return {**wire, "content": text + old if summary_first else old + text}


def with_repaired_pairs(
    output: list[Output], policies: Policies, keeps_pending: bool = False
) -> list[Output]:
    """Return the list with repaired tool pairs. Results without their call are removed. Calls without their result get
    a stub or are removed; with `keeps_pending` the calls of the last turn stay."""
    called = {
        identifier
        for out in output
        if out.wire.get("role") == "assistant"
        for call in out.wire.get("tool_calls") or []
        if (identifier := call_id(call))
    }
    answered = {
        out.wire.get("tool_call_id")
        for out in output
        if out.wire.get("role") == "tool" and out.wire.get("tool_call_id")
    }
    orphans, unanswered = answered - called, called - answered
    if orphans:
        output = [
            out
            for out in output
            if not (out.wire.get("role") == "tool" and out.wire.get("tool_call_id") in orphans)
        ]
    if not unanswered:
        return output
    repaired: list[Output] = []
    last = next((out for out in reversed(output) if out.wire.get("role") != "tool"), None)
    for out in output:
        if keeps_pending and out is last:
            repaired.append(out)
            continue
        calls = out.wire.get("tool_calls") or [] if out.wire.get("role") == "assistant" else []
        lost = [call_id(call) for call in calls if call_id(call) in unanswered]
        if lost and not policies.stubs_calls:
            out = Output(_without_calls(out.wire, unanswered), out.source, out.merged)
        repaired.append(out)
        if policies.stubs_calls:
            stubs = ({"role": "tool", "content": STUB, "tool_call_id": identifier} for identifier in lost)
            repaired.extend(Output(stub, "stub") for stub in stubs)
    return repaired


def _without_calls(wire: Mapping[str, Any], removed: set[Any]) -> Mapping[str, Any]:
    kept = [call for call in wire["tool_calls"] if call_id(call) not in removed]
    if kept:
        return {**wire, "tool_calls": kept}
    rest = {key: value for key, value in wire.items() if key != "tool_calls"}
    content = rest.get("content")
    if not content or (isinstance(content, str) and not content.strip()):
        rest["content"] = CALL_REMOVED
    return rest


def without_old_images(output: list[Output]) -> list[Output]:
    """Return the list. A text replaces each picture before the last user message that has a picture."""
    anchor = -1
    for index in range(len(output) - 1, -1, -1):
        wire = output[index].wire
        if wire.get("role") == "user" and _has_image(wire):
            anchor = index
            break
    return [
        Output(
            {**out.wire, "content": pruning.without_pictures(out.wire["content"], IMAGE_REMOVED)},
            out.source,
            out.merged,
        )
        if index < anchor and _has_image(out.wire)
        else out
        for index, out in enumerate(output)
    ]


def _has_image(wire: Mapping[str, Any]) -> bool:
    content = wire.get("content")
    return isinstance(content, list) and any(map(is_image, content))
