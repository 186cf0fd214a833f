"""An attempt: a summary of a recorded or planned compaction that another summarizer wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from inspector.core.rough import text_tokens

#: unfinished: it is being made, or what made it ended in the middle.
State = Literal["unfinished", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Place:
    """Which compaction an attempt is of: its conversation (the store's file, and the first of its sessions), and the
    index of the compaction; of a planned one `step` says how many messages had been said, None for a recorded one."""

    store: str
    root: str
    compaction: int
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """What is to be sent, and why: the prompt with its name ("ours", a file, a release), the budget in tokens that it
    names, and `settings` that say what it was made under (profile, focus, masked, note). `task` is what the engine
    writes into the summary itself."""

    place: Place
    prompt: str
    prompt_name: str
    budget: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    task: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One that was begun. `id` counts from 1. `life` is the attempt that began the life it belongs to, None where it
    stands alone. Times are seconds (since the epoch for `at`), `sent` and `received` tokens: the summarizer's own where
    `reported`, else rough. `cost` is in US dollars, None where no price is known. `problem` says why there is no
    summary, or only a part. In a list of attempts `prompt` is left out."""

    id: int
    place: Place
    at: float
    state: State
    kind: str
    where: str
    model: str
    prompt_name: str
    prompt: str
    budget: int
    settings: Mapping[str, Any]
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
        """Who wrote it: the model, else the command."""
        return self.model or self.where

    @property
    def tokens(self) -> int:
        """The rough size of the summary."""
        return text_tokens(len(self.summary))

    @property
    def label(self) -> str:
        """What it is called in a heading."""
        return f"{self.id} {self.name}"
