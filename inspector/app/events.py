"""Messages of the app to its screens."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message


class StoreChanged(Message):
    """Another process committed to the database."""


@dataclass
class Problem(Message):
    """Something went wrong elsewhere; a sentence for the user."""

    sentence: str


@dataclass
class StoreFailed(Message):
    """The file is gone or no longer a store, with the reason; "" when it can be read again."""

    sentence: str
