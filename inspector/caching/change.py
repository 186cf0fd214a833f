"""What of the prompt cache survives when a list takes another one's place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.caching.breakpoints import Breakpoint
from inspector.core.messages import Message
from inspector.core.rough import message_chars

# What is sent of a message; the rest is the store's bookkeeping and differs between copies.
_SENT = ("role", "content", "tool_calls", "tool_call_id", "name", "reasoning", "reasoning_details")


@dataclass(frozen=True, slots=True)
class CacheChange:
    """What two successive lists have in common from the start, system prompt included.

    `same_prompt`: the system prompts are equal (two empty ones too). `messages` and `chars` measure the
    common prefix of the lists, `chars_before` and `chars_after` the whole lists (characters as rough token
    counts see them); `prompt_chars` is the length of the new system prompt. `read_from` are the numbers of
    the old breakpoints that lie inside the common prefix: a request after the change can read up to the
    last of them, the rest is written anew.
    """

    same_prompt: bool
    prompt_chars: int
    messages: int
    chars: int
    chars_before: int
    chars_after: int
    read_from: tuple[int, ...] = ()

    @property
    def chars_lost(self) -> int:
        """Characters of the old list whose cache nothing reads any more."""
        return self.chars_before - self.chars

    @property
    def chars_rebuilt(self) -> int:
        """Characters of the new list that must be written to the cache."""
        return self.chars_after - self.chars


def cache_change(
    before: Iterable[Message],
    after: Iterable[Message],
    prompt_before: str = "",
    prompt_after: str = "",
    points: Sequence[Breakpoint] = (),
) -> CacheChange:
    """Compare two lists by what is sent of them. One pass over both; `points` are the old list's breakpoints."""
    same_prompt = prompt_before == prompt_after
    olds, news = iter(before), iter(after)
    messages = chars = chars_before = chars_after = 0
    common = same_prompt
    while True:
        old, new = next(olds, None), next(news, None)
        if old is None and new is None:
            break
        old_chars = message_chars(old.wire) if old is not None else 0
        new_chars = message_chars(new.wire) if new is not None else 0
        chars_before += old_chars
        chars_after += new_chars
        common = common and old is not None and new is not None and _same(old, new)
        if common:
            messages += 1
            chars += old_chars
    read = tuple(
        point.number
        for point in points
        if point.honored and same_prompt and (point.message is None or point.message < messages)
    )
    return CacheChange(same_prompt, len(prompt_after), messages, chars, chars_before, chars_after, read)


def _same(one: Message, other: Message) -> bool:
    return all(one.wire.get(key) == other.wire.get(key) for key in _SENT)
