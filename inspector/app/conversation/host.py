"""The conversation screen as its parts see it: the state, the loaded data, and the reading of resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from textual.message import Message
from textual.widget import Widget

from inspector.app.base_app import BaseApp
from inspector.app.conversation.derived import Derived
from inspector.app.conversation.message_part import MessagePart
from inspector.app.conversation.state import Loaded, Resource, State
from inspector.app.jobs import Jobs
from inspector.app.saved_state import SavedState
from inspector.stores.base import Store
from widgets.base.prompt import AskPrompt, Prompt
from widgets.lists.message_list import MessageList

T = TypeVar("T")
W = TypeVar("W", bound=Widget)


class Host(Protocol):
    """The screen of a conversation. A part reads and changes the state, and waits for resources."""

    app: BaseApp
    store: Store
    saved: SavedState
    flags: dict[str, Any]
    config: Path | None
    jobs: Jobs
    message_list: MessageList
    messages: MessagePart
    derived: Derived | None
    state: State
    loaded: Loaded

    @property
    def question(self) -> AskPrompt: ...
    def change(self, **changes: Any) -> None: ...
    def begin_with(self, loaded: Loaded) -> None: ...
    def when(self, resource: Resource[T], then: Callable[[T], object]) -> None: ...
    def query_one(self, selector: type[W]) -> W: ...
    def post_message(self, message: Message) -> bool: ...
    def add_prompt(self, prompt: Prompt) -> None: ...
    def show_progress(self, name: str, text: str) -> None: ...
    def show_notes(self, *sentences: str) -> None: ...
    def replace_notes(self, before: Iterable[str], now: Sequence[str]) -> None: ...
    def show_failure(self, read: str, sentence: str = "") -> None: ...
    def answer(self, sentence: str) -> None: ...
