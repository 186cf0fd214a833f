"""Sessions, conversations, generations and compactions as a store records them. Indexes are half-open."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct

#: Codes of roles: one byte a role, so that a generation of 100,000 messages needs 100 KB for its roles.
USER, ASSISTANT, TOOL, SYSTEM, OTHER = range(5)
ROLE_NAMES: Sequence[str] = ("user", "assistant", "tool", "system", "other")
_ROLE_CODES: Mapping[str, int] = {"user": USER, "assistant": ASSISTANT, "tool": TOOL, "system": SYSTEM}


def role_code(role: object) -> int:
    """Return the code of a message's role."""
    return _ROLE_CODES.get(role, OTHER) if isinstance(role, str) else OTHER


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Usage(NamedTuple):
    """Tokens that the provider reported, of an API call or summed over the calls of a session.

    `cost` is the cost in US dollars that the agent recorded, 0.0 if it recorded none.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    calls: int = 0
    cost: float = 0.0

    @property
    def context(self) -> int:
        """Return the tokens that the model received."""
        return self.input + self.cache_read + self.cache_write

    @property
    def tokens(self) -> int:
        """Return the tokens of the prompt and of the answer."""
        return self.context + self.output


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Return the sum of usages."""
    return Usage._make(map(sum, zip(Usage(), *usages, strict=True)))


class Events(NamedTuple):
    """The number of events of a list, and the largest number that the agent's settings allow; 0 if unknown."""

    number: int
    limit: int


class Session(NamedTuple):
    """A session of the store. `ended_at` is in seconds since the epoch, None if it is not recorded.

    `tool_tokens` are the recorded tokens of the tools that each request has, 0 if they are not recorded. `sized` is a
    recorded size of the live list with prompt and tools: the number of its first messages, and tokens. `events` are
    those of the live list; None if the agent compacts by tokens.
    """

    id: str
    model: str
    usage: Usage
    ended_at: float | None = None
    end_reason: str = ""
    provider: str = ""
    base_url: str = ""
    config: Mapping[str, Any] = _NOTHING
    #: Columns that only some schemas have, by name (cwd, rewind_count, compression_fallback_streak, ...).
    extra: Mapping[str, Any] = _NOTHING
    tool_tokens: int = 0
    sized: tuple[int, int] | None = None
    events: Events | None = None


class ConversationRow(NamedTuple):
    """A row of the list of conversations, read from the sessions without their messages.

    `sessions` are ids from the root to the tip. `parent` is the conversation that this one branched from or that
    started it, by `kind`. `compactions` counts compactions that started a new session. It is None for a session that
    may have compacted in place, because only its messages show that.
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
    #: The agent that wrote it, and its project folder; both "" if unknown.
    agent: str = ""
    folder: str = ""
    #: The recorded context window of the model in tokens, and the source of this number.
    window: int | None = None
    window_source: str = ""
    #: The recorded output limit in tokens.
    max_tokens: int | None = None
    #: The title with its secrets, "" if it has none.
    title_with_secrets: str = ""

    @property
    def unmasked_title(self) -> str:
        """The title with its secrets, for outputs that mask them unless the user asks for them."""
        return self.title_with_secrets or self.title

    @property
    def stamp(self) -> tuple[float, int]:
        """Return a value that changes when messages are written."""
        return self.last_active, self.messages


class Generation(Struct, frozen=True):
    """The message list between two compactions, as an index: texts are read on demand.

    `number` counts from 1. `ids` are the store's rows in order; `roles` has the code of each message's role. `live`
    marks the current list of the agent.
    """

    number: int
    session: str
    ids: Sequence[int]
    roles: bytes
    live: bool = False

    def __len__(self) -> int:
        return len(self.roles)


class Compaction(Struct, frozen=True):
    """A recorded step from one generation to the next.

    `index` counts from 1. `session` is the session whose list was compacted. `before` and `after` are lengths in
    messages. `head_end` and `tail_start` index the list before. `head_after` and `tail_after` index the list after:
    [0:head_after] are the copies of the head, and [tail_after:after] starts with the copies of the tail.

    `summary_at` is the message of the list after that has the summary (for a merged summary a message of the tail,
    usually the first), None if there is none. `fallback`: this message has a fallback text or an API error instead of
    a summary. Tokens are rough and include the system prompt and recorded tools. `exact` is False if the boundaries
    were inferred; `note` says why.

    `trigger` is the agent's reason ("auto", "manual"). `tokens_before_reported` and `tokens_after_reported` are the
    agent's own figures, or None. `encrypted`: the summary cannot be read, because only the provider can read it or
    the file lacks it. `whole` is False if the store lacks part of the list before. `kept` are messages between the
    boundaries that are also in the list after, unchanged: (index before, index after). `usage` is the usage of the
    summarizing calls, if the agent records it with the compaction and not as requests, and `paid` their recorded cost
    in US dollars: of the prompt, and of the output. `began` is the length of the
    list when the agent began, if it kept the old list until the summary was ready. `by_hook`: an extension of the agent
    made the summary, and its calls are not recorded. `overflow`: the agent compacted because a request did not fit into
    the window. `failed_request` is the error of the last request before it if that failed for another reason, else "".
    `kept_missing` counts lines that the store lacks (kept lines, the summary), so the list after has more
    messages than `after`. `may_have_later`: the store does not separate the list after from messages that came
    later, so it has `after` messages at most. `broken`: no compaction, but a line of the file without a link to the
    messages before it. The agent began a new list there. `events` are those of the list before; None if the agent
    compacts by tokens.
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
    merged: bool = False
    fallback: bool = False
    tokens_before: int = 0
    tokens_after: int = 0
    at: float = 0.0
    exact: bool = True
    note: str = ""
    trigger: str | None = None
    tokens_before_reported: int | None = None
    tokens_after_reported: int | None = None
    encrypted: bool = False
    whole: bool = True
    kept: tuple[tuple[int, int], ...] = ()
    usage: Usage | None = None
    paid: tuple[float, float] | None = None
    began: int | None = None
    by_hook: bool = False
    overflow: bool = False
    failed_request: str = ""
    kept_missing: int = 0
    may_have_later: bool = False
    broken: bool = False
    events: Events | None = None

    @property
    def written(self) -> bool:
        """Whether a model wrote the summary, and it can be read."""
        return self.summary is not None and not self.fallback

    @property
    def by_size(self) -> bool:
        """Whether the agent may have compacted because its list had reached the threshold."""
        return not (self.trigger == "manual" or self.overflow or self.failed_request or self.broken)

    @property
    def bound(self) -> str:
        """Return "at least " or "at most " if `after` is only a bound, else ""."""
        return "at least " if self.kept_missing else "at most " if self.may_have_later else ""

    @property
    def after_words(self) -> str:
        """Return the length of the list after in words."""
        return f"{self.bound}{self.after:,}"

    def region(self, index: int) -> str:
        """Return head, middle or tail for a message of the list before; kept messages of the middle count as tail."""
        if index < self.head_end or index >= self.tail_start:
            return "head" if index < self.head_end else "tail"
        place = bisect_left(self.kept, (index,))
        return "tail" if place < len(self.kept) and self.kept[place][0] == index else "middle"

    @property
    def removed(self) -> int:
        """Return the number of messages that left the list."""
        return self.tail_start - self.head_end - len(self.kept)

    @property
    def came(self) -> list[int]:
        """Return the indexes of the new messages of the list after; only the summary if the list before is unknown."""
        if not self.before:
            return [] if self.summary_at is None else [self.summary_at]
        tail = range(self.tail_after, self.tail_after + self.before - self.tail_start)
        copies = {index for _, index in self.kept}
        return [at for at in range(self.head_after, self.after) if at not in tail and at not in copies]

    @property
    def remaining(self) -> int:
        """Return the number of messages that did not leave it."""
        return self.before - self.removed


class FailedCompaction(Struct, frozen=True):
    """A failed attempt to compact: the list did not change.

    `index` counts from 1, separately from compactions. `place` is the length of the list of `generation` at that time.
    `error` is the recorded error, or "". `at` is in seconds since the epoch.
    """

    index: int
    session: str
    generation: int
    place: int
    at: float
    error: str
    trigger: str | None = None
    tokens_before_reported: int | None = None


class Microcompaction(Struct, frozen=True):
    """A step in which an agent cleared old tool results without a summary. The list keeps its messages.

    `index` counts from 1, separately from compactions. `place` is the length of the list of `generation` at that time.
    `results` is the number of cleared results, `cleared` their indexes, and `left` the remaining characters of each; it
    is empty if a line replaced each. Tokens are the agent's own figures.
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
    left: tuple[int, ...] = ()


class Request(Struct, frozen=True):
    """One call of the model's API with the reported usage in tokens.

    `index` counts from 1 in the order of the calls. `generation` is the list that was sent, `message` the answer's id.
    `cache_write` counts all tokens written to the cache, `cache_write_1h` those for an hour (None if not recorded).
    `at` is in seconds since the epoch, 0.0 if unknown. `summarizes`: the call wrote the summary that replaced the list
    of `generation`. `estimated`: the agent recorded a placeholder for the output, and `output` is counted from the
    visible text. `window` and `max_tokens` are the recorded context window and output limit of this call, in tokens.
    `reasoning` is the part of the output that is reasoning, 0 if not recorded. `unsized`: the usage is not the size of
    a list. It is the sum of several calls, because tools of the server ran, or of a call outside the list.
    `ends_turn`: the answer has no call, None if the agent does not record why an answer ended. `recorded_cost` is the
    cost in US dollars that the agent recorded, 0.0 if it recorded none.
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
    window: int | None = None
    max_tokens: int | None = None
    reasoning: int = 0
    unsized: bool = False
    ends_turn: bool | None = None
    recorded_cost: float = 0.0

    @property
    def context(self) -> int:
        """Return the number of tokens that the model received."""
        return self.input + self.cache_read + self.cache_write

    @property
    def tokens(self) -> int:
        """Return the tokens of the prompt and of the answer; 0 if no usage was reported, as for an aborted call."""
        return self.context + self.output


class SentRequest(NamedTuple):
    """A request as sent, in the provider's own form: messages, blocks of the system prompt, tools, and the places with
    a cache breakpoint, as paths such as ("messages", 0, "content", 7)."""

    id: str
    at: float
    model: str
    messages: tuple[Mapping[str, Any], ...]
    system: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    breakpoints: tuple[tuple[str | int, ...], ...]


class Conversation(NamedTuple):
    """An opened conversation: its sessions from root to tip and its generations, oldest first.

    `has_unread`: a part of it is missing or cannot be read, such as a damaged line; `notes` name it.
    """

    row: ConversationRow
    sessions: tuple[Session, ...]
    generations: tuple[Generation, ...]
    notes: tuple[str, ...] = ()
    has_unread: bool = False

    @property
    def id(self) -> str:
        """Return the tip session, which names the conversation."""
        return self.row.id

    @property
    def usage(self) -> Usage:
        """Return the reported usage of all its sessions."""
        return total_usage(session.usage for session in self.sessions)

    @property
    def live(self) -> Generation:
        """Return the current list of the agent."""
        return self.generations[-1]


class Hit(NamedTuple):
    """A search result: a message and the text around the first match (`span` is half-open in this text)."""

    conversation: str
    session: str
    message: int
    role: str
    excerpt: str
    span: tuple[int, int]
