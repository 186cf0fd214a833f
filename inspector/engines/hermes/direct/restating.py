"""Repeat an unfinished request of the user after the summary (current sources, `compress`).

A handoff asks the model to act only on the user messages after it. So the model would not answer a request that is in
the head, or that was summarized because the cut is within its turn. As in the sources, rows with the same message id
are one row, so the repeated request replaces its original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from inspector.engines.base import Output
from inspector.engines.hermes.direct.handoffs import END, is_handoff, plain_text
from inspector.engines.hermes.direct.rows import DirectRow, visible_role
from inspector.engines.hermes.policies import Policies

HEADER = (
    "[STILL IN PROGRESS — this is the active request, restated after the compaction boundary because it was not "
    "finished yet. Continue it; do not start over.]"
)
Wire = Mapping[str, Any]


def unfinished(wires: Sequence[Wire], policies: Policies) -> int | None:
    """Return the newest request of a list without an answer in words, or None."""
    at = next((at for at in range(len(wires) - 1, -1, -1) if _asks(wires[at], policies)), None)
    if at is None:
        return None
    for wire in reversed(wires[at + 1 :]):
        if wire.get("role") != "assistant" or wire.get("tool_calls"):
            break
        if plain_text(wire.get("content")).strip():
            return None
    return at


def _asks(wire: Wire, policies: Policies) -> bool:
    if is_handoff(wire, policies):
        rest = plain_text(wire.get("content")).rpartition(END)[2].lstrip()
        return rest.startswith(HEADER) and bool(rest.removeprefix(HEADER).strip())
    return DirectRow(wire, policies).is_personal


def restated(output: list[Output], request: Wire, source: int, policies: Policies) -> list[Output]:
    """Return the new list with the request after the summary; `source` is its index in the list before. If a user
    message already follows the summary, the list is unchanged."""
    carrier = next((at for at, out in enumerate(output) if _carries(out)), None)
    text = plain_text(request.get("content"))
    text = text.rpartition(END)[2] if is_handoff(request, policies) else text
    task = text.strip().removeprefix(HEADER).strip()
    if carrier is None or not task:
        return output
    if any(DirectRow(out.wire, policies).is_personal for out in output[carrier + 1 :]):
        return output
    return _behind(_without_original(output, carrier, source), request, task, policies)


def _without_original(output: list[Output], carrier: int, source: int) -> list[Output]:
    remaining = [
        out for at, out in enumerate(output) if at == carrier or out.source != source or out.role != "user"
    ]
    if len(remaining) == len(output):
        return output
    at = remaining.index(output[carrier])
    first = next(index for index, out in enumerate(remaining) if out.role != "system")
    if remaining[first].role != "user":
        if visible_role(remaining[at].wire) is None:
            return output
        remaining.insert(first, remaining.pop(at))
        at = first
    before = next((role for out in reversed(remaining[:at]) if (role := visible_role(out.wire))), None)
    if visible_role(remaining[at].wire) == "assistant" and before != "user":
        remaining[at] = replace(remaining[at], wire={**remaining[at].wire, "role": "user"})
    return remaining


def _behind(output: list[Output], request: Wire, task: str, policies: Policies) -> list[Output]:
    last = next((role for out in reversed(output) if (role := visible_role(out.wire))), None)
    content = request.get("content")
    if last != "user":
        restated = {key: value for key, value in request.items() if key != "timestamp"}
        parts = [{"type": "text", "text": f"{HEADER}\n"}, *content] if isinstance(content, list) else None
        if is_handoff(request, policies):
            restated, parts = {"role": "user"}, None
        return [*output, Output({**restated, "content": parts or f"{HEADER}\n{task}"}, "restated")]
    at = next(at for at, out in enumerate(output) if _carries(out))
    text = f"\n\n{HEADER}\n{task}"
    whole = output[at].wire.get("content")
    more = [*whole, {"type": "text", "text": text}] if isinstance(whole, list) else f"{whole or ''}{text}"
    return [*output[:at], replace(output[at], wire={**output[at].wire, "content": more}), *output[at + 1 :]]


def _carries(out: Output) -> bool:
    return out.source == "summary" or out.merged
