"""Sessions, conversations, generations and compactions as a store shows them. Indexes are half-open."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

#: One byte a role, so that a generation of 100,000 messages keeps its roles in 100 KB.
ROLE_CODES: Mapping[str, int] = {"user": 0, "assistant": 1, "tool": 2, "system": 3}
ROLE_NAMES: Sequence[str] = ("user", "assistant", "tool", "system", "other")

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Usage(NamedTuple):
    """Tokens that the provider reported, summed over the API calls of a session."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    calls: int = 0


class Session(NamedTuple):
    """A row of the store's sessions. Times are seconds since the epoch, None where the store has none."""

    id: str
    source: str
    model: str
    title: str
    parent: str | None
    started_at: float
    ended_at: float | None
    end_reason: str
    message_count: int
    usage: Usage
    provider: str = ""
    base_url: str = ""
    config: Mapping[str, Any] = _NOTHING
    #: Columns that only some schemas have, by name (cwd, rewind_count, compression_fallback_streak, ...).
    extra: Mapping[str, Any] = _NOTHING


class ConversationRow(NamedTuple):
    """A row of the list of conversations, from the sessions alone (no message is read).

    `sessions` are ids from the root to the tip. `parent` is the conversation of which this one is a branch or a
    sub-agent, by `kind`. `compactions` counts rotations; None where only the messages show them (a session that may
    have compacted in place).
    """

    id: str
    root: str
    title: str
    model: str
    source: str
    sessions: tuple[str, ...]
    messages: int
    compactions: int | None
    started_at: float
    last_active: float
    parent: str | None = None
    kind: str = "conversation"  # or "branch", "sub-agent"
    provider: str = ""
    base_url: str = ""
    #: The agent, and its project folder ("" where unknown).
    agent: str = "hermes"
    folder: str = ""
    #: The model's context window in tokens as far as the agent's files tell it, and how they do.
    window: int | None = None
    window_source: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    """One live message list between two compactions, as an index: bodies are read on demand.

    `number` counts from 1. `ids` are the store's rows in order; `roles` has one code of ROLE_CODES a message
    (4 for any other role). `live` marks the list that the agent holds now.
    """

    number: int
    session: str
    ids: Sequence[int]
    roles: bytes
    live: bool = False

    def __len__(self) -> int:
        return len(self.roles)


@dataclass(frozen=True, slots=True)
class Compaction:
    """A recorded step from one generation to the next.

    `index` counts from 1. `session` is the one whose list was compacted. `before` and `after` are lengths in
    messages; `head_end` and `tail_start` index the list before. `head_after` and `tail_after` index the list
    after: [0:head_after] are the copies of the head and [tail_after:after] starts with the copies of the
    tail. `summary_at` is the message of the list after that carries the summary (for a merged one the first
    tail message), None where none was found. `fallback`: what it carries is no summary, but a text that the agent made
    up or an error of the API. Tokens are rough, system prompt included.
    `exact` is False where the boundaries could only be inferred, and then `note` says why. `trigger` is what the
    agent says started it ("auto", "manual"), `tokens_before_reported` and `tokens_after_reported` are its own figures;
    None where it records none. `encrypted`: there is a summary, and nobody but the provider can read it. `whole`
    is False where the store has not all of the list before. `kept` are messages between the boundaries that stand in
    the list after all the same, word for word: (index before, index after). `usage` is what the summarizing calls
    used, where the agent records it with the compaction and not as requests.
    """

    index: int
    session: str
    before: int
    after: int
    head_end: int
    tail_start: int
    head_after: int
    tail_after: int
    summary_at: int | None
    summary: str | None
    merged: bool
    fallback: bool
    tokens_before: int
    tokens_after: int
    at: float
    exact: bool = True
    note: str = ""
    trigger: str | None = None
    tokens_before_reported: int | None = None
    tokens_after_reported: int | None = None
    encrypted: bool = False
    whole: bool = True
    kept: tuple[tuple[int, int], ...] = ()
    usage: Usage | None = None

    def region(self, index: int) -> str:
        """Region of a message of the list before: head, middle or tail. Kept messages of the middle count as tail."""
        if index < self.head_end or index >= self.tail_start:
            return "head" if index < self.head_end else "tail"
        place = bisect_left(self.kept, (index,))
        return "tail" if place < len(self.kept) and self.kept[place][0] == index else "middle"

    @property
    def went(self) -> int:
        """How many messages left the list."""
        return self.tail_start - self.head_end - len(self.kept)

    @property
    def stayed(self) -> int:
        """How many did not."""
        return self.before - self.went


@dataclass(frozen=True, slots=True)
class FailedCompaction:
    """An attempt to compact that failed: the list stayed as it was.

    `index` counts from 1, apart from compactions. `place` is how many messages the list of `generation` had then;
    `error` is what the agent recorded, "" where it recorded nothing. `at` is in seconds since the epoch.
    """

    index: int
    session: str
    generation: int
    place: int
    at: float
    error: str
    trigger: str | None = None
    tokens_before_reported: int | None = None


@dataclass(frozen=True, slots=True)
class Microcompaction:
    """A step in which an agent cleared old tool results without a summary. The list keeps its messages.

    `index` counts from 1, apart from compactions. `place` is the length of the list of `generation` then; `results`
    is the number of cleared results, `cleared` are their indexes. Tokens are the agent's own figures.
    """

    index: int
    session: str
    generation: int
    place: int
    cleared: tuple[int, ...]
    results: int
    at: float
    trigger: str | None = None
    tokens_before_reported: int | None = None
    tokens_saved_reported: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the model's API with the usage that the provider reported, in tokens.

    `index` counts from 1 in the order of the calls, `generation` is the list that was sent, `message` the answer's id.
    `cache_write` is all that was written to the cache, `cache_write_1h` the part of it that lives an hour (None where
    the agent does not record it). `at` is in seconds since the epoch, 0.0 where unknown. `summarizes`: the call wrote
    the summary that replaced the list of `generation`. `estimated`: the agent recorded a placeholder for the output,
    and `output` is counted from the visible text.
    """

    index: int
    generation: int
    message: str
    model: str
    at: float
    input: int
    cache_read: int
    cache_write: int
    cache_write_1h: int | None
    output: int
    summarizes: bool = False
    estimated: bool = False

    @property
    def context(self) -> int:
        """How many tokens the model was sent."""
        return self.input + self.cache_read + self.cache_write

    @property
    def told(self) -> bool:
        """Whether a provider reported anything of it: of a call that was broken off, agents write zeros."""
        return self.context + self.output > 0


class SentRequest(NamedTuple):
    """A request as the agent recorded that it sent it, in the provider's own form: messages, blocks of the system
    prompt, tools, and the places with a cache breakpoint, as paths such as ("messages", 0, "content", 7)."""

    id: str
    at: float
    model: str
    messages: tuple[Mapping[str, Any], ...]
    system: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    breakpoints: tuple[tuple[str | int, ...], ...]


class Conversation(NamedTuple):
    """A conversation opened: its sessions from root to tip and its generations, oldest first."""

    row: ConversationRow
    sessions: tuple[Session, ...]
    generations: tuple[Generation, ...]
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The tip session, which names the conversation."""
        return self.row.id

    @property
    def usage(self) -> Usage:
        """Reported usage of all its sessions."""
        return Usage._make(map(sum, zip(Usage(), *(session.usage for session in self.sessions), strict=True)))

    @property
    def live(self) -> Generation:
        """The generation that the agent holds now."""
        return self.generations[-1]


class Hit(NamedTuple):
    """A message that a search found, and the text around the first match (`span` is half-open in it)."""

    conversation: str
    session: str
    message: int
    role: str
    excerpt: str
    span: tuple[int, int]
