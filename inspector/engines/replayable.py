"""Interfaces to run a whole conversation under an engine: lists that were read once, and a live list that is
compacted.

An engine may define a method `replayable()` that returns a `Replayable`, mostly for speed. Other engines get a
default that needs only `measure` and `plan`: see `remeasuring`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from inspector.core.messages import Message
from inspector.engines.base import Budgets, Engine, Settings, TokenIndex
from inspector.engines.failures import failures_named
from inspector.engines.loop import Loop
from inspector.engines.remeasuring import Remeasuring
from inspector.engines.sizes import Compacted, MessageSize, Refusal

#: Upper limit of the sizes that are tried.
_MOST_TOKENS = 2**40


class LiveList(Protocol):
    """List of a run: the messages so far, without those that compactions removed, and the added summaries."""

    @property
    def total_chars(self) -> int:
        """Characters of the whole list."""
        ...

    @property
    def total_images(self) -> int:
        """Pictures of the whole list."""
        ...

    def __len__(self) -> int: ...

    def extend(self, stop: int) -> None:
        """Add the messages of the conversation until `stop`."""
        ...

    def adopt(self, settings: Settings, budgets: Budgets) -> None:
        """Compact under these settings from now on."""
        ...

    def shorten(self) -> bool:
        """Shorten long results if the engine does that before it compacts. Return whether any was shortened."""
        ...

    def compact(self, summary: Callable[[int, int], MessageSize]) -> Compacted | Refusal:
        """Compact the list as the engine plans it now, or return why the engine refuses.

        If the engine writes a summary, `summary` returns the size of its message, given its budget in tokens and the
        number of removed messages.
        """
        ...


class ReadList(Protocol):
    """A list of messages that was read once. Sizes are rough estimates of the messages before pruning."""

    @property
    def roles(self) -> Sequence[int]:
        """The role code of each message (see inspector.core.conversations)."""
        ...

    @property
    def chars(self) -> Sequence[int]:
        """The characters of each message."""
        ...

    @property
    def images(self) -> Sequence[int]:
        """The pictures of each message."""
        ...

    def __len__(self) -> int: ...

    def size(self, index: int) -> MessageSize:
        """Return the size of one message."""
        ...

    def growth(self) -> Sequence[int]:
        """Return the rough estimate of the first 0, 1, ... messages before pruning, in tokens."""
        ...

    def token_index(self, stop: int) -> TokenIndex:
        """Return the input of `Engine.plan` for the first `stop` messages."""
        ...

    def live(self, settings: Settings, budgets: Budgets, system_tokens: int) -> LiveList:
        """Return an empty list that grows by these messages and is compacted under these settings."""
        ...


#: The type of an engine's read lists.
EngineList = TypeVar("EngineList", bound=ReadList)


class Replayable(Protocol[EngineList]):
    """Runs whole conversations under the rules of one engine."""

    @property
    def engine(self) -> Engine:
        """The engine with these rules."""
        ...

    @property
    def loop(self) -> Loop:
        """The times at which the engine's agent checks the size of its list."""
        ...

    @property
    def summary_prefix(self) -> int:
        """Characters that the engine puts in front of a summary's body."""
        ...

    def read(self, messages: Iterable[Message]) -> EngineList:
        """Read the bodies of a list once. Raises EngineError if the engine fails."""
        ...

    def join(self, parts: Iterable[tuple[EngineList, int, int]]) -> EngineList:
        """Return a list made of ranges [start:stop] of lists that `read` returned."""
        ...

    def fires(self, tokens: int, settings: Settings, budgets: Budgets) -> str | None:
        """Return the same as `Engine.fires`, from known budgets."""
        ...

    def decisive(self, settings: Settings, budgets: Budgets) -> Hashable:
        """Return the key of the settings that affect a run: runs with equal keys are equal."""
        ...


def replayable(engine: Engine) -> Replayable[Any]:
    """Return the engine's own way to run conversations, else the way over `measure` and `plan`."""
    make: Callable[[], Replayable[Any]] | None = getattr(engine, "replayable", None)
    if make is None:
        return Remeasuring(engine)
    with failures_named(engine):
        return make()


def least_firing(rules: Replayable[Any], settings: Settings, budgets: Budgets) -> int | None:
    """Return the lowest size in tokens at which the agent itself compacts a list; None if it never does.

    An agent that compacts a list also compacts larger lists. Hygiene of a gateway does not count.
    """

    def fires(tokens: int) -> bool:
        return rules.fires(tokens, settings, budgets) not in (None, "hygiene")

    likely = budgets.threshold_tokens
    if fires(likely) and not fires(likely - 1):
        return likely
    if not fires(_MOST_TOKENS):
        return None
    return bisect_left(range(_MOST_TOKENS), True, key=fires)
