"""What the rules look at: frozen values, no text but that of summaries. Tokens are rough, indexes half-open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inspector.caching.costs import Bill
from inspector.caching.idle import IdleCosts
from inspector.core.conversations import ROLE_CODES, Compaction, FailedCompaction
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.engines.base import Budgets, Plan, Settings, TokenIndex
from inspector.engines.guards import Guard, compacted, guard_of, responded
from inspector.engines.hygiene import TODO_START
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.facts.gaps import Gap
from inspector.quality.limits import TWICE
from inspector.summaries.summary import Summary

USER, ASSISTANT, TOOL, SYSTEM = (ROLE_CODES[name] for name in ("user", "assistant", "tool", "system"))


@dataclass(frozen=True, slots=True)
class LostRule:
    """A user's hard constraint that the list after a compaction no longer has.

    `generation` and `index` are the message that said it; `mentioned` says that its thing is still spoken of.
    """

    text: str
    generation: int
    index: int
    mentioned: bool = False


@dataclass(frozen=True, slots=True)
class Exchanged:
    """An entry of a summary that gives `now` where `was` stood before, though nobody said so."""

    text: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class CompactionEvidence:
    """A recorded compaction with what is known about both its lists.

    `planned` is what the profile plans for the list before. `middle_tokens` are what the summary model had to read,
    `left_tokens` the same before pruning, `tail_tokens` those of the recorded tail; `largest` is the (index, tokens) of
    the tail's largest message. `last_request` is the last message before it in which the user asked for something.
    `stray` is the first message of the tail's copies where it is a tool result whose call is not in the list.
    `system_after` are the tokens of the system prompt of the list after; `answered`: a response followed. `summary` is
    parsed, None for none. `lost` are the user's hard constraints that died with this compaction, `weakened` those that
    no longer bind, `exchanged` the exact values that its summary changed. `request_gone`: the last request is neither
    kept nor in the summary. `aftermath` is what was done again after it. `gaps` are signs that the summary leaves
    something out. `at_work` counts the messages since the last request where the last of them is a call or its result,
    else None. `bill` is what it cost (None: not known), by requests that are `modelled` or recorded.
    """

    recorded: Compaction
    planned: Plan
    middle_tokens: int = 0
    tail_tokens: int = 0
    largest: tuple[int, int] | None = None
    last_request: int | None = None
    stray: int | None = None
    system_after: int = 0
    answered: bool = False
    summary: Summary | None = None
    lost: tuple[LostRule, ...] = ()
    exchanged: tuple[Exchanged, ...] = ()
    request_gone: bool = False
    aftermath: tuple[AftermathEvent, ...] = ()
    gaps: tuple[Gap, ...] = ()
    weakened: tuple[LostRule, ...] = ()
    left_tokens: int = 0
    at_work: int | None = None
    bill: Bill | None = None
    modelled: bool = False
    last_size: int | None = None

    @property
    def index(self) -> int:
        """The number of the compaction, from 1."""
        return self.recorded.index

    @property
    def written(self) -> bool:
        """Whether a model wrote the summary."""
        return self.recorded.summary is not None and not self.recorded.fallback

    @property
    def agrees(self) -> bool:
        """Whether the plan has the recorded boundaries."""
        planned = self.planned
        return (self.recorded.head_end, self.recorded.tail_start) == (planned.head_end, planned.tail_start)


@dataclass(frozen=True, slots=True)
class Links:
    """What of a list breaks the rules of chat APIs: indexes of results without a call before them, of messages whose
    calls nobody answered (the last one's may still run), of messages with the role of the one before them."""

    orphans: tuple[int, ...] = ()
    unanswered: tuple[int, ...] = ()
    repeated: tuple[int, ...] = ()
    #: (index, earlier index) of messages that are in the list twice, in runs of at least TWICE.
    twice: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class LiveList:
    """The list that the agent holds now. `protected` are (index, tokens) of the messages of head and tail that are
    larger than the whole tail budget; `fossils` are the tokens of each of its first messages."""

    number: int
    roles: bytes
    plan: Plan
    links: Links = field(default_factory=Links)
    protected: tuple[tuple[int, int], ...] = ()
    fossils: tuple[int, ...] = ()
    twice_tokens: int = 0

    @property
    def end(self) -> tuple[int, int]:
        """The `since` of what is told of the whole list: its generation, and all its messages."""
        return self.number, len(self.roles)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The system prompt of a session: the first generation it stands before, its tokens, its text."""

    generation: int
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class ClearedEvidence:
    """A microcompaction: what the agent says it saved, and what the next request had to write to the cache again, in
    tokens; `more` is what that cost beside reading it, in US dollars (None where it is not known). `place` is how many
    messages the list of `generation` had."""

    index: int
    generation: int
    place: int
    saved: int
    rewritten: int
    more: float | None = None


@dataclass(frozen=True, slots=True)
class CacheEvidence:
    """What the recorded requests did with the cache, in tokens: how many wrote into it (`writing`) and how much, how
    much all of them read. Of those that came while the cache of the one before still lived (`warm`) so many had
    `changed`: they sent `again` what was the same for no more than `same` tokens."""

    writing: int
    written: int
    read: int
    warm: int
    changed: int
    again: int
    same: int


@dataclass(frozen=True, slots=True)
class FallEvidence:
    """A request that sent much less than the one before without a compaction: `sent` and `before` in tokens, the
    numbers of both requests, where its answer is (None: unknown), and the tool results before it with their tokens."""

    request: int
    earlier: int
    sent: int
    before: int
    generation: int
    place: int | None
    results: int
    result_tokens: int


@dataclass(frozen=True, slots=True)
class MissedEvidence:
    """Misses of a prefix that was still in the cache: how many, their `requests`, the tokens sent again, what that cost
    more than reading them and what all requests cost (US dollars), and where the first of them is."""

    count: int
    requests: tuple[int, ...]
    tokens: int
    more: float
    total: float
    generation: int
    place: int | None


@dataclass(frozen=True, slots=True)
class ConversationEvidence:
    """Everything that the rules know of a conversation.

    `source` is where it came from (cli, telegram, ...). `sources` say where each setting came from. `rows` are the
    store's row ids of each generation. `failure` is the error of the last summary call that the store kept, and
    `streak` the fallback texts in a row that it counted (None where it does not count).
    `cache` and `idle` tell what requests did and what pauses cost, None where the store keeps no requests. `failures`
    are attempts to compact that failed, `falls` contexts that shrank without a compaction, `missed` the misses of a
    prefix that was fresh, at most one entry.
    """

    conversation: str
    source: str
    settings: Settings
    sources: Mapping[str, str]
    budgets: Budgets
    live: LiveList
    compactions: tuple[CompactionEvidence, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    rows: Mapping[int, Sequence[int]] = field(default_factory=dict)
    failure: str = ""
    streak: int | None = None
    cleared: tuple[ClearedEvidence, ...] = ()
    cache: CacheEvidence | None = None
    idle: IdleCosts | None = None
    failures: tuple[FailedCompaction, ...] = ()
    falls: tuple[FallEvidence, ...] = ()
    missed: tuple[MissedEvidence, ...] = ()

    def guard(self) -> Guard:
        """The release's guards after the last compaction, as far as the store tells."""
        guard = guard_of(self.settings.profile)
        for compaction in self.compactions:
            recorded = compaction.recorded
            after = recorded.tokens_after - compaction.system_after
            guard = compacted(guard, recorded.tokens_before, after, recorded.fallback)
            if compaction.answered:
                # The store keeps no prompt counts; the rough one of the list after stands for the next.
                guard = responded(guard, recorded.tokens_after, self.budgets.threshold_tokens)
        return guard


def is_request(message: Message) -> bool:
    """Whether a message is the user's own, not a summary and not the to-do list that a compaction puts back in."""
    return message.role == "user" and not _is_todo(message) and handoff_of(message) is None


def _is_todo(message: Message) -> bool:
    return message.role == "user" and message.text.startswith(TODO_START)


def links_of(messages: Iterable[Message]) -> Links:
    """What breaks the rules of chat APIs; one pass."""
    called: dict[str, int] = {}
    answered: set[str] = set()
    orphans: list[int] = []
    repeated: list[int] = []
    before: tuple[str, bool] = ("", False)
    asking = -1
    hashes: list[int] = []
    for index, message in enumerate(messages):
        role = message.role
        hashes.append(hash((role, message.text, message.tool_call_id, message.tool_calls)))
        if role == "tool":
            identity = message.tool_call_id
            if identity not in called:
                orphans.append(index)
            answered.add(identity)
        else:
            calls = message.tool_calls if role == "assistant" else ()
            called.update((call.id, index) for call in calls if call.id)
            todo = _is_todo(message)
            if role in ("user", "assistant") and role == before[0] and not (todo or before[1]):
                repeated.append(index)
            before = (role, todo)
            asking = index
        if role == "tool":
            before = (role, False)
    waiting = sorted({index for identity, index in called.items() if identity not in answered})
    unanswered = tuple(index for index in waiting if index != asking)
    return Links(tuple(orphans), unanswered, tuple(repeated), _twice(hashes))


def _twice(hashes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """The messages that repeat earlier ones in the same order, as (index, earlier index), in long runs alone."""
    last: dict[int, int] = {}
    pairs: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    for index, value in enumerate(hashes):
        earlier = last.get(value)
        if earlier is not None and (not run or earlier == run[-1][1] + 1):
            run.append((index, earlier))
        else:
            pairs += run if len(run) >= TWICE else []
            run = [] if earlier is None else [(index, earlier)]
        last[value] = index
    return tuple(pairs + (run if len(run) >= TWICE else []))


def is_stray(messages: Sequence[Message], index: int) -> bool:
    """Whether messages[index] is a tool result that no call before it asked for."""
    message = messages[index]
    return message.role == "tool" and not any(
        call.id == message.tool_call_id for other in messages[:index] for call in other.tool_calls
    )


def tail_of(token_index: TokenIndex, plan: Plan, start: int) -> tuple[int, tuple[int, int] | None]:
    """(tokens, (index, tokens) of the largest message) of a tail that starts there, pruned as planned."""
    pruned = set(plan.pruned)
    total, largest = 0, None
    for index in range(start, len(token_index)):
        tokens = token_index.pruned_tokens(index) if index in pruned else token_index.tokens(index)
        total += tokens
        if largest is None or tokens > largest[1]:
            largest = (index, tokens)
    return total, largest


def protected_giants(token_index: TokenIndex, plan: Plan) -> tuple[tuple[int, int], ...]:
    """(index, tokens) of the messages of head and tail that are larger than the tail budget, pruned as planned."""
    if not plan.compacts:
        return ()
    pruned = set(plan.pruned)
    head, tail = plan.regions()
    found = []
    for index in (*range(head), *range(tail, len(token_index))):
        tokens = token_index.pruned_tokens(index) if index in pruned else token_index.tokens(index)
        if tokens > plan.budgets.tail_token_budget:
            found.append((index, tokens))
    return tuple(found)
