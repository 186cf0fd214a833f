"""Message lists for the engines' tests: hypothesis strategies and small builders."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from inspector.core.messages import Message, messages_from

TOOLS = ("terminal", "read_file", "write_file", "search_files", "web_extract", "todo", "my_tool")


def call(identifier: str, name: str = "terminal", arguments: str = '{"command": "ls"}') -> dict[str, Any]:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def user(text: str = "please") -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str | None = "fine", *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def result(identifier: str, text: str = "ok") -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": identifier}


@st.composite
def turns(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Make an exchange: a user message, then any number of calls with their results, then an answer."""
    size = st.integers(0, 3000)
    filler = st.sampled_from(["a", "word ", "é", "行", "\n"])
    found = [user(draw(filler) * draw(size))] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(0, 3))):
        names = [draw(st.sampled_from(TOOLS)) for _ in range(draw(st.integers(1, 3)))]
        ids = [f"c{draw(st.integers(0, 10**9))}" for _ in names]
        arguments = '{"command": "' + "x" * draw(st.integers(0, 900)) + '"}'
        text = draw(st.none() | st.just("") | st.just("next"))
        found.append(assistant(text, *(call(i, n, arguments) for i, n in zip(ids, names, strict=True))))
        found.extend(result(i, draw(filler) * draw(size)) for i in ids)
    if draw(st.booleans()):
        found.append(assistant(draw(filler) * draw(size)))
    return found


@st.composite
def conversations(draw: st.DrawFn, least: int = 1) -> tuple[Message, ...]:
    """Make a well-formed list, with or without a system prompt."""
    wires: list[dict[str, Any]] = [{"role": "system", "content": "s" * 40}] if draw(st.booleans()) else []
    for part in draw(st.lists(turns(), min_size=least, max_size=14)):
        wires.extend(part)
    return messages_from(wires)
