"""Prompts that the user typed while the agent worked, and that only lines about the queue record.

A line says that a prompt was queued (`enqueue`, with its text), started a turn (`dequeue`: lines of type user record it
again), went back into the user's input (`popAll`), or was removed (`remove`). In the middle of a turn, `remove` means
that the agent got the prompt with the results of its tools. After a turn, it means that the program removed its own
notice about tasks, which the agent never gets. In older releases `remove` has no text, and no other line records the
prompt; in newer releases an attachment records it. For prompts that are not plain text (from editors) only `remove` is
recorded. Commands and notices are not words of the user to the agent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from msgspec import Struct, field

from inspector.stores.claude_code.forms import attachment_wires, queued_wires, user_wires
from inspector.stores.entries import Wire
from inspector.stores.values import seconds_of, text_of

#: The type of the lines about the queue.
QUEUED = "queue-operation"
_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")
_NOTICE = "<task-notification"
_TASK = '{"task_id"'
#: Kinds of queued items.
_PROMPT, _COMMANDED, _NOTICE_KIND = "prompt", "command", "task notice"
Span = tuple[int, int]


class DeliveredPrompt(Struct, frozen=True):
    """A prompt that the agent got in the middle of a turn.

    `line` has its text, `span` is the place of this line (start and length in bytes). The agent got it at `at`.
    """

    line: Mapping[str, Any]
    span: Span
    at: float

    @property
    def name(self) -> str:
        """A name that is equal in copies of the line. Lines about the queue have no uuid."""
        return f"{QUEUED} {text_of(self.line, 'timestamp')} {self.line.get('content')}"

    @property
    def wires(self) -> list[Wire]:
        """The messages for the agent."""
        return queued_wires(self.line)


class Queue(Struct):
    """The queue of one transcript, followed line by line. The caller reads the file and reports its attachments.

    `unrecorded` counts prompts that the agent got and whose text is not recorded. `unclear` counts removed prompts that
    the agent may have got.
    """

    unrecorded: int = 0
    unclear: int = 0
    #: Lines that are not applied yet: their meaning depends on lines that may follow in the file.
    pending: list[tuple[float, Mapping[str, Any], Span]] = field(default_factory=list)
    _waiting: list[tuple[str, str, Mapping[str, Any], Span]] = field(default_factory=list)
    _attached: Counter[str] = field(default_factory=Counter)

    def add(self, line: Mapping[str, Any], span: Span) -> None:
        """Add a line about the queue."""
        self.pending.append((seconds_of(line.get("timestamp")), line, span))

    def attach(self, line: Mapping[str, Any]) -> None:
        """Note an attachment, which may record a prompt that the agent got."""
        attachment = line.get("attachment")
        if isinstance(attachment, Mapping) and attachment.get("type") == "queued_command":
            self._attached[_user_text(attachment_wires(line))] += 1

    def delivered(self, at: float, results: bool) -> list[DeliveredPrompt]:
        """Return the prompts that the agent got before a time. `results`: the last message is a tool's result."""
        before = [operation for operation in self.pending if operation[0] < at]
        self.pending = [operation for operation in self.pending if operation[0] >= at]
        delivered: list[DeliveredPrompt] = []
        for time, line, span in sorted(before, key=itemgetter(0)):
            if prompt := self._apply(line, span, results):
                delivered.append(DeliveredPrompt(*prompt, time))
        return delivered

    def _apply(
        self, line: Mapping[str, Any], span: Span, results: bool
    ) -> tuple[Mapping[str, Any], Span] | None:
        """Return the prompt that a line gives to the agent."""
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
        kinds = (
            (_PROMPT, _COMMANDED, _NOTICE_KIND) if text or results else (_NOTICE_KIND, _PROMPT, _COMMANDED)
        )
        item = self._take(text or None, *kinds)
        if item is None:
            self.unrecorded += results and not text and not self._use_attachment()
            return None
        kind, prompt, line, span = item
        if kind != _PROMPT:
            return None
        if self._attached[prompt]:
            self._attached[prompt] -= 1
            return None
        if not results:
            self.unclear += 1
            return None
        return line, span

    def _use_attachment(self) -> bool:
        """Return whether an attachment is left that may record a removed item without a text."""
        text = next(iter(+self._attached), None)
        self._attached.subtract([] if text is None else [text])
        return text is not None

    def _take(self, text: str | None, *kinds: str) -> tuple[str, str, Mapping[str, Any], Span] | None:
        """Remove the first waiting item, trying the kinds in order."""
        for kind in kinds:
            for place, (waiting_kind, waiting_text, *_) in enumerate(self._waiting):
                if waiting_kind == kind and text in (None, waiting_text):
                    return self._waiting.pop(place)
        return None


def repeats_prompt(prompt: DeliveredPrompt, line: Mapping[str, Any]) -> bool:
    """Return whether the line after a queued prompt repeats it as a separate turn."""
    return line.get("type") == "user" and _user_text(user_wires(line)) == _user_text(prompt.wires)


def _kind(line: Mapping[str, Any]) -> str:
    """Return the kind of a queued item; "" for items that are never delivered within a turn."""
    text = _text(line)
    if text.startswith(_NOTICE):
        return ""
    if text.startswith(_TASK):
        return _NOTICE_KIND
    if _COMMAND.match(text):
        return _COMMANDED
    return _PROMPT if any(wire["role"] == "user" for wire in queued_wires(line)) else ""


def _text(line: Mapping[str, Any]) -> str:
    content = line.get("content")
    return content.strip() if isinstance(content, str) else _user_text(queued_wires(line))


def _user_text(wires: list[Wire]) -> str:
    """Return the user's text in messages."""
    contents = [wire["content"] for wire in wires if wire["role"] == "user"]
    texts = [
        str(part.get("text") or "")
        for content in contents
        for part in (content if isinstance(content, list) else [{"text": content}])
    ]
    return "\n".join(texts).strip()
