"""Items of a Codex rollout as messages. Consecutive items of the model are one answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.stores.entries import Wire
from inspector.stores.values import mappings_in
from inspector.stores.wires import answer_of, call_of, json_text, plain, result_of, texts_in

#: Texts that Codex writes under the user's role.
_HARNESS = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|recommended_plugins|permissions instructions|"
    r"app-context|collaboration_mode|skills_instructions|apps_instructions|plugins_instructions|multi_agent_mode|"
    r"user_shell_command|subagent_notification|skill)\b|# AGENTS\.md instructions(?: for |\s*<INSTRUCTIONS>))"
)
_CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
)
#: Types of items that the model makes, besides messages.
BY_MODEL = _CALLS | {"reasoning", "agent_message", "image_generation_call"}
ENCRYPTED = "(a summary that only the provider can read)"


def by_model(item: Mapping[str, Any]) -> bool:
    """Return whether the model made the item."""
    return str(item.get("type")) in BY_MODEL or (
        item.get("type") == "message" and item.get("role") == "assistant"
    )


def answer_wire(items: Sequence[Mapping[str, Any]]) -> Wire:
    """Join consecutive items of the model to a message."""
    texts, thoughts, calls = [], [], []
    for item in items:
        kind = str(item.get("type"))
        if kind == "reasoning":
            thoughts += [part for part in texts_in(item.get("summary")) if part]
        elif kind in _CALLS:
            calls.append(_call(item))
        else:
            texts += texts_in(item.get("content"))
    return answer_of(texts, thoughts, calls, between="\n\n")


def item_wires(item: Mapping[str, Any]) -> list[Wire]:
    """Convert an item that the model did not write, or a single item of the list after a compaction."""
    kind = str(item.get("type"))
    if by_model(item):
        return [answer_wire([item])]
    if kind in ("compaction", "compaction_summary", "context_compaction"):
        return [{"role": "system", "content": ENCRYPTED}]
    if kind.endswith("_output"):
        return [result_of(item.get("call_id"), _output(item.get("output")))]
    if kind != "message":
        return []
    if item.get("role") != "user":
        return [{"role": "system", "content": "\n".join(texts_in(item.get("content")))}]
    return list(_user_wires(item.get("content")))


def is_context(item: Mapping[str, Any]) -> bool:
    """Return whether a message not of the model has a text of Codex, such as the folder of a turn."""
    texts = texts_in(item.get("content"))
    return item.get("type") == "message" and not by_model(item) and any(map(_HARNESS.match, texts))


def _user_wires(content: object) -> Iterator[Wire]:
    """Split content under the user's role into the user's text and Codex' text."""
    personal: list[Mapping[str, Any]] = []
    parts = content if isinstance(content, list) else [{"type": "input_text", "text": content}]
    for part in mappings_in(parts):
        text = part.get("text")
        if isinstance(text, str) and _HARNESS.match(text):
            if personal:
                yield {"role": "user", "content": plain(personal)}
                personal = []
            yield {"role": "system", "content": text}
        else:
            personal.append(part)
    if personal:
        yield {"role": "user", "content": plain(personal)}


def _call(item: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(item.get("type"))
    arguments = next((item[key] for key in ("arguments", "input", "action") if item.get(key) is not None), "")
    name = item.get("name") or kind.removesuffix("_call")
    return call_of(item.get("call_id") or item.get("id"), name, arguments)


def _output(output: object) -> Any:
    if isinstance(output, list):
        return plain(output)
    if isinstance(output, Mapping) and isinstance(output.get("content"), str):
        return output["content"]
    return json_text(output)
