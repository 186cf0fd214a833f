"""What parts of the conversation screen ask of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from textual.message import Message

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.app.conversation.derived import Derived
    from inspector.app.conversation.message_part import MessagePart
    from inspector.app.conversation.state import Loaded, Resource, State, Tuning
    from inspector.app.host import Host
    from inspector.app.jobs import Jobs
    from inspector.app.saved_state import SavedState
    from inspector.stores.base import Store
    from widgets.lists.message_list import MessageList

T = TypeVar("T")


class UseSettings(Message):
    """Take settings, and a size of summaries."""

    def __init__(self, tuning: Tuning) -> None:
        super().__init__()
        self.tuning = tuning


class GoToStep(Message):
    """Show the moment behind a message, counted from 1."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self.step = step


class ConversationHost(Protocol):
    """The conversation screen as its parts see it: the state, whose next value they assign, what has been read, and a
    way to wait for what has not."""

    store: Store
    flags: dict[str, Any]
    config: Path | None
    saved: SavedState
    jobs: Jobs
    messages: MessagePart
    state: Any
    loaded: Any

    @property
    def app(self) -> Host:
        """The app."""
        ...

    @property
    def message_list(self) -> MessageList:
        """The message list."""
        ...

    @property
    def now(self) -> State:
        """The state."""
        ...

    @property
    def known(self) -> Loaded:
        """What has been read."""
        ...

    @property
    def derived(self) -> Derived | None:
        """What follows from both; None while nothing is open."""
        ...

    def change(self, **changes: Any) -> None:
        """Assign the next state."""
        ...

    def begin_with(self, loaded: Loaded) -> None:
        """Take what was read of a conversation; it is shown with the state that is assigned next."""
        ...

    def going_on(self, name: str, text: str) -> None:
        """Some job is that far; "" when it ended."""
        ...

    def post_message(self, message: Message) -> bool:
        """Ask for something, as a pane does."""
        ...

    def when(self, resource: Resource[T], then: Callable[[T], object]) -> None:
        """Do something with what is read, once it has been; wishes are served in their order."""
        ...

    def tell(self, *sentences: str) -> None:
        """Show sentences beside those that are shown."""
        ...
