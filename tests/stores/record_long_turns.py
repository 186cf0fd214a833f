"""Record a database of a real release whose turns are long: many calls of tools for one request.

    python tests/stores/record_long_turns.py OUT.db

Run by a Python that has hermes-agent. The user interrupts a turn. The second compaction protects no head, so its
summary goes into the first user message of the tail, after some calls of the tail. A file next to OUT.db has the true
boundaries, found by the marks of the kept messages.
"""

from __future__ import annotations

import json
import logging
import os
import random
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ["HERMES_HOME"] = tempfile.mkdtemp(prefix="hermes-home-")

from agent import context_compressor  # type: ignore[import-not-found,unused-ignore]
from hermes_state import SessionDB  # type: ignore[import-not-found,unused-ignore]

logging.disable(logging.CRITICAL)
SESSION, START = "20260408_090000_0a1b2c", 1_775_638_800.0
WORDS = ["harbour", "crane", "invoice", "ledger", "berth", "pilot", "tide", "cargo", "manifest", "buoy"]


class Recorder:
    """Fills and compacts a session."""

    def __init__(self, path: Path) -> None:
        self.random = random.Random(20)
        self.db = SessionDB(path)
        self.db.create_session(SESSION, "cli", model="deepseek/deepseek-r1", system_prompt="You are Hermes.")
        self.compressor = context_compressor.ContextCompressor(
            model="deepseek/deepseek-r1", quiet_mode=True, config_context_length=64_000, provider="openrouter"
        )
        context_compressor.call_llm = self.summary
        self.messages: list[dict[str, Any]] = []
        self.events: list[dict[str, int]] = []
        self.marks = self.now = 0

    def summary(self, *_: Any, **__: Any) -> Any:
        content = f"## Active Task\nList the berths.\n\n## Key Decisions\n- Berth {len(self.events) + 4} stays closed."
        message = SimpleNamespace(content=content, tool_calls=None, reasoning=None)
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")], usage=None)

    def store(self, role: str, text: str, **more: Any) -> None:
        self.now += 20
        message = {"role": role, "content": text, "timestamp": START + self.now, **more}
        self.messages.append(message)
        self.db.append_message(SESSION, role, text, timestamp=message["timestamp"], **more)

    def turn(self, calls: int, answered: bool = True) -> None:
        """Store a request, its calls with their results, and the answer if the user waited for it."""
        words = lambda count: " ".join(self.random.choice(WORDS) for _ in range(count))  # noqa: E731
        self.marks += 1
        self.store("user", f"request {self.marks}: {words(8)}")
        for _ in range(calls):
            self.marks += 1
            identity = f"call_{self.marks}"
            function = {"name": "read_file", "arguments": json.dumps({"path": f"berths/{self.marks}.txt"})}
            self.store(
                "assistant", "", tool_calls=[{"id": identity, "type": "function", "function": function}]
            )
            self.store("tool", f"{self.marks} {words(8)}", tool_name="read_file", tool_call_id=identity)
        if answered:
            self.store("assistant", f"answer {self.marks}: {words(10)}")

    def compact(self) -> None:
        before = list(self.messages)
        after = self.compressor.compress(before, current_tokens=60_000, force=True)
        left = {mark for message in after for mark in _marks(message)}
        stays = [bool(left.intersection(_marks(message))) for message in before]
        tail = len(before) - next((at for at, stay in enumerate(reversed(stays)) if not stay), len(before))
        head = next(at for at, stay in enumerate(stays) if not stay)
        self.events.append({"before": len(before), "after": len(after), "head_end": head, "tail_start": tail})
        self.messages = after
        self.db.archive_and_compact(SESSION, after)


def _marks(message: dict[str, Any]) -> list[str]:
    """Return the marks of the messages, in the list before and the list after."""
    if message["role"] == "tool":
        return [f"result {message['tool_call_id']}"]
    calls = [f"call {call['id']}" for call in message.get("tool_calls") or ()]
    words = str(message["content"]).split()
    named = [f"{word} {words[at + 1]}" for at, word in enumerate(words[:-1]) if word in ("request", "answer")]
    return calls or [name for name in named if name.endswith(":")]


def main() -> None:
    out = Path(sys.argv[1])
    recorder = Recorder(out)
    for calls in (3, 2, 60, 20):
        recorder.turn(calls)
    recorder.turn(60, answered=False)
    recorder.compact()
    for calls in (100, 40, 10):
        recorder.turn(calls)
    recorder.compact()
    recorder.db.close()
    truth = {"hermes": version("hermes-agent"), "tip": SESSION, "events": recorder.events}
    out.with_name(f"{out.name}.truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    main()
