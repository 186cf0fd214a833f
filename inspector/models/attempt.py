"""An attempt: a summary of a recorded or planned compaction that another summarizer wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from inspector.core.rough import text_tokens

#: unfinished: the attempt is running, or its program ended before it was complete. finished: it has a summary. failed:
#: it ended without a complete summary.
State = Literal["unfinished", "finished", "failed"]


class AttemptPlace(Struct, frozen=True):
    """The compaction that an attempt repeats.

    `store` is the path of the store, `root` the id of the conversation's first session, `compaction` the number of the
    compaction, from 1. `step` is the number of messages before a planned compaction, None for a recorded compaction.
    """

    store: str
    root: str
    compaction: int
    step: int | None = None


class Ask(Struct, frozen=True):
    """Request to a summarizer.

    `prompt_name` is "ours", a file or a release. `budget` is the size of the summary in tokens that the prompt names.
    `settings` has how the prompt was made (profile, focus, masked secrets, note). `task` is the text that the engine
    itself adds to the summary.
    """

    place: AttemptPlace
    prompt: str
    prompt_name: str
    budget: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    task: str = ""


class Attempt(Struct, frozen=True):
    """An attempt that was started at the time `at` (seconds since the epoch) and took `seconds`.

    `id` counts from 1. `life` is the id of the first attempt of its series, None for a single attempt. `kind` is the
    kind of the summarizer, `where` its command line or address. `prompt_name`, `prompt`, `budget` and `settings` come
    from the Ask. `sent` and `received` are tokens: `reported` by the summarizer, else rough. `cost` is in US dollars,
    None if no price is known; `prices` is the source of the prices. `title` and `agent` are those of the conversation.
    `problem` explains a missing or partial summary. In a list of attempts `prompt` is left out.
    """

    id: int
    place: AttemptPlace
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
        """The writer: the model, or the command line or address if the model is unknown."""
        return self.model or self.where

    @property
    def tokens(self) -> int:
        """The rough size of the summary in tokens."""
        return text_tokens(len(self.summary))

    @property
    def label(self) -> str:
        """The heading of the attempt: its id and its writer."""
        return f"{self.id} {self.name}"
