"""Compare the values of a store with the truth of a recorded session: the requests that the agent really sent."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any

from inspector.stores.base import Store
from inspector.stores.detect import open_store

#: Agents that send text that they do not record.
INEXACT = {"openhands": "what it adds to a tool's output", "openclaw": "the time before a message"}
#: Agents that do not record every request.
UNRECORDED = frozenset({"openclaw"})


def words(text: str) -> str:
    """Return the words of a text without marks that agents change: tags, line numbers and heading levels."""
    text = re.sub(r"</?[\w-]+>|#|^\s*\d+(?:\u2192|\t|   )", "", text, flags=re.MULTILINE)
    return " ".join(text.split())


def differences(folder: Path) -> list[str]:
    """Return sentences about differences: compactions, triggers, summaries, requests, lists after compactions."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    store = open_store(folder / "session")
    (row,) = [row for row in store.conversations() if row.kind == "conversation"]
    conversation = store.open(row.id)
    compactions = store.compactions(conversation)
    if len(compactions) != len(truth["compactions"]):
        return [f"{len(compactions)} compactions instead of {len(truth['compactions'])}"]
    wrong = []
    for ours, real in zip(compactions, truth["compactions"], strict=True):
        where = f"compaction {ours.index}"
        if ours.trigger not in (None, real["trigger"]):
            wrong.append(f"{where}: trigger {ours.trigger} instead of {real['trigger']}")
        summary = words((real["summary"] or "").split("</analysis>")[-1])
        if not ours.encrypted and summary not in words(ours.summary or ""):
            wrong.append(f"{where}: another summary")
        wrong += [
            f"{where}: {text}" for text in _lists(store, row.id, ours.index, ours.after, folder, truth, real)
        ]
    requests = [request for request in store.requests(conversation) if not request.summarizes]
    main = [request for request in truth["requests"] if request["kind"] == "main"]
    if truth["agent"] not in UNRECORDED:
        sent = [request.context + request.output for request in requests]
        expected = [request["context_tokens"] for request in main]
        if sent != expected:
            wrong.append(f"requests of {sent} tokens instead of {expected}")
    return wrong


def _lists(
    store: Store,
    name: str,
    index: int,
    length: int,
    folder: Path,
    truth: dict[str, Any],
    real: dict[str, Any],
) -> list[str]:
    """Return differences between the list after a compaction and the next request, with their tool results."""
    generation = store.open(name).generations[index]
    messages = store.messages(generation, 0, length)
    with lzma.open(folder / "requests.jsonl.xz", "rt", encoding="utf-8") as file:
        bodies = {entry["index"]: entry["body"] for entry in map(json.loads, file)}
    sent = words(_texts(bodies[real["request_after"]]))
    wrong = []
    if truth["agent"] not in INEXACT:
        for place, message in enumerate(messages):
            begins = words(message.text)[:100]
            if begins and begins not in sent and not message.text.startswith("(a summary that only"):
                wrong.append(f"message {place} was not sent: {begins[:60]}")
    results = sum(message["tool_results"] for message in real["list_after"])
    ours = sum(message.role == "tool" for message in messages)
    if results < ours:
        wrong.append(f"{ours} tool results instead of {results}")
    return wrong


def _texts(value: object) -> str:
    """Return every text in a request."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(
            _texts(inner) for key, inner in value.items() if key not in ("tools", "type", "role")
        )
    return "\n".join(map(_texts, value)) if isinstance(value, list) else ""
