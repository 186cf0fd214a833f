"""Reads the resources that the screen wants, each once for its inputs, after the resources that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.app.conversation.state import Resource

if TYPE_CHECKING:
    from inspector.app.conversation.screen import ConversationScreen

T = TypeVar("T")


class ResourceReader:
    """Runs the jobs of resources; their values become the next `loaded` of the screen."""

    def __init__(self, host: ConversationScreen) -> None:
        self._host = host
        self._waiting: list[tuple[Resource[Any], Callable[[Any], object]]] = []

    def want(self, resource: Resource[Any]) -> None:
        """Read a resource, unless its value is current or already being read."""
        host = self._host
        if host.loaded.current(resource, host.state) is not None:
            return
        for earlier in resource.earlier:
            self.want(earlier)
        needs = resource.needs(host.state, host.loaded)
        if needs is not None:

            def came(value: Any) -> None:
                host.loaded = host.loaded.with_value(resource, needs, value)

            host.jobs.run(resource.name, needs, resource.read, came, some=came, rest=resource.rest)

    def when(self, resource: Resource[T], then: Callable[[T], object]) -> None:
        """Call a function with a resource when it is read. Calls keep their order; equal calls are made once."""
        value = self._host.loaded.current(resource, self._host.state)
        if value is not None:
            then(value)
        elif (resource, then) not in self._waiting:
            self._waiting.append((resource, then))
            self.want(resource)

    def serve(self) -> None:
        """Make the calls that waited for a new value, and read the resources that others wait for."""
        waiting, self._waiting = self._waiting, []
        for resource, then in waiting:
            value = self._host.loaded.current(resource, self._host.state)
            if value is not None:
                then(value)
            else:
                self._waiting.append((resource, then))
                self.want(resource)
