"""Messages of the app to its screens."""

from __future__ import annotations

from textual.message import Message


class StoreChanged(Message):
    """Another process committed to the database."""


class Problem(Message):
    """Something went wrong elsewhere; a sentence for the user."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class StoreFailed(Message):
    """The file is gone or no longer a store, with the reason; "" when it can be read again."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence
