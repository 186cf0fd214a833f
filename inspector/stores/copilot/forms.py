"""Events of GitHub Copilot CLI as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.core.conversations import Usage
from inspector.stores.entries import Wire
from inspector.stores.values import count_of, counts_of, mapping_at, mappings_in, text_at, usage_of
from inspector.stores.wires import answer_of, call_of, result_of

#: The billionth part of a credit of Copilot, which costs a cent, in US dollars.
_NANO_CREDIT = 1e-11


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the message of an event; empty for most events."""
    kind, data = lines[0].get("type"), mapping_at(lines[0], "data")
    if kind == "user.message":
        return [{"role": "user", "content": text_at(data, "content")}]
    if kind == "assistant.message":
        return [_answer(data)]
    if kind == "tool.execution_complete":
        return [_result(data)]
    if kind == "session.compaction_complete":
        return [{"role": "user", "content": text_at(data, "summaryContent")}]
    return []


def usage_in(usage: Mapping[str, Any]) -> Usage:
    """Return the usage of a call, by its bill if there is one: only the bill has the tokens written to the cache."""
    bill = mapping_at(usage, "copilotUsage")
    cost = _NANO_CREDIT * (count_of(bill, "totalNanoAiu") or 0)
    details = mappings_in(bill.get("tokenDetails"))
    if billed := {text_at(part, "tokenType"): count_of(part, "tokenCount") for part in details}:
        return usage_of(billed, "input", "output", "cache_read", "cache_write", cost=cost)
    if "inputTokens" not in usage:
        # Early releases.
        return usage_of(usage, "input", "output", "cachedInput", input_has_cache=True)
    names = "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"
    return usage_of(usage, *names, input_has_cache=True, cost=cost)


def paid_in(usage: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return the billed cost of a call in US dollars, of the prompt and of the output; None without a bill."""
    prompt = output = 0.0
    for part in mappings_in(mapping_at(usage, "copilotUsage").get("tokenDetails")):
        count, batch, price = counts_of(part, "tokenCount", "batchSize", "costPerBatch")
        cost = count / max(1, batch) * price * _NANO_CREDIT
        if text_at(part, "tokenType") == "output":
            output += cost
        else:
            prompt += cost
    return (prompt, output) if prompt + output else None


def _answer(data: Mapping[str, Any]) -> Wire:
    calls = [
        call_of(call.get("toolCallId"), call.get("name"), call.get("arguments"))
        for call in mappings_in(data.get("toolRequests"))
    ]
    return answer_of([text_at(data, "content")], [text_at(data, "reasoningText")], calls)


def _result(data: Mapping[str, Any]) -> Wire:
    success = data.get("success") is not False
    content = text_at(data, "result", "content") if success else text_at(data, "error", "message")
    return result_of(data.get("toolCallId"), content, is_error=not success)
