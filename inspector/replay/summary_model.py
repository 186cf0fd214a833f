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
    """The size of a recorded summary message.

    The summary was written after `step` messages, and summarized `messages` messages for the first time. It has
    `new_chars` characters of items that the previous summary lacks.
    """

    step: int
    messages: int
    size: MessageSize
    new_chars: int


class Extra(NamedTuple):
    """Reported tokens of the summary after `step` messages in addition to its text, such as files read again.

    They are negative if kept messages were cut. `beyond` is by how many tokens the list after exceeds its scaled size.
    `again` are the tokens of kept messages that the agent left out, and sent again with the next turn.
    """

    step: int
    tokens: int
    beyond: int = 0
    again: int = 0


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
        """Return the size of a summary of `messages` messages; None if no summary is recorded.

        The summary follows `step` messages and `number` other summaries; the last of these has `previous` characters.
        The first summary is compared with the first recorded one, later summaries with later ones. Between two recorded
        summaries the size is interpolated by the number of messages; above the largest it does not grow. A summary of
        fewer messages has fewer new items, but repeats as much of the previous summary as recorded (all of it, if no
        second summary is recorded). New items grow with the square root of the number of messages, because models write
        nearly as much about a few messages as about many.
        """
        if not self.recorded:
            return None
        first, later = self.recorded[:1], self.recorded[1:]
        candidates = later if number and later else first
        above = _nearest((summary for summary in candidates if summary.messages >= messages), step, messages)
        below = _nearest((summary for summary in candidates if summary.messages <= messages), step, messages)
        if above is None or below is above:
            return self._scaled(below.size) if below else None
        chars = above.size.chars
        if below:
            least = below.size.chars
            share = (messages - below.messages) / (above.messages - below.messages)
        else:
            repeated = chars - above.new_chars if later or number == 0 else chars
            least = repeated if number == 0 else min(previous, repeated)
            share = sqrt(messages / above.messages)
        less = round((chars - least) * (1 - share))
        return self._scaled(MessageSize(above.size.walk - less // 4, chars - less, above.size.images))

    def _scaled(self, size: MessageSize) -> MessageSize:
        if self.factor == 1.0:
            return size
        return MessageSize(round(size.walk * self.factor), round(size.chars * self.factor), size.images)

    def extra(self, number: int, step: int, kept: int) -> int:
        """Return the reported tokens that come with a summary.

        They are those of the closest recorded summary; after the last recorded summary, the median of all.

        `kept` are the tokens of the kept messages beyond their scaled size. A summary cannot cut more than these,
        unless the recorded list was smaller than its scaled size.
        """
        if not self.extras:
            return 0
        if number < len(self.extras):
            nearest = min(self.extras, key=lambda extra: abs(extra.step - step))
        else:
            nearest = sorted(self.extras, key=lambda extra: extra.tokens)[len(self.extras) // 2]
        return max(nearest.tokens, min(0, nearest.beyond) - kept) - nearest.again


def new_chars(previous: str, body: str) -> int:
    """Return the number of characters of the items that the previous summary does not have in similar words."""
    new = parse_summary(body)
    matched = match_items(parse_summary(previous), new).items
    return sum(len(item.text) for place, (_, item) in enumerate(new.items()) if place not in matched)


def _nearest(summaries: Iterable[WrittenSummary], step: int, messages: int) -> WrittenSummary | None:
    """Return the summary with the closest number of messages; of equal ones, the closest in the conversation."""
    return min(
        summaries,
        key=lambda summary: (abs(summary.messages - messages), abs(summary.step - step)),
        default=None,
    )
