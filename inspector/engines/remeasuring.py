"""Run conversations with only an engine's `measure` and `plan`: the live list is measured again each time.

It holds the bodies of the conversation, and each compaction measures the current list. If the list stays at the
threshold and the engine refuses to compact it, the engine is asked again before every call. If the engine has `prune`,
its changes are permanent. Tool pairs are not repaired. The engine gets a summary of the right size, not with the right
words.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Generic, Protocol, TypeVar

from inspector.core.conversations import role_code
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images
from inspector.engines.base import Budgets, Engine, Settings, TokenIndex
from inspector.engines.capabilities import loop_of, prune, shortened, shortens
from inspector.engines.failures import failures_named, measured
from inspector.engines.sizes import Compacted, MessageSize, Refusal, results_without_call

#: Beginning and repeated text of a placeholder summary. Every release recognises it as a handoff.
_OPENING, _FILLER = "[CONTEXT SUMMARY]: ", "so it went on "
#: Maximum number of messages whose sizes are kept.
_MAX_SIZES = 100_000
#: Seconds between the last message and a summary.
_MOMENT = 1e-6
#: Index of a summary, which is not a message of the transcript.
_SUMMARY = -1


class HasWire(Protocol):
    """A value with a message in the form of the API."""

    @property
    def wire(self) -> Mapping[str, Any]:
        """The message itself."""
        ...


Item = TypeVar("Item", bound=HasWire)


class Remeasuring:
    """Runs conversations of an engine without a `replayable()` method."""

    #: Assumed characters in front of a summary; the engine's wording is unknown.
    summary_prefix = 60

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.loop = loop_of(engine)

    def read(self, messages: Iterable[Message]) -> RemeasuredList:
        """Read the bodies once and keep them. Raises EngineError if the engine fails."""
        bodies = tuple(messages)
        chars, images = _EngineSizes(self.engine).sizes(bodies)
        return RemeasuredList(self.engine, bodies, chars, images)

    def join(self, parts: Iterable[tuple[RemeasuredList, int, int]]) -> RemeasuredList:
        """Return a list made of ranges of other lists."""
        messages: list[Message] = []
        chars, images = array("q"), array("q")
        for part, start, stop in parts:
            messages += part.items[start:stop]
            chars += part.chars[start:stop]
            images += part.images[start:stop]
        return RemeasuredList(self.engine, tuple(messages), chars, images)

    def fires(self, tokens: int, settings: Settings, budgets: Budgets) -> str | None:
        """Return who compacts a list of this size, as the engine reports it."""
        with failures_named(self.engine):
            return self.engine.fires(tokens, settings)

    def decisive(self, settings: Settings, budgets: Budgets) -> Hashable:
        """Return all settings, because it is unknown which settings the plan uses."""
        return settings


class _EngineSizes:
    """Sizes of messages as the engine counts them.

    If the engine estimates a list like `inspector.core.rough`, sizes are in characters and pictures. Otherwise each
    token of the engine counts as four characters, so that `list_tokens` returns the same tokens.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        #: Characters and pictures of messages by their identity, with the messages so that they stay alive.
        self._rough: dict[int, tuple[Message, int, int]] = {}

    def _rough_size(self, message: Message) -> tuple[Message, int, int]:
        size = self._rough.get(id(message))
        if size is None:
            size = message, message_chars(message.wire), message_images(message.wire)
            self._rough[id(message)] = size
        return size

    def sizes(self, messages: Sequence[Message]) -> tuple[array[int], array[int]]:
        """Return the characters and the pictures of each message."""
        if len(self._rough) > _MAX_SIZES:
            self._rough.clear()
        sizes = list(map(self._rough_size, messages))
        chars = array("q", (size[1] for size in sizes))
        images = array("q", (size[2] for size in sizes))
        index = measured(self.engine, messages)
        with failures_named(self.engine):
            if index.total() == list_tokens(sum(chars), sum(images)):
                return chars, images
            until = [index.rough_until(stop) for stop in range(len(messages) + 1)]
        own_tokens = array("q", (4 * (after - before) for before, after in pairwise(until)))
        return own_tokens, array("q", bytes(8 * len(own_tokens)))

    def total(self, messages: Sequence[Message]) -> tuple[int, int]:
        """Return the characters and the pictures of a list."""
        chars, images = self.sizes(messages)
        return sum(chars), sum(images)


class ReadItems(Generic[Item]):
    """A list that was read: its items, each with a message, and the size of each."""

    def __init__(self, items: Sequence[Item], chars: array[int], images: array[int]) -> None:
        self.items, self.chars, self.images = items, chars, images
        self.roles = bytes(role_code(item.wire.get("role")) for item in items)

    def __len__(self) -> int:
        return len(self.items)

    def size(self, index: int) -> MessageSize:
        """Return the size of one message."""
        chars, images = self.chars[index], self.images[index]
        return MessageSize(list_tokens(chars, images), chars, images)

    def growth(self) -> list[int]:
        """Return the rough estimate of the first 0, 1, ... messages, in tokens."""
        chars, images = accumulate(self.chars, initial=0), accumulate(self.images, initial=0)
        return [list_tokens(*so_far) for so_far in zip(chars, images, strict=True)]


class LiveItems(Generic[Item]):
    """Current items of a run, and the transcript index of each."""

    def __init__(self, source: ReadItems[Item], settings: Settings, budgets: Budgets) -> None:
        self.source, self.settings, self.budgets = source, settings, budgets
        self.items: list[Item] = []
        #: The index of each message in the transcript; _SUMMARY for a summary.
        self.indexes: list[int] = []
        #: The number of messages of the transcript that were added.
        self.added = 0
        self.compactions = self.total_chars = self.total_images = 0

    def __len__(self) -> int:
        return len(self.items)

    def extend(self, stop: int) -> None:
        """Add the messages of the transcript until `stop`."""
        start, self.added = self.added, stop
        self.items += self.source.items[start:stop]
        self.indexes += range(start, stop)
        self.total_chars += sum(self.source.chars[start:stop])
        self.total_images += sum(self.source.images[start:stop])

    def adopt(self, settings: Settings, budgets: Budgets) -> None:
        """Compact under these settings from now on."""
        self.settings, self.budgets = settings, budgets

    def shorten(self) -> bool:
        """Shorten nothing: these engines change no message before a compaction."""
        return False

    def _item(self, wire: Mapping[str, Any], old: Item | None = None) -> Item:
        """Return an item for a message with a summary, which may be merged into an `old` item."""
        raise NotImplementedError

    def _summarize(
        self,
        items: Sequence[Item],
        head: int,
        tail: int,
        kept: Set[int],
        role: str,
        merged: bool,
        size_of: Callable[[int], MessageSize],
    ) -> Compacted:
        """Replace the list by the pruned `items`, with the summary, if any, in place of the middle.

        `kept` are messages of the middle that stay. `size_of` returns the size of the summary of a number of messages.
        """
        stay = [*range(head), *sorted(kept)]
        middle = (self.indexes[at] for at in range(head, tail) if at not in kept)
        removed = [index for index in middle if index != _SUMMARY]
        size = size_of(len(removed)) if merged or role else None
        # Results at the start of the tail leave with their call.
        begins = tail + results_without_call(role_code(item.wire.get("role")) for item in items[tail:])
        removed += self.indexes[tail:begins]
        before, after = [items[at] for at in stay], list(items[begins:])
        indexes = [self.indexes[at] for at in stay]
        if size is not None and merged and after:
            after[0] = self._item(merged_wire(after[0].wire, size), after[0])
        elif size is not None:
            # Without a message in the tail, a summary that would be merged is a message too.
            before.append(self._item(summary_wire(role or "assistant", size)))
            indexes.append(_SUMMARY)
        self.items = before + after
        self.indexes = indexes + self.indexes[begins:]
        self.compactions += 1
        return Compacted(head, tail, removed)


class RemeasuredList(ReadItems[Message]):
    """A list with its bodies, and the size of each message as the engine counts it."""

    def __init__(
        self, engine: Engine, messages: Sequence[Message], chars: array[int], images: array[int]
    ) -> None:
        super().__init__(messages, chars, images)
        self.engine = engine
        self._measured: tuple[int, TokenIndex] | None = None
        self.engine_sizes = _EngineSizes(engine)

    def token_index(self, stop: int) -> TokenIndex:
        """Return the measured first `stop` messages; the last result is cached."""
        if self._measured is None or self._measured[0] != stop:
            self._measured = stop, measured(self.engine, self.items[:stop])
        return self._measured[1]

    def live(self, settings: Settings, budgets: Budgets, system_tokens: int) -> RemeasuredLiveList:
        """Return an empty list that grows by these messages."""
        return RemeasuredLiveList(self, settings, budgets, system_tokens)


class RemeasuredLiveList(LiveItems[Message]):
    """Current messages of a run."""

    def __init__(
        self, source: RemeasuredList, settings: Settings, budgets: Budgets, system_tokens: int
    ) -> None:
        super().__init__(source, settings, budgets)
        self.engine, self.engine_sizes, self.system_tokens = source.engine, source.engine_sizes, system_tokens

    def shorten(self) -> bool:
        """Shorten long results if the engine does that before it compacts. Return whether any was shortened."""
        if not shortens(self.engine):
            return False
        shorter = [shortened(self.engine, message) for message in self.items]
        if all(new is old for new, old in zip(shorter, self.items, strict=True)):
            return False
        self.items = shorter
        self.total_chars, self.total_images = self.engine_sizes.total(shorter)
        return True

    def compact(self, summary: Callable[[int, int], MessageSize]) -> Compacted | Refusal:
        """Compact the list as the engine plans it now, or return why not."""
        engine, listed = self.engine, self.items
        index = measured(engine, listed)
        with failures_named(engine):
            plan = engine.plan(index, self.settings, self.compactions, self.system_tokens)
        head, tail = plan.regions()
        if not plan.compacts or head >= tail:
            return plan.refusal or "fits"
        pruned = [
            message if wire is message.wire else Message(wire, message.id)
            for message, wire in zip(listed, prune(engine, listed, plan), strict=True)
        ]
        size_of = partial(summary, plan.summary_budget)
        done = self._summarize(pruned, head, tail, plan.kept, plan.role, plan.merged, size_of)
        self.total_chars, self.total_images = self.engine_sizes.total(self.items)
        return done

    def _item(self, wire: Mapping[str, Any], old: Message | None = None) -> Message:
        if old is not None:
            return Message(wire, old.id)
        # The summary is newer than the messages that stay, and older than the next message.
        at = max((message.timestamp for message in self.items), default=0.0)
        return Message(wire, timestamp=at + _MOMENT, summary=True)


def summary_wire(role: str, size: MessageSize) -> dict[str, Any]:
    """Return a message of this size that every release recognises as a summary."""
    empty = {"role": role, "content": _OPENING}
    return {**empty, "content": _OPENING + _filler(size.chars - message_chars(empty))}


def merged_wire(wire: Mapping[str, Any], size: MessageSize) -> dict[str, Any]:
    """Return a message with a summary of this size before its text."""
    content: Any = wire.get("content")

    def merged(text: str) -> dict[str, Any]:
        if isinstance(content, list):
            return {**wire, "content": [{"type": "text", "text": text}, *content]}
        old = "" if content is None else content if isinstance(content, str) else str(content)
        return {**wire, "content": text + old}

    lacking = message_chars(wire) + size.chars - message_chars(merged(_OPENING))
    return merged(_OPENING + _filler(lacking))


def _filler(chars: int) -> str:
    return (_FILLER * (chars // len(_FILLER) + 1))[: max(0, chars)]
