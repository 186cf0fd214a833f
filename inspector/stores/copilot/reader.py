"""GitHub Copilot CLI's sessions (`~/.copilot/session-state/<id>/events.jsonl`).

A compaction runs in the background: the conversation continues with the old list until the summary is ready. Then the
user's messages, word for word, and the summary replace all messages from before its start. Copilot sends them as one
message with added sentences that are not recorded; here each is a message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from msgspec import field
from msgspec.structs import replace

from inspector.core.conversations import Usage, total_usage
from inspector.core.shares import plural
from inspector.stores.assembly import CUT
from inspector.stores.copilot.forms import paid_in, usage_in, wires_of
from inspector.stores.entries import Entries
from inspector.stores.head import Head
from inspector.stores.lines import read_file, read_lines
from inspector.stores.recorded import Recorded, Source
from inspector.stores.session_lists import SessionLists, SessionReader, SessionScanner
from inspector.stores.values import count_at, count_of, mapping_at, mappings_in, text_at

#: The provider in genai-prices, with Copilot's windows.
_PROVIDER = "github-copilot"
_TRIGGERS = {"manual": "manual"} | dict.fromkeys(
    ("threshold", "context_limit_retry", "memory_pressure", "model_switch"), "auto"
)


class CopilotReader(SessionReader):
    """See Reader for the methods."""

    agent = "copilot"
    limits = (
        "Copilot CLI's sizes at a compaction are its own estimate and may be far from what the model reported. Its "
        "sentences around a summary are not recorded.",
    )

    def recognises(self, head: Head) -> bool:
        """Return whether lines are in Copilot's envelope."""
        first = head.first
        return (
            isinstance(first.get("data"), Mapping)
            and {"type", "id", "timestamp", "parentId"} <= first.keys()
            and "." in text_at(first, "type")
        )

    def parts(self, path: Path) -> Sequence[str]:
        """Return "" for the session of a file, and the names of its sub-agents."""
        if b'"agentId"' not in read_file(path):
            return ("",)
        return tuple(dict.fromkeys(["", *(text_at(line.value, "agentId") for line in read_lines(path))]))

    def scan(self, path: Path, part: str, shared: bool) -> SessionLists:
        """Return the session of a file, or a sub-agent of it."""
        return _Scanner(Entries(path, wires_of), agent=part).run()


READER = CopilotReader


class _Scanner(SessionScanner, kw_only=True):
    #: The sub-agent whose events are read; "" for the main agent.
    agent: str
    users: set[int] = field(default_factory=set)
    #: By event: the list before it, and its number of messages.
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: Length of the live list when the running compaction began.
    began: int | None = None
    #: The time and the trigger of the compaction that runs, and the size of the list.
    attempt: tuple[float, str | None] = (0.0, None)
    size: int | None = None
    truncations: int = 0
    #: The number of answers, and the usage of all requests, as counted when Copilot last ended.
    answers: int = 0
    counted: Usage = field(default_factory=Usage)

    def run(self) -> Self:
        # The folder has the name of the session, in case the first event cannot be read.
        self._name(self.entries.path.parent.name)
        super().run()
        if self.truncations:
            self.gaps.append(
                f"Copilot left messages out of its requests {self.truncations:,} times; it does not record which."
            )
        if all(request.summarizes for request in self.requests):
            # The compactions have the usage of these calls. The other requests are estimated.
            self.requests = []
            if self.counted.calls and not self._is_counted_to_the_end:
                self.notes.append(_counted_words(self.counted, self.answers))
        else:
            listed = sum(not request.summarizes for request in self.requests)
            if listed < self.answers:
                self.notes.append(
                    f"The usage of {self.answers - listed:,} of {plural(self.answers, 'request')} is not recorded; "
                    "the sums are those of the others."
                )
        return self

    @property
    def _is_counted_to_the_end(self) -> bool:
        """Whether the counted requests cover all answers."""
        return self.counted.calls == self.answers

    def recorded(self, source: Source) -> Recorded:
        recorded = super().recorded(source)
        if self.requests or not self._is_counted_to_the_end:
            return recorded
        sessions = (recorded.conversation.sessions[0]._replace(usage=self.counted),)
        return replace(recorded, conversation=recorded.conversation._replace(sessions=sessions))

    def _name(self, session: str) -> None:
        self.session = f"{session}-{self.agent}" if self.agent else session
        self.parent = session if self.agent else ""

    def time_of(self, record: Mapping[str, Any]) -> float:
        return super().time_of(record) if text_at(record, "agentId") == self.agent else 0.0

    def record(self, event: dict[str, Any], at: float) -> None:
        data, kind = event.get("data"), text_at(event, "type")
        if not isinstance(data, dict):
            return
        if len(self.entries.spans) == 1 and text_at(event, "parentId"):
            self.cut = CUT
        if kind == "session.start":
            self._name(text_at(data, "sessionId") or self.entries.path.parent.name)
            self.version, self.model = text_at(data, "copilotVersion"), text_at(data, "selectedModel")
            self._tier(data)
            self.folder = text_at(data, "context", "cwd")
        # Each sub-agent has its own list. Earlier releases did not name the sub-agent of an event.
        if text_at(event, "agentId") != self.agent or (not self.agent and text_at(data, "parentToolCallId")):
            return
        self.marks[text_at(event, "id")] = (len(self.lists), len(self.live))
        if kind == "session.model_change":
            self.model = text_at(data, "newModel") or self.model
            self._tier(data)
        elif kind == "system.message":
            self.prompt = text_at(data, "content") or self.prompt
        elif kind == "session.usage_record":
            self._usage(text_at(data, "usage", "apiCallId"), data.get("usage"), at)
        elif kind == "session.compaction_start":
            self._add_unended()
            self.attempt = at, _TRIGGERS.get(text_at(data, "trigger"))
            self.began, self.size = len(self.live), count_of(data, "currentTokens")
            self._sized(data)
        elif kind == "session.compaction_complete":
            self._compacted(event, data, at)
        elif kind == "session.resume":
            self._add_unended()
        elif kind == "session.shutdown":
            self._ended(data)
            self._sized(data)
        elif kind == "session.truncation":
            self.truncations += 1
        elif kind == "session.snapshot_rewind":
            mark = self.marks.get(text_at(data, "upToEventId"))
            if mark is not None and mark[0] <= len(self.lists):
                self.return_to(*mark)
                self.sized = None
                self.began = None if self.began is None else min(self.began, len(self.live))
        elif wires := wires_of([event]):
            (number,) = self.add(wires, at)
            if kind == "user.message":
                self.users.add(number)
            elif kind == "assistant.message":
                self.answers += 1
                self.model = text_at(data, "model") or self.model

    def _tier(self, data: Mapping[str, Any]) -> None:
        """Note the provider. With a long context the window is the window of the model's vendor."""
        self.provider = "" if text_at(data, "contextTier") == "long_context" else _PROVIDER

    def _usage(self, name: str, usage: object, at: float, generation: int | None = None) -> None:
        if not isinstance(usage, dict):
            return
        self.model = text_at(usage, "model") or self.model
        self.window = count_of(usage, "maxPromptTokens") or self.window
        self.call(
            name, at, usage_in(usage), model=text_at(usage, "model"), generation=generation,
            summarizes=generation is not None,
        )  # fmt: skip

    def _sized(self, data: Mapping[str, Any]) -> None:
        """Note the sizes of the tools and of the list, which Copilot compares with its threshold."""
        self.tool_tokens = count_of(data, "toolDefinitionsTokens") or self.tool_tokens
        size = count_of(data, "currentTokens")
        self.sized = (len(self.live), size) if size else self.sized

    def _ended(self, data: Mapping[str, Any]) -> None:
        """Note the usage of the requests from the start of the session on, over all models."""
        metrics = mappings_in(list(mapping_at(data, "modelMetrics").values()))
        counted = [
            usage_in(mapping_at(of_model, "usage"))._replace(
                calls=count_at(of_model, "requests", "count") or 0
            )
            for of_model in metrics
        ]
        self.counted = total_usage(counted)

    def _add_unended(self) -> None:
        """Add the compaction that began and did not end as a failed attempt."""
        if self.began is not None:
            at, trigger = self.attempt
            error = "It was cancelled or failed; Copilot does not record why."
            self.fail(error, at, place=self.began, trigger=trigger, tokens_before_reported=self.size)
            self.began = self.size = None

    def _compacted(self, event: dict[str, Any], data: dict[str, Any], at: float) -> None:
        began, size = self.began, self.size
        self.began = self.size = None
        trigger = _TRIGGERS.get(text_at(data, "trigger"))
        used = data.get("compactionTokensUsed")
        self._usage(f"summary {text_at(data, 'compactionAttemptId')}", used, at, len(self.lists))
        if data.get("success") is not True:
            error = text_at(data, "error") or text_at(data, "error", "message") or text_at(data, "outcome")
            self.fail(error, at, trigger=trigger, tokens_before_reported=size)
            return
        self.window = count_of(data, "tokenLimit") or self.window
        stop = len(self.live) if began is None else began
        users = [number for number in self.live[:stop] if number in self.users]
        (number,) = self.make(wires_of([event]), at, summary=True)
        self.compact(
            [*users, number, *self.live[stop:]],
            number,
            at,
            text=text_at(data, "summaryContent"),
            trigger=trigger,
            tokens_before=size or count_of(data, "preCompactionTokens"),
            tokens_after=count_of(data, "postCompactionTokens"),
            began=began,
            usage=usage_in(used) if isinstance(used, dict) else None,
            paid=paid_in(used) if isinstance(used, dict) else None,
        )
        self.sized = None


def _counted_words(counted: Usage, answers: int) -> str:
    """Return the sentence about requests that are recorded as a sum, and the answers that it does not cover."""
    later = answers - counted.calls
    return (
        "Copilot recorded no usage of single requests. When it last ended, it had counted "
        f"{plural(counted.calls, 'request')}: {counted.context:,} tokens sent ({counted.cache_read:,} read from "
        f"the cache, {counted.cache_write:,} written) and {counted.output:,} tokens of output"
        + (f". {plural(later, 'later answer has', 'later answers have')} no usage." if later > 0 else ".")
    )
