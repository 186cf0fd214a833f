"""Run conversations with only an engine's `measure` and `plan`: the live list is measured again each time.

It holds the bodies of the conversation, and each compaction measures the current list. An engine that refuses
to compact a list that keeps firing is asked again before every call. Changes by `prune` are permanent, if the
engine has it; tool pairs are not mended. The engine is shown a summary of the right size, not of the right
words.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

from inspector.core.conversations import ROLE_CODES
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images
from inspector.engines.base import Budgets, Engine, Settings, TokenIndex
from inspector.engines.capabilities import loop_of, prune, shortened, shortens
from inspector.engines.failures import failures_named
from inspector.engines.sizes import Compacted, MessageSize, Refusal, results_without_call

_OTHER_ROLE = 4
#: How a summary starts that stands in for one, and what it goes on with. Every release takes this for a handoff.
_OPENING, _FILLER = "[CONTEXT SUMMARY]: ", "so it went on "
#: Maximum number of messages whose sizes are kept.
_MOST_KNOWN = 100_000
#: Index of a summary, which is not a message of the transcript.
_SUMMARY = -1


class Remeasuring:
    """Runs conversations of an engine without a `replayable()` method."""

    #: Assumed characters in front of a summary; the engine's wording is unknown.
    summary_prefix = 60

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.loop = loop_of(engine)

    def read(self, messages: Iterable[Message]) -> RemeasuredList:
        """One pass over the bodies, which are kept. Raises EngineError if the engine fails."""
        kept = tuple(messages)
        chars, images = _Scale(self.engine).sizes(kept)
        return RemeasuredList(self.engine, kept, chars, images)

    def join(self, parts: Iterable[tuple[RemeasuredList, int, int]]) -> RemeasuredList:
        """A list made of stretches of others."""
        messages: list[Message] = []
        chars, images = array("q"), array("q")
        for part, start, stop in parts:
            messages += part.messages[start:stop]
            chars += part.chars[start:stop]
            images += part.images[start:stop]
        return RemeasuredList(self.engine, tuple(messages), chars, images)

    def fires(self, tokens: int, settings: Settings, budgets: Budgets) -> str | None:
        """Ask the engine."""
        with failures_named(self.engine):
            return self.engine.fires(tokens, settings)

    def decisive(self, settings: Settings, budgets: Budgets) -> Hashable:
        """All settings, because it is unknown which settings the engine's plan reads."""
        return settings


class _Scale:
    """Sizes of messages as the engine counts them.

    An engine that estimates a list as `inspector.core.rough` does is counted in characters and pictures. Any other is
    counted in its own tokens, four characters each and no pictures, so that `list_tokens` gives them back.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        #: Characters and pictures of messages by their identity, with the messages so that they stay alive.
        self._known: dict[int, tuple[Message, int, int]] = {}

    def _size(self, message: Message) -> tuple[Message, int, int]:
        known = self._known.get(id(message))
        if known is None:
            known = message, message_chars(message.wire), message_images(message.wire)
            self._known[id(message)] = known
        return known

    def sizes(self, messages: Sequence[Message]) -> tuple[array[int], array[int]]:
        """Characters and pictures of each message."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        sizes = list(map(self._size, messages))
        chars = array("q", (size[1] for size in sizes))
        images = array("q", (size[2] for size in sizes))
        index = _measured(self.engine, messages)
        with failures_named(self.engine):
            if index.total() == list_tokens(sum(chars), sum(images)):
                return chars, images
            until = [index.rough_until(stop) for stop in range(len(messages) + 1)]
        own = array("q", (4 * (after - before) for before, after in pairwise(until)))
        return own, array("q", bytes(8 * len(own)))

    def total(self, messages: Sequence[Message]) -> tuple[int, int]:
        """Characters and pictures of a list."""
        chars, images = self.sizes(messages)
        return sum(chars), sum(images)


class RemeasuredList:
    """A list with its bodies, and the size of each message in the engine's eyes."""

    def __init__(
        self, engine: Engine, messages: tuple[Message, ...], chars: array[int], images: array[int]
    ) -> None:
        self.engine = engine
        self.messages = messages
        self.chars = chars
        self.images = images
        self.roles = bytes(ROLE_CODES.get(message.role, _OTHER_ROLE) for message in messages)
        self._measured: tuple[int, TokenIndex] | None = None
        self.scale = _Scale(engine)

    def __len__(self) -> int:
        return len(self.messages)

    def size(self, index: int) -> MessageSize:
        """Return the size of one message."""
        chars, images = self.chars[index], self.images[index]
        return MessageSize(list_tokens(chars, images), chars, images)

    def growth(self) -> list[int]:
        """The rough estimate of the first 0, 1, ... messages, in tokens."""
        chars, images = accumulate(self.chars, initial=0), accumulate(self.images, initial=0)
        return [list_tokens(*so_far) for so_far in zip(chars, images, strict=True)]

    def token_index(self, stop: int) -> TokenIndex:
        """Measured columns of the first `stop` messages; the last result is cached."""
        if self._measured is None or self._measured[0] != stop:
            self._measured = stop, _measured(self.engine, self.messages[:stop])
        return self._measured[1]

    def live(self, settings: Settings, budgets: Budgets, system_tokens: int) -> RemeasuredLiveList:
        """An empty list that grows by these messages."""
        return RemeasuredLiveList(self, settings, system_tokens)


class RemeasuredLiveList:
    """Current messages of a run, and the transcript index of each."""

    def __init__(self, source: RemeasuredList, settings: Settings, system_tokens: int) -> None:
        self.source = source
        self.engine = source.engine
        self.settings = settings
        self.system_tokens = system_tokens
        self.messages: list[Message] = []
        #: The index of each message among those said; _SUMMARY for a summary.
        self.said: list[int] = []
        self.high = self.compactions = self.total_chars = self.total_images = 0

    def __len__(self) -> int:
        return len(self.messages)

    def extend(self, stop: int) -> None:
        """The messages that were said until `stop` come to the list."""
        start = self.high
        self.messages += self.source.messages[start:stop]
        self.said += range(start, stop)
        self.total_chars += sum(self.source.chars[start:stop])
        self.total_images += sum(self.source.images[start:stop])
        self.high = stop

    def adopt(self, settings: Settings, budgets: Budgets) -> None:
        """Compact under these settings from now on."""
        self.settings = settings

    def shorten(self) -> bool:
        """Shorten long results if the engine does that before it compacts. Return whether any was shortened."""
        if not shortens(self.engine):
            return False
        shorter = [shortened(self.engine, message) for message in self.messages]
        if all(new is old for new, old in zip(shorter, self.messages, strict=True)):
            return False
        self.messages = shorter
        self.total_chars, self.total_images = self.source.scale.total(shorter)
        return True

    def compact(self, summary: Callable[[int, int], MessageSize]) -> Compacted | Refusal:
        """Compact the list as the engine plans it now; why not where it would not, or would take nothing out."""
        engine, listed = self.engine, self.messages
        index = _measured(engine, listed)
        with failures_named(engine):
            plan = engine.plan(index, self.settings, self.compactions, self.system_tokens)
        head, tail = plan.regions()
        if not plan.compacts or head >= tail:
            return plan.refusal or "fits"
        wires = prune(engine, listed, plan)
        stands = [
            message if wire is message.wire else Message(wire, message.id)
            for message, wire in zip(listed, wires, strict=True)
        ]
        stay = [*range(head), *sorted(plan.kept)]
        left = [
            self.said[at] for at in range(head, tail) if self.said[at] != _SUMMARY and at not in plan.kept
        ]
        size = summary(plan.summary_budget, len(left)) if plan.merged or plan.role else None
        begins = tail + results_without_call(ROLE_CODES.get(one.role, _OTHER_ROLE) for one in stands[tail:])
        left += self.said[tail:begins]
        before, after = [stands[at] for at in stay], stands[begins:]
        came: list[int] = []
        if size is not None and plan.merged and after:
            after[0] = merged_message(after[0], size)
        elif size is not None:
            # A summary to merge has no tail message to go into.
            before.append(summary_message(plan.role or "assistant", size))
            came.append(_SUMMARY)
        self.messages = before + after
        self.said = [self.said[at] for at in stay] + came + self.said[begins:]
        self.total_chars, self.total_images = self.source.scale.total(self.messages)
        self.compactions += 1
        return Compacted(head, tail, left)


def _measured(engine: Engine, messages: Sequence[Message]) -> TokenIndex:
    with failures_named(engine):
        return engine.measure(messages)


def summary_message(role: str, size: MessageSize) -> Message:
    """A message of this size that every release takes for a summary."""
    empty = {"role": role, "content": _OPENING}
    return Message({**empty, "content": _OPENING + _filler(size.chars - message_chars(empty))})


def merged_message(message: Message, size: MessageSize) -> Message:
    """The message with a summary of this size in front of its text."""
    content: Any = message.wire.get("content")

    def merged(text: str) -> dict[str, Any]:
        if isinstance(content, list):
            return {**message.wire, "content": [{"type": "text", "text": text}, *content]}
        said = "" if content is None else content if isinstance(content, str) else str(content)
        return {**message.wire, "content": text + said}

    lacking = message_chars(message.wire) + size.chars - message_chars(merged(_OPENING))
    return Message(merged(_OPENING + _filler(lacking)), message.id)


def _filler(chars: int) -> str:
    return (_FILLER * (chars // len(_FILLER) + 1))[: max(0, chars)]
