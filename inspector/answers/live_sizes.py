"""The sizes of lists as their agents report them, and the size of a live list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from inspector.answers.cut_prompts import without_cut
from inspector.answers.inspection import Inspection
from inspector.answers.shown_settings import doubt_about, settings_without_tail
from inspector.core.conversations import Conversation, ConversationRow, Generation, Request
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images, wires_tokens
from inspector.engines.base import Plan
from inspector.engines.registry import engine
from inspector.stores.base import Store

#: A request is much smaller than another if it has less than one of this number of parts.
_MUCH_SMALLER = 4
#: Seconds within which a message is the answer of a request.
_WITHIN = 1.0
#: Number of messages that are read at a time, from the end of a list.
_BLOCK = 20


def reported_sizes(requests: Iterable[Request], live: int) -> dict[int, int]:
    """Return the last size of each generation's list, in tokens: a request and its answer. `live` is the number of
    the live list.

    For a compacted list it is the larger of the last two, because the last may be the summarizing call.
    """
    sent: dict[int, list[Request]] = {}
    for request in without_cut(requests):
        if not request.unsized and request.context:
            sent.setdefault(request.generation, []).append(request)
    return {
        number: _last(requests_of).tokens
        if number == live
        else max(request.tokens for request in requests_of[-2:])
        for number, requests_of in sent.items()
    }


def _last(sent: Sequence[Request]) -> Request:
    """Return the last request with the whole list. A much smaller last request had another prompt."""
    *_, before, last = (sent[-1], *sent[-2:])
    return before if last.context * _MUCH_SMALLER < before.context else last


class LiveSize(Struct, frozen=True):
    """The size of a live list in tokens: `reported` of the last request and its answer, or else the last recorded size
    of the list, and rough ones of `later` messages, which the next request adds.

    If no request had the list (`sent` is False), `reported` is the first request of the conversation without its
    messages, and `later` counts all messages.
    """

    reported: int
    later: int = 0
    sent: bool = True

    @property
    def tokens(self) -> int:
        """The size of the next request."""
        return self.reported + self.later


def live_size(
    store: Store,
    conversation: Conversation,
    requests: Iterable[Request],
    messages: Sequence[Message] | None = None,
    rough: Callable[[], int] | None = None,
) -> LiveSize | None:
    """Return the size of the live list; None if the agent reports no sizes. `messages` is the list if it is read
    already, `rough` returns its rough tokens without reading it. Raises StoreErrors."""
    live = conversation.live
    requests = tuple(requests)
    listed = (request for request in requests if request.generation == live.number)
    sent = [request for request in listed if request.context and not request.unsized]
    sized = next((session.sized for session in conversation.sessions if session.id == live.session), None)
    if not sent and sized is not None:
        length, tokens = sized
        later = store.messages(live, length) if messages is None else messages[length:]
        return LiveSize(tokens, _rough_tokens(later))
    if not sent:
        beside = _beside_messages(store, conversation, requests)
        if beside is None:
            return None
        read = store.iterate(live) if messages is None else messages
        return LiveSize(beside, _rough_tokens(read) if rough is None else rough(), sent=False)
    if sent[-1:] != without_cut(sent)[-1:]:
        return None
    last = _last(sent)
    newest = _newest_first(store, live) if messages is None else reversed(messages)
    return LiveSize(last.tokens, _later_tokens(newest, last))


def live_tokens(inspection: Inspection, plan: Plan) -> tuple[int, bool]:
    """Return the tokens of the live list, and whether the agent reported all tokens. Raises StoreErrors.

    They are the size of the last reported request and rough tokens of later messages, or all are rough. `plan` is a
    plan of the list.
    """
    size = live_size(
        inspection.store,
        inspection.conversation,
        inspection.requests(),
        rough=lambda: inspection.token_index(inspection.conversation.live, plan.profile).total(),
    )
    return (plan.tokens_before, False) if size is None else (size.tokens, not size.later)


def _beside_messages(store: Store, conversation: Conversation, requests: Sequence[Request]) -> int | None:
    """Return the tokens of the first request without its messages: system prompt, tools, memory. None if unknown.

    The messages of the first request are those before its answer. Earlier answers failed.
    """
    first = next((request for request in requests if request.context and not request.unsized), None)
    if first is None:
        return None
    before: list[Message] = []
    for message in store.iterate(conversation.generations[first.generation - 1]):
        if message.role == "assistant":
            later = message.timestamp - first.at if first.at and message.timestamp else 0.0
            if abs(later) <= _WITHIN:
                return max(0, first.context - _rough_tokens(before))
            if later > 0:
                return None
        before.append(message)
    return None


def _rough_tokens(messages: Iterable[Message]) -> int:
    return wires_tokens([message.wire for message in messages])


def _newest_first(store: Store, live: Generation) -> Iterator[Message]:
    for stop in range(len(live), 0, -_BLOCK):
        yield from reversed(store.messages(live, max(0, stop - _BLOCK), stop))


def _later_tokens(newest: Iterable[Message], request: Request) -> int:
    """Return the rough tokens of the messages after the answer of a request.

    The answer has the time of the request. If no answer has it, it is the first one after that time.
    """
    chars = images = after_answer = 0
    for message in newest:
        if message.role == "assistant":
            comparable = request.at and message.timestamp
            if not comparable or abs(message.timestamp - request.at) <= _WITHIN:
                return list_tokens(chars, images)
            if message.timestamp < request.at:
                return after_answer
            after_answer = list_tokens(chars, images)
        chars += message_chars(message.wire)
        images += message_images(message.wire)
    return after_answer


class Live(NamedTuple):
    """Numbers of a conversation: messages and tokens of the live list, threshold in tokens, compactions. None is
    unknown. `doubtful`: the threshold is uncertain."""

    conversation: str
    messages: int
    tokens: int | None
    threshold: int | None
    compactions: int | None
    doubtful: bool = False


def live_of(
    store: Store,
    row: ConversationRow,
    flags: Mapping[str, Any],
    config: Path | None,
    watch: Callable[[int], None] | None = None,
) -> Live:
    """Return the numbers of the live list.

    The tokens are the reported size with system prompt and tools, and rough tokens of later messages, or all are rough.
    The live list is read, because the message count of a session includes undone messages. `watch` gets the number of
    messages read; its exception ends the reading.
    """
    conversation = store.open(row.id)
    resolved = settings_without_tail(Inspection(store, conversation, config=config), flags)
    settings = resolved.settings
    threshold = engine(settings.profile).budgets(settings).threshold_tokens
    size = live_size(store, conversation, store.requests(conversation))
    tokens = store.live_tokens(row.id, watch) if size is None else size.tokens
    counted = store.count_compactions(row.id)
    return Live(row.id, len(conversation.live), tokens, threshold, counted, bool(doubt_about(resolved)))
