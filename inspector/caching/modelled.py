"""Requests computed from messages, for agents that record usage by session and not by call.

The prompt of an answer is the list before that answer. If requests have breakpoints, a prompt is cached up to its
last breakpoint. The next prompt within the time to live reads this prefix if one of its breakpoints is at most 20
blocks after the end of the prefix. Otherwise it reads only the system prompt, which has a separate breakpoint. After a
compaction, the first request reads the unchanged start (system prompt and head) and writes the rest, up to the last
breakpoint. Tokens are rough, as the release counts them, without the tool definitions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct, field

from inspector.caching.breakpoints import MAX_BREAKPOINTS, Layout, Release, bearing
from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR
from inspector.core.conversations import ASSISTANT, Request
from inspector.core.messages import Message
from inspector.core.rough import list_tokens, message_chars, message_images

#: Minimum size of a cached prefix in tokens, by a part of the model's name; the longest matching part counts.
#: Source: Anthropic's documentation of prompt caching.
_SMALLEST: dict[str, int] = {
    "opus-5": 512, "fable-5": 512, "mythos-5": 512, "opus-4-8": 1_024, "sonnet-5": 1_024, "sonnet-4": 1_024,
    "opus-4-7": 2_048, "opus-4-6": 4_096, "opus-4-5": 4_096, "haiku-4-5": 4_096,
}  # fmt: skip
_USUALLY_SMALLEST = 1_024
#: Maximum distance in blocks between a breakpoint and an earlier cached prefix. Source: the same.
LOOKED_BACK = 20
_LAYOUTS: tuple[Layout, Layout] = ("native", "envelope")
#: Marks of messages with a single text or no content, by role, presence of text, and presence of calls.
_MARKS: dict[tuple[str, bool, bool, Release], int] = {}


def _marks(message: Message, release: Release) -> int:
    """Return two bits for each layout: the release spends a breakpoint on the message, and the provider uses it."""
    bits = 0
    for place, layout in enumerate(_LAYOUTS):
        spent, honored = bearing(message, layout, release)
        bits |= (spent | honored << 1) << 2 * place
    return bits


class SentMessages(Struct):
    """Properties of a list's messages for modelled requests.

    For each message: its time (seconds since the epoch, 0.0 if unknown), its marks (see `_marks`), its number of
    blocks, and the characters and pictures of the rough estimate.
    """

    release: Release = "0.19"
    times: array[float] = field(default_factory=lambda: array("d"))
    marks: bytearray = field(default_factory=bytearray)
    blocks: array[int] = field(default_factory=lambda: array("H"))
    chars: array[int] = field(default_factory=lambda: array("Q"))
    images: array[int] = field(default_factory=lambda: array("Q"))

    def append(self, message: Message) -> None:
        """Add the next message of the list."""
        self.note(message)
        self.chars.append(message_chars(message.wire))
        self.images.append(message_images(message.wire))

    def sized(self, chars: Sequence[int], images: Sequence[int]) -> None:
        """Set the sizes of messages that were added by `note`."""
        self.chars, self.images = array("Q", chars), array("Q", images)

    def grown(self) -> list[int]:
        """Return the rough tokens of the first 0, 1, ... messages."""
        sums = zip(accumulate(self.chars, initial=0), accumulate(self.images, initial=0), strict=True)
        return [list_tokens(chars, images) for chars, images in sums]

    def note(self, message: Message) -> None:
        """Add the next message of the list, without its size."""
        content, calls = message.wire.get("content"), message.wire.get("tool_calls")
        count = (
            sum(isinstance(call, Mapping) and bool(call) for call in calls) if isinstance(calls, list) else 0
        )
        self.times.append(message.timestamp)
        if content is None or (isinstance(content, str) and not content.isspace()):
            # Only the presence of a text counts.
            key = message.role, bool(content), bool(count), self.release
            if key not in _MARKS:
                _MARKS[key] = _marks(message, self.release)
            self.marks.append(_MARKS[key])
        else:
            self.marks.append(_marks(message, self.release))
        blocks = len(content) if isinstance(content, list) else int(bool(content))
        self.blocks.append(min(max(1, blocks + count), 0xFFFF))

    def breakpoints(self, length: int, layout: Layout) -> tuple[int, int]:
        """Return the numbers of messages up to the last and up to the first breakpoint that the provider uses.

        The prompt has a system prompt and the first `length` messages. (0, 0) if the provider uses no breakpoint.
        """
        shift, room, last, first = 2 * _LAYOUTS.index(layout), MAX_BREAKPOINTS - 1, 0, 0
        for index in range(length - 1, -1, -1):
            bits = self.marks[index] >> shift
            if bits & 2:
                last, first = last or index + 1, index + 1
            room -= bits & 1
            if not room:
                break
        return last, first


class SentList(Struct, frozen=True):
    """A list, with the values that its modelled requests need.

    `sent` has the properties of its messages, and `tokens[n]` the tokens of the prompt with the system prompt and the
    first n messages. The list started with `began` messages after its compaction (0: no compaction). The first `kept`
    tokens of the prompt are the same as before the compaction.
    """

    generation: int
    roles: bytes
    rows: Sequence[int]
    sent: SentMessages
    tokens: Sequence[int]
    began: int = 0
    kept: int = 0


def smallest_prefix(model: str) -> int:
    """Return the smallest prefix in tokens that is cached for a model."""
    name = model.lower().replace(".", "-")
    fits = [part for part in _SMALLEST if part in name]
    return _SMALLEST[max(fits, key=len)] if fits else _USUALLY_SMALLEST


def modelled_requests(
    lists: Sequence[SentList],
    model: str,
    enabled: bool,
    hour: bool = False,
    layout: Layout = "native",
    automatic: bool = False,
) -> Iterator[Request]:
    """Yield the requests behind the answers of a conversation's lists, oldest first.

    `enabled`: prompts have breakpoints. `automatic`: they have none, but the provider caches them by itself, and
    writing costs nothing. With neither, nothing is cached. `hour`: the cache lives an hour, else five minutes.
    """
    time_to_live, smallest = ONE_HOUR if hour else FIVE_MINUTES, smallest_prefix(model)
    # The tokens of the cached prefix, and the number of its messages (-1: unknown after a compaction).
    cached, covered = 0, 0
    last, index = 0.0, 0
    for sent in lists:
        tokens, messages = sent.tokens, sent.sent
        if sent.began:
            cached, covered = min(cached, sent.kept), -1
        for place in range(sent.began, len(sent.roles)):
            if sent.roles[place] != ASSISTANT:
                continue
            index += 1
            context, at = tokens[place], messages.times[place]
            expired = bool(at and last and at - last > time_to_live)
            until, first = messages.breakpoints(place, layout) if enabled else (place, place)
            read = 0 if expired else min(cached, context)
            if enabled and covered >= 0 and (first == 0 or sum(messages.blocks[covered:first]) > LOOKED_BACK):
                # No breakpoint after the system prompt is close enough to the cached prefix.
                read = min(read, tokens[0])
            prefix = tokens[until]
            write = max(0, prefix - read) if enabled and prefix >= smallest else 0
            yield Request(
                index=index,
                generation=sent.generation,
                message=str(sent.rows[place]),
                model=model,
                at=at,
                input=context - read - write,
                cache_read=read,
                cache_write=write,
                cache_write_1h=write if hour else 0,
                output=max(0, tokens[place + 1] - context),
            )
            cached, covered, last = read + write, until, at or last
            if automatic:
                cached = context if context >= smallest else 0
