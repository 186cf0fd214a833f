"""The conversation screen as its parts see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from textual.message import Message

    from inspector.app.conversation.derived import Derived
    from inspector.app.conversation.message_part import MessagePart
    from inspector.app.conversation.state import Loaded, Resource, State
    from inspector.app.host import Host
    from inspector.app.jobs import Jobs
    from inspector.app.saved_state import SavedState
    from inspector.stores.base import Store
    from widgets.lists.message_list import MessageList

T = TypeVar("T")


class ConversationHost(Protocol):
    """The conversation screen as its parts see it: the state that they assign, loaded data, and a way to wait for
    more.
    """

    store: Store
    flags: dict[str, Any]
    config: Path | None
    saved: SavedState
    jobs: Jobs
    messages: MessagePart
    state: State
    loaded: Loaded

    @property
    def app(self) -> Host:
        """The app."""
        ...

    @property
    def message_list(self) -> MessageList:
        """The message list."""
        ...

    @property
    def derived(self) -> Derived | None:
        """The values derived from both; None while no conversation is open."""
        ...

    def change(self, **changes: Any) -> None:
        """Assign the next state."""
        ...

    def begin_with(self, loaded: Loaded) -> None:
        """Take loaded data; it is shown with the next state."""
        ...

    def going_on(self, name: str, text: str) -> None:
        """Show the progress of a job; "" when it ended."""
        ...

    def post_message(self, message: Message) -> bool:
        """Ask for something, as a pane does."""
        ...

    def when(self, resource: Resource[T], then: Callable[[T], object]) -> None:
        """Call a function with a resource once it is loaded, in the order of the calls."""
        ...

    def tell(self, *sentences: str) -> None:
        """Show more sentences in the notes bar."""
        ...
