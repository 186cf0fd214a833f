"""Input of the summary model from an engine, without the prompt around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from inspector.core.handoff import handoff_of
from inspector.core.messages import Message, tool_calls_of
from inspector.core.thinking import without_thinking
from inspector.engines.base import Plan

Wire = Mapping[str, Any]
_TASK_HEADING = "## Historical Task Snapshot"
_TASK_SECTION = re.compile(rf"(?ms)^{re.escape(_TASK_HEADING)}\s*\n.*?(?=^## |\Z)")
#: Mask for secrets, applied before a text is cut to size so that half a secret never remains.
Mask = Callable[[str], str]


class SummaryInput(Struct, frozen=True):
    """Input of a summary: the messages to summarize, and the engine's guidance.

    `wires` are the messages in order after pruning, `turns` the same messages as text. `earlier` is the body of
    the previous summary ("" if there is none), `budget` the requested length in rough tokens, `focus` the topic
    to keep above all ("": none). `note` is a sentence about differences from the agent's real input; mostly
    empty. `task` is the user's last request, which the engine itself adds to the summary ("": it adds nothing).
    """

    wires: tuple[Wire, ...]
    turns: str
    earlier: str
    budget: int
    focus: str = ""
    note: str = ""
    task: str = ""


def unmasked(text: str) -> str:
    """Return the text unchanged."""
    return text


def finished_summary(text: str, task: str) -> str:
    """Return the body of a summary from a model's answer, without its thinking and with the engine's additions.

    Source: release 0.19.0, `_generate_summary`.
    """
    body = without_thinking(text).strip()
    if not task or not body:
        return body
    section = f"{_TASK_HEADING}\nUser asked: {task!r}\n\n"
    replaced, count = _TASK_SECTION.subn(lambda _: section, body, count=1)
    return (replaced if count else section + body).strip()


def earlier_summary(messages: Sequence[Message], stop: int) -> tuple[int, str]:
    """Return the index and the body of the newest summary before `stop`; -1 and "" if there is none."""
    for index in range(min(stop, len(messages)) - 1, -1, -1):
        handoff = handoff_of(messages[index])
        if handoff is not None:
            return index, handoff.body
    return -1, ""


def plain_input(
    messages: Sequence[Message], wires: Sequence[Wire], plan: Plan, focus: str, mask: Mask
) -> SummaryInput:
    """Return the input for an engine without its own wording: whole texts and calls, one paragraph per message.

    `wires` are the messages after pruning.
    """
    head, tail = plan.regions()
    summary_at, body = earlier_summary(messages, tail)
    chosen = tuple(wires[max(head, summary_at + 1, plan.summarized_from) : tail])
    turns = "\n\n".join(_plainly(wire, mask) for wire in chosen)
    note = f"The words of {plan.profile}'s own request are not known, so the whole messages are sent."
    return SummaryInput(chosen, turns, body, plan.summary_budget, focus, note)


def _plainly(wire: Wire, mask: Mask) -> str:
    message = Message(wire)
    lines = [f"[{message.role.upper() or 'OTHER'}]: {mask(message.text)}"]
    lines += [f"  calls {call.name}({mask(call.arguments)})" for call in tool_calls_of(wire)]
    return "\n".join(lines)
