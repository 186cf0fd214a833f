"""The prompt-cache breakpoints of the next request with a list, worked out in a thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.answers.cachepoints import breakpoints_of, ttl_for
from inspector.answers.inspection import Inspection
from inspector.answers.resolving import marks_for, next_policy
from inspector.app.conversation.rows import line_of
from inspector.caching.breakpoints import Layout, Ttl
from inspector.core.conversations import ROLE_NAMES, Generation
from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.core.text import safe_line
from inspector.core.watching import Watch
from inspector.engines.base import TokenIndex
from inspector.stores.base import Store

if TYPE_CHECKING:
    from inspector.config.settings import ResolvedSettings
    from widgets.panes.next_request import CacheView

#: Number of messages per read, from the end on: breakpoints are at the end.
_READ = 8


class Caching(Struct, frozen=True, eq=False):
    """Breakpoints of a list, by index for its rows (-1: the system prompt), and in full for the pane."""

    marks: Mapping[int, int]
    view: CacheView


class LazyMessages:
    """The first `length` messages of a generation as a sequence whose bodies are read as they are asked for."""

    def __init__(self, store: Store, generation: Generation, length: int) -> None:
        self._store = store
        self._generation = generation
        self._length = length
        self._bodies: dict[int, Message] = {}

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Message:
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index not in self._bodies:
            start = max(0, index + 1 - _READ)
            self._bodies.update(enumerate(self._store.messages(self._generation, start, index + 1), start))
        return self._bodies[index]


def find_breakpoints(
    inspection: Inspection,
    resolved: ResolvedSettings,
    generation: Generation,
    length: int,
    prompt: str,
    profile: str,
    layout: Layout | None,
    ttl: Ttl | None,
    token_index: TokenIndex | None,
    watch: Watch,
) -> Caching:
    """Return the breakpoints of a request with the first `length` messages of a list.

    A layout or a time to live of None means the default of the release. Raises StoreErrors.
    """
    from widgets.panes.next_request import CacheView, ShownBreakpoint

    def sent_until(index: int) -> int | None:
        return None if token_index is None else system + token_index.rough_until(index)

    row = inspection.conversation.row
    policy, measured = next_policy(row, profile), marks_for(row, profile) is not None
    layout, ttl = layout or policy.layout, ttl or ttl_for(inspection, resolved)
    messages = LazyMessages(inspection.store, generation, length)
    points = breakpoints_of(inspection, messages, prompt, profile, layout, ttl)
    system = text_tokens(len(prompt))
    placed = []
    for point in points:
        if point.message is None:
            role, text = "system", safe_line(prompt[:400])
            tokens = None if measured else sent_until(0)
        else:
            role, text = ROLE_NAMES[generation.roles[point.message]], line_of(messages[point.message]).text
            tokens = sent_until(point.message + 1)
        placed.append(ShownBreakpoint(point, role, text, tokens))
    marks = {
        -1 if point.message is None else point.message: point.number
        for point in points
        if point.placed and policy.enabled
    }
    state = {True: "Caching is on: ", False: "Caching is off: ", None: ""}[policy.enabled]
    facts = [state + policy.reason if points else policy.reason]
    if measured and points:
        if not prompt:
            facts.append("The sizes leave out system prompt and tools, which the agent does not record.")
        if length and ROLE_NAMES[generation.roles[length - 1]] == "assistant":
            facts.append(
                "The list ends with an answer. The next request ends with a new message, which has the last "
                "breakpoint."
            )
    view = CacheView(
        tuple(placed),
        sent_until(length),
        None if measured else layout,
        ttl,
        tuple(facts),
        policy.enabled,
        generation.number,
    )
    return Caching(marks, view)
