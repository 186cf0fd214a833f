"""Logged requests as messages: OpenAI chat completions and responses, Anthropic messages, OpenTelemetry GenAI spans.

A record is a request, or has it under a key such as `request` or `body`. It may have the response and its usage too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any, NamedTuple

from inspector.core.conversations import Usage
from inspector.core.handoff import read_handoff
from inspector.stores.claude_code.forms import assistant_wire, user_wires
from inspector.stores.codex.forms import ENCRYPTED, answer_wire, by_model, item_wires
from inspector.stores.content_parts import content_wires
from inspector.stores.entries import Wire
from inspector.stores.lines import parsed
from inspector.stores.values import counts_of, mapping_at, mappings_in, seconds_of, text_at, usage_of
from inspector.stores.wires import blocks_in, texts_in

#: Keys of a record with a request, a response, the id of a session, and a time.
_REQUESTS = ("request", "request_body", "requestBody", "body", "params", "kwargs", "input_data")
_RESPONSES = ("response", "response_body", "responseBody", "reply", "completion", "result")
_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "trace_id")
_TIMES = ("timestamp", "time", "at", "created_at", "start_time", "ts", "created", "last_updated")
#: Roles in logs with one message a line; the last role is a line of Hermes with the model.
_ROLES = frozenset({"user", "assistant", "tool", "system", "developer", "session_meta"})
#: Keys of the session files of Hermes, of its exports, and of the records of `session_of`.
_OF_HERMES = frozenset({"session_start", "message_count", "session_meta"})
COMPACTION = "compaction"
#: Items of the responses API for tools that the server ran.
_SERVER_TOOLS = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)


class LoggedCall(NamedTuple):
    """The usage of one call. `summarizes`: it wrote the summary of a compaction by the API. `unsized`: see Request."""

    usage: Usage
    summarizes: bool = False
    unsized: bool = False


class Exchange(NamedTuple):
    """A request with its messages, its answer (empty if it is not logged), and the usage of each call.

    `dropped` is the number of messages before a compaction block, which the API drops. `block` is the place of
    OpenAI's last compaction item among the messages, or None. `compacted`: the answer has a compaction.
    `answers_list`: the answer is the whole list after the compaction (`/responses/compact`). `previous` is the id of
    the response that the request continues, if the API adds the messages before it. `began` is the time at which the
    session of the messages began, 0.0 if unknown. `writer` is the agent that wrote the session, "" if unknown.
    `went_on` is the time of the first message behind a summary of Hermes, 0.0 if unknown.
    """

    wires: list[Wire]
    dropped: int
    answer: list[Wire]
    prompt: str
    model: str
    at: float
    session: str
    name: str
    calls: tuple[LoggedCall, ...]
    compacted: bool = False
    trigger: str | None = None
    block: int | None = None
    answers_list: bool = False
    previous: str = ""
    began: float = 0.0
    writer: str = ""
    went_on: float = 0.0


def has_request(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a request, or holds one."""
    return any(map(_is_request, _bodies(record))) or any(map(_span_exchange, _spans(record)))


def is_message(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a single message."""
    return text_at(record, "role") in _ROLES and "type" not in record and "messages" not in record


def session_of(records: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Join the messages of a session, one a line, to one record."""
    session = {
        "session_id": name,
        "model": next((record["model"] for record in records if record.get("model")), ""),
        "messages": [record for record in records if is_message(record) and record["role"] != "session_meta"],
        "timestamp": next(
            (record["timestamp"] for record in reversed(records) if record.get("timestamp")), 0
        ),
    }
    handoffs = (
        at for at, record in enumerate(records)
        if read_handoff(record.get("content"), str(record.get("role"))) is not None
    )  # fmt: skip
    handoff = next(handoffs, None)
    if handoff is not None:
        behind = (record["timestamp"] for record in records[handoff:] if record.get("timestamp"))
        session["went_on"] = next(behind, 0)
    if handoff is not None or any(record.get("role") == "session_meta" for record in records):
        session["session_meta"] = True
    return session


def exchanges_in(record: Mapping[str, Any]) -> Iterator[Exchange]:
    """Yield the requests in a record: a single request, or the requests in the spans of an export."""
    if spans := list(_spans(record)):
        yield from filter(None, map(_span_exchange, spans))
    elif body := next(filter(_is_request, _bodies(record)), None):
        yield _request_exchange(record, body)


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return the messages of a record in order: of each request, the sent messages and the answer."""
    return [wire for exchange in exchanges_in(lines[0]) for wire in (*exchange.wires, *exchange.answer)]


def _bodies(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of a record that may be a request: the record itself first."""
    yield record
    for key in _REQUESTS:
        value = _decoded(record.get(key))
        if isinstance(value, Mapping):
            yield value
            inner = value.get("body")
            if isinstance(inner, Mapping):
                yield inner


def _decoded(value: object) -> object:
    """Return a value, decoded if it is the JSON text of a mapping."""
    return parsed(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


def _is_request(body: Mapping[str, Any]) -> bool:
    listed = body.get("messages")
    if isinstance(listed, list) and listed:
        return all(
            isinstance(message, Mapping) and isinstance(message.get("role"), str) and "parts" not in message
            for message in listed
        )
    items = _items(body)
    if "model" not in body or not (items or text_at(body, "previous_response_id")):
        return False
    return all(isinstance(item, Mapping) and ("role" in item or "type" in item) for item in items)


def _items(body: Mapping[str, Any]) -> list[Any]:
    """Return the items of a request of the responses API; a text is a message of the user."""
    items = body.get("input")
    if isinstance(items, str) and items:
        return [{"type": "message", "role": "user", "content": items}]
    return items if isinstance(items, list) else []


def _previous(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return the response and the conversation that a request of the responses API continues."""
    conversation = body.get("conversation")
    name = text_at(conversation, "id") if isinstance(conversation, dict) else conversation
    name = name if isinstance(name, str) else ""
    return text_at(body, "previous_response_id") or name, name


def _request_exchange(record: Mapping[str, Any], body: Mapping[str, Any]) -> Exchange:
    """Return the request in a record. `body` is its mapping."""
    response = _response(record)
    anthropic = _is_anthropic(body, response)
    has_items = "messages" not in body
    prompt, wires = "", []
    if has_items:
        prompt = text_at(body, "instructions")
        wires = _item_wires(_items(body))
    elif anthropic:
        prompt = "\n".join(texts_in(body.get("system")))
        wires = [wire for message in body["messages"] for wire in anthropic_wires(message)]
    else:
        # Hermes exports archived messages too.
        live = [message for message in body["messages"] if message.get("active") not in (0, False)]
        wires = list(map(_chat_wire, live))
        while wires and wires[0]["role"] in ("system", "developer"):
            prompt = "\n\n".join(filter(None, (prompt, "\n".join(texts_in(wires.pop(0).get("content"))))))
        # A session of Hermes has the prompt next to its messages.
        prompt = prompt or text_at(body, "system_prompt")
    blocks = [at for at, wire in enumerate(wires) if wire.get(COMPACTION)]
    answer, compacted = _answer(response, anthropic)
    answers_list = compacted and text_at(response, "object") == "response.compaction"
    previous, conversation = _previous(body) if has_items else ("", "")
    last = {} if has_items else body["messages"][-1]
    times = (*(record.get(key) for key in _TIMES), last.get("timestamp"))
    # Hermes writes the time of this machine without its zone.
    zone = None if {"session_start", "session_meta"} & record.keys() else UTC
    at = next((time for time in (seconds_of(value, zone) for value in times) if time), 0.0)
    return Exchange(
        wires,
        blocks[-1] if blocks and not has_items else 0,
        answer,
        prompt,
        text_at(response, "model") or text_at(body, "model"),
        at,
        next(
            (text_at(source, key) for source in (record, body) for key in _SESSIONS if text_at(source, key)),
            # A session that Hermes exports.
            text_at(record, "id") if "message_count" in record else conversation,
        ),
        text_at(response, "id") or text_at(record, "id"),
        tuple(call._replace(summarizes=call.summarizes or answers_list) for call in _calls(response, record)),
        compacted,
        _trigger(body),
        blocks[-1] if blocks and has_items else None,
        answers_list,
        previous,
        seconds_of(record.get("session_start"), zone),
        "Hermes Agent" if "messages" in record and _OF_HERMES & record.keys() else "",
        seconds_of(record.get("went_on"), zone),
    )


def _response(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the response in a record; empty if there is none."""
    for key in _RESPONSES:
        value = _decoded(record.get(key))
        if isinstance(value, Mapping):
            inner = value.get("body")
            return inner if isinstance(inner, Mapping) else value
    return record if {"choices", "output", "stop_reason"} & record.keys() else {}


def _is_anthropic(body: Mapping[str, Any], response: Mapping[str, Any]) -> bool:
    if {"system", "context_management"} & body.keys() or "stop_reason" in response:
        return True
    if response.get("type") == "message":
        return True
    blocks = (block for message in body.get("messages", ()) for block in blocks_in(message.get("content")))
    return any(block.get("type") in ("tool_use", "tool_result", "thinking", COMPACTION) for block in blocks)


def _trigger(body: Mapping[str, Any]) -> str | None:
    """Return "auto" if a request lets the API compact, else None."""
    managed = body.get("context_management")
    # OpenAI has a list of edits, Anthropic a mapping with one.
    edits = managed if isinstance(managed, list) else mapping_at(body, "context_management").get("edits")
    kinds = [text_at(edit, "type") for edit in mappings_in(edits)]
    return "auto" if any(kind.startswith(("compact_", COMPACTION)) for kind in kinds) else None


# Messages of the three APIs.


def anthropic_wires(message: Mapping[str, Any]) -> list[Wire]:
    """Return the messages in a message of Anthropic's API."""
    blocks = blocks_in(message.get("content"))
    if message.get("role") != "assistant":
        return user_wires({"message": {"content": blocks or message.get("content")}})
    wires: list[Wire] = []
    written = [block for block in blocks if block.get("type") != COMPACTION]
    for block in blocks:
        if block.get("type") == COMPACTION:
            text = "\n".join(texts_in(block.get("content")))
            wires.append({"role": "assistant", "content": text or ENCRYPTED, COMPACTION: True})
    if written:
        wires.append(assistant_wire(written))
    return wires


def _chat_wire(message: Mapping[str, Any]) -> Wire:
    """Convert a message of OpenAI's chat completions."""
    keys = ("role", "content", "tool_calls", "tool_call_id", "name", "reasoning", "reasoning_content")
    wire = {key: message[key] for key in keys if message.get(key) is not None}
    if wire.get("role") == "developer":
        wire["role"] = "system"
    content = wire.get("content")
    if isinstance(content, list) and all(
        isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in content
    ):
        wire["content"] = "\n".join(part["text"] for part in content)
    wire.setdefault("content", "")
    return wire


def _item_wires(items: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Convert items of the responses API: consecutive items of the model make one message."""
    wires: list[Wire] = []
    answered: list[Mapping[str, Any]] = []

    def close() -> None:
        if answered:
            wires.append(answer_wire(answered))
            answered.clear()

    for item in items:
        typed = item if "type" in item else {**item, "type": "message"}
        if by_model(typed):
            answered.append(typed)
            continue
        close()
        for wire in item_wires(typed):
            summary = str(typed.get("type")) in (COMPACTION, "compaction_summary")
            name = text_at(typed, "encrypted_content") or text_at(typed, "id") or str(hash(str(typed)))
            wires.append({**wire, COMPACTION: name} if summary else wire)
    close()
    return wires


def _answer(response: Mapping[str, Any], anthropic: bool) -> tuple[list[Wire], bool]:
    """Return the messages of a response, and whether it has a compaction."""
    if isinstance(response.get("output"), list):
        items = mappings_in(response["output"])
        return _item_wires(items), any(item.get("type") == COMPACTION for item in items)
    choices = response.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        return [_chat_wire({"role": "assistant", **message})] if isinstance(message, Mapping) else [], False
    if anthropic and isinstance(response.get("content"), list):
        wires = anthropic_wires({"role": "assistant", "content": response["content"]})
        return wires, any(wire.get(COMPACTION) for wire in wires)
    return [], False


def _calls(response: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[LoggedCall]:
    """Yield the calls that answered a request: one, or one for each iteration of the API."""
    usage = mapping_at(response, "usage") or mapping_at(record, "usage")
    each = mappings_in(usage.get("iterations"))
    unsized = not each and (
        any(counts_of(mapping_at(usage, "server_tool_use"), *mapping_at(usage, "server_tool_use")))
        or any(text_at(item, "type") in _SERVER_TOOLS for item in mappings_in(response.get("output")))
    )
    for counts in each or ([dict(usage)] if usage else []):
        yield LoggedCall(_usage(counts), text_at(counts, "type") == COMPACTION, unsized)


def _usage(usage: Mapping[str, Any]) -> Usage:
    if "prompt_tokens" in usage:
        flat = {**usage, **mapping_at(usage, "prompt_tokens_details")}
        return usage_of(flat, "prompt_tokens", "completion_tokens", "cached_tokens", input_has_cache=True)
    if "input_tokens_details" in usage:
        flat = {**usage, **mapping_at(usage, "input_tokens_details")}
        return usage_of(flat, "input_tokens", "output_tokens", "cached_tokens", input_has_cache=True)
    return usage_of(
        usage, "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"
    )


# OpenTelemetry: spans with the attributes of the GenAI conventions.


def _spans(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "attributes" in record and ("spanId" in record or "span_id" in record or "context" in record):
        yield record
    for resource in mappings_in(record.get("resourceSpans") or record.get("resource_spans")):
        for scope in mappings_in(resource.get("scopeSpans") or resource.get("scope_spans")):
            yield from mappings_in(scope.get("spans"))


def _span_exchange(span: Mapping[str, Any]) -> Exchange | None:
    """Return the request in a span, or None."""
    values = _attributes(span.get("attributes"))
    sent = _json_list(values.get("gen_ai.input.messages"))
    if not sent:
        return None
    answered = _json_list(values.get("gen_ai.output.messages"))
    wires, answer = ([wire for item in listed for wire in _span_wires(item)] for listed in (sent, answered))
    prompt = "\n\n".join(
        text_at(part, "content") for part in _json_list(values.get("gen_ai.system_instructions"))
    )
    while wires and wires[0]["role"] == "system":
        prompt = "\n\n".join(filter(None, (prompt, str(wires.pop(0)["content"]))))
    usage = usage_of(
        values,
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.cache_read.input_tokens",
        input_has_cache=True,
    )
    started = span.get("startTimeUnixNano") or span.get("start_time_unix_nano")
    at = int(str(started)) / 1e9 if str(started).isdigit() else seconds_of(span.get("start_time"))
    model = values.get("gen_ai.response.model") or values.get("gen_ai.request.model")
    return Exchange(
        wires, 0, answer, prompt, str(model or ""), at, str(values.get("gen_ai.conversation.id") or ""),
        str(values.get("gen_ai.response.id") or ""), (LoggedCall(usage),),
    )  # fmt: skip


def _span_wires(message: Mapping[str, Any]) -> list[Wire]:
    """Convert a message of the GenAI conventions."""
    role = text_at(message, "role")
    converted: list[dict[str, Any]] = []
    for part in mappings_in(message.get("parts")):
        kind = text_at(part, "type")
        if kind == "tool_call":
            call = {"id": part.get("id"), "name": part.get("name"), "args": part.get("arguments")}
            converted.append({"functionCall": call})
        elif kind == "tool_call_response":
            answer = part.get("response", part.get("result"))
            converted.append({"functionResponse": {"id": part.get("id"), "name": "", "response": answer}})
        else:
            converted.append({"text": text_at(part, "content"), "thought": kind == "reasoning"})
    if role == "system":
        return [{"role": "system", "content": "\n".join(str(part.get("text", "")) for part in converted)}]
    return content_wires("model" if role == "assistant" else "user", converted)


def _attributes(value: object) -> dict[str, Any]:
    """Return attributes by name. An OTLP export has a list of keys with typed values, others have a mapping."""
    if isinstance(value, Mapping):
        return dict(value)
    attributes: dict[str, Any] = {}
    for entry in mappings_in(value):
        typed = entry.get("value")
        if isinstance(typed, Mapping):
            values = (_typed_value(kind, inner) for kind, inner in typed.items())
            attributes[text_at(entry, "key")] = next(values, None)
    return attributes


def _typed_value(kind: str, value: Any) -> Any:
    """Return a value of an OTLP export by its type."""
    if kind == "arrayValue":
        return [
            next((_typed_value(kind, inner) for kind, inner in entry.items()), None)
            for entry in mappings_in(value.get("values"))
        ]
    if kind == "kvlistValue":
        return _attributes(value.get("values"))
    return int(value) if kind == "intValue" and str(value).lstrip("-").isdigit() else value


def _json_list(value: object) -> list[dict[str, Any]]:
    return mappings_in(parsed(value) if isinstance(value, str) else value)
