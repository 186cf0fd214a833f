"""An open conversation: its recorded compactions, and the plans of an engine for each generation.

Commands and app use the class `Inspection`. It computes each value once and caches it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from inspector.answers.cut_prompts import without_cut
from inspector.answers.resolving import caching_release
from inspector.caching.modelled import SentMessages
from inspector.core.conversations import Compaction, Conversation, Generation, Request
from inspector.core.errors import UsageProblem
from inspector.core.messages import Message
from inspector.core.rough import text_tokens
from inspector.engines.base import Plan, Settings, TokenIndex, region_tokens
from inspector.engines.failures import measured, plan_with
from inspector.engines.registry import engine
from inspector.stores.base import Store
from inspector.stores.rule_files import RuleFile, rule_files

if TYPE_CHECKING:
    from inspector.quality.facts.fact import Where

#: The oldest token index leaves the cache if the cache has more indexes than the first number and more messages than
#: the second. A message takes about 100 bytes.
_KEPT_INDEXES = 16
_KEPT_MESSAGES = 100_000
#: Number of messages between two reports of progress, at which the reading may be cancelled.
_WATCH_EVERY = 64


class Compared(Struct, frozen=True):
    """A recorded compaction and an engine's plan for the list before it."""

    recorded: Compaction
    planned: Plan

    @property
    def agrees(self) -> bool:
        """Whether the plan has the recorded boundaries."""
        return self.planned.agrees_with(self.recorded)


class Inspection:
    """One conversation of a store. Thread-safe; everything is read on demand.

    `config` is the settings file that the user named, None for the config.yaml next to the store.
    """

    def __init__(self, store: Store, conversation: Conversation, config: Path | None = None) -> None:
        self.config = config
        self.store = store
        self.conversation = conversation
        #: Stamp of the conversation in the store when it was opened again; "" after the first opening.
        self.stamp = ""
        self._lock = RLock()
        self._token_indexes: dict[tuple[str, int, int], TokenIndex] = {}
        self._reading: dict[tuple[str, int, int], Lock] = {}
        self._sent: dict[tuple[str, int, int], SentMessages] = {}
        self._prompts: dict[str, str] = {}
        self._compactions: tuple[Compaction, ...] | None = None
        self._requests: tuple[Request, ...] | None = None
        self._rule_files: tuple[RuleFile, ...] | None = None
        #: Recordings of the whole conversation, by engine: see `recordings.shared_recording`.
        self.recordings: dict[str, Any] = {}
        #: Comparison of a run under the settings in force with the record: see `replaying.reproduced`.
        self.reproduction: Any = None

    @classmethod
    def open(cls, store: Store, name: str, config: Path | None = None) -> Inspection:
        """Open the conversation named `name`. Raises UnknownConversation and StoreErrors."""
        return cls(store, store.open(store.resolve(name)), config)

    @property
    def is_branch(self) -> bool:
        """Whether the conversation branches off another one, which counts the shared requests."""
        return self.conversation.row.kind == "branch"

    def generation(self, number: int | None = None) -> Generation:
        """Return the generation of this number, counted from 1, by default the live one. Raises UsageProblem."""
        generations = self.conversation.generations
        if number is None:
            return generations[-1]
        if not 1 <= number <= len(generations):
            raise UsageProblem(
                f"{self.conversation.row.title or self.conversation.id} has no generation {number}; "
                f"it has {len(generations)}, counted from 1."
            )
        return generations[number - 1]

    def compactions(self) -> tuple[Compaction, ...]:
        """Return every recorded compaction, oldest first."""
        with self._lock:
            if self._compactions is None:
                self._compactions = self.store.compactions(self.conversation)
            return self._compactions

    def compaction(self, number: int) -> Compaction:
        """Return a recorded compaction by its number. Raises UsageProblem."""
        compactions = {compaction.index: compaction for compaction in self.compactions()}
        if number not in compactions:
            numbers = f"it has {', '.join(map(str, compactions))}" if compactions else "it has none"
            raise UsageProblem(f"This conversation has no compaction {number}; {numbers}.")
        return compactions[number]

    def list_after(self, recorded: Compaction) -> Iterator[tuple[int, Message, Where]]:
        """Yield the messages of the list after a compaction, each with its index and place. Raises StoreErrors."""
        after = self.generation(recorded.index + 1)
        for index, message in enumerate(islice(self.store.iterate(after), recorded.after)):
            region: Where = "head" if index < recorded.head_after else "tail"
            yield index, message, "summary" if index == recorded.summary_at else region

    def requests(self) -> tuple[Request, ...]:
        """Return every recorded request, oldest first; read once. Raises StoreErrors."""
        with self._lock:
            if self._requests is None:
                self._requests = tuple(self.store.requests(self.conversation))
            return self._requests

    def rule_files(self) -> tuple[RuleFile, ...]:
        """Return every rule file in every list, in order; read once. Raises StoreErrors."""
        with self._lock:
            if self._rule_files is None:
                self._rule_files = rule_files(self.store, self.conversation)
            return self._rule_files

    def summarizing(self, calls: Iterable[Request]) -> Mapping[int, int]:
        """Map the number of each request that wrote a summary to the number of its compaction."""
        compactions = {compaction.index for compaction in self.compactions()}
        return {
            call.index: call.generation
            for call in calls
            if call.summarizes and call.generation in compactions
        }

    def requests_before(self, recorded: Compaction) -> list[Request]:
        """Return the requests of the list before a compaction that have the size of a list. Raises StoreErrors."""
        calls = [call for call in self.requests() if call.generation == recorded.index and not call.unsized]
        summarizing = self.summarizing(calls)
        return [call for call in calls if call.index not in summarizing]

    def last_size(self, recorded: Compaction) -> int | None:
        """Return the reported tokens of the last request before a compaction plus its answer, None if unknown.

        If the agent sent requests while it compacted, the largest request counts. The size is unknown if the server cut
        the last prompt. Raises StoreErrors.
        """
        calls = self.requests_before(recorded)
        if calls[-1:] != without_cut(calls)[-1:]:
            return None
        sizes = [call.tokens for call in calls]
        return max(sizes[-1:] if recorded.began is None else sizes, default=None)

    def system_prompt(self, session: str) -> str:
        """Return the system prompt of a session."""
        with self._lock:
            if session not in self._prompts:
                self._prompts[session] = self.store.system_prompt(session)
            return self._prompts[session]

    def system_tokens(self, session: str) -> int:
        """Return the rough tokens of a session's system prompt, and the tokens of its tools if they are recorded."""
        tools = sum(one.tool_tokens for one in self.conversation.sessions if one.id == session)
        return text_tokens(len(self.system_prompt(session))) + tools

    def token_index(
        self, generation: Generation, profile: str, watch: Callable[[int], None] | None = None
    ) -> TokenIndex:
        """Return the token index of a generation under an engine. Reads every message once.

        `watch` is called at intervals with the number of messages read; an InspectorError that it raises stops the
        reading.
        """
        key = (profile, generation.number, len(generation))
        with self.reading(key):
            with self._lock:
                token_index = self._token_indexes.get(key)
            if token_index is None:
                sent = SentMessages(caching_release(profile))
                messages = passing(self.store.iterate(generation), sent.append)
                token_index = measured(engine(profile), watched(messages, watch))
                self.keep_sent(generation, sent)
                with self._lock:
                    indexes = self._token_indexes
                    while len(indexes) >= _KEPT_INDEXES and sum(map(len, indexes.values())) >= _KEPT_MESSAGES:
                        del indexes[next(iter(indexes))]
                    self._token_indexes[key] = token_index
            return token_index

    def reading(self, key: tuple[str, int, int]) -> Lock:
        """Return the lock that is held while this list is read. A second thread waits for the result of the first."""
        with self._lock:
            return self._reading.setdefault(key, Lock())

    def sent(self, generation: Generation, profile: str) -> SentMessages:
        """Return the values of a generation's messages that modelled requests need, from the cache or read now."""
        key = (caching_release(profile), generation.number, len(generation))
        if key not in self._sent:
            self.token_index(generation, profile)
        return self._sent[key]

    def keep_sent(self, generation: Generation, sent: SentMessages) -> None:
        """Cache the values for modelled requests that a caller read from a whole generation."""
        with self._lock:
            self._sent[sent.release, generation.number, len(generation)] = sent

    def plan(self, generation: Generation, settings: Settings) -> Plan:
        """Plan a whole generation with the engine of the settings.

        The engine also gets the number of earlier compactions, because some rules depend on it.
        """
        token_index = self.token_index(generation, settings.profile)
        before = generation.number - 1
        system = self.system_tokens(generation.session)
        return plan_with(engine(settings.profile), token_index, settings, before, system)

    def plan_of(self, generation: Generation, messages: Iterable[Message], settings: Settings) -> Plan:
        """Plan these messages of a generation, which the caller has read."""
        rules, system = engine(settings.profile), self.system_tokens(generation.session)
        return plan_with(rules, measured(rules, messages), settings, generation.number - 1, system)

    def middle_tokens(self, recorded: Compaction, settings: Settings) -> int:
        """Return the rough tokens of the summarized messages, after pruning if the plan equals the record."""
        before = self.generation(recorded.index)
        plan = self.plan(before, settings)
        if plan.agrees_with(recorded):
            return plan.middle_tokens
        return region_tokens(recorded, self.token_index(before, settings.profile))[1]

    def compared(self, settings: Settings) -> tuple[Compared, ...]:
        """Pair each recorded compaction with the plan for the list before it."""
        generations = self.conversation.generations
        return tuple(
            Compared(recorded, self.plan(generations[recorded.index - 1], settings))
            for recorded in self.compactions()
        )

    def reopened(self) -> Inspection:
        """Open the conversation again; return this inspection if nothing has changed.

        Cached values of unchanged generations stay. The last messages of the live list may have grown.
        """
        stamp = self.store.stamp(self.conversation.id)
        fresh = Inspection(self.store, self.store.open(self.conversation.id), self.config)
        same = stamp == self.stamp
        if same and fresh.conversation == self.conversation and fresh.requests() == self.requests():
            return self
        fresh.stamp = stamp
        fresh._prompts = dict(self._prompts)
        old, new = ends_of(self.conversation), ends_of(fresh.conversation)
        pairs = enumerate(zip(old, new, strict=False), start=1)
        equal = {number for number, (was, now) in pairs if was == now and (same or number < len(new))}
        fresh._token_indexes = {key: value for key, value in self._token_indexes.items() if key[1] in equal}
        fresh._sent = {key: value for key, value in self._sent.items() if key[1] in equal}
        if len(old) == len(new):
            fresh._compactions = self._compactions
        return fresh


def ends_of(conversation: Conversation) -> tuple[tuple[str, tuple[int, ...], int], ...]:
    """Return the session, the last row and the length of each list. A later state has other values."""
    return tuple((item.session, tuple(item.ids[-1:]), len(item)) for item in conversation.generations)


def passing(messages: Iterable[Message], to: Callable[[Message], None]) -> Iterator[Message]:
    """Yield the messages; call `to` with each message first."""
    for message in messages:
        to(message)
        yield message


def watched(
    messages: Iterable[Message], watch: Callable[[int], None] | None, before: int = 0
) -> Iterator[Message]:
    """Yield the messages; call `watch` at intervals with the number of messages so far, plus `before`."""
    for done, message in enumerate(messages, start=before):
        if watch is not None and done % _WATCH_EVERY == 0:
            watch(done)
        yield message
