"""An attempt: a summary of a recorded or planned compaction that another summarizer wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from inspector.core.rough import text_tokens

#: unfinished: the attempt is running, or its program ended before it was complete.
State = Literal["unfinished", "finished", "failed"]


class Place(Struct, frozen=True):
    """The compaction that an attempt repeats.

    `store` is the store's file, `root` the first session of the conversation, `compaction` the index of the compaction.
    `step` is None for a recorded compaction; for a planned one it is the number of messages before it.
    """

    store: str
    root: str
    compaction: int
    step: int | None = None


class Ask(Struct, frozen=True):
    """A request for a summary.

    `prompt_name` is "ours", a file or a release; `budget` is the number of tokens that the prompt names. `settings`
    record the circumstances (profile, focus, masked, note). `task` is the text that the engine itself adds to the
    summary.
    """

    place: Place
    prompt: str
    prompt_name: str
    budget: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    task: str = ""


class Attempt(Struct, frozen=True):
    """A started attempt.

    `id` counts from 1. `life` is the first attempt of its series, None for a single attempt. `at` is in seconds since
    the epoch. `sent` and `received` are tokens: the summarizer's figures where `reported`, else rough. `cost` is in
    US dollars, None if no price is known. `problem` explains a missing or partial summary. In a list of attempts
    `prompt` is left out.
    """

    id: int
    place: Place
    at: float
    state: State
    kind: str = ""
    where: str = ""
    model: str = ""
    prompt_name: str = ""
    prompt: str = ""
    budget: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""
    sent: int = 0
    received: int = 0
    reported: bool = False
    seconds: float = 0.0
    cost: float | None = None
    prices: str = ""
    life: int | None = None
    title: str = ""
    agent: str = ""
    problem: str = ""

    @property
    def name(self) -> str:
        """Return the writer: the model, else the command."""
        return self.model or self.where

    @property
    def tokens(self) -> int:
        """Return the rough size of the summary in tokens."""
        return text_tokens(len(self.summary))

    @property
    def label(self) -> str:
        """Return the attempt's name for a heading."""
        return f"{self.id} {self.name}"
