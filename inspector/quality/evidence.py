"""Input of the rules of findings, as frozen values. They hold few texts: summaries, prompts, lost constraints.

Tokens are rough unless a text says otherwise. Ranges are half-open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from inspector.caching.costs import Bill
from inspector.caching.idle import IdleCosts
from inspector.core.conversations import ASSISTANT, SYSTEM, USER, Compaction, FailedCompaction
from inspector.core.handoff import handoff_of
from inspector.core.messages import Message
from inspector.engines.base import Budgets, Plan, Settings, TokenIndex
from inspector.engines.guards import Guard, compacted, guard_of, responded
from inspector.engines.hygiene import TODO_START
from inspector.quality.aftermath import AftermathEvent
from inspector.quality.facts.gaps import Gap
from inspector.quality.finding import Violation
from inspector.quality.firing import is_size_doubted
from inspector.quality.limits import TWICE
from inspector.summaries.summary import Summary


class LostRule(Struct, frozen=True):
    """A constraint of the user that the list after a compaction no longer has.

    `generation` and `index` are its message. `mentioned`: the list still mentions its subject. `model` decided that it
    is lost, "" for the rules. `stale` is an earlier statement that it replaced and that the list still has, or "".
    """

    text: str
    generation: int
    index: int
    mentioned: bool = False
    model: str = ""
    stale: str = ""


class Exchanged(Struct, frozen=True):
    """A fact of the user (`text`): a summary replaced its value `was` by `now`, a value that no message gives."""

    text: str
    was: str
    now: str


class CompactionEvidence(Struct, frozen=True):
    """A recorded compaction with what is known about the lists before and after it.

    Sizes in tokens:
    `middle_tokens`: the messages that the summary model read, after pruning.
    `left_tokens`: the same messages before pruning.
    `tail_tokens`: the recorded tail.
    `system_after`: the system prompt in the list after.
    `last_size`: the last request and its answer, as reported; None if unknown.
    `requests_grew`: the growth from the first to the largest request since the previous compaction; 0 without requests.

    The list before: `planned` is the plan of the profile for it. `largest` is (index, tokens) of the largest message of
    the recorded tail. `last_request` is the index of the user's last request. `request_gone`: this request is
    unanswered, and neither kept nor in the summary. `request_mentioned`: it is kept or in the summary. `at_work` is the
    number of messages since this request; None if the last message is neither a call nor a result, if the last calls
    name no file, or if the summary names one of their files.

    The list after: `stray` is the index of the first copied message of the tail if it is a tool result without its
    call. `answered`: messages follow the compaction. `turn_end` is the index of the user's next request, None without
    one.

    `summary` is the parsed summary, None if there is none. `lost` are lost constraints of the user, `exchanged` exact
    values that the summary changed, `gaps` signs that the summary leaves something out, `aftermath` acts that the agent
    repeated later. `bill` is the cost, None if unknown; `modelled`: its requests are estimated, not recorded.
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
    request_mentioned: bool = False
    turn_end: int | None = None
    aftermath: tuple[AftermathEvent, ...] = ()
    gaps: tuple[Gap, ...] = ()
    left_tokens: int = 0
    at_work: int | None = None
    bill: Bill | None = None
    modelled: bool = False
    last_size: int | None = None
    requests_grew: int = 0

    @property
    def index(self) -> int:
        """The number of the compaction, from 1."""
        return self.recorded.index

    @property
    def doubted(self) -> bool:
        """Whether the reported size does not fit the recorded requests or the list."""
        return is_size_doubted(self.recorded, self.last_size)

    def before(self, text: str, index: int | None = None) -> Violation:
        """Return a violation at a message of the list before."""
        return Violation(text, self.index, self.index, index)

    def at_summary(self, text: str) -> Violation:
        """Return a violation at the summary in the list after."""
        return Violation(text, self.index, self.index + 1, self.recorded.summary_at)


class Links(Struct, frozen=True):
    """Indexes of messages that break the rules of chat APIs.

    `orphans` are results without an earlier call, `unanswered` messages whose calls have no result (the last calls may
    still run), `repeated` messages with the role of the previous message.
    """

    orphans: tuple[int, ...] = ()
    unanswered: tuple[int, ...] = ()
    repeated: tuple[int, ...] = ()
    #: (index, earlier index) of messages that are in the list twice, in runs of at least TWICE.
    twice: tuple[tuple[int, int], ...] = ()


class LiveEvidence(Struct, frozen=True):
    """The current list of the agent.

    `protected` are (index, tokens) of the messages of head and tail that are larger than the tail budget. `fossils` are
    the tokens of each message at the start of the list that earlier compactions carried over. `twice_tokens` is the
    size of the messages that are in the list twice. `unread`: a part of the conversation cannot be read.
    """

    number: int
    roles: bytes
    plan: Plan
    links: Links = field(default_factory=Links)
    protected: tuple[tuple[int, int], ...] = ()
    fossils: tuple[int, ...] = ()
    twice_tokens: int = 0
    unread: bool = False

    @property
    def end(self) -> tuple[int, int]:
        """The `since` of a finding about the whole list: (generation, number of messages)."""
        return self.number, len(self.roles)

    def violation(self, text: str, index: int | None = None) -> Violation:
        """Return a violation at a message, which appears with the whole list."""
        return Violation(text, generation=self.number, index=index, since=self.end)


class SystemPrompt(Struct, frozen=True):
    """The system prompt of a session: its first generation, its tokens, its text."""

    generation: int
    tokens: int
    text: str


class CacheEvidence(Struct, frozen=True):
    """The use of the cache by the recorded requests. Tokens are reported.

    `writing` is the number of requests that wrote to the cache, `written` the tokens that they wrote, `read` the tokens
    that all requests read. `warm` is the number of requests within the time to live of the cache. `changed` is the
    number of warm requests that sent cached tokens again, `again` the number of these tokens. `same` is the largest
    unchanged prefix of such a request, in tokens.
    """

    writing: int
    written: int
    read: int
    warm: int
    changed: int
    again: int
    same: int


class FallEvidence(Struct, frozen=True):
    """A request that sent much less than the `earlier` one without a compaction.

    `sent` and `before` are the tokens of both requests. `place` is the index of the answer (None: unknown). `results`
    and `result_tokens` describe the tool results before it.
    """

    request: int
    earlier: int
    sent: int
    before: int
    generation: int
    place: int | None
    results: int
    result_tokens: int


class CutEvidence(Struct, frozen=True):
    """Requests that report exactly `tokens` of input while their list grew: their number, and the first one.

    `list_tokens` are the rough tokens of the largest list that they sent. `generation` and `place` are the place of the
    answer to the first request.
    """

    tokens: int
    count: int
    first: int
    list_tokens: int
    generation: int
    place: int | None


class CutFile(Struct, frozen=True):
    """A rules file that was sent in part: its name, its characters, and how many were sent. `generation` and `place`
    are the place of the last message that says so."""

    name: str
    characters: int
    sent: int
    generation: int
    place: int


class MissedEvidence(Struct, frozen=True):
    """Cache misses within the time to live of the cache: their number, requests and tokens sent again.

    `more` is their cost above reading, `total` the cost of all requests (US dollars). The largest miss read the first
    `same` tokens from the cache. `generation` and `place` are the place of the first miss. `in_new_turns` is the number
    of misses at the first request of a turn.
    """

    count: int
    requests: tuple[int, ...]
    tokens: int
    more: float
    total: float
    same: int
    generation: int
    place: int | None
    in_new_turns: int = 0


class CostEvidence(Struct, frozen=True):
    """Evidence about requests: the bills by compaction (estimated or recorded), use of the cache, cost of pauses.

    `cache` and `idle` are None if the store keeps no requests. `falls` are contexts that shrank without a compaction,
    `missed` the misses of a fresh prefix (at most one entry), `cuts` prompts that the server cut.
    """

    bills: Mapping[int, Bill] = field(default_factory=dict)
    is_estimated: bool = False
    cache: CacheEvidence | None = None
    idle: IdleCosts | None = None
    falls: tuple[FallEvidence, ...] = ()
    missed: tuple[MissedEvidence, ...] = ()
    cuts: tuple[CutEvidence, ...] = ()


class ConversationEvidence(Struct, frozen=True):
    """Everything that the rules know about a conversation.

    `source` is where it came from (cli, telegram, ...), `sources` where each setting came from. `rows` are the row ids
    of each generation. `failure` is the recorded error of the last summary call. `streak` is the recorded number of
    fallback texts in a row (None: not recorded). `failures` are failed attempts to compact, `cut_files` rules files
    that were sent in part.
    """

    conversation: str
    source: str
    settings: Settings
    sources: Mapping[str, str]
    budgets: Budgets
    live: LiveEvidence
    compactions: tuple[CompactionEvidence, ...] = ()
    prompts: tuple[SystemPrompt, ...] = ()
    rows: Mapping[int, Sequence[int]] = field(default_factory=dict)
    failure: str = ""
    streak: int | None = None
    failures: tuple[FailedCompaction, ...] = ()
    costs: CostEvidence = CostEvidence()
    cut_files: tuple[CutFile, ...] = ()

    def guard(self) -> Guard:
        """Return the state of the guards after the last compaction, computed from the recorded compactions."""
        guard = guard_of(self.settings.profile)
        for compaction in self.compactions:
            recorded = compaction.recorded
            after = recorded.tokens_after - compaction.system_after
            guard = compacted(guard, recorded.tokens_before, after, recorded.fallback)
            if compaction.answered:
                # The store keeps no prompt counts, so the rough size of the list after is used.
                guard = responded(guard, recorded.tokens_after, self.budgets.threshold_tokens)
        return guard


def is_request(message: Message) -> bool:
    """Return whether the user wrote a message: not a program, and not a compaction (a summary, a to-do list)."""
    return message.speaker == "user" and not _is_todo(message) and handoff_of(message) is None


def _is_todo(message: Message) -> bool:
    return message.role == "user" and message.text.startswith(TODO_START)


def starts_turn(roles: bytes, answer: int | None) -> bool:
    """Return whether the answer at an index of a list is the first answer of a turn.

    It follows the user's message, or a system message that follows the last answer of the previous turn.
    """
    before = roles[: answer or 0].rstrip(bytes([ASSISTANT])).rstrip(bytes([SYSTEM]))
    return before[-1:] in (bytes([USER]), bytes([ASSISTANT]))


def links_of(messages: Iterable[Message]) -> Links:
    """Return the messages that break the rules of chat APIs, in one pass."""
    called: set[str] = set()
    waiting: dict[str, int] = {}
    unanswered: set[int] = set()
    orphans: list[int] = []
    repeated: list[int] = []
    # Role of the previous message, and whether it is a restored to-do list.
    before: tuple[str, bool] = ("", False)
    # Index of the last message that is not a tool result. Its calls may still run.
    last_asking = -1
    hashes: list[int] = []
    for index, message in enumerate(messages):
        role = message.role
        hashes.append(hash((role, message.text, message.tool_call_id, message.tool_calls)))
        if role == "tool":
            call_id = message.tool_call_id
            if call_id not in called:
                orphans.append(index)
            waiting.pop(call_id, None)
        else:
            calls = message.tool_calls if role == "assistant" else ()
            for call_id in {call.id for call in calls if call.id}:
                # Some agents use an id again.
                if call_id in waiting:
                    unanswered.add(waiting[call_id])
                called.add(call_id)
                waiting[call_id] = index
            todo = _is_todo(message)
            if role in ("user", "assistant") and role == before[0] and not (todo or before[1]):
                repeated.append(index)
            before = (role, todo)
            last_asking = index
        if role == "tool":
            before = (role, False)
    unanswered.update(index for index in waiting.values() if index != last_asking)
    return Links(tuple(orphans), tuple(sorted(unanswered)), tuple(repeated), _twice(hashes))


def _twice(hashes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return (index, earlier index) of messages that repeat earlier ones in order, in runs of TWICE or more."""
    last: dict[int, int] = {}
    runs: list[list[tuple[int, int]]] = []
    run: list[tuple[int, int]] = []
    for index, value in enumerate(hashes):
        earlier = last.get(value)
        if earlier is None or (run and earlier != run[-1][1] + 1):
            runs.append(run)
            run = []
        if earlier is not None:
            run.append((index, earlier))
        last[value] = index
    # A user may send one text many times, such as "continue". So a run must have several different messages.
    return tuple(
        pair for run in (*runs, run) if len({hashes[index] for index, _ in run}) >= TWICE for pair in run
    )


def is_stray(messages: Sequence[Message], index: int) -> bool:
    """Return whether messages[index] is a tool result without an earlier call."""
    message = messages[index]
    return message.role == "tool" and not any(
        call.id == message.tool_call_id for other in messages[:index] for call in other.tool_calls
    )


def tail_of(token_index: TokenIndex, plan: Plan, start: int) -> tuple[int, tuple[int, int] | None]:
    """Return the tokens of the tail from `start` on, pruned as planned, and (index, tokens) of its largest message."""
    pruned = set(plan.pruned)
    total, largest = 0, None
    for index in range(start, len(token_index)):
        tokens = token_index.pruned_tokens(index) if index in pruned else token_index.tokens(index)
        total += tokens
        if largest is None or tokens > largest[1]:
            largest = (index, tokens)
    return total, largest


def protected_giants(token_index: TokenIndex, plan: Plan) -> tuple[tuple[int, int], ...]:
    """Return (index, tokens) of messages of head and tail above the tail budget, pruned as planned; none if the engine
    has no budget for the tail."""
    budget = plan.budgets.tail_token_budget
    if not plan.compacts or not budget:
        return ()
    pruned = set(plan.pruned)
    head, tail = plan.regions()
    giants = []
    for index in (*range(head), *range(tail, len(token_index))):
        tokens = token_index.pruned_tokens(index) if index in pruned else token_index.tokens(index)
        if tokens > budget:
            giants.append((index, tokens))
    return tuple(giants)
