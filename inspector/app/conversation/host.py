"""The conversation screen as its parts know it: the state, the loaded data, and the reading of resources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace
from textual.reactive import reactive

from inspector.app.conversation.derived import Derived
from inspector.app.conversation.message_part import MessagePart
from inspector.app.conversation.state import Loaded, Resource, State
from inspector.app.job_screen import JobScreen
from inspector.app.saved_state import SavedState
from inspector.stores.base import Store
from widgets.lists.message_list import MessageList

T = TypeVar("T")


class Host(JobScreen):
    """The screen of a conversation. A part reads and changes the state, and waits for resources."""

    #: The place of the user in the conversation, and the settings.
    state: reactive[State] = reactive(State(), init=False, repaint=False)
    #: The loaded data.
    loaded: reactive[Loaded] = reactive(Loaded(), init=False, repaint=False)
    #: The message list, and its rows.
    message_list: MessageList
    messages: MessagePart

    def __init__(self, store: Store, saved: SavedState, flags: dict[str, Any], config: Path | None) -> None:
        super().__init__()
        self.store = store
        self.saved = saved
        self.flags = flags
        self.config = config
        self.derived: Derived | None = None
        self._waiting: list[tuple[Resource[Any], Callable[[Any], object]]] = []

    def change(self, **changes: Any) -> None:
        """Assign the next state."""
        self.state = replace(self.state, **changes)

    def begin_with(self, loaded: Loaded) -> None:
        """Store loaded data without showing it. The next state that is assigned shows it."""
        self.set_reactive(Host.loaded, loaded)

    def want(self, resource: Resource[Any]) -> None:
        """Read a resource in a job, and the resources it depends on first. Its value becomes the next `loaded`.

        Nothing is read if the value is current or already being read.
        """
        if self.loaded.current(resource, self.state) is not None:
            # A read with other inputs may have failed. It is tried again if these inputs return.
            self.jobs.forget(resource.name)
            return
        for earlier in resource.earlier:
            self.want(earlier)
        needs = resource.needs(self.state, self.loaded)
        if needs is not None:

            def came(value: Any) -> None:
                self.loaded = self.loaded.with_value(resource, needs, value)

            def failed(sentence: str) -> None:
                self.loaded = self.loaded.with_failure(resource, needs, sentence)
                self.show_notes(sentence)

            self.jobs.run(
                resource.name, needs, resource.read, came, some=came, failed=failed, rest=resource.rest
            )

    def when(self, resource: Resource[T], then: Callable[[T], object]) -> None:
        """Call a function with a resource when it is read. Calls keep their order; equal calls are made once."""
        value = self.loaded.current(resource, self.state)
        if value is not None:
            then(value)
        elif (resource, then) not in self._waiting:
            self._waiting.append((resource, then))
            self.want(resource)

    def serve(self) -> None:
        """Make the calls that waited for a new value, and read the resources that others wait for."""
        waiting, self._waiting = self._waiting, []
        for resource, then in waiting:
            self.when(resource, then)
