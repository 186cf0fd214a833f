"""Statements and names of each message of a conversation, read in one pass over its lists."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from inspector.answers.inspection import Inspection
from inspector.answers.kept_facts import cached_facts, keep_facts, message_key, packed, unpacked
from inspector.config.cache import Cache
from inspector.core.messages import Message
from inspector.core.text import safe
from inspector.core.watching import OnProgress
from inspector.quality.facts.extract import COMMAND, agreed, answers_only, chosen, extract, replied, sent_back
from inspector.quality.facts.fact import Mention, MessageFacts, Span, Statement, Value
from inspector.quality.facts.spoken import announces_paste
from inspector.quality.limits import CROWDED
from inspector.replay.transcript import Transcript

T = TypeVar("T")
_BATCH = 256
_NOWHERE: Span = (0, 0)
#: Maximum texts of the agent to search for what a user copies.
_RECENT = 64
#: Mark of a command call in a system message.
_CALLED = "<command-name>"
#: Beginnings of the tool result of a command that the agent called.
_LAUNCHED = ("Launching command: ", "Launching skill: ")


def read_messages(
    inspection: Inspection, cache: Cache | None, watch: OnProgress | None, transcript: Transcript,
    placed: bool,
) -> dict[tuple[int, int], MessageFacts]:  # fmt: skip
    """Return the facts of each message that has any, by generation and index of its first occurrence.

    A message that only mentions names keeps the names that are values of statements. With `placed` (for facts of pruned
    results) it also keeps the names mentioned outside tool results, and each mention has its place and the line
    around it.
    """
    return _Reader(inspection, cache, watch, transcript, placed).read()


class _Reader:
    """One pass over every list of a conversation.

    Most messages only mention names, and few names become facts. Such messages are held packed until the names are
    known.
    """

    def __init__(
        self, inspection: Inspection, cache: Cache | None, watch: OnProgress | None, transcript: Transcript,
        placed: bool,
    ) -> None:  # fmt: skip
        self.inspection = inspection
        self.cache = cache
        self.watch = watch
        #: Generation -> index of its first new message. Earlier messages are copies.
        self.starts: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        for place in transcript.places:
            self.starts.setdefault(place.generation, place.index)
            self.ends[place.generation] = place.index + 1
        self.total = sum(len(g) for g in inspection.conversation.generations)
        self.done = 0
        self.placed = placed
        self.pool = _Pool(placed)
        self.facts_at: dict[tuple[int, int], MessageFacts] = {}
        self.mentioning: dict[tuple[int, int], bytes] = {}
        #: Canonical values that a fact may be about.
        self.names: set[str] = set()
        #: Last text of the agent: the user may choose from a list in it.
        self.offered = ""
        #: The last texts of the agent. The user may paste parts.
        self.agent_texts: deque[str] = deque(maxlen=_RECENT)
        #: Whether the user's last message says that the user will paste a text.
        self.announced = False
        #: Whether a command was called whose text is in the next system message.
        self.called = False
        #: Whether the agent called the command, not the user.
        self.launched = False

    def read(self) -> dict[tuple[int, int], MessageFacts]:
        """Return the result of read_messages."""
        for generation in self.inspection.conversation.generations:
            for batch in self._batches(generation.number):
                for (index, message), facts in zip(batch, self._facts(batch), strict=True):
                    self._take((generation.number, index), message, facts)
        while self.mentioning:
            place, data = self.mentioning.popitem()
            facts = unpacked(data) or MessageFacts()
            mentions = tuple(mention for mention in facts.mentions if mention.value.canon in self.names)
            if mentions:
                self.facts_at[place] = self.pool.facts(MessageFacts(mentions=mentions))
        return self.facts_at

    def _messages(self, number: int) -> Iterator[Message]:
        for message in self.inspection.store.iterate(self.inspection.generation(number)):
            if self.watch is not None and self.done % 64 == 0:
                self.watch("messages", self.done, self.total)
            self.done += 1
            yield message

    def _with_command(self, message: Message) -> Message:
        """Return a message with its role corrected if it belongs to a command call.

        The text of a command that the user called gets the role COMMAND. The text and the arguments of a command that
        the agent called get the role "system"."""
        if message.role == "system":
            text = message.text.lstrip()
            if self.called and not text.startswith(("<", "(")):
                self.called = False
                role = "system" if self.launched else COMMAND
                return replace(message, wire={**message.wire, "role": role})
            self.called = self.called or _CALLED in text
        elif message.role == "tool":
            self.launched = message.text.startswith(_LAUNCHED)
        elif message.role == "assistant":
            self.called = self.launched = False
        elif self.called and self.launched:
            return replace(message, wire={**message.wire, "role": "system"})
        return message

    def _batches(self, number: int) -> Iterator[Sequence[tuple[int, Message]]]:
        """Yield the new messages of a generation in batches, with their indexes."""
        batch: list[tuple[int, Message]] = []
        start, end = self.starts.get(number, 0), self.ends.get(number, 0)
        for index, message in enumerate(self._messages(number)):
            message = self._with_command(message)
            if start <= index < end:
                batch.append((index, message))
            if len(batch) >= _BATCH:
                yield batch
                batch = []
        yield batch

    def _facts(self, batch: Sequence[tuple[int, Message]]) -> list[MessageFacts]:
        """Return the facts of each message, and cache the new ones."""
        if self.cache is None:
            return [extract(message) for _, message in batch]
        keys = [message_key(message) for _, message in batch]
        cached = cached_facts(self.cache, keys)
        extracted: dict[bytes, MessageFacts] = {}
        for (_, message), key in zip(batch, keys, strict=True):
            if key not in cached and key not in extracted:
                extracted[key] = extract(message)
        if extracted:
            keep_facts(self.cache, extracted)
        return [cached.get(key) or extracted[key] for key in keys]

    def _take(self, place: tuple[int, int], message: Message, facts: MessageFacts) -> None:
        if message.speaker == "user":
            facts = self._as_announced(message, facts)
        if message.speaker == "user" and self.offered:
            if choices := chosen(safe(message.text), self.offered):
                facts = replace(facts, statements=choices)
            elif not facts.statements or answers_only(safe(message.text)):
                answer = agreed(safe(message.text), self.offered)
                facts = replace(facts, statements=answer or facts.statements)
            else:
                statements = sent_back(facts.statements, self.agent_texts)
                facts = replace(facts, statements=replied(statements, safe(message.text), self.offered))
            self.offered = ""
        elif message.speaker == "user":
            facts = replace(facts, statements=sent_back(facts.statements, self.agent_texts))
        elif message.role == "assistant" and message.text:
            self.offered = safe(message.text)
            if not message.summary:
                self.agent_texts.append(self.offered)
        self.names.update(value.canon for statement in facts.statements for value in statement.values)
        if self.placed and message.role != "tool":
            self.names.update(mention.value.canon for mention in facts.mentions)
        if facts.statements:
            self.facts_at[place] = self.pool.facts(facts)
        elif facts.mentions:
            self.mentioning[place] = packed(facts)

    def _as_announced(self, message: Message, facts: MessageFacts) -> MessageFacts:
        """Return the facts of a user's message. All are pasted in a long text that the message before announces."""
        announced, self.announced = self.announced, announces_paste(safe(message.text))
        if not announced or len(facts.statements) <= CROWDED:
            return facts
        pasted = tuple(replace(statement, pasted=True) for statement in facts.statements)
        return replace(facts, statements=pasted)


class _Pool:
    """A pool that has repeated words and names once, to save memory."""

    def __init__(self, placed: bool) -> None:
        self._values: dict[Any, Any] = {}
        self._placed = placed

    def facts(self, facts: MessageFacts) -> MessageFacts:
        """Return equal facts made of pooled values."""
        return MessageFacts(
            tuple(map(self._statement, facts.statements)),
            tuple(map(self._mention, facts.mentions)),
        )

    def _statement(self, statement: Statement) -> Statement:
        pooled = self._pooled
        return replace(statement, rule=pooled(statement.rule), things=tuple(map(pooled, statement.things)))

    def _mention(self, mention: Mention) -> Mention:
        if not self._placed:
            value = Value("", mention.value.form, mention.value.canon, "", True, _NOWHERE)
            mention = Mention(value, "", _NOWHERE, mention.pasted)
        pooled_mention: Mention | None = self._values.get(mention)
        if pooled_mention is None:
            value, pooled = mention.value, self._pooled
            texts = pooled(value.text), pooled(value.form), pooled(value.canon)
            pooled_value = pooled(Value(*texts, value.unit, value.distinctive, pooled(value.span)))
            pooled_mention = Mention(
                pooled_value, pooled(mention.text), pooled(mention.text_span), mention.pasted
            )
            self._values[pooled_mention] = pooled_mention
        return pooled_mention

    def _pooled(self, value: T) -> T:
        first_equal: T = self._values.setdefault(value, value)
        return first_equal
