"""Find the messages of a list in the list after its compaction.

The store does not record which rows are copies. Releases change some copies: they prune tool results, shorten
arguments of calls, remove pictures, calls without a result and results without a call, and add stub results. Each
message is reduced to a print, so that long lists can be compared without their bodies in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from msgspec import Struct

from inspector.core.handoff import PREFIXES, Handoff, read_handoff
from inspector.core.messages import Message, ToolCall, shrunk_arguments, text_of
from inspector.core.rough import message_images
from inspector.stores.hermes.profiles import CALL_REMOVED, STUB

#: Maximum seconds between two rows of one transaction.
STEP = 5e-6
#: Placeholders of a removed picture. 0.19 writes the first in any message. Tool results may have both.
_NO_PICTURE = frozenset(
    {"[Attached image — stripped after compression]", "[screenshot removed to save context]"}
)
#: Maximum characters of arguments that pruning does not shrink.
_SHRUNK_FROM = 500
#: Maximum number of messages that are tried as the start of a tail.
_MAX_CANDIDATES = 4_000


class HashedCall(NamedTuple):
    """A tool call: its id, its name, and hashes of its arguments as they are and as pruning shrinks them."""

    id: str
    name: str
    arguments: int
    shrunk: int


class Print(Struct, frozen=True):
    """Fingerprint of a message for comparisons: hashes instead of text.

    `bracketed`: a tool result begins with "[", as pruned results do. `stub`: it is a stub result. `call_removed`: the
    text states that the calls were removed. `tail_text`: the handoff was merged into this text.
    """

    role: str
    text: int
    empty: bool
    tool_call_id: str
    calls: tuple[HashedCall, ...]
    timestamp: float
    chars: int
    images: int
    bracketed: bool = False
    stub: bool = False
    call_removed: bool = False
    handoff: Handoff | None = None
    tail_text: int = 0


def print_of(message: Message, chars: int = 0) -> Print:
    """Return the print of a message. `chars` is its number of characters, if that matters: counting them is slow."""
    wire = message.wire
    content = wire.get("content")
    role = message.role
    text = _text(content)
    calls = tuple(map(_call, message.tool_calls))
    handoff = None
    if role in ("user", "assistant") and text.startswith(PREFIXES):
        handoff = read_handoff(content, role, bool(calls))
    return Print(
        role=role,
        text=hash(text),
        empty=not text,
        tool_call_id=message.tool_call_id,
        calls=calls,
        timestamp=message.timestamp,
        chars=chars,
        images=message_images(wire),
        bracketed=role == "tool" and isinstance(content, str) and content.startswith("["),
        stub=role == "tool" and text.startswith(STUB),
        call_removed=text == CALL_REMOVED,
        handoff=handoff,
        tail_text=hash(_without_placeholders(handoff.tail_text)) if handoff and handoff.merged else 0,
    )


def _text(content: Any) -> str:
    """Return a content as text for comparisons."""
    # A release strips texts when it loads a session, so copies may lack the space around them.
    if isinstance(content, list):
        return _without_placeholders(text_of(content))
    return text_of(content).strip()


def _without_placeholders(text: str) -> str:
    if "[" not in text:
        return text.strip()
    return "\n".join(line for line in text.split("\n") if line not in _NO_PICTURE).strip()


def _call(call: ToolCall) -> HashedCall:
    plain = hash(call.arguments)
    is_short = len(call.arguments) <= _SHRUNK_FROM
    return HashedCall(
        call.id, call.name, plain, plain if is_short else hash(shrunk_arguments(call.arguments))
    )


def is_copy(old: Print, new: Print) -> bool:
    """Return whether `new` can be a copy of `old`."""
    if old.role != new.role or new.images > old.images:
        return False
    if old.role == "tool":
        return old.tool_call_id == new.tool_call_id and (old.text == new.text or new.bracketed)
    same = _same_text(old, new, new.text) or _unwrapped(old, new.text)
    return same and _calls_left(old.calls, new.calls)


def is_merged_copy(old: Print, new: Print) -> bool:
    """Return whether `new` is `old` with a summary merged into it."""
    return (
        old.role == new.role
        and new.images <= old.images
        and (_same_text(old, new, new.tail_text) or _unwrapped(old, new.tail_text))
        and _calls_left(old.calls, new.calls)
    )


def _same_text(old: Print, new: Print, text: int) -> bool:
    """Return whether `text` is the text of `old`, or replaces the empty text of a message whose calls were removed."""
    return old.text == text or (old.empty and new.call_removed and len(new.calls) < len(old.calls))


def _unwrapped(old: Print, text: int) -> bool:
    """Return whether `text` is what remains of `old` without the summary that was merged into it (from 0.20 on)."""
    return old.handoff is not None and old.handoff.merged and old.tail_text == text


def _is_summary_alone(message: Print) -> bool:
    """Return whether a message has a summary and no other text."""
    return message.handoff is not None and (
        not message.handoff.merged or not message.handoff.tail_text.strip()
    )


def _calls_left(old: Sequence[HashedCall], new: Sequence[HashedCall]) -> bool:
    """Return whether `new` is `old` with some calls removed and the arguments of others shortened."""
    at = 0
    for call in new:
        while at < len(old) and not _same_call(old[at], call):
            at += 1
        if at == len(old):
            return False
        at += 1
    return True


def _same_call(old: HashedCall, new: HashedCall) -> bool:
    return (old.id, old.name) == (new.id, new.name) and new.arguments in (old.arguments, old.shrunk)


class Tail(Struct, frozen=True):
    """A tail old[start:] and the end of its copies in the new list. `same_times`: the copies keep their times."""

    start: int
    end: int
    same_times: bool


def head_of(old: Sequence[Print], new: Sequence[Print], summary: int) -> int | None:
    """Return how many messages at the beginning of `old` new[:summary] copies; None if it is not such a copy."""
    at = 0
    calls: set[str] = set()
    for index in range(summary):
        copy = new[index]
        while at < len(old) and not is_copy(old[at], copy) and old[at].role == "tool" and not copy.stub:
            at += 1
        if at < len(old) and is_copy(old[at], copy):
            calls.update(call.id for call in copy.calls)
            at += 1
        elif not (copy.stub and copy.tool_call_id in calls):
            return None
    # The middle never starts with a tool result: releases move the head's end behind them.
    while at < len(old) and old[at].role == "tool":
        at += 1
    return at


def tail_from(
    old: Sequence[Print],
    new: Sequence[Print],
    start: int,
    first: int,
    merged_at: int | None,
    head_calls: frozenset[str],
) -> Tail | None:
    """Return the tail if it starts at old[start] and its copies at new[first], else None.

    The summary is merged into new[merged_at]. In 0.20 and newer, this may be a later message than the first; then the
    tail has no summaries of the old list. `head_calls` are the ids of calls in the head; their results stay.
    """
    leads = merged_at is not None and merged_at > first
    calls = set(head_calls)
    at = first
    matched = 0
    times = 0
    for index in range(start, len(old)):
        message = old[index]
        while (
            at < len(new) and new[at].stub and new[at].tool_call_id in calls and not is_copy(message, new[at])
        ):
            at += 1
        if at < len(new) and (
            is_merged_copy(message, new[at]) if at == merged_at else is_copy(message, new[at])
        ):
            calls.update(call.id for call in new[at].calls)
            times += message.timestamp == new[at].timestamp
            matched += 1
            at += 1
        elif leads and _is_summary_alone(message):
            continue
        elif message.role != "tool" or message.tool_call_id in calls:
            return None
    if matched == 0 or (leads and merged_at is not None and at <= merged_at):
        return None
    while at < len(new) and new[at].stub and new[at].tool_call_id in calls:
        at += 1
    return Tail(start, at, times == matched)


def tails(
    old: Sequence[Print],
    new: Sequence[Print],
    head_end: int,
    first: int,
    merged_at: int | None,
    head_calls: frozenset[str],
) -> list[Tail]:
    """Return every match of the beginning of new[first:] with a tail of `old`, the longest tail first."""
    if first >= len(new):
        return []
    lead = new[first]
    starts = (
        start
        for start in range(head_end, len(old))
        if (
            is_merged_copy(old[start], lead) if merged_at == first else lead.stub or is_copy(old[start], lead)
        )
    )
    candidates = islice(starts, _MAX_CANDIDATES)
    matches = (tail_from(old, new, start, first, merged_at, head_calls) for start in candidates)
    return [tail for tail in matches if tail is not None]


def longest_run(
    old: Sequence[Print], new: Sequence[Print], head_end: int, first: int, merged: bool
) -> tuple[int, int] | None:
    """Return the start in `old` and the end in `new` of the longest run of copies from new[first] on.

    This is for lists whose copies end early, or have messages between them that were not stored before.
    """
    best: tuple[int, int] | None = None
    longest = 0
    for start in range(head_end, len(old) if first < len(new) else 0):
        length, at, end = 0, first, first
        while start + length < len(old) and at < len(new):
            copies = is_merged_copy if merged and length == 0 else is_copy
            if copies(old[start + length], new[at]):
                length, end = length + 1, at + 1
            elif not length or not may_be_unstored(new[at]):
                break
            at += 1
        if length > longest:
            best, longest = (start, end), length
    return best


def may_be_unstored(message: Print) -> bool:
    """Return whether a message has the user's role and no summary. Hermes asks the model to check its work in such a
    message, and stores it only in the list after a compaction."""
    return message.role == "user" and message.handoff is None
