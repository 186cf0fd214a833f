"""Sizes of the summaries of a run, modelled from the recorded summaries."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

from msgspec import Struct

from inspector.engines.sizes import MessageSize
from inspector.summaries.diff import match_items
from inspector.summaries.parse import parse_summary


class WrittenSummary(NamedTuple):
    """The size of a recorded summary message. The summary was written after `step` messages, and `messages` messages
    were summarized for the first time. It has `fresh` characters of items that the previous summary had not."""

    step: int
    messages: int
    size: MessageSize
    fresh: int


class Extra(NamedTuple):
    """Reported tokens that came with the summary after `step` messages in addition to its text, such as files read
    again; fewer than 0 if kept messages were cut. `rest` are the tokens of the list after beyond its scaled size."""

    step: int
    tokens: int
    rest: int = 0


class SummaryModel(Struct, frozen=True):
    """Size of a summary.

    A summary has the size of `recorded` ones that summarized about as many messages. Without any, `tokens` is the size,
    else `ratio` as a share of the budget. `factor` multiplies all of these sizes.
    """

    ratio: float = 1.0
    tokens: int | None = None
    recorded: tuple[WrittenSummary, ...] = ()
    factor: float = 1.0
    extras: tuple[Extra, ...] = ()

    def written(self, number: int, step: int, messages: int, previous: int) -> MessageSize | None:
        """The size of a summary of `messages` messages, after `step` messages and `number` other summaries, the last of
        `previous` characters; None if none is recorded.

        The first summary is compared with the first recorded one, later summaries with later ones. Between two recorded
        summaries the size is interpolated by the number of messages; above the largest it does not grow. A summary of
        fewer messages has fewer new items, but repeats as much of the previous summary as recorded (all of it, if no
        second summary is recorded). New items grow with the square root of the number of messages, because models write
        nearly as much about a few messages as about many.
        """
        first, later = self.recorded[:1], self.recorded[1:]
        known = later if number and later else first
        above = _nearest((one for one in known if one.messages >= messages), step, messages)
        below = _nearest((one for one in known if one.messages <= messages), step, messages)
        if above is None or below is above:
            return self._scaled(below.size) if below else None
        chars = above.size.chars
        if below:
            least = below.size.chars
            share = (messages - below.messages) / (above.messages - below.messages)
        else:
            repeated = chars - above.fresh if later or number == 0 else chars
            least = repeated if number == 0 else min(previous, repeated)
            share = sqrt(messages / above.messages)
        less = round((chars - least) * (1 - share))
        return self._scaled(MessageSize(above.size.walk - less // 4, chars - less, above.size.images))

    def _scaled(self, size: MessageSize) -> MessageSize:
        if self.factor == 1.0:
            return size
        return MessageSize(round(size.walk * self.factor), round(size.chars * self.factor), size.images)

    def extra(self, number: int, step: int, kept: int) -> int:
        """Return the reported tokens that come with a summary: those of the closest recorded summary, or their median
        for a later summary than recorded.

        `kept` are the tokens of the kept messages beyond their scaled size. A summary cannot cut more than these,
        unless the recorded list was smaller than its scaled size.
        """
        if not self.extras:
            return 0
        if number < len(self.extras):
            found = min(self.extras, key=lambda extra: abs(extra.step - step))
        else:
            found = sorted(self.extras, key=lambda extra: extra.tokens)[len(self.extras) // 2]
        return max(found.tokens, min(0, found.rest) - kept)


def fresh_chars(previous: str, body: str) -> int:
    """Characters of the items of a summary that the previous summary does not have, in the same or similar words."""
    new = parse_summary(body)
    matched = match_items(parse_summary(previous), new).items
    return sum(len(item.text) for place, (_, item) in enumerate(new.items()) if place not in matched)


def _nearest(known: Iterable[WrittenSummary], step: int, messages: int) -> WrittenSummary | None:
    """Return the summary of about as many messages, and of equal ones the closest in the conversation."""
    return min(known, key=lambda one: (abs(one.messages - messages), abs(one.step - step)), default=None)
