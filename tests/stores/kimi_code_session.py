"""Sessions of Kimi Code in the form that the program writes, with made-up content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.recipes import recipe

made = recipe("more_lines")


class KimiCodeSession:
    """Kimi Code: a wire of records, and the state of the session."""

    def __init__(self, session: str, window: int = 200_000) -> None:
        self.session, self.window = session, window
        #: More lines of the config.toml.
        self.config = ""
        self.clock = made.Clock(made.START)
        self.records: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {"id": session, "version": 2, "cwd": "/home/dev/harbour"}
        self.add("metadata", protocol_version="1.5", created_at=made.START * 1000)
        self.add("profile.bind", modelAlias="k3", systemPrompt="You are an agent of the harbour.")

    def add(self, kind: str, /, **values: Any) -> None:
        """Add a record."""
        record = {"type": kind, **values}
        if kind != "metadata":
            record["time"] = self.clock.seconds() * 1000
        self.records.append(record)

    def user(self, text: str, kind: str = "user", **origin: Any) -> None:
        """Add a message of the user, or of a program with another `kind`."""
        message = {
            "role": "user", "content": [made.text_part(text)], "toolCalls": [], "id": f"m{len(self.records)}",
            "origin": {"kind": kind, **origin},
        }  # fmt: skip
        self.add("context.append_message", message=message)

    def event(self, kind: str, /, **values: Any) -> None:
        """Add an event of an answer."""
        self.add("context.append_loop_event", event={"type": kind, **values})

    def answer(self, text: str = "", *calls: Any, sent: int = 0, read: int = 0, output: int = 20) -> None:
        """Add an answer of the model, with its usage and the results of its calls."""
        step = f"s{len(self.records)}"
        self.event("step.begin", uuid=step)
        self.add("llm.request", kind="loop", model="kimi-k3", modelAlias="k3")
        self.usage(sent, read, output, "turn")
        if text:
            self.event("content.part", stepUuid=step, part=made.text_part(text))
        for call in calls:
            self.event("tool.call", stepUuid=step, toolCallId=call.name, name=call.tool, args=call.arguments)
        for call in calls:
            self.event("tool.result", toolCallId=call.name, result={"output": call.result})
        self.event("step.end", uuid=step, finishReason="tool_use" if calls else "end_turn")

    def usage(self, sent: int, read: int, output: int, scope: str) -> None:
        """Add the usage of a request."""
        tokens = {
            "inputOther": sent - read, "output": output, "inputCacheRead": read, "inputCacheCreation": 0,
        }  # fmt: skip
        self.add("usage.record", model="k3", usage=tokens, usageScope=scope)

    def compact(self, summary: str, before: int, after: int, kept: int, **values: Any) -> None:
        """Add a compaction with its request and the number of kept user messages."""
        self.add("full_compaction.begin", source="auto")
        self.usage(before, 0, 300, "session")
        self.add(
            "context.apply_compaction", summary=summary, contextSummary=f"The list was compacted.\n{summary}",
            tokensBefore=before, tokensAfter=after, keptUserMessageCount=kept, **{"compactedCount": 0, **values},
        )  # fmt: skip
        self.add("full_compaction.complete")

    def write(self, folder: Path, agent: str = "main") -> Path:
        """Write the session below a folder."""
        home = folder / "kimi"
        place = home / "sessions" / "wd_harbour" / self.session
        made.write_lines(place / "state.json", [self.state])
        (home / "config.toml").write_text(
            f"[models.k3]\nmax_context_size = {self.window}\n{self.config}", encoding="utf-8"
        )
        return made.write_lines(place / "agents" / agent / "wire.jsonl", self.records)
