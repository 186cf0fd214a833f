"""Phase 3: the input of the summary model (releases 0.13.0 to 0.20.0, `_serialize_for_summary`, `compress`).

Bodies and arguments are cut, with the labels of the release, so that only the summarizer differs. Secrets are removed
before anything is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from inspector.core.messages import Message, is_image, text_of
from inspector.core.thinking import without_thinking
from inspector.engines.base import Plan
from inspector.engines.hermes.budgets import summary_budget
from inspector.engines.hermes.direct.handoffs import handoff_kind, is_synthetic
from inspector.engines.hermes.policies import Policies
from inspector.engines.summary_input import Mask, SummaryInput, Wire, earlier_summary

_BODY, _BODY_START, _BODY_END = 6_000, 4_000, 1_500
_ARGUMENTS, _ARGUMENTS_START = 1_500, 1_200
_CUT = "\n...[truncated]...\n"
_MEDIA = re.compile(r"MEDIA:\S+")
#: From this size on the current sources send only some records. Their choice is not known well enough to repeat it.
_MOST_CURRENT = 160_000

#: Limits of the focus that the release makes from the last messages of the user: their number, and characters of each.
_FOCUSED, _FOCUS_TURN, _FOCUS_ALL = 3, 260, 700
#: Maximum characters of the task that the release writes into a summary.
_TASK = 1_400


def summary_input(
    messages: Sequence[Message],
    pruned: Sequence[Wire],
    turns: Sequence[Wire],
    plan: Plan,
    size: int,
    policies: Policies,
    focus: str,
    mask: Mask,
) -> SummaryInput:
    """Return the input for a summary of `turns` (`size` rough tokens). `pruned` is the whole list after pruning."""
    text = written_out(turns, policies, mask)
    note = ""
    if policies.lean_tail and len(text) > _MOST_CURRENT:
        note = f"{policies.name} sends at most {_MOST_CURRENT:,} characters, which it selects. Here, all are sent."
    return SummaryInput(
        tuple(turns),
        text,
        earlier_summary(messages, plan.regions()[1])[1],
        summary_budget(size, plan.budgets),
        focus or (default_focus(pruned, policies, mask) if policies.focuses_itself else ""),
        note,
        _task(turns, policies, mask) if policies.joins_parts else "",
    )


def written_out(wires: Iterable[Wire], policies: Policies, mask: Mask) -> str:
    """Return the messages as the release writes them out for the summary model."""
    return "\n\n".join(_record(wire, policies, mask) for wire in wires)


def _record(wire: Wire, policies: Policies, mask: Mask) -> str:
    role = wire.get("role", "unknown")
    body = _body(wire.get("content"), policies, mask)
    if policies.joins_parts and role == "assistant":
        body = without_thinking(body)
    if len(body) > _BODY:
        body = body[:_BODY_START] + _CUT + body[-_BODY_END:]
    if role == "tool":
        return f"[TOOL RESULT {wire.get('tool_call_id', '')}]: {body}"
    if role != "assistant":
        return f"[{str(role).upper()}]: {body}"
    calls = wire.get("tool_calls")
    if calls:
        body += "\n[Tool calls:\n" + "\n".join(_call(call, mask) for call in calls) + "\n]"
    return f"[ASSISTANT]: {body}"


def _body(content: Any, policies: Policies, mask: Mask) -> str:
    if isinstance(content, list) and policies.joins_parts:
        content = "\n".join(_part(part) for part in content if isinstance(part, dict | str))
    text = mask(str(content)) if content else ""
    return _MEDIA.sub("[media attachment]", text) if policies.focuses_itself else text


def _part(part: dict[str, Any] | str) -> str:
    if isinstance(part, str):
        return part
    if part.get("type") == "text":
        return str(part.get("text", ""))
    if not is_image(part):
        return f"[{part.get('type') or 'attachment'}]"
    inner = part.get("image_url")
    url = (
        inner.get("url") if isinstance(inner, dict) else inner if isinstance(inner, str) else part.get("url")
    )
    named = isinstance(url, str) and url.startswith(("http://", "https://"))
    return f"[image: {url}]" if named else "[image]"


def _call(call: Any, mask: Mask) -> str:
    if not isinstance(call, dict):
        return "  ?(...)"
    function = call.get("function", {})
    arguments = function.get("arguments", "")
    text = mask("" if arguments is None else str(arguments))
    if len(text) > _ARGUMENTS:
        text = text[:_ARGUMENTS_START] + "..."
    return f"  {function.get('name', '?')}({text})"


def _task(turns: Sequence[Wire], policies: Policies, mask: Mask) -> str:
    """Return the request as the release writes it: the last message of a person among the summarized messages."""
    for wire in reversed(turns):
        content = wire.get("content")
        if wire.get("role") != "user" or is_synthetic(wire, policies) or handoff_kind(content, policies):
            continue
        if isinstance(content, list):
            # Parts that are plain texts do not count here.
            parts = [part for part in content if isinstance(part, dict)]
            if not any(str(part.get("text") or part.get("content") or "").strip() for part in parts):
                continue
        elif not isinstance(content, str):
            continue
        text = re.sub(r"\s+", " ", mask(text_of(content).strip()))
        if text:
            return text if len(text) <= _TASK else text[: _TASK - 15].rstrip() + " ...[truncated]"
    return ""


def default_focus(wires: Sequence[Wire], policies: Policies, mask: Mask) -> str:
    """Return the default focus of the release: the last messages of the user."""
    texts: list[str] = []
    for wire in reversed(wires):
        handoff = handoff_kind(wire.get("content"), policies)
        # Up to 0.17 a summary after a message's own text counts as text of the user.
        if wire.get("role") != "user" or handoff == "standalone" or (handoff and policies.merges_behind):
            continue
        text = " ".join(mask(text_of(wire.get("content")).strip()).split())
        if text:
            texts.append(_cut(text, _FOCUS_TURN))
        if len(texts) == _FOCUSED:
            break
    if not texts:
        return ""
    return _cut("Recent user focus:\n" + "\n".join(f"- {text}" for text in reversed(texts)), _FOCUS_ALL)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
