"""Requests worked out from messages, for agents that keep usage a session and not a call.

Each answer had a prompt: the list up to it. Where requests are marked for the cache, a prompt within the time to live
of the one before reads back that one, behind a compaction what stayed at the start (system prompt and head), and
writes the rest. The tokens are rough, as the release counts them; tools' definitions are in none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from inspector.caching.misses import FIVE_MINUTES, ONE_HOUR
from inspector.core.conversations import ROLE_CODES, Request

_ASSISTANT = ROLE_CODES["assistant"]
#: The smallest prefix that a provider keeps, in tokens, by a part of the model's name; the longest that fits counts.
#: Source: Anthropic's documentation of prompt caching.
SMALLEST: dict[str, int] = {
    "opus-5": 512, "fable-5": 512, "mythos-5": 512, "opus-4-8": 1_024, "sonnet-5": 1_024, "sonnet-4": 1_024,
    "opus-4-7": 2_048, "opus-4-6": 4_096, "opus-4-5": 4_096, "haiku-4-5": 4_096,
}  # fmt: skip
_USUAL = 1_024


@dataclass(frozen=True, slots=True)
class SentList:
    """A list that grew by answers. `tokens_until(n)` are the prompt's tokens with its first n messages, the system
    prompt included; `times` when each was said, in seconds (0.0 unknown). It began with `began` messages, of which
    the prompt's first `kept` tokens stood before the list that was compacted as well."""

    generation: int
    roles: bytes
    rows: Sequence[int]
    times: Sequence[float]
    tokens_until: Callable[[int], int]
    began: int = 0
    kept: int = 0


def smallest_prefix(model: str) -> int:
    """The smallest prefix in tokens that is kept for a model."""
    name = model.lower().replace(".", "-")
    fits = [part for part in SMALLEST if part in name]
    return SMALLEST[max(fits, key=len)] if fits else _USUAL


def modelled_requests(
    lists: Sequence[SentList], model: str, enabled: bool, hour: bool = False
) -> Iterator[Request]:
    """The requests behind the answers of a conversation's lists, oldest first. Not `enabled`: nothing is cached."""
    lives, least = ONE_HOUR if hour else FIVE_MINUTES, smallest_prefix(model)
    cached, last, index = 0, 0.0, 0
    for sent in lists:
        if sent.began:
            cached = min(cached, sent.kept)
        for place in range(sent.began, len(sent.roles)):
            if sent.roles[place] != _ASSISTANT:
                continue
            index += 1
            context, at = sent.tokens_until(place), sent.times[place]
            gone = bool(at and last and at - last > lives)
            read = 0 if gone or not enabled else min(cached, context)
            keeps = enabled and context >= least
            write = context - read if keeps else 0
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
                output=max(0, sent.tokens_until(place + 1) - context),
            )
            cached, last = (context if keeps else 0), at
