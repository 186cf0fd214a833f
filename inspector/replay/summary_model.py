"""Sizes of the summaries of a run, modelled from the recorded summaries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from inspector.engines.sizes import MessageSize


class WrittenSummary(NamedTuple):
    """The size of a recorded summary message. The summary was written after `step` messages, and `messages` messages
    were summarized for the first time."""

    step: int
    messages: int
    size: MessageSize


class Extra(NamedTuple):
    """Reported tokens that came with the summary after `step` messages in addition to its text, such as files read
    again."""

    step: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SummaryModel:
    """How large a summary is.

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
        `previous` characters; None where none is recorded.

        The first summary is compared with the recorded first one, others with the others. Sizes between two recorded
        ones are in proportion, also between the previous summary and the shortest. Beyond the longest they do not grow.
        """
        known = self.recorded[:1] if number == 0 else self.recorded[1:] or self.recorded
        above = _nearest((one for one in known if one.messages >= messages), step, messages)
        below = _nearest((one for one in known if one.messages <= messages), step, messages)
        if above is None or below is above:
            return self._scaled(below.size) if below else None
        chars = above.size.chars
        start, least = (below.messages, below.size.chars) if below else (0, min(previous, chars))
        less = round((chars - least) * (above.messages - messages) / (above.messages - start))
        return self._scaled(MessageSize(above.size.walk - less // 4, chars - less, above.size.images))

    def _scaled(self, size: MessageSize) -> MessageSize:
        if self.factor == 1.0:
            return size
        return MessageSize(round(size.walk * self.factor), round(size.chars * self.factor), size.images)

    def extra(self, number: int, step: int) -> int:
        """The reported tokens that come with a summary: those of the recorded one that is closest in the conversation,
        and the median beyond their number."""
        if not self.extras:
            return 0
        if number < len(self.extras):
            return min(self.extras, key=lambda extra: abs(extra.step - step)).tokens
        return sorted(extra.tokens for extra in self.extras)[len(self.extras) // 2]


def _nearest(known: Iterable[WrittenSummary], step: int, messages: int) -> WrittenSummary | None:
    """The summary of about as many messages; of equal ones the closest in the conversation."""
    return min(known, key=lambda one: (abs(one.messages - messages), abs(one.step - step)), default=None)
