"""Logged requests as messages: OpenAI chat completions and responses, Anthropic messages, OpenTelemetry GenAI spans.

A record is a request, or holds it under `request`, `body` or the like, and has the response and its usage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.core.conversations import Usage
from inspector.stores.claude_code.forms import assistant_wire, user_wires
from inspector.stores.codex.forms import ENCRYPTED, answer_wire, is_made, item_wires
from inspector.stores.content_parts import content_wires
from inspector.stores.entries import Wire
from inspector.stores.lines import counts_of, mapping_at, mappings_in, parsed, seconds_of, text_at, usage_of
from inspector.stores.wires import blocks_in, texts_in

_REQUESTS = ("request", "request_body", "requestBody", "body", "params", "kwargs", "input_data")
_RESPONSES = ("response", "response_body", "responseBody", "reply", "completion", "result")
_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "trace_id")
_TIMES = ("timestamp", "time", "at", "created_at", "start_time", "ts", "created", "last_updated")
#: Roles in logs with one message a line; the last role is a line of Hermes with the model.
_ROLES = frozenset({"user", "assistant", "tool", "system", "developer", "session_meta"})
COMPACTION = "compaction"
#: Items of the responses API for tools that the server ran.
_SERVER_TOOLS = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)


class Call(NamedTuple):
    """Usage of one call; `summarizes`: it wrote the summary of an API-side compaction. `summed`: see Request."""

    usage: Usage
    summarizes: bool = False
    summed: bool = False


class Exchange(NamedTuple):
    """A request with its messages, its answer (empty if it is not logged), and the usage of each call.

    The API drops messages before a compaction block; `dropped` is their number. `block` is the place of
    OpenAI's last compaction item among the messages, None if there is none. `compacted`: the answer has a compaction;
    `whole`: the answer is the whole list after it (`/responses/compact`). `previous` names the response that the
    request continues, if the API adds the messages before it.
    """

    wires: list[Wire]
    dropped: int
    answer: list[Wire]
    prompt: str
    model: str
    at: float
    session: str
    name: str
    calls: tuple[Call, ...]
    compacted: bool = False
    trigger: str | None = None
    block: int | None = None
    whole: bool = False
    previous: str = ""


def is_logged(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a request, or holds one."""
    return any(map(_is_request, _bodies(record))) or any(map(_of_span, _spans(record)))


def is_said(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a single message."""
    return record.get("role") in _ROLES and "type" not in record and "messages" not in record


def session_of(records: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Join the messages of a session, one a line, to one record."""
    times = [record["timestamp"] for record in records if record.get("timestamp")]
    models = [record["model"] for record in records if record.get("model")]
    said = [record for record in records if is_said(record) and record["role"] != "session_meta"]
    return {
        "session_id": name,
        "model": (models or [""])[0],
        "messages": said,
        "timestamp": (times or [0])[-1],
    }


def exchanges_in(record: Mapping[str, Any]) -> Iterator[Exchange]:
    """Yield the requests in a record: a single request, or the requests in the spans of an export."""
    spans = list(_spans(record))
    if spans:
        for span in spans:
            exchange = _of_span(span)
            if exchange is not None:
                yield exchange
        return
    body = next((body for body in _bodies(record) if _is_request(body)), None)
    if body is not None:
        yield _of_request(record, body)


def wires_of(lines: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Every message in a record, those sent and those answered, in order."""
    return [wire for line in lines[:1] for one in exchanges_in(line) for wire in (*one.wires, *one.answer)]


def _bodies(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield record
    for key in _REQUESTS:
        value = record.get(key)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = parsed(value)
        if isinstance(value, Mapping):
            yield value
            inner = value.get("body")
            if isinstance(inner, Mapping):
                yield inner


def _is_request(body: Mapping[str, Any]) -> bool:
    listed = body.get("messages")
    if isinstance(listed, list) and listed:
        return all(
            isinstance(one, Mapping) and isinstance(one.get("role"), str) and "parts" not in one
            for one in listed
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


def _of_request(record: Mapping[str, Any], body: Mapping[str, Any]) -> Exchange:
    response = _response(record)
    anthropic = _is_anthropic(body, response)
    prompt, wires = "", []
    if "messages" not in body:
        prompt = text_at(body, "instructions")
        wires = _item_wires(_items(body))
    elif anthropic:
        prompt = "\n".join(texts_in(body.get("system")))
        wires = [wire for message in body["messages"] for wire in anthropic_wires(message)]
    else:
        # Hermes exports archived messages too.
        live = [message for message in body["messages"] if message.get("active") not in (0, False)]
        wires = [wire for message in live for wire in _chat(message)]
        while wires and wires[0]["role"] in ("system", "developer"):
            prompt = "\n\n".join(filter(None, (prompt, "\n".join(texts_in(wires.pop(0).get("content"))))))
    blocks = [at for at, wire in enumerate(wires) if wire.get(COMPACTION)]
    answer, compacted = _answer(response, anthropic)
    whole = compacted and text_at(response, "object") == "response.compaction"
    previous, conversation = _previous(body) if "messages" not in body else ("", "")
    last = body["messages"][-1] if "messages" in body else {}
    times = (*(record.get(key) for key in _TIMES), last.get("timestamp"))
    at = next((time for time in map(seconds_of, times) if time), 0.0)
    return Exchange(
        wires,
        blocks[-1] if blocks and "messages" in body else 0,
        answer,
        prompt,
        text_at(response, "model") or text_at(body, "model"),
        at,
        next(
            (text_at(one, key) for one in (record, body) for key in _SESSIONS if text_at(one, key)),
            # A session that Hermes exports.
            text_at(record, "id") if "message_count" in record else conversation,
        ),
        text_at(response, "id") or text_at(record, "id"),
        tuple(call._replace(summarizes=call.summarizes or whole) for call in _calls(response, record)),
        compacted,
        _trigger(body),
        blocks[-1] if blocks and "messages" not in body else None,
        whole,
        previous,
    )


def _response(record: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in _RESPONSES:
        value = record.get(key)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = parsed(value)
        if isinstance(value, Mapping):
            inner = value.get("body")
            return inner if isinstance(inner, Mapping) else value
    return record if {"choices", "output", "stop_reason"} & record.keys() else {}


def _is_anthropic(body: Mapping[str, Any], response: Mapping[str, Any]) -> bool:
    if (
        "system" in body
        or "stop_reason" in response
        or "context_management" in body
        or response.get("type") == "message"
    ):
        return True
    blocks = (block for message in body.get("messages", ()) for block in blocks_in(message.get("content")))
    return any(block.get("type") in ("tool_use", "tool_result", "thinking", COMPACTION) for block in blocks)


def _trigger(body: Mapping[str, Any]) -> str | None:
    managed = body.get("context_management")
    # OpenAI has a list of edits, Anthropic a mapping with one.
    edits = managed if isinstance(managed, list) else mapping_at(body, "context_management").get("edits")
    kinds = [text_at(edit, "type") for edit in mappings_in(edits)]
    return "auto" if any(kind.startswith(("compact_", COMPACTION)) for kind in kinds) else None


# The three shapes of messages.


def anthropic_wires(message: Mapping[str, Any]) -> list[Wire]:
    """Return the messages in a message of Anthropic's API."""
    blocks = blocks_in(message.get("content"))
    if message.get("role") != "assistant":
        return user_wires({"message": {"content": blocks or message.get("content")}})
    wires: list[Wire] = []
    said = [block for block in blocks if block.get("type") != COMPACTION]
    for block in blocks:
        if block.get("type") == COMPACTION:
            text = "\n".join(texts_in(block.get("content")))
            wires.append({"role": "assistant", "content": text or ENCRYPTED, COMPACTION: True})
    if said:
        wires.append(assistant_wire(said))
    return wires


def _chat(message: Mapping[str, Any]) -> list[Wire]:
    known = ("role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content")
    wire = {key: message[key] for key in known if message.get(key) is not None}
    if wire.get("role") == "developer":
        wire["role"] = "system"
    content = wire.get("content")
    if isinstance(content, list) and all(
        isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in content
    ):
        wire["content"] = "\n".join(part["text"] for part in content)
    wire.setdefault("content", "")
    return [wire]


def _item_wires(items: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Convert items of the responses API: consecutive items of the model make one message."""
    wires: list[Wire] = []
    made: list[Mapping[str, Any]] = []

    def close() -> None:
        if made:
            wires.append(answer_wire(made))
            made.clear()

    for item in items:
        known = item if "type" in item else {**item, "type": "message"}
        if is_made(known):
            made.append(known)
            continue
        close()
        for wire in item_wires(known):
            summary = str(known.get("type")) in (COMPACTION, "compaction_summary")
            name = text_at(known, "encrypted_content") or text_at(known, "id") or str(hash(str(known)))
            wires.append({**wire, COMPACTION: name} if summary else wire)
    close()
    return wires


def _answer(response: Mapping[str, Any], anthropic: bool) -> tuple[list[Wire], bool]:
    """The messages of a response, and whether it begins with a compaction."""
    if isinstance(response.get("output"), list):
        items = mappings_in(response["output"])
        return _item_wires(items), any(item.get("type") == COMPACTION for item in items)
    choices = response.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        return (
            (_chat({"role": "assistant", **message}), False) if isinstance(message, Mapping) else ([], False)
        )
    if anthropic and isinstance(response.get("content"), list):
        wires = anthropic_wires({"role": "assistant", "content": response["content"]})
        return wires, any(wire.get(COMPACTION) for wire in wires)
    return [], False


def _calls(response: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[Call]:
    usage = mapping_at(response, "usage") or mapping_at(record, "usage")
    each = mappings_in(usage.get("iterations"))
    summed = not each and (
        any(counts_of(mapping_at(usage, "server_tool_use"), *mapping_at(usage, "server_tool_use")))
        or any(text_at(item, "type") in _SERVER_TOOLS for item in mappings_in(response.get("output")))
    )
    for one in each or ([dict(usage)] if usage else []):
        yield Call(_usage(one), text_at(one, "type") == COMPACTION, summed)


def _usage(usage: Mapping[str, Any]) -> Usage:
    if "prompt_tokens" in usage:
        flat = {**usage, **mapping_at(usage, "prompt_tokens_details")}
        return usage_of(flat, "prompt_tokens", "completion_tokens", "cached_tokens", whole=True)
    if "input_tokens_details" in usage:
        flat = {**usage, **mapping_at(usage, "input_tokens_details")}
        return usage_of(flat, "input_tokens", "output_tokens", "cached_tokens", whole=True)
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


def _of_span(span: Mapping[str, Any]) -> Exchange | None:
    values = _attributes(span.get("attributes"))
    sent = _listed(values.get("gen_ai.input.messages"))
    if not sent:
        return None
    wires = [wire for message in sent for wire in _parts(message)]
    answer = [wire for message in _listed(values.get("gen_ai.output.messages")) for wire in _parts(message)]
    prompt = "\n\n".join(
        text_at(part, "content") for part in _listed(values.get("gen_ai.system_instructions"))
    )
    while wires and wires[0]["role"] == "system":
        prompt = "\n\n".join(filter(None, (prompt, str(wires.pop(0)["content"]))))
    usage = {
        key.removeprefix("gen_ai.usage."): value
        for key, value in values.items()
        if key.startswith("gen_ai.usage.")
    }
    started = span.get("startTimeUnixNano") or span.get("start_time_unix_nano")
    at = int(str(started)) / 1e9 if str(started).isdigit() else seconds_of(span.get("start_time"))
    cached = _number(usage.get("cache_read.input_tokens"))
    call = Call(
        Usage(
            max(0, _number(usage.get("input_tokens")) - cached), _number(usage.get("output_tokens")), cached
        )
    )
    model = values.get("gen_ai.response.model") or values.get("gen_ai.request.model")
    return Exchange(
        wires, 0, answer, prompt, str(model or ""), at, str(values.get("gen_ai.conversation.id") or ""),
        str(values.get("gen_ai.response.id") or ""), (call,),
    )  # fmt: skip


def _parts(message: Mapping[str, Any]) -> list[Wire]:
    role, parts = text_at(message, "role"), mappings_in(message.get("parts"))
    converted: list[dict[str, Any]] = []
    for part in parts:
        kind = text_at(part, "type")
        if kind == "tool_call":
            converted.append(
                {
                    "functionCall": {
                        "id": part.get("id"),
                        "name": part.get("name"),
                        "args": part.get("arguments"),
                    }
                }
            )
        elif kind == "tool_call_response":
            answer = part.get("response", part.get("result"))
            converted.append({"functionResponse": {"id": part.get("id"), "name": "", "response": answer}})
        else:
            converted.append({"text": text_at(part, "content"), "thought": kind == "reasoning"})
    if role == "system":
        return [{"role": "system", "content": "\n".join(str(part.get("text", "")) for part in converted)}]
    return content_wires("model" if role == "assistant" else "user", converted)


def _attributes(value: object) -> dict[str, Any]:
    """Attributes by name: of an OTLP export a list of keys and typed values, of others a mapping."""
    if isinstance(value, Mapping):
        return dict(value)
    found: dict[str, Any] = {}
    for entry in mappings_in(value):
        typed = entry.get("value")
        if isinstance(typed, Mapping):
            found[text_at(entry, "key")] = next((_plain(kind, inner) for kind, inner in typed.items()), None)
    return found


def _plain(kind: str, value: Any) -> Any:
    if kind == "arrayValue":
        return [
            next((_plain(k, v) for k, v in one.items()), None) for one in mappings_in(value.get("values"))
        ]
    if kind == "kvlistValue":
        return _attributes(value.get("values"))
    return int(value) if kind == "intValue" and str(value).lstrip("-").isdigit() else value


def _listed(value: object) -> list[dict[str, Any]]:
    return mappings_in(parsed(value) if isinstance(value, str) else value)


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0
