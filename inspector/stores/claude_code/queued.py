"""What the user typed while the agent was at work, as far as it stands only in lines about the queue.

Such lines say that something was put into the queue (`enqueue`, with its text), begun as a turn of its own (`dequeue`:
lines of type user record it again), taken back into the user's prompt (`popAll`), or taken out (`remove`). Where the
agent was in the middle of a turn, what the user typed is taken out because the agent is handed it with the results of
its tools; where the turn is over, because it is the program's own word about tasks, which goes nowhere. Before `remove`
had a text, nothing else recorded what was handed over; since then an attachment does. Of prompts that are no plain text
(those of editors) only the taking out is recorded. Commands and notifications are not the user's words to the agent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from inspector.stores.claude_code.forms import attachment_wires, queued_wires, user_wires
from inspector.stores.entries import Wire
from inspector.stores.lines import seconds_of, text_of

#: The type of the lines about the queue.
QUEUED = "queue-operation"
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")
_NOTICE = "<task-notification"
_TASK = '{"task_id"'
_PROMPT, _COMMANDED, _TOLD = "prompt", "command", "told"
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Handed:
    """A prompt that the agent was handed in the middle of a turn: the line that has its words, where that stands
    (start and length in bytes), and when it was handed over, in seconds."""

    line: Mapping[str, Any]
    span: Span
    at: float

    @property
    def name(self) -> str:
        """A name that copies of the line have too; lines about the queue have no uuid."""
        return f"{QUEUED} {text_of(dict(self.line), 'timestamp')} {self.line.get('content')}"

    @property
    def wires(self) -> list[Wire]:
        """The messages that it makes."""
        return queued_wires(self.line)


@dataclass(slots=True)
class Queue:
    """The queue of one transcript, followed line by line. Who goes through the file says what else stands in it.

    `unrecorded` counts what was handed over whose words stand nowhere, `unclear` prompts that were taken out where it
    is not recorded whether the agent got them."""

    unrecorded: int = 0
    unclear: int = 0
    #: Lines that are not applied yet: what they mean depends on lines that may follow them in the file.
    pending: list[tuple[float, Mapping[str, Any], Span]] = field(default_factory=list)
    _waiting: list[tuple[str, str, Mapping[str, Any], Span]] = field(default_factory=list)
    _attached: Counter[str] = field(default_factory=Counter)

    def add(self, line: Mapping[str, Any], span: Span) -> None:
        """A line about the queue."""
        self.pending.append((seconds_of(line.get("timestamp")), line, span))

    def attach(self, line: Mapping[str, Any]) -> None:
        """An attachment, which may record what was handed over."""
        attachment = line.get("attachment")
        if isinstance(attachment, Mapping) and attachment.get("type") == "queued_command":
            self._attached[_words(attachment_wires(line))] += 1

    def handed(self, at: float, results: bool) -> list[Handed]:
        """What was handed over before a moment. `results`: the last message before it is a tool's result."""
        before = [one for one in self.pending if one[0] < at]
        self.pending = [one for one in self.pending if one[0] >= at]
        handed: list[Handed] = []
        for moment, operation, span in sorted(before, key=itemgetter(0)):
            found = self._apply(operation, span, results)
            if found is not None:
                handed.append(Handed(found[0], found[1], moment))
        return handed

    def _apply(
        self, line: Mapping[str, Any], span: Span, results: bool
    ) -> tuple[Mapping[str, Any], Span] | None:
        """What a line hands over."""
        operation, text = line.get("operation"), _text(line)
        if operation == "enqueue":
            kind = _kind(line)
            if kind:
                self._waiting.append((kind, text, line, span))
        elif operation == "dequeue":
            self._take(None, _PROMPT, _COMMANDED)
        elif operation == "popAll":
            while self._take(text or None, _PROMPT, _COMMANDED) and not text:
                pass
        elif operation == "remove":
            return self._removed(text, results)
        return None

    def _removed(self, text: str, results: bool) -> tuple[Mapping[str, Any], Span] | None:
        kinds = (_PROMPT, _COMMANDED, _TOLD) if text or results else (_TOLD, _PROMPT, _COMMANDED)
        taken = self._take(text or None, *kinds)
        if taken is None:
            self.unrecorded += results and not text
            return None
        kind, words, line, span = taken
        if kind != _PROMPT:
            return None
        if self._attached[words]:
            self._attached[words] -= 1
            return None
        if not results:
            self.unclear += 1
            return None
        return line, span

    def _take(self, text: str | None, *kinds: str) -> tuple[str, str, Mapping[str, Any], Span] | None:
        """Remove the first waiting item, trying the kinds in order."""
        for kind in kinds:
            for place, one in enumerate(self._waiting):
                if one[0] == kind and text in (None, one[1]):
                    return self._waiting.pop(place)
        return None


def said_again(handed: Handed, line: Mapping[str, Any]) -> bool:
    """Return whether the line after a queued prompt repeats it as a separate turn."""
    return line.get("type") == "user" and _words(user_wires(line)) == _words(handed.wires)


def _kind(line: Mapping[str, Any]) -> str:
    """Return the kind of a queued item; "" for items that are never delivered within a turn."""
    text = _text(line)
    if text.startswith(_NOTICE):
        return ""
    if text.startswith(_TASK):
        return _TOLD
    if _COMMAND.match(text):
        return _COMMANDED
    return _PROMPT if any(wire["role"] == "user" for wire in queued_wires(line)) else ""


def _text(line: Mapping[str, Any]) -> str:
    content = line.get("content")
    return content.strip() if isinstance(content, str) else _words(queued_wires(line))


def _words(wires: list[Wire]) -> str:
    """Return the user's text in messages."""
    contents = [wire["content"] for wire in wires if wire["role"] == "user"]
    texts = [
        str(part.get("text") or "")
        for content in contents
        for part in (content if isinstance(content, list) else [{"text": content}])
    ]
    return "\n".join(texts).strip()
